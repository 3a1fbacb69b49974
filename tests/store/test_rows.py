from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lanner.errors import InputError
from lanner.store import Store
from lanner.store.rows import dumps, loads, micros, moment, now
from store_rows import answer


def test_reserved_ids_are_new_and_in_order(store: Store, filled: SimpleNamespace) -> None:
    with store.writing() as tx:
        first = list(tx.judgements.reserve(3, [filled.campaign]))
        tx.judgements.add([answer(filled, row, segment=str(row)) for row in first])
    with store.writing() as tx:
        second = list(tx.judgements.reserve(2, [filled.campaign]))
    assert first == sorted(first) and len(set(first)) == 3
    assert min(second) > max(first)


scalars = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
anything = st.text(st.characters(codec=None), max_size=8)  # half surrogate pairs too: hostile clients send them
values = st.recursive(scalars | anything, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(anything, inner))


@settings(deadline=None)
@given(values)
def test_json_comes_back_as_it_was(value: object) -> None:
    text = dumps(value)
    text.encode()
    try:
        json.dumps(value, ensure_ascii=False).encode()
        assert loads(text) == value
    except UnicodeEncodeError:  # half a surrogate pair
        assert "\ufffd" in json.dumps(loads(text), ensure_ascii=False)


@settings(deadline=None)
@given(st.datetimes(datetime(1900, 1, 1), datetime(2200, 1, 1), timezones=st.just(UTC)))
def test_moments_are_exact_to_the_microsecond(value: datetime) -> None:
    assert moment(micros(value)) == value


def test_moments_of_other_zones_and_of_none() -> None:
    noon = datetime(2026, 3, 1, 12, 0)
    assert micros(noon) == micros(noon.replace(tzinfo=UTC))
    assert micros(noon.replace(tzinfo=timezone(timedelta(hours=9)))) == micros(noon) - 9 * 3600 * 10**6
    assert micros(None) is None and moment(None) is None


@pytest.mark.parametrize("end, hours", [(datetime.min, 14), (datetime.max, -14)])
def test_a_moment_outside_the_calendar_is_refused_and_read_as_its_end(end: datetime, hours: int) -> None:
    outside = end.replace(tzinfo=timezone(timedelta(hours=hours)))
    with pytest.raises(InputError, match="years 1 to 9999"):
        micros(outside)
    stored = micros(end) - hours * 3600 * 10**6  # by an earlier version
    assert moment(stored) == moment(micros(end)) == end.replace(tzinfo=UTC)


def test_the_clock_is_utc_and_goes_forward() -> None:
    first, second = now(), now()
    assert first.tzinfo is UTC and timedelta(0) <= second - first < timedelta(minutes=1)

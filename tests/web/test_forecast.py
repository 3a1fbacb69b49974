from __future__ import annotations

from datetime import UTC, datetime, timedelta

import polars as pl
import pytest

from lanner.store import Share
from lanner.web.forecast import HOURS_A_DAY, Pace, outlooks, paces

NOW = datetime(2026, 11, 13, 12, tzinfo=UTC)


def times(judge: str, seconds: list[float], start: datetime = NOW - timedelta(days=2)) -> pl.DataFrame:
    rows = [
        {"judge": judge, "document": "d", "segment": str(at), "system": "", "role": "main",
         "active": second, "elapsed": 2 * second, "answered_at": start + timedelta(minutes=at)}
        for at, second in enumerate(seconds)
    ]  # fmt: skip
    return pl.DataFrame(rows)


def share(judge: str, items: int, done: int, domain: str = "news", active: float = 0) -> Share:
    return Share(judge, "d", domain, "rating", items, done, 0.0, active, None)


def test_a_pace_counts_each_item_once_at_its_longest() -> None:
    table = pl.concat([times("a", [30.0] * 30), times("a", [60.0] * 30)])
    pace = paces(table)["a"]
    assert pace.active == 1800
    assert pace.median == 60
    assert pace.per_minute == pytest.approx(1)
    assert pace.parts == pytest.approx([1.0] * 10)


def test_ten_parts_show_who_becomes_faster() -> None:
    parts = paces(times("a", [float(x) for x in range(40, 0, -1)]))["a"].parts
    assert list(parts) == sorted(parts)


def test_few_items_have_no_parts_and_nothing_has_no_pace() -> None:
    assert paces(times("a", [30.0] * 5))["a"].parts == ()
    assert paces(pl.DataFrame()) == {}


def test_elapsed_time_stands_in_where_activity_is_not_known() -> None:
    table = times("a", [30.0] * 4).with_columns(active=pl.lit(None, pl.Float64))
    assert paces(table)["a"].active == 240


def test_the_finish_follows_active_hours_a_day() -> None:
    pace = Pace(active=7200, first=NOW - timedelta(days=2))  # one hour a day
    found = outlooks([share("a", 40, 20)], {"a": pace}, NOW, ["news"])[0]
    assert found.active_left == 7200
    assert found.hours_a_day == pytest.approx(1)
    assert found.finish == NOW + timedelta(days=2)


def test_on_the_first_day_hours_are_assumed() -> None:
    pace = Pace(active=3600, first=NOW - timedelta(hours=3))
    found = outlooks([share("a", 20, 10)], {"a": pace}, NOW, ["news"])[0]
    assert found.hours_a_day == HOURS_A_DAY
    assert found.finish == NOW + timedelta(days=1 / HOURS_A_DAY)


def test_who_has_not_begun_has_no_finish_and_who_is_done_neither() -> None:
    begun = {"b": Pace(active=100, first=NOW - timedelta(days=3))}
    found = outlooks([share("a", 5, 0), share("b", 5, 5)], begun, NOW, ["news"])
    assert [outlook.finish for outlook in found] == [None, None]
    assert found[1].active_left == 0


def test_domains_in_the_given_order_and_free_tasks_left_out() -> None:
    given = [share("a", 5, 1, "social"), share("a", 7, 2, "news"), share("", 9, 0)]
    found = outlooks(given, {}, NOW, ["news", "social"])
    assert [outlook.judge for outlook in found] == ["a"]
    assert found[0].domains == (("news", 2, 7), ("social", 1, 5))
    assert (found[0].done, found[0].total, found[0].share) == (3, 12, 0.25)

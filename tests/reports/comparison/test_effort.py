from __future__ import annotations

import pytest

from lanner.reports.comparison.effort import cost, hours, times
from lanner.reports.comparison.sides import sides
from reports.comparison.worlds import lab, parity, scores


def test_one_takes_twice_as_long_and_costs_twice_as_much() -> None:
    found = cost(lab(scores(title="quick", gap=5), scores(title="slow", gap=5, seconds=60), hourly=36))
    seconds, rate, price = found.lines
    assert [value.value for value in seconds.values] == [30, 60]
    assert [value.value for value in rate.values] == [2, 1]
    assert [value.value for value in price.values] == [30, 60]
    assert seconds.gaps[0] is not None
    assert seconds.gaps[0].value == -30
    assert "2.0 times as long" in found.said


def test_people_and_models_take_time_themselves() -> None:
    found = cost(lab(scores(title="people", gap=5, seconds=60), scores(title="models", gap=5)))
    assert "An item takes people 2.0 times as long as models (60 s against 30 s; no interval: every" in found.said


def test_stamps_without_a_time_are_read_by_the_gaps_between_answers() -> None:
    [side, _] = sides([("a", scores(title="a", gap=5, seconds=0.1)), ("b", scores(title="b", gap=5))])
    assert "time from one answer to the next" in times(side)[1]


def test_hours_of_work() -> None:
    [side, _] = sides([("a", scores(title="a", gap=5)), ("b", scores(title="b", gap=5))])
    assert hours(side) == pytest.approx(2 * 8 * 3 * 3 * 30 / 3600)


def test_no_times() -> None:
    assert "no times were kept" in cost(lab(parity())).missing

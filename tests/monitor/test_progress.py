from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from lanner.monitor.progress import HOURS_A_DAY, judge_progress
from lanner.monitor.snapshot import Pace
from lanner.store import Share

NOW = datetime(2026, 11, 13, 12, tzinfo=UTC)


def share(judge: str, items: int, done: int, domain: str = "news", active: float = 0) -> Share:
    return Share(judge, "d", domain, "rating", items, done, 0.0, active, None)


def test_the_finish_follows_active_hours_a_day() -> None:
    pace = Pace(active=7200, first=NOW - timedelta(days=2))  # one hour a day
    found = judge_progress([share("a", 40, 20)], {"a": pace}, NOW, ["news"])[0]
    assert found.active_left == 7200
    assert found.hours_a_day == pytest.approx(1)
    assert found.finish == NOW + timedelta(days=2)


def test_on_the_first_day_hours_are_assumed() -> None:
    pace = Pace(active=3600, first=NOW - timedelta(hours=3))
    found = judge_progress([share("a", 20, 10)], {"a": pace}, NOW, ["news"])[0]
    assert found.hours_a_day == HOURS_A_DAY
    assert found.finish == NOW + timedelta(days=1 / HOURS_A_DAY)


def test_who_has_not_begun_has_no_finish_and_who_is_done_neither() -> None:
    begun = {"b": Pace(active=100, first=NOW - timedelta(days=3))}
    found = judge_progress([share("a", 5, 0), share("b", 5, 5)], begun, NOW, ["news"])
    assert [outlook.finish for outlook in found] == [None, None]
    assert found[1].active_left == 0


def test_domains_in_the_given_order_and_free_tasks_left_out() -> None:
    given = [share("a", 5, 1, "social"), share("a", 7, 2, "news"), share("", 9, 0)]
    found = judge_progress(given, {}, NOW, ["news", "social"])
    assert [outlook.judge for outlook in found] == ["a"]
    assert found[0].domains == (("news", 2, 7), ("social", 1, 5))
    assert (found[0].done, found[0].total, found[0].share) == (3, 12, 0.25)


def test_nothing_is_promised_before_the_pace_is_known() -> None:
    found = judge_progress([share("a", 20, 10, active=600)], {}, NOW, ["news"])[0]
    assert (found.active, found.active_left) == (600, 600)
    assert found.finish is None
    assert found.hours_a_day is None

"""What the process beside tells must reach the server whole, and the server must not load what makes it."""

from __future__ import annotations

import pickle
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest

from lanner.monitor.snapshot import (
    FEWEST,
    HOURS_A_DAY,
    AgreementMeasure,
    AnswerSplits,
    Disagreement,
    DisagreementList,
    Divergence,
    JudgePace,
    Swap,
    UnitAnswers,
    judge_progress,
)
from lanner.store import TaskShare


def test_everything_travels_between_processes() -> None:
    odd = AnswerSplits(12, 9, (("a", 2),), 0, 1, (("low", "high", 2),))
    swap = Swap("a", ("low", "high"), 9, 1)
    apart = Divergence("q", ("a", "b"), "κ", {}, FEWEST, ("low", "high"), {"a": (0.5, 0.5)}, odd, 0.4, (), (swap,))
    entry = Disagreement("d", "1", "", "news", 0.5, {"q": 0.5}, (("a", "low"),), False)
    for told in (
        apart,
        AgreementMeasure("q", value=0.4),
        JudgePace(active=9.0),
        DisagreementList((entry,), 1, 0, 3),
        UnitAnswers(),
    ):
        assert pickle.loads(pickle.dumps(told)) == told


def test_the_distance_of_a_unit_is_the_mean_of_its_parts() -> None:
    assert UnitAnswers(parts={"a": 1.0, "b": 0.5}).distance == 0.75
    assert UnitAnswers().distance is None


def test_the_server_stays_light() -> None:
    """Tables and statistics are loaded in the process beside, not in the one that saves answers."""
    code = "import lanner.web.app, sys; print('\\n'.join(sys.modules))"
    loaded = set(
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    )
    assert not loaded & {"polars", "scipy", "scipy.stats", "pandas", "pyarrow", "lxml", "lanner.stats.frame"}


NOW = datetime(2026, 11, 13, 12, tzinfo=UTC)


def share(judge: str, items: int, done: int, domain: str = "news", active: float = 0) -> TaskShare:
    return TaskShare(judge, "d", domain, "rating", items, done, 0.0, active, None)


def test_the_finish_follows_active_hours_a_day() -> None:
    pace = JudgePace(active=7200, first=NOW - timedelta(days=2))  # one hour a day
    found = judge_progress([share("a", 40, 20)], {"a": pace}, NOW, ["news"])[0]
    assert found.active_left == 7200
    assert found.hours_a_day == pytest.approx(1)
    assert found.finish == NOW + timedelta(days=2)


def test_on_the_first_day_hours_are_assumed() -> None:
    pace = JudgePace(active=3600, first=NOW - timedelta(hours=3))
    found = judge_progress([share("a", 20, 10)], {"a": pace}, NOW, ["news"])[0]
    assert found.hours_a_day == HOURS_A_DAY
    assert found.finish == NOW + timedelta(days=1 / HOURS_A_DAY)


def test_who_has_not_begun_has_no_finish_and_who_is_done_neither() -> None:
    begun = {"b": JudgePace(active=100, first=NOW - timedelta(days=3))}
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

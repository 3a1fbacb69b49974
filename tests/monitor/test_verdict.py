from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest

from lanner.model import Campaign, CampaignState
from lanner.monitor.messages import message, spell
from lanner.monitor.progress import JudgeProgress
from lanner.monitor.snapshot import Cell, Divergence, Measure, OddOnes, Pace, Swap
from lanner.monitor.verdict import Check, JudgeStanding, Targets, Verdict, needs, verdict

NOW = datetime(2026, 11, 13, 12, tzinfo=UTC)
PLAN = Targets(minimum=0.4, deadline=date(2026, 11, 18), control_limit=4)


def summary(verdict: Verdict) -> str:
    return " ".join(map(str, verdict.summary))


def advice(verdict: Verdict) -> str:
    return " ".join(map(str, verdict.advice))


def words(check: Check) -> tuple[str, str, str, str]:
    return spell(check.value), spell(check.small), check.tone, spell(check.why)


def measure(value: float | None, low: float | None = None, high: float | None = None, **more: object) -> Measure:
    return Measure("context", value=value, low=low, high=high, items=412, **more)  # type: ignore[arg-type]


def outlook(judge: str, days: float | None, done: int = 50) -> JudgeProgress:
    finish = NOW + timedelta(days=days) if days is not None else None
    return JudgeProgress(judge, done, 100, (), Pace(last=NOW), 50.0, 100.0, 1.0, finish)


def apart(
    alone: tuple[tuple[str, int], ...] = (("a", 72), ("b", 41), ("c", 53)), swaps: tuple[Swap, ...] = ()
) -> Divergence:
    pairs = {
        ("a", "b"): Cell(0.42, 412),
        ("a", "c"): Cell(0.38, 412),
        ("b", "c"): Cell(0.52, 598),
        ("b", "m"): Cell(0.9, 9),
    }
    odd = OddOnes(412, 223, alone, 23, 0, ())
    return Divergence("context", ("a", "b", "c"), "κ", pairs, 412, (), {}, odd, 0.458, (), swaps)


def test_nothing_is_green_before_there_is_data() -> None:
    said = verdict(None, [], {}, None, targets=PLAN, names={})
    assert {check.tone for check in said.checks} == {"none"}
    assert summary(said) == "Too early to say."
    assert "10 sentences" in advice(said)


def test_alike_answers_and_a_single_document_are_said_to_be_what_they_are() -> None:
    said = verdict(measure(None), [], {}, None, targets=PLAN, names={})
    assert str(said.checks[0].why) == "all answers are alike"
    assert "same answer" in advice(said)
    said = verdict(measure(0.5), [], {}, None, targets=PLAN, names={})
    assert str(said.checks[0].small) == "no interval yet"
    assert "several documents" in advice(said)


def test_the_design_example() -> None:
    said = verdict(
        measure(0.46, 0.41, 0.50),
        [outlook("a", 7)],
        {"a": (0, 12), "c": (2, 15)},
        apart(),
        targets=PLAN,
        names={"a": "J1", "b": "J2", "c": "J3"},
    )
    agreement, attention, finish, furthest = said.checks
    assert words(agreement) == ("α .46", "[.41, .50]", "ok", "all of it above .40")
    assert words(attention)[::2] == ("2 of 27", "ok")
    assert words(finish) == ("Fri 20 Nov", "plan: Wed 18 Nov", "warn", "J1 decides: 2 days late")
    assert words(furthest) == ("J1 κ .40", "J2–J3 .52", "warn", "alone on 72 of 412")
    assert summary(said) == "Usable so far. Two things to mend."


@pytest.mark.parametrize(
    ("low", "high", "tone", "say"),
    [(0.3, 0.5, "warn", "Not settled yet"), (0.1, 0.3, "bad", "Not usable yet")],
)
def test_the_interval_decides(low: float, high: float, tone: str, say: str) -> None:
    said = verdict(measure(0.45 if tone == "warn" else 0.2, low, high), [], {}, None, targets=PLAN, names={})
    assert said.checks[0].tone == tone
    assert summary(said).startswith(say)


def test_what_more_judging_cannot_mend_is_said() -> None:
    said = verdict(measure(0.2, 0.1, 0.3, expected_low=0.15, expected_high=0.25), [], {}, None, targets=PLAN, names={})
    assert "More judgements will not mend it" in advice(said)


def test_a_limit_reached_is_bad_and_half_of_it_a_warning() -> None:
    for missed, tone in ((2, "ok"), (3, "warn"), (5, "bad")):
        assert verdict(None, [], {"a": (missed, 15)}, None, targets=PLAN, names={}).checks[1].tone == tone


def test_complete_is_complete() -> None:
    done = JudgeProgress("a", 100, 100, (), Pace(), 9.0, 0.0, 1.0, None)
    assert verdict(None, [done], {}, None, targets=PLAN, names={}).checks[2].value == message("complete")


def test_who_has_not_begun_is_named() -> None:
    check = verdict(
        None, [outlook("a", 1), outlook("b", None, done=0)], {}, None, targets=PLAN, names={"b": "Bea"}
    ).checks[2]
    assert words(check)[2:] == ("warn", "not begun: Bea")


def test_a_swap_comes_first() -> None:
    check = verdict(
        None, [], {}, apart(swaps=(Swap("c", ("low", "high"), 20, 1),)), targets=PLAN, names={"c": "Cem"}
    ).checks[3]
    assert words(check) == ("Cem", "", "bad", "seems to swap two labels")


def test_nobody_alone_is_fine() -> None:
    assert verdict(None, [], {}, apart(alone=()), targets=PLAN, names={}).checks[3].tone == "ok"


LABEL = {"low": "low", "high": "high"}


def campaign(state: str = "open") -> Campaign:
    return Campaign(1, "trial", "", "h_falcon", "", CampaignState(state), 1, created_at=datetime.now(UTC))


def standing(name: str, done: int = 5, late: int | None = None, missed: int = 0, controls: int = 0) -> JudgeStanding:
    progress = JudgeProgress(name, done, 10, (), Pace(), 100.0, 100.0, 0.7, None)
    return JudgeStanding(name, name, progress, late, missed, controls)


def titles(
    people: list[JudgeStanding],
    measures: tuple[Measure, ...] = (),
    divergence: Divergence | None = None,
    state: str = "open",
) -> list[tuple[str, str, str]]:
    found = needs(
        campaign(state),
        people,
        measures,
        divergence,
        targets=Targets(),
        question_labels={("q", ""): "Focus"},
        option_labels=LABEL,
    )
    return [(need.code, need.tone, str(need.title)) for need in found]


def test_nothing_needed_when_all_is_well() -> None:
    assert titles([standing("a"), standing("b")]) == []


def test_a_pause_is_not_forgotten() -> None:
    assert titles([], state="paused") == [("paused", "warn", "The campaign is paused.")]


def test_controls_lateness_and_idleness() -> None:
    people = [
        standing("a", missed=5, controls=15),
        standing("b", missed=3, controls=15),
        standing("c", late=2),
        standing("d", done=0),
    ]
    assert titles(people) == [
        ("controls", "bad", "a missed 5 of 15 control items."),
        ("controls", "warn", "b missed 3 of 15 control items."),
        ("late", "warn", "c is 2 days late."),
        ("idle", "warn", "Not begun: d."),
    ]


def test_before_anyone_has_begun_nobody_is_blamed() -> None:
    assert titles([standing("a", done=0), standing("b", done=0)]) == []


def test_what_more_judging_cannot_mend() -> None:
    weak = Measure("q", value=0.22, low=0.14, high=0.27, expected_low=0.15, expected_high=0.27, items=50)
    assert titles([standing("a")], (weak,)) == [("weak", "info", "Focus is at α .22.")]
    assert titles([standing("a")], (replace(weak, items=5),)) == []


def test_a_swap_is_the_first_need() -> None:
    crossed = apart(swaps=(Swap("a", ("low", "high"), 20, 1),))
    first = titles([standing("a"), standing("b", late=1)], divergence=crossed)[0]
    assert first == ("swap", "bad", "a seems to swap low and high.")


def test_more_overlap_is_asked_for_where_the_plan_will_not_do() -> None:
    wide = Measure("q", value=0.5, low=0.2, high=0.8, items=50, documents=6, needed=54)
    assert titles([standing("a")], (wide,)) == [("overlap", "info", "The interval of Focus will stay wide.")]


def test_targets_from_settings_forgive_nonsense() -> None:
    targets = Targets.from_settings(
        {"deadline": "2026-11-18", "hourly_rate": 40, "minimum_agreement": 0.5, "control_limit": 2}
    )
    assert (targets.deadline, targets.hourly_rate, targets.minimum) == (date(2026, 11, 18), 40, 0.5)
    odd = Targets.from_settings({"deadline": "soon", "hourly_rate": "much", "minimum_agreement": True})
    assert (odd.deadline, odd.hourly_rate, odd.minimum) == (None, None, 0.4)

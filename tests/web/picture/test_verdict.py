from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

from lanner.web.picture.figures import Cell
from lanner.web.picture.forecast import Outlook
from lanner.web.picture.told import Divergence, Measure, OddOnes, Pace, Swap
from lanner.web.picture.verdict import Plan, verdict

NOW = datetime(2026, 11, 13, 12, tzinfo=UTC)
PLAN = Plan(minimum=0.4, deadline=date(2026, 11, 18), control_limit=4)


def measure(value: float | None, low: float | None = None, high: float | None = None, **more: object) -> Measure:
    return Measure("context", "", "Context level", value=value, low=low, high=high, items=412, **more)  # type: ignore[arg-type]


def outlook(judge: str, days: float | None, done: int = 50) -> Outlook:
    finish = NOW + timedelta(days=days) if days is not None else None
    return Outlook(judge, done, 100, (), Pace(last=NOW), 50.0, 100.0, 1.0, finish)


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
    said = verdict(None, [], {}, None, plan=PLAN, names={})
    assert {check.tone for check in said.checks} == {"none"}
    assert said.say == "Too early to say."
    assert "10 sentences" in said.advice


def test_alike_answers_and_a_single_document_are_said_to_be_what_they_are() -> None:
    said = verdict(measure(None), [], {}, None, plan=PLAN, names={})
    assert said.checks[0].why == "all answers are alike"
    assert "same answer" in said.advice
    said = verdict(measure(0.5), [], {}, None, plan=PLAN, names={})
    assert said.checks[0].small == "no interval yet"
    assert "several documents" in said.advice


def test_the_design_example() -> None:
    said = verdict(
        measure(0.46, 0.41, 0.50),
        [outlook("a", 7)],
        {"a": (0, 12), "c": (2, 15)},
        apart(),
        plan=PLAN,
        names={"a": "J1", "b": "J2", "c": "J3"},
    )
    agreement, attention, finish, furthest = said.checks
    assert (agreement.value, agreement.small, agreement.tone, agreement.why) == (
        "α .46",
        "[.41, .50]",
        "ok",
        "all of it above .40",
    )
    assert (attention.value, attention.tone) == ("2 of 27", "ok")
    assert (finish.value, finish.small, finish.tone) == ("Fri 20 Nov", "plan: Wed 18 Nov", "warn")
    assert "2 days late" in finish.why
    assert (furthest.value, furthest.small, furthest.tone) == ("J1 κ .40", "J2–J3 .52", "warn")
    assert furthest.why == "alone on 72 of 412"
    assert said.say == "Usable so far. Two things to mend."


@pytest.mark.parametrize(
    ("low", "high", "tone", "say"),
    [(0.3, 0.5, "warn", "Not settled yet"), (0.1, 0.3, "bad", "Not usable yet")],
)
def test_the_interval_decides(low: float, high: float, tone: str, say: str) -> None:
    said = verdict(measure(0.45 if tone == "warn" else 0.2, low, high), [], {}, None, plan=PLAN, names={})
    assert said.checks[0].tone == tone
    assert said.say.startswith(say)


def test_what_more_judging_cannot_mend_is_said() -> None:
    said = verdict(measure(0.2, 0.1, 0.3, expected_low=0.15, expected_high=0.25), [], {}, None, plan=PLAN, names={})
    assert "More judgements will not mend it" in said.advice


def test_a_limit_reached_is_bad_and_half_of_it_a_warning() -> None:
    for missed, tone in ((2, "ok"), (3, "warn"), (5, "bad")):
        assert verdict(None, [], {"a": (missed, 15)}, None, plan=PLAN, names={}).checks[1].tone == tone


def test_complete_is_complete() -> None:
    done = Outlook("a", 100, 100, (), Pace(), 9.0, 0.0, 1.0, None)
    assert verdict(None, [done], {}, None, plan=PLAN, names={}).checks[2].value == "complete"


def test_who_has_not_begun_is_named() -> None:
    check = verdict(
        None, [outlook("a", 1), outlook("b", None, done=0)], {}, None, plan=PLAN, names={"b": "Bea"}
    ).checks[2]
    assert (check.tone, check.why) == ("warn", "not begun: Bea")


def test_a_swap_comes_first() -> None:
    check = verdict(
        None, [], {}, apart(swaps=(Swap("c", ("low", "high"), 20, 1),)), plan=PLAN, names={"c": "Cem"}
    ).checks[3]
    assert (check.value, check.tone, check.why) == ("Cem", "bad", "seems to swap two labels")


def test_nobody_alone_is_fine() -> None:
    assert verdict(None, [], {}, apart(alone=()), plan=PLAN, names={}).checks[3].tone == "ok"

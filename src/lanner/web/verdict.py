"""Can the numbers be trusted? One sentence and four checks, each a word, a number, a sign and its reason.

No score is made of unlike things, and nothing is green before there is data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from lanner.reports.typeset import number, plural, words
from lanner.web.figures import Cell
from lanner.web.forecast import Outlook
from lanner.web.told import FEWEST, Divergence, Measure

SIGNS = {"ok": "✓", "warn": "▲", "bad": "✕", "none": "·"}


@dataclass(frozen=True, slots=True)
class Check:
    """One of the four. `tone` is ok, warn, bad, or none where there is nothing to judge by yet."""

    name: str
    value: str
    small: str
    tone: str
    why: str

    @property
    def sign(self) -> str:
        return SIGNS[self.tone]


@dataclass(frozen=True, slots=True)
class Verdict:
    """The sentence, what to do about it, and the checks."""

    say: str
    advice: str
    checks: tuple[Check, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """What the organiser planned."""

    minimum: float = 0.4
    deadline: date | None = None
    control_limit: int = 4
    hourly_rate: float | None = None
    currency: str = "€"
    budget: float | None = None


Controls = Mapping[str, tuple[int, int]]
"""By judge: control items missed, control items answered."""


def verdict(
    main: Measure | None,
    outlooks: Sequence[Outlook],
    controls: Controls,
    apart: Divergence | None,
    *,
    plan: Plan,
    names: Mapping[str, str],
    ready: bool = True,
) -> Verdict:
    """The strip on top of the live page. Not `ready` are numbers that are being made."""
    checks = (
        _agreement(main, plan),
        _attention(controls, plan, names),
        _finish(outlooks, plan, names),
        _furthest(apart, names),
    )
    mend = [check for check in checks if check.tone in ("warn", "bad")]
    agreement = checks[0]
    if agreement.tone == "none":
        say = "Too early to say."
    elif agreement.tone == "bad":
        say = "Not usable yet: people do not agree enough."
    elif agreement.tone == "warn":
        say = "Not settled yet: the main question may fall short."
    else:
        say = "Usable so far."
    if agreement.tone == "ok" or (agreement.tone == "none" and mend):
        say += " Nothing to mend." if not mend else f" {_number_word(len(mend))} to mend."
    if not ready:
        return Verdict("One moment.", "The numbers are being made.", checks)
    return Verdict(say, _advice(main, agreement, mend, plan), checks)


def _number_word(count: int) -> str:
    spoken = {1: "One thing", 2: "Two things", 3: "Three things"}
    return spoken.get(count, f"{count} things")


def _advice(main: Measure | None, agreement: Check, mend: Sequence[Check], plan: Plan) -> str:
    parts = []
    if agreement.tone == "none":
        parts.append(f"Agreement appears after {FEWEST} sentences that two people have judged.")
    elif agreement.tone == "ok":
        parts.append("Agreement on the main question is above the planned minimum with its whole interval.")
    elif main is not None and main.expected_high is not None and main.expected_high < plan.minimum:
        parts.append("More judgements will not mend it; a clearer definition may. Read the disagreements together.")
    elif main is not None:
        parts.append("The interval still reaches below the planned minimum; it narrows as judgements come in.")
    others = [check.name.lower() for check in mend if check is not agreement]
    if others:
        parts.append(f"Look at: {words(others)}.")
    return " ".join(parts)


def _agreement(main: Measure | None, plan: Plan) -> Check:
    if main is None or main.value is None or main.items < FEWEST:
        shared = main.items if main else 0
        return Check("Agreement", "not yet", plural(shared, "shared sentence"), "none", f"appears after {FEWEST}")
    if main.low is None or main.high is None:
        why = main.notes[0] if main.notes else "no interval"
        return Check("Agreement", f"α {number(main.value, 2)}", "no interval yet", "none", why)
    interval = f"[{number(main.low, 2)}, {number(main.high, 2)}]"
    least = number(plan.minimum, 2)
    if main.low >= plan.minimum:
        tone, why = "ok", f"all of it above {least}"
    elif main.high < plan.minimum:
        tone, why = "bad", f"all of it below {least}"
    else:
        tone, why = "warn", f"reaches below {least}"
    return Check("Agreement", f"α {number(main.value, 2)}", interval, tone, why)


def _attention(controls: Controls, plan: Plan, names: Mapping[str, str]) -> Check:
    asked = sum(all_ for _, all_ in controls.values())
    missed = sum(miss for miss, _ in controls.values())
    if not asked:
        return Check("Attention", "not tested", "", "none", "no control item answered yet")
    worst = max(controls, key=lambda judge: controls[judge][0])
    value, small = f"{missed} of {asked}", "controls missed"
    most = controls[worst][0]
    if most > plan.control_limit:
        return Check(
            "Attention", value, small, "bad", f"{names.get(worst, worst)} missed {most}, limit {plan.control_limit}"
        )
    if most * 2 > plan.control_limit:
        return Check(
            "Attention", value, small, "warn", f"{names.get(worst, worst)} missed {most}, limit {plan.control_limit}"
        )
    return Check("Attention", value, small, "ok", f"limit is {plan.control_limit} per judge")


def _finish(outlooks: Sequence[Outlook], plan: Plan, names: Mapping[str, str]) -> Check:
    left = [outlook for outlook in outlooks if outlook.done < outlook.total]
    if outlooks and not left:
        return Check("Finish", "complete", "", "ok", "everything assigned is done")
    known = [outlook for outlook in left if outlook.finish is not None]
    planned = f"plan: {_day(plan.deadline)}" if plan.deadline else ""
    if not known:
        begun = any(outlook.done for outlook in outlooks)
        why = "being counted" if begun else "nobody has begun" if outlooks else "no judges yet"
        return Check("Finish", "not yet", planned, "none", why)
    last = max(known, key=lambda outlook: outlook.finish or outlook.pace.last)  # type: ignore[arg-type, return-value]
    assert last.finish is not None
    finish = last.finish.date()
    name = names.get(last.judge, last.judge)
    idle = [outlook for outlook in left if outlook.finish is None and not outlook.done]
    if plan.deadline and finish > plan.deadline:
        late = plural((finish - plan.deadline).days, "day")
        return Check("Finish", _day(finish), planned, "warn", f"{name} decides: {late} late")
    if idle:
        waiting = words([names.get(outlook.judge, outlook.judge) for outlook in idle[:3]])
        return Check("Finish", _day(finish), planned, "warn", f"not begun: {waiting}")
    return Check("Finish", _day(finish), planned, "ok", f"{name} decides" + (", in time" if plan.deadline else ""))


def _furthest(apart: Divergence | None, names: Mapping[str, str]) -> Check:
    name = "Furthest judge"
    if apart is None or apart.odd is None or apart.odd.units < FEWEST:
        return Check(name, "not yet", "", "none", f"needs {FEWEST} sentences that several people share")
    if apart.swaps:
        swap = apart.swaps[0]
        return Check(name, names.get(swap.judge, swap.judge), "", "bad", "seems to swap two labels")
    odd = apart.odd
    if not odd.alone:
        return Check(name, "none", "", "ok", "nobody stands alone")
    judge, times = odd.alone[0]
    means = _mean_by_judge(apart)
    value = f"{names.get(judge, judge)} {apart.coefficient} {number(means.get(judge), 2)}"
    known = [(cell.value, pair) for pair, cell in _among_people(apart) if cell.value is not None]
    best = max(known) if known else None
    small = (
        f"{'–'.join(names.get(j, j) for j in best[1])} {number(best[0], 2)}" if best and judge not in best[1] else ""
    )
    share = sum(count for _, count in odd.alone) / len(odd.alone)
    far = times > 1.25 * share and times > 0.1 * odd.units
    return Check(name, value, small, "warn" if far else "ok", f"alone on {times} of {odd.units}")


def _among_people(apart: Divergence) -> list[tuple[tuple[str, str], Cell]]:
    return [(pair, cell) for pair, cell in apart.pairs.items() if set(pair) <= set(apart.people)]


def _mean_by_judge(apart: Divergence) -> dict[str, float]:
    found: dict[str, list[float]] = {}
    for pair, cell in _among_people(apart):
        for judge in pair:
            if cell.value is not None:
                found.setdefault(judge, []).append(cell.value)
    return {judge: sum(values) / len(values) for judge, values in found.items()}


def _day(day: date | None) -> str:
    return f"{day:%a} {day.day} {day:%b}" if day else ""

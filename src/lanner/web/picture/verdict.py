"""Can the numbers be trusted? One sentence and four checks, each a word, a number, a sign and its reason.

No score is made of unlike things, and nothing is green before there is data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from lanner.reports.typeset import number
from lanner.web.page.speech import amount, day, listed, say
from lanner.web.page.speech import apart as set_apart
from lanner.web.picture.figures import Cell
from lanner.web.picture.forecast import Outlook
from lanner.web.picture.told import FEWEST, Divergence, Measure

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
        told = say("Too early to say.")
    elif agreement.tone == "bad":
        told = say("Not usable yet: people do not agree enough.")
    elif agreement.tone == "warn":
        told = say("Not settled yet: the main question may fall short.")
    else:
        told = say("Usable so far.")
    if agreement.tone == "ok" or (agreement.tone == "none" and mend):
        told += " " + (_to_mend(len(mend)) if mend else say("Nothing to mend."))
    if not ready:
        return Verdict(say("One moment."), say("The numbers are being made."), checks)
    return Verdict(told, _advice(main, agreement, mend, plan), checks)


def _to_mend(count: int) -> str:
    spoken = {1: say("One thing to mend."), 2: say("Two things to mend."), 3: say("Three things to mend.")}
    return spoken.get(count, say("Things to mend: {n}.", n=count))


def _advice(main: Measure | None, agreement: Check, mend: Sequence[Check], plan: Plan) -> str:
    parts = []
    measured = main is not None and main.items >= FEWEST
    if agreement.tone == "none" and measured and main is not None:
        parts.append(
            say("Everyone has given the same answer so far; agreement cannot be measured yet.")
            if main.value is None
            else say("An interval appears when two people have judged several documents.")
        )
    elif agreement.tone == "none":
        parts.append(say("Agreement appears after {n} sentences that two people have judged.", n=FEWEST))
    elif agreement.tone == "ok":
        parts.append(say("Agreement on the main question is above the planned minimum with its whole interval."))
    elif main is not None and main.expected_high is not None and main.expected_high < plan.minimum:
        parts.append(
            say("More judgements will not mend it; a clearer definition may. Read the disagreements together.")
        )
    elif main is not None:
        parts.append(say("The interval still reaches below the planned minimum; it narrows as judgements come in."))
    others = [check.name.lower() for check in mend if check is not agreement]
    if others:
        parts.append(say("Look at: {others}.", others=listed(others)))
    return " ".join(parts)


def _agreement(main: Measure | None, plan: Plan) -> Check:
    if main is None or main.value is None or main.items < FEWEST:
        shared = main.items if main else 0
        few = amount(shared, "{n} shared sentence", "{n} shared sentences")
        why = say("appears after {n}", n=FEWEST) if shared < FEWEST else say("all answers are alike")
        return Check(say("Agreement"), say("not yet"), few, "none", why)
    if main.low is None or main.high is None:
        why = say("one document has no spread") if main.documents < 2 else say("no interval")
        return Check(say("Agreement"), f"α {number(main.value, 2)}", say("no interval yet"), "none", why)
    interval = set_apart(f"[{number(main.low, 2)}, {number(main.high, 2)}]")
    least = number(plan.minimum, 2)
    if main.low >= plan.minimum:
        tone, why = "ok", say("all of it above {least}", least=least)
    elif main.high < plan.minimum:
        tone, why = "bad", say("all of it below {least}", least=least)
    else:
        tone, why = "warn", say("reaches below {least}", least=least)
    return Check(say("Agreement"), f"α {number(main.value, 2)}", interval, tone, why)


def _attention(controls: Controls, plan: Plan, names: Mapping[str, str]) -> Check:
    name = say("Attention")
    asked = sum(all_ for _, all_ in controls.values())
    missed = sum(miss for miss, _ in controls.values())
    if not asked:
        return Check(name, say("not tested"), "", "none", say("no control item answered yet"))
    worst = max(controls, key=lambda judge: controls[judge][0])
    value, small = say("{n} of {all}", n=missed, all=asked), say("controls missed")
    most = controls[worst][0]
    limit = plan.control_limit
    if most * 2 > limit:
        tone = "bad" if most > limit else "warn"
        who = names.get(worst, worst)
        return Check(name, value, small, tone, say("{name} missed {n}, limit {limit}", name=who, n=most, limit=limit))
    return Check(name, value, small, "ok", say("limit is {limit} per judge", limit=limit))


def _finish(outlooks: Sequence[Outlook], plan: Plan, names: Mapping[str, str]) -> Check:
    left = [outlook for outlook in outlooks if outlook.done < outlook.total]
    if outlooks and not left:
        return Check(say("Finish"), say("complete"), "", "ok", say("everything assigned is done"))
    known = [outlook for outlook in left if outlook.finish is not None]
    planned = say("plan: {day}", day=day(plan.deadline)) if plan.deadline else ""
    if not known:
        begun = any(outlook.done for outlook in outlooks)
        why = say("being counted") if begun else say("nobody has begun") if outlooks else say("no judges yet")
        return Check(say("Finish"), say("not yet"), planned, "none", why)
    last = max(known, key=lambda outlook: outlook.finish or outlook.pace.last)  # type: ignore[arg-type, return-value]
    assert last.finish is not None
    finish = last.finish.date()
    name = names.get(last.judge, last.judge)
    idle = [outlook for outlook in left if outlook.finish is None and not outlook.done]
    if plan.deadline and finish > plan.deadline:
        days = amount((finish - plan.deadline).days, "{n} day late", "{n} days late")
        late = say("{name} decides: {late}", name=name, late=days)
        return Check(say("Finish"), day(finish), planned, "warn", late)
    if idle:
        waiting = listed([names.get(outlook.judge, outlook.judge) for outlook in idle[:3]])
        return Check(say("Finish"), day(finish), planned, "warn", say("not begun: {names}", names=waiting))
    why = say("{name} decides, in time", name=name) if plan.deadline else say("{name} decides", name=name)
    return Check(say("Finish"), day(finish), planned, "ok", why)


def _furthest(apart: Divergence | None, names: Mapping[str, str]) -> Check:
    name = say("Furthest judge")
    if apart is not None and apart.leanings and apart.leanings[0].items >= FEWEST:
        return _leaning(apart, names)
    if apart is None or apart.odd is None or apart.odd.units < FEWEST:
        return Check(name, say("not yet"), "", "none", say("needs {n} sentences that several people share", n=FEWEST))
    if apart.swaps:
        swap = apart.swaps[0]
        return Check(name, names.get(swap.judge, swap.judge), "", "bad", say("seems to swap two labels"))
    odd = apart.odd
    if not odd.alone:
        return Check(name, say("none"), "", "ok", say("nobody stands alone"))
    judge, times = odd.alone[0]
    means = _mean_by_judge(apart)
    value = f"{names.get(judge, judge)} {set_apart(f'{apart.coefficient} {number(means.get(judge), 2)}')}"
    known = [(cell.value, pair) for pair, cell in _among_people(apart) if cell.value is not None]
    best = max(known) if known else None
    closest = "–".join(names.get(j, j) for j in best[1]) if best and judge not in best[1] else ""
    small = f"{closest} {set_apart(number(best[0], 2))}" if best and closest else ""
    share = sum(count for _, count in odd.alone) / len(odd.alone)
    far = times > 1.25 * share and times > 0.1 * odd.units
    return Check(name, value, small, "warn" if far else "ok", say("alone on {n} of {all}", n=times, all=odd.units))


def _leaning(apart: Divergence, names: Mapping[str, str]) -> Check:
    """On a fine scale: who scores clearly higher or lower than the others, by more than a twentieth of the scale."""
    first = apart.leanings[0]
    value = f"{names.get(first.judge, first.judge)} {set_apart(f'{first.value:+.1f}'.replace('-', '−'))}"
    low, high = apart.bounds or (0.0, 0.0)
    known = first.low is not None and first.high is not None
    interval = set_apart(f"[{first.low:.1f}, {first.high:.1f}]".replace("-", "−")) if known else ""
    clear = first.low is not None and first.high is not None and first.low * first.high > 0
    far = clear and abs(first.value) > (high - low) / 20
    why = say("scores higher than the others") if first.value > 0 else say("scores lower than the others")
    tone = "warn" if far else "ok"
    return Check(say("Furthest judge"), value, interval, tone, why if clear else say("not clearly apart"))


def _among_people(apart: Divergence) -> list[tuple[tuple[str, str], Cell]]:
    return [(pair, cell) for pair, cell in apart.pairs.items() if set(pair) <= set(apart.people)]


def _mean_by_judge(apart: Divergence) -> dict[str, float]:
    found: dict[str, list[float]] = {}
    for pair, cell in _among_people(apart):
        for judge in pair:
            if cell.value is not None:
                found.setdefault(judge, []).append(cell.value)
    return {judge: sum(values) / len(values) for judge, values in found.items()}

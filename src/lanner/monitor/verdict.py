"""Can the numbers be trusted? A sentence, four checks, and what needs the organiser, the worst first.

No score is made of unlike things, and nothing is green before there is data. Words are messages, which a page
translates and a command prints; `code` and `tone` carry the meaning.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from lanner.model import Campaign, Json
from lanner.monitor.messages import Message, Words, amount, coefficient, message
from lanner.monitor.progress import JudgeProgress
from lanner.monitor.snapshot import FEWEST, Cell, Divergence, Measure

SIGNS = {"ok": "✓", "warn": "▲", "bad": "✕", "none": "·"}
_EMPTY = Message("")


@dataclass(frozen=True, slots=True)
class Check:
    """One of the four. `tone` is ok, warn, bad, or none where there is nothing to judge by yet."""

    code: str
    name: Message
    value: Words
    small: Words
    tone: str
    why: Message

    @property
    def sign(self) -> str:
        return SIGNS[self.tone]


@dataclass(frozen=True, slots=True)
class Verdict:
    """The sentences, what to do about it, and the checks."""

    summary: tuple[Message, ...]
    advice: tuple[Message, ...]
    checks: tuple[Check, ...]


@dataclass(frozen=True, slots=True)
class Need:
    """Something the organiser should look at: `tone` is warn, bad or info; then a sentence, more about it, and the page
    (`target`) that `link` leads to."""

    code: str
    tone: str
    title: Message
    more: Message = _EMPTY
    link: Message = _EMPTY
    target: str = ""


@dataclass(frozen=True, slots=True)
class Targets:
    """What the organiser planned for."""

    minimum: float = 0.4
    deadline: date | None = None
    control_limit: int = 4
    hourly_rate: float | None = None
    currency: str = "€"
    budget: float | None = None

    @classmethod
    def from_settings(cls, settings: Mapping[str, Json]) -> Targets:
        """From the campaign's settings."""

        def figure(name: str) -> float | None:
            value = settings.get(name)
            return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None

        deadline = settings.get("deadline")
        try:
            last = date.fromisoformat(str(deadline)) if deadline else None
        except ValueError:
            last = None
        minimum, limit = figure("minimum_agreement"), figure("control_limit")
        return cls(
            minimum=0.4 if minimum is None else minimum,
            deadline=last,
            control_limit=4 if limit is None else int(limit),
            hourly_rate=figure("hourly_rate"),
            currency=str(settings.get("currency", "€")),
            budget=figure("budget"),
        )


@dataclass(frozen=True, slots=True)
class JudgeStanding:
    """What the verdict looks at in one judge."""

    judge: str
    name: str
    progress: JudgeProgress
    days_late: int | None = None
    missed: int = 0
    controls: int = 0


Controls = Mapping[str, tuple[int, int]]
"""By judge: control items missed, control items answered."""


def verdict(
    main: Measure | None,
    progress: Sequence[JudgeProgress],
    controls: Controls,
    divergence: Divergence | None,
    *,
    targets: Targets,
    names: Mapping[str, str],
    ready: bool = True,
) -> Verdict:
    """The verdict on a campaign. Not `ready` are numbers that are still being computed."""
    checks = (
        _agreement(main, targets),
        _attention(controls, targets, names),
        _finish(progress, targets, names),
        _furthest(divergence, names),
    )
    if not ready:
        return Verdict((message("One moment."),), (message("The numbers are being made."),), checks)
    problems = [check for check in checks if check.tone in ("warn", "bad")]
    agreement = checks[0]
    summary = [
        {
            "none": message("Too early to say."),
            "bad": message("Not usable yet: people do not agree enough."),
            "warn": message("Not settled yet: the main question may fall short."),
            "ok": message("Usable so far."),
        }[agreement.tone]
    ]
    if agreement.tone == "ok" or (agreement.tone == "none" and problems):
        summary.append(_to_mend(len(problems)))
    return Verdict(tuple(summary), tuple(_advice(main, agreement, problems, targets)), checks)


def _to_mend(count: int) -> Message:
    known = {
        0: message("Nothing to mend."),
        1: message("One thing to mend."),
        2: message("Two things to mend."),
        3: message("Three things to mend."),
    }
    return known.get(count, message("Things to mend: {n}.", n=count))


def _advice(main: Measure | None, agreement: Check, problems: Sequence[Check], targets: Targets) -> list[Message]:
    advice = []
    measured = main is not None and main.items >= FEWEST
    if agreement.tone == "none" and measured and main is not None:
        advice.append(
            message("Everyone has given the same answer so far; agreement cannot be measured yet.")
            if main.value is None
            else message("An interval appears when two people have judged several documents.")
        )
    elif agreement.tone == "none":
        advice.append(message("Agreement appears after {n} sentences that two people have judged.", n=FEWEST))
    elif agreement.tone == "ok":
        advice.append(message("Agreement on the main question is above the planned minimum with its whole interval."))
    elif main is not None and main.expected_high is not None and main.expected_high < targets.minimum:
        advice.append(
            message("More judgements will not mend it; a clearer definition may. Read the disagreements together.")
        )
    elif main is not None:
        advice.append(
            message("The interval still reaches below the planned minimum; it narrows as judgements come in.")
        )
    others = tuple(check.name for check in problems if check is not agreement)
    if others:
        advice.append(message("Look at: {others}.", others=others))
    return advice


def _agreement(main: Measure | None, targets: Targets) -> Check:
    code, name = "agreement", message("Agreement")
    if main is None or main.value is None or main.items < FEWEST:
        shared = main.items if main else 0
        few = amount(shared, "{n} shared sentence", "{n} shared sentences")
        why = message("appears after {n}", n=FEWEST) if shared < FEWEST else message("all answers are alike")
        return Check(code, name, message("not yet"), few, "none", why)
    value = f"α {coefficient(main.value)}"
    if main.low is None or main.high is None:
        why = message("one document has no spread") if main.documents < 2 else message("no interval")
        return Check(code, name, value, message("no interval yet"), "none", why)
    interval = f"[{coefficient(main.low)}, {coefficient(main.high)}]"
    least = coefficient(targets.minimum)
    if main.low >= targets.minimum:
        tone, why = "ok", message("all of it above {least}", least=least)
    elif main.high < targets.minimum:
        tone, why = "bad", message("all of it below {least}", least=least)
    else:
        tone, why = "warn", message("reaches below {least}", least=least)
    return Check(code, name, value, interval, tone, why)


def _attention(controls: Controls, targets: Targets, names: Mapping[str, str]) -> Check:
    code, name = "attention", message("Attention")
    answered = sum(count for _, count in controls.values())
    missed = sum(count for count, _ in controls.values())
    if not answered:
        return Check(code, name, message("not tested"), "", "none", message("no control item answered yet"))
    worst = max(controls, key=lambda judge: controls[judge][0])
    value, small = message("{n} of {all}", n=missed, all=answered), message("controls missed")
    most, limit = controls[worst][0], targets.control_limit
    if most * 2 > limit:
        tone = "bad" if most > limit else "warn"
        why = message("{name} missed {n}, limit {limit}", name=names.get(worst, worst), n=most, limit=limit)
        return Check(code, name, value, small, tone, why)
    return Check(code, name, value, small, "ok", message("limit is {limit} per judge", limit=limit))


def _finish(progress: Sequence[JudgeProgress], targets: Targets, names: Mapping[str, str]) -> Check:
    code, name = "finish", message("Finish")
    left = [judge for judge in progress if judge.done < judge.total]
    if progress and not left:
        return Check(code, name, message("complete"), "", "ok", message("everything assigned is done"))
    known = [judge for judge in left if judge.finish is not None]
    planned: Words = message("plan: {day}", day=targets.deadline) if targets.deadline else ""
    if not known:
        begun = any(judge.done for judge in progress)
        why = (
            message("being counted") if begun else message("nobody has begun") if progress else message("no judges yet")
        )
        return Check(code, name, message("not yet"), planned, "none", why)
    last = max(known, key=lambda judge: judge.finish)  # type: ignore[arg-type, return-value]
    assert last.finish is not None
    finish = last.finish.date()
    who = names.get(last.judge, last.judge)
    value = finish
    idle = [judge for judge in left if judge.finish is None and not judge.done]
    if targets.deadline and finish > targets.deadline:
        days = amount((finish - targets.deadline).days, "{n} day late", "{n} days late")
        return Check(code, name, value, planned, "warn", message("{name} decides: {late}", name=who, late=days))
    if idle:
        waiting = tuple(names.get(judge.judge, judge.judge) for judge in idle[:3])
        return Check(code, name, value, planned, "warn", message("not begun: {names}", names=waiting))
    why = message("{name} decides, in time", name=who) if targets.deadline else message("{name} decides", name=who)
    return Check(code, name, value, planned, "ok", why)


def _furthest(divergence: Divergence | None, names: Mapping[str, str]) -> Check:
    code, name = "furthest", message("Furthest judge")
    if divergence is not None and divergence.leanings and divergence.leanings[0].items >= FEWEST:
        return _leaning(divergence, names)
    if divergence is None or divergence.odd is None or divergence.odd.units < FEWEST:
        why = message("needs {n} sentences that several people share", n=FEWEST)
        return Check(code, name, message("not yet"), "", "none", why)
    if divergence.swaps:
        who = divergence.swaps[0].judge
        return Check(code, name, names.get(who, who), "", "bad", message("seems to swap two labels"))
    odd = divergence.odd
    if not odd.alone:
        return Check(code, name, message("none"), "", "ok", message("nobody stands alone"))
    judge, times = odd.alone[0]
    means = _mean_by_judge(divergence)
    value = f"{names.get(judge, judge)} {divergence.coefficient} {coefficient(means.get(judge))}"
    known = [(cell.value, pair) for pair, cell in _among_people(divergence) if cell.value is not None]
    best = max(known) if known else None
    closest = "–".join(names.get(j, j) for j in best[1]) if best and judge not in best[1] else ""
    small = f"{closest} {coefficient(best[0])}" if best and closest else ""
    share = sum(count for _, count in odd.alone) / len(odd.alone)
    far = times > 1.25 * share and times > 0.1 * odd.units
    why = message("alone on {n} of {all}", n=times, all=odd.units)
    return Check(code, name, value, small, "warn" if far else "ok", why)


def _leaning(divergence: Divergence, names: Mapping[str, str]) -> Check:
    """On a fine scale: who scores clearly higher or lower than the others, by more than a twentieth of the scale."""
    first = divergence.leanings[0]
    value = f"{names.get(first.judge, first.judge)} {first.value:+.1f}".replace("-", "−")
    low, high = divergence.bounds or (0.0, 0.0)
    known = first.low is not None and first.high is not None
    interval = f"[{first.low:.1f}, {first.high:.1f}]".replace("-", "−") if known else ""
    clear = first.low is not None and first.high is not None and first.low * first.high > 0
    far = clear and abs(first.value) > (high - low) / 20
    if not clear:
        why = message("not clearly apart")
    elif first.value > 0:
        why = message("scores higher than the others")
    else:
        why = message("scores lower than the others")
    return Check("furthest", message("Furthest judge"), value, interval, "warn" if far else "ok", why)


def _among_people(divergence: Divergence) -> list[tuple[tuple[str, str], Cell]]:
    return [(pair, cell) for pair, cell in divergence.pairs.items() if set(pair) <= set(divergence.people)]


def _mean_by_judge(divergence: Divergence) -> dict[str, float]:
    values: dict[str, list[float]] = {}
    for pair, cell in _among_people(divergence):
        for judge in pair:
            if cell.value is not None:
                values.setdefault(judge, []).append(cell.value)
    return {judge: sum(own) / len(own) for judge, own in values.items()}


def needs(
    campaign: Campaign,
    people: Sequence[JudgeStanding],
    measures: Sequence[Measure],
    divergence: Divergence | None,
    *,
    targets: Targets,
    question_labels: Mapping[tuple[str, str], Words],
    option_labels: Mapping[str, str],
) -> tuple[Need, ...]:
    """What an organiser can do something about, the worst first."""
    found: list[Need] = []
    if str(campaign.state) == "paused":
        more = message("Judges see a friendly note; unsent answers are kept.")
        found.append(Need("paused", "warn", message("The campaign is paused."), more))
    names = {standing.judge: standing.name for standing in people}
    for swap in divergence.swaps if divergence else ():
        title = message(
            "{name} seems to swap {one} and {other}.",
            name=names.get(swap.judge, swap.judge),
            one=option_labels[swap.labels[0]],
            other=option_labels[swap.labels[1]],
        )
        more = message(
            "Their answers cross {n} times and match {m} times. Talk before more is judged.",
            n=swap.crossed,
            m=swap.straight,
        )
        found.append(Need("swap", "bad", title, more, message("Read them"), "disagreements"))
    for judge in people:
        title = message(
            "{name} missed {n} of {all} control items.", name=judge.name, n=judge.missed, all=judge.controls
        )
        if judge.missed > targets.control_limit:
            found.append(Need("controls", "bad", title, message("That is over the limit.")))
        elif judge.missed * 2 > targets.control_limit:
            found.append(Need("controls", "warn", title))
    for judge in people:
        if judge.days_late is not None and judge.days_late > 0:
            hours = judge.progress.hours_a_day
            more = message("At {hours} active hours a day.", hours=f"{hours:.1f}") if hours else _EMPTY
            late = amount(judge.days_late, "{n} day late", "{n} days late")
            found.append(Need("late", "warn", message("{name} is {late}.", name=judge.name, late=late), more))
    idle = [judge.name for judge in people if not judge.progress.done]
    if idle and len(idle) < len(people):
        title = message("Not begun: {names}.", names=tuple(idle[:6]))
        found.append(Need("idle", "warn", title, _EMPTY, message("Their links"), "judges"))
    found += _weak_questions(measures, targets, question_labels)
    return tuple(found)


def _weak_questions(
    measures: Sequence[Measure], targets: Targets, labels: Mapping[tuple[str, str], Words]
) -> list[Need]:
    found = []
    main = next((m for m in measures if m.main and m.items >= FEWEST), None)
    if main is not None and main.needed is not None:
        question = labels[main.question, main.row]
        title = message("The interval of {question} will stay wide.", question=question)
        more = message(
            "It needs about {n} documents that several judge; now there are {m}.", n=main.needed, m=main.documents
        )
        found.append(Need("overlap", "info", title, more, message("Add overlap"), "judges"))
    weak = [m for m in measures if m.high is not None and m.high < targets.minimum and m.items >= FEWEST]
    for measure in weak[:3]:
        question = labels[measure.question, measure.row]
        title = message("{question} is at α {value}.", question=question, value=coefficient(measure.value))
        more = message(
            "The whole interval is under {least}. More judgements will not mend it (expected: {low} to {high}); "
            "the definition may.",
            least=coefficient(targets.minimum),
            low=coefficient(measure.expected_low),
            high=coefficient(measure.expected_high),
        )
        found.append(Need("weak", "info", title, more, message("Open its disagreements"), "disagreements"))
    return found

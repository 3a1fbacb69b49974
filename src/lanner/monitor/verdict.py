"""Can the numbers be trusted? A sentence, four checks, the rules that call judges, and what needs the organiser, the
worst first.

No score is made of unlike things, and nothing is green before there is data. Words are messages, which a page
translates and a command prints; `code` and `tone` carry the meaning.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from urllib.parse import quote

from lanner.designs.expected import CONTROL_LIMIT, control_limit, controls_called_by_chance, missed_controls
from lanner.model import Campaign, Json
from lanner.model.alarms import LEVEL, SWAP_LEVEL, VERDICT_DOCUMENTS, Alarm, Code, PanelTest, alarm_words
from lanner.model.messages import Message, Words, amount, message, number, p_number
from lanner.monitor.snapshot import (
    FEWEST,
    AgreementMeasure,
    Decisions,
    ExclusionPreview,
    JudgeProgress,
    RemainingWork,
    Snapshot,
    Swap,
)

SIGNS = {"ok": "✓", "warn": "▲", "bad": "✕", "none": "·"}
_EMPTY = Message("")
_MOST_NAMES, _FEW_NAMES = 6, 3
"""More judges than these are counted and not named: in a sentence, and in one of the four checks."""


@dataclass(frozen=True, slots=True)
class VerdictCheck:
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
class Rule:
    """A rule that calls judges to look at: whom it calls, what it takes, and how many of these judges it would call if
    all were equally careful; None where that is not known, and with `at_most` it is a bound."""

    code: str
    name: Message
    judges: tuple[str, ...]
    """Ids of those called."""
    takes: Message
    by_chance: float | None
    of: int
    """How many judges the rule was applied to."""
    at_most: bool = False

    @property
    def chance(self) -> Message:
        """How many would be called by chance, in words."""
        if self.by_chance is None:
            return message("By chance: not known with so few judges.")
        count = f"{self.by_chance:.1f}" if self.by_chance >= 1 else f"{max(self.by_chance, 0.01):.2g}"
        if self.at_most or self.by_chance < 0.01:
            return message("By chance: at most {n} of {all}.", n=count, all=self.of)
        return message("By chance: {n} of {all}.", n=count, all=self.of)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The sentences, what to do about it, the checks, and the rules that call judges."""

    summary: tuple[Message, ...]
    advice: tuple[Message, ...]
    checks: tuple[VerdictCheck, ...]
    rules: tuple[Rule, ...] = ()


@dataclass(frozen=True, slots=True)
class Concern:
    """Something the organiser should look at: `tone` is warn, bad or info; then a sentence, more about it, and what can
    be done: `link` is the word on a button that leads to the page `target`, or does `action` at once."""

    code: str
    tone: str
    title: Message
    more: Message = _EMPTY
    link: Message = _EMPTY
    target: str = ""
    judge: str = ""
    action: str = ""
    """What the button does at once: assign the rest ("rest"), "reopen" the campaign, or list whom to "remind"."""


@dataclass(frozen=True, slots=True)
class Targets:
    """What the organiser planned for."""

    minimum: float = 0.4
    deadline: date | None = None
    control_limit: float = CONTROL_LIMIT
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
        minimum = figure("minimum_agreement")
        return cls(
            minimum=0.4 if minimum is None else minimum,
            deadline=last,
            control_limit=control_limit(settings),
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
    is_revoked: bool = False

    @property
    def is_stuck(self) -> bool:
        """Whether this judge has open work that nobody can do: the link is revoked, and no one has taken over."""
        return self.is_revoked and self.progress.done < self.progress.total


Controls = Mapping[str, tuple[int, int]]
"""By judge: control items missed, control items answered."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the verdict looks at: agreement on the main question, everyone's progress, control items, alarms."""

    main: AgreementMeasure | None = None
    progress: Sequence[JudgeProgress] = ()
    to_come: RemainingWork = field(default_factory=RemainingWork)
    decisions: Decisions | None = None
    """What is decided, in an adaptive campaign."""
    controls: Controls = field(default_factory=dict)
    alarms: Sequence[Alarm] = ()
    panel: PanelTest | None = None
    swaps: Sequence[Swap] = ()
    labels: int = 0
    """How many answers the main question has that could be swapped."""
    fast_by_chance: float | None = None
    without: Mapping[str, float] = field(default_factory=dict)
    leaving_out: ExclusionPreview | None = None
    ready: bool = True
    calibration: bool = False
    closed: bool = False
    stuck: Sequence[str] = ()
    """Judges whose links are revoked, with open work that no one has taken over."""
    weakest: Words = ""
    """What the weakest row of the main question is called, where that is a grid."""


def verdict(evidence: Evidence, targets: Targets, names: Mapping[str, str]) -> Verdict:
    """The verdict on a campaign. Not `ready` are numbers that are still being computed; a closed campaign gets no
    advice on how to go on."""
    checks = (
        _agreement(evidence.main, targets),
        _attention(evidence.controls, targets, names),
        _finish(evidence, targets, names),
        _judges(evidence, names),
    )
    if not evidence.ready:
        pending = tuple(check if check.code == "finish" else _pending(check) for check in checks)
        return Verdict((message("One moment."),), (message("The numbers are being computed."),), pending)
    problems = [check for check in checks if check.tone in ("warn", "bad")]
    agreement = checks[0]
    summary = [_summary(agreement.tone, evidence)]
    if agreement.tone == "ok" or (agreement.tone == "none" and problems):
        summary.append(_to_fix(len(problems)))
    advice = [] if evidence.closed else _advice(evidence.main, agreement, problems, targets)
    if evidence.main is not None and evidence.weakest and agreement.tone != "none":
        value = number(evidence.main.weakest_value, 2)
        advice.append(
            message("Mean of its parts; the weakest is {part} (α {value}).", part=evidence.weakest, value=value)
        )
    if agreement.tone != "none":
        advice += _one_judge_or_one_question(evidence, names)
    if evidence.calibration:
        advice.insert(0, message("These answers are calibration: they count in no result."))
    return Verdict(tuple(summary), tuple(advice), checks, _rules(evidence, targets))


def _rests_on_few(main: AgreementMeasure | None) -> bool:
    return main is not None and main.documents < VERDICT_DOCUMENTS


NOTABLE = 0.02
"""How far agreement must rise without a judge before that is said of them."""


def is_offered(price: ExclusionPreview, alarms: Sequence[str]) -> bool:
    """Nobody is offered for leaving out because that would raise agreement: a rule must call them."""
    return bool(alarms) and (price.change or 0.0) >= NOTABLE


def _one_judge_or_one_question(evidence: Evidence, names: Mapping[str, str]) -> list[Message]:
    """Whether disagreement comes from one judge, or stays without them."""
    price, main = evidence.leaving_out, evidence.main
    if price is None or price.change is None or main is None or main.value is None:
        return []
    now = main.value
    says_all = len(evidence.without) >= main.judges  # without some of them, too few sentences may be shared to say
    others = [abs(value - now) for judge, value in evidence.without.items() if judge != price.judge]
    most = _at_most(others)
    if price.change < NOTABLE:
        if not says_all:
            return []
        most = _at_most([abs(price.change), *others])
        return [message("No single judge moves it by more than {most}.", most=most)]
    name = names.get(price.judge, price.judge)
    value = number(price.without.value, 2)
    sentences = [message("Without {name} it would be α {value}.", name=name, value=value)]
    if says_all:
        sentences = [
            message(
                "Without {name} it would be α {value}; no other judge moves it by more than {most}.",
                name=name,
                value=value,
                most=most,
            )
        ]
    if main.weakest and main.weakest == price.without.weakest:
        value = number(price.without.weakest_value, 2)
        sentences.append(
            message(
                "{part} stays the weakest without {name} (α {value}): it is not one person.",
                part=evidence.weakest,
                name=name,
                value=value,
            )
        )
    return sentences


def _at_most(changes: Sequence[float]) -> str:
    """What no change exceeds: rounded up, for .00 is exceeded by .004."""
    return number(math.ceil(100 * max(changes, default=0.0) - 1e-6) / 100, 2)


def _rules(evidence: Evidence, targets: Targets) -> tuple[Rule, ...]:
    """The rules that had something to look at. Those that are tests of the whole panel call somebody in one of twenty
    panels of equally careful judges, whatever their number."""
    rules = []
    chance = controls_called_by_chance(evidence.controls, targets.control_limit)
    judges = tuple(alarm.judge for alarm in missed_controls(evidence.controls, targets.control_limit))
    if any(items for _, items in evidence.controls.values()):
        takes = message("more than {limit} of control items missed", limit=_limit(targets))
        if chance is not None:
            takes = message(
                "more than {limit} of control items missed; careful judges miss {share}",
                limit=_limit(targets),
                share=percent(chance[0]),
            )
        of = sum(items > 0 for _, items in evidence.controls.values())
        rules.append(Rule("controls", message("Controls"), judges, takes, chance[1] if chance else None, of))
    fast = tuple(alarm.judge for alarm in evidence.alarms if alarm.code is Code.SPEED)
    if fast or evidence.fast_by_chance is not None:
        takes = message("less than a third of the others’ time for an item")
        of = sum(judge.done >= FEWEST for judge in evidence.progress)
        rules.append(Rule("speed", message("Speed"), fast, takes, evidence.fast_by_chance, of))
    panel = evidence.panel
    if panel is not None:
        differs = (panel.judge,) if panel.differs else ()
        takes = message("further from the others than chance explains, over the whole panel")
        rules.append(Rule("differs", message("Differs"), differs, takes, LEVEL, panel.judges))
        straight = tuple(alarm.judge for alarm in evidence.alarms if alarm.code is Code.STRAIGHT_LINE)
        takes = message("one answer to 95 % of the items, where others differ")
        rules.append(Rule("straight_line", message("One answer"), straight, takes, LEVEL, panel.judges, at_most=True))
        if evidence.labels > 1:
            swaps = tuple(dict.fromkeys(swap.judge for swap in evidence.swaps))
            takes = message("two labels crossed more often than matched")
            bound = SWAP_LEVEL * panel.judges * evidence.labels * (evidence.labels - 1) / 2
            rules.append(Rule("swap", message("Swapped labels"), swaps, takes, bound, panel.judges, at_most=True))
    return tuple(rules)


def _pending(check: VerdictCheck) -> VerdictCheck:
    """What is still being computed says no number: nothing found yet is not nothing there."""
    return replace(check, value=message("not yet"), small="", tone="none", why=message("being counted"))


def _summary(tone: str, evidence: Evidence) -> Message:
    if tone == "warn" and evidence.main is not None and _rests_on_few(evidence.main):
        few = evidence.main.documents
        if evidence.calibration:
            return message("Calibration: agreement rests on {n} documents.", n=few)
        if evidence.closed:
            return message("Closed. Agreement rests on {n} documents: too few for a verdict.", n=few)
        return message("Not settled yet: agreement rests on {n} documents.", n=few)
    if tone == "none" and evidence.decisions is not None and not evidence.calibration:
        return _how_decided(evidence.decisions)
    if evidence.calibration:
        return {
            "none": message("Calibration: too early to say."),
            "bad": message("Calibration: people do not agree enough yet."),
            "warn": message("Calibration: agreement may fall short."),
            "ok": message("Calibration: people agree well."),
        }[tone]
    if evidence.closed:
        return {
            "none": message("Closed. Agreement could not be measured."),
            "bad": message("Closed. Not usable: people do not agree enough."),
            "warn": message("Closed. Agreement may fall short of the planned minimum."),
            "ok": message("Closed. Usable."),
        }[tone]
    return {
        "none": message("Too early to say."),
        "bad": message("Not usable yet: people do not agree enough."),
        "warn": message("Not settled yet: the main question may fall short."),
        "ok": message("Usable so far."),
    }[tone]


def _how_decided(decisions: Decisions) -> Message:
    """What can be said of an adaptive campaign whose judges share too little to tell how far they agree."""
    return {
        "running": message("Not enough is decided yet."),
        "reached": message("Enough: the goal is reached."),
        "partly": message("Enough, with {n} of {m} pairs not decided.", n=decisions.unanswered, m=decisions.pairs),
        "ended": message("Ended without reaching the goal."),
    }[decisions.outcome]


def _to_fix(count: int) -> Message:
    by_code = {
        0: message("Nothing to fix."),
        1: message("One thing to fix."),
        2: message("Two things to fix."),
        3: message("Three things to fix."),
    }
    return by_code.get(count, message("Things to fix: {n}.", n=count))


def _advice(
    main: AgreementMeasure | None, agreement: VerdictCheck, problems: Sequence[VerdictCheck], targets: Targets
) -> list[Message]:
    advice = []
    measured = main is not None and main.items >= FEWEST
    if agreement.tone == "none" and measured and main is not None:
        advice.append(
            message("Everyone has given the same answer so far; agreement cannot be measured yet.")
            if main.value is None
            else message("An interval appears when two people have judged several documents.")
            if main.documents < 2
            else message("There is no interval yet: these documents do not show how far it varies.")
        )
    elif agreement.tone == "none":
        advice.append(message("Agreement appears after {n} sentences that two people have judged.", n=FEWEST))
    elif _rests_on_few(main) and main is not None:
        advice.append(
            message(
                "A verdict takes {least} documents that several people have judged; others may turn out differently.",
                least=VERDICT_DOCUMENTS,
            )
        )
    elif agreement.tone == "ok":
        advice.append(message("Agreement on the main question is above the planned minimum with its whole interval."))
    elif main is not None and main.expected_high is not None and main.expected_high < targets.minimum:
        advice.append(
            message("More judgements will not fix it; a clearer definition may. Read the disagreements together.")
        )
    elif main is not None:
        advice.append(
            message("The interval reaches below the planned minimum, also when all is judged; more overlap narrows it.")
            if main.low is not None and main.expected_low == main.low
            else message("The interval still reaches below the planned minimum; it narrows as judgements come in.")
        )
    others = tuple(check.name for check in problems if check is not agreement)
    if others:
        advice.append(message("Look at: {others}.", others=others))
    return advice


def _agreement(main: AgreementMeasure | None, targets: Targets) -> VerdictCheck:
    code, name = "agreement", message("Agreement")
    if main is None or main.value is None or main.items < FEWEST:
        shared_items = main.items if main else 0
        few = amount(shared_items, "{n} shared sentence", "{n} shared sentences")
        why = message("appears after {n}", n=FEWEST) if shared_items < FEWEST else message("all answers are alike")
        return VerdictCheck(code, name, message("not yet"), few, "none", why)
    value = f"α {number(main.value, 2)}"
    if main.low is None or main.high is None:
        why = message("one document has no spread") if main.documents < 2 else message("no interval")
        return VerdictCheck(code, name, value, message("no interval yet"), "none", why)
    interval = f"[{number(main.low, 2)}, {number(main.high, 2)}]"
    least = number(targets.minimum, 2)
    if _rests_on_few(main):
        tone, why = "warn", message("rests on {n} documents", n=main.documents)
    elif main.low >= targets.minimum:
        tone, why = "ok", message("all of it above {least}", least=least)
    elif main.high < targets.minimum:
        tone, why = "bad", message("all of it below {least}", least=least)
    else:
        tone, why = "warn", message("reaches below {least}", least=least)
    return VerdictCheck(code, name, value, interval, tone, why)


def _attention(controls: Controls, targets: Targets, names: Mapping[str, str]) -> VerdictCheck:
    code, name = "attention", message("Attention")
    items = sum(count for _, count in controls.values())
    misses = sum(count for count, _ in controls.values())
    if not items:
        return VerdictCheck(code, name, message("not tested"), "", "none", message("no control item answered yet"))
    value, small = message("{n} of {all}", n=misses, all=items), message("controls missed")
    failing = missed_controls(controls, targets.control_limit)
    if not failing:
        return VerdictCheck(
            code, name, value, small, "ok", message("nobody over the limit of {limit}", limit=_limit(targets))
        )
    worst = failing[0]
    why = message(
        "{name} missed {share} [{low}, {high}], limit {limit}",
        name=names.get(worst.judge, worst.judge),
        share=percent(worst.value),
        low=percent(worst.low),
        high=percent(worst.high),
        limit=percent(worst.reference),
    )
    return VerdictCheck(code, name, value, small, "bad" if worst.clear else "warn", why)


def _limit(targets: Targets) -> str:
    return percent(targets.control_limit) if targets.control_limit < 1 else f"{targets.control_limit:g}"


def percent(share: float | None) -> str:
    """A share as a whole percentage."""
    return "–" if share is None else f"{100 * share:.0f} %"


def _finish(evidence: Evidence, targets: Targets, names: Mapping[str, str]) -> VerdictCheck:
    code, name, progress = "finish", message("Finish"), evidence.progress
    if evidence.closed:
        count, total = sum(judge.done for judge in progress), sum(judge.total for judge in progress)
        total += evidence.to_come.items
        small = message("{n} of {all} items", n=f"{count:,}", all=f"{total:,}")
        return VerdictCheck(
            code, name, message("closed"), small, "ok" if count >= total else "none", message("no more answers")
        )
    if evidence.to_come.items and any(judge.done for judge in progress):
        return _finish_of_all(evidence.to_come, targets)
    left = [judge for judge in progress if judge.done < judge.total]
    if progress and not left and evidence.calibration:
        return VerdictCheck(code, name, message("not yet"), "", "none", message("the rest is not assigned yet"))
    if progress and not left:
        return _complete(evidence.decisions)
    deadline: Words = message("plan: {day}", day=targets.deadline) if targets.deadline else ""
    if evidence.stuck:
        who_left = tuple(names.get(judge, judge) for judge in evidence.stuck)
        why = message("link revoked: {names}", names=who_left)
        return VerdictCheck(code, name, message("not yet"), deadline, "warn", why)
    idle = [judge for judge in left if judge.finish is None and not judge.done]
    waiting = message("not begun: {names}", names=tuple(names.get(judge.judge, judge.judge) for judge in idle))
    if len(idle) > _FEW_NAMES:
        waiting = message("{n} judges have not begun", n=len(idle))
    ends = {judge.judge: judge.finish for judge in left if judge.finish is not None}
    if not ends:
        all_others_done = any(judge.done for judge in progress) and len(idle) == len(left)
        level, why = ("warn", waiting) if all_others_done else ("none", _why_no_estimate(evidence))
        return VerdictCheck(code, name, message("not yet"), deadline, level, why)
    last = max(ends, key=ends.__getitem__)
    finish, who = ends[last].date(), names.get(last, last)
    if targets.deadline and finish > targets.deadline:
        days = amount((finish - targets.deadline).days, "{n} day late", "{n} days late")
        return VerdictCheck(
            code, name, finish, deadline, "warn", message("{name} decides: {late}", name=who, late=days)
        )
    if idle:
        return VerdictCheck(code, name, finish, deadline, "warn", waiting)
    why = message("{name} decides, in time", name=who) if targets.deadline else message("{name} decides", name=who)
    return VerdictCheck(code, name, finish, deadline, "ok", why)


def _why_no_estimate(evidence: Evidence) -> Message:
    """Why nobody can say when the work will be finished."""
    if any(judge.done for judge in evidence.progress):
        return message("how long items take is not known") if evidence.ready else message("being counted")
    if evidence.progress or evidence.to_come.items:  # which are dealt out when judges come
        return message("nobody has begun")
    return message("no judges yet")


def _finish_of_all(to_come: RemainingWork, targets: Targets) -> VerdictCheck:
    """When all is done where judges take what comes next: nobody decides alone."""
    code, name = "finish", message("Finish")
    if not to_come.is_limit:
        why = amount(to_come.items, "{n} item nobody has taken yet", "{n} items nobody has taken yet")
    elif to_come.expected is None:
        why = message("at most {n} judgements to come", n=f"{to_come.items:,}")
    else:
        why = message("about {n} judgements to come", n=f"{to_come.expected:,.0f}")
    planned: Words = message("plan: {day}", day=targets.deadline) if targets.deadline else ""
    if to_come.finish is None:
        return VerdictCheck(code, name, message("not yet"), planned, "none", why)
    finish = to_come.finish.date()
    if targets.deadline and finish > targets.deadline:
        why = amount((finish - targets.deadline).days, "{n} day late", "{n} days late")
        return VerdictCheck(code, name, finish, planned, "warn", why)
    return VerdictCheck(code, name, finish, planned, "ok", why)


def _complete(decisions: Decisions | None) -> VerdictCheck:
    """Nothing is left to judge. An adaptive campaign then has reached its goal, or has ended without."""
    code, name = "finish", message("Finish")
    if decisions is None or decisions.outcome == "running":  # running: the look that ends it is still being taken
        return VerdictCheck(code, name, message("complete"), "", "ok", message("all texts assigned are judged"))
    if decisions.outcome == "reached":
        return VerdictCheck(code, name, message("enough"), "", "ok", message("the goal is reached"))
    open_pairs = message("{n} of {m} pairs not decided", n=decisions.unanswered, m=decisions.pairs)
    if decisions.outcome == "partly":
        return VerdictCheck(code, name, message("enough"), "", "warn", open_pairs)
    return VerdictCheck(code, name, message("ended"), "", "warn", message("the goal is not reached"))


def _judges(evidence: Evidence, names: Mapping[str, str]) -> VerdictCheck:
    """Whether a judge should be looked at: swapped labels, a test of the whole panel, speed, straight lines."""
    code, name = "judges", message("Judges")
    if evidence.swaps:
        who = evidence.swaps[0].judge
        return VerdictCheck(code, name, names.get(who, who), "", "bad", message("seems to swap two labels"))
    panel = evidence.panel
    if panel is not None and panel.differs:
        who = names.get(panel.judge, panel.judge)
        return VerdictCheck(code, name, who, f"p {p_number(panel.p)}", "warn", message("differs from the others"))
    for alarm in evidence.alarms:
        why = message("far too fast") if alarm.code is Code.SPEED else message("gives one answer to everything")
        return VerdictCheck(code, name, names.get(alarm.judge, alarm.judge), "", "warn", why)
    if panel is None:
        why = message("needs {n} sentences in several documents that three people share", n=FEWEST)
        return VerdictCheck(code, name, message("not yet"), "", "none", why)
    why = message("nobody differs more than chance explains")
    return VerdictCheck(code, name, message("alike"), f"p {number(panel.p, 2)}", "ok", why)


@dataclass(frozen=True, slots=True)
class QuestionNames:
    """What questions and answers are called in the reader's language."""

    questions: Mapping[tuple[str, str], Words]
    options: Mapping[str, str]


def needs(
    campaign: Campaign,
    people: Sequence[JudgeStanding],
    snapshot: Snapshot,
    targets: Targets,
    labels: QuestionNames,
    *,
    rest_assigned: bool = False,
) -> tuple[Concern, ...]:
    """What an organiser can do something about, the worst first. A closed campaign needs nothing."""
    if str(campaign.state) == "closed":
        return ()
    needs: list[Concern] = []
    working = [judge for judge in people if not judge.is_revoked]
    if campaign.settings.get("calibration") and not rest_assigned and working and str(campaign.state) != "draft":
        needs.append(_assign_rest(working))
    if str(campaign.state) == "paused":
        more = message("Judges see a friendly note; unsent answers are kept.")
        needs.append(
            Concern("paused", "warn", message("The campaign is paused."), more, message("Resume"), action="reopen")
        )
    names = {standing.judge: standing.name for standing in people}
    needs += _swaps(snapshot, names, labels.options)
    needs += [_control_need(alarm, names) for alarm in missed_controls(snapshot.controls, targets.control_limit)]
    needs += _alarms(snapshot, names, labels.options)
    needs += [_stuck_need(judge) for judge in people if judge.is_stuck]
    for judge in working:
        if judge.days_late is not None and judge.days_late > 0:
            hours = judge.progress.hours_a_day
            more = message("At {hours} active hours a day.", hours=f"{hours:.1f}") if hours else _EMPTY
            late = amount(judge.days_late, "{n} day late", "{n} days late")
            title = message("{name} is {late}.", name=judge.name, late=late)
            needs.append(Concern("late", "warn", title, more, *_judge_link(judge.judge), judge.judge))
    idle = [judge.name for judge in working if not judge.progress.done]
    if idle and len(idle) < len(working):
        title = message("Not begun: {names}.", names=tuple(idle))
        if len(idle) > _MOST_NAMES:
            title = message("{n} judges have not begun.", n=len(idle))
        needs.append(Concern("idle", "warn", title, _EMPTY, message("Remind them"), action="remind"))
    order = {"bad": 0, "warn": 1, "info": 2}
    first = [need for need in needs if need.code == "calibration"]
    others = sorted((need for need in needs if need.code != "calibration"), key=lambda need: order[need.tone])
    return (*first, *others, *_weak_questions(snapshot.measures, targets, labels.questions))


def _stuck_need(judge: JudgeStanding) -> Concern:
    title = message("{name} cannot go on: the link is revoked.", name=judge.name)
    more = amount(
        judge.progress.total - judge.progress.done,
        "{n} item is open. Let someone else take over, or create a new link.",
        "{n} items are open. Let someone else take over, or create a new link.",
    )
    return Concern("stuck", "warn", title, more, *_judge_link(judge.judge), judge.judge)


def _assign_rest(people: Sequence[JudgeStanding]) -> Concern:
    waiting = [judge for judge in people if judge.progress.done < judge.progress.total]
    if waiting:
        more = message("{n} of {all} judges have not finished it.", n=len(waiting), all=len(people))
        return Concern("calibration", "info", message("The calibration round is under way."), more)
    title = message("The calibration round is done.")
    more = message("Read the disagreements together, then assign the rest.")
    return Concern("calibration", "warn", title, more, message("Assign the rest"), action="rest")


def _swaps(snapshot: Snapshot, names: Mapping[str, str], options: Mapping[str, str]) -> list[Concern]:
    swap_needs = []
    for swap in snapshot.divergence.swaps if snapshot.divergence else ():
        title = message(
            "{name} seems to swap “{one}” and “{other}”.",
            name=names.get(swap.judge, swap.judge),
            one=options[swap.labels[0]],
            other=options[swap.labels[1]],
        )
        more = message(
            "Their answers cross {n} times and match {m} times. Talk before more is judged.",
            n=swap.crossed,
            m=swap.straight,
        )
        swap_needs.append(Concern("swap", "bad", title, more, message("Read them"), "disagreements", swap.judge))
    return swap_needs


def _control_need(alarm: Alarm, names: Mapping[str, str]) -> Concern:
    [words] = alarm_words(None, [alarm], names, {})
    tone = "bad" if alarm.clear else "warn"
    return Concern("controls", tone, words.title, words.more, *_judge_link(alarm.judge), alarm.judge)


def _alarms(snapshot: Snapshot, names: Mapping[str, str], options: Mapping[str, str]) -> list[Concern]:
    return [
        Concern(str(words.code), "warn", words.title, words.more, *_judge_link(words.judge), words.judge)
        for words in alarm_words(snapshot.panel, snapshot.alarms, names, options)
    ]


def _judge_link(judge: str) -> tuple[Message, str]:
    return message("Look at this judge"), f"judge?id={quote(judge, safe='')}"


def _weak_questions(
    measures: Sequence[AgreementMeasure], targets: Targets, labels: Mapping[tuple[str, str], Words]
) -> list[Concern]:
    question_needs = []
    main = next((m for m in measures if m.main and m.items >= FEWEST), None)
    if main is not None and main.needed is not None:
        question = labels[main.question, main.row]
        title = message("The interval of “{question}” will stay wide.", question=question)
        more = message(
            "It needs about {n} documents that several judge; now there are {m}.", n=main.needed, m=main.documents
        )
        question_needs.append(Concern("overlap", "info", title, more, message("Add overlap"), "judges#overlap"))
    weak = [
        m
        for m in measures
        if m.high is not None and m.high < targets.minimum and m.items >= FEWEST and not _rests_on_few(m)
    ]
    for measure in weak[:3]:
        question = labels[measure.question, measure.row]
        title = message("“{question}” is at α {value}.", question=question, value=number(measure.value, 2))
        more = message(
            "The whole interval is under {least}. More judgements will not fix it (expected: {low} to {high}); "
            "the definition may.",
            least=number(targets.minimum, 2),
            low=number(measure.expected_low, 2),
            high=number(measure.expected_high, 2),
        )
        target = f"disagreements?question={quote(measure.question, safe='')}"
        question_needs.append(Concern("weak", "info", title, more, message("Open its disagreements"), target))
    return question_needs

"""The numbers of a campaign at one moment, as plain objects, and when each judge will be done. Nothing here needs
statistics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial

from lanner.model import JUDGE_GROUPS, Json, Signature
from lanner.model.alarms import FEWEST_ITEMS, Alarm, PanelTest
from lanner.model.messages import Message
from lanner.store import TaskShare

PEOPLE = JUDGE_GROUPS["people"]
MODELS = (*JUDGE_GROUPS["models"], *JUDGE_GROUPS["metrics"])
FEWEST = FEWEST_ITEMS
"""Shared units before a figure is drawn: with fewer, any picture is chance."""
COMPARED = ("choice", "labels", "grid", "scale", "number", "rank", "spans")
"""Kinds of questions on which judges can be set side by side."""


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """Agreement of two judges on what both have answered."""

    value: float | None
    n: int
    low: float | None = None
    high: float | None = None
    same: float | None = None


@dataclass(frozen=True, slots=True)
class Spread:
    """How one judge uses a fine scale: the middle, the middle half, and the share of answers in equal bands."""

    middle: float
    low: float
    high: float
    bands: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class JudgeSeverity:
    """How much higher one judge scores than the others on the same texts, with its interval over documents."""

    judge: str
    value: float
    low: float | None
    high: float | None
    items: int
    signature: str = ""


@dataclass(frozen=True, slots=True)
class Swap:
    """A judge whose answers fit the others' far better with two labels exchanged."""

    judge: str
    labels: tuple[str, str]
    crossed: int
    straight: int


@dataclass(frozen=True, slots=True)
class AnswerSplits:
    """How often all agree, one judge stands alone against the rest, none are alike, or they are split otherwise;
    `units` are the sentences (or documents) this is about, of which a grid has several answers."""

    units: int
    all_agree: int
    alone: tuple[tuple[str, int], ...]
    none_alike: int
    divided: int
    on_what: tuple[tuple[str, str, int], ...]
    """For the judge most often alone: own label, the others' label, how often."""


@dataclass(frozen=True, slots=True)
class Divergence:
    """How judges differ on one question: everything that the panels on divergence show."""

    question: str
    people: tuple[str, ...]
    coefficient: str
    pairs: dict[tuple[str, str], PairAgreement]
    shared: int
    labels: tuple[str, ...] = ()
    shares: dict[str, tuple[float, ...]] = field(default_factory=dict)
    odd: AnswerSplits | None = None
    now: float | None = None
    merges: tuple[tuple[str, str, float], ...] = ()
    swaps: tuple[Swap, ...] = ()
    bounds: tuple[float, float] | None = None
    """The ends of a scale too fine to be looked at answer by answer; then these two say how judges use it."""
    spreads: dict[str, Spread] = field(default_factory=dict)
    leanings: tuple[JudgeSeverity, ...] = ()
    pooled: bool = False
    """Whether shares, odd ones out and mergers take all rows of a grid together; `pairs` never do."""
    not_compared: int = 0
    """Judges with fewer answers who are not in `pairs`, where there are too many to compare each with each."""


@dataclass(frozen=True, slots=True)
class AgreementMeasure:
    """Agreement on a question, or on a part of one: a row of a grid, a label chosen or not, whether anything was
    marked. `part` says which ("", "row", "label", "marked"; "mean" is the mean of a grid's rows)
    and `row` names it."""

    question: str
    row: str = ""
    part: str = ""
    group: str = ""
    value: float | None = None
    low: float | None = None
    high: float | None = None
    expected_low: float | None = None
    expected_high: float | None = None
    items: int = 0
    documents: int = 0
    judges: int = 0
    notes: tuple[str, ...] = ()
    signature: Signature | None = None
    needed: int | None = None
    """Documents judged by several until the interval is narrow enough; None where the planned ones will do."""
    weakest: str = ""
    """Of a grid, whose number is the mean of its rows: the row that judges agree on least, and how far."""
    weakest_value: float | None = None
    is_aided: bool = False
    """Whether judges started from marks of a model, which makes them agree more."""
    unaided: tuple[float, float | None, float | None, int] | None = None
    """Agreement on the items judged without these marks: value, ends of the interval and number of items."""

    @property
    def main(self) -> bool:
        """Whether it stands for the whole question."""
        return not self.row


@dataclass(frozen=True, slots=True)
class DecidedCount:
    """How many pairs of systems the main ranking has, and those that are decided, the higher score first."""

    pairs: int
    decided: tuple[tuple[str, str], ...]

    @property
    def unordered(self) -> set[frozenset[str]]:
        return {frozenset(pair) for pair in self.decided}


@dataclass(frozen=True, slots=True)
class ExclusionPreview:
    """What leaving a judge out would change on one question: agreement now and then, and the answers that count; and
    of the ranking, the pairs of systems that are decided (None where there is no ranking)."""

    judge: str
    now: AgreementMeasure
    without: AgreementMeasure
    answers: int
    answers_without: int
    pairs: DecidedCount | None = None
    pairs_without: DecidedCount | None = None

    @property
    def opens(self) -> tuple[tuple[str, str], ...]:
        """Pairs that are decided now and would not be without the judge."""
        return _only_in(self.pairs, self.pairs_without)

    @property
    def decides(self) -> tuple[tuple[str, str], ...]:
        """Pairs that would be decided without the judge alone."""
        return _only_in(self.pairs_without, self.pairs)

    @property
    def turns(self) -> tuple[tuple[str, str], ...]:
        """Pairs that are decided now and would be decided the other way round."""
        if self.pairs is None or self.pairs_without is None:
            return ()
        return tuple(pair for pair in self.pairs.decided if pair[::-1] in self.pairs_without.decided)

    @property
    def change(self) -> float | None:
        known = self.now.value is not None and self.without.value is not None
        return self.without.value - self.now.value if known else None  # type: ignore[operator]


def _only_in(one: DecidedCount | None, other: DecidedCount | None) -> tuple[tuple[str, str], ...]:
    if one is None or other is None:
        return ()
    return tuple(pair for pair in one.decided if frozenset(pair) not in other.unordered)


STATE_WORDS = {
    "decided": "decided",
    "within": "within the margin",
    "undecidable": "these documents will hardly decide it",
    "unneeded": "not needed: one of them is beaten",
    "left": "left open",
    "open": "open",
}
"""How a pair of systems stands in an adaptive campaign (`lanner.stats.goals.State`), in words."""


@dataclass(frozen=True, slots=True)
class RankedSystem:
    """A system of an adaptive campaign, from best to worst: the ranks it may have, and how it stands to the next one (a
    state of `lanner.stats.goals`, empty for the last)."""

    system: str
    ranks: tuple[int, int]
    state: str
    answered: bool
    """Whether it is known which of the two is better, or that they are within the margin."""


@dataclass(frozen=True, slots=True)
class Decisions:
    """What an adaptive campaign has decided, and what is to come. `outcome` and the states of pairs are codes; work to
    the end is in judgements (expected, and the range that holds nine of ten), None where it cannot be said yet."""

    outcome: str
    states: Mapping[str, int]
    """How many pairs of systems are in each state."""
    unanswered: int
    judgements: int
    most: int
    documents: int
    all_documents: int
    work_left: tuple[float, float, float] | None
    hours_each: float
    """Hours that a judgement takes."""
    finish: datetime | None
    next_hundred: tuple[tuple[str, str, float, float], ...]
    """Open pairs with the chances that the next hundred judgements decide them, the likeliest first, or that they are
    given up by then, because these documents would hardly decide them (0 where that is hardly worth a word)."""
    ladder: tuple[RankedSystem, ...]

    @property
    def pairs(self) -> int:
        return sum(self.states.values())

    @property
    def settled(self) -> int:
        """Pairs on which no more work is spent, but for those that the organisers have left."""
        return self.pairs - self.states.get("open", 0) - self.states.get("left", 0)

    @property
    def expected_decided(self) -> float:
        """How many of the open pairs the next hundred judgements are expected to decide."""
        return sum(chance for _, _, chance, _ in self.next_hundred)


@dataclass(frozen=True, slots=True)
class JudgePace:
    """How one judge works: seconds of activity in all, median per item, items a minute over ten equal parts."""

    active: float = 0.0
    median: float | None = None
    per_minute: float | None = None
    parts: tuple[float, ...] = ()
    first: datetime | None = None
    last: datetime | None = None


@dataclass(frozen=True, slots=True)
class DisagreementFilter:
    """What to look for. Empty means all; `labels` are two that must both have been given to `question`."""

    question: str = ""
    domain: str = ""
    document: str = ""
    judges: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    show: str = "open"
    calibration: bool = False
    """The calibration round, also when the main part has begun."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One unit on which people differ. `distance` and `given` are those of the question looked at, `given` being short
    answers by judge; without one, the distance is the mean over questions."""

    document: str
    segment: str
    system: str
    domain: str
    distance: float
    parts: dict[str, float]
    given: tuple[tuple[str, str], ...]
    settled: bool


@dataclass(frozen=True, slots=True)
class DisagreementList:
    """The entries found, the furthest apart first; how many there are in all, settled, and shared units."""

    entries: tuple[Disagreement, ...]
    found: int
    settled: int
    shared: int


@dataclass(frozen=True, slots=True)
class UnitAnswers:
    """Everything said about one unit: answers by question and judge, seconds of activity by judge."""

    given: dict[str, dict[str, Json]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    parts: dict[str, float] = field(default_factory=dict)
    settled: dict[str, Json] = field(default_factory=dict)

    @property
    def distance(self) -> float | None:
        return sum(self.parts.values()) / len(self.parts) if self.parts else None


@dataclass(frozen=True, slots=True)
class Comment:
    """What a judge wrote about an item."""

    judge: str
    question: str
    document: str
    segment: str
    system: str
    text: str
    at: datetime | None


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Everything on the live page that takes computing. `stamp` is the newest judgement in it, `main` the question that
    `divergence` is about."""

    campaign: int
    stamp: int
    made_at: datetime
    people: tuple[str, ...]
    models: tuple[str, ...]
    measures: tuple[AgreementMeasure, ...]
    main: str
    divergence: Divergence | None
    paces: dict[str, JudgePace]
    comments: tuple[Comment, ...]
    comments_in_all: int
    controls: dict[str, tuple[int, int]]
    """By judge: control items missed, control items answered."""
    purpose: str = "agreement"
    """What the answers count for: "calibration" as long as there are no others."""
    left_out: Mapping[str, str] = field(default_factory=dict)
    """Judges who count in no result, with the reason."""
    alarms: tuple[Alarm, ...] = ()
    panel: PanelTest | None = None
    """Whether any judge differs from the others more than chance explains, on the main question."""
    without: Mapping[str, float] = field(default_factory=dict)
    """Agreement on the main question without each judge in turn."""
    leaving_out: ExclusionPreview | None = None
    """The judge without whom people would agree better by the most, and what leaving them out would change."""
    fast_by_chance: float | None = None
    """How many judges the rule on speed would name if all worked alike."""
    bias: Message | None = None
    """How plain scores lean because documents were not drawn evenly."""
    decisions: Decisions | None = None
    """What is decided, in an adaptive campaign."""

    @property
    def judges(self) -> set[str]:
        """Everybody who is named here."""
        return {*self.people, *self.models, *self.left_out}


# When each judge will be done, from the time they really work: seconds an item takes, active hours a day

HOURS_A_DAY = 4.0
"""Assumed until a judge has worked on more than one day."""


@dataclass(frozen=True, slots=True)
class JudgeProgress:
    """Where one judge stands. `finish` is None before they have begun, or when they are done."""

    judge: str
    done: int
    total: int
    domains: tuple[tuple[str, int, int], ...]
    pace: JudgePace
    active: float
    active_left: float | None
    hours_a_day: float | None
    finish: datetime | None

    @property
    def share(self) -> float:
        return self.done / self.total if self.total else 0.0

    @property
    def has_no_times(self) -> bool:
        """Whether nothing is known of how long the work took."""
        return self.done > 0 and not self.active


@dataclass(frozen=True, slots=True)
class RemainingWork:
    """Work that no judge has yet: free items of a pool, and judgements that an adaptive campaign may still draw, which
    makes `items` a limit. `expected` is how many it is likely to take, None where that cannot be said; `finish` is when
    all is done at this pace."""

    items: int = 0
    is_limit: bool = False
    expected: float | None = None
    finish: datetime | None = None


def joint_finish(judges: Sequence[JudgeProgress], free: int, now: datetime) -> datetime | None:
    """When everything is done if all who work go on as they do and share what is free; None before that is known."""
    done, active = sum(judge.done for judge in judges), sum(judge.active for judge in judges)
    hours = sum(judge.hours_a_day or 0.0 for judge in judges)
    if not done or not hours or active <= 0:
        return None
    left = free * active / done + sum(judge.active_left or 0.0 for judge in judges)
    return now + timedelta(days=left / 3600 / hours)


def judge_progress(
    shares: Sequence[TaskShare], paces: Mapping[str, JudgePace], now: datetime, domains: Sequence[str]
) -> list[JudgeProgress]:
    """Where every judge with tasks stands, in the order of the shares."""
    by_judge: dict[str, list[TaskShare]] = {}
    for share in shares:
        if share.judge:
            by_judge.setdefault(share.judge, []).append(share)
    return [_outlook(judge, mine, paces.get(judge, JudgePace()), now, domains) for judge, mine in by_judge.items()]


def _outlook(
    judge: str, mine: Sequence[TaskShare], pace: JudgePace, now: datetime, domains: Sequence[str]
) -> JudgeProgress:
    count, total = sum(share.done for share in mine), sum(share.items for share in mine)
    split = []
    for domain in domains:
        part = [share for share in mine if share.domain == domain]
        if part:
            split.append((domain, sum(share.done for share in part), sum(share.items for share in part)))
    active = pace.active or sum(share.active for share in mine)
    progress = partial(JudgeProgress, judge, count, total, tuple(split), pace, active)
    if not count or active <= 0:
        return progress(None, None, None)
    left = (total - count) * active / count
    if pace.first is None:  # how they work is not known yet, so nothing is promised
        return progress(left, None, None)
    days = (now - pace.first) / timedelta(days=1)
    hours = HOURS_A_DAY if days < 1 else max(active / 3600 / days, 0.05)
    finish = now + timedelta(days=left / 3600 / hours) if left > 0 else None
    return progress(left, hours, finish)

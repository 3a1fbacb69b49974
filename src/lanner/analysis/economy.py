"""The economical campaign: take the looks that are due; say what is decided, what is open and what more would buy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

import numpy as np
import polars as pl

from lanner import campaign
from lanner.analysis.agreement import question_agreement
from lanner.analysis.material import Material, from_campaign
from lanner.analysis.measures import Purpose, main_question, plan_question
from lanner.analysis.scores import DecidedPairs
from lanner.campaign import drawing
from lanner.campaign.drawing import AdaptiveDraws, score_of
from lanner.model import CampaignState, Protocol
from lanner.model.messages import interval, number, percent
from lanner.stats.allocation import Allocation
from lanner.stats.goals import (
    LOOKS,
    STOPPED_LEVEL,
    Goal,
    GoalKind,
    GoalStanding,
    PairForecast,
    State,
    forecast,
    nominal_levels,
    start,
    stopped_intervals,
    take_look,
)
from lanner.stats.resample import Array, Resampling
from lanner.store import Store

ANSWERED = (State.DECIDED, State.WITHIN)
"""States of pairs whose question has an answer."""
NOTABLE = 0.05
"""The chance from which it is said that a pair may be given up."""


SKEWED = 1.5
"""Beyond this skewness of document scores intervals of a campaign for precision were seen to hold too seldom (91 % at
−2.0; benchmarks/bench_economy.py --worlds)."""


def score_text(value: float | None) -> str:
    """A score or a difference of scores, as command and page show it; empty where it is not known yet."""
    return "" if value is None else number(value, 2, bounded=False)


def score_interval(low: float | None, high: float | None) -> str:
    """Its interval, on the same scale."""
    return interval(low, high, bounded=False)


@dataclass(frozen=True, slots=True)
class PairStanding:
    """Two systems: whether it is settled which is better, the difference (first − second, on the scale of the score)
    with its 95 % interval (about what the goal is about: documents of this kind, or these alone), the chance that the
    next hundred judgements decide it, how many judgements leaving it open would spare, and the chance that it is given
    up by then, because these documents would hardly decide it."""

    first: str
    second: str
    state: State
    better: str
    """The better one where that is decided. A system that is shown to be not much worse need not be better."""
    value: float | None
    low: float | None
    high: float | None
    chance: float | None
    spared: float | None
    given_up: float | None = None

    @property
    def is_decided_across_0(self) -> bool:
        """Whether one is better by a look, and what was judged since makes the interval hold 0. A decision stays."""
        if self.state is not State.DECIDED or not self.better or self.low is None or self.high is None:
            return False
        return self.low <= 0 <= self.high

    @property
    def given_up_text(self) -> str:
        """The chance to be given up, where that is worth a word."""
        return percent(self.given_up, 0) if self.state is State.OPEN and (self.given_up or 0.0) >= NOTABLE else ""

    @property
    def chance_text(self) -> str:
        """The chance where there is still something to settle."""
        return percent(self.chance, 0) if self.state is State.OPEN and self.chance is not None else ""


@dataclass(frozen=True, slots=True)
class SystemStanding:
    """One system: its mean with interval, people's plain mean, the documents it was judged on, and whether it is still
    shown."""

    system: str
    value: float | None
    low: float | None
    high: float | None
    plain: float | None
    documents: int
    shown: bool


class GoalOutcome(StrEnum):
    """How a campaign stands to its goal: still on the way, reached, reached but for some pairs, or over without it."""

    RUNNING = "running"
    REACHED = "reached"
    PARTLY = "partly"
    ENDED = "ended"


@dataclass(frozen=True)
class Economy:
    """An adaptive campaign as it stands. Hours are at the pace so far, else at the protocol's."""

    goal: Goal
    score: str
    enough: bool
    ended: bool
    look: int
    looks: int
    documents: int
    all_documents: int
    judgements: int
    all_judgements: int
    budget: int
    pairs: tuple[PairStanding, ...]
    systems: tuple[SystemStanding, ...]
    agreement: tuple[float, float, float] | None
    forecast: PairForecast | None
    minutes: float
    first: datetime | None
    """When the first answer came."""
    skewness: float | None = None
    """Of the scores of documents, the median of the systems; None with fewer than twenty documents."""

    @property
    def most(self) -> int:
        """How many judgements there can be. Documents are judged whole: the last one may go beyond the budget."""
        return max(self.budget, self.judgements) if self.budget else self.all_judgements

    @property
    def is_skewed(self) -> bool:
        """Whether a few documents are so much worse, or better, that a stop by the width of intervals is too early."""
        return self.goal.kind is GoalKind.PRECISION and abs(self.skewness or 0.0) >= SKEWED

    @property
    def decided(self) -> int:
        return sum(pair.state not in (State.OPEN, State.LEFT) for pair in self.pairs)

    @property
    def left(self) -> list[PairStanding]:
        """The pairs that the organisers have left open."""
        return [pair for pair in self.pairs if pair.state is State.LEFT]

    @property
    def unanswered(self) -> int:
        """Pairs that the campaign ends without an answer to: left open, or hardly to be decided by its documents."""
        return sum(pair.state in (State.LEFT, State.UNDECIDABLE) for pair in self.pairs)

    @property
    def outcome(self) -> GoalOutcome:
        if not self.enough:
            return GoalOutcome.ENDED if self.ended else GoalOutcome.RUNNING
        if not self.unanswered:
            return GoalOutcome.REACHED
        return GoalOutcome.PARTLY if self.unanswered < len(self.pairs) else GoalOutcome.ENDED

    @property
    def open(self) -> list[PairStanding]:
        return [pair for pair in self.pairs if pair.state is State.OPEN]

    @property
    def judgements_left(self) -> tuple[float, float, float] | None:
        """Judgements expected to the end, which a budget may bring, and the range that holds nine of ten."""
        if self.forecast is None or self.enough:
            return None
        left = max(0.0, float(self.budget - self.judgements)) if self.budget else np.inf
        return min(self.forecast.expected, left), min(self.forecast.low, left), min(self.forecast.high, left)

    def finish(self, now: datetime) -> datetime | None:
        """When that is, if as much is judged a day as so far; None before there is a day to go by."""
        if self.judgements_left is None or self.first is None or not self.judgements:
            return None
        days = (now - self.first) / timedelta(days=1)
        return now + timedelta(days=self.judgements_left[0] * days / self.judgements) if days >= 1 else None

    @property
    def rank_ranges(self) -> dict[str, tuple[int, int]]:
        """From which to which rank each system may come: whoever has beaten it stands above it, whomever it has beaten
        stands below."""
        names = [system.system for system in self.systems]
        wins = [(p.better, p.second if p.better == p.first else p.first) for p in self.pairs if p.better]
        return {
            name: (1 + sum(loser == name for _, loser in wins), len(names) - sum(winner == name for winner, _ in wins))
            for name in names
        }

    def hours(self, judgements: float) -> float:
        """How long so many judgements take at the pace so far."""
        return judgements * self.minutes / 60

    @property
    def unused(self) -> int:
        """Judgements that the complete campaign would have taken beyond these."""
        return max(0, self.all_judgements - self.judgements)


def look_if_due(store: Store, reference: int | str, *, at: datetime | None = None) -> bool:
    """Take the next look where enough has been judged since the last one. Whether one was taken. The last look waits
    for everybody: after it, a second judge's answers would count no more."""
    standing = drawing.state(store, reference).allocation.standing
    due = drawing.finished_share(store, reference) * LOOKS
    if standing.enough or due < standing.look + 1:
        return False
    most = LOOKS - 1 if due >= LOOKS and drawing.has_open_texts(store, reference) else LOOKS
    current, material = with_answers(store, reference)
    if not current.look_due(most):
        return False
    if current.goal.kind is GoalKind.AGREEMENT:
        current.renew(_agreement_look(current, material, current.look_due(most)))
    else:
        current.look(most)
    return drawing.log_look(store, reference, current, at=at)


def economy(store: Store, reference: int | str) -> Economy:
    """Where an adaptive campaign stands."""
    own = drawing.state(store, reference)
    current, material = with_answers(store, reference)
    assert material.protocol is not None
    score, sign = score_of(material.protocol)
    document_count = len(current.complete)
    judges = int(own.options.get("judges_per_document") or 1) + float(own.options.get("overlap") or 0.0)
    goal, standing = current.goal, current.standing
    is_over = campaign.get(store, reference).state is CampaignState.CLOSED
    ended = is_over or (own.ended and not drawing.has_open_texts(store, reference))
    forecasts = document_count >= 8 and (standing.enough or not ended)
    ahead = forecast(goal, current.answers(), standing, judges=judges) if forecasts else None
    rows = material.counted(Purpose.SCORES, of="people").table.filter(pl.col("question") == score)
    return Economy(
        goal=goal,
        score=score,
        enough=standing.enough,
        ended=ended,
        look=standing.look,
        looks=LOOKS,
        documents=document_count,
        all_documents=len(own.documents),
        judgements=len(rows),
        all_judgements=max(own.everything, len(rows)),  # how many documents have one judge more is left to chance
        budget=own.budget,
        pairs=_pairs(current, standing, ahead, sign) if goal.kind is not GoalKind.PRECISION else (),
        systems=_systems(current, standing, sign),
        agreement=_agreement(material, 0.95) if goal.kind is GoalKind.AGREEMENT else None,
        forecast=ahead,
        minutes=_minutes(rows, material.protocol),
        first=rows["answered_at"].drop_nulls().min(),  # type: ignore[arg-type]
        skewness=_skewness(current),
    )


def _skewness(current: Allocation) -> float | None:
    answers = current.answers()
    sizes = answers.draws.sizes[answers.draws.order]
    found = []
    for system, shown in enumerate(answers.shown):
        if shown < 20:
            continue
        own, length = answers.totals[answers.draws.order[:shown], system], sizes[:shown]
        left = own - length * own.sum() / length.sum()
        if (spread := float((left**2).mean())) > 0:
            found.append(float((left**3).mean()) / spread**1.5)
    return float(np.median(found)) if found else None


def _minutes(rows: pl.DataFrame, protocol: Protocol) -> float:
    """Minutes a judgement takes: the median so far once there are twenty, else what the protocol expects."""
    seconds = rows["active"].drop_nulls()
    times = seconds.filter(seconds > 0)
    if len(times) >= 20:
        return float(times.median()) / 60  # type: ignore[arg-type]
    return next(protocol.minutes(page) for page in reversed(list(protocol.pages)))


def _pairs(
    current: Allocation, standing: GoalStanding, ahead: PairForecast | None, sign: float
) -> tuple[PairStanding, ...]:
    names = current.systems
    answers = current.answers()
    has_pairs = len(answers.draws.order) >= 2 and bool(standing.pairs)
    own = answers.differences(standing.pairs) if has_pairs else None
    low, high = (np.full(len(standing.pairs), np.nan),) * 2
    if own is not None:
        share = len(answers.draws.order) / answers.draws.documents
        low, high = stopped_intervals(
            current.goal,
            own,
            standing,
            share=share,
            documents=len(current.sizes),
            of_complete=current.goal.of_complete,
        )
    result = []
    for at, (first, second) in enumerate(standing.pairs):
        value = sign * float(own.value[at]) if own is not None and np.isfinite(own.value[at]) else None
        ends = sorted((sign * float(low[at]), sign * float(high[at]))) if np.isfinite(low[at]) else [None, None]
        winner = standing.winners[at]
        result.append(
            PairStanding(
                names[first],
                names[second],
                standing.states[at],
                names[winner] if winner >= 0 and current.goal.kind is not GoalKind.NOT_WORSE else "",
                value,
                ends[0],
                ends[1],
                ahead.chances[at] if ahead is not None else None,
                ahead.spared[at] if ahead is not None else None,
                ahead.given_up[at] if ahead is not None else None,
            )
        )
    return tuple(result)


def _systems(current: Allocation, standing: GoalStanding, sign: float) -> tuple[SystemStanding, ...]:
    answers = current.answers()
    own = answers.means() if len(answers.draws.order) >= 2 else None
    reaches = own.half_width(STOPPED_LEVEL, of_complete=current.goal.of_complete) if own is not None else None
    result = []
    for at, name in enumerate(current.systems):
        is_finite = own is not None and bool(np.isfinite(own.value[at]))
        value = sign * float(own.value[at]) if is_finite and own is not None else None
        reach = float(reaches[at]) if is_finite and reaches is not None else np.inf
        plain = sign * float(own.plain[at]) if is_finite and own is not None else None
        low, high = (value - reach, value + reach) if value is not None and np.isfinite(reach) else (None, None)
        result.append(SystemStanding(name, value, low, high, plain, answers.shown[at], at in standing.active))
    order = sorted(result, key=lambda one: -sign * one.value if one.value is not None else np.inf)
    return tuple(order)


def decided_pairs(store: Store, reference: int | str, *, without: str | None = None) -> DecidedPairs | None:
    """The pairs that the looks so far have decided; with `without`, those that the answers of the other judges decide
    in one look, as early as the documents they have finished allow. None for goals that rank no pairs."""
    current, material = with_answers(store, reference, without=without)
    standing, goal = current.standing, current.goal
    if material.protocol is None or not standing.pairs or goal.kind in (GoalKind.PRECISION, GoalKind.NOT_WORSE):
        return None
    if without is not None:
        look = len(current.complete) * LOOKS // len(current.sizes)
        beginning = start(goal, current.systems)
        standing = take_look(goal, current.answers(), beginning, look) if look else beginning
    names = current.systems
    decided = [
        (names[winner], names[second if winner == first else first])
        for (first, second), winner in zip(standing.pairs, standing.winners, strict=True)
        if winner >= 0
    ]
    return DecidedPairs(score_of(material.protocol)[0], len(standing.pairs), tuple(sorted(decided)))


def with_answers(store: Store, reference: int | str, *, without: str | None = None) -> tuple[Allocation, Material]:
    """The campaign's draws with everybody's answers, or those of all judges but one, and with the predictions of models
    and metrics."""
    material = from_campaign(store, reference)
    assert material.protocol is not None
    base = drawing.state(store, reference)
    score, sign = score_of(material.protocol)
    allocation = Allocation(
        base.allocation.goal,
        base.allocation.systems,
        base.allocation.sizes,
        _predictions(material, base, score, sign),
        seed=base.allocation.seed,
    )
    again = replace(base, allocation=allocation, last=0, assigned=0, looks={})
    with store.reading() as tx:
        again.read(tx.events.of(campaign.get(store, reference).id, kinds=drawing.STANDING))
    counted = material.counted(Purpose.SCORES, of="people")
    counted = counted if without is None else counted.without(without)
    people = counted.table.filter(pl.col("question") == score)
    totals = document_totals(people, base, allocation.systems) * sign
    for draw in allocation.draws:
        allocation.record(draw.document, totals[draw.document])
    return allocation, material


def document_totals(rows: pl.DataFrame, own: AdaptiveDraws, systems: Sequence[str]) -> Array:
    """The total score of each system on each document, the mean over judges; NaN where a segment is missing."""
    totals = np.full((len(own.documents), len(systems)), np.nan)
    place = {document.id: at for at, document in enumerate(own.documents)}
    column = {name: at for at, name in enumerate(systems)}
    score_rows = rows.filter(pl.col("score").is_finite())
    items = score_rows.group_by("document", "segment", "system", maintain_order=True).agg(pl.col("score").mean())
    sums = items.group_by("document", "system", maintain_order=True).agg(pl.col("score").sum(), pl.len())
    for document, system, total, count in sums.rows():
        at = place.get(document)
        if at is not None and system in column and count >= own.allocation.sizes[at]:
            totals[at, column[system]] = total
    return np.round(totals, 9)  # sums in another order differ in the last digit, and equal systems are equal


def _predictions(material: Material, own: AdaptiveDraws, score: str, sign: float) -> Array | None:
    """What models and metrics in the campaign say of every document: the mean of their standardised scores."""
    table = material.table.filter((pl.col("role") == "main") & pl.col("judge_kind").is_in(["model", "metric"]))
    parts = []
    for (_, question), rows in table.group_by("judge", "question", maintain_order=True):
        totals = document_totals(rows, own, own.allocation.systems)
        if np.isfinite(totals).all() and totals.std() > 0:
            means = totals / own.allocation.sizes[:, None]
            direction = sign if question == score else 1.0
            parts.append(direction * (means - means.mean()) / means.std() * own.allocation.sizes[:, None])
    return np.mean(parts, axis=0) if parts else None


def _agreement_look(current: Allocation, material: Material, look: int) -> GoalStanding:
    """Enough once the interval, at the level of this look, lies above the minimum."""
    agreement = _agreement(material, 1 - float(nominal_levels(current.goal.level, look)))
    enough = agreement is not None and agreement[1] >= current.goal.minimum
    return GoalStanding(look, (), (), (), () if enough else current.standing.active, enough)


def _agreement(material: Material, level: float) -> tuple[float, float, float] | None:
    protocol = material.protocol
    assert protocol is not None
    question = main_question(protocol, str(material.settings.get("main_question", "")))
    entry = plan_question(question, protocol) if question is not None else None
    if entry is None:
        return None
    rows = material.counted(Purpose.AGREEMENT, of="people")
    headline = question_agreement(rows, entry, resampling=Resampling(level=level)).headline
    if headline.value is None or headline.interval is None:
        return None
    return headline.value, headline.interval.low, headline.interval.high

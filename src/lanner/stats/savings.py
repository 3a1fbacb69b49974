"""What an adaptive campaign would save against a fixed one, from campaigns simulated before anything is judged.

A simulated campaign has the variances of a pilot or of released ratings, and systems that differ as the pilot, the
metrics or released campaigns say. The same answers are judged twice: completely, tested once at the end, and as an
adaptive campaign would draw and hand them out to judges of unlike severity who work at the same time
(`lanner.stats.allocation`), with the same goal and level.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from lanner.errors import DesignError, InputError
from lanner.stats.allocation import Allocation, simulate_judges
from lanner.stats.goals import STOPPED_LEVEL, Answers, Goal, GoalKind, GoalStanding, State, start, take_look
from lanner.stats.power import Components
from lanner.stats.resample import Array, generator
from lanner.stats.sampling import Draws

CAMPAIGNS = 60
"""Simulated campaigns: nine of ten ends are then known to a few per cent of the work."""
METRIC_ACCURACY = 0.45
"""How well a metric's difference of two systems on a document goes with people's: a correlation, the best that replays
of WMT23 showed (a fifth of the variance)."""
_EVEN = 3
"""Fewer documents than this cannot be told apart at all."""
_POINTS, _FEW = 10, 4
"""Points of a course, and the documents from which it is drawn: with fewer an interval is wide beyond use."""


@dataclass(frozen=True)
class World:
    """Documents and systems as a plan expects them. `sizes` are the segments of each document, `means` the systems'
    true scores; where they are None, every campaign has other systems, `spread` (a standard deviation) apart. With
    `has_metrics` there are predictions as good as usual metrics are."""

    sizes: Array
    systems: tuple[str, ...]
    parts: Components
    judges: int = 1
    overlap: int = 1
    means: Array | None = None
    spread: float = 0.0
    has_metrics: bool = False

    def draw(self, rng: np.random.Generator) -> SimulatedAnswers:
        """What each judge would answer to each document's outputs, as one campaign may turn out."""
        documents, systems, parts = len(self.sizes), len(self.systems), self.parts
        truth = self.means if self.means is not None else rng.normal(0, self.spread, systems)
        each = self.sizes[:, None]
        own = rng.normal(0, np.sqrt(parts.system_document), (documents, systems))
        own = own + rng.normal(0, np.sqrt(parts.document), (documents, 1))
        of_items = rng.normal(0, np.sqrt(parts.system_item), (documents, systems))
        of_items = of_items + rng.normal(0, np.sqrt(parts.item), (documents, 1))
        shared = each * (truth + own) + np.sqrt(each) * of_items
        severity = rng.normal(0, np.sqrt(parts.judge), (self.judges, 1))
        severity = severity + rng.normal(0, np.sqrt(parts.system_judge), (self.judges, systems))
        single = np.sqrt(each) * rng.normal(0, np.sqrt(parts.residual), (self.overlap, documents, systems))
        drawn = SimulatedAnswers(self, truth, shared, severity, single)
        if not self.has_metrics:
            return drawn
        errors = drawn.by_turns / each - truth
        noise = rng.normal(size=errors.shape) * errors.std()
        guesses = truth + METRIC_ACCURACY * errors + np.sqrt(1 - METRIC_ACCURACY**2) * noise
        return replace(drawn, predictions=guesses * each)


@dataclass(frozen=True)
class SimulatedAnswers:
    """One campaign of a world. `truth` is the true score of each system; `shared` what all judges would say of each
    output in total (documents × systems), `severity` what each judge adds for a segment (judges × systems), `single`
    what chance adds to the first answer, the second … (answers × documents × systems)."""

    world: World
    truth: Array
    shared: Array
    severity: Array
    single: Array
    predictions: Array | None = None

    def total(self, document: int, system: int, judge: int, answer: int) -> float:
        """What this judge gives an output in total, as its first answer (0) or a later one."""
        added = self.world.sizes[document] * self.severity[judge, system] + self.single[answer, document, system]
        return float(self.shared[document, system] + added)

    @property
    def by_turns(self) -> Array:
        """Totals of the fixed campaign, the mean of the answers to each output: judges take whole documents in turn."""
        judges, overlap = self.world.judges, self.world.overlap
        turn = (np.arange(len(self.shared))[:, None] * overlap + np.arange(overlap)) % judges
        return np.asarray(self.shared + self.world.sizes[:, None] * self.severity[turn].mean(1) + self.single.mean(0))


@dataclass(frozen=True, slots=True)
class CoursePoint:
    """What campaigns know after so large a `share` of the fixed one's judgements, or at their end where that came
    before. `fixed` and `adaptive` are half the 95 % interval of a difference between two systems (of a system's score
    for the goal precision), the mean over all pairs of a campaign and of that the median over campaigns; None where
    too few documents are judged. `settled` is the mean share of pairs that adaptive campaigns have settled, `ended`
    the share of them that are over."""

    share: float
    fixed: float | None
    adaptive: float | None
    settled: float
    ended: float


@dataclass(frozen=True)
class Savings:
    """Campaigns simulated both ways. Shares are of the judgements that the fixed design takes (`judgements`): the mean,
    and the range that nine of ten campaigns end in. `decided` is the mean share of pairs (of systems for the goal
    precision) that are decided, `wrong` that of campaigns with a wrong decision, `distance` the mean distance
    between the true scores of two systems that are compared (0 for the goal precision)."""

    goal: Goal
    campaigns: int
    judgements: int
    share: float
    low: float
    high: float
    decided_fixed: float
    decided_adaptive: float
    wrong_fixed: float
    wrong_adaptive: float
    distance: float = 0.0
    course: tuple[CoursePoint, ...] = ()

    @property
    def adaptive_judgements(self) -> int:
        return round(self.share * self.judgements)


def expected_savings(
    world: World, goal: Goal, *, campaigns: int = CAMPAIGNS, seed: int = 0, judged_again: float = 0.0
) -> Savings:
    """What an adaptive campaign with this goal would save. `judged_again` is the share of its work that the fixed one
    does once more, for agreement."""
    refuse_agreement(goal)
    if len(world.sizes) < _EVEN or len(world.systems) < 2:
        raise DesignError("Savings need two systems and three documents.", next_step="Plan more of them.")
    outcomes = [_campaign(world, goal, seed, number, 1 + judged_again) for number in range(campaigns)]

    def mean(of: Callable[[_Outcome], float]) -> float:
        return float(np.mean([of(outcome) for outcome in outcomes]))

    shares = [outcome.share for outcome in outcomes]
    low, high = np.quantile(shares, [0.05, 0.95]).tolist()
    shown = len(start(goal, world.systems).active)
    return Savings(
        goal,
        campaigns,
        round(float(world.sizes.sum()) * shown * world.overlap * (1 + judged_again)),
        float(np.mean(shares)),
        low,
        high,
        mean(lambda outcome: _decided(outcome.fixed)),
        mean(lambda outcome: _decided(outcome.adaptive)),
        mean(lambda outcome: _is_wrong(goal, outcome.fixed, outcome.truth)),
        mean(lambda outcome: _is_wrong(goal, outcome.adaptive, outcome.truth)),
        mean(_distance),
        _course(outcomes, len(world.sizes)),
    )


def refuse_agreement(goal: Goal) -> None:
    """Refuse the goal that no score of systems decides."""
    if goal.kind is GoalKind.AGREEMENT:
        raise InputError(
            "Savings are simulated for goals about scores, not about agreement.",
            code="bad_goal",
            next_step="Take rank, best, better:A,B, not-worse:A,B,MARGIN or precision:X.",
        )


@dataclass(frozen=True)
class _Outcome:
    """One simulated campaign: the true scores, the share of the work and what is decided, and on the way half the
    interval: for the fixed one by documents judged, for the adaptive one by look (share, half width, decided)."""

    truth: Array
    share: float
    fixed: GoalStanding
    adaptive: GoalStanding
    fixed_widths: dict[int, float]
    looks: list[tuple[float, float, float]]


def _campaign(world: World, goal: Goal, seed: int, number: int, fixed_work: float) -> _Outcome:
    drawn = world.draw(generator(seed, 40 + number))
    truth, totals = drawn.truth, drawn.by_turns
    beginning = start(goal, world.systems)
    everything = float(world.sizes.sum()) * len(beginning.active) * fixed_work
    looks: list[tuple[float, float, float]] = []

    def watch(campaign: Allocation) -> None:
        width = _half_width(goal, campaign.answers(), beginning, STOPPED_LEVEL)
        looks.append((campaign.judgements / everything, width, _decided(campaign.standing)))

    adaptive = simulate_judges(
        Allocation(goal, world.systems, world.sizes, drawn.predictions, seed=seed * 1009 + number),
        drawn.total,
        judges=world.judges,
        overlap=world.overlap,
        rng=generator(seed, _WORK + number),
        watch=watch,
    )
    documents = len(world.sizes)
    order = generator(seed, _ORDER + number).permutation(documents)
    draws = Draws(world.sizes, order, 1.0 / np.arange(documents, 0, -1))
    widths = {}
    for judged in _documents_on_the_way(documents):
        part = Answers(draws.first(judged), world.systems, totals, None, (judged,) * len(world.systems))
        widths[judged] = _half_width(goal, part, beginning, goal.level)
    answers = Answers(draws, world.systems, totals, None, (documents,) * len(world.systems))
    fixed = take_look(goal, answers, beginning, 1, 1)
    return _Outcome(truth, adaptive.judgements / everything, fixed, adaptive.standing, widths, looks)


_ORDER, _WORK = 100_000, 200_000  # streams apart: the order in which the fixed campaign judges, who is done when


def _documents_on_the_way(documents: int) -> list[int]:
    """How many documents are judged at each point of the course: where an adaptive campaign may be looked at."""
    steps = min(_POINTS, documents)
    return [at for at in (-(-documents * step // steps) for step in range(1, steps + 1)) if at >= min(_FEW, documents)]


def _half_width(goal: Goal, answers: Answers, beginning: GoalStanding, level: float) -> float:
    """Half the interval at this level, the mean over all pairs or systems of the goal; infinite before it is known."""
    if len(answers.draws.order) < 2:
        return np.inf
    own = answers.means() if goal.kind is GoalKind.PRECISION else answers.differences(beginning.pairs)
    widths = own.half_width(level)
    return float(np.where(np.isfinite(widths), widths, np.inf).mean())


def _distance(outcome: _Outcome) -> float:
    return float(np.mean([abs(outcome.truth[one] - outcome.truth[other]) for one, other in outcome.adaptive.pairs]))


def _course(outcomes: Sequence[_Outcome], documents: int) -> tuple[CoursePoint, ...]:
    """All campaigns at equal steps of the work. One that has ended keeps what it has."""
    points = []
    for judged in _documents_on_the_way(documents):
        share = judged / documents
        passed = [[look for look in outcome.looks if look[0] <= share + 1e-9] for outcome in outcomes]
        points.append(
            CoursePoint(
                share,
                _median([outcome.fixed_widths[judged] for outcome in outcomes]),
                _median([looks[-1][1] if looks else np.inf for looks in passed]),
                float(np.mean([looks[-1][2] if looks else 0.0 for looks in passed])),
                float(np.mean([outcome.share <= share + 1e-9 for outcome in outcomes])),
            )
        )
    return tuple(points)


def _median(values: Sequence[float]) -> float | None:
    value = float(np.median(values))
    return value if np.isfinite(value) else None


def _decided(standing: GoalStanding) -> float:
    settled = (State.DECIDED, State.WITHIN, State.UNNEEDED)
    return sum(state in settled for state in standing.states) / len(standing.states)


def _is_wrong(goal: Goal, standing: GoalStanding, truth: Array) -> float:
    """1 where a pair was decided against the truth."""
    for (first, second), winner in zip(standing.pairs, standing.winners, strict=True):
        if winner < 0:
            continue
        ahead = float(truth[first] - truth[second])
        if goal.kind is GoalKind.NOT_WORSE:
            if ahead < -goal.margin:
                return 1.0
        elif (ahead if winner == first else -ahead) < 0:
            return 1.0
    return 0.0


def shrunk_means(means: Array, error: float) -> Array:
    """The systems' means of a pilot, drawn together by what chance alone spreads them (`error`: variance of one)."""
    spread = float(means.var(ddof=1)) if len(means) > 1 else 0.0
    kept = max(0.0, 1 - error / spread) if spread > 0 else 0.0
    return np.asarray(means.mean() + np.sqrt(kept) * (means - means.mean()))


def scaled_means(predictions: Array, spread: float) -> Array:
    """Systems as far apart as usual (`spread`), in the order and with the gaps that metrics give them. `predictions`
    are documents × systems."""
    means = predictions.mean(0)
    deviation = float(means.std(ddof=1))
    return np.asarray((means - means.mean()) / deviation * spread if deviation > 0 else means * 0.0)

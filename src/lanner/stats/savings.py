"""What an adaptive campaign would save against a fixed one, from campaigns simulated before anything is judged.

A simulated campaign has the variances of a pilot or of released ratings, and systems that differ as the pilot, the
metrics or released campaigns say. The same answers are judged twice: completely, tested once at the end, and as an
adaptive campaign would draw them (`lanner.stats.allocation`), with the same goal and level.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanner.errors import DesignError, InputError
from lanner.stats.allocation import Allocation, simulate
from lanner.stats.goals import Answers, Goal, Kind, Standing, State, start, take_look
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

    def draw(self, rng: np.random.Generator) -> tuple[Array, Array, Array | None]:
        """The true score of each system, the totals people would give (documents × systems), and predictions."""
        documents, systems, parts = len(self.sizes), len(self.systems), self.parts
        truth = self.means if self.means is not None else rng.normal(0, self.spread, systems)
        own = rng.normal(0, np.sqrt(parts.system_document), (documents, systems))
        common = rng.normal(0, np.sqrt(parts.document), (documents, 1))
        taste = rng.normal(0, np.sqrt(parts.system_judge), (self.judges, systems))
        turn = (np.arange(documents)[:, None] * self.overlap + np.arange(self.overlap)) % self.judges
        each = self.sizes[:, None]
        single = rng.normal(0, np.sqrt(parts.system_item + parts.residual / self.overlap), (documents, systems))
        single = single + rng.normal(0, np.sqrt(parts.item), (documents, 1))
        totals = each * (truth + own + common + taste[turn].mean(1)) + np.sqrt(each) * single
        if not self.has_metrics:
            return truth, totals, None
        seen = totals / each - truth
        noise = rng.normal(size=seen.shape) * seen.std()
        guesses = truth + METRIC_ACCURACY * seen + np.sqrt(1 - METRIC_ACCURACY**2) * noise
        return truth, totals, guesses * each


@dataclass(frozen=True)
class Savings:
    """Campaigns simulated both ways. Shares are of the judgements that the fixed design takes (`judgements`): the mean,
    and the range that nine of ten campaigns end in. `decided` is the mean share of pairs (of systems for the goal
    precision) that are decided, `wrong` the share of campaigns with a wrong decision."""

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

    @property
    def adaptive_judgements(self) -> int:
        return round(self.share * self.judgements)


def expected_savings(world: World, goal: Goal, *, campaigns: int = CAMPAIGNS, seed: int = 0) -> Savings:
    """What an adaptive campaign with this goal would save."""
    refuse_agreement(goal)
    if len(world.sizes) < _EVEN or len(world.systems) < 2:
        raise DesignError("Savings need two systems and three documents.", next_step="Plan more of them.")
    outcomes = np.array([_campaign(world, goal, seed, number) for number in range(campaigns)])
    share, decided_fixed, decided_adaptive, wrong_fixed, wrong_adaptive = outcomes.mean(0).tolist()
    low, high = np.quantile(outcomes[:, 0], [0.05, 0.95]).tolist()
    shown = len(start(goal, world.systems).active)
    judgements = int(world.sizes.sum()) * shown * world.overlap
    return Savings(
        goal,
        campaigns,
        judgements,
        share,
        low,
        high,
        decided_fixed,
        decided_adaptive,
        wrong_fixed,
        wrong_adaptive,
    )


def refuse_agreement(goal: Goal) -> None:
    """Refuse the goal that no score of systems decides."""
    if goal.kind is Kind.AGREEMENT:
        raise InputError(
            "Savings are simulated for goals about scores, not about agreement.",
            code="bad_goal",
            next_step="Take rank, best, better:A,B, not-worse:A,B,MARGIN or precision:X.",
        )


def _campaign(world: World, goal: Goal, seed: int, number: int) -> tuple[float, float, float, float, float]:
    """Share of the work, share of pairs decided (fixed, adaptive), whether something is wrong (fixed, adaptive)."""
    truth, totals, predictions = world.draw(generator(seed, 40 + number))
    allocation = Allocation(goal, world.systems, world.sizes, predictions, seed=seed * 1009 + number)
    adaptive = simulate(allocation, totals)
    documents, shown = len(world.sizes), len(start(goal, world.systems).active)
    everything = Draws(world.sizes, np.arange(documents), 1.0 / np.arange(documents, 0, -1))
    answers = Answers(everything, world.systems, totals, None, (documents,) * len(world.systems))
    fixed = take_look(goal, answers, start(goal, world.systems), 1, 1)
    share = adaptive.judgements / (float(world.sizes.sum()) * shown)
    return (
        share,
        _decided(fixed),
        _decided(adaptive.standing),
        _is_wrong(goal, fixed, truth),
        _is_wrong(goal, adaptive.standing, truth),
    )


def _decided(standing: Standing) -> float:
    settled = (State.DECIDED, State.WITHIN, State.UNNEEDED)
    return sum(state in settled for state in standing.states) / len(standing.states)


def _is_wrong(goal: Goal, standing: Standing, truth: Array) -> float:
    """1 where a pair was decided against the truth."""
    for (first, second), winner in zip(standing.pairs, standing.winners, strict=True):
        if winner < 0:
            continue
        ahead = float(truth[first] - truth[second])
        if goal.kind is Kind.NOT_WORSE:
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

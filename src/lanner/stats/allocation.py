"""An adaptive campaign as a sequence of draws and looks: the same for a running campaign, a simulation and a replay.

Each draw takes a document with a known probability and shows the systems that are not settled; each look, after another
twentieth of the documents, settles what it can and renews the weights by which the next documents are drawn. Chance
comes from the seed and the number of the draw alone, so a log of draws can be repeated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

import numpy as np
import numpy.typing as npt

from lanner.designs.adaptive import (
    FLOOR,
    DocumentInWork,
    document_for,
    draw,
    features_of,
    most_in_work,
    probabilities,
    tilt,
)
from lanner.stats.goals import FIRST_DOCUMENTS, LOOKS, Answers, Goal, GoalKind, GoalStanding, State, start, take_look
from lanner.stats.resample import Array
from lanner.stats.sampling import Draws


@dataclass(frozen=True, slots=True)
class Draw:
    """A document drawn: its place, the chance it had, and the systems that are shown with it."""

    number: int
    document: int
    probability: float
    systems: tuple[int, ...]


class Allocation:
    """What has been drawn and answered, and what comes next.

    `sizes` are the segments of each document, `predictions` the totals of a metric or a model (documents × systems).
    Without `adapts_systems` every system is shown to the end, without `tilts` documents have equal chances.
    """

    def __init__(
        self,
        goal: Goal,
        systems: Sequence[str],
        sizes: Array,
        predictions: Array | None = None,
        *,
        seed: int = 0,
        looks: int = LOOKS,
        floor: float = FLOOR,
        adapts_systems: bool = True,
        tilts: bool = True,
    ) -> None:
        self.goal, self.systems, self.sizes, self.predictions = goal, tuple(systems), sizes, predictions
        self.seed, self.looks, self.floor = seed, looks, floor
        self.adapts_systems, self.tilts = adapts_systems, tilts and goal.kind is not GoalKind.AGREEMENT
        self.standing = start(goal, self.systems)
        self._everyone = self.standing.active
        self.weights = np.ones(len(sizes))
        self._steps: list[tuple[int, Array]] = [(0, self.weights)]
        self.draws: list[Draw] = []
        self.available: npt.NDArray[np.bool_] = np.ones(len(sizes), dtype=bool)
        self.totals = np.full((len(sizes), len(self.systems)), np.nan)
        self._drawn: dict[int, Draw] = {}
        self._judged: dict[int, float] = {}
        self._answers: Answers | None = None

    def next_draw(self) -> Draw | None:
        """The next document; None when all are drawn or it is enough. It counts once it is given to `add`."""
        if self.standing.enough or not self.available.any():
            return None
        chances = probabilities(self.weights, self.available, self.floor)
        number = len(self.draws)
        place = draw(chances, float(np.random.default_rng([self.seed, 25, number]).random()))
        return Draw(number, place, float(chances[place]), self.shown)

    @property
    def shown(self) -> tuple[int, ...]:
        """The systems that the next document is shown with."""
        return self.standing.active if self.adapts_systems else self._everyone

    def add(self, draw: Draw) -> None:
        self.draws.append(draw)
        self._drawn[draw.document] = draw
        self.available[draw.document] = False
        self._answers = None

    def record(self, document: int, totals: Sequence[float] | Array) -> None:
        """The total score of each system on a drawn document (NaN where it was not shown)."""
        self._answers = None
        self.totals[document] = totals
        systems = self._drawn[document].systems
        if np.isfinite(self.totals[document, list(systems)]).all():
            self._judged[document] = float(self.sizes[document] * len(systems))
        else:
            self._judged.pop(document, None)

    @property
    def complete(self) -> list[Draw]:
        """Draws all of whose outputs have been judged."""
        return [one for one in self.draws if one.document in self._judged]

    @property
    def judgements(self) -> float:
        """Segments judged, each once for every system shown with it."""
        return sum(self._judged.values())

    def look_due(self, most: int | None = None) -> int:
        """The look that what has been judged allows, `most` at most, 0 where none is new."""
        look = min(most or self.looks, len(self._judged) * self.looks // len(self.sizes))
        return look if look > self.standing.look else 0

    def look(self, most: int | None = None) -> GoalStanding:
        """Take the look that is due: settle what can be settled, and renew the weights."""
        if number := self.look_due(most):
            answers = self.answers()
            self.renew(take_look(self.goal, answers, self.standing, number, self.looks), answers)
        return self.standing

    def renew(self, standing: GoalStanding, answers: Answers | None = None, weights: Array | None = None) -> None:
        """Go on from this standing, with weights from these answers, or with these."""
        self.standing = standing
        if weights is not None:
            self.weights = weights
        elif answers is not None and self.tilts and not standing.enough:
            self.weights = self._tilt(answers)
        self._steps.append((len(self.draws), self.weights))

    def answers(self) -> Answers:
        """What has been judged. Documents that are out with judges are left out of the campaign for now: the draws
        are as if they had never been there."""
        if self._answers is None:
            self._answers = self._gather()
        return self._answers

    def _gather(self) -> Answers:
        complete = self.complete
        waiting = self._drawn.keys() - self._judged.keys()
        places = np.array([place for place in range(len(self.sizes)) if place not in waiting], dtype=np.intp)
        new_place = np.full(len(self.sizes), -1, dtype=np.intp)
        new_place[places] = np.arange(len(places))
        order = np.array([new_place[one.document] for one in complete], dtype=np.intp)
        chances = np.array([one.probability for one in complete])
        if waiting:
            chances = chances / (1 - self._waiting_share(complete, sorted(waiting)))
        shown = tuple(
            next((at for at, one in enumerate(complete) if system not in one.systems), len(complete))
            for system in range(len(self.systems))
        )
        predictions = None if self.predictions is None else self.predictions[places]
        draws = Draws(self.sizes[places], order, np.minimum(1.0, chances))
        return Answers(draws, self.systems, self.totals[places], predictions, shown)

    def _waiting_share(self, complete: Sequence[Draw], waiting: Sequence[int]) -> Array:
        """At each complete draw the chance that a document would have been drawn that still waits for its judge."""
        drawn_at = {one.document: one.number for one in self.draws}
        available = np.ones(len(self.sizes), dtype=bool)
        shares: dict[int, float] = {}
        steps = iter([*self._steps, (len(self.draws) + 1, self.weights)])
        _, weights = next(steps)
        following, later = next(steps)
        for one in self.draws:
            while one.number >= following:
                weights = later
                following, later = next(steps)
            chances = probabilities(weights, available, self.floor)
            shares[one.number] = float(sum(chances[place] for place in waiting if drawn_at[place] > one.number))
            available[one.document] = False
        return np.array([shares[one.number] for one in complete])

    def _tilt(self, answers: Answers) -> Array:
        standing = self.standing
        pairs = [pair for pair, state in zip(standing.pairs, standing.states, strict=True) if state is State.OPEN]
        own = answers.means() if self.goal.kind is GoalKind.PRECISION else answers.differences(pairs)
        squares = np.nan_to_num(own.residual**2)
        is_known = np.isfinite(own.residual)
        usual = squares.sum(0) / np.maximum(1, is_known.sum(0))
        useful = usual > 0
        counted = is_known[:, useful].any(1)
        if int(counted.sum()) < FIRST_DOCUMENTS:
            return self.weights
        relative = (squares[:, useful] / usual[useful]).sum(1)[counted] / is_known[:, useful].sum(1)[counted]
        originals = np.array([one.document for one in self.complete], dtype=np.intp)[counted]
        features = features_of(self.predictions, self.sizes, np.array(standing.active, dtype=np.intp))
        return tilt(self.sizes, features, originals, relative)


def simulate(
    allocation: Allocation,
    totals: Array,
    *,
    most: float = np.inf,
    watch: Callable[[Allocation], None] | None = None,
) -> Allocation:
    """Run a campaign whose answers are known (documents × systems) until it is enough, all is judged, or `most`
    judgements are spent. `watch` is called after every look."""
    while (following := allocation.next_draw()) is not None and allocation.judgements < most:
        allocation.add(following)
        values = np.full(len(allocation.systems), np.nan)
        values[list(following.systems)] = totals[following.document, list(following.systems)]
        allocation.record(following.document, values)
        before = allocation.standing.look
        if allocation.look().look > before and watch is not None:
            watch(allocation)
    return allocation


@dataclass(slots=True)
class _Handed:
    """A document handed out: systems still free, those each judge has taken, who is at work, and what is answered."""

    free: list[int]
    taken: dict[int, set[int]]
    at_work: int
    totals: Array
    answers: npt.NDArray[np.intp]
    missing: int


def simulate_judges(
    allocation: Allocation,
    score: Callable[[int, int, int, int], float],
    *,
    judges: int,
    overlap: int,
    rng: np.random.Generator,
    watch: Callable[[Allocation], None] | None = None,
) -> Allocation:
    """Run a campaign until it is enough or all is judged, with judges who work at the same time: whoever is done with a
    task asks for the next, by the rule of a running campaign (`document_for`). `score` is the total that a judge gives
    a document's output by a system, as its first answer (0) or a later one. `watch` is called after every look."""
    handed: dict[int, _Handed] = {}
    clock: list[tuple[float, int, int, int]] = [(0.0, judge, -1, -1) for judge in range(judges)]
    heapify(clock)
    while clock:
        moment, judge, place, system = heappop(clock)
        if place >= 0:
            own = handed[place]
            own.totals[system] += score(place, system, judge, int(own.answers[system])) / overlap
            own.answers[system] += 1
            own.at_work -= 1
            own.missing -= 1
            if not own.missing:
                allocation.record(place, handed.pop(place).totals)
                before = allocation.standing.look
                if allocation.look().look > before and watch is not None:
                    watch(allocation)
        chosen = _hand_out(allocation, handed, judge, overlap, rng)
        if chosen is not None:
            place, system = chosen
            pace = float(allocation.sizes[place] * rng.lognormal(0, _PACE))
            heappush(clock, (moment + pace, judge, place, system))
    return allocation


_PACE = 0.5  # how unequal the times of equally long tasks are: the standard deviation of their logarithm


def _hand_out(
    allocation: Allocation, handed: dict[int, _Handed], judge: int, overlap: int, rng: np.random.Generator
) -> tuple[int, int] | None:
    """The document and system that a judge who asks is given, drawn where need be; None without any."""
    free = {
        place: DocumentInWork(own.taken, own.at_work > 0, overlap)
        for place, own in handed.items()
        if any(system not in own.taken.get(judge, ()) for system in own.free)
    }
    place = document_for(judge, free, most=most_in_work(len(allocation.sizes)))
    if place is None and (following := allocation.next_draw()) is not None:
        allocation.add(following)
        place, shown = following.document, list(following.systems)
        totals = np.full(len(allocation.systems), np.nan)
        totals[shown] = 0.0
        tasks = [int(system) for _ in range(overlap) for system in rng.permutation(shown)]
        handed[place] = _Handed(tasks, {}, 0, totals, np.zeros(len(totals), dtype=np.intp), len(tasks))
    if place is None and (place := document_for(judge, free, most=0)) is None:
        return None
    own = handed[place]
    mine = own.taken.setdefault(judge, set())
    system = next(system for system in own.free if system not in mine)
    own.free.remove(system)
    mine.add(system)
    own.at_work += 1
    return place, system

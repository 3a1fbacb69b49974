"""What more judging would bring: the chance that a pair is settled, and how much work is left.

As documents are judged, an estimate moves by as much as its variance shrinks (it is a martingale). Paths drawn so, from
where each pair stands, through the looks to come, show when it would be settled; pairs are taken as independent.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from lanner.stats.goals import FIRST_DOCUMENTS, Answers, Flags, Goal, Kind, Standing, State, settle
from lanner.stats.resample import Array, generator
from lanner.stats.sampling import Estimates
from lanner.stats.sequential import LOOKS

PATHS = 100


@dataclass(frozen=True)
class Forecast:
    """`chances` of each pair (1 where settled) to be settled by the next judgements; judgements to the end, with the
    range that holds nine of ten paths; and `course`, look by look: judgements from now on, and how many of the open
    pairs are expected to be settled by then."""

    chances: tuple[float, ...]
    expected: float
    low: float
    high: float
    course: tuple[tuple[float, float], ...] = ()


def forecast(
    goal: Goal,
    answers: Answers,
    standing: Standing,
    *,
    more: float = 100,
    judges: float = 1.0,
    looks: int = LOOKS,
    seed: int = 0,
) -> Forecast | None:
    """What the next judgements (`more`) and all that follow would bring, where so many `judges` judge each document.
    None where nothing can be said yet, or for goals that no pair of systems decides."""
    open_pairs = [at for at, state in enumerate(standing.states) if state is State.OPEN]
    if standing.enough:
        return Forecast((1.0,) * len(standing.pairs), 0.0, 0.0, 0.0)
    documents, drawn = answers.draws.documents, len(answers.draws.order)
    if goal.kind in (Kind.PRECISION, Kind.AGREEMENT) or drawn < FIRST_DOCUMENTS or not open_pairs or drawn >= documents:
        return None
    own = answers.differences([standing.pairs[at] for at in open_pairs])
    size = judges * float(np.delete(answers.draws.sizes, answers.draws.order).mean())
    soon = min(float(documents), drawn + more / (size * len(standing.active)))
    next_look = min(looks, max(standing.look + 1, int(np.ceil(soon * looks / documents))))
    rng = generator(seed, 31)
    settled = np.zeros(len(open_pairs))
    courses = np.zeros((PATHS, looks - standing.look, 2))
    for path in range(PATHS):
        later = _moved(own, own.value, (drawn, drawn, soon), documents, rng)
        settled += _settled(goal, later, standing, len(answers.systems), (next_look, looks))
        courses[path] = _course(goal, answers, standing, own, size=size, looks=looks, rng=rng)
    chances = [1.0] * len(standing.pairs)
    for place, at in enumerate(open_pairs):
        chances[at] = float(settled[place] / PATHS)
    totals = courses[:, -1, 0]
    low, high = np.quantile(totals, [0.05, 0.95])
    course = tuple((float(judgements), float(pairs)) for judgements, pairs in courses.mean(axis=0))
    return Forecast(tuple(chances), float(totals.mean()), float(low), float(high), course)


def _moved(
    own: Estimates, value: Array, times: tuple[float, float, float], documents: int, rng: np.random.Generator
) -> Estimates:
    """The estimates later, from a value on the way: `times` are the documents drawn now, on the way, and later."""
    drawn, before, then = times
    left, left_before = (_left(count, documents) / _left(drawn, documents) for count in (then, before))
    step = np.sqrt(np.maximum(0.0, own.draw_variance * (left_before - left)))
    moved = value + rng.normal(size=len(value)) * step
    return replace(own, value=moved, draw_variance=own.draw_variance * left, df=own.df * then / drawn)


def _left(drawn: float, documents: int) -> float:
    return max(1e-9, 1 / drawn - 1 / documents)


def _settled(goal: Goal, own: Estimates, standing: Standing, systems: int, at: tuple[int, int]) -> Flags:
    look, looks = at
    decided, within, undecidable = settle(goal, own, standing, systems=systems, look=look, looks=looks)
    return np.asarray(decided | within | undecidable)


def _course(
    goal: Goal,
    answers: Answers,
    standing: Standing,
    own: Estimates,
    *,
    size: float,
    looks: int,
    rng: np.random.Generator,
) -> Array:
    """At each look to come, on one path: judgements from now on and the open pairs that are settled, by the rule that
    looks use. Nothing more is judged once all are."""
    documents, drawn = answers.draws.documents, len(answers.draws.order)
    pairs = [pair for pair, state in zip(standing.pairs, standing.states, strict=True) if state is State.OPEN]
    still = np.ones(len(pairs), dtype=bool)
    value, before, total = own.value, float(drawn), 0.0
    course = np.zeros((looks - standing.look, 2))
    for look in range(standing.look + 1, looks + 1):
        then = max(before, look * documents / looks)
        shown = {place for at, pair in enumerate(pairs) if still[at] for place in pair}
        total += (then - before) * size * len(shown)
        later = _moved(own, value, (drawn, before, then), documents, rng)
        still &= ~_settled(goal, later, standing, len(answers.systems), (look, looks))
        course[look - standing.look - 1 :] = total, len(pairs) - still.sum()
        if not still.any():
            break
        value, before = later.value, then
    return course

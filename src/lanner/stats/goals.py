"""What a campaign is for, and whether what has been judged is enough for it.

A goal settles pairs of systems, or systems. A pair is `decided` when one system is better with an error probability
that counts all pairs (Holm) and all looks (`nominal_levels`); `within` when both ends of its interval lie inside the
margin that was set; `undecidable` when even all documents of the campaign would hardly decide it (predictive
probability below `FUTILE`); `unneeded` when another pair has shown that one of the two is not the best; `left` when
the organiser wants no more work spent on it; otherwise `open`. What is settled stays settled. A system none of whose
pairs is open is shown no more.

A pair that is left is tested no more, so leaving it after a look at the data can never make a decision; it stays among
the pairs that Holm's steps count, so that the other pairs are not decided more easily for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import lru_cache
from itertools import combinations

import numpy as np
import numpy.typing as npt
from scipy import special

from lanner.errors import InputError, StatisticError, check_known, did_you_mean
from lanner.stats.resample import Array, bisect, generator
from lanner.stats.sampling import Draws, Estimates, estimate, moderate

Flags = npt.NDArray[np.bool_]

LOOKS = 20
"""A campaign is looked at whenever another twentieth of its documents has been judged."""
FUTILE = 0.1
"""A pair is left alone when the complete campaign would decide it with less than this probability."""
FIRST_DOCUMENTS = 8
"""Before as many documents are judged nothing is decided: their variance is hardly known."""
PRECISE_DF = 20
"""A stop that depends on a variance alone waits for so many degrees of freedom, since it is made when the variance
happens to look small; short documents beside long ones count for what they say."""

STOPPED_LEVEL = 0.04
"""Intervals called 95 % miss in 4 % of campaigns of a fixed size. A campaign that stops when something is decided has
larger differences than it should (it stopped for that), and with this level its intervals hold about 95 % of the time
in replays (benchmarks/bench_economy.py); for one pair alone see `stopped_intervals`."""


class GoalKind(StrEnum):
    """What an organiser wants to know."""

    RANK = "rank"
    BEST = "best"
    BETTER = "better"
    NOT_WORSE = "not-worse"
    PRECISION = "precision"
    AGREEMENT = "agreement"


class State(StrEnum):
    """Where a pair of systems, or a system, stands."""

    OPEN = "open"
    DECIDED = "decided"
    WITHIN = "within"
    UNDECIDABLE = "undecidable"
    UNNEEDED = "unneeded"
    LEFT = "left"


@dataclass(frozen=True, slots=True)
class Goal:
    """What is to be known. `margin` is the largest difference that does not matter (0: every difference matters);
    `half_width` and `minimum` belong to precision and agreement."""

    kind: GoalKind
    first: str = ""
    second: str = ""
    margin: float = 0.0
    half_width: float = 0.0
    minimum: float = 0.0
    level: float = 0.05
    of_complete: bool = False
    """Whether the claim is about these documents only, as the complete campaign would order the systems, or, as usual,
    about documents of this kind."""

    def __str__(self) -> str:
        parts = {
            GoalKind.BETTER: f":{self.first},{self.second}",
            GoalKind.NOT_WORSE: f":{self.first},{self.second},{self.margin:.12g}",
            GoalKind.PRECISION: f":{self.half_width:.12g}",
            GoalKind.AGREEMENT: f":{self.minimum:.12g}",
        }
        margin = f":{self.margin:.12g}" if self.kind in (GoalKind.RANK, GoalKind.BEST) and self.margin else ""
        return f"{self.kind}{parts.get(self.kind, margin)}"


def parse_goal(text: str, systems: Sequence[str] = ()) -> Goal:
    """A goal as it is written: rank, rank:MARGIN, best, better:A,B, not-worse:A,B,MARGIN, precision:X or
    agreement:MINIMUM."""
    name, _, rest = text.strip().partition(":")
    if name not in list(GoalKind):
        raise InputError(
            f"There is no goal {name!r}.",
            code="unknown_goal",
            next_step=did_you_mean(name, [kind.value for kind in GoalKind]),
        )
    kind = GoalKind(name)
    parts = [part.strip() for part in rest.split(",") if part.strip()]
    pair = kind in (GoalKind.BETTER, GoalKind.NOT_WORSE)
    names, numbers = (parts[:2], parts[2:]) if pair else ([], parts)
    needed = {GoalKind.BETTER: 0, GoalKind.NOT_WORSE: 1, GoalKind.PRECISION: 1, GoalKind.AGREEMENT: 1}.get(kind)
    if (pair and len(set(names)) != 2) or (len(numbers) > 1 if needed is None else len(numbers) != needed):
        raise InputError(f"The goal {text!r} is not complete.", code="bad_goal", next_step=f"Write {_FORMS[kind]}.")
    for system in names:
        if systems:
            check_known(system, systems, f"There is no system {system!r}.", InputError, code="unknown_system")
    try:
        number = float(numbers[0]) if numbers else 0.0
    except ValueError:
        raise InputError(
            f"{numbers[0]!r} is not a number.", code="bad_goal", next_step=f"Write {_FORMS[kind]}."
        ) from None
    if not np.isfinite(number) or number < 0 or (needed and number == 0):
        raise InputError(f"The number in {text!r} must be above 0.", code="bad_goal")
    goal = Goal(kind, names[0], names[1]) if pair else Goal(kind)
    if kind is GoalKind.PRECISION:
        return replace(goal, half_width=number)
    return replace(goal, minimum=number) if kind is GoalKind.AGREEMENT else replace(goal, margin=number)


_FORMS = {
    GoalKind.RANK: "rank, or rank:2 for a margin of 2 points",
    GoalKind.BEST: "best, or best:2 for a margin of 2 points",
    GoalKind.BETTER: "better:SYSTEM,OTHER",
    GoalKind.NOT_WORSE: "not-worse:SYSTEM,OTHER,MARGIN",
    GoalKind.PRECISION: "precision:HALF-WIDTH",
    GoalKind.AGREEMENT: "agreement:MINIMUM",
}


@dataclass(frozen=True)
class Answers:
    """Document totals of people's scores (documents × systems, NaN where nobody judged), predictions likewise, and for
    each system how many of the draws it was shown in: the first so many."""

    draws: Draws
    systems: tuple[str, ...]
    totals: Array
    predictions: Array | None
    shown: tuple[int, ...]
    _known: dict[tuple[tuple[int, int], ...] | None, Estimates] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    """What was asked for, by pairs, None for the means: a look, the weights after it and the interval shown often ask
    for the same."""

    def differences(self, pairs: Sequence[tuple[int, int]]) -> Estimates:
        """The difference of each pair over the documents both were shown in."""
        if tuple(pairs) not in self._known:
            self._known[tuple(pairs)] = self._estimate_differences(pairs)
        return self._known[tuple(pairs)]

    def _estimate_differences(self, pairs: Sequence[tuple[int, int]]) -> Estimates:
        contrast = np.zeros((len(self.systems), len(pairs)))
        for column, (first, second) in enumerate(pairs):
            contrast[first, column], contrast[second, column] = 1.0, -1.0
        counts = np.array([min(self.shown[a], self.shown[b]) for a, b in pairs], dtype=int)
        return self._estimates(contrast, counts)

    def means(self) -> Estimates:
        """The mean of each system; variances know of one another."""
        if None not in self._known:
            shown = np.array(self.shown, dtype=int)
            own = self._estimates(np.eye(len(self.systems)), shown)
            self._known[None] = moderate(own, shown, self.draws.documents)
        return self._known[None]

    def _estimates(self, contrast: Array, counts: Array) -> Estimates:
        columns = contrast.shape[1]
        blank = np.full((6, columns), np.nan)
        residual = np.full((len(self.draws.order), columns), np.nan)
        for count in np.unique(counts):
            mine = np.flatnonzero(counts == count)
            if count < 2:
                continue
            part = self.draws.first(int(count))
            used = np.flatnonzero(np.abs(contrast[:, mine]).sum(1))
            values = self.totals[np.ix_(part.order, used)] @ contrast[np.ix_(used, mine)]
            guesses = None
            if self.predictions is not None:
                guesses = self.predictions[:, used] @ contrast[np.ix_(used, mine)]
            own = estimate(part, values, guesses)
            fields = (own.value, own.plain, own.weight, own.draw_variance, own.document_variance, own.df)
            blank[:, mine] = np.stack(fields)
            residual[:count, mine] = own.residual
        value, plain, weight, draw_variance, document_variance, df = blank
        return Estimates(value, plain, weight, draw_variance, document_variance, df, residual)


@dataclass(frozen=True)
class GoalStanding:
    """What a look has found. `pairs` are places among the systems; `states`, `values`, `errors` … belong to them.
    For goals about single systems each "pair" is a system with itself."""

    look: int
    pairs: tuple[tuple[int, int], ...]
    states: tuple[State, ...]
    winners: tuple[int, ...] = field(default=())
    """For each pair the system found better, −1 without one."""
    active: tuple[int, ...] = ()
    """Systems still to be shown."""
    enough: bool = False


def start(goal: Goal, systems: Sequence[str]) -> GoalStanding:
    """Before anything is judged."""
    everyone = tuple(range(len(systems)))
    if goal.kind in (GoalKind.BETTER, GoalKind.NOT_WORSE):
        pair = (systems.index(goal.first), systems.index(goal.second))
        return GoalStanding(0, (pair,), (State.OPEN,), (-1,), pair)
    if goal.kind is GoalKind.AGREEMENT:
        return GoalStanding(0, (), (), (), everyone)
    pairs = tuple((at, at) for at in everyone) if goal.kind is GoalKind.PRECISION else tuple(combinations(everyone, 2))
    return GoalStanding(0, pairs, (State.OPEN,) * len(pairs), (-1,) * len(pairs), everyone)


def take_look(goal: Goal, answers: Answers, before: GoalStanding, look: int, looks: int = LOOKS) -> GoalStanding:
    """The standing after a look (1 … looks). What was settled before stays so."""
    if look <= before.look:
        return before
    if max(answers.shown, default=0) < min(FIRST_DOCUMENTS, answers.draws.documents):
        return replace(before, look=look)
    if goal.kind is GoalKind.PRECISION:
        return _precision(goal, answers, before, look)
    open_pairs = [at for at, state in enumerate(before.states) if state is State.OPEN]
    if not open_pairs:
        return replace(before, look=look, enough=True, active=())
    own = answers.differences([before.pairs[at] for at in open_pairs])
    states, winners = list(before.states), list(before.winners)
    decided, within, undecidable = settle(goal, own, before, systems=len(answers.systems), look=look, looks=looks)
    for place, at in enumerate(open_pairs):
        first, second = before.pairs[at]
        if decided[place]:
            states[at] = State.DECIDED
            winners[at] = first if own.value[place] > 0 or goal.kind is GoalKind.NOT_WORSE else second
        elif within[place]:
            states[at] = State.WITHIN
        elif undecidable[place]:
            states[at] = State.UNDECIDABLE
    if goal.kind is GoalKind.BEST:
        states = _beaten_leave(before.pairs, states, winners)
    still = _active(before.pairs, states)
    return GoalStanding(look, before.pairs, tuple(states), tuple(winners), still, not still)


def leave_open(goal: Goal, before: GoalStanding, place: int) -> GoalStanding:
    """The standing once an open pair is left: nothing more is judged for it."""
    if goal.kind in (GoalKind.PRECISION, GoalKind.AGREEMENT) or before.states[place] is not State.OPEN:
        raise StatisticError("Only an open pair of systems can be left open.")
    states = tuple(State.LEFT if at == place else state for at, state in enumerate(before.states))
    active = _active(before.pairs, states)
    return replace(before, states=states, active=active, enough=not active)


def _active(pairs: Sequence[tuple[int, int]], states: Sequence[State]) -> tuple[int, ...]:
    """The systems with an open pair."""
    return tuple(sorted({at for pair, state in zip(pairs, states, strict=True) if state is State.OPEN for at in pair}))


def settle(
    goal: Goal, own: Estimates, before: GoalStanding, *, systems: int, look: int, looks: int
) -> tuple[Flags, Flags, Flags]:
    """For each open pair whether it is decided, within the margin, or will hardly be decided by all documents."""
    one_sided = goal.kind is GoalKind.NOT_WORSE
    away = own.value + goal.margin if one_sided else np.abs(own.value)
    p = own.p(-goal.margin if one_sided else 0.0, of_complete=goal.of_complete)
    levels = _levels(goal, p, before, systems)
    decided = (p <= nominal_levels(levels, look, looks, of_complete=goal.of_complete)) & (away > 0)
    within = np.zeros(len(p), dtype=bool)
    if goal.margin and not one_sided:
        usual = nominal_levels(goal.level, look, looks, of_complete=goal.of_complete)
        sides = [own.p(edge, of_complete=goal.of_complete) for edge in (-goal.margin, goal.margin)]
        within = (away < goal.margin) & (np.maximum(*sides) <= usual)
    needed = -special.ndtri(nominal_levels(levels, looks, looks) / 2) * np.sqrt(own.document_variance)
    unsure = np.sqrt(np.maximum(own.draw_variance, 1e-300))
    chance = special.ndtr((away - needed) / unsure) + (0.0 if one_sided else special.ndtr((-away - needed) / unsure))
    if goal.margin and not one_sided:
        inside = goal.margin - 1.96 * np.sqrt(own.document_variance)
        chance = chance + special.ndtr((inside - away) / unsure)
    elif not one_sided and (tied := own.is_constant & (own.value == 0)).any():
        chance = np.where(tied, _tie_ends(own, look, looks), chance)
    return np.asarray(decided), np.asarray(within), np.asarray(chance < FUTILE)


FEWEST_APART = 5
"""If all other documents are tied, a test decides nothing with fewer than this."""


def _tie_ends(own: Estimates, look: int, looks: int) -> Array:
    """Two systems have had the same scores on every document: the probability that, of the documents to come, enough
    tell them apart to decide (rule of succession)."""
    drawn = np.isfinite(own.residual).sum(0)[:, None]
    left, place = drawn * (looks - look) / look, np.arange(FEWEST_APART)
    return np.asarray((np.maximum(0.0, left - place) / np.maximum(1.0, left + drawn + 1 - place)).prod(1))


def _levels(goal: Goal, p: Array, before: GoalStanding, systems: int) -> Array:
    """The error that each open pair may use. Ranking: Holm's steps over all pairs. Best: a system is out when one other
    beats it; the best is lost only if one of the others does so, and each of those tests is one-sided. Of two systems
    the better one is the best: each of the two is one of the others, and the test is that of `better`."""
    levels = np.full(len(p), goal.level)
    if goal.kind is GoalKind.RANK:
        rank = np.empty(len(p))
        rank[np.argsort(p, kind="stable")] = np.arange(len(p))
        ahead = sum(state is State.DECIDED for state in before.states)
        levels = goal.level / np.maximum(1, len(before.pairs) - ahead - rank)
    elif goal.kind is GoalKind.BEST:
        levels = levels * 2 / max(2, systems - 1)
    return np.asarray(levels)


def _beaten_leave(pairs: Sequence[tuple[int, int]], states: Sequence[State], winners: Sequence[int]) -> list[State]:
    """Pairs with a system that somebody beats matter no more for who is best."""
    out = {
        pair[0] if winner == pair[1] else pair[1] for pair, winner in zip(pairs, winners, strict=True) if winner >= 0
    }
    return [
        State.UNNEEDED if state is State.OPEN and (set(pair) & out) else state
        for pair, state in zip(pairs, states, strict=True)
    ]


def _precision(goal: Goal, answers: Answers, before: GoalStanding, look: int) -> GoalStanding:
    """A stop that depends on the width of an interval alone does not bias it where many documents are judged (Chow &
    Robbins 1965): no look counts. With few, it stops for variances that look small by chance, therefore `moderate` and
    `PRECISE_DF`. The width is that of the interval shown, so that nobody reads a wider one than was asked for."""
    own = answers.means()
    width = own.half_width(STOPPED_LEVEL, of_complete=goal.of_complete)
    width[(own.df < PRECISE_DF) & (np.array(answers.shown) < answers.draws.documents)] = np.inf
    states = tuple(
        State.WITHIN if state is State.WITHIN or width[at] <= goal.half_width else State.OPEN
        for at, state in enumerate(before.states)
    )
    active = tuple(at for at, state in enumerate(states) if state is State.OPEN)
    return GoalStanding(look, before.pairs, states, before.winners, active, not active)


# What more judging would bring: the chance that a pair is settled, and how much work is left.
#
# As documents are judged, an estimate moves by as much as its variance shrinks (it is a martingale). Paths drawn so,
# from where each pair stands, through the looks to come, show when it would be settled; pairs are taken as independent.

PATHS = 100


@dataclass(frozen=True)
class PairForecast:
    """`chances` of each pair (1 where settled) to be decided by the next judgements, or shown to lie within the margin;
    judgements to the end, with the range that holds nine of ten paths; `course`, look by look: judgements from now on,
    and how many of the open pairs are expected to be decided, and to be given up, by then; how many judgements leaving
    each pair open would spare (`spared`); and the chances to be given up as hardly decidable instead (`given_up`)."""

    chances: tuple[float, ...]
    expected: float
    low: float
    high: float
    course: tuple[tuple[float, float, float], ...] = ()
    spared: tuple[float, ...] = ()
    given_up: tuple[float, ...] = ()


def forecast(
    goal: Goal,
    answers: Answers,
    standing: GoalStanding,
    *,
    more: float = 100,
    judges: float = 1.0,
    looks: int = LOOKS,
    seed: int = 0,
) -> PairForecast | None:
    """What the next judgements (`more`) and all that follow would bring, where so many `judges` judge each document.
    None where nothing can be said yet, or for goals that no pair of systems decides."""
    open_pairs = [at for at, state in enumerate(standing.states) if state is State.OPEN]
    if standing.enough:
        nothing = (0.0,) * len(standing.pairs)
        return PairForecast((1.0,) * len(standing.pairs), 0.0, 0.0, 0.0, spared=nothing, given_up=nothing)
    documents, drawn = answers.draws.documents, len(answers.draws.order)
    if (
        goal.kind in (GoalKind.PRECISION, GoalKind.AGREEMENT)
        or drawn < FIRST_DOCUMENTS
        or not open_pairs
        or drawn >= documents
    ):
        return None
    own = answers.differences([standing.pairs[at] for at in open_pairs])
    size = judges * float(np.delete(answers.draws.sizes, answers.draws.order).mean())
    soon = min(float(documents), drawn + more / (size * len(standing.active)))
    next_look = min(looks, max(standing.look + 1, int(np.ceil(soon * looks / documents))))
    rng = generator(seed, 31)
    answered, hopeless = np.zeros(len(open_pairs)), np.zeros(len(standing.pairs))
    courses = np.zeros((PATHS, looks - standing.look, 3))
    spared = np.zeros(len(standing.pairs))
    for path in range(PATHS):
        later = _moved(own, own.value, (drawn, drawn, soon), documents, rng)
        decided, within, undecidable = settle(
            goal, later, standing, systems=len(answers.systems), look=next_look, looks=looks
        )
        answered += decided | within
        hopeless[open_pairs] += (undecidable & ~decided & ~within) / PATHS
        courses[path], alone = _course(goal, answers, standing, own, size=size, looks=looks, rng=rng)
        spared[open_pairs] += alone / PATHS
    chances = [1.0] * len(standing.pairs)
    for place, at in enumerate(open_pairs):
        chances[at] = float(answered[place] / PATHS)
    totals = courses[:, -1, 0]
    low, high = np.quantile(totals, [0.05, 0.95])
    course = tuple((float(judgements), float(found), float(lost)) for judgements, found, lost in courses.mean(axis=0))
    return PairForecast(
        tuple(chances),
        float(totals.mean()),
        float(low),
        float(high),
        course,
        tuple(spared.tolist()),
        tuple(hopeless.tolist()),
    )


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


def _course(
    goal: Goal,
    answers: Answers,
    standing: GoalStanding,
    own: Estimates,
    *,
    size: float,
    looks: int,
    rng: np.random.Generator,
) -> tuple[Array, Array]:
    """At each look to come, on one path: judgements from now on and the open pairs that are decided and that are given
    up, by the rule that looks use. Nothing more is judged once no pair is open. Then, for each open pair, the
    judgements of systems that are shown for its sake alone."""
    documents, drawn = answers.draws.documents, len(answers.draws.order)
    pairs = [pair for pair, state in zip(standing.pairs, standing.states, strict=True) if state is State.OPEN]
    members = np.zeros((len(pairs), len(answers.systems)), dtype=int)
    for at, pair in enumerate(pairs):
        members[at, list(pair)] = 1
    still, alone = np.ones(len(pairs), dtype=bool), np.zeros(len(pairs))
    value, before, total = own.value, float(drawn), 0.0
    course, found = np.zeros((looks - standing.look, 3)), 0
    for look in range(standing.look + 1, looks + 1):
        then = max(before, look * documents / looks)
        wanted = members[still].sum(0)  # by how many pairs each system is
        total += (then - before) * size * int((wanted > 0).sum())
        alone += still * (members @ (wanted == 1)) * (then - before) * size
        later = _moved(own, value, (drawn, before, then), documents, rng)
        decided, within, undecidable = settle(
            goal, later, standing, systems=len(answers.systems), look=look, looks=looks
        )
        found += int((still & (decided | within)).sum())
        still &= ~(decided | within | undecidable)
        course[look - standing.look - 1 :] = total, found, len(pairs) - int(still.sum()) - found
        if not still.any():
            break
        value, before = later.value, then
    return course, alone


# Looking at a campaign while it runs: how certain a look must be so that all looks together err rarely.
# Group-sequential boundaries (Lan & DeMets 1983, Biometrika 70) with the power family of error spending (Kim & DeMets
# 1987): when the share t of the documents is judged, α·t² may have been spent. They are chosen over confidence
# sequences because a campaign ends at a known number of documents and is looked at after whole documents: a confidence
# sequence stays valid for ever and pays for that with intervals about a third wider.
# The joint distribution of the looks is computed for documents with equal chances. There are two questions. What holds
# for documents of this kind is known as well as the share t of the documents allows. What the complete campaign would
# say is known as well as t/(1 − t) allows: everything, at the end. Predictions and better-chosen documents bring
# knowledge earlier than that; the looks are then more alike than assumed, and the boundaries err on the safe side.


SPENDING = 2.0
"""The power of the share of documents by which error is spent."""
_NODES = 121
_GRID = np.geomspace(1e-7, 0.9, 32)
_LOG_GRID = np.log(_GRID)


def nominal_levels(level: float | Array, look: int, looks: int = LOOKS, *, of_complete: bool = False) -> Array:
    """The two-sided p below which a look (1 … looks) decides, so that all looks err with probability `level`.

    `of_complete`: the question is what the complete campaign would say, which the last look knows for certain.
    """
    if of_complete and look >= looks:
        return np.asarray(level, dtype=float)
    return np.asarray(np.exp(np.interp(np.log(level), _LOG_GRID, _log_table(looks, of_complete)[look - 1])))


@lru_cache(maxsize=16)
def _log_table(looks: int, of_complete: bool) -> Array:
    shares = np.arange(1, looks + 1) / looks
    if of_complete:
        return np.asarray(np.log(boundary(_GRID, shares[:-1], shares[:-1] / (1 - shares[:-1]))))
    return np.asarray(np.log(boundary(_GRID, shares, shares)))


def boundary(levels: Array, shares: Array, information: Array) -> Array:
    """The nominal two-sided level of each look (looks × levels), looks at these shares of the documents."""
    points, density = np.zeros((len(levels), 1)), np.ones((len(levels), 1))  # paths that no look has stopped
    nominal = np.empty((len(shares), len(levels)))
    previous, spent = 0.0, 0.0
    for at, (share, time) in enumerate(zip(shares.tolist(), information.tolist(), strict=True)):
        step, scale = float(np.sqrt(time - previous)), float(np.sqrt(time))
        edge = _edge(points, density, step, levels * (share**SPENDING - spent), scale)
        nominal[at] = 2 * special.ndtr(-edge / scale)
        ends = np.linspace(-1, 1, _NODES) * edge[:, None]
        distance = (ends[:, :, None] - points[:, None, :]) / step
        density = np.einsum("lij,lj->li", np.exp(-0.5 * distance**2), density) / (step * np.sqrt(2 * np.pi))
        density[:, [0, -1]] *= 0.5
        density *= (ends[:, 1] - ends[:, 0])[:, None]
        points, previous, spent = ends, time, share**SPENDING
    return nominal


def _edge(points: Array, density: Array, step: float, target: Array, scale: float) -> Array:
    """Where the paths leave with probability `target` in this step, by bisection."""

    def fewer_leave(edge: Array) -> Flags:
        outside = special.ndtr((points - edge[:, None]) / step) + special.ndtr(-(points + edge[:, None]) / step)
        return np.asarray((outside * density).sum(1) <= target)

    return bisect(fewer_leave, np.zeros(len(target)), np.full(len(target), 12.0 * scale), 45)[1]


# Intervals of a campaign that stops by what it has found.
#
# A single pair stops when its difference looks large, or hopelessly small, and an interval made as if the number of
# documents had been fixed misses too often: 12 to 17 % of the time for a pair that is hard to decide. For the goals
# about one pair the rule of stopping is known, and with it how the estimate at the stop is distributed for any true
# difference. The interval holds the differences under which neither so large nor so small an estimate would be a
# surprise, outcomes being ordered by the estimate (Emerson & Fleming 1990, Biometrika 77). With many pairs a system
# goes on being shown for the sake of others, and `STOPPED_LEVEL` does.

_BOUNDARY_NODES = 161
_FAR = 12.0
"""Standard errors beyond which a difference is so clear that the rule of stopping has no part in it."""


def stopped_intervals(
    goal: Goal,
    own: Estimates,
    standing: GoalStanding,
    *,
    share: float,
    documents: int,
    looks: int = LOOKS,
    of_complete: bool = False,
) -> tuple[Array, Array]:
    """Both ends of the 95 % interval of every pair, when this `share` of the documents has been judged; of what holds
    for documents of this kind or, `of_complete`, of what the complete campaign would say."""
    width = own.half_width(STOPPED_LEVEL, of_complete=of_complete)
    low, high = own.value - width, own.value + width
    if goal.kind in (GoalKind.BETTER, GoalKind.NOT_WORSE) and np.isfinite(width).all() and own.document_variance[0] > 0:
        passed = standing.look - standing.enough  # looks at which the campaign went on, if not this very one
        passed = max(0, min(passed, int(np.ceil(share * looks - 1e-9)) - 1))
        rule = _Rule.of(goal, own, passed, share=min(share, 1.0), documents=documents, looks=looks)
        low[0], high[0] = rule.interval(float(own.value[0]), goal.level, of_complete=of_complete)
    return low, high


@dataclass(frozen=True)
class _Rule:
    """When a campaign about one pair stops. All is in units of the error that the complete campaign has (`unit`):
    `draw_variance` at each look that did not stop it and, last, now; the estimate from which a look decides, and the
    one below which it gives up (−1 for none). With a margin, estimates are counted from it, and a look gives up
    whatever lies below."""

    unit: float
    margin: float
    is_one_sided: bool
    draw_variance: Array
    decides: Array
    gives_up: Array

    @classmethod
    def of(cls, goal: Goal, own: Estimates, passed: int, *, share: float, documents: int, looks: int) -> _Rule:
        is_one_sided = goal.kind is GoalKind.NOT_WORSE
        stretch = float((special.stdtrit(own.df[0], 0.025) / special.ndtri(0.025)) ** 2)  # for few documents
        unit = float(np.sqrt(own.document_variance[0] * stretch))
        drawn = float(own.draw_variance[0] / own.document_variance[0])
        efficiency = drawn / (1 / share - 1) if share < 1 and drawn > 0 else 1.0  # 1 for documents drawn evenly
        number = np.arange(1, passed + 1)
        variance = np.append(efficiency * (looks / number - 1), drawn)
        levels = np.array(
            [float(nominal_levels(goal.level, at, looks, of_complete=goal.of_complete)) for at in number.tolist()]
        )
        error = np.sqrt(variance[:-1] + (0.0 if goal.of_complete else 1.0))
        decides = -special.ndtri(levels / 2) * np.maximum(error, 1e-6)
        final = -special.ndtri(float(nominal_levels(goal.level, looks, looks)) / 2)
        gives_up = _futile_edge(final, np.sqrt(np.maximum(variance[:-1], 1e-12)), is_one_sided=is_one_sided)
        gives_up = np.minimum(gives_up, decides)
        is_early = number * documents // looks < min(FIRST_DOCUMENTS, documents)
        decides[is_early], gives_up[is_early] = np.inf, -np.inf if is_one_sided else -1.0
        return cls(unit, goal.margin if is_one_sided else 0.0, is_one_sided, variance, decides, gives_up)

    def interval(self, value: float, level: float, *, of_complete: bool) -> tuple[float, float]:
        """The differences that `value` at the stop speaks for."""
        shifted = value + self.margin
        sign = -1.0 if shifted < 0 and not self.is_one_sided else 1.0
        estimate = sign * shifted / self.unit
        variance = self.draw_variance + (0.0 if of_complete else 1.0)
        error = float(np.sqrt(variance[-1]))
        if error < 1e-6:
            return value, value
        if abs(estimate) > _FAR * error:
            ends = [estimate + special.ndtri(target) * error for target in (level / 2, 1 - level / 2)]
        else:
            stages = self._stages(1 / variance)
            targets = np.array([level / 2, 1 - level / 2])
            width = np.full(2, 8 * error)
            low, high = bisect(
                lambda truth: self._above(stages, estimate, truth) >= targets, estimate - width, estimate + width, 24
            )
            ends = ((low + high) / 2).tolist()
        low, high = sorted(sign * end * self.unit - self.margin for end in ends)
        return low, high

    def _stages(self, information: Array) -> list[tuple[Array, Array, float, float]]:
        """Before each look: where the score (estimate × information) of a campaign that goes on may stand and with
        which density if there is no difference, the standard deviation of its next step, and the information."""
        points, density, previous = np.zeros(1), np.ones(1), 0.0
        stages = []
        for at, time in enumerate(information.tolist()):
            step = float(np.sqrt(time - previous))
            stages.append((points, density, step, previous))
            if at == len(information) - 1:
                break
            edge = min(float(self.decides[at]) * time, 9 * float(np.sqrt(time)))
            ends = np.linspace(-edge, edge, _BOUNDARY_NODES)
            gap = float(ends[1] - ends[0])
            density = np.exp(-0.5 * ((ends[:, None] - points) / step) ** 2) @ density / (step * np.sqrt(2 * np.pi))
            density[[0, -1]] *= 0.5
            inner = float(self.gives_up[at]) * time
            if self.is_one_sided or inner > 0:
                distance = ends if self.is_one_sided else np.abs(ends)
                density = density * np.clip((distance - inner) / gap + 0.5, 0, 1)
            points, density, previous = ends, density * gap, time
        return stages

    def _above(self, stages: Sequence[tuple[Array, Array, float, float]], estimate: float, truth: Array) -> Array:
        """The probability of an estimate at the stop of at least this, where `truth` is the difference."""
        total = np.zeros(len(truth))
        truth = truth[:, None]
        for at, (points, density, step, previous) in enumerate(stages):
            time = previous + step**2
            chance = density * np.exp(truth * points - truth**2 * previous / 2)
            drift = points + truth * step**2

            def beyond(edge: float, drift: Array = drift, step: float = step, time: float = time) -> Array:
                return np.asarray(special.ndtr((drift - edge * time) / step))

            if at == len(stages) - 1:
                stops = beyond(estimate)
            else:
                decides, inner = float(self.decides[at]), float(self.gives_up[at])
                stops = beyond(max(decides, estimate))
                if estimate < inner and self.is_one_sided:
                    stops = stops + beyond(estimate) - beyond(inner)
                elif estimate < inner:
                    stops = stops + beyond(max(estimate, -inner)) - beyond(inner)
                if not self.is_one_sided and estimate < -decides:
                    stops = stops + beyond(estimate) - beyond(-decides)
            total += np.einsum("tp,tp->t", chance, stops)
        return total


def _futile_edge(final: float, unsure: Array, *, is_one_sided: bool) -> Array:
    """The estimate below which the complete campaign would decide with less than `FUTILE` probability."""
    if is_one_sided:
        return np.asarray(final + special.ndtri(FUTILE) * unsure)

    def chance(edge: Array) -> Array:
        return np.asarray(special.ndtr((edge - final) / unsure) + special.ndtr((-edge - final) / unsure))

    start = np.zeros(len(unsure))
    edge = bisect(lambda edge: np.asarray(chance(edge) >= FUTILE), start, np.full(len(unsure), final), 40)[0]
    return np.where(chance(start) < FUTILE, edge, -1.0)

"""Judges to look at: who differs from the others more than chance explains, works far too fast, gives the same answer
to everything, or misses control items.

An alarm names a judge and what was observed; it never leaves anyone out. Each rule needs a minimum of items, and the
test of who differs is about the whole panel: of twenty panels of equally careful judges, one raises it by chance,
however many judges there are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np
import polars as pl
from scipy import sparse
from scipy.special import bdtrc, log_ndtr, ndtr

from lanner.analysis.agreement import ratings_of
from lanner.analysis.measures import FEWEST_ITEMS, QuestionPlan
from lanner.errors import StatisticError
from lanner.model.alarms import LEVEL, Alarm, Code, PanelTest
from lanner.stats.ratings import Ratings

MANY_TIMES_AS_FAST = 3.0
"""A judge who needs less than a third of the others' time has hardly read the texts."""
STRAIGHT = 0.95
"""Share of one and the same answer from which a judge is said to answer in a straight line."""
FEWEST_STRAIGHT = 20
_PERMUTATIONS = 999
_MOST_WORK = 30_000_000


@dataclass(frozen=True, slots=True)
class PanelAlarms:
    """What there is to look at in a panel of people: who differs, who is too fast, who gives one answer; and how many
    `fast_judges` would name by chance. `ratings` are the answers to the question it is about, None where they cannot be
    compared."""

    ratings: Ratings | None = None
    panel: PanelTest | None = None
    alarms: tuple[Alarm, ...] = ()
    fast_by_chance: float | None = None


def panel_alarms(rows: pl.DataFrame, entry: QuestionPlan | None) -> PanelAlarms:
    """The alarms of the live page, of reports and of `lanner agreement`: of everybody's times, and of the answers to
    one question. `rows` are people's that count."""
    seconds = _seconds(rows)
    try:
        ratings = None if entry is None else ratings_of(rows, entry)
    except StatisticError:
        ratings = None
    fast, by_chance = fast_judges(seconds), fast_by_chance(seconds)
    if ratings is None:
        return PanelAlarms(None, None, tuple(fast), by_chance)
    return PanelAlarms(ratings, panel_test(ratings), (*fast, *straight_lines(ratings)), by_chance)


def _seconds(rows: pl.DataFrame) -> dict[str, list[float]]:
    """Active seconds of each judge for each item, once each at their longest."""
    longest = pl.coalesce("active", "elapsed").max()
    items = rows.group_by("judge", "document", "segment", "system").agg(longest.alias("seconds")).drop_nulls("seconds")
    return {str(judge): list(seconds) for judge, seconds in items.group_by("judge").agg("seconds").iter_rows()}


def panel_test(ratings: Ratings, *, seed: int = 1) -> PanelTest | None:
    """Test whether one judge answers unlike the others, over the whole panel at once; None where too little is shared.

    A judge's distance from the others is the mean distance of their answer from each other answer to the same item. If
    all judges are alike, it is chance who of them gave which answers to a document; so these are exchanged between them
    as a whole, since what a judge makes of one document may carry over from item to item, and the largest standardised
    distance is compared with the largest in each exchange (max-T permutation test, two judges cannot be told apart by
    it). None, too, where there are so few documents that no exchange is rare enough: three, of four judges.
    """
    codes, judges, items = ratings.slots
    several = ratings.per_item[items] >= 3
    codes, judges, items = codes[several], judges[several], items[several]
    shared = len(np.unique(ratings.units[items]))
    if shared < FEWEST_ITEMS:
        return None
    distance = _mean_distances(codes, ratings)
    there = codes >= 0
    counts = there.sum(axis=1)
    deviations = np.where(there, distance - (np.where(there, distance, 0).sum(axis=1) / counts)[:, None], 0.0)
    blocks = _blocks(judges, items, ratings)
    sums, members = _sums(deviations, judges, there, blocks)
    if not _can_differ(members):
        return None
    totals, variances = _totals(sums, members, len(ratings.judges))
    with np.errstate(invalid="ignore", divide="ignore"):
        z = np.where(variances > 0, totals / np.sqrt(variances), -np.inf)
    if not np.isfinite(z).any():  # all are equally far apart, or not at all
        return PanelTest("", 0.0, 1.0, shared, len(np.unique(judges[there])))
    furthest = int(np.argmax(z))
    active = int(np.count_nonzero(variances > 0))
    p = _p_value(float(z[furthest]), (sums, members), variances, np.random.default_rng(seed))
    return PanelTest(ratings.judges[furthest], float(z[furthest]), p, shared, active)


def _mean_distances(codes: np.ndarray, ratings: Ratings) -> np.ndarray:
    """Of each answer: the mean distance from the other answers to the same item."""
    there = codes >= 0
    others = there.sum(axis=1) - 1
    total = np.zeros(codes.shape)
    for at in range(codes.shape[1]):
        for other in range(codes.shape[1]):
            if at != other:
                both = there[:, at] & there[:, other]
                total[both, at] += _distance(codes[both, at], codes[both, other], ratings)
    return np.asarray(total / np.maximum(others, 1)[:, None])


def _distance(one: np.ndarray, other: np.ndarray, ratings: Ratings) -> np.ndarray:
    if ratings.sets:
        size = len(ratings.sets)
        pairs, place = np.unique(one.astype(np.int64) * size + other, return_inverse=True)
        values = np.array([_jaccard(ratings.sets[pair // size], ratings.sets[pair % size]) for pair in pairs])
        return np.asarray(values[place])
    if ratings.scored or ratings.ordered:
        return np.asarray(np.abs(ratings.points[one] - ratings.points[other]))
    return np.asarray(one != other, dtype=float)


def _jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    union = one | other
    return 1 - len(one & other) / len(union) if union else 0.0


def _blocks(judges: np.ndarray, items: np.ndarray, ratings: Ratings) -> np.ndarray:
    """What is exchanged as a whole: all that the same judges answered about a document."""
    _, who = np.unique(np.sort(judges, axis=1), axis=0, return_inverse=True)
    _, blocks = np.unique(np.column_stack([ratings.document[items], who.ravel()]), axis=0, return_inverse=True)
    return np.asarray(blocks.ravel())


def _can_differ(members: Sequence[np.ndarray]) -> bool:
    """Whether some judge could differ at all: being the furthest in each block of k judges has chance 1/k, and any of
    the judges might be."""
    many = max(int(who.max(initial=0)) for who in members) + 1
    surprise = sum(np.bincount(who.ravel(), minlength=many) * np.log(who.shape[1]) for who in members)
    return bool(np.max(surprise) > np.log(np.count_nonzero(surprise) / LEVEL))


def _sums(
    deviations: np.ndarray, judges: np.ndarray, there: np.ndarray, blocks: np.ndarray
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """By the number of judges in a block: blocks × judges of summed distances, and who the judges are."""
    rows, slots = np.nonzero(there)
    many = int(judges.max(initial=0)) + 1
    cells, place = np.unique(blocks[rows].astype(np.int64) * many + judges[rows, slots], return_inverse=True)
    values = np.bincount(place.ravel(), deviations[rows, slots])
    block, judge = cells // many, cells % many
    sizes = np.bincount(block)[block]
    of_size = [(sizes == size, (-1, int(size))) for size in np.unique(sizes)]
    sums = [values[is_here].reshape(shape) for is_here, shape in of_size]
    return sums, [judge[is_here].reshape(shape) for is_here, shape in of_size]


def _totals(sums: Sequence[np.ndarray], members: Sequence[np.ndarray], judges: int) -> tuple[np.ndarray, np.ndarray]:
    """Of each judge: the sum over blocks, and its variance when judges are exchanged within them."""
    totals, variances = np.zeros(judges), np.zeros(judges)
    for values, who in zip(sums, members, strict=True):
        spread = np.broadcast_to((values**2).mean(axis=1, keepdims=True), values.shape)
        totals += np.bincount(who.ravel(), values.ravel(), judges)
        variances += np.bincount(who.ravel(), spread.ravel(), judges)
    return totals, variances


def _p_value(
    statistic: float,
    blocks: tuple[list[np.ndarray], list[np.ndarray]],
    variances: np.ndarray,
    rng: np.random.Generator,
) -> float:
    sums, members = blocks
    is_measured = variances > 0
    work = sum(values.size for values in sums)
    if work * _PERMUTATIONS > _MOST_WORK:  # so many blocks that the sums are normal
        return float(-np.expm1(np.count_nonzero(is_measured) * log_ndtr(statistic)))
    owners = [sparse.csr_array(np.eye(len(variances))[who.ravel()]) for who in members]
    exceedances = 0
    for chunk in _chunks(work):
        totals = np.zeros((chunk, len(variances)))
        for values, owner in zip(sums, owners, strict=True):
            permutation = rng.permuted(np.broadcast_to(values, (chunk, *values.shape)), axis=2)
            totals += permutation.reshape(chunk, -1) @ owner
        largest = (totals[:, is_measured] / np.sqrt(variances[is_measured])).max(axis=1)
        exceedances += int((largest >= statistic - 1e-9).sum())
    return (1 + exceedances) / (1 + _PERMUTATIONS)


def _chunks(work: int) -> Iterator[int]:
    """The permutations in portions that fit into memory."""
    size = max(1, min(_PERMUTATIONS, 4_000_000 // work))
    for start in range(0, _PERMUTATIONS, size):
        yield min(size, _PERMUTATIONS - start)


def fast_judges(seconds: Mapping[str, Sequence[float]]) -> list[Alarm]:
    """Judges who need less than a third of the others' time for an item, the fastest first: medians of active seconds,
    the reference being the median of the other judges' medians."""
    medians = {judge: median(times) for judge, times in seconds.items() if len(times) >= FEWEST_ITEMS}
    alarms = []
    for judge, pace in medians.items():
        others = [value for name, value in medians.items() if name != judge]
        reference = median(others) if others else 0.0
        if others and 0 <= pace * MANY_TIMES_AS_FAST <= reference and reference > 0:
            alarms.append(Alarm(Code.SPEED, judge, pace, reference, len(seconds[judge])))
    return sorted(alarms, key=lambda alarm: alarm.value)


def fast_by_chance(seconds: Mapping[str, Sequence[float]]) -> float | None:
    """How many of these judges `fast_judges` would name if all worked alike, each at a pace of their own.

    The paces are taken as log-normal. Their spread comes from those slower than the median, which judges who are too
    fast do not touch: without them the rest would look more alike than they are. In simulations with 4 to 50 judges
    the number is at least seven tenths of the true one, and above it by at most a third or a tenth of a judge. None
    where fewer than four paces are known.
    """
    medians = [median(times) for times in seconds.values() if len(times) >= FEWEST_ITEMS]
    paces = np.log([pace for pace in medians if pace > 0])
    if len(paces) < 4:
        return None
    above = np.maximum(paces - np.median(paces), 0.0)
    error = 1 + np.pi / 2 / len(paces)  # that of the median
    spread = float(np.sqrt(2 * (above**2).sum() / (len(paces) - 1) * error))
    return len(medians) * float(ndtr(-np.log(MANY_TIMES_AS_FAST) / spread)) if spread else 0.0


def straight_lines(ratings: Ratings) -> list[Alarm]:
    """Judges who give one and the same answer to nearly everything, where others, on the same items, do not. The rows
    of a grid about one sentence hang together and weigh as one item."""
    size, units = len(ratings.labels), ratings.units
    alarms = []
    for place, judge in enumerate(ratings.judges):
        own = ratings.judge == place
        n = len(np.unique(units[ratings.item[own]]))
        if n < FEWEST_STRAIGHT:
            continue
        counts = np.bincount(ratings.code[own], minlength=size)
        answer = int(counts.argmax())
        share = float(counts[answer] / counts.sum())
        others = np.isin(ratings.item, ratings.item[own]) & ~own
        if share < STRAIGHT or not others.any():
            continue
        same, answer_count = int((ratings.code[others] == answer).sum()), int(others.sum())
        reference = same / answer_count
        p = float(bdtrc(int(share * n + 1e-9) - 1, n, min(max(reference, 1e-9), 1.0)))
        if p * len(ratings.judges) < LEVEL and share - reference >= 0.1:
            alarms.append(Alarm(Code.STRAIGHT_LINE, judge, share, reference, n, label=ratings.labels[answer]))
    return alarms

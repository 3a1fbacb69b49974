"""How well a scorer agrees with gold about outputs and systems: accuracies over pairs, and correlations, and tests
between scorers.

Everything is laid out as pairs of systems on the same segment, once for many scorers.

- acc_eq (Deutsch, Foster and Freitag 2023, EMNLP): on each segment, the share of pairs of systems that gold and scorer
  put in the same order, a tie being an order too. A scorer with continuous scores never ties, so differences of at most
  ε count as ties, and ε is the one that makes the mean over segments largest. All candidates are tried: pairs are
  sorted by their difference and the accuracy at every threshold is a running sum, without sampling.
- Pairwise accuracy (Kocmi et al. 2021, WMT): the share of pairs of systems whose scores differ in the same direction.
- Soft pairwise accuracy (Thompson et al. 2024, WMT): the mean over pairs of 1 − |p_gold − p_scorer|, where p is the
  one-sided p-value of a permutation test that swaps two systems' scores segment by segment.
- Correlation: pooled takes all cells as one sample, `item` averages the coefficient over segments, `system` over
  systems; a row in which either side is constant has no coefficient and is left out of the average. Cells missing on
  either side are left out. Kendall's coefficient is τ_b.

Tests of whether one scorer is better than another against the same gold are one-sided: small p says that the row's is
better. There are two procedures, both PERM-BOTH (Deutsch, Dror and Roth 2021, TACL): under the hypothesis that two
scorers are equally good, their scores may be swapped, once both are standardised; p is the share of random swaps whose
difference in the statistic reaches the one seen.

- By document (`document_tests`), which is what Lanner does: all scores of a document are swapped together. Scores of
  one document share its difficulty and the scorer's opinion of it, so swapping cells one by one takes for independent
  what is not, and finds differences that are not there in 11 to 17 % of comparisons at the 5 % level
  (`benchmarks/bench_type1.py`). Every statistic is a function of sums over documents, so that all swaps of all pairs of
  scorers are matrix products.
- By cell, as the WMT metrics tasks did (`pearson_tests`, `kendall_tests`, `system_accuracy_tests`, `accuracy_tests`,
  `soft_accuracy_tests`), and Williams' t (1959) on n − 3 degrees of freedom. Kept to reproduce published groups.

A statistic that is not defined for a scorer (it gives one score everywhere, or shares no segment with the other) has no
p: NaN.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import combinations
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.special import stdtr

from lanner.stats.association import pearson_of_sums
from lanner.stats.resample import Array, Indices, generator, signs

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class PairGrid:
    """All pairs of systems: `first` and `second` are their places, so that x[first] − x[second] is pairs × segments."""

    first: npt.NDArray[np.intp]
    second: npt.NDArray[np.intp]

    @classmethod
    def of(cls, systems: int) -> PairGrid:
        first, second = np.triu_indices(systems, 1)
        return cls(first, second)

    def differences(self, scores: Array) -> Array:
        """pairs × segments; NaN where either score is missing."""
        return np.asarray(scores[self.first] - scores[self.second])


def by_segment(values: Array, present: Flags) -> Array:
    """The mean over pairs of each segment; NaN for segments without pairs. Both are pairs × segments."""
    count = present.sum(axis=0)
    total = np.where(present, values, 0.0).sum(axis=0)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def weights(present: Flags) -> Array:
    """What each pair counts if every segment with pairs counts the same: 1 / (pairs of the segment · segments)."""
    count = present.sum(axis=0)
    segments = int((count > 0).sum())
    return np.where(present, 1.0 / (np.maximum(count, 1) * max(1, segments)), 0.0)


@dataclass(frozen=True, slots=True)
class CalibratedAccuracy:
    """The best accuracy and its threshold; `correct` (pairs × segments) at that threshold, `known` pairs, and what each
    pair counts."""

    accuracy: float
    threshold: float
    correct: Flags
    known: Flags
    weight: Array


def calibrated(gold: Array, scores: Array, threshold: float | None = None) -> CalibratedAccuracy:
    """acc_eq of one scorer; both are systems × segments, NaN where missing. Pairs with a missing score on either side
    are left out. With a `threshold` nothing is calibrated."""
    grid = PairGrid.of(len(gold))
    truth, guess = grid.differences(gold), grid.differences(scores)
    valid = ~np.isnan(truth) & ~np.isnan(guess)
    weight = weights(valid)
    best = _best(truth[valid], guess[valid], weight[valid]) if threshold is None else threshold
    same = np.where(np.abs(guess) <= best, truth == 0, (np.sign(truth) == np.sign(guess)) & (truth != 0))
    correct = np.asarray(same & valid)
    value = float(np.nanmean(by_segment(correct.astype(float), valid))) if valid.any() else float("nan")
    return CalibratedAccuracy(value, best, correct, valid, weight)


def _best(truth: Array, guess: Array, weight: Array) -> float:
    """The smallest of the best thresholds; 0, where only equal scores tie, is always a candidate."""
    if not len(truth):
        return 0.0
    size = np.abs(guess)
    agree = (np.sign(truth) == np.sign(guess)) & (truth != 0)
    gain = np.where(truth == 0, weight, np.where(agree, -weight, 0.0))
    order = np.argsort(size)
    size, running = size[order], np.cumsum(gain[order])
    last = np.append(size[1:] > size[:-1], True)
    size, running = size[last], running[last]
    if size[0] > 0:
        size, running = np.concatenate([[0.0], size]), np.concatenate([[0.0], running])
    return float(size[int(np.argmax(running > running.max() - 1e-12))])


def cross_validated(gold: Array, scores: Array, folds: npt.NDArray[np.intp]) -> float:
    """acc_eq with each fold of segments judged by the threshold of the others, so that no segment chooses its own.
    Undefined where there are no others."""
    parts, sizes = [], []
    names = np.unique(folds)
    for fold in names if len(names) > 1 else ():
        inside = folds == fold
        threshold = calibrated(gold[:, ~inside], scores[:, ~inside]).threshold
        calibration = calibrated(gold[:, inside], scores[:, inside], threshold)
        if calibration.known.any():
            parts.append(calibration.accuracy)
            sizes.append(int(calibration.known.any(axis=0).sum()))
    return float(np.average(parts, weights=sizes)) if parts else float("nan")


def chance(gold: Array) -> float:
    """What a scorer that knows nothing reaches with the best threshold: max(t, (1 − t) / 2), t the share of gold ties
    averaged over segments. Calling a share q of pairs tied gives q·t + (1 − q)(1 − t)/2, which is largest at an end."""
    truth = PairGrid.of(len(gold)).differences(gold)
    valid = ~np.isnan(truth)
    if not valid.any():
        return float("nan")
    ties = float(weights(valid)[(truth == 0) & valid].sum())
    return max(ties, (1 - ties) / 2)


_STREAM = 11
_EQUAL = 1e-9  # sums within this share of their size are ties: they differ by rounding only


def pairwise_accuracy(gold: Array, scores: Array) -> float:
    """The share of pairs in the same order; gold ties are left out unless the scorer ties too. Both one per system."""
    grid = PairGrid.of(len(gold))
    truth, guess = gold[grid.first] - gold[grid.second], scores[grid.first] - scores[grid.second]
    valid = ~np.isnan(truth) & ~np.isnan(guess)
    return float((np.sign(truth) == np.sign(guess))[valid].mean()) if valid.any() else float("nan")


@dataclass(frozen=True, slots=True)
class Confidences:
    """One-sided p-values of every pair of systems: `mid` counts equal permutations half, `plain` counts them whole."""

    mid: Array
    plain: Array


def swaps(segments: int, k: int = 1000, seed: int = 0) -> Array:
    """k random swaps of all segments, as signs: k × segments."""
    return np.asarray(generator(seed, _STREAM).integers(0, 2, (k, segments), dtype=np.int8) * 2.0 - 1.0, float)


def confidences(scores: Array, signs: Array, present: Flags | None = None) -> Confidences:
    """p of every pair, from the same swaps for all. Swapping two scores changes the sign of their difference, so all
    permutations of all pairs are one matrix product: over systems where the table is whole, else over pairs. `present`
    (pairs × segments) leaves out pairs on some segments."""
    grid = PairGrid.of(len(scores))
    gaps = grid.differences(scores)
    present = ~np.isnan(gaps) if present is None else present
    if present.all():
        sums = scores @ signs.T
        draws = sums[grid.first] - sums[grid.second]
    else:
        gaps = np.where(present, gaps, 0.0)
        draws = gaps @ signs.T
    draws -= gaps.sum(axis=1, keepdims=True)
    slack = _EQUAL * np.maximum(np.abs(gaps).sum(axis=1, keepdims=True), 1e-300)
    above, at_least = (np.count_nonzero(side, axis=1) / len(signs) for side in (draws > slack, draws >= -slack))
    return Confidences((above + at_least) / 2, at_least)


@lru_cache(maxsize=2)
def _original_signs(segments: int, k: int, seed: int) -> npt.NDArray[np.float32]:
    draws = np.random.default_rng(seed).random((k, segments), dtype=np.float32)
    return np.where(draws > np.float32(0.5), np.float32(1), np.float32(-1))


def original_confidences(scores: Array, k: int = 1000, seed: int = 4) -> Array:
    """p of every pair as mt-metrics-eval computes it: its own draws, sums in single precision, equal permutations
    counted for the system listed first. For tables without gaps; here to reproduce its numbers."""
    single = np.ascontiguousarray(scores, dtype=np.float32)
    signs = _original_signs(single.shape[1], k, seed)
    grid, sums, totals = PairGrid.of(len(scores)), np.ascontiguousarray((signs @ single.T).T), single.sum(axis=1)
    reached = sums[grid.first] - sums[grid.second] >= (totals[grid.first] - totals[grid.second])[:, None]
    return np.asarray(np.count_nonzero(reached, axis=1) / k)


class SoftAccuracy:
    """Soft pairwise accuracy of many scorers against one gold table (systems × segments), with the same swaps.

    `of` gives SPA with mid-p, which is the same in whatever order systems are listed, and SPA as mt-metrics-eval has it
    (see `original_confidences`; where cells are missing, with our swaps and aligned pairs).
    """

    def __init__(self, gold: Array, signs: Array) -> None:
        self._gold, self._signs = gold, signs
        self._known = ~np.isnan(PairGrid.of(len(gold)).differences(gold))
        self._whole = bool(self._known.all())
        self._truth = confidences(gold, signs)
        self._original = original_confidences(gold, len(signs)) if self._whole else None

    def of(self, scores: Array) -> tuple[float, float]:
        """The two values for one scorer; NaN where no pair of systems shares a segment."""
        if self._original is not None and not np.isnan(scores).any():
            mid = np.abs(self._truth.mid - confidences(scores, self._signs).mid)
            plain = np.abs(self._original - original_confidences(scores, len(self._signs)))
            return float(1 - mid.mean()), float(1 - plain.mean())
        valid = self._known & ~np.isnan(PairGrid.of(len(scores)).differences(scores))
        usable = valid.any(axis=1)
        if not usable.any():
            return float("nan"), float("nan")
        truth, guess = (confidences(table, self._signs, valid) for table in (self._gold, scores))
        mid, plain = np.abs(truth.mid - guess.mid)[usable], np.abs(truth.plain - guess.plain)[usable]
        return float(1 - mid.mean()), float(1 - plain.mean())


Kind = Literal["pearson", "spearman", "kendall"]
Over = Literal["pooled", "item", "system"]


def correlation(gold: Array, scores: Array, kind: Kind = "pearson", over: Over = "pooled") -> float:
    """One coefficient; both arrays are systems × segments, NaN where missing. NaN where it is not defined."""
    if over == "item":
        return _mean(correlation_of_segments(gold, scores, kind))
    valid = ~np.isnan(gold) & ~np.isnan(scores)
    x, y = np.where(valid, gold, np.nan), np.where(valid, scores, np.nan)
    if over == "pooled":
        x, y = x[valid][None, :], y[valid][None, :]
    return _mean(_of_rows(x, y, kind))


def correlation_of_segments(gold: Array, scores: Array, kind: Kind) -> Array:
    """The coefficient within each segment, over the systems that both have scored; NaN where it is not defined."""
    valid = ~np.isnan(gold) & ~np.isnan(scores)
    x, y = np.where(valid, gold, np.nan), np.where(valid, scores, np.nan)
    return kendall_of_columns(x, y) if kind == "kendall" else _of_rows(x.T, y.T, kind)


def _of_rows(x: Array, y: Array, kind: Kind) -> Array:
    if kind == "kendall":
        return np.array([_kendall(a, b) for a, b in zip(x, y, strict=True)])
    if kind == "spearman":
        from scipy.stats import rankdata  # takes a second to load

        x, y = (rankdata(side, axis=1, nan_policy="omit") for side in (x, y))
    return _pearson(x, y)


def _mean(values: Array) -> float:
    valid = values[~np.isnan(values)]
    return float(valid.mean()) if len(valid) else float("nan")


def _pearson(x: Array, y: Array) -> Array:
    """The coefficient of each row."""
    valid = ~np.isnan(x)
    count = np.maximum(valid.sum(axis=1, keepdims=True), 1)

    def centred(side: Array) -> Array:
        values = np.where(valid, side, 0.0)
        return np.where(valid, values - values.sum(axis=1, keepdims=True) / count, 0.0)

    a, b = centred(x), centred(y)
    spread = np.sqrt((a**2).sum(axis=1) * (b**2).sum(axis=1))
    size = np.sqrt((np.where(valid, x, 0.0) ** 2).sum(axis=1) * (np.where(valid, y, 0.0) ** 2).sum(axis=1))
    defined = spread > 1e-13 * np.maximum(size, 1e-300)
    return np.where(defined, (a * b).sum(axis=1) / np.where(defined, spread, 1.0), np.nan)


def _kendall(x: Array, y: Array) -> float:
    valid = ~np.isnan(x)
    x, y = x[valid], y[valid]
    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return float("nan")
    from scipy.stats import kendalltau  # takes a second to load

    return float(kendalltau(x, y).statistic)


def kendall_of_columns(x: Array, y: Array) -> Array:
    """τ_b of every column at once: there are few systems, so all pairs are laid out."""
    grid = PairGrid.of(len(x))
    a, b = (np.nan_to_num(np.sign(grid.differences(side))) for side in (x, y))
    spread = np.sqrt((a**2).sum(axis=0) * (b**2).sum(axis=0))
    return np.where(spread > 0, (a * b).sum(axis=0) / np.maximum(spread, 1e-300), np.nan)


# Tests between scorers


_TEST_STREAM = 13
_EQUAL_VALUES = 1e-12
_SINGLE_EQUAL = 1e-5  # sums of single precision within this share of their size are ties

Single = npt.NDArray[np.float32]
Test = Callable[[Array, Sequence[Array]], Array]


def where_whole(gold: Array, scorers: Sequence[Array], test: Test) -> Array:
    """`test` on all scorers that have every cell gold has, at once; one that lacks cells is tested against each other
    scorer on the cells both have, so that its gaps cost the rest nothing."""
    valid = ~np.isnan(gold)
    whole = [at for at, scores in enumerate(scorers) if not np.isnan(scores[valid]).any()]
    ps = np.full((len(scorers), len(scorers)), np.nan)
    if len(whole) > 1:
        ps[np.ix_(whole, whole)] = test(gold, [scorers[at] for at in whole])
    for a in range(len(scorers)):
        for b in range(a + 1, len(scorers)):
            if a not in whole or b not in whole:
                overlap = ~np.isnan(scorers[a]) & ~np.isnan(scorers[b])
                pair = test(np.where(overlap, gold, np.nan), [scorers[a], scorers[b]])
                ps[a, b], ps[b, a] = pair[0, 1], pair[1, 0]
    return ps


def pearson_tests(gold: Array, scorers: Sequence[Array], *, k: int = 1000, seed: int = 0) -> Array:
    """PERM-BOTH for pooled Pearson: scorers × scorers, p that the row is no better than the column, on cells that gold
    and all scorers have. p = (1 + b) / (1 + k)."""
    valid = _common_cells(gold, scorers)
    if not valid.any():
        return np.full((len(scorers), len(scorers)), np.nan)
    truth = _standard(gold[valid])
    x = np.stack([_standard(scores[valid]) for scores in scorers])
    features = np.concatenate([x * truth, x, x**2]).T
    swap = generator(seed, _TEST_STREAM).integers(0, 2, (k, len(truth))).astype(float)
    first_part = swap @ features
    total = features.sum(axis=0)
    n, cells = len(x), len(truth)
    product, first, square = (first_part[:, at * n : (at + 1) * n] for at in range(3))
    all_product, all_first, all_square = (total[at * n : (at + 1) * n] for at in range(3))
    value = all_product / cells
    ps = np.ones((n, n))
    for a in range(n):
        mixtures = _correlations(
            product[:, [a]] + all_product - product,
            first[:, [a]] + all_first - first,
            square[:, [a]] + all_square - square,
            cells,
        )
        other = _correlations(
            all_product[a] - product[:, [a]] + product,
            all_first[a] - first[:, [a]] + first,
            all_square[a] - square[:, [a]] + square,
            cells,
        )
        as_extreme = (mixtures - other >= value[a] - value - _EQUAL_VALUES).sum(axis=0)
        ps[a] = (1 + as_extreme) / (1 + k)
    ps[_constant(x)] = np.nan
    ps[:, _constant(x)] = np.nan
    np.fill_diagonal(ps, 1.0)
    return ps


def _common_cells(gold: Array, scorers: Sequence[Array]) -> Flags:
    """The cells that gold and all scorers have."""
    return np.asarray(~np.isnan(gold) & ~np.isnan(np.stack(scorers)).any(axis=0))


def _no_ps(scorers: int) -> Array:
    """A table of p, 1 for each scorer against itself, where nothing is known yet."""
    return np.where(np.eye(scorers, dtype=bool), 1.0, np.nan)


def _constant(x: Array) -> npt.NDArray[np.bool_]:
    """Which scorers give one score everywhere; nothing to swap, nothing to test."""
    if not x.shape[1]:
        return np.ones(len(x), bool)
    return np.asarray(np.nanmax(x, axis=1) == np.nanmin(x, axis=1))


def system_accuracy_tests(gold: Array, scorers: Sequence[Array], *, k: int = 1000, seed: int = 0) -> Array:
    """PERM-BOTH for system pairwise accuracy: scorers × scorers, p that the row is no better than the column. Gold and
    each scorer give one number per system; systems that any of them lacks are left out."""
    table = np.stack(scorers)
    valid = ~np.isnan(gold) & ~np.isnan(table).any(axis=0)
    x = np.stack([_standard(scores) for scores in table[:, valid]])
    grid = PairGrid.of(int(valid.sum()))
    order = np.sign(gold[valid][grid.first] - gold[valid][grid.second])
    swap = generator(seed, _TEST_STREAM).integers(0, 2, (k, x.shape[1])).astype(bool)

    def accuracy(scores: Array) -> Array:
        return np.asarray((np.sign(scores[..., grid.first] - scores[..., grid.second]) == order).mean(axis=-1))

    value, ps = accuracy(x), np.ones((len(x), len(x)))
    for a in range(len(x)):
        for b in range(a + 1, len(x)):
            draws = accuracy(np.where(swap, x[a], x[b])) - accuracy(np.where(swap, x[b], x[a]))
            gap = value[a] - value[b]
            ps[a, b] = (1 + (draws >= gap - _EQUAL_VALUES).sum()) / (1 + k)
            ps[b, a] = (1 + (-draws >= -gap - _EQUAL_VALUES).sum()) / (1 + k)
    ps[_constant(x)] = np.nan
    ps[:, _constant(x)] = np.nan
    return ps


def _standard(values: Array) -> Array:
    valid = values[~np.isnan(values)]
    if not len(valid):
        return values
    spread = 0.0 if valid.max() == valid.min() else float(valid.std())
    return np.asarray((values - valid.mean()) / spread if spread > 0 else np.where(np.isnan(values), np.nan, 0.0))


def _correlations(product: Array, first: Array, square: Array, cells: int) -> Array:
    """Pearson with a standardised gold, from sums of x·g, x and x²."""
    spread = np.sqrt(np.maximum(square / cells - (first / cells) ** 2, 1e-300))
    return np.asarray(product / cells / spread)


def kendall_tests(gold: Array, scorers: Sequence[Array], *, k: int = 1000, seed: int = 0) -> Array:
    """PERM-BOTH for τ_b averaged over segments, on cells that gold and all scorers have. Segments where τ_b is not
    defined are left out of the average, for each mask by itself."""
    valid = _common_cells(gold, scorers)
    x = np.stack([_standard(np.where(valid, scores, np.nan)) for scores in scorers])
    grid, n = PairGrid.of(len(gold)), len(scorers)
    order = np.where(valid[grid.first] & valid[grid.second], np.sign(np.nan_to_num(grid.differences(gold))), 0.0)
    rng = generator(seed, _TEST_STREAM)
    total, segment_counts = np.zeros((k, n * n)), np.zeros((k, n * n))
    for segment in np.flatnonzero(order.any(axis=0)):
        mask = rng.integers(0, 2, (k, len(gold))).astype(np.float32)
        one, two = mask[:, grid.first], mask[:, grid.second]
        choices = np.concatenate([one * two, one * (1 - two), (1 - one) * two, (1 - one) * (1 - two)], axis=1)
        agree, apart = _orders(x[:, :, segment], grid, order[:, segment])
        spread = (choices @ apart) * np.float32((order[:, segment] ** 2).sum())
        usable = spread > 0.5
        total += np.where(usable, choices @ agree / np.sqrt(np.maximum(spread, 1)), 0)
        segment_counts += usable
    draws = (total / np.maximum(segment_counts, 1)).reshape(k, n, n)
    gold = np.where(valid, gold, np.nan)
    return _shares(draws, np.array([correlation(gold, scores, "kendall", "item") for scores in x]), 1e-6)


def _orders(x: Array, grid: PairGrid, order: Array) -> tuple[Single, Single]:
    """(4 · pairs) × (scorers · scorers): what each pair of outputs adds to concordance, and whether it is no tie, if
    their scores come from (a, a), (a, b), (b, a), (b, b). Pairs that gold ties count as ties of the scorer only."""
    first, second = x[:, grid.first], x[:, grid.second]
    n = len(x)
    across = np.nan_to_num(np.sign(first[:, None] - second[None, :]))  # a × b × pairs
    alone = np.nan_to_num(np.sign(first - second))
    tables = np.stack(
        [
            np.broadcast_to(alone[:, None], across.shape),
            across,
            across.transpose(1, 0, 2),
            np.broadcast_to(alone[None, :], across.shape),
        ]
    )
    flat = tables.transpose(0, 3, 1, 2).reshape(-1, n * n)
    agree = flat * np.tile(order, 4)[:, None]
    return agree.astype(np.float32), np.abs(flat).astype(np.float32)


def soft_accuracy_tests(
    gold: Array,
    scorers: Sequence[Array],
    *,
    k: int = 1000,
    signs: int = 1000,
    seed: int = 0,
    document: Indices | None = None,
) -> Array:
    """PERM-BOTH for soft pairwise accuracy (mid-p), on segments that gold and all scorers have for every system. With
    the `document` of each segment, whole documents are swapped; without, each cell by itself."""
    table = np.stack([gold, *scorers])
    whole = ~np.isnan(table).any(axis=(0, 1))
    if not whole.any() or (document is not None and len(np.unique(document[whole])) < FEWEST):
        return np.full((len(scorers), len(scorers)), np.nan)
    flips = swaps(int(whole.sum()), signs, seed)
    truth = confidences(gold[:, whole], flips).mid
    x = np.stack([_standard(scores[:, whole]) for scores in scorers])
    values = np.array([1 - np.abs(truth - confidences(scores, flips).mid).mean() for scores in x])
    n, systems, segments = x.shape
    single, single_flips = x.astype(np.float32), flips.T.astype(np.float32)
    # A sum under signs is compared with the sum as it is; their difference, −2 Σ over flipped cells, is linear too.
    single_flips -= 1
    all_sums = single @ single_flips
    slack = np.float32(_SINGLE_EQUAL * np.abs(single).sum(axis=2).max())
    target = _square(truth, systems)
    rng = generator(seed, _TEST_STREAM)
    draws = np.empty((k, n, n))
    for at in range(k):
        if document is None:
            mask = rng.integers(0, 2, (systems, segments)).astype(np.float32)
        else:
            swap = rng.integers(0, 2, int(document.max()) + 1).astype(np.float32)
            mask = np.broadcast_to(swap[document[whole]], (systems, segments))
        first_part = ((single * mask).reshape(-1, segments) @ single_flips).reshape(n, systems, signs)
        left = all_sums - first_part
        for a in range(n):
            draws[at, a] = 1 - _soft_distance(first_part[a] + left, target, slack)
    return _shares(draws, values)


def _square(truth: Array, systems: int) -> Array:
    grid, square = PairGrid.of(systems), np.zeros((systems, systems))
    square[grid.first, grid.second] = truth
    return square


def _soft_distance(sums: Single, target: Array, slack: np.float32) -> Array:
    """Mean |p − p of gold| over pairs of systems, for each scorer; `sums` is scorers × systems × signs."""
    n, systems, signs = sums.shape
    total = np.zeros(n)
    above = sums + slack
    for one in range(systems - 1):
        this, rest = sums[:, None, one], slice(one + 1, None)
        more = _count(this > above[:, rest]) + _count(above[:, None, one] >= sums[:, rest])
        total += np.abs(more / (2 * signs) - target[one, rest]).sum(axis=1)
    return np.asarray(total / (systems * (systems - 1) / 2))


def _count(flags: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """How many are true along the last axis, eight at a time."""
    return np.asarray(np.bitwise_count(np.packbits(flags, axis=-1)).sum(axis=-1, dtype=np.int64))


def _shares(draws: Array, values: Array, slack: float = 1e-9) -> Array:
    """p of every ordered pair: `draws` is masks × scorers × scorers, the statistic of the first one's mixture."""
    gaps = draws - draws.transpose(0, 2, 1)
    as_extreme = (gaps >= values[:, None] - values[None, :] - slack).sum(axis=0)
    ps = np.asarray((1 + as_extreme) / (1 + len(draws)))
    ps[np.isnan(values)] = np.nan
    ps[:, np.isnan(values)] = np.nan
    np.fill_diagonal(ps, 1.0)
    return ps


_DRAWS = 20_000


def accuracy_test(first: CalibratedAccuracy, second: CalibratedAccuracy, *, seed: int = 0) -> float:
    """p that `first` is no better than `second` by acc_eq, on the pairs both have scored."""
    both = first.known & second.known
    gap = first.correct[both].astype(int) - second.correct[both].astype(int)
    size = both.sum(axis=0)
    weight = np.broadcast_to(1.0 / np.maximum(size, 1), both.shape)[both]
    if not both.any():
        return float("nan")
    differ = gap != 0
    gap, weight = gap[differ], weight[differ]
    if not len(gap):
        return 1.0
    kinds, group = np.unique(weight.round(12), return_inverse=True)
    if len(kinds) == 1:
        from scipy.stats import binom  # takes a second to load

        return float(binom.sf((gap > 0).sum() - 1, len(gap), 0.5))
    sizes = np.bincount(group)
    ups = generator(seed, _TEST_STREAM).binomial(sizes, 0.5, (_DRAWS, len(sizes)))
    draws = (2 * ups - sizes) @ kinds
    total = float((gap * weight).sum())
    return float((1 + (draws >= total - 1e-9).sum()) / (1 + _DRAWS))


def accuracy_tests(calibrations: Sequence[CalibratedAccuracy], *, seed: int = 0) -> Array:
    """scorers × scorers: p that the row is no better than the column. Complete tables take one matrix product."""
    n = len(calibrations)
    whole = all(np.array_equal(one.known, calibrations[0].known) for one in calibrations)
    sizes = np.unique(calibrations[0].known.sum(axis=0)) if n else np.empty(0)
    if n and whole and len(sizes[sizes > 0]) == 1:
        right = np.stack([one.correct[one.known] for one in calibrations]).astype(np.float32)
        only = right @ (1 - right).T
        from scipy.stats import binom  # takes a second to load

        ps = binom.sf(only - 1, only + only.T, 0.5)
        return np.where(only + only.T == 0, 1.0, ps)
    ps = np.ones((n, n))
    for a in range(n):
        for b in range(n):
            if a != b:
                ps[a, b] = accuracy_test(calibrations[a], calibrations[b], seed=seed)
    return ps


def williams(r_first: float, r_second: float, r_between: float, n: int) -> float:
    """p that the first scorer's correlation with gold is no larger than the second's, given theirs with each other."""
    determinant = 1 - r_first**2 - r_second**2 - r_between**2 + 2 * r_first * r_second * r_between
    mean = (r_first + r_second) / 2
    below = 2 * (n - 1) / (n - 3) * determinant + mean**2 * (1 - r_between) ** 3
    if n <= 3 or below <= 0:
        return float("nan")
    t = (r_first - r_second) * np.sqrt((n - 1) * (1 + r_between) / below)
    return float(stdtr(n - 3, -t))


def rank_groups(values: Sequence[float], ps: Array, alpha: float = 0.05) -> list[int]:
    """Groups of scorers, best first: going down, a new group starts with the first scorer that any member of the
    current group beats (Freitag et al. 2023, WMT). `ps` is in the order of `values`."""
    order = sorted(range(len(values)), key=lambda at: -values[at])
    groups, group, members = [0] * len(values), 1, list[int]()
    for at in order:
        if any(ps[member, at] < alpha for member in members):
            group, members = group + 1, []
        members.append(at)
        groups[at] = group
    return groups


FEWEST = 5
"""With fewer documents than this no swap of them gives a one-sided p below 5 %."""


@dataclass(frozen=True)
class DocumentSwaps:
    """Swaps of whole documents: `masks` (swaps × documents) is 1 where a document keeps its own scorer's scores.

    Where all swaps are fewer than k they are enumerated, and p is exact.
    """

    masks: Array
    exact: bool

    @classmethod
    def of(cls, documents: int, k: int, seed: int) -> DocumentSwaps:
        return cls(*signs(documents, k, generator(seed, _TEST_STREAM)))

    def share(self, reached: npt.NDArray[np.bool_]) -> float:
        count = int(np.count_nonzero(reached))
        return count / len(reached) if self.exact else (1 + count) / (1 + len(reached))


def document_tests(
    name: str, gold: Array, scorers: Sequence[Array], document: Indices, *, k: int = 1000, seed: int = 0
) -> Array:
    """scorers × scorers: p of one statistic by swapping whole documents; NaN where it has none. Each pair is compared
    on the cells that gold and both have."""
    if name == "acc_eq":
        return accuracy_tests_by_document([calibrated(gold, table) for table in scorers], document, k=k, seed=seed)
    if name == "spa":
        return where_whole(
            gold, scorers, lambda truth, own: soft_accuracy_tests(truth, own, k=k, seed=seed, document=document)
        )
    if name == "williams":
        return where_whole(gold, scorers, lambda truth, own: _correlations_apart(truth, own, document))
    features, finish = _FEATURES[name]

    def test(truth: Array, own: Sequence[Array]) -> Array:
        valid = _common_cells(truth, own)
        truth = np.where(valid, truth, np.nan)
        tables = [_standard(np.where(valid, scores, np.nan)) for scores in own]
        sums = [_by_document(features(truth, table), document) for table in tables]
        units = np.unique(document[valid.any(axis=0)])
        return _swap_documents([own_sums[units] for own_sums in sums], partial(finish, truth), k, seed)

    return where_whole(gold, scorers, test)


def _by_document(features: Array, document: Indices) -> Array:
    """Features (of each segment) × segments, summed to documents × features."""
    count = int(document.max(initial=-1)) + 1
    return np.stack([np.bincount(document, weights=row, minlength=count) for row in features], axis=1)


def _swap_documents(sums: Sequence[Array], finish: Callable[[Array], Array], k: int, seed: int) -> Array:
    """p of every ordered pair: the sums of a mixture are those of the one in some documents, of the other elsewhere."""
    ps = _no_ps(len(sums))
    if len(sums[0]) < FEWEST:
        return ps
    swaps = DocumentSwaps.of(len(sums[0]), k, seed)
    totals = [own.sum(axis=0) for own in sums]
    values = [float(finish(total[None, :])[0]) for total in totals]
    first_parts = [swaps.masks @ own for own in sums]
    for a in range(len(sums)):
        for b in range(a + 1, len(sums)):
            if np.isnan(values[a]) or np.isnan(values[b]):
                continue
            draws = finish(first_parts[a] + totals[b] - first_parts[b]) - finish(
                first_parts[b] + totals[a] - first_parts[a]
            )
            draws = draws[~np.isnan(draws)]
            gap = values[a] - values[b]
            ps[a, b] = swaps.share(draws >= gap - _EQUAL_VALUES)
            ps[b, a] = swaps.share(-draws >= -gap - _EQUAL_VALUES)
    return ps


def _pearson_features(truth: Array, scores: Array) -> Array:
    valid = ~np.isnan(truth)
    gold = np.where(valid, truth - np.nanmean(truth), 0.0) if valid.any() else np.zeros_like(truth)
    x = np.where(valid, scores, 0.0)
    return np.stack([(x * gold).sum(axis=0), x.sum(axis=0), (x * x).sum(axis=0)])


def _pearson_of(truth: Array, sums: Array) -> Array:
    n, spread = int((~np.isnan(truth)).sum()), float(np.nanstd(truth))
    own = sums[:, 2] / n - (sums[:, 1] / n) ** 2
    with np.errstate(invalid="ignore", divide="ignore"):
        r = sums[:, 0] / n / spread / np.sqrt(own)
    return np.where((own > 1e-12) & (spread > 0), r, np.nan)


def _kendall_features(truth: Array, scores: Array) -> Array:
    tau = kendall_of_columns(truth, scores)
    return np.stack([np.nan_to_num(tau), (~np.isnan(tau)).astype(float)])


def _mean_of(_truth: Array, sums: Array) -> Array:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(sums[:, 1] > 0, sums[:, 0] / sums[:, 1], np.nan)


def _system_features(_truth: Array, scores: Array) -> Array:
    return np.nan_to_num(scores)


def _system_means(truth: Array, sums: Array) -> tuple[Array, Array]:
    """Gold's and the scorers' mean of each system that has any cell."""
    count = (~np.isnan(truth)).sum(axis=1)
    usable = count > 0
    return np.nansum(truth, axis=1)[usable] / count[usable], sums[:, usable] / count[usable]


def _system_accuracy_of(truth: Array, sums: Array) -> Array:
    gold, means = _system_means(truth, sums)
    grid = PairGrid.of(len(gold))
    order = np.sign(gold[grid.first] - gold[grid.second])
    gaps = means[:, grid.first] - means[:, grid.second]
    gaps = np.where(np.abs(gaps) < 1e-12, 0.0, gaps)
    value = (np.sign(gaps) == order).mean(axis=1)
    return np.where((gaps != 0).any(axis=1), value, np.nan)


def _system_pearson_of(truth: Array, sums: Array) -> Array:
    gold, means = _system_means(truth, sums)
    if len(gold) < 3 or np.ptp(gold) == 0:
        return np.full(len(sums), np.nan)
    gold = gold - gold.mean()
    deviations = means - means.mean(axis=1, keepdims=True)
    spread = np.sqrt((gold**2).sum() * (deviations**2).sum(axis=1))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(spread > 1e-12, deviations @ gold / spread, np.nan)


_FEATURES: dict[str, tuple[Callable[[Array, Array], Array], Callable[[Array, Array], Array]]] = {
    "segment_pearson": (_pearson_features, _pearson_of),
    "item_kendall": (_kendall_features, _mean_of),
    "sys_pairwise_accuracy": (_system_features, _system_accuracy_of),
    "sys_pearson": (_system_features, _system_pearson_of),
}
"""What each statistic sums over segments, given gold and a standardised scorer, and what it makes of the sums."""


def accuracy_tests_by_document(
    accuracies: Sequence[CalibratedAccuracy], document: Indices, *, k: int = 10_000, seed: int = 0
) -> Array:
    """p of acc_eq: the scorers' verdicts on a document change sides together, at each scorer's own threshold."""
    n, count = len(accuracies), int(document.max(initial=-1)) + 1
    ps = _no_ps(n)
    for a, b in combinations(range(n), 2):
        one, two = accuracies[a], accuracies[b]
        gap = by_segment(one.correct.astype(float) - two.correct, one.known & two.known)
        usable = ~np.isnan(gap)
        units = np.unique(document[usable])
        if len(units) < FEWEST:
            continue
        parts = np.bincount(document[usable], weights=gap[usable], minlength=count)[units]
        swaps = _kept_swaps(len(units), k, seed)
        draws = 2 * (swaps.masks @ parts) - parts.sum()
        slack = 1e-9 * float(np.abs(parts).sum())
        ps[a, b] = swaps.share(draws >= parts.sum() - slack)
        ps[b, a] = swaps.share(-draws >= -parts.sum() - slack)
    return ps


@lru_cache(maxsize=4)
def _kept_swaps(documents: int, k: int, seed: int) -> DocumentSwaps:
    return DocumentSwaps.of(documents, k, seed)


def _correlations_apart(gold: Array, scorers: Sequence[Array], document: Indices) -> Array:
    """p that the first's pooled correlation with gold is no larger: their difference over its standard error, leaving
    out one document at a time, t on documents − 1. Williams' question with documents as the unit."""
    valid = _common_cells(gold, scorers)
    n = len(scorers)
    ps = _no_ps(n)
    document_ids = np.unique(document[valid.any(axis=0)])
    if len(document_ids) < FEWEST:
        return ps
    left_out = []
    for scores in scorers:
        values = pearson_without_each(np.where(valid, gold, np.nan), scores, document)
        left_out.append(np.concatenate([values[:1], values[1:][document_ids]]))
    units = len(document_ids)
    for a in range(n):
        for b in range(n):
            if a != b:
                gaps = left_out[a] - left_out[b]
                spread = (units - 1) / units * float(((gaps[1:] - gaps[1:].mean()) ** 2).sum())
                if spread > 1e-24:
                    ps[a, b] = float(stdtr(units - 1, -gaps[0] / np.sqrt(spread)))
    return ps


def pearson_without_each(gold: Array, scores: Array, document: Indices) -> Array:
    """Pooled Pearson of all cells that both have, then without each document; NaN where it is not defined."""
    valid = ~np.isnan(gold) & ~np.isnan(scores)
    x, y = _standard(np.where(valid, gold, np.nan)), _standard(np.where(valid, scores, np.nan))
    x, y = np.nan_to_num(x), np.nan_to_num(y)
    features = np.stack([part.sum(axis=0) for part in (valid.astype(float), x, y, x * x, y * y, x * y)])
    sums = _by_document(features, document)
    return pearson_of_sums(*np.vstack([sums.sum(axis=0), sums.sum(axis=0) - sums]).T)

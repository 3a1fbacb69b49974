"""How well a scorer agrees with gold about outputs and systems: accuracies over pairs, and correlations.

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
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
import numpy.typing as npt

from lanner.stats.resample import Array, generator

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
    """acc_eq with each fold of segments judged by the threshold of the others, so that no segment chooses its own."""
    parts, sizes = [], []
    for fold in np.unique(folds):
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
    permutations of all pairs are one matrix product: over systems where the table is whole, else over pairs. `known`
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

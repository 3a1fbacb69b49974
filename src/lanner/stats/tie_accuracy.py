"""Segment-level accuracy that gives credit for ties, with the tie threshold of the scorer found exactly.

acc_eq (Deutsch, Foster and Freitag 2023, EMNLP): on each segment, the share of pairs of systems that gold and scorer
put in the same order, a tie being an order too. A scorer with continuous scores never ties, so differences of at most
ε count as ties, and ε is the one that makes the mean over segments largest. All candidates are tried: pairs are sorted
by their difference and the accuracy at every threshold is a running sum, without sampling.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lanner.stats.item_pairs import Flags, PairGrid, by_segment, weights
from lanner.stats.resample import Array


@dataclass(frozen=True, slots=True)
class Calibrated:
    """The best accuracy and its threshold; `correct` (pairs × segments) at that threshold, `known` pairs, and what each
    pair counts."""

    accuracy: float
    threshold: float
    correct: Flags
    known: Flags
    weight: Array


def calibrated(gold: Array, scores: Array, threshold: float | None = None) -> Calibrated:
    """acc_eq of one scorer; both are systems × segments, NaN where missing. Pairs with a missing score on either side
    are left out. With a `threshold` nothing is calibrated."""
    grid = PairGrid.of(len(gold))
    truth, guess = grid.differences(gold), grid.differences(scores)
    known = ~np.isnan(truth) & ~np.isnan(guess)
    weight = weights(known)
    best = _best(truth[known], guess[known], weight[known]) if threshold is None else threshold
    same = np.where(np.abs(guess) <= best, truth == 0, (np.sign(truth) == np.sign(guess)) & (truth != 0))
    correct = np.asarray(same & known)
    value = float(np.nanmean(by_segment(correct.astype(float), known))) if known.any() else float("nan")
    return Calibrated(value, best, correct, known, weight)


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
        made = calibrated(gold[:, inside], scores[:, inside], threshold)
        if made.known.any():
            parts.append(made.accuracy)
            sizes.append(int(made.known.any(axis=0).sum()))
    return float(np.average(parts, weights=sizes)) if parts else float("nan")


def chance(gold: Array) -> float:
    """What a scorer that knows nothing reaches with the best threshold: max(t, (1 − t) / 2), t the share of gold ties
    averaged over segments. Calling a share q of pairs tied gives q·t + (1 − q)(1 − t)/2, which is largest at an end."""
    truth = PairGrid.of(len(gold)).differences(gold)
    known = ~np.isnan(truth)
    if not known.any():
        return float("nan")
    ties = float(weights(known)[(truth == 0) & known].sum())
    return max(ties, (1 - ties) / 2)

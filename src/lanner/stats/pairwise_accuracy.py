"""Do gold and scorer put two systems in the same order, and how sure is each of it?

Pairwise accuracy (Kocmi et al. 2021, WMT): the share of pairs of systems whose scores differ in the same direction.
Soft pairwise accuracy (Thompson et al. 2024, WMT): the mean over pairs of 1 − |p_gold − p_scorer|, where p is the
one-sided p-value of a permutation test that swaps two systems' scores segment by segment.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from lanner.stats.item_pairs import Flags, PairGrid
from lanner.stats.resample import Array, generator

_STREAM = 11
_EQUAL = 1e-9  # sums within this share of their size are ties: they differ by rounding only


def pairwise_accuracy(gold: Array, scores: Array) -> float:
    """The share of pairs in the same order; gold ties are left out unless the scorer ties too. Both one per system."""
    grid = PairGrid.of(len(gold))
    truth, guess = gold[grid.first] - gold[grid.second], scores[grid.first] - scores[grid.second]
    known = ~np.isnan(truth) & ~np.isnan(guess)
    return float((np.sign(truth) == np.sign(guess))[known].mean()) if known.any() else float("nan")


@dataclass(frozen=True, slots=True)
class Confidences:
    """One-sided p-values of every pair of systems: `mid` counts equal permutations half, `plain` counts them whole."""

    mid: Array
    plain: Array


def swaps(segments: int, k: int = 1000, seed: int = 0) -> Array:
    """k random swaps of all segments, as signs: k × segments."""
    return np.asarray(generator(seed, _STREAM).integers(0, 2, (k, segments), dtype=np.int8) * 2.0 - 1.0, float)


def confidences(scores: Array, signs: Array, known: Flags | None = None) -> Confidences:
    """p of every pair, from the same swaps for all. Swapping two scores changes the sign of their difference, so all
    permutations of all pairs are one matrix product: over systems where the table is whole, else over pairs. `known`
    (pairs × segments) leaves out pairs on some segments."""
    grid = PairGrid.of(len(scores))
    gaps = grid.differences(scores)
    kept = ~np.isnan(gaps) if known is None else known
    if kept.all():
        sums = scores @ signs.T
        drawn = sums[grid.first] - sums[grid.second]
    else:
        gaps = np.where(kept, gaps, 0.0)
        drawn = gaps @ signs.T
    drawn -= gaps.sum(axis=1, keepdims=True)
    slack = _EQUAL * np.maximum(np.abs(gaps).sum(axis=1, keepdims=True), 1e-300)
    above, reached = (np.count_nonzero(side, axis=1) / len(signs) for side in (drawn > slack, drawn >= -slack))
    return Confidences((above + reached) / 2, reached)


@lru_cache(maxsize=2)
def _original_signs(segments: int, k: int, seed: int) -> npt.NDArray[np.float32]:
    drawn = np.random.default_rng(seed).random((k, segments), dtype=np.float32)
    return np.where(drawn > np.float32(0.5), np.float32(1), np.float32(-1))


def original_confidences(scores: Array, k: int = 1000, seed: int = 4) -> Array:
    """p of every pair as mt-metrics-eval computes it: its own draws, sums in single precision, equal permutations
    counted for the system listed first. For tables without gaps; here to reproduce its numbers."""
    single = np.ascontiguousarray(scores, dtype=np.float32)
    signs = _original_signs(single.shape[1], k, seed)
    grid, sums, seen = PairGrid.of(len(scores)), np.ascontiguousarray((signs @ single.T).T), single.sum(axis=1)
    reached = sums[grid.first] - sums[grid.second] >= (seen[grid.first] - seen[grid.second])[:, None]
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
        known = self._known & ~np.isnan(PairGrid.of(len(scores)).differences(scores))
        usable = known.any(axis=1)
        if not usable.any():
            return float("nan"), float("nan")
        truth, guess = (confidences(table, self._signs, known) for table in (self._gold, scores))
        mid, plain = np.abs(truth.mid - guess.mid)[usable], np.abs(truth.plain - guess.plain)[usable]
        return float(1 - mid.mean()), float(1 - plain.mean())

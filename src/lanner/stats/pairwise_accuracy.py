"""Do gold and scorer put two systems in the same order, and how sure is each of it?

Pairwise accuracy (Kocmi et al. 2021, WMT): the share of pairs of systems whose scores differ in the same direction.
Soft pairwise accuracy (Thompson et al. 2024, WMT): the mean over pairs of 1 − |p_gold − p_scorer|, where p is the
one-sided p-value of a permutation test that swaps two systems' scores segment by segment.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanner.stats.item_pairs import PairGrid
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
    return generator(seed, _STREAM).integers(0, 2, (k, segments)).astype(float) * 2 - 1


def confidences(scores: Array, signs: Array, known: Array | None = None) -> Confidences:
    """p of every pair, from the same swaps for all. Swapping two scores changes the sign of their difference, so all
    permutations of all pairs are one matrix product. `known` (pairs × segments) leaves out pairs on some segments."""
    gaps = PairGrid.of(len(scores)).differences(scores)
    gaps = np.where(np.isnan(gaps) if known is None else ~known.astype(bool), 0.0, gaps)
    drawn, seen = signs @ gaps.T, gaps.sum(axis=1)
    slack = _EQUAL * np.maximum(np.abs(gaps).sum(axis=1), 1e-300)
    above = (drawn > seen + slack).mean(axis=0)
    reached = (drawn >= seen - slack).mean(axis=0)
    return Confidences((above + reached) / 2, reached)


def soft_pairwise_accuracy(gold: Array, scores: Array, signs: Array) -> tuple[float, float]:
    """SPA with mid-p, which is the same in whatever order systems are listed, and SPA as first published, where
    permutations that equal the data count for the system listed first. Both arrays are systems × segments."""
    grid = PairGrid.of(len(gold))
    known = ~np.isnan(grid.differences(gold)) & ~np.isnan(grid.differences(scores))
    usable = known.any(axis=1)
    if not usable.any():
        return float("nan"), float("nan")
    truth, guess = confidences(gold, signs, known), confidences(scores, signs, known)
    return (
        float(1 - np.abs(truth.mid - guess.mid)[usable].mean()),
        float(1 - np.abs(truth.plain - guess.plain)[usable].mean()),
    )

"""Pairs of systems on the same segment: what segment-level accuracy is made of, laid out once for many scorers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lanner.stats.resample import Array

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


def by_segment(values: Array, known: Flags) -> Array:
    """The mean over pairs of each segment; NaN for segments without pairs. Both are pairs × segments."""
    count = known.sum(axis=0)
    total = np.where(known, values, 0.0).sum(axis=0)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def weights(known: Flags) -> Array:
    """What each pair counts if every segment with pairs counts the same: 1 / (pairs of the segment · segments)."""
    count = known.sum(axis=0)
    segments = int((count > 0).sum())
    return np.where(known, 1.0 / (np.maximum(count, 1) * max(1, segments)), 0.0)

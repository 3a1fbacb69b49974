"""Judges as well as documents taken as samples: what a score or a difference says of other judges, too.

An interval over documents holds for other documents judged by these judges. To speak of judges in general, the number
is computed again without each document, without each judge, and without each judge's answers to each document. The
variances of the three add up as documents + judges − cells, because what varies from cell to cell is in both of the
others (Cameron, Gelbach & Miller 2011, J. Bus. Econ. Stat. 29). Degrees of freedom are Satterthwaite's, so that three
judges who differ give a wide interval, whatever the number of documents.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from lanner.stats.outcome import Outcome, Scale, crossed_outcome
from lanner.stats.resample import Array, Resampling, Statistic, generator

_ROUNDING = 1e-12  # a step this small, relative to the largest number, is rounding: nothing was left out
_STREAM = 31  # apart from the resamples of documents
_ROWS = 20_000  # statistics computed at once


@dataclass(frozen=True, slots=True)
class CrossedSteps:
    """How far each statistic (columns) moves without each document, each judge, each judge's answers to a document."""

    value: Array
    documents: Array
    judges: Array
    cells: Array

    @classmethod
    def of(cls, sums: Array, without_judges: Iterable[Array], finish: Statistic) -> CrossedSteps:
        """From sums by document (documents × k): those of all answers, and those without each judge in turn."""
        total = sums.sum(axis=0)
        value = finish(total[None, :])[0]
        judges, cells = [np.empty((0, len(value)))], [np.empty((0, len(value)))]
        for without in without_judges:
            change = without - sums
            judges.append(finish(without.sum(axis=0)[None, :]) - value)
            own = np.flatnonzero(np.abs(change).max(axis=1, initial=0.0) > 0)
            for start in range(0, len(own), _ROWS):
                cells.append(finish(total + change[own[start : start + _ROWS]]) - value)
        documents = [finish(total - sums[start : start + _ROWS]) - value for start in range(0, len(sums), _ROWS)]
        return cls(value, np.concatenate(documents), np.concatenate(judges), np.concatenate(cells))

    def outcome(
        self, column: int, resampling: Resampling, *, scale: Scale = "plain", null: float | None = None
    ) -> Outcome:
        """Interval and p of one statistic for documents and judges in general."""
        parts = [self._variance(steps[:, column], column) for steps in (self.documents, self.judges, self.cells)]
        (by_document, documents), (by_judge, judges), (by_cell, _) = parts
        return crossed_outcome(
            float(self.value[column]),
            (by_document, by_judge, by_cell),
            (documents, judges),
            resampling,
            scale=scale,
            null=null,
        )

    def _variance(self, steps: Array, column: int) -> tuple[float, int]:
        """Jackknife variance from the steps that leave something out, and how many those are."""
        present = np.isnan(steps) | (np.abs(steps) > _ROUNDING * max(1.0, abs(float(self.value[column]))))
        own, n = steps[present], int(present.sum())
        return (float((n - 1) / n * ((own - own.mean()) ** 2).sum()) if n > 1 else 0.0), n

    def draws(self, n: int, seed: int) -> Array:
        """Values that other documents and judges might have given (draws × statistics), by normal multipliers."""
        rng = generator(seed, _STREAM)
        draws = np.tile(self.value, (n, 1))
        for steps in (self.documents, self.judges):
            count = len(steps)
            if count > 1:
                deviations = (steps - steps.mean(axis=0)) * np.sqrt((count - 1) / count)
                draws += rng.normal(size=(n, count)) @ deviations
        return draws

"""A statistic: the share of items on which a strict majority of the judges gave the same answer."""

from __future__ import annotations

import numpy as np

from lanner.stats.estimate import RowCounts, StatisticPlan, statistic
from lanner.stats.ratings import Ratings
from lanner.stats.resample import Array


@statistic("label", "score")
def majority(answers: Ratings) -> StatisticPlan:
    """Share of items with a strict majority, among items with at least two answers."""
    codes = answers.patterns.codes  # one row for each distinct set of answers, -1 where a judge gave none
    sizes = (codes >= 0).sum(axis=1)
    labels = range(int(codes.max(initial=0)) + 1)
    largest = np.max([(codes == label).sum(axis=1) for label in labels], axis=0)
    counts = sizes > 1
    parts = np.stack([counts & (2 * largest > sizes), counts], axis=1).astype(float)

    def finish(sums: Array) -> Array:
        return np.divide(sums[:, [0]], sums[:, [1]], out=np.full((len(sums), 1), np.nan), where=sums[:, [1]] > 0)

    return StatisticPlan("majority", answers, RowCounts.of(answers.patterns), finish, parts, uses=counts, scale="share")

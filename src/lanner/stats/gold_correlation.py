"""Correlation of a scorer with gold over systems × segments: pooled, within each segment, within each system.

Pooled takes all cells as one sample, `item` averages the coefficient over segments, `system` over systems; a row in
which either side is constant has no coefficient and is left out of the average. Cells missing on either side are left
out. Kendall's coefficient is τ_b.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from lanner.stats.item_pairs import PairGrid
from lanner.stats.resample import Array

Kind = Literal["pearson", "spearman", "kendall"]
Over = Literal["pooled", "item", "system"]


def correlation(gold: Array, scores: Array, kind: Kind = "pearson", over: Over = "pooled") -> float:
    """One coefficient; both arrays are systems × segments, NaN where missing. NaN where it is not defined."""
    known = ~np.isnan(gold) & ~np.isnan(scores)
    x, y = np.where(known, gold, np.nan), np.where(known, scores, np.nan)
    if over == "pooled":
        x, y = x[known][None, :], y[known][None, :]
    elif over == "item":
        if kind == "kendall":
            return _mean(_kendall_of_columns(x, y))
        x, y = x.T, y.T
    if kind == "kendall":
        return _mean(np.array([_kendall(a, b) for a, b in zip(x, y, strict=True)]))
    if kind == "spearman":
        from scipy.stats import rankdata  # takes a second to load

        x, y = (rankdata(side, axis=1, nan_policy="omit") for side in (x, y))
    return _mean(_pearson(x, y))


def _mean(values: Array) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else float("nan")


def _pearson(x: Array, y: Array) -> Array:
    """The coefficient of each row."""
    known = ~np.isnan(x)
    count = np.maximum(known.sum(axis=1, keepdims=True), 1)

    def centred(side: Array) -> Array:
        filled = np.where(known, side, 0.0)
        return np.where(known, filled - filled.sum(axis=1, keepdims=True) / count, 0.0)

    a, b = centred(x), centred(y)
    spread = np.sqrt((a**2).sum(axis=1) * (b**2).sum(axis=1))
    size = np.sqrt((np.where(known, x, 0.0) ** 2).sum(axis=1) * (np.where(known, y, 0.0) ** 2).sum(axis=1))
    defined = spread > 1e-13 * np.maximum(size, 1e-300)
    return np.where(defined, (a * b).sum(axis=1) / np.where(defined, spread, 1.0), np.nan)


def _kendall(x: Array, y: Array) -> float:
    known = ~np.isnan(x)
    x, y = x[known], y[known]
    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return float("nan")
    from scipy.stats import kendalltau  # takes a second to load

    return float(kendalltau(x, y).statistic)


def _kendall_of_columns(x: Array, y: Array) -> Array:
    """τ_b of every column at once: there are few systems, so all pairs are laid out."""
    grid = PairGrid.of(len(x))
    a, b = (np.nan_to_num(np.sign(grid.differences(side))) for side in (x, y))
    spread = np.sqrt((a**2).sum(axis=0) * (b**2).sum(axis=0))
    return np.where(spread > 0, (a * b).sum(axis=0) / np.maximum(spread, 1e-300), np.nan)

"""Agreement weights: how much credit two different labels get, from 1 for the same to 0 for the farthest apart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lanner.errors import StatisticError, did_you_mean
from lanner.stats.ratings import Ratings
from lanner.stats.resample import Array

Weights = str | Sequence[Sequence[float]] | None
NAMES = ("identity", "linear", "quadratic")


def agreement_weights(rated: Ratings, weights: Weights) -> Array:
    """labels × labels. Linear: 1 − |a − b|/range; quadratic: 1 − (a − b)²/range², on the points of the scale.

    The points are the scores themselves, the options' values, or the positions in the order of the labels; a scale
    whose order is not stated has no distances, and asking for them is an error rather than an alphabetical accident.
    """
    size = len(rated.labels)
    if weights is None or weights == "identity":
        return np.eye(size)
    if not isinstance(weights, str):
        return _given(weights, size)
    if weights not in NAMES:
        raise StatisticError(f"There are no weights called {weights!r}.", next_step=did_you_mean(weights, NAMES))
    check_order(rated, weights)
    span = float(np.ptp(rated.points)) if size else 0.0
    if span == 0:
        return np.eye(size)
    distance = np.abs(rated.points[:, None] - rated.points[None, :]) / span
    return np.asarray(1 - distance if weights == "linear" else 1 - distance**2)


def check_order(rated: Ratings, what: str) -> None:
    """An error unless the scale's order is stated."""
    if len(rated.item) and not rated.ordered:
        raise StatisticError(
            f"{what.capitalize()} distances need the order of the labels.",
            next_step=f"Give it with labels=[…], lowest first; in the data are: {', '.join(rated.labels)}.",
        )


def _given(weights: Sequence[Sequence[float]], size: int) -> Array:
    table = np.asarray(weights, dtype=float)
    if table.shape != (size, size):
        raise StatisticError(
            f"The weights are a table of {' × '.join(map(str, table.shape))}, but there are {size} labels.",
            next_step="Give one row and one column per label, and the labels in the same order with labels=[…].",
        )
    if not np.isfinite(table).all() or not np.allclose(table, table.T) or not np.allclose(np.diag(table), 1):
        raise StatisticError("Agreement weights are finite and symmetric, with 1 on the diagonal.")
    return table


def describe(weights: Weights) -> str:
    """The weights in a signature."""
    return "" if weights is None or weights == "identity" else weights if isinstance(weights, str) else "given"

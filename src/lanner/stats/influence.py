"""How much each document pulls on a correlation: the derivative of the coefficient by the document's weight.

With thousands of documents the jackknife is this derivative to within 1/n of itself (the infinitesimal jackknife;
Jaeckel 1972, Efron 1982), and it takes one pass over the pairs instead of one for each document left out.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lanner.stats.concordance import Coefficient, Pairs
from lanner.stats.resample import Array, Indices

GRID = 4_000_000
"""Distinct x times distinct y up to which Kendall's pulls are exact; finer values are cut into bins first."""
BINS = 1000


def pulls(pairs: Pairs, asked: Sequence[Coefficient]) -> Array:
    """units × coefficients. They add up to zero, and leaving a unit out changes the coefficient by minus its pull."""
    found: dict[str, Array] = {}
    if "pearson" in asked:
        found["pearson"] = _pearson(pairs.x, pairs.y)
    if "spearman" in asked:
        found["spearman"] = _spearman(*_codes(pairs))
    if "kendall_b" in asked or "kendall_c" in asked:
        coarse = pairs.coarsened(BINS) if pairs.levels[0] * pairs.levels[1] > GRID else pairs
        found |= _kendall(*_codes(coarse))
    columns = [np.bincount(pairs.unit, weights=found[name], minlength=pairs.units) for name in asked]
    return np.stack(columns, axis=1)


def _codes(pairs: Pairs) -> tuple[Indices, Indices]:
    return pairs.codes[1], pairs.codes[3]


def _pearson(x: Array, y: Array) -> Array:
    """(zx·zy − r(zx² + zy²)/2)/n in standard scores."""
    zx, zy = ((v - v.mean()) / v.std() for v in (x, y))
    r = float((zx * zy).mean())
    return np.asarray((zx * zy - r * (zx**2 + zy**2) / 2) / len(x))


def _spearman(x: Indices, y: Indices) -> Array:
    """ρ = J/√(AB) with J = Σ RS, A = Σ R², B = Σ S² of centred ranks R and S, which themselves depend on all weights:
    one more x moves the rank of every pair above it up by a half and of every pair below it down."""
    at_x, at_y = np.bincount(x).astype(float), np.bincount(y).astype(float)
    rank_x, rank_y = -_above_less_below(at_x), -_above_less_below(at_y)
    r, s = rank_x[x], rank_y[y]
    a, b, joint = float(r @ r), float(s @ s), float(r @ s)
    sums_x: Array = np.asarray(np.bincount(x, weights=s), dtype=float)
    sums_y: Array = np.asarray(np.bincount(y, weights=r), dtype=float)
    moved = _above_less_below(sums_x)[x] + _above_less_below(sums_y)[y]
    grown_a = r * r + 2 * _above_less_below(at_x * rank_x)[x]
    grown_b = s * s + 2 * _above_less_below(at_y * rank_y)[y]
    root = np.sqrt(a) * np.sqrt(b)
    return np.asarray((r * s + moved) / root - joint / root / 2 * (grown_a / a + grown_b / b))


def _above_less_below(at: Array) -> Array:
    """For each level half of what lies above it less half of what lies below."""
    upto = np.cumsum(at)
    return np.asarray((upto[-1] - upto - (upto - at)) / 2)


def _kendall(x: Indices, y: Indices) -> dict[str, Array]:
    """The balance of concordant and discordant pairs grows with one more pair by its own balance against all others."""
    at_x, at_y = np.bincount(x).astype(float), np.bincount(y).astype(float)
    balance = _balance(x, y, len(at_x), len(at_y))
    n, total = len(x), float(balance.sum()) / 2
    untied_x, untied_y = ((n * n - float(at @ at)) / 2 for at in (at_x, at_y))
    root = np.sqrt(untied_x) * np.sqrt(untied_y)
    grown = (n - at_x[x]) / untied_x + (n - at_y[y]) / untied_y
    levels = min(len(at_x), len(at_y))
    room = n * n * (levels - 1) / levels
    return {
        "kendall_b": balance / root - total / root / 2 * grown,
        "kendall_c": 2 * balance / room - 4 * total / room / n,
    }


def _balance(x: Indices, y: Indices, levels_x: int, levels_y: int) -> Array:
    """For each pair how many others it is concordant with less how many it is discordant with."""
    grid = np.bincount(x.astype(np.int64) * levels_y + y, minlength=levels_x * levels_y).astype(float)
    grid = grid.reshape(levels_x, levels_y)
    upto = np.cumsum(grid, axis=0)
    left_less_right = (upto - grid) - (upto[-1] - upto)  # by y: how many have a smaller x less how many a larger
    below = np.cumsum(left_less_right, axis=1)
    balance = (below - left_less_right) - (below[:, -1:] - below)
    return np.asarray(balance[x, y])

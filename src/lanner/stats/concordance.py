"""Pearson, Spearman and Kendall of weighted pairs, for all resamples at once.

The pairs are first collapsed to their distinct values (cells), sorted by x and then y; a resample is then a vector of
cell weights, and every coefficient is computed for a block of resamples together. Kendall's discordant pairs are
counted on the grid of distinct values where that is small, and otherwise by a merge sort whose levels are the same for
all resamples (Knight 1966, with weights), its lowest levels done as small matrix products.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy import sparse

from lanner.stats.resample import Array, Indices

_BLOCK = 64  # merge sort starts from blocks of this many cells
_HELD = 1_000_000  # cell weights held at once
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Pairs:
    """Pairs (x, y) that belong to units (documents), ready to be weighed by unit."""

    x: Array
    y: Array
    unit: Indices
    units: int

    @cached_property
    def _codes(self) -> tuple[Array, Indices, Array, Indices]:
        xs, x = np.unique(self.x, return_inverse=True)
        ys, y = np.unique(self.y, return_inverse=True)
        return xs, x, ys, y

    @cached_property
    def levels(self) -> tuple[int, int]:
        """How many distinct values x and y take."""
        return len(self._codes[0]), len(self._codes[2])

    @cached_property
    def _cells(self) -> tuple[Indices, Indices, sparse.csr_array]:
        _, x, _, y = self._codes
        width = max(1, self.levels[1])
        cells, cell = np.unique(x * width + y, return_inverse=True)
        shape = (len(cells), self.units)
        incidence = sparse.csr_array((np.ones(len(cell)), (cell, self.unit)), shape=shape)
        return cells // width, cells % width, incidence

    @property
    def cells(self) -> int:
        """How many distinct pairs there are."""
        return len(self._cells[0])

    def coarsened(self, bins: int) -> Pairs:
        """The same pairs with each variable cut into this many bins of equal size."""
        return Pairs(_binned(self.x, bins), _binned(self.y, bins), self.unit, self.units)

    def coefficients(self, weights: Array) -> Array:
        """Pearson r, Spearman ρ, Kendall τ-b and τ-c for each row of unit weights; NaN where a variable is constant.

        τ-c's number of levels is that of the whole data, in every resample.
        """
        step = max(1, _HELD // max(1, self.cells))
        blocks = [self._block(weights[start : start + step]) for start in range(0, len(weights), step)]
        return np.concatenate(blocks) if blocks else np.empty((0, 4))

    def _block(self, weights: Array) -> Array:
        cell_x, cell_y, incidence = self._cells
        if not len(cell_x):
            return np.full((len(weights), 4), np.nan)
        drawn = np.ascontiguousarray((incidence @ weights.T).T)
        per_x = _grouped(drawn, self._starts_x)
        in_y_order = drawn[:, self._order_y]
        per_y = _grouped(in_y_order, self._starts_y)
        n = drawn.sum(axis=1)
        xs, _, ys, _ = self._codes
        pearson = _moments(drawn, per_x, per_y, n, np.tile(xs, (len(n), 1)), np.tile(ys, (len(n), 1)), cell_x, cell_y)
        spearman = _moments(drawn, per_x, per_y, n, _midranks(per_x), _midranks(per_y), cell_x, cell_y)
        balance, untied_x, untied_y = self._concordance(drawn, per_x, per_y, n)
        return np.stack([pearson, spearman, *_taus(balance, untied_x, untied_y, n, min(self.levels))], axis=1)

    @cached_property
    def _order_y(self) -> Indices:
        return np.lexsort((self._cells[0], self._cells[1]))

    @cached_property
    def _starts_x(self) -> Indices:
        return np.flatnonzero(np.diff(self._cells[0], prepend=-1))

    @cached_property
    def _starts_y(self) -> Indices:
        return np.flatnonzero(np.diff(self._cells[1][self._order_y], prepend=-1))

    def _concordance(self, drawn: Array, per_x: Array, per_y: Array, n: Array) -> tuple[Array, Array, Array]:
        """Concordant less discordant pairs, and the pairs not tied in x and not tied in y."""
        cell_x, cell_y, _ = self._cells
        pairs, tied_x, tied_y, tied_both = (_choose_two(w) for w in (n[:, None], per_x, per_y, drawn))
        kx, ky = self.levels
        if kx * ky <= self.cells * (4 + 2 * np.log2(max(2.0, self.cells / _BLOCK))):
            grid = np.zeros((len(drawn), kx, ky))
            grid[:, cell_x, cell_y] = drawn
            discordant = _grid_discordant(grid)
        else:
            discordant = _merge_discordant(drawn, cell_y)
        balance = pairs - tied_x - tied_y + tied_both - 2 * discordant
        return balance, pairs - tied_x, pairs - tied_y


def _binned(values: Array, bins: int) -> Array:
    edges = np.unique(np.quantile(values, np.linspace(0, 1, bins + 1)[1:-1]))
    index = np.searchsorted(edges, values, side="right")
    counts = np.bincount(index, minlength=len(edges) + 1)
    means = np.bincount(index, weights=values, minlength=len(edges) + 1) / np.maximum(counts, 1)
    return np.asarray(means[index])


def _grouped(weights: Array, starts: Indices) -> Array:
    return weights if len(starts) == weights.shape[1] else np.asarray(np.add.reduceat(weights, starts, axis=1))


def _choose_two(weights: Array) -> Array:
    """Pairs within each group of weight w, summed over groups: Σ w(w − 1)/2."""
    return np.asarray((np.einsum("bg,bg->b", weights, weights) - weights.sum(axis=1)) / 2)


def _midranks(group_weights: Array) -> Array:
    """Average rank of each group of equal values, given how many fall into each."""
    return np.asarray(np.cumsum(group_weights, axis=1) - (group_weights - 1) / 2)


def _moments(
    drawn: Array, per_x: Array, per_y: Array, n: Array, xs: Array, ys: Array, cell_x: Indices, cell_y: Indices
) -> Array:
    """Weighted product-moment correlation, where group g of x has the value xs[:, g]."""
    with np.errstate(invalid="ignore", divide="ignore"):
        xs = xs - (np.einsum("bg,bg->b", per_x, xs) / n)[:, None]
        ys = ys - (np.einsum("bg,bg->b", per_y, ys) / n)[:, None]
        joint = np.einsum("bc,bc,bc->b", drawn, xs[:, cell_x], ys[:, cell_y])
        spread = np.sqrt(np.einsum("bg,bg,bg->b", per_x, xs, xs)) * np.sqrt(np.einsum("bg,bg,bg->b", per_y, ys, ys))
        r = joint / spread
    constant = ((per_x > 0).sum(axis=1) < 2) | ((per_y > 0).sum(axis=1) < 2)
    return np.where(constant | ~np.isfinite(r), np.nan, np.clip(r, -1, 1))


def _taus(balance: Array, untied_x: Array, untied_y: Array, n: Array, levels: int) -> tuple[Array, Array]:
    """Kendall's τ-b (1945) and Stuart's τ-c (1953) from the balance of concordant and discordant pairs."""
    with np.errstate(invalid="ignore", divide="ignore"):
        tau_b = balance / np.sqrt(untied_x) / np.sqrt(untied_y)
        tau_c = 2 * balance / (n * n * (levels - 1) / levels)
    undefined = (untied_x <= 0) | (untied_y <= 0)
    return np.where(undefined, np.nan, np.clip(tau_b, -1, 1)), np.where(undefined, np.nan, tau_c)


def _grid_discordant(grid: Array) -> Array:
    """Σ over cells of weight × weight of the cells with smaller x and larger y."""
    before = np.cumsum(grid, axis=1) - grid
    above = before.sum(axis=2, keepdims=True) - np.cumsum(before, axis=2)
    return np.asarray(np.einsum("bxy,bxy->b", grid, above))


def _merge_discordant(drawn: Array, y: Indices) -> Array:
    """Weighted inversions of y among cells sorted by x then y.

    Blocks of 64 cells are compared all with all; then neighbouring blocks are merged, level by level: within a merged
    block sorted by y, each cell of the left half is paired with the weight of the right half that lies before it.
    """
    rows, cells = drawn.shape
    blocks = max(1, -(-cells // _BLOCK))
    padded = np.zeros((rows, blocks * _BLOCK), dtype=np.float64)
    padded[:, :cells] = drawn
    height = np.full(blocks * _BLOCK, y.max() + 1, dtype=np.int64)
    height[:cells] = y
    total = np.zeros(rows)
    for block in range(blocks):
        part = slice(block * _BLOCK, (block + 1) * _BLOCK)
        inverted = np.triu(height[part][:, None] > height[part][None, :], 1).astype(float)
        total += np.einsum("bi,bi->b", padded[:, part] @ inverted, padded[:, part])
    for order, right in _merge_levels(height):
        weights = padded[:, order]
        total += _merged(weights, right)
    return total


def _merge_levels(height: Indices) -> Iterator[tuple[Indices, npt.NDArray[np.bool_]]]:
    """For each level, the order by merged block, then y, then left before right; and who is in the right half."""
    size, place = _BLOCK, np.arange(len(height))
    while size < len(height):
        right = (place // size) % 2 == 1
        order = np.lexsort((right, height, place // (2 * size)))
        yield order, right[order]
        size *= 2


def _merged(weights: Array, right: npt.NDArray[np.bool_]) -> Array:
    return weights

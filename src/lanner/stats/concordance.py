"""Pearson, Spearman and Kendall of weighted pairs, for all resamples at once.

The pairs are first collapsed to their distinct values (cells), sorted by x and then y; a resample is then a column of
cell weights, and each coefficient is computed for a block of resamples together. Kendall's discordant pairs are counted
by a merge sort whose levels are the same for all resamples (Knight 1966, with weights), its lowest levels done as
matrix products.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from scipy import sparse

from lanner.stats.numbering import distinct
from lanner.stats.resample import Array, Indices

Coefficient = Literal["pearson", "spearman", "kendall_b", "kendall_c"]
COEFFICIENTS: tuple[Coefficient, ...] = ("pearson", "spearman", "kendall_b", "kendall_c")
_BASE = 64  # merge sort starts from blocks of this many cells
_HELD = 131_072  # cell weights in work at once: small enough to stay in a core's cache


@dataclass(frozen=True)
class Pairs:
    """Pairs (x, y) that belong to units (documents), ready to be weighed by unit."""

    x: Array
    y: Array
    unit: Indices
    units: int

    @cached_property
    def codes(self) -> tuple[Array, Indices, Array, Indices]:
        """The distinct x and each pair's place among them, and the same of y."""
        return (*distinct(self.x), *distinct(self.y))

    @cached_property
    def levels(self) -> tuple[int, int]:
        """How many distinct values x and y take."""
        return len(self.codes[0]), len(self.codes[2])

    @cached_property
    def _cells(self) -> tuple[Indices, Indices, Array | sparse.csr_array]:
        _, x, _, y = self.codes
        width = max(1, self.levels[1])
        cells, cell = distinct(x * width + y)
        shape = (len(cells), self.units)
        incidence = sparse.csr_array((np.ones(len(cell)), (cell, self.unit)), shape=shape)
        dense = incidence.nnz > 0.1 * len(cells) * self.units
        return cells // width, cells % width, incidence.toarray() if dense else incidence

    @property
    def cells(self) -> int:
        """How many distinct pairs there are."""
        return len(self._cells[0])

    @cached_property
    def _starts_x(self) -> Indices:
        return np.flatnonzero(np.diff(self._cells[0], prepend=-1))

    @cached_property
    def _by_y(self) -> tuple[Indices, Indices]:
        order = np.lexsort((self._cells[0], self._cells[1]))
        return order, np.flatnonzero(np.diff(self._cells[1][order], prepend=-1))

    @cached_property
    def _merge(self) -> _Merge:
        return _Merge.of(self._cells[1])

    def coarsened(self, bins: int) -> Pairs:
        """The same pairs with each variable cut into this many bins of equal size."""
        return Pairs(_binned(self.x, bins), _binned(self.y, bins), self.unit, self.units)

    def coefficients(self, weights: Array, names: Sequence[Coefficient] = COEFFICIENTS) -> Array:
        """One row per row of unit weights, one column per coefficient asked; NaN where a variable is constant.

        τ-c's number of levels is that of the whole data, in every resample.
        """
        columns: dict[str, Array] = {}
        if "pearson" in names:
            columns["pearson"] = self._pearson(weights)
        ranked = tuple(name for name in names if name != "pearson")
        if ranked and len(weights):
            step = max(1, _HELD // max(1, self.cells))
            blocks = [self._ranked(weights[i : i + step].T, ranked) for i in range(0, len(weights), step)]
            columns |= {name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]}
        empty = np.empty(len(weights))
        return np.stack([columns.get(name, empty) for name in names], axis=1)

    @cached_property
    def _moment_sums(self) -> Array:
        """Sums of 1, x, y, x², y² and xy per unit, x and y standardised so that nothing is lost to rounding."""
        x, y = _standard(self.x), _standard(self.y)
        parts = (np.ones(len(x)), x, y, x * x, y * y, x * y)
        return np.stack([np.bincount(self.unit, weights=part, minlength=self.units) for part in parts], axis=1)

    def _pearson(self, weights: Array) -> Array:
        return pearson_of_sums(*(weights @ self._moment_sums).T)

    def _ranked(self, weights: Array, names: Sequence[Coefficient]) -> dict[str, Array]:
        """Spearman and Kendall for a block of resamples; everything in here is cells × resamples."""
        if not self.cells:
            return {name: np.full(weights.shape[1], np.nan) for name in names}
        cell_x, cell_y, incidence = self._cells
        cell_weights = incidence @ weights
        order, starts_y = self._by_y
        per_x, per_y = _grouped(cell_weights, self._starts_x), _grouped(cell_weights[order], starts_y)
        n = cell_weights.sum(axis=0)
        by_name: dict[str, Array] = {}
        if "spearman" in names:
            by_name["spearman"] = _spearman(cell_weights, per_x, per_y, cell_x, cell_y)
        if "kendall_b" in names or "kendall_c" in names:
            pairs, tied_x, tied_y, tied_both = (_choose_two(w) for w in (n[None], per_x, per_y, cell_weights))
            balance = pairs - tied_x - tied_y + tied_both - 2 * self._merge.discordant(cell_weights)
            by_name |= _taus(balance, pairs - tied_x, pairs - tied_y, n, min(self.levels))
        return by_name


def pearson_of_sums(n: Array, x: Array, y: Array, xx: Array, yy: Array, xy: Array) -> Array:  # noqa: PLR0917
    """Pearson's r from the sums of 1, x, y, x², y² and xy; NaN where a variable is constant."""
    with np.errstate(invalid="ignore", divide="ignore"):
        spread_x, spread_y = xx - x * x / n, yy - y * y / n
        r = (xy - x * y / n) / np.sqrt(spread_x) / np.sqrt(spread_y)
        constant = (spread_x <= 1e-12 * xx) | (spread_y <= 1e-12 * yy)
    return np.where(constant | ~np.isfinite(r), np.nan, np.clip(r, -1, 1))


def _standard(values: Array) -> Array:
    centred = values - values.mean() if len(values) else values
    spread = np.abs(centred).max(initial=0.0)
    return centred / spread if spread > 0 else centred


def _binned(values: Array, bins: int) -> Array:
    edges = np.unique(np.quantile(values, np.linspace(0, 1, bins + 1)[1:-1]))
    index = np.searchsorted(edges, values, side="right")
    counts = np.bincount(index, minlength=len(edges) + 1)
    means = np.bincount(index, weights=values, minlength=len(edges) + 1) / np.maximum(counts, 1)
    return np.asarray(means[index])


def _grouped(weights: Array, starts: Indices) -> Array:
    return weights if len(starts) == len(weights) else np.asarray(np.add.reduceat(weights, starts, axis=0))


def _dot(a: Array, b: Array) -> Array:
    return np.asarray(np.einsum("ib,ib->b", a, b))


def _choose_two(weights: Array) -> Array:
    """Pairs within each group of weight w, summed over groups: Σ w(w − 1)/2."""
    return np.asarray((_dot(weights, weights) - weights.sum(axis=0)) / 2)


def _spearman(cell_weights: Array, per_x: Array, per_y: Array, cell_x: Indices, cell_y: Indices) -> Array:
    """Product-moment correlation of average ranks (Spearman 1904), whose mean is (n + 1)/2 whatever the ties."""
    n = cell_weights.sum(axis=0)
    rank_x, rank_y = (np.cumsum(w, axis=0) - (w + n) / 2 for w in (per_x, per_y))  # centred
    with np.errstate(invalid="ignore", divide="ignore"):
        joint = _dot(cell_weights * rank_x[cell_x], rank_y[cell_y])
        rho = joint / np.sqrt(_dot(per_x * rank_x, rank_x)) / np.sqrt(_dot(per_y * rank_y, rank_y))
    constant = ((per_x > 0).sum(axis=0) < 2) | ((per_y > 0).sum(axis=0) < 2)
    return np.where(constant, np.nan, np.clip(rho, -1, 1))


def _taus(balance: Array, untied_x: Array, untied_y: Array, n: Array, levels: int) -> dict[str, Array]:
    """Kendall's τ-b (1945) and Stuart's τ-c (1953) from the balance of concordant and discordant pairs."""
    with np.errstate(invalid="ignore", divide="ignore"):
        tau_b = balance / np.sqrt(untied_x) / np.sqrt(untied_y)
        tau_c = 2 * balance / (n * n * (levels - 1) / levels)
    undefined = (untied_x <= 0) | (untied_y <= 0)
    return {
        "kendall_b": np.where(undefined, np.nan, np.clip(tau_b, -1, 1)),
        "kendall_c": np.where(undefined, np.nan, tau_c),
    }


@dataclass(frozen=True)
class _Merge:
    """How to count weighted inversions of y among cells sorted by x then y: the same for every resample.

    Blocks of cells are compared all with all (`within`). Then neighbouring blocks are merged, level by level: each cell
    of the left block is paired with the weight of all cells of the right block that have a smaller y, read off the
    right block's cumulated weights in the order of y. A level is that order and where to read for each left cell.
    """

    size: int
    within: list[Array]
    levels: list[tuple[int, Indices, Indices]]

    @classmethod
    def of(cls, y: Indices) -> _Merge:
        cells = len(y)
        size = _BASE << max(0, int(np.ceil(np.log2(cells / _BASE))))
        height = np.full(size, y.max() + 1)  # cells added to fill the last block are above all and weigh nothing
        height[:cells] = y
        within = [np.triu(block[:, None] > block[None, :], 1).astype(float) for block in height.reshape(-1, _BASE)]
        levels = []
        half = _BASE
        while half < size:
            place = np.arange(size).reshape(-1, 2, half)
            left, right = height[place[:, 0]], height[place[:, 1]]
            order = np.argsort(right, axis=1, kind="stable")
            base = (height.max() + 1) * np.arange(len(left))[:, None]  # one search for all blocks
            read = np.searchsorted((np.take_along_axis(right, order, 1) + base).ravel(), (left + base).ravel())
            block = np.repeat(np.arange(len(left)), half)
            levels.append((half, np.take_along_axis(place[:, 1], order, 1).ravel(), read + block))
            half *= 2
        return cls(size, within, levels)

    def discordant(self, cell_weights: Array) -> Array:
        cells, resamples = cell_weights.shape
        weights = np.zeros((self.size, resamples))
        weights[:cells] = cell_weights
        total = np.zeros(resamples)
        for block, inverted in zip(weights.reshape(-1, _BASE, resamples), self.within, strict=True):
            total += _dot(inverted @ block, block)
        for half, order, read in self.levels:
            before = np.zeros((len(order) // half, half + 1, resamples))
            np.cumsum(weights[order].reshape(-1, half, resamples), axis=1, out=before[:, 1:])
            left = weights.reshape(-1, 2, half, resamples)[:, 0]
            total += np.einsum("kib,kib->b", left, before.reshape(-1, resamples)[read].reshape(left.shape))
        return total

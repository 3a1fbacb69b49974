"""How two measures, or two judges, go together: Pearson, Spearman, Kendall, with intervals over documents.

Sentences of one document are alike, so resampling them one by one makes intervals too narrow: the document is the unit
unless another is asked for.

How much each document pulls on a correlation: the derivative of the coefficient by the document's weight.

With thousands of documents the jackknife is this derivative to within 1/n of itself (the infinitesimal jackknife;
Jaeckel 1972, Efron 1982), and it takes one pass over the pairs instead of one for each document left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, product
from typing import Any, Literal

import numpy as np
import polars as pl
from scipy import sparse

from lanner.errors import StatisticError, check_known
from lanner.model import Result
from lanner.stats.frame import Numbers, by_name, codes, distinct, groups, in_order, numbers, units, wide
from lanner.stats.resample import (
    PLENTY,
    Array,
    Indices,
    Replicates,
    Resampling,
    clustered,
    combine_results,
    labelled,
    outcome,
    replicate,
    sign,
    undefined,
)

# Pearson, Spearman and Kendall of weighted pairs, for all resamples at once.
#
# The pairs are first collapsed to their distinct values (cells), sorted by x and then y; a resample is then a column of
# cell weights, and each coefficient is computed for a block of resamples together. Kendall's discordant pairs are
# counted by a merge sort whose levels are the same for all resamples (Knight 1966, with weights), its lowest levels
# done as matrix products.

Coefficient = Literal["pearson", "spearman", "kendall_b", "kendall_c"]
COEFFICIENTS: tuple[Coefficient, ...] = ("pearson", "spearman", "kendall_b", "kendall_c")
_BASE = 64  # merge sort starts from blocks of this many cells
_HELD = 131_072  # cell weights in work at once: small enough to stay in a core's cache


@dataclass(frozen=True)
class ValuePairs:
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

    def coarsened(self, bins: int) -> ValuePairs:
        """The same pairs with each variable cut into this many bins of equal size."""
        return ValuePairs(_bin_values(self.x, bins), _bin_values(self.y, bins), self.unit, self.units)

    def coefficients(self, weights: Array, names: Sequence[Coefficient] = COEFFICIENTS) -> Array:
        """One row per row of unit weights, one column per coefficient asked; NaN where a variable is constant.

        τ-c's number of levels is that of the whole data, in every resample.
        """
        columns: dict[str, Array] = {}
        if "pearson" in names:
            columns["pearson"] = self._pearson(weights)
        rank_names = tuple(name for name in names if name != "pearson")
        if rank_names and len(weights):
            step = max(1, _HELD // max(1, self.cells))
            blocks = [
                self._rank_correlations(weights[i : i + step].T, rank_names) for i in range(0, len(weights), step)
            ]
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

    def _rank_correlations(self, weights: Array, names: Sequence[Coefficient]) -> dict[str, Array]:
        """Spearman and Kendall for a block of resamples; everything in here is cells × resamples."""
        if not self.cells:
            return {name: np.full(weights.shape[1], np.nan) for name in names}
        cell_x, cell_y, incidence = self._cells
        cell_weights = incidence @ weights
        order, starts_y = self._by_y
        per_x, per_y = _sum_groups(cell_weights, self._starts_x), _sum_groups(cell_weights[order], starts_y)
        n = cell_weights.sum(axis=0)
        by_name: dict[str, Array] = {}
        if "spearman" in names:
            by_name["spearman"] = _spearman_of_ranks(cell_weights, per_x, per_y, cell_x, cell_y)
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
    deviations = values - values.mean() if len(values) else values
    spread = np.abs(deviations).max(initial=0.0)
    return deviations / spread if spread > 0 else deviations


def _bin_values(values: Array, bins: int) -> Array:
    edges = np.unique(np.quantile(values, np.linspace(0, 1, bins + 1)[1:-1]))
    index = np.searchsorted(edges, values, side="right")
    counts = np.bincount(index, minlength=len(edges) + 1)
    means = np.bincount(index, weights=values, minlength=len(edges) + 1) / np.maximum(counts, 1)
    return np.asarray(means[index])


def _sum_groups(weights: Array, starts: Indices) -> Array:
    return weights if len(starts) == len(weights) else np.asarray(np.add.reduceat(weights, starts, axis=0))


def _dot(a: Array, b: Array) -> Array:
    return np.asarray(np.einsum("ib,ib->b", a, b))


def _choose_two(weights: Array) -> Array:
    """Pairs within each group of weight w, summed over groups: Σ w(w − 1)/2."""
    return np.asarray((_dot(weights, weights) - weights.sum(axis=0)) / 2)


def _spearman_of_ranks(cell_weights: Array, per_x: Array, per_y: Array, cell_x: Indices, cell_y: Indices) -> Array:
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
    is_constant = (untied_x <= 0) | (untied_y <= 0)
    return {
        "kendall_b": np.where(is_constant, np.nan, np.clip(tau_b, -1, 1)),
        "kendall_c": np.where(is_constant, np.nan, tau_c),
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
        for block, inversions in zip(weights.reshape(-1, _BASE, resamples), self.within, strict=True):
            total += _dot(inversions @ block, block)
        for half, order, read in self.levels:
            before = np.zeros((len(order) // half, half + 1, resamples))
            np.cumsum(weights[order].reshape(-1, half, resamples), axis=1, out=before[:, 1:])
            left = weights.reshape(-1, 2, half, resamples)[:, 0]
            total += np.einsum("kib,kib->b", left, before.reshape(-1, resamples)[read].reshape(left.shape))
        return total


GRID = 4_000_000
"""Distinct x times distinct y up to which Kendall's pulls are exact; finer values are cut into bins first."""
BINS = 1000


_EXACT_UNITS = 40


def pulls(pairs: ValuePairs, names: Sequence[Coefficient]) -> Array:
    """units × coefficients: derivatives by the units' weights, which add up to zero."""
    by_name: dict[str, Array] = {}
    if "pearson" in names:
        by_name["pearson"] = _pearson(pairs.x, pairs.y)
    if "spearman" in names:
        by_name["spearman"] = _spearman(*_codes(pairs))
    if "kendall_b" in names or "kendall_c" in names:
        coarse = pairs.coarsened(BINS) if pairs.levels[0] * pairs.levels[1] > GRID else pairs
        by_name |= _kendall(*_codes(coarse))
    columns = [np.bincount(pairs.unit, weights=by_name[name], minlength=pairs.units) for name in names]
    return np.stack(columns, axis=1)


def without_each(pairs: ValuePairs, value: Array, names: Sequence[Coefficient]) -> Array:
    """units × coefficients: what each would be without a unit, `value` being those of all. Exact with few units, where
    one has a large part of the pairs; with many, to first order, which is far quicker and then hardly differs."""
    if pairs.units <= _EXACT_UNITS:
        return pairs.coefficients(1 - np.eye(pairs.units), names)
    left = 1 - np.bincount(pairs.unit, minlength=pairs.units) / len(pairs.unit)  # the others then weigh more
    return value - pulls(pairs, names) / left[:, None]


def _codes(pairs: ValuePairs) -> tuple[Indices, Indices]:
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
    change = _above_less_below(sums_x)[x] + _above_less_below(sums_y)[y]
    grown_a = r * r + 2 * _above_less_below(at_x * rank_x)[x]
    grown_b = s * s + 2 * _above_less_below(at_y * rank_y)[y]
    root = np.sqrt(a) * np.sqrt(b)
    return np.asarray((r * s + change) / root - joint / root / 2 * (grown_a / a + grown_b / b))


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
    growth = (n - at_x[x]) / untied_x + (n - at_y[y]) / untied_y
    levels = min(len(at_x), len(at_y))
    room = n * n * (levels - 1) / levels
    return {
        "kendall_b": balance / root - total / root / 2 * growth,
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


NAMES: dict[Coefficient, str] = {
    "pearson": "Pearson r",
    "spearman": "Spearman ρ",
    "kendall_b": "Kendall τ-b",
    "kendall_c": "Kendall τ-c",
}
_ITEM = ("document", "segment", "system")
_MANY_CELLS = 4096  # beyond this many distinct pairs the spread is estimated on binned values: it differs by under 1 %
_BINS = 64
_MANY_UNITS = 1000  # beyond this many documents they are resampled in groups


def correlate(
    x: Array,
    y: Array,
    documents: Indices | None = None,
    *,
    methods: Sequence[Coefficient] = ("pearson", "spearman", "kendall_b"),
    resampling: Resampling | None = None,
) -> list[Result]:
    """Correlation of two vectors, NaN for missing; one Result per coefficient.

    Pearson r is the covariance over the product of standard deviations; Spearman ρ (1904) the same of average ranks;
    Kendall τ-b (1945) = (C − D)/√((C + D + Tx)(C + D + Ty)), the balance of concordant and discordant pairs corrected
    for ties; Stuart τ-c (1953) = 2(C − D)/(n²(m − 1)/m) with m the smaller number of distinct values, for scales of
    different length. p is against zero, from the same distribution as the interval.

    Undefined (None, with the reason) where fewer than two pairs are complete or a variable is constant.
    """
    check_methods(methods)
    unit, resampling = _unit(len(x), documents, resampling)
    valid = np.isfinite(x) & np.isfinite(y)
    either = np.isfinite(x) | np.isfinite(y)
    pairs = _pairs(x[valid], y[valid], unit[valid])
    missing = 1 - float(valid.sum() / either.sum()) if either.any() else 1.0
    reason = _degenerate(pairs)
    counts = {"items": int(valid.sum()), "documents": pairs.units}
    if reason:
        return [undefined(NAMES[method], reason, counts=counts, missing=missing) for method in methods]
    replicates, notes = _replicates(pairs, methods, resampling)
    base = Result("", None, counts=counts, missing=missing, notes=notes)
    return [_result(base, replicates, k, NAMES[method], resampling) for k, method in enumerate(methods)]


def _result(base: Result, replicates: Replicates, column: int, name: str, resampling: Resampling) -> Result:
    estimate = outcome(replicates, resampling, column=column, scale="fisher", null=0.0)
    signature = sign(name, resampling, estimate.interval, pairs="complete")
    return replace(
        base,
        name=name,
        value=float(replicates.value[column]),
        interval=estimate.interval,
        p=estimate.p,
        notes=base.notes + estimate.notes,
        signature=signature,
    )


def _unit(n: int, documents: Indices | None, resampling: Resampling | None) -> tuple[Indices, Resampling]:
    """Without documents every item is its own unit, and the interval says so."""
    resampling = resampling or Resampling()
    if documents is None:
        return np.arange(n, dtype=np.intp), replace(resampling, unit="item")
    return documents, resampling


def check_methods(methods: Sequence[str]) -> None:
    """An error that helps for a coefficient nobody knows."""
    for method in methods:
        check_known(method, COEFFICIENTS, f"There is no coefficient {method!r}.", StatisticError)


def _pairs(x: Array, y: Array, unit: Indices) -> ValuePairs:
    names, index = distinct(unit)
    return ValuePairs(x, y, index, len(names))


def _degenerate(pairs: ValuePairs) -> str:
    if len(pairs.x) < 2:
        return f"{len(pairs.x)} pairs have both values; at least two are needed."
    if 1 in pairs.levels:
        return "one of the two variables has the same value everywhere."
    return ""


def _replicates(
    pairs: ValuePairs, methods: Sequence[Coefficient], resampling: Resampling
) -> tuple[Replicates, tuple[str, ...]]:
    """Resamples of the pairs; of large data, resamples of a coarser copy, moved to the exact value.

    Where nothing is drawn and units are many, each one's pull stands for leaving it out.
    """
    if pairs.units > PLENTY and resampling.chosen_method == "t":
        value = pairs.coefficients(np.ones((1, pairs.units)), methods)[0]
        return Replicates(value, np.empty((0, len(value))), without_each(pairs, value, methods), pairs.units), ()
    coarse, notes = pairs, []
    if pairs.cells > _MANY_CELLS:
        coarse = coarse.coarsened(_BINS)
        notes.append(f"Many distinct values: the interval's width is estimated on values cut into {_BINS} bins.")
    if pairs.units > _MANY_UNITS:
        coarse = replace(coarse, unit=coarse.unit % _MANY_UNITS, units=_MANY_UNITS)
        notes.append(f"Many {resampling.unit}s: they are resampled in {_MANY_UNITS} groups.")
    replicates = replicate(lambda weights: coarse.coefficients(weights, methods), coarse.units, resampling)
    if not notes:
        return replicates, ()
    exact = pairs.coefficients(np.ones((1, pairs.units)), methods)[0]
    shift = exact - replicates.value
    return Replicates(exact, replicates.draws + shift, replicates.jackknife + shift, replicates.units), tuple(notes)


def between_measures(
    data: Any,
    x: str,
    y: str,
    *,
    by: Sequence[str] = (),
    given: Sequence[str] = (),
    methods: Sequence[Coefficient] = ("pearson", "spearman", "kendall_b"),
    resampling: Resampling | None = None,
) -> Result:
    """Correlation of two measures over all items (and judges), or within each group of `by` ("judge", "domain", …).

    With `given`, the partial correlation: what remains when those measures are held constant. Rows: one per group and
    coefficient; the Result's own value is that of the first row.
    """
    table = wide(data).with_measures([x, y, *given])
    resampling = clustered(resampling)
    results = []
    for labels, part in groups(table.table, by):
        unit, _ = units(part, resampling.unit)
        a, b = numbers(part, x), numbers(part, y)
        if given:
            controls = np.stack([numbers(part, name) for name in given], axis=1)
            pair_results = partial(a, b, controls, unit, methods=methods, resampling=resampling)
            pair_results = [_held_constant(result, given) for result in pair_results]
        else:
            pair_results = correlate(a, b, unit, methods=methods, resampling=resampling)
        judges = part["judge"].n_unique()
        results += [labelled(_by(result, judges), {"x": x, "y": y, **labels}) for result in pair_results]
    return combine_results(f"correlation of {x} and {y}", results, table.notes)


def _held_constant(result: Result, given: Sequence[str]) -> Result:
    """A partial correlation whose signature names the measures that are held constant."""
    assert result.signature is not None
    parts = (("given", ", ".join(given)), *result.signature.parts)
    return replace(result, signature=replace(result.signature, parts=parts))


def correlations(
    data: Any,
    of: str | Sequence[str],
    *,
    judges: Sequence[str] = (),
    by: Sequence[str] = (),
    methods: Sequence[Coefficient] = ("pearson", "spearman", "kendall_b"),
    resampling: Resampling | None = None,
) -> Result:
    """Correlation of a measure (or several) between judges, over the items that both judged.

    Rows: one per measure, group, pair of judges and coefficient; the Result's own value is that of the first row.
    """
    measures = [of] if isinstance(of, str) else list(of)
    table = wide(data).with_measures(measures)
    resampling = clustered(resampling)
    all_judges = sorted(table.table["judge"].unique().to_list())
    for judge in judges:
        check_known(judge, all_judges, f"There is no judge {judge!r}.", StatisticError)
    results = []
    for measure, (labels, part) in product(measures, groups(table.table, by)):
        by_judge = _by_judge(part, measure, resampling.unit)
        for first, second in combinations(list(judges) or all_judges, 2):
            x, y, unit = _align(by_judge.get(first, _NOTHING), by_judge.get(second, _NOTHING))
            pair_results = correlate(x, y, unit, methods=methods, resampling=resampling)
            about = {"x": first, "y": second, "of": measure, **labels}
            results += [labelled(_by(result, 2), about) for result in pair_results]
    name = f"correlation of {', '.join(measures)} between judges"
    if not results:
        return undefined(name, "it takes two judges or more who gave numbers; rankings and sides are none.")
    return combine_results(name, results, table.notes)


def _by(result: Result, judges: int) -> Result:
    return replace(result, counts={**result.counts, "judges": judges})


_Answers = tuple[Numbers, Array, Indices]
"""Of one judge: the numbers of the items seen, in order, the value of each, and its resampling unit."""
_NOTHING: _Answers = (np.empty(0, np.int64), np.empty(0), np.empty(0, np.intp))


def _by_judge(table: pl.DataFrame, of: str, unit: str) -> dict[str, _Answers]:
    """Each judge's answers; of several to one item their mean."""
    item, first = by_name(table.select(pl.col(name).cast(pl.String).fill_null("") for name in _ITEM), _ITEM)
    by_item = units(table, unit)[0] if unit != "judge" else np.zeros(len(table), np.intp)
    home, values = by_item[first], numbers(table, of)
    judge, where = in_order(codes(table["judge"]))
    by_judge = {}
    for at, name in enumerate(table["judge"].gather(where).to_list()):
        mine = np.flatnonzero(judge == at)
        items, value = item[mine], values[mine]
        if not bool((np.diff(items) > 0).all()):
            valid = np.isfinite(value)
            items, place = distinct(items)
            total = np.bincount(place[valid], weights=value[valid], minlength=len(items))
            n = np.bincount(place[valid], minlength=len(items))
            value = np.divide(total, n, out=np.full(len(items), np.nan), where=n > 0)
        by_judge[str(name)] = (items, value, home[items])
    return by_judge


def _align(first: _Answers, second: _Answers) -> tuple[Array, Array, Indices]:
    """The values of two judges side by side for every item that either saw, and the items' units."""
    if np.array_equal(first[0], second[0]):
        return first[1], second[1], first[2]
    all_items = np.union1d(first[0], second[0])
    x, y, unit = np.full(len(all_items), np.nan), np.full(len(all_items), np.nan), np.empty(len(all_items), np.intp)
    for values, (items, own, home) in ((x, first), (y, second)):
        place = np.searchsorted(all_items, items)
        values[place], unit[place] = own, home
    return x, y, unit


def partial(
    x: Array,
    y: Array,
    controls: Array,
    documents: Indices | None = None,
    *,
    methods: Sequence[Coefficient] = ("pearson", "spearman", "kendall_b"),
    resampling: Resampling | None = None,
) -> list[Result]:
    """Partial correlation of x and y given the columns of `controls`.

    From the matrix R of correlations among all of them: −P_xy/√(P_xx P_yy) with P = R⁻¹. With ranks this is Spearman's
    partial, with τ-b Kendall's (1942). Undefined where a control is constant or determines x or y.
    """
    check_methods(methods)
    unit, resampling = _unit(len(x), documents, resampling)
    columns = np.column_stack([x, y, controls])
    valid = np.isfinite(columns).all(axis=1)
    either = np.isfinite(columns).any(axis=1)
    missing = 1 - float(valid.sum() / either.sum()) if either.any() else 1.0
    columns = columns[valid]
    names, index = np.unique(unit[valid], return_inverse=True)
    counts = {"items": int(valid.sum()), "documents": len(names), "controls": controls.shape[1]}
    width = columns.shape[1]
    corner = list(combinations(range(width), 2))
    pairs = [ValuePairs(columns[:, i], columns[:, j], index.astype(np.intp), len(names)) for i, j in corner]

    def statistic(weights: Array) -> Array:
        matrices = np.broadcast_to(np.eye(width), (len(methods), len(weights), width, width)).copy()
        for (i, j), pair in zip(corner, pairs, strict=True):
            matrices[:, :, i, j] = matrices[:, :, j, i] = pair.coefficients(weights, methods).T
        return _partials(matrices).T

    replicates = replicate(statistic, len(names), resampling) if len(columns) > width else None
    base = Result("", None, counts=counts, missing=missing)
    results = []
    for column, method in enumerate(methods):
        name = f"partial {NAMES[method]}"
        if replicates is None or np.isnan(replicates.value[column]):
            why = "too few complete rows, a constant variable, or a control that determines x or y."
            results.append(undefined(name, why, counts=counts, missing=missing))
        else:
            results.append(_result(base, replicates, column, name, resampling))
    return results


def _partials(matrices: Array) -> Array:
    """−P_01/√(P_00 P_11) of each matrix's inverse; NaN where it has none."""
    unknown = np.asarray(~np.isfinite(matrices).all(axis=(-2, -1)))
    safe = np.where(unknown[..., None, None], np.eye(matrices.shape[-1]), matrices)
    singular = np.asarray(np.abs(np.linalg.det(safe)) < 1e-10)
    safe = np.where(singular[..., None, None], np.eye(matrices.shape[-1]), safe)
    inverse = np.linalg.inv(safe)
    value = -inverse[..., 0, 1] / np.sqrt(np.abs(inverse[..., 0, 0] * inverse[..., 1, 1]))
    return np.where(unknown | singular, np.nan, np.clip(value, -1, 1))

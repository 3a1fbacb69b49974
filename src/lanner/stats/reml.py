"""The solver behind mixed models: y = Xβ + Σ Zₖbₖ + e, with bₖ ~ N(0, σₖ²) for each factor and e ~ N(0, σ²).

Following Bates et al. (2015, J. Stat. Softw. 67), β and σ are profiled out, so that the search is over θₖ = σₖ/σ alone,
and data enter only as cross-products, summed once. Levels that never meet outside their own document fall into small
blocks; all blocks are inverted together, and what is left are the few factors that run across documents (judges,
systems), one dense matrix. The gradient is exact, so a fit takes a dozen steps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import linalg, sparse
from scipy.optimize import minimize
from scipy.sparse.csgraph import connected_components

from lanner.errors import StatisticError
from lanner.stats.resample import Array, Indices

_BLOCK = 256  # the largest block of levels that is still inverted as one
_ACROSS = 3000  # the most levels the factors across blocks may have together
_STEEP = 12.0  # a factor's standard deviation is at most e¹² residual ones
_NEXT_TO_NOTHING = -6.0  # and at least e⁻⁶, or none at all
NOWHERE = 1e100
"""The deviance where there is none."""
_THIN = 64  # fewer levels than this across blocks are quickest as a full table
_ROUNDING = 1e-12  # a gain in the deviance this small, relative to it, is lost in rounding
_HELD = 150_000_000  # numbers that may be held: 1.2 GB


@dataclass(frozen=True)
class _Bucket:
    """Blocks of about the same size: levels (blocks × m, −1 where a block is smaller) and their cross-products."""

    levels: Indices
    factor: Indices
    own: Array
    across: Array
    data: Array


@dataclass(frozen=True)
class Problem:
    """A model's data as cross-products: everything the likelihood needs, whatever θ is."""

    n: int
    p: int
    sizes: tuple[int, ...]
    buckets: tuple[_Bucket, ...]
    across_factor: Indices
    across_levels: Indices
    across: Array
    across_data: Array
    gram: Array

    @classmethod
    def of(
        cls, y: Array, x: Array, factors: Sequence[Indices], slopes: Sequence[Array | None] | None = None
    ) -> Problem:
        """Cross-products of the outcome, the design matrix and the factors' levels. `slopes` are numbers that a
        factor's effects are multiplied by, row by row, where they are slopes rather than levels."""
        n, sizes = len(y), tuple(int(f.max()) + 1 for f in factors)
        offsets = np.concatenate([[0], np.cumsum(sizes)])
        total = int(offsets[-1])
        columns = np.concatenate([f + o for f, o in zip(factors, offsets[:-1], strict=True)])
        rows = np.tile(np.arange(n), len(factors))
        ones = np.ones(n)
        values = np.concatenate([ones if slope is None else slope for slope in slopes or [None] * len(factors)])
        z = sparse.csr_array((values, (rows, columns)), (n, total))
        meets = (z.T @ z).tocsr()
        data = np.column_stack([x, y])
        factor = np.repeat(np.arange(len(sizes)), sizes)
        sums = z.T @ data
        local, block = _blocks(meets, factor, sizes)
        outside = np.flatnonzero(~np.isin(factor, local))
        buckets = _buckets(meets, sums, factor, block, outside)
        across = meets[outside][:, outside].toarray()
        return cls(n, x.shape[1], sizes, buckets, factor[outside], outside, across, sums[outside], data.T @ data)

    @property
    def cost(self) -> float:
        """Multiplications that one step takes, roughly."""
        across = len(self.across_levels)
        shapes = [bucket.own.shape for bucket in self.buckets]
        return float(across**3 + sum(b * m * (m * m + m * across + 2 * across**2) for b, m, _ in shapes))

    def solve(self, theta: Array) -> Solution:
        """Eliminate the random effects at this θ: Cholesky of ΛZ'ZΛ + I, block by block, then what runs across."""
        scale = theta[self.across_factor]
        inner, right, gram = self.across.copy(), self.across_data.copy(), self.gram.copy()
        determinant, parts = 0.0, []
        for bucket in self.buckets:
            own_scale = np.where(bucket.levels >= 0, theta[bucket.factor], 0.0)[..., None]
            matrix = bucket.own * own_scale * own_scale.swapaxes(1, 2)
            np.einsum("bii->bi", matrix)[...] += 1.0
            inverse, log_size = _inverses(matrix)
            determinant += log_size
            across, data = bucket.across * own_scale, bucket.data * own_scale
            solved_across, solved_data = _times(inverse, across), _times(inverse, data)
            flat = _thin(_flat(across))
            inner -= _full(flat.T @ _thin(_flat(solved_across)))
            right -= flat.T @ _flat(solved_data)
            gram -= _flat(data).T @ _flat(solved_data)
            parts.append((inverse, solved_across, solved_data))
        inner *= scale[:, None] * scale
        inner[np.diag_indices_from(inner)] += 1.0
        right *= scale[:, None]
        root = _cholesky(inner)
        determinant += 2 * float(np.log(np.diag(root)).sum())
        solution = _cho_solve(root, right)
        return Solution(self, theta, determinant, gram - right.T @ solution, root, solution, parts)


@dataclass(frozen=True)
class Solution:
    """The model at one θ: log |ΛZ'ZΛ + I|, the cross-products with the random effects taken out, and the factors."""

    problem: Problem
    theta: Array
    determinant: float
    gram: Array
    root: Array
    solved: Array
    parts: list[tuple[Array, Array, Array]]

    @cached_property
    def _beta_root(self) -> Array:
        return _cholesky(self.gram[:-1, :-1])

    @cached_property
    def beta(self) -> Array:
        return _cho_solve(self._beta_root, self.gram[:-1, -1])

    @cached_property
    def residual(self) -> float:
        """Penalised residual sum of squares."""
        return float(self.gram[-1, -1] - self.gram[-1, :-1] @ self.beta)

    def _residual_variance(self, reml: bool) -> float:
        """σ² as profiled out. A model that explains every score exactly leaves none, and has no likelihood."""
        variance = self.residual / (self.problem.n - self.problem.p * reml)
        if not variance > 0:
            raise np.linalg.LinAlgError("nothing is left over")
        return variance

    @cached_property
    def covariance(self) -> Array:
        """Var(β)/σ²."""
        return _cho_solve(self._beta_root, np.eye(self.problem.p))

    def deviance(self, reml: bool, variance: float | None = None) -> float:
        """−2 log likelihood (restricted, if reml), with σ² profiled out unless it is given."""
        free = self.problem.n - self.problem.p * reml
        own = self._residual_variance(reml) if variance is None else variance
        penalty = 2 * float(np.log(np.diag(self._beta_root)).sum()) if reml else 0.0
        return self.determinant + penalty + free * float(np.log(2 * np.pi * own)) + self.residual / own

    @cached_property
    def _random(self) -> list[tuple[Indices, Array, Array]]:
        """For each set of levels: their factor (−1 for filling), (ΛZ'ZΛ + I)⁻¹ΛZ'[X y], and that inverse's diagonal."""
        scale = self.theta[self.problem.across_factor]
        spread = _cho_solve(self.root, np.eye(len(self.root)))
        parts = [(self.problem.across_factor, self.solved, np.diag(spread))]
        for bucket, (inverse, across, data) in zip(self.problem.buckets, self.parts, strict=True):
            flat = _flat(across) * scale
            diagonal = np.einsum("bii->bi", inverse).ravel() + np.einsum("ij,ij->i", _thin(flat) @ spread, flat)
            factor = np.where(bucket.levels >= 0, bucket.factor, -1).ravel()
            parts.append((factor, _flat(data) - flat @ self.solved, diagonal))
        return parts

    def gradient(self, reml: bool, variance: float | None = None) -> Array:
        """Slope of the deviance in θ, with σ² profiled out unless it is given."""
        own_variance = self._residual_variance(reml) if variance is None else variance
        step = np.append(-self.beta, 1.0)
        slope = np.zeros(len(self.theta))
        for factor, effects, diagonal in self._random:
            own = (1 - diagonal) - (effects @ step) ** 2 / own_variance
            if reml:
                own -= np.einsum("ij,jk,ik->i", effects[:, :-1], self.covariance, effects[:, :-1])
            slope += np.bincount(factor + 1, weights=own, minlength=len(slope) + 1)[1:]
        return np.divide(2 * slope, self.theta, out=np.zeros(len(slope)), where=self.theta > 0)

    def effects(self, variance: float) -> tuple[tuple[Array, Array], ...]:
        """For each factor its levels' own effects (best linear unbiased predictions) and the standard errors of these
        predictions, which count that β is estimated from the same data."""
        total = sum(self.problem.sizes)
        mean, spread = np.zeros(total + 1), np.zeros(total + 1)
        levels = [self.problem.across_levels, *(bucket.levels.ravel() for bucket in self.problem.buckets)]
        step = np.append(-self.beta, 1.0)
        for level, (factor, effects, diagonal) in zip(levels, self._random, strict=True):
            scale = self.theta[factor]
            mean[level] = scale * (effects @ step)  # filling has level −1 and lands in the spare last place
            of_beta = np.einsum("ij,jk,ik->i", effects[:, :-1], self.covariance, effects[:, :-1])
            spread[level] = scale * np.sqrt(np.maximum(variance * (diagonal + of_beta), 0))
        ends = np.cumsum(self.problem.sizes)
        return tuple(
            (mean[end - size : end], spread[end - size : end])
            for end, size in zip(ends, self.problem.sizes, strict=True)
        )


def minimise(problem: Problem, reml: bool) -> tuple[Array, bool]:
    """θ ≥ 0 with the smallest deviance, and whether the search ended well.

    The search is in log θ, where the deviance is smooth; a component that runs towards zero is then tried at zero
    itself.
    """

    def objective(log_theta: Array) -> tuple[float, Array]:
        theta = np.exp(np.clip(log_theta, _NEXT_TO_NOTHING, _STEEP))
        try:
            solution = problem.solve(theta)
            inside = (log_theta > _NEXT_TO_NOTHING) & (log_theta < _STEEP)
            return solution.deviance(reml), solution.gradient(reml) * theta * inside
        except np.linalg.LinAlgError:  # θ so large that rounding hides the residual: not a place to be
            return NOWHERE, np.zeros(len(theta))

    start, spread = np.zeros(len(problem.sizes)), np.diag(1 / np.array(problem.sizes, dtype=float))
    at, value, has_converged = descend(objective, start, spread)
    theta = np.exp(np.clip(at, _NEXT_TO_NOTHING, _STEEP))
    for k in np.flatnonzero(theta < 0.05):
        trial = np.where(np.arange(len(theta)) == k, 0.0, theta)
        other = problem.solve(trial).deviance(reml)
        if other <= value + 1e-6:
            theta, value = trial, other
    return theta, has_converged


def descend(
    objective: Callable[[Array], tuple[float, Array]], start: Array, spread: Array, *, flat: float = 1e-5
) -> tuple[Array, float, bool]:
    """Where a deviance is smallest (scipy's BFGS), its value there, and whether the search ended well.

    `spread` is a first guess at the inverse curvature; the search is over where no slope is steeper than `flat`.
    """
    if not len(start):
        return start, objective(start)[0], True
    options = {"hess_inv0": (spread + spread.T) / 2, "gtol": flat, "maxiter": 200}
    optimum = minimize(objective, start, jac=True, method="BFGS", options=options)
    return optimum.x, float(optimum.fun), bool(np.abs(optimum.jac).max() < 1e-2)


def _blocks(meets: sparse.csr_array, factor: Indices, sizes: tuple[int, ...]) -> tuple[Indices, Indices]:
    """Which factors stay local, and the block of each of their levels: the split that makes a step cheapest."""
    order = np.argsort(sizes, kind="stable")
    choices = []
    for across in range(len(sizes)):
        local, wide = order[across:], sum(sizes[k] for k in order[:across])
        levels = np.flatnonzero(np.isin(factor, local))
        _, block = connected_components(meets[levels][:, levels], directed=False)
        width = np.bincount(block).astype(float)
        if width.max() <= _BLOCK and wide <= _ACROSS:
            cost = (width**3).sum() + wide * (width**2).sum() + wide**2 * len(levels) + wide**3
            choices.append((cost, across, local, block))
    if choices:
        return min(choices, key=lambda choice: choice[:2])[2:]
    raise StatisticError(
        "These random effects have too many levels that all meet each other.",
        next_step="Leave out the factor with the most levels, or average the scores per item first.",
    )


def _buckets(
    meets: sparse.csr_array, data: Array, factor: Indices, block: Indices, outside: Indices
) -> tuple[_Bucket, ...]:
    """The cross-products of all levels but those `outside`, whose blocks are given, in buckets of equal size."""
    local = np.setdiff1d(np.arange(len(factor)), outside)
    counts = np.bincount(block)
    width = _round_up(counts)
    if int(width.sum()) * (len(outside) + int(width.max())) > _HELD:
        raise StatisticError(
            "This mixed model is too large to hold in memory.",
            next_step="Leave out the factor with the most levels, or average the scores per item first.",
        )
    order = np.argsort(block, kind="stable")
    home, place = np.full(len(factor), -1), np.zeros(len(factor), dtype=np.intp)
    home[local] = block
    place[local[order]] = np.arange(len(order)) - np.repeat(np.cumsum(counts) - counts, counts)
    pairs, beyond = meets.tocoo(), meets[:, outside]
    factors = []
    for m in np.unique(width):
        row = np.full(len(counts) + 1, -1)  # the spare last place is for levels that have no block
        row[np.flatnonzero(width == m)] = np.arange(int((width == m).sum()))
        mine = local[row[block] >= 0]
        levels = np.full((int(row.max()) + 1, m), -1)
        levels[row[home[mine]], place[mine]] = mine
        own = np.zeros((*levels.shape, m))
        inside = (row[home[pairs.row]] >= 0) & (home[pairs.row] == home[pairs.col])
        first, second = pairs.row[inside], pairs.col[inside]
        own[row[home[first]], place[first], place[second]] = pairs.data[inside]
        across = np.zeros((*levels.shape, len(outside)))
        across[row[home[mine]], place[mine]] = beyond[mine].toarray()
        nonnegative = np.maximum(levels, 0)
        factors.append(_Bucket(levels, factor[nonnegative], own, across, data[nonnegative] * (levels >= 0)[..., None]))
    return tuple(factors)


def _round_up(sizes: Indices) -> Indices:
    """Block sizes rounded up, so that few kinds remain and little is wasted: 1, 2, 4, 8, 16, 24, … 64, 96, 128, …"""
    small = np.left_shift(1, np.ceil(np.log2(np.maximum(sizes, 1))).astype(int))
    step = np.where(sizes <= 64, 8, 32)
    return np.asarray(np.where(sizes <= 8, small, -(-sizes // step) * step), dtype=np.intp)


def _inverses(matrices: Array) -> tuple[Array, float]:
    """Inverses of positive definite blocks and the log of their determinants, summed."""
    if matrices.shape[1] == 1:
        return 1 / matrices, float(np.log(matrices).sum())
    return np.asarray(np.linalg.inv(matrices), dtype=float), float(np.linalg.slogdet(matrices)[1].sum())


def _times(inverse: Array, right: Array) -> Array:
    return inverse * right if inverse.shape[1] == 1 else inverse @ right


def _flat(blocks: Array) -> Array:
    return blocks.reshape(blocks.shape[0] * blocks.shape[1], blocks.shape[2])


def _thin(matrix: Array) -> Array | sparse.csr_array:
    """Sparse where few levels meet, as with many factors across blocks: products then cost what is there."""
    if matrix.shape[1] < _THIN or np.count_nonzero(matrix) > matrix.size / 20:
        return matrix
    return sparse.csr_array(matrix)


def _full(matrix: Array | sparse.csr_array) -> Array:
    return matrix if isinstance(matrix, np.ndarray) else np.asarray(matrix.toarray())


def _cholesky(matrix: Array) -> Array:
    return np.asarray(np.linalg.cholesky(matrix), dtype=float)


def _cho_solve(root: Array, right: Array) -> Array:
    return np.asarray(linalg.cho_solve((root, True), right, check_finite=False))

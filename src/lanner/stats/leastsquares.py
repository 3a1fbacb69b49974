"""Ordinary least squares with standard errors that are right when rows of one document are alike.

Clustered errors are CR2 (Bell & McCaffrey 2002): each cluster's residuals are multiplied by (I − H_gg)^(−1/2), which
removes the bias of the plain sandwich, and each coefficient gets its own Satterthwaite degrees of freedom; tests of
several coefficients at once are the approximate Hotelling test of Pustejovsky & Tipton (2018, J. Bus. Econ. Stat. 36).
With few documents this is what keeps the error rate near its nominal level. CR1 is the common sandwich with the
correction G/(G − 1) · (n − 1)/(n − p) and G − 1 degrees of freedom.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from scipy.special import fdtrc, stdtr, stdtrit

from lanner.stats.resample import Array, Indices

Errors = Literal["cr2", "cr1", "classical"]
_MANY = 500  # from this many clusters on, the Hotelling test takes G − 1 degrees of freedom
_APART = 1e-2  # share of a column's length that must be its own for cross-products to lose next to nothing
_NO_ROOM = 1e-10  # less than this left of 1 − leverage is nothing left


@dataclass(frozen=True)
class Estimate:
    """One linear combination of coefficients, tested against zero."""

    value: float
    error: float
    df: float

    @property
    def p(self) -> float:
        """NaN where the error is unknown: a coefficient that one document alone determines, or a perfect fit."""
        if not self.error > 0:
            return 1.0 if self.value == 0 and self.error == 0 else float("nan")
        return float(2 * stdtr(self.df, -abs(self.value) / self.error))

    @property
    def known_p(self) -> float | None:
        return None if np.isnan(self.p) else self.p

    def ends(self, level: float) -> tuple[float | None, float | None]:
        """The interval, or nothing where the error is unknown."""
        return self.interval(level) if self.error > 0 else (None, None)

    def interval(self, level: float) -> tuple[float, float]:
        reach = float(stdtrit(self.df, 0.5 + level / 2)) * self.error
        return self.value - reach, self.value + reach


@dataclass(frozen=True)
class Joint:
    """An F test that several coefficients are zero."""

    f: float
    df1: int
    df2: float

    @property
    def p(self) -> float:
        return float(fdtrc(self.df1, self.df2, self.f))


@dataclass(frozen=True)
class Ols:
    """y = Xβ + e by least squares. X has full column rank and more rows than columns; `cluster` numbers documents."""

    y: Array
    x: Array
    cluster: Indices | None = None
    errors: Errors = "cr2"

    @property
    def n(self) -> int:
        return len(self.y)

    @property
    def p(self) -> int:
        return int(self.x.shape[1])

    @cached_property
    def _root(self) -> Array:
        """R⁻¹ of X = QR: a root of (X'X)⁻¹ that exists also where that is next to singular.

        Where columns are far from dependent R is the Cholesky root of X'X, at a fraction of the work.
        """
        upper = well_conditioned(self.x.T @ self.x)
        return np.asarray(np.linalg.inv(np.linalg.qr(self.x, mode="r") if upper is None else upper), dtype=float)

    @cached_property
    def bread(self) -> Array:
        """(X'X)⁻¹."""
        return np.asarray(self._root @ self._root.T)

    @cached_property
    def beta(self) -> Array:
        if well_conditioned(self.x.T @ self.x) is None:
            return np.asarray(np.linalg.lstsq(self.x, self.y, rcond=None)[0])
        first = self.bread @ (self.x.T @ self.y)
        return np.asarray(first + self.bread @ (self.x.T @ (self.y - self.x @ first)))  # once more, against rounding

    @cached_property
    def residuals(self) -> Array:
        """y − Xβ; what rounding leaves of a perfect fit is nothing, or it would look like great precision."""
        differences = self.y - self.x @ self.beta
        return np.where(np.abs(differences) > self._rounding, differences, 0.0)

    @cached_property
    def _rounding(self) -> float:
        """Differences in y that are no more than rounding."""
        largest_deviation = float(np.abs(self.y - self.y.mean()).max())
        return 1e-10 * largest_deviation + 64 * float(np.finfo(float).eps * np.abs(self.y).max())

    @cached_property
    def r_squared(self) -> float:
        """1 − RSS/TSS, about the mean."""
        total = float(((self.y - self.y.mean()) ** 2).sum())
        return 1 - float((self.residuals**2).sum()) / total

    @cached_property
    def clusters(self) -> int:
        return self.n if self.cluster is None else len(np.unique(self.cluster))

    @cached_property
    def _rows(self) -> list[Indices]:
        """Row numbers of the clusters, one table (clusters × rows) for each size of cluster."""
        if self.cluster is None:
            return []
        order = np.argsort(self.cluster, kind="stable")
        starts = np.flatnonzero(np.diff(self.cluster[order], prepend=-1))
        sizes = np.diff(starts, append=len(order))
        return [order[starts[sizes == size, None] + np.arange(size)] for size in np.unique(sizes)]

    @cached_property
    def _adjusted_rows(self) -> list[Array]:
        """A_g X_g of the clusters in `_rows`, with A_g = (I − H_gg)^(−1/2) for CR2 and I for CR1."""
        if self.errors != "cr2":
            return [self.x[rows] for rows in self._rows]
        return [_without_leverage(self.x[rows], self._root) for rows in self._rows]

    @cached_property
    def covariance(self) -> Array:
        """Var(β)."""
        return self._covariance_of(np.eye(self.p))

    @cached_property
    def _scores(self) -> Array:
        """X'e of each cluster, adjusted."""
        own = zip(self._adjusted_rows, self._rows, strict=True)
        scores = np.concatenate([_cross_products(x, self.residuals[rows][:, :, None])[:, :, 0] for x, rows in own])
        g = self.clusters
        return scores * np.sqrt(g / (g - 1) * (self.n - 1) / (self.n - self.p)) if self.errors == "cr1" else scores

    def _covariance_of(self, weights: Array) -> Array:
        """Var(Wβ), W having a combination of coefficients in each row. Combined before they are squared: a combination
        that fits perfectly keeps no error from the others."""
        if self.cluster is None or self.errors == "classical":
            residual = float((self.residuals**2).sum()) / (self.n - self.p)
            return np.asarray(weights @ self.bread @ weights.T * residual)
        half = self._scores @ (self.bread @ weights.T)
        return np.asarray(half.T @ half)

    def contrast(self, weights: Array) -> Estimate:
        """w'β with its standard error and degrees of freedom."""
        value, variance = float(weights @ self.beta), float(self._covariance_of(weights[None])[0, 0])
        if self._of_one_cluster(weights):
            return Estimate(value, float("nan"), float("nan"))
        rounding = self._rounding * float(np.sqrt(weights @ self.bread @ weights))
        error = float(np.sqrt(variance)) if variance > rounding**2 else 0.0
        return Estimate(value if error or abs(value) > rounding else 0.0, error, self._df(weights))

    def _of_one_cluster(self, weights: Array) -> bool:
        """Whether the combination rests on a direction that one cluster alone determines: the one document of a domain,
        say. Its residuals there are zero whatever the truth is, so that no spread can be told."""
        if self.cluster is None or self.errors == "classical":
            return False
        pull = self.bread @ weights
        alone = whole = 0.0
        for rows in self._rows:
            x = self.x[rows]
            left, size, _ = np.linalg.svd(x @ self._root, full_matrices=False)
            own = x @ pull
            whole += float((own**2).sum())
            inside = np.einsum("gij,gi->gj", left, own)
            alone += float((np.where(size > 1 - 1e-9, inside, 0.0) ** 2).sum())
        return alone > 1e-9 * max(whole, 1e-300)

    def coefficients(self) -> list[Estimate]:
        return [self.contrast(unit) for unit in np.eye(self.p)]

    def _df(self, weights: Array) -> float:
        if self.cluster is None or self.errors == "classical":
            return float(self.n - self.p)
        if self.errors == "cr1":
            return float(self.clusters - 1)
        own, pull = self._shares(weights)
        common = pull @ self.bread @ pull.T if len(own) <= _MANY else None
        if common is not None:
            matrix = np.diag(own) - common
            return float(np.trace(matrix) ** 2 / (matrix**2).sum())
        inner = self.bread @ (pull.T @ pull)
        cross_terms = np.einsum("gi,ij,gj->g", pull, self.bread, pull)
        trace = float(own.sum() - cross_terms.sum())
        squares = float((own**2).sum() - 2 * (own * cross_terms).sum() + np.trace(inner @ inner))
        return trace**2 / squares

    def _shares(self, weights: Array) -> tuple[Array, Array]:
        """Per cluster, with p_g = A_g X_g (X'X)⁻¹ w: p_g'p_g and X_g'p_g."""
        own, pull = self._pulls((self.bread @ weights)[:, None])
        return own[:, 0, 0], pull[:, :, 0]

    def _pulls(self, directions: Array) -> tuple[Array, Array]:
        """The same for several directions (X'X)⁻¹ w at once: clusters × w × w, and clusters × coefficients × w."""
        own, pull = [], []
        for inner, outer in self._squares:
            pull.append(outer @ directions)
            own.append(directions.T @ (inner @ directions))
        return np.concatenate(own), np.concatenate(pull)

    @cached_property
    def _squares(self) -> list[tuple[Array, Array]]:
        """(AX)'AX and X'AX of each cluster: all that degrees of freedom ask of the rows."""
        return [
            (_cross_products(x, x), _cross_products(self.x[rows], x))
            for x, rows in zip(self._adjusted_rows, self._rows, strict=True)
        ]

    def joint(self, columns: Sequence[int]) -> Joint | None:
        """Are these coefficients all zero? None where there are too few clusters to tell, a perfect fit that leaves
        nothing to tell by, or no columns."""
        q = len(columns)
        if q == 0:
            return None
        pick = np.eye(self.p)[list(columns)]
        variance, estimate = self._covariance_of(pick), pick @ self.beta
        scale = np.linalg.inv(np.linalg.cholesky(pick @ self.bread @ pick.T))
        if float(np.linalg.eigvalsh(scale @ variance @ scale.T).min()) <= self._rounding**2:
            return None
        f = float(estimate @ np.linalg.pinv(variance, hermitian=True) @ estimate) / q
        if self.cluster is None or self.errors == "classical":
            df = float(self.n - self.p)
        elif self.errors == "cr1":
            df = float(self.clusters - 1)
        else:
            eta = self._hotelling_df(pick)
            df = eta - q + 1
            f *= df / eta
        # a variance that is nothing but rounding may turn out negative, or its degrees of freedom endless: no test then
        return Joint(f, q, df) if 0 < df < np.inf and 0 <= f < np.inf else None

    def _hotelling_df(self, pick: Array) -> float:
        """η such that the estimated variance behaves like a Wishart matrix on η degrees of freedom."""
        q, g = len(pick), self.clusters
        if g > _MANY:
            return float(g - 1)
        spread = pick @ self.bread @ pick.T
        root = np.linalg.inv(np.linalg.cholesky(spread)) @ pick
        own, pull = self._pulls(self.bread @ root.T)
        covariance = -np.einsum("gis,ij,hjt->stgh", pull, self.bread, pull, optimize=True)
        each = np.arange(g)
        covariance[:, :, each, each] += own.transpose(1, 2, 0)
        total = np.einsum("ssgh,ttgh->", covariance, covariance, optimize=True) + np.einsum(
            "stgh,tsgh->", covariance, covariance, optimize=True
        )
        return float(q * (q + 1) / total)


def well_conditioned(gram: Array) -> Array | None:
    """The upper Cholesky root of X'X, or None where a column is nearly determined by those before it."""
    size = np.sqrt(np.diag(gram))
    if not np.isfinite(size).all() or not (size > 0).all():
        return None
    try:
        lower = np.linalg.cholesky(gram / size / size[:, None])
    except np.linalg.LinAlgError:
        return None
    return np.asarray(lower.T * size) if float(np.diag(lower).min()) > _APART else None


def _cross_products(a: Array, b: Array) -> Array:
    """a'b for each cluster."""
    return np.asarray(np.matmul(a.transpose(0, 2, 1), b))


def _without_leverage(x: Array, root: Array) -> Array:
    """(I − H)^(−1/2) X for clusters of one size (clusters × rows × coefficients), where H = X root root' X'.

    H has the rank of X, so its root comes from the smaller side: with H = U S² U', X gains U (1/√(1 − S²) − 1) U' X.
    Directions that a cluster alone determines (leverage 1) carry no residual and are dropped.
    """
    half = x @ root
    if x.shape[1] < x.shape[2]:
        left, size, _ = np.linalg.svd(half, full_matrices=False)
        gain = np.where(1 - size**2 > _NO_ROOM, 1 / np.sqrt(np.maximum(1 - size**2, _NO_ROOM)), 0.0) - 1
        return np.asarray(x + left @ (gain[:, :, None] * _cross_products(left, x)))
    squares, vectors = np.linalg.eigh(_cross_products(half, half))
    squares = np.clip(squares, 1e-300, 1.0)
    # U = X root V / S, so the gain is divided by S²; expm1 keeps that right where S is next to nothing
    factor = np.expm1(-0.5 * np.log1p(-np.minimum(squares, 1 - _NO_ROOM))) / squares
    gain = np.where(1 - squares > _NO_ROOM, factor, -1 / squares)
    inner = vectors @ (gain[:, :, None] * np.matmul(vectors.transpose(0, 2, 1), _cross_products(half, x)))
    return np.asarray(x + half @ inner)

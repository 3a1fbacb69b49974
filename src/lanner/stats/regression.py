"""What explains a score: least squares with intervals, how much each block of predictors adds, and whether judges weigh
them alike.

Standard errors take documents as clusters unless "classical" ones are asked for; R² gets an interval over documents.

Named columns become a design matrix: numbers as they are, text as one column per group but the first. Clustered errors
are CR2 (Bell & McCaffrey 2002): each cluster's residuals are multiplied by (I − H_gg)^(−1/2), which removes the bias of
the plain sandwich, and each coefficient gets its own Satterthwaite degrees of freedom; tests of several coefficients at
once are the approximate Hotelling test of Pustejovsky & Tipton (2018, J. Bus. Econ. Stat. 36). With few documents this
is what keeps the error rate near its nominal level. CR1 is the common sandwich with the correction G/(G − 1) · (n −
1)/(n − p) and G − 1 degrees of freedom.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, combinations_with_replacement, pairwise
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy.special import fdtrc, stdtr, stdtrit

from lanner.model import Json, Result
from lanner.model.messages import plural, words
from lanner.stats.frame import Wide, check_columns, groups, positions, units, wide
from lanner.stats.resample import (
    Array,
    Indices,
    Outcome,
    Replicates,
    Resampling,
    clustered,
    combine_results,
    common_counts,
    holm,
    labelled,
    notes_together,
    number_or_none,
    outcome,
    replicate_sums,
    sign,
    undefined,
)

# Least squares


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
            return float("nan")
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

    def row(self, level: float) -> dict[str, Json]:
        low, high = self.ends(level)
        error, df = number_or_none(self.error), number_or_none(self.df)
        return {"value": self.value, "low": low, "high": high, "error": error, "df": df, "p": self.known_p}


@dataclass(frozen=True)
class JointTest:
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

    def joint(self, columns: Sequence[int]) -> JointTest | None:
        """Are these coefficients all zero? None where there are too few clusters to tell, one of them rests on a single
        cluster, a perfect fit leaves nothing to tell by, or there are no columns."""
        q = len(columns)
        pick = np.eye(self.p)[list(columns)]
        if q == 0 or any(self._of_one_cluster(weights) for weights in pick):
            return None
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
        return JointTest(f, q, df) if 0 < df < np.inf and 0 <= f < np.inf else None

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


# Regressions


INTERCEPT = "intercept"


@dataclass(frozen=True)
class Terms:
    """A design matrix over the rows that have every value: `rows` says which rows of the table those are."""

    names: tuple[str, ...]
    matrix: Array
    rows: Indices
    notes: tuple[str, ...] = ()


def too_few(rows: int, design: Terms) -> str:
    """That so few rows cannot tell so many coefficients."""
    coefficients = plural(design.matrix.shape[1], "coefficient")
    return f"{plural(rows, 'complete row is', 'complete rows are')} too few for {coefficients}."


def terms(table: pl.DataFrame, outcome: str, predictors: Sequence[str]) -> tuple[Array, Terms]:
    """The outcome and the design matrix, intercept first, over complete rows.

    A column that the columns before it determine (also a constant one) is left out, and a note says so.
    """
    check_columns(table, [outcome, *predictors])
    y = table[outcome].cast(pl.Float64).fill_null(np.nan).to_numpy().astype(float)
    names, columns, single = [INTERCEPT], [np.ones(len(y))], []
    complete: npt.NDArray[np.bool_] = np.isfinite(y)
    for name in predictors:
        own = _columns(table[name])
        if not own:
            single.append(name)
        for label, values in own:
            names.append(label)
            columns.append(values)
            complete &= np.isfinite(values)
    rows = np.flatnonzero(complete)
    matrix = np.stack(columns, axis=1)
    if len(rows) < len(y):
        y, matrix = y[rows], matrix[rows]
    independent = _independent(matrix)
    left_out = [*single, *(name for index, name in enumerate(names) if index not in independent)]
    notes = (f"Left out, because the other predictors determine it: {', '.join(left_out)}.",) if left_out else ()
    kept = matrix if len(independent) == matrix.shape[1] else matrix[:, independent]
    return y, Terms(tuple(names[k] for k in independent), kept, rows, notes)


def _columns(column: pl.Series) -> list[tuple[str, Array]]:
    if column.dtype.is_numeric() or column.dtype == pl.Boolean:
        return [(column.name, column.cast(pl.Float64).fill_null(np.nan).to_numpy().astype(float))]
    text = column.cast(pl.String)
    levels = sorted(text.drop_nulls().unique().to_list())
    return [
        (f"{column.name}={level}", (text == level).cast(pl.Float64).fill_null(np.nan).to_numpy().astype(float))
        for level in levels[1:]
    ]


def _independent(matrix: Array) -> list[int]:
    """Columns that are not linear combinations of the ones before them."""
    if well_conditioned(matrix.T @ matrix) is not None:
        return list(range(matrix.shape[1]))
    sizes = np.linalg.norm(matrix, axis=0)
    if matrix.shape[0] >= matrix.shape[1]:
        own = np.abs(np.diag(np.linalg.qr(matrix, mode="r")))
        if bool((own > 1e-9 * np.maximum(sizes, 1e-300)).all()):  # as a rule nothing depends on anything
            return list(range(matrix.shape[1]))
    columns: list[int] = []
    basis = np.empty((len(matrix), 0))
    for index in range(matrix.shape[1]):
        column = matrix[:, index]
        rest = column - basis @ (basis.T @ column)
        rest -= basis @ (basis.T @ rest)  # twice is enough for full precision
        size = np.linalg.norm(rest)
        if size > 1e-9 * max(1e-300, float(np.linalg.norm(column))):
            columns.append(index)
            basis = np.column_stack([basis, rest / size])
    return columns


def codes(table: pl.DataFrame, factor: str) -> tuple[Indices, tuple[str, ...]]:
    """Which level of a factor each row has: a column, "item" (document and segment), or several joined by ":"."""
    parts = [
        column for part in factor.split(":") for column in (("document", "segment") if part == "item" else (part,))
    ]
    check_columns(table, parts)
    text = [pl.col(p).cast(pl.String).fill_null("") for p in parts]
    names = table.select(text[0] if len(text) == 1 else pl.concat_str(text, separator=":")).to_series()
    levels = names.unique().sort()
    return positions(names, levels).astype(np.intp), tuple(levels.to_list())


Clustering = Literal["document", "document-cr1", "classical"]
_ERRORS: dict[str, Errors] = {"document": "cr2", "document-cr1": "cr1", "classical": "classical"}


@dataclass(frozen=True)
class _Model:
    """A design with its fit; `document` numbers the rows' documents."""

    terms: Terms
    fit: Ols
    document: Indices
    missing: float
    judges: int

    @property
    def counts(self) -> dict[str, int]:
        documents = len(np.unique(self.document))
        return {"items": self.fit.n, "documents": documents, "judges": self.judges, "predictors": self.fit.p - 1}


def regress(
    data: Any,
    outcome_of: str,
    predictors: Sequence[str],
    *,
    by: Sequence[str] = (),
    errors: Clustering = "document",
    fill: float | None = None,
    resampling: Resampling | None = None,
) -> Result:
    """Ordinary least squares of a measure on others, with an intercept.

    Each predictor is a measure, a grid question (all its rows) or a column of text (one term per group but the first).
    `errors`: "document" = CR2 (Bell and McCaffrey 2002) with Satterthwaite degrees of freedom; "document-cr1" = the
    common clustered sandwich; "classical" = rows taken as independent, as most papers report.
    `fill` replaces missing outcomes.

    Rows: one per group and term with coefficient, interval, standard error, df, p, and the standardised coefficient
    β·sd(x)/sd(y). The Result's value is R² = 1 − RSS/TSS with its interval over documents.
    """
    source = _source(data, outcome_of, predictors, fill)
    resampling = clustered(resampling)
    results, rows = [], []
    for labels, part in groups(source.table, by):
        group_rows, own = _regress(part, outcome_of, source.expand(predictors), errors, resampling)
        results.append(labelled(group_rows, labels))
        rows += [{**labels, **row} for row in own]
    return replace(combine_results(f"regression of {outcome_of}", results, source.notes), rows=rows)


def _source(data: Any, outcome_of: str, predictors: Sequence[str], fill: float | None) -> Wide:
    source = wide(data)
    source = source.with_measures([outcome_of, *source.expand(predictors)])
    if fill is None:
        return source
    table = source.table.with_columns(pl.col(outcome_of).fill_null(fill))
    return Wide(table, (*source.notes, f"Missing values of {outcome_of} are taken as {fill:.12g}."))


def _regress(
    part: pl.DataFrame, outcome_of: str, predictors: Sequence[str], errors: Clustering, resampling: Resampling
) -> tuple[Result, list[dict[str, Json]]]:
    model = _fit(part, outcome_of, predictors, errors, resampling)
    name = f"R² of {outcome_of}"
    if isinstance(model, str):
        return undefined(name, model), []
    spread = outcome(_r_squared(model, [list(range(model.fit.p))], resampling), resampling, scale="logit")
    signature = sign("OLS", resampling, spread.interval, errors=errors, predictors=str(model.fit.p - 1))
    rows = _coefficient_rows(model, resampling.level)
    exact = [str(row["term"]) for row in rows if row["p"] is None and row["error"] == 0]
    alone = [str(row["term"]) for row in rows if row["p"] is None and row["error"] != 0]
    notes = model.terms.notes + spread.notes
    if alone:
        notes += (f"One {resampling.unit} alone says something about {', '.join(alone)}: no interval and no p.",)
    if exact:
        notes += (f"What {', '.join(exact)} rests on fits without any error: no interval and no p.",)
    result = Result(
        name, model.fit.r_squared, spread.interval, None, model.counts, model.missing, notes=notes, signature=signature
    )
    return result, rows


def _fit(
    part: pl.DataFrame, outcome_of: str, predictors: Sequence[str], errors: Clustering, resampling: Resampling
) -> _Model | str:
    """The fitted model, or why there is none."""
    y, design = terms(part, outcome_of, predictors)
    if len(y) <= design.matrix.shape[1]:
        return too_few(len(y), design)
    if float(np.ptp(y)) == 0:
        return f"{outcome_of} has the same value everywhere."
    if predictors and len(design.names) == 1:
        return f"{words(predictors)} {'has' if len(predictors) == 1 else 'have'} the same value everywhere."
    document, count = units(part if len(design.rows) == part.height else part[design.rows], resampling.unit)
    if errors != "classical" and count < 2:
        return f"clustered errors need at least two {resampling.unit}s."
    missing = 1 - len(y) / part.height
    judges = part["judge"].gather(design.rows).n_unique()
    return _Model(design, Ols(y, design.matrix, document, _ERRORS[errors]), document, missing, judges)


def _coefficient_rows(model: _Model, level: float) -> list[dict[str, Json]]:
    scale = model.fit.x.std(axis=0, ddof=1) / model.fit.y.std(ddof=1)
    rows: list[dict[str, Json]] = []
    for term, estimate, factor in zip(model.terms.names, model.fit.coefficients(), scale, strict=True):
        beta = float(estimate.value * factor) if factor > 0 else None
        rows.append({"term": term, **estimate.row(level), "standardised": beta, "n": model.fit.n})
    return rows


def _r_squared(model: _Model, blocks: Sequence[Sequence[int]], resampling: Resampling) -> Replicates:
    """R² of nested models (columns of the design in each) and then each step's gain, for all document resamples."""
    x = model.fit.x.copy()
    x[:, 1:] -= x[:, 1:].mean(axis=0)
    x[:, 1:] /= x[:, 1:].std(axis=0)
    y = (model.fit.y - model.fit.y.mean()) / model.fit.y.std()
    both = np.column_stack([x, y])
    width = both.shape[1]
    count = int(model.document.max()) + 1
    sums = np.empty((count, width, width))
    for i, j in combinations_with_replacement(range(width), 2):  # one product at a time: never rows × width²
        product = both[:, i] * both[:, j]
        sums[:, i, j] = sums[:, j, i] = np.bincount(model.document, weights=product, minlength=count)

    def finish(total: Array) -> Array:
        gram = total.reshape(-1, width, width)
        spread = gram[:, -1, -1] - gram[:, 0, -1] ** 2 / gram[:, 0, 0]
        r_squared = []
        for columns in blocks:
            inner, outer = gram[:, columns][:, :, columns], gram[:, columns, -1]
            solution = _solve(inner, outer)
            rest = gram[:, -1, -1] - np.einsum("bi,bi->b", outer, solution)
            with np.errstate(invalid="ignore", divide="ignore"):
                r_squared.append(np.where(spread > 1e-12, 1 - rest / spread, np.nan))
        steps = [after - before for before, after in pairwise(r_squared)]
        return np.stack([*r_squared, *steps], axis=1)

    return replicate_sums(sums.reshape(count, -1), finish, resampling)


def _solve(inner: Array, outer: Array) -> Array:
    """inner⁻¹ outer for each resample; the pseudo-inverse where some resample leaves a predictor without variation."""
    size = np.sqrt(np.maximum(np.einsum("bii->bi", inner), 1e-300))
    try:
        apart = np.linalg.cholesky(inner / size[:, :, None] / size[:, None, :])
        if float(np.einsum("bii->bi", apart).min(initial=1.0)) > 1e-3:
            return np.asarray(np.linalg.solve(inner, outer[:, :, None])[:, :, 0])
    except np.linalg.LinAlgError:
        pass
    return np.asarray(np.einsum("bij,bj->bi", np.linalg.pinv(inner, rcond=1e-10, hermitian=True), outer))


def blocks(
    data: Any,
    of: str,
    blocks: Sequence[str | Sequence[str]],
    *,
    by: Sequence[str] = ("judge",),
    errors: Clustering = "document",
    fill: float | None = None,
    resampling: Resampling | None = None,
) -> Result:
    """How much of a score each block of predictors explains when blocks are added one after the other.

    All steps use the rows that are complete for the last one, so that R² can only grow. Rows: one per group and step
    with R², its gain over the step before, both with interval over documents, the joint test of the new terms, and
    the intercept. The Result's value is the last step's gain in the first group.
    """
    names = [[block] if isinstance(block, str) else list(block) for block in blocks]
    source = _source(data, of, [name for block in names for name in block], fill)
    resampling = clustered(resampling)
    expansions = [source.expand(block) for block in names]
    rows: list[dict[str, Json]] = []
    first: tuple[_Model, Outcome, float | None] | None = None
    counts: list[Mapping[str, int]] = []
    reasons: list[str] = []
    about: list[Result] = []
    for labels, part in groups(source.table, by):
        model = _fit(part, of, [name for block in expansions for name in block], errors, resampling)
        group = ", ".join(labels.values()) or "All rows"
        if isinstance(model, str):
            reasons.append(f"{group}: {model}")
            continue
        reasons += [f"{group}: {note}" for note in model.terms.notes]
        steps = _steps(model, expansions)
        spread = _r_squared(model, steps, resampling)
        titles = [" + ".join(name for block in names[: k + 1] for name in block) for k in range(len(names))]
        rows += [
            {**labels, "step": title, **row}
            for title, row in zip(titles, _step_rows(model, steps, spread, resampling), strict=True)
        ]
        value = rows[-1]["added"]
        counts.append(model.counts)
        gain = _NO_GAIN if value is None else outcome(spread, resampling, column=len(spread.value) - 1, scale="logit")
        about.append(Result("", value, labels=labels, notes=gain.notes))
        first = first or (model, gain, value)
    name = f"variance of {of} added by {', '.join(names[-1]) if names else ''}"
    if first is None:
        return undefined(name, " ".join(reasons) or "there are no rows.")
    model, gain, value = first
    signature = sign("OLS blocks", resampling, gain.interval, errors=errors)
    notes = (*source.notes, *notes_together(about), *reasons)
    return Result(name, value, gain.interval, None, common_counts(counts), model.missing, {}, rows, notes, signature)


def _steps(model: _Model, blocks: Sequence[Sequence[str]]) -> list[list[int]]:
    """Columns of the design after each block; a text column's terms are named column=group."""
    steps, ends = [], [0]
    for block in blocks:
        for index, term in enumerate(model.terms.names):
            if index and any(term == name or term.startswith(f"{name}=") for name in block):
                ends = [*ends, index]
        steps.append(sorted(ends))
    return steps


_NO_GAIN = Outcome(None, None)


def _step_rows(
    model: _Model, steps: Sequence[list[int]], spread: Replicates, resampling: Resampling
) -> list[dict[str, Json]]:
    rows: list[dict[str, Json]] = []
    before, r_squared = [0], 0.0
    for k, columns in enumerate(steps):
        whole = len(columns) == model.fit.p
        fit = model.fit if whole else Ols(model.fit.y, model.fit.x[:, columns], model.document, model.fit.errors)
        explained = outcome(spread, resampling, column=k, scale="logit")
        gain = outcome(spread, resampling, column=len(steps) + k - 1, scale="logit") if k else explained
        adds = columns != before  # what the predictors before determine, or what never varies, adds nothing
        test = fit.joint([columns.index(column) for column in columns if column not in before])
        rows.append(
            {
                "r2": fit.r_squared,
                **explained.ends("r2_"),
                "added": fit.r_squared - r_squared if adds else None,
                **(gain if adds else _NO_GAIN).ends("added_"),
                "f": test.f if test else None,
                "df1": test.df1 if test else None,
                "df2": test.df2 if test else None,
                "p": test.p if test else None,
                "intercept": float(fit.beta[0]),
                "n": fit.n,
            }
        )
        before, r_squared = columns, fit.r_squared
    return rows


def compare_judges(
    data: Any,
    of: str,
    predictors: Sequence[str],
    *,
    judges: Sequence[str] = (),
    errors: Clustering = "document",
    fill: float | None = None,
    resampling: Resampling | None = None,
) -> Result:
    """Do judges weigh the predictors alike? The difference of each coefficient between every two judges.

    Both regressions are fitted at once, so that clustered errors know that the judges read the same documents. Rows:
    one per pair and term, with the difference (first less second), interval, p, and p after Holm's correction within
    the pair. The Result's value and p are F and p of all coefficients but the intercept being equal, for the first
    pair; with few documents there may be no such test, and a note says so.
    """
    source = _source(data, of, predictors, fill)
    resampling = clustered(resampling)
    name = f"coefficients of {of} between judges"
    rows: list[dict[str, Json]] = []
    tests: list[tuple[JointTest | None, dict[str, int]]] = []
    reasons: list[str] = []
    for pair in combinations(list(judges) or sorted(source.table["judge"].unique().to_list()), 2):
        parts = [source.table.filter(pl.col("judge") == judge) for judge in pair]
        models = [_fit(part, of, source.expand(predictors), errors, resampling) for part in parts]
        stack = _stack(parts, models, resampling)
        if isinstance(stack, str):
            reasons.append(f"{pair[0]} and {pair[1]}: {stack}")
            continue
        fit, common, counts = stack
        differences = fit.coefficients()[len(common) : 2 * len(common)]
        corrected_p = holm([estimate.known_p for estimate in differences])
        labels = {"first": pair[0], "second": pair[1]}
        for term, estimate, p in zip(common, differences, corrected_p, strict=True):
            rows.append({**labels, "term": term, **estimate.row(resampling.level), "p_holm": p})
        tests.append((fit.joint(range(len(common) + 1, 2 * len(common))), counts))
    if not tests:
        return undefined(name, " ".join(reasons) or "at least two judges are needed.")
    signature = sign("OLS, F of equal coefficients", resampling, None, errors=errors)
    test, counts = tests[0]
    if test is None:
        reasons.append("No joint test: too few documents, a perfect fit, or no predictor that both judges used.")
    value, joint_p = (test.f, test.p) if test else (None, None)
    return Result(name, value, None, joint_p, counts, 0.0, {}, rows, (*source.notes, *reasons), signature)


def _stack(
    parts: Sequence[pl.DataFrame], models: Sequence[_Model | str], resampling: Resampling
) -> tuple[Ols, tuple[str, ...], dict[str, int]] | str:
    """Both judges' regressions as one, whose coefficients are: the second judge's, then the first less the second."""
    for model in models:
        if isinstance(model, str):
            return model
    one, two = (model for model in models if isinstance(model, _Model))
    common = tuple(term for term in one.terms.names if term in two.terms.names)
    first, second = ({name: m.fit.x[:, k] for k, name in enumerate(m.terms.names)} for m in (one, two))
    zeros = [np.zeros(m.fit.n) for m in (one, two)]
    columns = [np.concatenate([first[term], second[term]]) for term in common]
    columns += [np.concatenate([first[term], zeros[1]]) for term in common]
    columns += [np.concatenate([first[term], zeros[1]]) for term in first if term not in common]
    columns += [np.concatenate([zeros[0], second[term]]) for term in second if term not in common]
    rows = pl.concat([part[model.terms.rows.tolist()] for part, model in zip(parts, (one, two), strict=True)])
    document, count = units(rows, resampling.unit)
    fit = Ols(np.concatenate([one.fit.y, two.fit.y]), np.stack(columns, axis=1), document, one.fit.errors)
    return fit, common, {"items": fit.n, "documents": count, "judges": 2}

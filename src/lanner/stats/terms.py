"""From named columns to a design matrix: numbers as they are, text as one column per group but the first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from lanner.stats.leastsquares import well_conditioned
from lanner.stats.numbering import positions
from lanner.stats.resample import Array, Indices
from lanner.stats.tables import check_columns

INTERCEPT = "intercept"


@dataclass(frozen=True)
class Terms:
    """A design matrix over the rows that have every value: `rows` says which rows of the table those are."""

    names: tuple[str, ...]
    matrix: Array
    rows: Indices
    notes: tuple[str, ...] = ()


def terms(table: pl.DataFrame, outcome: str, predictors: Sequence[str]) -> tuple[Array, Terms]:
    """The outcome and the design matrix, intercept first, over complete rows.

    A column that the columns before it determine (also a constant one) is left out, and a note says so.
    """
    check_columns(table, [outcome, *predictors])
    y = table[outcome].cast(pl.Float64).fill_null(np.nan).to_numpy().astype(float)
    names, columns = [INTERCEPT], [np.ones(len(y))]
    complete: npt.NDArray[np.bool_] = np.isfinite(y)
    for name in predictors:
        for label, values in _columns(table[name]):
            names.append(label)
            columns.append(values)
            complete &= np.isfinite(values)
    rows = np.flatnonzero(complete)
    matrix = np.stack(columns, axis=1)
    if len(rows) < len(y):
        y, matrix = y[rows], matrix[rows]
    kept = _independent(matrix)
    dropped = [name for index, name in enumerate(names) if index not in kept]
    notes = (f"Left out, because the other predictors determine it: {', '.join(dropped)}.",) if dropped else ()
    own = matrix if len(kept) == matrix.shape[1] else matrix[:, kept]
    return y, Terms(tuple(names[k] for k in kept), own, rows, notes)


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
    kept: list[int] = []
    basis = np.empty((len(matrix), 0))
    for index in range(matrix.shape[1]):
        column = matrix[:, index]
        rest = column - basis @ (basis.T @ column)
        rest -= basis @ (basis.T @ rest)  # twice is enough for full precision
        size = np.linalg.norm(rest)
        if size > 1e-9 * max(1e-300, float(np.linalg.norm(column))):
            kept.append(index)
            basis = np.column_stack([basis, rest / size])
    return kept


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

"""Results that are tables: groups of a frame in, rows of one Result out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import polars as pl

from lanner.errors import StatisticError, did_you_mean
from lanner.model import Result, Signature
from lanner.stats.resample import Resampling, sign


def groups(table: pl.DataFrame, by: Sequence[str]) -> list[tuple[dict[str, str], pl.DataFrame]]:
    """The table split by some columns, in the order of their names; one group without names if there are none."""
    if not by:
        return [({}, table)]
    check_columns(table, by)
    parts = table.partition_by(list(by), as_dict=True, maintain_order=True)
    ordered = sorted(parts.items(), key=lambda entry: tuple(str(key) for key in entry[0]))
    return [(dict(zip(by, map(str, key), strict=True)), part) for key, part in ordered]


def check_columns(table: pl.DataFrame, names: Sequence[str]) -> None:
    """An error that helps for a column that is not there."""
    for name in names:
        if name not in table.columns:
            raise StatisticError(f"There is no column {name!r}.", next_step=did_you_mean(name, table.columns))


def labelled(result: Result, labels: Mapping[str, str]) -> Result:
    """The same result, saying what it is about."""
    return replace(result, labels={**result.labels, **labels})


def gathered(name: str, results: Sequence[Result], notes: tuple[str, ...] = ()) -> Result:
    """Several Results as one: the first one's value and interval, all of them as rows."""
    first = results[0]
    rows = [result.row() for result in results]
    return replace(first, name=name, rows=rows, labels={}, notes=(*notes, *first.notes))


def undefined(
    name: str,
    reason: str,
    *,
    counts: Mapping[str, int] | None = None,
    missing: float = 0.0,
    signature: Signature | None = None,
) -> Result:
    """A Result without a value, and why."""
    made = signature or sign(name, Resampling(), None)
    return Result(name, None, counts=counts or {}, missing=missing, notes=(f"Undefined: {reason}",), signature=made)

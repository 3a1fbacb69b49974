"""Means and shares with document intervals, and how far two of them lie apart."""

from __future__ import annotations

from typing import Literal

import numpy as np
import polars as pl

from lanner.reports.lab.answer import Gap, Value, why_no_interval
from lanner.stats.outcome import outcome
from lanner.stats.resample import Array, Resampling, replicate_sums


def ratio(table: pl.DataFrame, how: Resampling, *, scale: Literal["plain", "share"] = "plain") -> Value:
    """The sum of column `top` over that of `bottom`, with an interval over the documents of the table."""
    made = replicate_sums(_sums(table, _places(table)), lambda total: _divided(total, 0), how)
    found = outcome(made, how, scale=scale).interval
    value = float(made.value[0])
    low, high = (found.low, found.high) if found else (None, None)
    return Value(None if np.isnan(value) else value, low, high, int(table["bottom"].sum()))


def ratio_gap(first: pl.DataFrame, other: pl.DataFrame, how: Resampling) -> Gap | None:
    """The first ratio less the other, on the same resamples of all documents."""
    places = _places(first, other)
    sums = np.hstack([_sums(first, places), _sums(other, places)])
    made = replicate_sums(sums, lambda total: _divided(total, 0) - _divided(total, 2), how)
    found = outcome(made, how, null=0.0)
    low, high = (found.interval.low, found.interval.high) if found.interval else (None, None)
    if np.isnan(made.value[0]):
        return None
    return Gap(float(made.value[0]), low, high, found.p, why_no_interval(found.notes))


def _sums(table: pl.DataFrame, places: dict[str, int]) -> Array:
    made = np.zeros((len(places), 2))
    for document, top, bottom in table.group_by("document").agg(pl.col("top", "bottom").sum()).iter_rows():
        made[places[document]] = (top, bottom)
    return made


def _places(*tables: pl.DataFrame) -> dict[str, int]:
    names = dict.fromkeys(name for table in tables for name in table["document"].unique(maintain_order=True))
    return {name: place for place, name in enumerate(names)}


def _divided(total: Array, at: int) -> Array:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(total[:, at] / total[:, at + 1])[:, None]

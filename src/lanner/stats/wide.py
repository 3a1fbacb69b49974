"""From the tidy table to one row per judge and item, one column per measure: what association and regression need.

A measure is a question ("holistic"), one row of a grid or one label of a repeated question ("skills.idea_development"),
or a summary over all rows of one ("sum(skills)", "mean(skills)", "count(skills)": how many are above zero). A question
asked in several stages is named with its stage ("rs/adequacy", "sc/adequacy"). Numbers become numbers; choices without
a number become text, which regression takes as groups. A table that has no column `question` is taken to be wide
already.

Results that are tables: groups of a frame in, rows of one Result out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from lanner.errors import StatisticError, check_known, did_you_mean
from lanner.model import Result, Signature
from lanner.model.messages import in_number
from lanner.stats.frame import SCHEMA, Numbers, by_name, codes, in_order, of_rows, tidy, to_polars
from lanner.stats.resample import Array, Indices, Resampling, sign


def groups(table: pl.DataFrame, by: Sequence[str]) -> list[tuple[dict[str, str], pl.DataFrame]]:
    """The table split by some columns, in the order of their names; one group without names if there are none."""
    if not by:
        return [({}, table)]
    check_columns(table, by)
    parts = table.partition_by(list(by), as_dict=True, maintain_order=True)
    sorted_parts = sorted(parts.items(), key=lambda entry: tuple(str(key) for key in entry[0]))
    return [(dict(zip(by, map(str, key), strict=True)), part) for key, part in sorted_parts]


def check_columns(table: pl.DataFrame, names: Sequence[str]) -> None:
    """An error that helps for a column that is not there."""
    for name in names:
        check_known(name, table.columns, f"There is no column {name!r}.", StatisticError)


def labelled(result: Result, labels: Mapping[str, str]) -> Result:
    """The same result, saying what it is about."""
    return replace(result, labels={**result.labels, **labels})


def combine_results(name: str, results: Sequence[Result], notes: tuple[str, ...] = ()) -> Result:
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
    signed = signature or sign(name, Resampling(), None)
    return Result(name, None, counts=counts or {}, missing=missing, notes=(f"Undefined: {reason}",), signature=signed)


KEYS = ("judge", "judge_kind", "document", "segment", "system", "domain")
_SUMMARY = re.compile(r"^(sum|mean|count)\((.+)\)$")


@dataclass(frozen=True)
class Wide:
    """One row per judge and item. `notes` say what had to be assumed."""

    table: pl.DataFrame
    notes: tuple[str, ...] = ()

    @property
    def measures(self) -> list[str]:
        """Names that are not keys: what can be correlated or regressed."""
        reserved_names = {*SCHEMA, *KEYS} - {"score", "label"}  # which a question may be called, too
        return [name for name in self.table.columns if name not in reserved_names and not name.startswith("judge_")]

    @property
    def _names(self) -> list[str]:
        return [*self.measures, *(name for name in KEYS if name in self.table.columns)]

    def rows_of(self, question: str) -> list[str]:
        """The measures that are rows of one grid question."""
        return [name for name in self.measures if name.startswith(f"{question}.")]

    def expand(self, names: Sequence[str]) -> list[str]:
        """Measures by name, a grid question standing for all its rows; an unknown name is an error that helps."""
        measures: list[str] = []
        for name in names:
            if name in self.table.columns or _SUMMARY.match(name):
                measures.append(name)
            elif rows := self.rows_of(name):
                measures += rows
            else:
                raise StatisticError(f"There is no measure {name!r}.", next_step=did_you_mean(name, self._names))
        return measures

    def with_measures(self, names: Sequence[str]) -> Wide:
        """The same with summaries such as "sum(skills)" among `names` added as columns."""
        return Wide(self.table.with_columns(self._summary(name) for name in names if self._is_new(name)), self.notes)

    def _is_new(self, name: str) -> bool:
        if name in self.table.columns:
            return False
        if _SUMMARY.match(name):
            return True
        raise StatisticError(f"There is no measure {name!r}.", next_step=did_you_mean(name, self._names))

    def _summary(self, name: str) -> pl.Expr:
        match = _SUMMARY.match(name)
        kind, question = match.groups() if match else ("", "")
        rows = self.rows_of(question)
        if not rows:
            raise StatisticError(
                f"{question!r} has no rows to take a {kind} of.", next_step=f"Use {question!r} itself."
            )
        complete = ~pl.any_horizontal(pl.col(row).is_null() for row in rows)
        values = {
            "sum": pl.sum_horizontal(rows),
            "mean": pl.mean_horizontal(rows),
            "count": pl.sum_horizontal((pl.col(row) > 0).cast(pl.Float64) for row in rows),
        }
        return pl.when(complete).then(values[kind]).alias(name)


def wide(data: Any, *, role: str = "main") -> Wide:
    """The wide table of any ratings: a tidy frame, or a table that is wide already."""
    if isinstance(data, Wide):
        return data
    table = to_polars(data)
    if "question" not in table.columns:
        return _already_wide(table)
    full, notes = tidy(table)
    full = full.filter(pl.col("role") == role)
    stages = full.group_by("question").agg(pl.col("stage").n_unique().alias("stages"))
    several = stages.filter(pl.col("stages") > 1)["question"].to_list()
    stage_name = pl.when(pl.col("question").is_in(several)).then(pl.col("stage") + "/" + pl.col("question"))
    name = stage_name.otherwise(pl.col("question"))
    full = full.with_columns(pl.when(pl.col("row") == "").then(name).otherwise(name + "." + pl.col("row")).alias("_of"))
    answers = full.filter(pl.col("score").is_not_null() | pl.col("label").is_not_null())
    if answers["answered_at"].is_not_null().any():
        answers = answers.sort("answered_at", nulls_last=False, maintain_order=True)
    table, notes = _spread(answers, notes)
    silent = sorted(set(full["_of"].unique()) - set(table.columns))  # never answered: without values
    return Wide(table.with_columns(pl.lit(None, pl.Float64).alias(name) for name in silent), notes)


def _spread(answers: pl.DataFrame, notes: tuple[str, ...]) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """One row per judge and item; of several answers to one measure the last row of the table counts."""
    keys = [*KEYS, *(name for name in answers.columns if name.startswith("judge_") and name not in KEYS)]
    row, first = in_order(of_rows(answers, ("judge", "document", "segment", "system")))
    column, columns = in_order(codes(answers["_of"]))
    places = np.full((len(columns), len(first)), -1, dtype=np.int64)
    places[column, row] = np.arange(len(answers))
    again = len(answers) - int((places >= 0).sum())
    if again:
        notes += (
            in_number(
                again,
                "{n} answer was given again by the same judge to the same item; the latest counts.",
                "{n} answers were given again by the same judge to the same item; the latest counts.",
            ),
        )
    keys_table = answers[first.tolist()].select(keys)
    names = answers["_of"].gather(columns).to_list()
    return keys_table.with_columns(_take(answers, own).alias(n) for n, own in zip(names, places, strict=True)), notes


def _take(answers: pl.DataFrame, places: Numbers) -> pl.Series:
    """The answers at these places, null where it is −1: numbers where the measure has any, else labels."""
    indices = pl.Series(np.where(places >= 0, places, 0))
    present = pl.Series(places >= 0)
    score = answers["score"].gather(indices)
    values = score if (score.is_not_null() & present).any() else answers["label"].gather(indices)
    return values.zip_with(present, pl.Series([None], dtype=values.dtype).new_from_index(0, len(values)))


def _already_wide(table: pl.DataFrame) -> Wide:
    notes: tuple[str, ...] = ()
    for name in (name for name, dtype in table.schema.items() if dtype.is_float()):
        endless = table[name].is_infinite().fill_null(False)
        if endless.any():
            notes += (f"{endless.sum():,} values of {name} are infinite: they count as missing.",)
            table = table.with_columns(pl.when(~endless).then(pl.col(name)).alias(name))
    if "segment" not in table.columns and "item" in table.columns:
        table = table.rename({"item": "segment"})
    if "segment" not in table.columns:
        table = table.with_row_index("segment")
    table = table.with_columns(pl.col("segment").cast(pl.String))
    if "document" not in table.columns:
        table = table.with_columns(pl.col("segment").alias("document"))
        notes += ("No document is named: every item counts as a document of its own.",)
    absent = [
        pl.lit("person" if name == "judge_kind" else "").alias(name) for name in KEYS if name not in table.columns
    ]
    return Wide(table.with_columns(absent).with_columns(pl.col("document").cast(pl.String)), notes)


def clustered(resampling: Resampling | None) -> Resampling:
    """The resampling to use where only one unit at a time makes sense: two-way falls back to documents."""
    resampling = resampling or Resampling()
    return replace(resampling, unit="document") if resampling.unit == "two-way" else resampling


def units(table: pl.DataFrame, unit: str) -> tuple[Indices, int]:
    """Which resampling unit each row belongs to, numbered from 0: documents, items (segments) or judges."""
    if unit == "item":
        key: list[str] = ["document", "segment"]
    elif unit == "judge":
        key = ["judge"]
    else:
        key = ["document"]
    index, first = by_name(table.select(pl.col(name).cast(pl.String).fill_null("") for name in key), key)
    return index.astype(np.intp), len(first)


def numbers(table: pl.DataFrame, name: str) -> Array:
    """A column as floats, NaN where missing; a column of text is an error that says so."""
    column = table[name]
    if not column.dtype.is_numeric() and column.dtype != pl.Boolean:
        raise StatisticError(f"{name!r} is not a number.", next_step="Name a question whose answers are numbers.")
    return column.cast(pl.Float64).to_numpy().astype(float)

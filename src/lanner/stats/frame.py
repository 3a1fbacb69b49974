"""The one tidy table: a row per question per item per judge.

`frame` makes it from judgements. A grid question, and one asked `for_each` label, give one row per grid row or label,
named in `row` (otherwise ""). A judgement that a later one supersedes is left out. Columns:

========================  ======================================================================================
judge, judge_kind         who answered; person, model, metric, simulated, adjudicated ("person" if not told)
stage, question, row      what was asked
document, segment         of what; segment is "" for the whole document
system                    the outputs shown, in shown order, joined by "|"; "" for the source alone
role                      main, repeat, control, tutorial, calibration
domain                    of the document, with source_language and target_language; "" and "und" if not told
label                     the chosen option's id (choice, grid)
score                     the number (scale, number), the option's value where it has one, or how many labels were
                          given in all where a question counts them
labels                    the set of label ids, sorted, each once; [] where the empty set was given, null if missing
spans                     the marked spans as JSON; "[]" where none was marked, null if missing
text                      free text
ranks                     ranks in the order of the systems
elapsed, active           seconds
answered_at               UTC
flags                     rules that an imported answer breaks
judge_<name>              the judges' attributes, one column each, as text
========================  ======================================================================================

Without a protocol the kind of each question is read from its answers: text is a label, a number a score, a list of
texts a label set, a list of integers ranks, a list of objects spans, an object a grid.

`tidy` takes a plain table as well (Polars or pandas): at least `judge`, an item (`item`, or `document` and `segment`)
and one of `label`, `score`, `labels`; it adds what is missing and says so. Without `document` every item is its own
document.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl

from lanner.errors import StatisticError, did_you_mean
from lanner.model import Document, Judge, Judgement, Protocol
from lanner.stats.columns import DEFAULTS, SCHEMA, VALUES, answers, current, described, laid_out

__all__ = ["SCHEMA", "VALUES", "frame", "tidy", "to_polars"]


def frame(
    judgements: Iterable[Judgement],
    protocol: Protocol | None = None,
    documents: Iterable[Document] = (),
    judges: Iterable[Judge] = (),
) -> pl.DataFrame:
    """The tidy table of these judgements, in their order. See the module for its columns."""
    kept = current(judgements)
    return laid_out(described(kept, documents, judges), answers(kept, protocol))


def tidy(data: Any) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Any table of ratings as a tidy frame with every column of the contract, and notes on what had to be assumed."""
    table = to_polars(data)
    if "judge" not in table.columns:
        raise StatisticError(
            "The table has no column `judge`.",
            next_step=f"Rename the column that names the judges. {did_you_mean('judge', table.columns)}",
        )
    if not {"item", "document", "segment"} & set(table.columns):
        raise StatisticError(
            "The table does not say what was judged.",
            next_step="Name the items in a column `item`, or in `document` and `segment`.",
        )
    if not set(VALUES) & set(table.columns):
        raise StatisticError("The table has no answers.", next_step="Name them `label`, `score` or `labels`.")
    notes: list[str] = []
    if "segment" not in table.columns and "item" in table.columns:
        table = table.with_columns(pl.col("item").alias("segment"))
    if "document" not in table.columns:
        table = table.with_columns(pl.col("segment").alias("document"))
        notes.append(
            "No document is named: every item counts as a document of its own, which makes intervals too "
            "narrow if items come from shared texts."
        )
    missing = [name for name in SCHEMA if name not in table.columns]
    table = table.with_columns(_default(name) for name in missing)
    cast = [pl.col(name).cast(dtype) for name, dtype in SCHEMA.items() if table.schema[name] != dtype]
    table = table.with_columns(cast) if cast else table
    blank = [name for name, dtype in SCHEMA.items() if dtype == pl.String() and name not in VALUES]
    return table.with_columns(pl.col(name).fill_null(DEFAULTS.get(name, "")) for name in blank), tuple(notes)


def _default(name: str) -> pl.Expr:
    if SCHEMA[name] == pl.String() and name not in VALUES:
        return pl.lit(DEFAULTS.get(name, ""), dtype=pl.String()).alias(name)
    return pl.lit(None, dtype=SCHEMA[name]).alias(name)


def to_polars(data: Any) -> pl.DataFrame:
    """A Polars or pandas table, or a mapping of columns, as a Polars frame."""
    if isinstance(data, pl.DataFrame):
        return data
    if isinstance(data, pl.LazyFrame):
        return data.collect()
    if isinstance(data, Mapping):
        return pl.DataFrame(dict(data), strict=False)
    if hasattr(data, "columns") and hasattr(data, "to_dict"):  # a pandas frame, without needing pandas or pyarrow
        columns = {str(name): [None if _missing(v) else v for v in data[name].tolist()] for name in data.columns}
        return pl.DataFrame(columns, strict=False)
    raise StatisticError(
        f"A table of ratings is a Polars or pandas data frame, not {type(data).__name__}.",
        next_step="For judgements, make one with lanner.stats.frame(...).",
    )


def _missing(value: Any) -> bool:
    return (isinstance(value, float) and math.isnan(value)) or type(value).__name__ in ("NAType", "NaTType")

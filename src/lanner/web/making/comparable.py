"""A question as what judges can be compared on: marked passages by what was marked, rankings by which of two was
preferred, everything else as it is."""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np
import polars as pl

from lanner.model import Choice, Grid, Labels, Number, Question, Rank, Scale, Spans
from lanner.stats.preference import comparisons
from lanner.web.picture.told import EQUAL, MARKED, NOTHING

MOST_POINTS = 12
"""Points up to which a scale's answers are looked at one by one; beyond, as a distribution."""


def is_fine(question: Question) -> bool:
    """Whether answers are numbers too finely graded for two judges to give the same one often."""
    if isinstance(question, Number):
        return True
    return isinstance(question, Scale) and (
        not question.step or (question.max - question.min) / question.step >= MOST_POINTS
    )


def in_order(question: Question) -> list[str | float] | None:
    """All answers a question allows, in order, so that unused ones count too; None where they are not few."""
    if isinstance(question, Choice | Grid):
        return [option.id for option in question.options]
    if isinstance(question, Scale) and not is_fine(question):
        return [float(x) for x in np.arange(question.min, question.max + question.step / 2, question.step)]
    return None


def kinds(question: Question) -> tuple[str, ...]:
    """The labels a set can hold, in order; empty where answers are no sets."""
    if isinstance(question, Labels):
        return tuple(option.id for option in question.options)
    if isinstance(question, Spans):
        named = [option.id for option in question.categories if not option.parent]
        return (*(named or [option.id for option in question.severities] or [MARKED]), NOTHING)
    return ()


def comparable(table: pl.DataFrame, question: Question) -> pl.DataFrame:
    """The table with answers to this question in a form that agreement can be computed on."""
    if isinstance(question, Spans):
        own = table.filter(pl.col("question") == question.id)
        sets = {text: _read(question)(text) for text in own["spans"].drop_nulls().unique()}
        marked = pl.col("spans").replace_strict(sets, return_dtype=pl.List(pl.String))
        return own.with_columns(marked.alias("labels"), _none("label", pl.String()), _none("score", pl.Float64()))
    if isinstance(question, Rank):
        own = table.filter((pl.col("question") == question.id) & pl.col("ranks").is_not_null())
        if own.is_empty():
            return own
        found, _ = comparisons(own, question.id)
        won = pl.when(pl.col("won") > 0).then("one").when(pl.col("won") < 0).then("two").otherwise(pl.lit(EQUAL))
        return found.with_columns(
            won.alias("label"),
            pl.concat_str("one", "two", separator="|").alias("system"),
            _none("ranks", pl.List(pl.Int64())),
        ).select(own.columns)
    return table


def _none(name: str, dtype: pl.DataType) -> pl.Expr:
    return pl.lit(None, dtype).alias(name)


def _read(question: Spans) -> Callable[[str], list[str]]:
    """What was marked in a sentence: each kind once, the widest categories only."""
    parents = {option.id: option.parent for option in question.categories}
    known = kinds(question)[:-1]
    unnamed = known[0] if len(known) == 1 else MARKED

    def widest(name: str) -> str:
        while parent := parents.get(name):
            name = parent
        return name

    def read(text: str) -> list[str]:
        found = {
            widest(str(span["category"])) if span.get("category") else str(span.get("severity") or unnamed)
            for span in json.loads(text)
        }
        return sorted(found) or [NOTHING]

    return read

"""A question as what judges can be compared on: marked passages by what was marked, rankings by which of two was
preferred, everything else as it is."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from lanner.errors import StatisticError
from lanner.model import Choice, Grid, Labels, Number, Question, Rank, Scale, Spans
from lanner.monitor.snapshot import EQUAL, MARKED, NOTHING
from lanner.stats.alpha import alpha
from lanner.stats.preference import comparisons
from lanner.stats.ratings import Ratings

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


_NEEDED = ("judge", "stage", "question", "row", "document", "segment", "system", "role", "answered_at",
           "label", "labels", "score")  # fmt: skip
"""What agreement looks at; a million rows with everything else beside it take three times as long."""


class AnswerTable:
    """The answers to each question of one table. A reason instead where there are none."""

    def __init__(self, table: pl.DataFrame) -> None:
        self._table = table
        self._known: dict[str, Ratings | StatisticError] = {}

    @property
    def is_empty(self) -> bool:
        return self._table.is_empty()

    def of(self, question: Question) -> Ratings:
        """Everyone's answers to a question."""
        found = self._known.get(question.id)
        if found is None:
            found = self._known[question.id] = self._gather(question)
        if isinstance(found, StatisticError):
            raise found
        return found

    def only(self, question: Question, judges: Sequence[str]) -> Ratings:
        """The answers of some."""
        rated = self.of(question)
        there = set(rated.judges)
        return rated.only([name for name in judges if name in there])

    def _gather(self, question: Question) -> Ratings | StatisticError:
        own = self._table.filter(pl.col("question") == question.id)
        try:
            table = comparable(own, question)
            slim = table.select(name for name in _NEEDED if name in table.columns)
            return alpha.ratings(slim, question.id, labels=in_order(question))
        except StatisticError as error:
            return error


def of_row(rated: Ratings, row: str) -> Ratings:
    """One row of a grid."""
    mine = (rated.items["row"] == row).to_numpy()
    place = np.cumsum(mine, dtype=np.int32) - 1
    kept = mine[rated.item]
    return _some(rated, mine, place[rated.item[kept]], rated.judge[kept], rated.code[kept])


def yes_no(rated: Ratings, label: str) -> Ratings:
    """Of sets: whether each holds a label."""
    holds = np.array([label in given for given in rated.sets], dtype=np.int32)
    return replace(
        rated, code=holds[rated.code] if len(rated.code) else rated.code, labels=("no", "yes"),
        points=np.arange(2, dtype=float), sets=(), ordered=False, explicit=False,
    )  # fmt: skip


def _some(rated: Ratings, mine: np.ndarray, item: np.ndarray, judge: np.ndarray, code: np.ndarray) -> Ratings:
    return replace(
        rated, item=item.astype(np.int32), judge=judge, code=code, document=rated.document[mine],
        items=rated.items.filter(pl.Series(mine)),
    )  # fmt: skip

"""Answers in the form in which judges can be compared: marked passages by what was marked, rankings by which of two was
preferred, everything else as it is."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import polars as pl

from lanner.errors import StatisticError
from lanner.model import (
    EQUAL,
    MARKED,
    NOTHING,
    Choice,
    Grid,
    Labels,
    Number,
    Protocol,
    Question,
    Rank,
    Role,
    Scale,
    Spans,
    Text,
)
from lanner.stats.coefficients import alpha
from lanner.stats.preference import comparisons
from lanner.stats.ratings import Ratings, jaccard_distance
from lanner.stats.resample import Array
from lanner.stats.spans import mark_shares, spans

MOST_POINTS = 12
"""Points up to which a scale's answers are looked at one by one; beyond, as a distribution."""
ROLES = tuple(str(role) for role in Role)
"""Which rows count has been decided before statistics see them, so that none is left out for its role again."""
_NEEDED = (
    *("judge", "judge_kind", "stage", "question", "row", "document", "segment", "system", "role", "answered_at"),
    *("label", "labels", "score", "spans", "ranks"),
)
"""What agreement looks at: a million rows with everything else take three times as long."""


def question_ratings(rows: pl.DataFrame, question: Question) -> Ratings:
    """The answers to one question as its headline coefficient reads them. `rows` are those that count."""
    own = rows.filter(pl.col("question") == question.id)
    table = comparable(own.select(name for name in _NEEDED if name in own.columns), question)
    return alpha.ratings(table, question.id, labels=scale_of(question), judges=_judges(table), roles=ROLES)


def _judges(table: pl.DataFrame) -> list[str]:
    """Everyone who is in the rows: which of them count has been decided already."""
    return sorted(table["judge"].unique().to_list())


def is_fine(question: Question) -> bool:
    """Whether answers are numbers too finely graded for two judges to give the same one often."""
    if isinstance(question, Number):
        return True
    return isinstance(question, Scale) and (
        not question.step or (question.max - question.min) / question.step >= MOST_POINTS
    )


def scale_of(question: Question) -> list[str | float] | None:
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
        categories = [option.id for option in question.categories if not option.parent]
        return (*(categories or [option.id for option in question.severities] or [MARKED]), NOTHING)
    return ()


def comparable(table: pl.DataFrame, question: Question) -> pl.DataFrame:
    """The answers to this question in a form that agreement can be computed on."""
    if isinstance(question, Spans):
        own = table.filter((pl.col("question") == question.id) & pl.col("spans").is_not_null())
        sets = {text: _read(question)(text) for text in own["spans"].unique()}
        mark_kinds = pl.col("spans").replace_strict(sets, return_dtype=pl.List(pl.String))
        return own.with_columns(mark_kinds.alias("labels"), _none("label", pl.String()), _none("score", pl.Float64()))
    if isinstance(question, Rank):
        own = table.filter((pl.col("question") == question.id) & pl.col("ranks").is_not_null())
        if own.is_empty():
            return own
        pairs, _ = comparisons(own, question.id, roles=ROLES)
        winner = pl.when(pl.col("won") > 0).then("one").when(pl.col("won") < 0).then("two").otherwise(pl.lit(EQUAL))
        return pairs.with_columns(
            winner.alias("label"),
            pl.concat_str("one", "two", separator="|").alias("system"),
            _none("ranks", pl.List(pl.Int64())),
        ).select(own.columns)
    return table


def holding(ratings: Ratings, label: str) -> Ratings:
    """Of sets: whether each holds a label."""
    holds = np.array([label in members for members in ratings.sets], dtype=np.int32)
    return replace(
        ratings,
        code=holds[ratings.code] if len(ratings.code) else ratings.code,
        labels=("no", "yes"),
        points=np.arange(2, dtype=float),
        sets=(),
        ordered=False,
        explicit=False,
    )


def _none(name: str, dtype: pl.DataType) -> pl.Expr:
    return pl.lit(None, dtype).alias(name)


def _read(question: Spans) -> Callable[[str], list[str]]:
    """What was marked in a sentence: each kind once, the widest categories only."""
    parents = {option.id: option.parent for option in question.categories}
    kind_names = kinds(question)[:-1]
    default_kind = kind_names[0] if len(kind_names) == 1 else MARKED

    def widest(name: str) -> str:
        while parent := parents.get(name):
            name = parent
        return name

    def read(text: str) -> list[str]:
        mark_kinds = {
            widest(str(span["category"])) if span.get("category") else str(span.get("severity") or default_kind)
            for span in json.loads(text)
        }
        return sorted(mark_kinds) or [NOTHING]

    return read


# How far apart the answers to one item are, question by question.
#
# Distance is the mean over all pairs of judges: 0 or 1 for a choice or a preference, Jaccard for a set of labels, the
# share of the scale's length for a number, the mean over rows for a grid. Of marked passages it is one less the share
# of marked characters that both marked, the mean of two: where they lie, and where, of which category and how severe.

UNIT = ["document", "segment", "system"]
_ATTRIBUTES = ("category", "severity")


def distances(table: pl.DataFrame, protocol: Protocol) -> pl.DataFrame:
    """Mean distance over pairs of judges, for each unit and question that two have answered. Which rows count has been
    decided before."""
    parts = [_distance(table, question) for _, question in protocol.questions]
    empty = {**dict.fromkeys(UNIT, pl.String()), "question": pl.String(), "distance": pl.Float64()}
    return pl.concat([pl.DataFrame(schema=empty), *(part for part in parts if part is not None)])


def _distance(table: pl.DataFrame, question: Question) -> pl.DataFrame | None:
    if isinstance(question, Text):
        return None
    try:
        own = table.filter(pl.col("question") == question.id)
        judges = sorted(own["judge"].unique().to_list())
        statistic = spans if isinstance(question, Spans) else alpha
        ratings = statistic.ratings(own, question.id, judges=judges, roles=ROLES)
    except StatisticError:
        return None
    pairs = ratings.pairs
    if not len(pairs.item):
        return None
    if isinstance(question, Spans):
        by_pair = 1 - (mark_shares(ratings) + mark_shares(ratings, _ATTRIBUTES)) / 2
    else:
        by_pair = _between(ratings, question, pairs.first, pairs.second)
    total = np.bincount(pairs.item, weights=by_pair, minlength=ratings.n_items)
    count = np.bincount(pairs.item, minlength=ratings.n_items)
    shared = count > 0
    items = ratings.items.filter(pl.Series(shared)).select(*UNIT)
    items = items.with_columns(
        pl.Series("distance", total[shared] / count[shared]), pl.lit(question.id).alias("question")
    )
    return items.group_by(*UNIT, "question", maintain_order=True).agg(pl.col("distance").mean())


def _between(ratings: Ratings, question: Question, first: np.ndarray, second: np.ndarray) -> Array:
    if ratings.sets:
        return np.asarray(jaccard_distance(ratings.sets)[first, second])
    if isinstance(question, Choice) or not _graded(question):
        return np.asarray(first != second, dtype=float)
    low, high = _ends(question, ratings)
    apart = np.abs(ratings.points[first] - ratings.points[second]) / max(high - low, 1e-9)
    return np.asarray(apart.clip(0, 1))


def _graded(question: Question) -> bool:
    return isinstance(question, Scale | Number) or (
        isinstance(question, Grid) and all(option.value is not None for option in question.options)
    )


def _ends(question: Question, ratings: Ratings) -> tuple[float, float]:
    if isinstance(question, Scale):
        return question.min, question.max
    if isinstance(question, Grid):
        values = [option.value for option in question.options if option.value is not None]
        return min(values), max(values)
    return float(ratings.points.min(initial=0.0)), float(ratings.points.max(initial=1.0))

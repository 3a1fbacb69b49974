"""How far apart the answers to one item are, question by question.

Distance is the mean over all pairs of judges: 0 or 1 for a choice or a preference, Jaccard for a set of labels, the
share of the scale's length for a number, the mean over rows for a grid. Of marked passages it is one less the share of
marked characters that both marked, the mean of two: where they lie, and where, of which category and how severe.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from lanner.analysis.comparable import ROLES
from lanner.errors import StatisticError
from lanner.model import Choice, Grid, Number, Protocol, Question, Scale, Spans, Text
from lanner.stats.alpha import alpha
from lanner.stats.ratings import Ratings, jaccard_distance
from lanner.stats.resample import Array
from lanner.stats.spans import mark_shares, spans

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

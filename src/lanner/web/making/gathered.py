"""Answers as agreement is computed on them, gathered once for all panels: what one panel needs of a question, another
takes apart further (a grid into its rows, sets into their labels) without going through the table again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from lanner.errors import StatisticError
from lanner.model import Question
from lanner.stats.alpha import alpha
from lanner.stats.ratings import Ratings
from lanner.web.making.comparable import comparable, in_order

_NEEDED = ("judge", "stage", "question", "row", "document", "segment", "system", "role", "answered_at",
           "label", "labels", "score")  # fmt: skip
"""What agreement looks at; a million rows with everything else beside it take three times as long."""


class Gathered:
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

"""What agreement is computed on: who gave which answer to which item, as integers.

Answers are kept in long form (one entry per answer), because campaigns are often far from full; `slots` lays them out
as items × answers, `patterns` and `pairs` as the coefficients want them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Literal

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy import sparse

from lanner.errors import StatisticError, did_you_mean
from lanner.stats.numbering import distinct
from lanner.stats.resample import Array

Value = Literal["label", "score", "labels", "spans"]
Codes = npt.NDArray[np.int32]
_KEPT = 8_000_000  # answers of pairs of judges worth keeping: 100 MB


@dataclass(frozen=True)
class Ratings:
    """Answers in long form, sorted by item and judge: entry e is judge `judge[e]` giving `code[e]` to `item[e]`.

    `labels` names the codes in order and `points` gives their numbers: the score, the option's value, or the position
    in the order. `ordered` says whether that order means something. For label sets a code is an index into `sets`.
    `explicit` says whether the labels were given, rather than gathered from what was answered; `scored`, whether the
    answers are numbers, `marked`, whether they are spans (the labels are then their JSON).
    """

    question: str
    item: Codes
    judge: Codes
    code: Codes
    document: Codes
    items: pl.DataFrame
    documents: tuple[str, ...]
    judges: tuple[str, ...]
    labels: tuple[str, ...]
    points: Array
    ordered: bool = False
    explicit: bool = False
    scored: bool = False
    marked: bool = False
    sets: tuple[frozenset[str], ...] = ()
    notes: tuple[str, ...] = ()

    @classmethod
    def from_matrix(
        cls,
        values: npt.ArrayLike,
        *,
        documents: Sequence[str] | None = None,
        judges: Sequence[str] = (),
        labels: Sequence[str] = (),
    ) -> Ratings:
        """From numbers, items × judges, NaN where missing. With `labels` the numbers are places among them.

        `documents` names the document of each item; without it every item is a document of its own.
        """
        table = np.asarray(values, dtype=float)
        known = np.isfinite(table)
        item, judge = np.nonzero(known)
        points = np.arange(len(labels), dtype=float) if labels else np.unique(table[known])
        code = np.searchsorted(points, table[known])
        segments = [str(at) for at in range(len(table))]
        named = [str(name) for name in documents] if documents is not None else segments
        distinct, document = np.unique(np.array(named, dtype=object), return_inverse=True)
        blank = [""] * len(segments)
        columns = {"stage": blank, "document": named, "segment": segments, "system": blank, "row": blank}
        return cls(
            question="",
            item=item.astype(np.int32),
            judge=judge.astype(np.int32),
            code=code.astype(np.int32),
            document=document.astype(np.int32),
            items=pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String())),
            documents=tuple(distinct.tolist()),
            judges=tuple(judges) or tuple(str(at) for at in range(table.shape[1])),
            labels=tuple(labels) or tuple(f"{x:g}" for x in points),
            points=points,
            ordered=not labels,
            explicit=bool(labels),
            scored=not labels,
        )

    @property
    def graded(self) -> bool:
        """Whether any marked span has a severity."""
        return self.marked and any('"severity"' in text for text in self.labels)

    @property
    def n_items(self) -> int:
        return len(self.document)

    @property
    def missing(self) -> float:
        """Share of judge × item cells without an answer."""
        cells = self.n_items * len(self.judges)
        return 1 - len(self.item) / cells if cells else 0.0

    @cached_property
    def per_item(self) -> Codes:
        """How many answers each item has."""
        return np.bincount(self.item, minlength=self.n_items).astype(np.int32)

    @cached_property
    def active_judges(self) -> int:
        """How many judges answered anything."""
        return int(np.count_nonzero(np.bincount(self.judge, minlength=1)))

    @cached_property
    def slots(self) -> tuple[Codes, Codes, Codes]:
        """Codes and judges as items × answers, −1 where there is none, and the item of each row (answered ones)."""
        starts = np.cumsum(self.per_item) - self.per_item
        place = np.arange(len(self.item)) - np.repeat(starts, self.per_item)
        shape = (self.n_items, max(1, int(self.per_item.max(initial=0))))
        codes, judges = np.full(shape, -1, np.int32), np.full(shape, -1, np.int32)
        codes[self.item, place], judges[self.item, place] = self.code, self.judge
        answered = np.flatnonzero(self.per_item)
        return codes[answered], judges[answered], answered.astype(np.int32)

    @cached_property
    def patterns(self) -> Patterns:
        """The distinct multisets of answers an item can have got: all that judge-free coefficients look at."""
        codes, _, items = self.slots
        return Patterns.of(np.sort(codes, axis=1)[:, ::-1], self.document[items], len(self.documents), len(self.labels))

    def only(self, judges: Sequence[str]) -> Ratings:
        """The same answers, from these judges alone, in this order."""
        place = {name: at for at, name in enumerate(self.judges)}
        index = [place[name] if name in place else self._judge(name) for name in judges]
        new = np.full(len(self.judges), -1, np.int32)
        new[index] = np.arange(len(index))
        keep = new[self.judge] >= 0
        item, judge, code = self.item[keep], new[self.judge[keep]], self.code[keep]
        if index != sorted(index):  # otherwise the entries are still in order
            order = np.lexsort((judge, item))
            item, judge, code = item[order], judge[order], code[order]
        return replace(self, item=item, judge=judge, code=code, judges=tuple(judges))

    def without(self, judge: str) -> Ratings:
        return self.only([name for name in self.judges if name != judge])

    def couples(self) -> Iterable[Ratings]:
        """The answers of each two judges who share items; kept for the next statistic where that takes little room."""
        return self._couples if len(self.item) * (len(self.judges) - 1) <= _KEPT else self._each_two()

    @cached_property
    def _couples(self) -> tuple[Ratings, ...]:
        return tuple(self._each_two())

    def _each_two(self) -> Iterator[Ratings]:
        for a, b in combinations(self.judges, 2):
            two = self.only([a, b])
            if two.per_item.max(initial=0) == 2:
                yield two

    def _judge(self, name: str) -> int:
        if name not in self.judges:
            raise StatisticError(f"There is no judge {name!r} here.", next_step=did_you_mean(name, self.judges))
        return self.judges.index(name)

    def matrix(self) -> Codes:
        """Items × judges, −1 where there is no answer. For few judges; campaigns with many stay in long form."""
        table = np.full((self.n_items, len(self.judges)), -1, np.int32)
        table[self.item, self.judge] = self.code
        return table

    @cached_property
    def pairs(self) -> Pairs:
        """Every two answers to the same item."""
        codes, judges, items = self.slots
        left, right = np.triu_indices(codes.shape[1], 1)
        both = codes[:, right] >= 0  # answers fill the slots from the left, so the right one decides
        row, pair = np.nonzero(both)
        first, second = judges[row, left[pair]], judges[row, right[pair]]
        keys, index = distinct(first.astype(np.int64) * len(self.judges) + second)
        who = np.stack([keys // max(1, len(self.judges)), keys % max(1, len(self.judges))], axis=1).astype(np.int32)
        return Pairs(who, index.astype(np.int32), items[row], codes[row, left[pair]], codes[row, right[pair]])


@dataclass(frozen=True)
class Pairs:
    """Every two answers to one item: `who` (pairs × 2) are the judges of a pair, `pair` says whose an entry is."""

    who: Codes
    pair: Codes
    item: Codes
    first: Codes
    second: Codes


@dataclass(frozen=True)
class Patterns:
    """Distinct multisets of answers: `codes` (patterns × answers, −1 last), how often, and where.

    `by_document` counts them in each document (documents × patterns).
    """

    codes: Codes
    count: Array
    by_document: sparse.csr_array

    @classmethod
    def of(cls, sorted_codes: Codes, document: Codes, n_documents: int, n_labels: int) -> Patterns:
        """Collapse equal rows."""
        width = sorted_codes.shape[1]
        if n_labels > len(sorted_codes):  # as good as continuous: hardly any row repeats
            found, index = sorted_codes, np.arange(len(sorted_codes))
        elif width * math.log2(n_labels + 1) < 62:
            radix = (n_labels + 1) ** np.arange(width, dtype=np.int64)
            keys, index = distinct((sorted_codes + 1) @ radix)
            found = sorted_codes[_any_place(index, len(keys))]
        elif n_labels * math.log2(width + 1) < 62:  # many judges, few labels: how many gave each says it all
            row, slot = np.nonzero(sorted_codes >= 0)
            given = np.bincount(row * n_labels + sorted_codes[row, slot], minlength=len(sorted_codes) * n_labels)
            radix = (width + 1) ** np.arange(n_labels, dtype=np.int64)
            keys, index = distinct(given.reshape(-1, n_labels) @ radix)
            found = sorted_codes[_any_place(index, len(keys))]
        else:
            found, index = np.unique(sorted_codes, axis=0, return_inverse=True)
        index = index.reshape(-1)
        shape = (n_documents, len(found))
        counts = sparse.coo_array((np.ones(len(index)), (document, index)), shape=shape).tocsr()
        return cls(found, np.bincount(index, minlength=len(found)).astype(float), counts)

    @property
    def size(self) -> Array:
        """How many answers each pattern has."""
        return np.asarray((self.codes >= 0).sum(axis=1), dtype=float)

    def label_counts(self, n_labels: int) -> Array:
        """patterns × labels: how many answers of each label."""
        rows = np.broadcast_to(np.arange(len(self.codes))[:, None], self.codes.shape)
        known = self.codes >= 0
        flat = rows[known] * n_labels + self.codes[known]
        return np.bincount(flat, minlength=len(self.codes) * n_labels).reshape(len(self.codes), n_labels).astype(float)

    def pair_total(self, table: Array) -> Array:
        """Σ of table[a, b] over ordered pairs of different answers, for each pattern."""
        if self.codes.shape[1] > len(table):  # more judges than labels: label by label is shorter
            counts = self.label_counts(len(table))
            return np.asarray(((counts @ table) * counts).sum(axis=1) - counts @ np.diag(table))
        total = np.zeros(len(self.codes))
        padded = np.pad(table, ((0, 1), (0, 1)))  # code −1 meets a zero
        width = self.codes.shape[1]
        for a in range(width):
            for b in range(a + 1, width):
                total += padded[self.codes[:, a], self.codes[:, b]] + padded[self.codes[:, b], self.codes[:, a]]
        return total


def _any_place(index: npt.NDArray[np.intp], n: int) -> npt.NDArray[np.intp]:
    """For each number below n a place where it stands."""
    found = np.zeros(n, np.intp)
    found[index] = np.arange(len(index))
    return found

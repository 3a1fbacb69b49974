"""What agreement is computed on: who gave which answer to which item, as integers.

Answers are kept in long form (one entry per answer), because campaigns are often far from full; `slots` lays them out
as items × answers, `patterns` and `pairs` as the coefficients want them.

From the tidy table to Ratings: the answers to one question, by item and judge.

An item is a stage, document, segment, set of systems and row. Where several outputs are compared, judges see them in
different orders; answers that name a side or give ranks are turned to one order first, so that equal preferences are
equal answers.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, pairwise
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy import sparse

from lanner.errors import StatisticError, check_known
from lanner.model import EQUAL, JUDGE_GROUPS, TIES, JudgeKind
from lanner.protocols.kinds.base import sides_among
from lanner.stats.frame import ITEM, Numbers, by_name, distinct, given_again, of_rows, positions, texts, tidy
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
    `rows` says in words which rows were selected. Where answers name the better of the systems shown, and items show
    different ones, `shown` says which of these sets each item shows.
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
    rows: str = ""
    shown: Codes | None = None

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
        present = np.isfinite(table)
        item, judge = np.nonzero(present)
        points = np.arange(len(labels), dtype=float) if labels else np.unique(table[present])
        code = np.searchsorted(points, table[present])
        segments = [str(at) for at in range(len(table))]
        names = [str(name) for name in documents] if documents is not None else segments
        distinct, document = np.unique(np.array(names, dtype=object), return_inverse=True)
        blank = [""] * len(segments)
        columns = {"stage": blank, "document": names, "segment": segments, "system": blank, "row": blank}
        return cls(
            question="",
            item=item.astype(np.int32),
            judge=judge.astype(np.int32),
            code=code.astype(np.int32),
            document=document.astype(np.int32),
            items=pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String())),
            documents=tuple(distinct.tolist()),
            judges=tuple(judges) or tuple(str(at) for at in range(table.shape[1])),
            labels=tuple(labels) or tuple(f"{x:.12g}" for x in points),
            points=points,
            ordered=not labels,
            explicit=bool(labels),
            scored=not labels,
        )

    @cached_property
    def by_shown(self) -> tuple[Ratings, tuple[npt.NDArray[np.intp], ...]]:
        """The same answers under labels that are different ones for each set of systems shown, and the labels of each
        set. Chance chooses among these: nobody who guesses prefers a system that is not there."""
        if self.shown is None:
            return self, (np.arange(len(self.labels)),)
        keys, code = distinct(self.shown[self.item].astype(np.int64) * len(self.labels) + self.code)
        place, label = np.divmod(keys, max(1, len(self.labels)))
        labels = tuple(self.labels[at] for at in label)
        points = np.arange(len(labels), dtype=float)
        answers = replace(self, code=code.astype(np.int32), labels=labels, points=points, shown=None)
        return answers, tuple(np.flatnonzero(place == at) for at in np.unique(place))

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
    def units(self) -> npt.NDArray[np.intp]:
        """What each item is about: all rows of a grid are about one sentence."""
        if (self.items["row"] == "").all():
            return np.arange(self.n_items)
        return distinct(of_rows(self.items, ("document", "segment", "system")))[1]

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
        items = np.flatnonzero(self.per_item)
        return codes[items], judges[items], items.astype(np.int32)

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
        check_known(name, self.judges, f"There is no judge {name!r} here.", StatisticError)
        return self.judges.index(name)

    def matrix(self) -> Codes:
        """Items × judges, −1 where there is no answer. For few judges; campaigns with many stay in long form."""
        table = np.full((self.n_items, len(self.judges)), -1, np.int32)
        table[self.item, self.judge] = self.code
        return table

    @cached_property
    def pairs(self) -> AnswerPairs:
        """Every two answers to the same item."""
        codes, judges, items = self.slots
        left, right = np.triu_indices(codes.shape[1], 1)
        both = codes[:, right] >= 0  # answers fill the slots from the left, so the right one decides
        row, pair = np.nonzero(both)
        first, second = judges[row, left[pair]], judges[row, right[pair]]
        keys, index = distinct(first.astype(np.int64) * len(self.judges) + second)
        who = np.stack([keys // max(1, len(self.judges)), keys % max(1, len(self.judges))], axis=1).astype(np.int32)
        return AnswerPairs(who, index.astype(np.int32), items[row], codes[row, left[pair]], codes[row, right[pair]])


@dataclass(frozen=True)
class AnswerPairs:
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
            patterns, index = sorted_codes, np.arange(len(sorted_codes))
        elif width * math.log2(n_labels + 1) < 62:
            radix = (n_labels + 1) ** np.arange(width, dtype=np.int64)
            keys, index = distinct((sorted_codes + 1) @ radix)
            patterns = sorted_codes[_any_place(index, len(keys))]
        elif n_labels * math.log2(width + 1) < 62:  # many judges, few labels: how many gave each says it all
            radix = (width + 1) ** np.arange(n_labels, dtype=np.int64)
            keys, index = distinct(label_counts(sorted_codes, n_labels).astype(np.int64) @ radix)
            patterns = sorted_codes[_any_place(index, len(keys))]
        else:
            patterns, index = np.unique(sorted_codes, axis=0, return_inverse=True)
        index = index.reshape(-1)
        shape = (n_documents, len(patterns))
        counts = sparse.coo_array((np.ones(len(index)), (document, index)), shape=shape).tocsr()
        return cls(patterns, np.bincount(index, minlength=len(patterns)).astype(float), counts)

    @property
    def size(self) -> Array:
        """How many answers each pattern has."""
        return np.asarray((self.codes >= 0).sum(axis=1), dtype=float)


def label_counts(codes: Codes, n_labels: int) -> Array:
    """rows × labels: how many answers of each label."""
    row, slot = np.nonzero(codes >= 0)
    flat = row * n_labels + codes[row, slot]
    return np.bincount(flat, minlength=len(codes) * n_labels).reshape(len(codes), n_labels).astype(float)


def pair_total(codes: Codes, table: Array) -> Array:
    """Σ of table[a, b] over ordered pairs of different answers, for each row of answers (−1 last)."""
    width = codes.shape[1]
    if width > len(table):  # more judges than labels: label by label is shorter
        counts = label_counts(codes, len(table))
        return np.asarray(((counts @ table) * counts).sum(axis=1) - counts @ np.diag(table))
    total = np.zeros(len(codes))
    with_gap = np.pad(table, ((0, 1), (0, 1)))  # code −1 meets a zero
    for a, b in combinations(range(width), 2):
        total += with_gap[codes[:, a], codes[:, b]] + with_gap[codes[:, b], codes[:, a]]
    return total


def _any_place(index: npt.NDArray[np.intp], n: int) -> npt.NDArray[np.intp]:
    """For each number below n a place where it stands."""
    totals = np.zeros(n, np.intp)
    totals[index] = np.arange(len(index))
    return totals


VALUE_COLUMNS: tuple[Value, ...] = ("label", "score", "labels", "spans")
EVERY_KIND = tuple(str(kind) for kinds in JUDGE_GROUPS.values() for kind in kinds)
"""All kinds of judges, for comparisons in pairs, which pool nothing. Settled answers are nobody's."""


def ratings(
    data: Any,
    question: str = "",
    *,
    value: Sequence[Value] = ("label", "labels", "score"),
    stage: str | None = None,
    row: str | None = None,
    system: str | None = None,
    judges: Sequence[str] | None = None,
    labels: Sequence[str | float] | None = None,
    roles: Sequence[str] = ("main",),
    kinds: Sequence[str] | None = None,
    sides: tuple[str, str] | None = None,
) -> Ratings:
    """Select the answers to one question.

    People, models and metrics are not pooled: unless `judges` or `kinds` of judges are named, people alone count where
    there are any, then models, then metrics. Settled (adjudicated) answers count only if they are named.

    `value` names the columns to read, the first that has answers wins. `labels` is the scale: all labels (or numbers)
    in order, also those nobody used. Repeated, control and tutorial items are left out unless `roles` names them. Of
    several answers of one judge to one item the latest counts, and a note says how many were set aside. `sides` are
    the labels that mean the first and the second of two outputs shown; a, b and first, second are understood.
    """
    if isinstance(data, Ratings):
        return data if judges is None else data.only(judges)
    table, notes = tidy(data)
    table = _select(table, question, stage=stage, row=row, system=system, judges=judges, roles=roles)
    if judges is None:
        table, others = _one_group(table, kinds)
        notes += others
    rows = describe_rows(roles, texts(table["judge_kind"]))
    table = _one_order(table, sides)
    column: Value = next((name for name in value if _answered(table[name])), value[0])
    if column == "labels" and "score" in value and _answered(table["score"]):
        notes += (COUNTED,)
    if column == "labels" or (value[0] == "labels" and column != "score" and (table["row"] != "").any()):
        table, column = _as_sets(table, column), "labels"
    item, first = by_name(table, ITEM)
    items = table.select(ITEM)[first]
    present = np.isfinite(table["score"].to_numpy()) if column == "score" else table[column].is_not_null().to_numpy()
    present_rows = np.flatnonzero(present)
    who = table["judge"].gather(present_rows)
    names = tuple(judges) if judges is not None else tuple(texts(who))
    judge = positions(who, names)
    latest = _latest(item[present_rows], judge, len(names), table["answered_at"].gather(present_rows))
    notes += given_again(len(present_rows) - len(latest))
    places = Places(item[present_rows][latest].astype(np.int32), judge[latest], names)
    rows_here = table[list(VALUE_COLUMNS)][present_rows[latest]]
    result = _build(question, rows_here, items, column, labels=labels, places=places, notes=notes)
    return replace(result, rows=rows)


def _answered(column: pl.Series) -> bool:
    return column.null_count() < len(column)


def _only(table: pl.DataFrame, name: str, values: Sequence[str]) -> pl.DataFrame:
    """The rows with one of these values: often all of them."""
    if set(texts(table[name])) <= set(values):
        return table
    return table.filter(pl.col(name).is_in(list(values)))


def _one_group(table: pl.DataFrame, kinds: Sequence[str] | None) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """The answers of judges who may be pooled, and what is to be said of the others."""
    if kinds is not None:
        return _only(table, "judge_kind", [str(kind) for kind in kinds]), ()
    present = set(texts(table["judge_kind"]))
    groups = {name: [str(kind) for kind in members] for name, members in JUDGE_GROUPS.items()}
    names = [name for name, members in groups.items() if present & set(members)]
    if not names or present <= set(groups[names[0]]):
        return table, ()
    own = table.filter(pl.col("judge_kind").is_in(groups[names[0]]))
    others = table.height - own.height
    return own, (
        f"Only {names[0]} count; {others:,} answers of others are not pooled with theirs. Name judges to choose.",
    )


def describe_rows(roles: Sequence[str], kinds: Sequence[str]) -> str:
    """Which rows a number rests on, for its signature."""
    groups = [name for name, members in JUDGE_GROUPS.items() if {str(kind) for kind in members} & set(kinds)]
    groups += ["settled answers"] if str(JudgeKind.ADJUDICATED) in kinds else []
    return f"{' and '.join(str(role) for role in roles)} items by {' and '.join(groups) or 'nobody'}"


COUNTED = (
    "The labels were counted: this is about the set of labels given to an item, not about how many; for their number "
    'choose value=["score"].'
)


@dataclass(frozen=True, slots=True)
class Places:
    """Of which item, and from which judge, each answer is; and the judges' names."""

    item: Codes
    judge: Codes
    judges: tuple[str, ...]


def _latest(item: Numbers, judge: Codes, n_judges: int, moments: pl.Series) -> Numbers:
    """Which answers stay: the last of each judge to each item, sorted by item and judge."""
    cell = item * max(1, n_judges) + judge
    if not _answered(moments):
        order = np.argsort(cell, kind="stable")
    else:
        order = np.lexsort((moments.to_physical().fill_null(0).to_numpy(), cell))
    last = np.flatnonzero(np.diff(cell[order], append=-1))
    return np.asarray(order[last])


def _select(
    table: pl.DataFrame,
    question: str,
    *,
    stage: str | None,
    row: str | None,
    system: str | None,
    judges: Sequence[str] | None,
    roles: Sequence[str],
) -> pl.DataFrame:
    questions = texts(table["question"])
    if question == "" and len(questions) > 1:
        raise StatisticError(
            "The table holds several questions.", next_step=f"Say which one: {', '.join(map(str, questions))}."
        )
    if not questions:
        raise StatisticError("There are no answers here of judges who count.")
    if question:
        check_known(question, questions, f"No answers to a question {question!r}.", StatisticError)
    selection = {"question": question or None, "stage": stage, "row": row, "system": system}
    for name, value in selection.items():
        if value is not None:
            have = texts(table[name])
            check_known(value, have, f"There is no {name} {value!r}.", StatisticError)
            table = table.filter(pl.col(name) == value) if len(have) > 1 else table
    table = _only(table, "role", [str(role) for role in roles])
    if judges is not None:
        have = texts(table["judge"])
        for name in judges:
            check_known(name, have, f"There is no judge {name!r} here.", StatisticError)
        table = _only(table, "judge", judges)
    return table


def _one_order(table: pl.DataFrame, sides: tuple[str, str] | None) -> pl.DataFrame:
    """Outputs that were compared, in the order of their names; answers that depend on the order turned with them."""
    if not any("|" in name for name in texts(table["system"])):
        return table
    systems = pl.col("system").str.split("|")
    turned = systems.list.sort() != systems
    labels = set(table["label"].drop_nulls())
    pair = sides or sides_among(labels)
    answers = [pl.when(turned).then(systems.list.sort().list.join("|")).otherwise("system").alias("system")]
    if pair is not None:
        other = pl.col("label").replace({pair[0]: pair[1], pair[1]: pair[0]})
        answers.append(pl.when(turned & (systems.list.len() == 2)).then(other).otherwise("label").alias("label"))
    is_ranking = table["ranks"].is_not_null() & table["label"].is_null()
    if is_ranking.any():
        names = [_order(s, r) for s, r in zip(table["system"].to_list(), table["ranks"].to_list(), strict=True)]
        table = table.with_columns(pl.Series("_order", names, dtype=pl.String))
        answers = [answers[0], pl.coalesce("label", "_order").alias("label")]
    return table.with_columns(answers)


def _order(systems: str, ranks: list[int] | None) -> str | None:
    """An order as text, best first: "b > a = c"."""
    if ranks is None:
        return None
    order = sorted(zip(ranks, systems.split("|"), strict=False))
    text = order[0][1] if order else ""
    for (before, _), (rank, name) in pairwise(order):
        text += (" = " if rank == before else " > ") + name
    return text


def _as_sets(table: pl.DataFrame, column: Value) -> pl.DataFrame:
    """Label sets as they are; a grid as the set of its rows that count: those above zero, where options have values."""
    if column == "labels":
        return table
    counts = pl.when(pl.col("score").is_not_null()).then(pl.col("score") > 0).otherwise(pl.col("label").is_not_null())
    whole = [name for name in table.columns if name not in ("row", "label", "score", "labels")]
    label_list = pl.col("row").filter(counts & (pl.col("row") != "")).sort().alias("labels")
    has_label = pl.col("label").is_not_null().any().alias("_any")
    key = ["judge", "question", "stage", "document", "segment", "system", "role"]
    rest = [pl.col(name).first() for name in whole if name not in key]
    table = table.group_by(key, maintain_order=True).agg(label_list, has_label, *rest)
    sets = pl.when(pl.col("_any")).then(pl.col("labels")).alias("labels")
    return table.with_columns(sets, row=pl.lit(""), label=pl.lit(None, pl.String), score=pl.lit(None, pl.Float64))


def _build(
    question: str,
    rows: pl.DataFrame,
    items: pl.DataFrame,
    column: Value,
    *,
    labels: Sequence[str | float] | None,
    places: Places,
    notes: tuple[str, ...],
) -> Ratings:
    sets: tuple[frozenset[str], ...] = ()
    if column == "labels":
        code, sets = _set_codes(rows["labels"])
        scale = tuple("{" + ", ".join(sorted(s)) + "}" for s in sets)
        points, ordered = np.arange(len(sets), dtype=float), False
    elif column == "spans":
        scale = tuple(texts(rows["spans"]))
        code, points, ordered = positions(rows["spans"], scale), np.arange(len(scale), dtype=float), False
    elif column == "score":
        code, scale, points = _score_codes(rows["score"], labels)
        ordered = True
    else:
        code, scale, points, ordered = _label_codes(rows, labels)
    documents = texts(items["document"])
    return Ratings(
        question=question,
        item=places.item,
        judge=places.judge,
        code=code,
        document=positions(items["document"], documents),
        items=items,
        documents=tuple(documents),
        judges=places.judges,
        labels=scale,
        points=points,
        ordered=ordered,
        explicit=labels is not None,
        scored=column == "score",
        marked=column == "spans",
        sets=sets,
        notes=notes,
        shown=_shown(items, scale) if column == "label" and labels is None else None,
    )


def _shown(items: pl.DataFrame, labels: Sequence[str]) -> Codes | None:
    """Which set of systems each item shows, if there are several sets and the labels are names of systems, orders of
    them, or ties."""
    sets = texts(items["system"])
    systems = {system for names in sets for system in names.split("|")}
    named = {name for label in labels if label not in {*TIES, EQUAL} for name in _ORDER_SIGN.split(label)}
    if len(sets) < 2 or not named or not named <= systems or not all("|" in names for names in sets):
        return None
    return positions(items["system"], sets)


_ORDER_SIGN = re.compile(" [>=] ")


def _label_codes(
    rows: pl.DataFrame, labels: Sequence[str | float] | None
) -> tuple[Codes, tuple[str, ...], Array, bool]:
    labels_used = texts(rows["label"])
    scale = [str(label) for label in labels] if labels is not None else labels_used
    for label in labels_used:
        check_known(label, scale, f"The answers hold {label!r}, which is not among the labels given.", StatisticError)
    code = positions(rows["label"], scale)
    worth = (
        rows.filter(pl.col("score").is_not_null())
        .group_by("label")
        .agg(pl.col("score").first(), n=pl.col("score").n_unique())
    )
    values = dict(zip(worth["label"], worth["score"], strict=True))
    if labels is None and labels_used and len(values) == len(labels_used) and (worth["n"] == 1).all():
        by_value = sorted(scale, key=lambda label: values[label])  # options with values bring their own order
        return positions(rows["label"], by_value), tuple(by_value), np.array([values[x] for x in by_value]), True
    points = [values[x] for x in scale] if all(x in values for x in scale) else range(len(scale))
    return code, tuple(scale), np.array(points, dtype=float), labels is not None


def _score_codes(scores: pl.Series, labels: Sequence[str | float] | None) -> tuple[Codes, tuple[str, ...], Array]:
    values = scores.to_numpy().astype(float)
    points = np.unique(values) if labels is None else np.array(sorted(float(x) for x in labels))
    code = np.searchsorted(points, values).clip(max=max(0, len(points) - 1))
    if len(values) and not np.array_equal(points[code], values):
        odd = values[points[code] != values][0]
        raise StatisticError(f"The answers hold {odd:.12g}, which is not a point of the scale given.")
    return code.astype(np.int32), tuple(f"{x:.12g}" for x in points), points


def _set_codes(column: pl.Series) -> tuple[Codes, tuple[frozenset[str], ...]]:
    texts = column.list.unique().list.sort().list.join("\x1f") + pl.Series([""])
    empty = column.list.len() == 0
    keys = pl.DataFrame({"key": texts, "empty": empty})
    distinct = keys.unique().sort("empty", "key", descending=[True, False]).with_row_index("at")
    codes = keys.join(distinct, on=["key", "empty"], how="left", maintain_order="left")["at"]
    sets = [
        frozenset() if e else frozenset(k.split("\x1f"))
        for k, e in zip(distinct["key"], distinct["empty"], strict=True)
    ]
    return codes.to_numpy().astype(np.int32), tuple(sets)

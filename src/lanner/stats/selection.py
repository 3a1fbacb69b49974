"""From the tidy table to Ratings: the answers to one question, by item and judge.

An item is a stage, document, segment, set of systems and row. Where several outputs are compared, judges see them in
different orders; answers that name a side or give ranks are turned to one order first, so that equal preferences are
equal answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl

from lanner.errors import StatisticError, did_you_mean
from lanner.stats.frame import tidy
from lanner.stats.numbering import Numbers, by_name, positions
from lanner.stats.ratings import Codes, Ratings, Value
from lanner.stats.resample import Array

ITEM = ("stage", "document", "segment", "system", "row")


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
    sides: tuple[str, str] | None = None,
) -> Ratings:
    """Select the answers to one question.

    `value` names the columns to read, the first that has answers wins. `labels` is the scale: all labels (or numbers)
    in order, also those nobody used. Repeated, control and tutorial items are left out unless `roles` names them. Of
    several answers of one judge to one item the latest counts, and a note says how many were set aside. `sides` are
    the labels that mean the first and the second of two outputs shown; a, b and first, second are understood.
    """
    if isinstance(data, Ratings):
        return data if judges is None else data.only(judges)
    table, notes = tidy(data)
    table = _select(table, question, stage=stage, row=row, system=system, judges=judges, roles=roles)
    table = _one_order(table, sides)
    column: Value = next((name for name in value if table[name].is_not_null().any()), value[0])
    if column == "labels" and "score" in value and table["score"].is_not_null().any():
        notes += (COUNTED,)
    if column == "labels" or (value[0] == "labels" and column != "score" and _is_grid(table)):
        table, column = _as_sets(table, column), "labels"
    item, first = by_name(table, ITEM)
    items = table.select(ITEM)[first]
    known = table[column].is_not_null()
    if column == "score":
        known &= table["score"].is_finite().fill_null(value=False)
    names = tuple(judges) if judges is not None else tuple(table["judge"].filter(known).unique().sort())
    kept = np.flatnonzero(known.to_numpy())
    judge = positions(table["judge"].gather(kept), names)
    latest = _latest(item[kept], judge, len(names), table["answered_at"].gather(kept))
    if len(latest) < len(kept):
        again = len(kept) - len(latest)
        notes += (f"{again} answers were given again by the same judge to the same item; the latest counts.",)
    places = Places(item[kept][latest].astype(np.int32), judge[latest], names)
    return _build(question, table[kept[latest]], items, column, labels=labels, places=places, notes=notes)


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
    if moments.is_null().all():
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
    known = table["question"].unique().sort().to_list()
    if question == "" and len(known) > 1:
        raise StatisticError(
            "The table holds several questions.", next_step=f"Say which one: {', '.join(map(str, known))}."
        )
    if question and question not in known:
        raise StatisticError(f"No answers to a question {question!r}.", next_step=did_you_mean(question, known))
    chosen = {"question": question or None, "stage": stage, "row": row, "system": system}
    for name, wanted in chosen.items():
        if wanted is not None:
            have = table[name].unique().sort().to_list()
            if wanted not in have:
                raise StatisticError(f"There is no {name} {wanted!r}.", next_step=did_you_mean(wanted, have))
            table = table.filter(pl.col(name) == wanted)
    table = table.filter(pl.col("role").is_in(list(roles)))
    if judges is not None:
        have = table["judge"].unique().sort().to_list()
        for name in judges:
            if name not in have:
                raise StatisticError(f"There is no judge {name!r} here.", next_step=did_you_mean(name, have))
        table = table.filter(pl.col("judge").is_in(list(judges)))
    return table


_SIDES = (("a", "b"), ("first", "second"), ("left", "right"))


def _one_order(table: pl.DataFrame, sides: tuple[str, str] | None) -> pl.DataFrame:
    """Outputs that were compared, in the order of their names; answers that depend on the order turned with them."""
    several = table["system"].str.contains("|", literal=True)
    if not several.any():
        return table
    systems = pl.col("system").str.split("|")
    turned = systems.list.sort() != systems
    used = set(table["label"].drop_nulls())
    pair = sides or next((known for known in _SIDES if used & set(known)), None)
    answers = [pl.when(turned).then(systems.list.sort().list.join("|")).otherwise("system").alias("system")]
    if pair is not None:
        other = pl.col("label").replace({pair[0]: pair[1], pair[1]: pair[0]})
        answers.append(pl.when(turned & (systems.list.len() == 2)).then(other).otherwise("label").alias("label"))
    ranked = table["ranks"].is_not_null() & table["label"].is_null()
    if ranked.any():
        names = [_order(s, r) for s, r in zip(table["system"].to_list(), table["ranks"].to_list(), strict=True)]
        table = table.with_columns(pl.Series("_order", names, dtype=pl.String))
        answers = [answers[0], pl.coalesce("label", "_order").alias("label")]
    return table.with_columns(answers)


def _order(systems: str, ranks: list[int] | None) -> str | None:
    """An order as text, best first: "b > a = c"."""
    if ranks is None:
        return None
    ranked = sorted(zip(ranks, systems.split("|"), strict=False))
    text = ranked[0][1] if ranked else ""
    for (before, _), (rank, name) in pairwise(ranked):
        text += (" = " if rank == before else " > ") + name
    return text


def _is_grid(table: pl.DataFrame) -> bool:
    return bool((table["row"] != "").any())


def _as_sets(table: pl.DataFrame, column: Value) -> pl.DataFrame:
    """Label sets as they are; a grid as the set of its rows that count: those above zero, where options have values."""
    if column == "labels":
        return table
    counts = pl.when(pl.col("score").is_not_null()).then(pl.col("score") > 0).otherwise(pl.col("label").is_not_null())
    whole = [name for name in table.columns if name not in ("row", "label", "score", "labels")]
    given = pl.col("row").filter(counts & (pl.col("row") != "")).sort().alias("labels")
    answered = pl.col("label").is_not_null().any().alias("_any")
    key = ["judge", "question", "stage", "document", "segment", "system", "role"]
    rest = [pl.col(name).first() for name in whole if name not in key]
    table = table.group_by(key, maintain_order=True).agg(given, answered, *rest)
    sets = pl.when(pl.col("_any")).then(pl.col("labels")).alias("labels")
    return table.with_columns(sets, row=pl.lit(""), label=pl.lit(None, pl.String), score=pl.lit(None, pl.Float64))


def _build(
    question: str,
    kept: pl.DataFrame,
    items: pl.DataFrame,
    column: Value,
    *,
    labels: Sequence[str | float] | None,
    places: Places,
    notes: tuple[str, ...],
) -> Ratings:
    sets: tuple[frozenset[str], ...] = ()
    if column == "labels":
        code, sets = _set_codes(kept["labels"])
        scale = tuple("{" + ", ".join(sorted(s)) + "}" for s in sets)
        points, ordered = np.arange(len(sets), dtype=float), False
    elif column == "spans":
        scale = tuple(kept["spans"].unique().sort())
        code, points, ordered = positions(kept["spans"], scale), np.arange(len(scale), dtype=float), False
    elif column == "score":
        code, scale, points = _score_codes(kept["score"], labels)
        ordered = True
    else:
        code, scale, points, ordered = _label_codes(kept, labels)
    documents = items["document"].unique().sort()
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
    )


def _label_codes(
    kept: pl.DataFrame, labels: Sequence[str | float] | None
) -> tuple[Codes, tuple[str, ...], Array, bool]:
    used = kept["label"].unique().sort().to_list()
    scale = [str(label) for label in labels] if labels is not None else used
    for label in used:
        if label not in scale:
            raise StatisticError(
                f"The answers hold {label!r}, which is not among the labels given.",
                next_step=did_you_mean(label, scale),
            )
    code = positions(kept["label"], scale)
    worth = (
        kept.filter(pl.col("score").is_not_null())
        .group_by("label")
        .agg(pl.col("score").first(), n=pl.col("score").n_unique())
    )
    values = dict(zip(worth["label"], worth["score"], strict=True))
    if labels is None and used and len(values) == len(used) and (worth["n"] == 1).all():
        by_value = sorted(scale, key=lambda label: values[label])  # options with values bring their own order
        return positions(kept["label"], by_value), tuple(by_value), np.array([values[x] for x in by_value]), True
    points = [values[x] for x in scale] if all(x in values for x in scale) else range(len(scale))
    return code, tuple(scale), np.array(points, dtype=float), labels is not None


def _score_codes(scores: pl.Series, labels: Sequence[str | float] | None) -> tuple[Codes, tuple[str, ...], Array]:
    given = scores.to_numpy().astype(float)
    points = np.unique(given) if labels is None else np.array(sorted(float(x) for x in labels))
    code = np.searchsorted(points, given).clip(max=max(0, len(points) - 1))
    if len(given) and not np.array_equal(points[code], given):
        odd = given[points[code] != given][0]
        raise StatisticError(f"The answers hold {odd:g}, which is not a point of the scale given.")
    return code.astype(np.int32), tuple(f"{x:g}" for x in points), points


def _set_codes(column: pl.Series) -> tuple[Codes, tuple[frozenset[str], ...]]:
    joined = column.list.unique().list.sort().list.join("\x1f") + pl.Series([""])
    empty = column.list.len() == 0
    keys = pl.DataFrame({"key": joined, "empty": empty})
    distinct = keys.unique().sort("empty", "key", descending=[True, False]).with_row_index("at")
    found = keys.join(distinct, on=["key", "empty"], how="left", maintain_order="left")["at"]
    sets = [
        frozenset() if e else frozenset(k.split("\x1f"))
        for k, e in zip(distinct["key"], distinct["empty"], strict=True)
    ]
    return found.to_numpy().astype(np.int32), tuple(sets)

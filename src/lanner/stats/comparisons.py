"""Which of two outputs was preferred: answers of any form as comparisons of two systems.

Three forms are understood: ranks of the outputs shown; a label that names a side ("a", "b", "first", "left", …) of the
two outputs shown; and a label that names the preferred system itself. Systems of a pair stand in alphabetical order,
whatever order they were shown in.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import polars as pl

from lanner.errors import StatisticError, did_you_mean
from lanner.stats.frame import tidy

TIES = frozenset({"tie", "equal", "same", "none", "neither", "both", "no_preference"})
_SIDES = (("a", "b"), ("first", "second"), ("left", "right"), ("1", "2"))


def comparisons(
    data: Any,
    question: str = "",
    *,
    sides: tuple[str, str] | None = None,
    tie: str | None = None,
    roles: Sequence[str] = ("main",),
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """One row per comparison of two systems, and notes.

    Columns `one` and `two` name the systems; `won` is 1 where `one` was preferred, −1 where `two` was, 0 for a tie;
    `shown_first` is 1, −1 or 0 where the output shown first was preferred, the other, or neither (null if not known).
    """
    table, notes = tidy(data)
    table = table.filter(pl.col("role").is_in(list(roles)))
    known = table["question"].unique().sort().to_list()
    if question:
        if question not in known:
            raise StatisticError(f"No answers to a question {question!r}.", next_step=did_you_mean(question, known))
        table = table.filter(pl.col("question") == question)
    answered = table.filter(pl.col("label").is_not_null() | pl.col("ranks").is_not_null())
    if len(answered) < len(table):
        notes += (f"{len(table) - len(answered)} comparisons have no answer and are left out.",)
    parts = [_ranked(answered.filter(pl.col("ranks").is_not_null()))]
    chosen = answered.filter(pl.col("ranks").is_null())
    several = chosen["system"].str.contains("|", literal=True)
    parts.append(_sided(chosen.filter(several), sides, tie))
    parts.append(_named(chosen.filter(~several), tie))
    return pl.concat([part for part in parts if len(part)] or parts[:1], how="diagonal"), notes


def _turned(table: pl.DataFrame) -> pl.DataFrame:
    """`left`, `right` and `preferred` (1 left, −1 right, 0 neither) to alphabetical order."""
    turn = pl.col("left") > pl.col("right")
    return table.with_columns(
        pl.when(turn).then("right").otherwise("left").alias("one"),
        pl.when(turn).then("left").otherwise("right").alias("two"),
        pl.when(turn).then(-pl.col("preferred")).otherwise("preferred").alias("won"),
        pl.col("preferred").alias("shown_first"),
    ).drop("left", "right", "preferred")


def _ranked(table: pl.DataFrame) -> pl.DataFrame:
    """Every two of the outputs ranked together; rank 1 is best."""
    places: list[int] = []
    left: list[str] = []
    right: list[str] = []
    preferred: list[int] = []
    for place, (systems, ranks) in enumerate(zip(table["system"].to_list(), table["ranks"].to_list(), strict=True)):
        for (a, rank_a), (b, rank_b) in combinations(zip(systems.split("|"), ranks, strict=False), 2):
            places.append(place)
            left.append(a)
            right.append(b)
            preferred.append((rank_a < rank_b) - (rank_a > rank_b))
    found = {"left": left, "right": right, "preferred": preferred}
    schema = {"left": pl.String(), "right": pl.String(), "preferred": pl.Int64()}
    return _turned(pl.concat([table[places], pl.DataFrame(found, schema=schema)], how="horizontal"))


def _sided(table: pl.DataFrame, sides: tuple[str, str] | None, tie: str | None) -> pl.DataFrame:
    used = set(table["label"].unique().to_list())
    if sides is None and not any(used & set(known) for known in _SIDES):
        named = _by_name(table, tie)
        if named is not None:
            return named
    pair = sides or next((known for known in _SIDES if used & set(known)), _SIDES[0])
    unknown = used - set(pair) - TIES - ({tie} if tie else set())
    if unknown:
        raise StatisticError(
            f"It is not clear which side {sorted(unknown)[0]!r} means.",
            next_step="Answer a or b, first or second, or with the name of the better system; in Python, name the "
            "two labels that mean the first and the second output shown: sides=(…, …).",
        )
    systems = pl.col("system").str.split("|")
    wins = pl.when(pl.col("label") == pair[0]).then(1).when(pl.col("label") == pair[1]).then(-1).otherwise(0)
    first, second = systems.list.get(0, null_on_oob=True), systems.list.get(1, null_on_oob=True)
    return _turned(
        table.with_columns(first.alias("left"), second.alias("right"), wins.cast(pl.Int64).alias("preferred"))
    )


def _by_name(table: pl.DataFrame, tie: str | None) -> pl.DataFrame | None:
    """Answers that name the better of the two outputs shown; None where one of them names neither."""
    systems = pl.col("system").str.split("|")
    first, second = systems.list.get(0, null_on_oob=True), systems.list.get(1, null_on_oob=True)
    ties = [*TIES, *([tie] if tie else [])]
    named = pl.when(pl.col("label") == first).then(1).when(pl.col("label") == second).then(-1)
    won = named.when(pl.col("label").is_in(ties)).then(0).cast(pl.Int64).alias("preferred")
    made = table.with_columns(first.alias("left"), second.alias("right"), won)
    return None if made["preferred"].is_null().any() else _turned(made)


def _named(table: pl.DataFrame, tie: str | None) -> pl.DataFrame:
    ties = TIES | ({tie} if tie else frozenset())
    names = sorted(set(table["label"].to_list()) - ties)
    if len(names) > 2:
        raise StatisticError(
            f"The answers name more than two systems: {', '.join(names[:6])}.",
            next_step="Say in `system` which outputs were compared (joined by |), or name the label that means a tie.",
        )
    one, two = [*names, "", ""][:2]
    wins = pl.when(pl.col("label") == one).then(1).when(pl.col("label") == two).then(-1).otherwise(0)
    unknown = pl.lit(None, dtype=pl.Int64).alias("shown_first")
    return table.with_columns(
        pl.lit(one).alias("one"), pl.lit(two).alias("two"), wins.cast(pl.Int64).alias("won"), unknown
    )

"""How long each item took: by its own time, or where that says nothing by the time from one answer to the next."""

from __future__ import annotations

import polars as pl

from lanner.stats import effort

_INSTANT, _TOO_MANY_INSTANT, _BREAK = 0.5, 0.2, 600.0
OWN, BETWEEN = "time of each item", "time from one answer to the next, breaks over 10 min left out"


def times(table: pl.DataFrame) -> tuple[effort.Work, str]:
    """The items with their seconds, and how these were found.

    Where too many items carry no time worth the name (a page that stamps all its sentences at once), the time between
    one answer and the judge's next is taken instead; ten minutes and more are a break.
    """
    work = effort.items(table)
    known = work.table.filter(pl.col("seconds").is_not_null(), pl.col("seconds") <= effort.LIMIT)
    instant = float((known["seconds"] < _INSTANT).mean() or 0.0) if len(known) else 1.0  # type: ignore[arg-type]
    if instant <= _TOO_MANY_INSTANT or not work.table["at"].is_not_null().any():
        return (work, OWN) if instant <= _TOO_MANY_INSTANT else (work._replace(table=known.head(0)), "")
    between = work.table.sort("judge", "at", maintain_order=True).with_columns(
        pl.col("at").diff().over("judge").dt.total_milliseconds().truediv(1000).alias("seconds")
    )
    return work._replace(table=between.filter(pl.col("seconds").is_between(_INSTANT, _BREAK))), BETWEEN

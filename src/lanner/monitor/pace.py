"""How fast each judge works, from the times kept with their answers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import polars as pl

from lanner.monitor.snapshot import Pace

_PARTS = 10


def paces(table: pl.DataFrame) -> dict[str, Pace]:
    """The pace of every judge, from the times kept with each answer. A repeated save counts once, at its longest."""
    if table.is_empty():
        return {}
    unit = ["judge", "document", "segment", "system", "role"]
    times = (
        table.group_by(unit)
        .agg(pl.coalesce("active", "elapsed").max().alias("active"), pl.col("answered_at").max().alias("at"))
        .sort("at", nulls_last=True)
    )
    found = {}
    seconds = pl.col("active").drop_nulls().drop_nans()
    own = times.group_by("judge", maintain_order=True).agg(
        seconds.alias("seconds"),
        seconds.median().alias("median"),
        pl.col("at").min().alias("first"),
        pl.col("at").max().alias("last"),
    )
    for judge, spent, median, first, last in own.iter_rows():
        total = float(sum(spent))
        found[str(judge)] = Pace(
            active=total,
            median=median,
            per_minute=60 * len(spent) / total if total > 0 else None,
            parts=_parts(spent),
            first=first,
            last=last,
        )
    return found


def _parts(seconds: Sequence[float]) -> tuple[float, ...]:
    """Items a minute in ten equal parts of the work so far, in the order it was done."""
    if len(seconds) < 2 * _PARTS:
        return ()
    cuts = [round(len(seconds) * part / _PARTS) for part in range(_PARTS + 1)]
    spans = [seconds[start:end] for start, end in pairwise(cuts)]
    return tuple(60 * len(span) / sum(span) if sum(span) > 0 else 0.0 for span in spans)

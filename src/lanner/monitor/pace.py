"""How fast each judge works, from the times kept with their answers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import median

import polars as pl

from lanner.model import Role
from lanner.monitor.snapshot import Pace
from lanner.stats.effort import LIMIT

_PARTS = 10


def paces(table: pl.DataFrame, role: Role = Role.MAIN) -> dict[str, Pace]:
    """The pace of every judge, from the times kept with each answer. A repeated save counts once, at its longest.

    Active time and its first and last moment are those of everything a judge did; how fast they are is told by the
    items of one `role`, as in the report: 60 over the mean seconds in each domain, the plain mean over domains.
    """
    if table.is_empty():
        return {}
    unit = ["judge", "document", "segment", "system", "role", "domain"]
    times = (
        table.group_by(unit)
        .agg(pl.coalesce("active", "elapsed").max().alias("active"), pl.col("answered_at").max().alias("at"))
        .sort("at", nulls_last=True)
    )
    seconds = pl.col("active").drop_nulls().drop_nans()
    every = times.group_by("judge", maintain_order=True).agg(
        seconds.sum().alias("active"), pl.col("at").min().alias("first"), pl.col("at").max().alias("last")
    )
    usable = pl.col("active").is_finite() & (pl.col("active") > 0) & (pl.col("active") <= LIMIT)
    own = times.filter((pl.col("role") == str(role)) & usable)
    by_domain = own.group_by("judge", "domain").agg((60 / pl.col("active").mean()).alias("pace"))
    speeds = dict(by_domain.group_by("judge").agg(pl.col("pace").mean()).iter_rows())
    spent: dict[str, list[float]] = dict(own.group_by("judge", maintain_order=True).agg("active").iter_rows())
    return {
        str(judge): Pace(
            active=float(active),
            median=median(spent[judge]) if judge in spent else None,
            per_minute=speeds.get(judge),
            parts=_parts(spent.get(judge, ())),
            first=first,
            last=last,
        )
        for judge, active, first, last in every.iter_rows()
    }


def _parts(seconds: Sequence[float]) -> tuple[float, ...]:
    """Items a minute in ten equal parts of the work so far, in the order it was done."""
    if len(seconds) < 2 * _PARTS:
        return ()
    cuts = [round(len(seconds) * part / _PARTS) for part in range(_PARTS + 1)]
    spans = [seconds[start:end] for start, end in pairwise(cuts)]
    return tuple(60 * len(span) / sum(span) if sum(span) > 0 else 0.0 for span in spans)

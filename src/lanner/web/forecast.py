"""When each judge will be done, from the time they really work: seconds an item takes, active hours a day."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise

import polars as pl

from lanner.store import Share

HOURS_A_DAY = 4.0
"""Assumed until a judge has worked on more than one day."""
_PARTS = 10


@dataclass(frozen=True, slots=True)
class Pace:
    """How one judge works: seconds of activity in all, median per item, items a minute over ten equal parts."""

    active: float = 0.0
    median: float | None = None
    per_minute: float | None = None
    parts: tuple[float, ...] = ()
    first: datetime | None = None
    last: datetime | None = None


@dataclass(frozen=True, slots=True)
class Outlook:
    """Where one judge stands. `finish` is None before they have begun, or when they are done."""

    judge: str
    done: int
    total: int
    domains: tuple[tuple[str, int, int], ...]
    pace: Pace
    active: float
    active_left: float | None
    hours_a_day: float | None
    finish: datetime | None

    @property
    def share(self) -> float:
        return self.done / self.total if self.total else 0.0


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
    for (judge,), rows in times.group_by(["judge"], maintain_order=True):
        seconds = rows["active"].drop_nulls().drop_nans()
        moments = rows["at"].drop_nulls()
        total = float(seconds.sum())
        found[str(judge)] = Pace(
            active=total,
            median=float(seconds.median()) if len(seconds) else None,  # type: ignore[arg-type]
            per_minute=60 * len(seconds) / total if total > 0 else None,
            parts=_parts([float(second) for second in seconds]),
            first=moments.min() if len(moments) else None,  # type: ignore[arg-type]
            last=moments.max() if len(moments) else None,  # type: ignore[arg-type]
        )
    return found


def _parts(seconds: Sequence[float]) -> tuple[float, ...]:
    """Items a minute in ten equal parts of the work so far, in the order it was done."""
    if len(seconds) < 2 * _PARTS:
        return ()
    cuts = [round(len(seconds) * part / _PARTS) for part in range(_PARTS + 1)]
    spans = [seconds[start:end] for start, end in pairwise(cuts)]
    return tuple(60 * len(span) / sum(span) if sum(span) > 0 else 0.0 for span in spans)


def outlooks(
    shares: Sequence[Share], known: Mapping[str, Pace], now: datetime, domains: Sequence[str]
) -> list[Outlook]:
    """Where every judge with tasks stands, in the order of the shares."""
    by_judge: dict[str, list[Share]] = {}
    for share in shares:
        if share.judge:
            by_judge.setdefault(share.judge, []).append(share)
    return [_outlook(judge, mine, known.get(judge, Pace()), now, domains) for judge, mine in by_judge.items()]


def _outlook(judge: str, mine: Sequence[Share], pace: Pace, now: datetime, domains: Sequence[str]) -> Outlook:
    done, total = sum(share.done for share in mine), sum(share.items for share in mine)
    split = []
    for domain in domains:
        part = [share for share in mine if share.domain == domain]
        if part:
            split.append((domain, sum(share.done for share in part), sum(share.items for share in part)))
    active = pace.active or sum(share.active for share in mine)
    if not done or active <= 0:
        return Outlook(judge, done, total, tuple(split), pace, active, None, None, None)
    left = (total - done) * active / done
    days = (now - pace.first) / timedelta(days=1) if pace.first else 0.0
    hours = HOURS_A_DAY if days < 1 else max(active / 3600 / days, 0.05)
    finish = now + timedelta(days=left / 3600 / hours) if left > 0 else None
    return Outlook(judge, done, total, tuple(split), pace, active, left, hours, finish)

"""When each judge will be done, from the time they really work: seconds an item takes, active hours a day."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from lanner.monitor.snapshot import Pace
from lanner.store import Share

HOURS_A_DAY = 4.0
"""Assumed until a judge has worked on more than one day."""


@dataclass(frozen=True, slots=True)
class JudgeProgress:
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


@dataclass(frozen=True, slots=True)
class WorkToCome:
    """Work that no judge has yet: free items of a pool, and judgements that an adaptive campaign may still draw, which
    makes `items` a limit. `expected` is how many it is likely to take, None where that cannot be said; `finish` is when
    all is done at this pace."""

    items: int = 0
    is_limit: bool = False
    expected: float | None = None
    finish: datetime | None = None


def joint_finish(judges: Sequence[JudgeProgress], free: int, now: datetime) -> datetime | None:
    """When everything is done if all who work go on as they do and share what is free; None before that is known."""
    done, active = sum(judge.done for judge in judges), sum(judge.active for judge in judges)
    hours = sum(judge.hours_a_day or 0.0 for judge in judges)
    if not done or not hours or active <= 0:
        return None
    left = free * active / done + sum(judge.active_left or 0.0 for judge in judges)
    return now + timedelta(days=left / 3600 / hours)


def judge_progress(
    shares: Sequence[Share], paces: Mapping[str, Pace], now: datetime, domains: Sequence[str]
) -> list[JudgeProgress]:
    """Where every judge with tasks stands, in the order of the shares."""
    by_judge: dict[str, list[Share]] = {}
    for share in shares:
        if share.judge:
            by_judge.setdefault(share.judge, []).append(share)
    return [_outlook(judge, mine, paces.get(judge, Pace()), now, domains) for judge, mine in by_judge.items()]


def _outlook(judge: str, mine: Sequence[Share], pace: Pace, now: datetime, domains: Sequence[str]) -> JudgeProgress:
    count, total = sum(share.done for share in mine), sum(share.items for share in mine)
    split = []
    for domain in domains:
        part = [share for share in mine if share.domain == domain]
        if part:
            split.append((domain, sum(share.done for share in part), sum(share.items for share in part)))
    active = pace.active or sum(share.active for share in mine)
    if not count or active <= 0:
        return JudgeProgress(judge, count, total, tuple(split), pace, active, None, None, None)
    left = (total - count) * active / count
    if pace.first is None:  # how they work is not known yet, so nothing is promised
        return JudgeProgress(judge, count, total, tuple(split), pace, active, left, None, None)
    days = (now - pace.first) / timedelta(days=1)
    hours = HOURS_A_DAY if days < 1 else max(active / 3600 / days, 0.05)
    finish = now + timedelta(days=left / 3600 / hours) if left > 0 else None
    return JudgeProgress(judge, count, total, tuple(split), pace, active, left, hours, finish)

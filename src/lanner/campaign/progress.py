"""How far a campaign is: per judge, domain and document, counted from the tasks and not from the answers, so that it
costs the same however many answers there are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from lanner.campaign.cache import Reference, find
from lanner.store import JUDGE_ITSELF, Share, Store


@dataclass(frozen=True, slots=True)
class Part:
    """Items and how many of them are done, with the minutes spent on them. Active minutes leave pauses out."""

    name: str
    items: int = 0
    done: int = 0
    elapsed_minutes: float = 0.0
    active_minutes: float = 0.0
    saved_at: datetime | None = None
    tasks: int = 0
    finished: int = 0

    @property
    def share(self) -> float:
        return self.done / self.items if self.items else 0.0


@dataclass(frozen=True, slots=True)
class Progress:
    """The whole, and its parts. `free` are items that no judge has taken yet."""

    whole: Part
    judges: tuple[Part, ...]
    domains: tuple[Part, ...]
    documents: tuple[Part, ...]
    pages: tuple[Part, ...]
    free: int = 0


def progress(store: Store, campaign: Reference) -> Progress:
    """How far everyone is, as of now."""
    with store.reading() as tx:
        found = find(tx, campaign)
        shares = tx.progress.shares(found.id)
        counts = tx.progress.counts(found.id)
    taken = [share for share in shares if share.judge]
    texts = [share for share in taken if share.document != JUDGE_ITSELF]
    by_judge = {part.name: part for part in _parts(taken, lambda share: share.judge)}
    judges = [
        _with_tasks(by_judge.get(judge, Part(judge)), tasks, finished) for judge, (tasks, finished) in counts.items()
    ]
    whole = _with_tasks(_part("", taken), sum(j.tasks for j in judges), sum(j.finished for j in judges))
    return Progress(
        whole=whole,
        judges=tuple(judges),
        domains=_parts(texts, lambda share: share.domain),
        documents=_parts(texts, lambda share: share.document),
        pages=_parts(taken, lambda share: share.page),
        free=sum(share.items for share in shares if not share.judge),
    )


def _parts(shares: Iterable[Share], name: Callable[[Share], str]) -> tuple[Part, ...]:
    grouped: dict[str, list[Share]] = {}
    for share in shares:
        grouped.setdefault(name(share), []).append(share)
    return tuple(_part(key, group) for key, group in grouped.items())


def _part(name: str, shares: Sequence[Share]) -> Part:
    moments = [share.saved_at for share in shares if share.saved_at]
    return Part(
        name=name,
        items=sum(share.items for share in shares),
        done=sum(share.done for share in shares),
        elapsed_minutes=sum(share.elapsed for share in shares) / 60,
        active_minutes=sum(share.active for share in shares) / 60,
        saved_at=max(moments, default=None),
    )


def _with_tasks(part: Part, tasks: int, finished: int) -> Part:
    times = (part.elapsed_minutes, part.active_minutes, part.saved_at)
    return Part(part.name, part.items, part.done, *times, tasks, finished)

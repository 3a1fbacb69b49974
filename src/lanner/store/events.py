"""What organisers did, when: opened, paused, added judges, imported."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select

from lanner.model import Json
from lanner.store import schema
from lanner.store.rows import Rows, dumps, loads, micros, moment

_e = schema.event.c


@dataclass(frozen=True, slots=True)
class Event:
    """One entry of a campaign's log."""

    id: int
    campaign: int | None
    account: int | None
    at: datetime
    kind: str
    detail: Mapping[str, Json]


class Events(Rows):
    """Rows of the table `event`."""

    __slots__ = ()

    def add(
        self, kind: str, now: datetime, *, campaign: int | None = None, account: int | None = None, **detail: Json
    ) -> None:
        row = {"campaign": campaign, "account": account, "at": micros(now), "kind": kind, "detail": dumps(detail)}
        self._connection.execute(schema.event.insert(), row)

    def remove_of_judge(self, kind: str, campaign: int, seat: int) -> None:
        """Delete a campaign's entries of a kind that a judge caused."""
        rows = self._connection.execute(
            select(_e.id, _e.detail).where((_e.campaign == campaign) & (_e.kind == kind))
        ).all()
        ids = [row.id for row in rows if loads(row.detail).get("seat") == seat]
        if ids:
            self._connection.execute(schema.event.delete().where(_e.id.in_(ids)))

    def last(self, campaign: int) -> int:
        """The id of a campaign's newest entry, 0 where there is none."""
        newest = select(func.max(_e.id)).where(_e.campaign == campaign)
        return int(self._connection.execute(newest).scalar() or 0)

    def of(self, campaign: int, *, kinds: Sequence[str] = (), after: int = 0) -> list[Event]:
        """A campaign's log, oldest first; only entries of these kinds, or later than one."""
        wanted = select(schema.event).where(_e.campaign == campaign, _e.id > after)
        rows = self._connection.execute((wanted.where(_e.kind.in_(kinds)) if kinds else wanted).order_by(_e.id))
        return [Event(r.id, r.campaign, r.account, moment(r.at), r.kind, loads(r.detail)) for r in rows]

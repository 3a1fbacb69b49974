"""Addresses that are told what happened, and what is still to be told.

What is to be told is written in the transaction in which it happened, so it is told at least once, however often the
server is killed. Several servers share the work: whoever takes a delivery puts off when it is due next.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import or_, select, update

from lanner.model import Json
from lanner.store import schema
from lanner.store.rows import Rows, dumps, loads, micros, moment

_w, _d = schema.webhook.c, schema.delivery.c
_ALL = select(schema.webhook).where(_w.removed_at.is_(None)).order_by(_w.id)
SEALED = "sealed:"
"""How a secret begins that only the server's key opens. No other leaves the store in a backup."""


@dataclass(frozen=True, slots=True)
class Webhook:
    """An address, the secret its messages are signed with (sealed with the server's key), and which events it is told
    (of one campaign or of all)."""

    id: int
    campaign: int | None
    url: str
    secret: str
    events: tuple[str, ...]
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Delivery:
    """One message to one address."""

    id: int
    webhook: Webhook
    event: str
    body: str
    attempts: int


class Webhooks(Rows):
    """Rows of the tables `webhook` and `delivery`."""

    __slots__ = ()

    def add(self, url: str, secret: str, events: Sequence[str], now: datetime, *, campaign: int | None = None) -> int:
        row = {"url": url, "secret": secret, "events": dumps(list(events)), "campaign": campaign}
        adding = schema.webhook.insert().returning(_w.id)
        number: int = self._connection.execute(adding, {**row, "created_at": micros(now)}).scalar_one()
        return number

    def all(self) -> list[Webhook]:
        """Those in use, the oldest first."""
        return [_webhook(row) for row in self._connection.execute(_ALL)]

    def set_secret(self, number: int, secret: str) -> None:
        self._connection.execute(update(schema.webhook).where(_w.id == number).values(secret=secret))

    def remove(self, number: int, now: datetime) -> bool:
        """Tell this address nothing any more; whether it was told anything before."""
        self._connection.execute(update(schema.delivery).where(_d.webhook == number).values(due_at=None))
        removal = update(schema.webhook).where(_w.id == number, _w.removed_at.is_(None))
        return self._connection.execute(removal.values(removed_at=micros(now), secret="")).rowcount > 0

    def announce(self, campaign: int, event: str, body: Mapping[str, Json], now: datetime) -> None:
        """Something happened: a message to every address that wants to know, in the caller's transaction."""
        mine = or_(_w.campaign.is_(None), _w.campaign == campaign)
        query = select(schema.webhook).where(_w.removed_at.is_(None), mine)
        rows = [
            {
                "webhook": webhook.id,
                "event": event,
                "body": dumps({"event": event, **body}),
                "attempts": 0,
                "due_at": micros(now),
                "problem": "",
            }
            for webhook in map(_webhook, self._connection.execute(query))
            if event in webhook.events
        ]
        if rows:
            self._connection.execute(schema.delivery.insert(), rows)

    def take(self, now: datetime, lease: timedelta) -> Delivery | None:
        """The next message that is due. Nobody else takes it until the lease is over."""
        due = select(_d.id).where(_d.due_at <= micros(now)).order_by(_d.due_at, _d.id).limit(1)
        number = self._connection.execute(due.with_for_update(skip_locked=True)).scalar()
        if number is None:
            return None
        later = {"due_at": micros(now + lease), "attempts": _d.attempts + 1}
        self._connection.execute(update(schema.delivery).where(_d.id == number).values(**later))
        tables = select(schema.delivery, *(column.label(f"w_{column.name}") for column in _w))
        row = self._connection.execute(tables.join(schema.webhook, _w.id == _d.webhook).where(_d.id == number)).one()
        webhook = Webhook(
            row.w_id, row.w_campaign, row.w_url, row.w_secret, tuple(loads(row.w_events)), moment(row.w_created_at)
        )
        return Delivery(row.id, webhook, row.event, row.body, row.attempts)

    def delivered(self, number: int, now: datetime) -> None:
        """It has arrived; what it said is kept no longer than it is needed."""
        self._change(number, due_at=None, delivered_at=micros(now), problem="", body="")

    def failed(self, number: int, problem: str, again: datetime | None) -> None:
        """What went wrong, and when to try again; None: never."""
        self._change(number, due_at=micros(again), problem=problem)

    def waiting(self) -> list[tuple[str, int, str]]:
        """What has not been delivered: the event, how often it was tried, what went wrong last."""
        query = select(_d.event, _d.attempts, _d.problem).where(_d.delivered_at.is_(None)).order_by(_d.id)
        return [(row.event, row.attempts, row.problem) for row in self._connection.execute(query)]

    def _change(self, number: int, **values: object) -> None:
        self._connection.execute(update(schema.delivery).where(_d.id == number).values(**values))


def _webhook(row: object) -> Webhook:
    id_, campaign, url, secret, events, created_at, _ = tuple(row)  # type: ignore[arg-type, var-annotated]
    return Webhook(id_, campaign, url, secret, tuple(loads(events)), moment(created_at))

"""Who judges in a campaign, and the secret links they come by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from types import SimpleNamespace
from typing import Any

from sqlalchemy import bindparam, delete, func, select, update

from lanner.model import Judge, JudgeKind
from lanner.store import schema
from lanner.store.rows import Rows, dumps, loads, micros, moment

_j = schema.judge.c
_NAMES = [column.name for column in _j]
_NUMBERED = select(schema.judge).where(_j.id == bindparam("number"))


@dataclass(frozen=True, slots=True)
class Seat:
    """A judge in a campaign: who, where, whether their link still opens the door, what they consented to."""

    number: int
    campaign: int
    judge: Judge
    has_link: bool = False
    revoked_at: datetime | None = None
    consent: str | None = None
    consented_at: datetime | None = None
    link_issued_at: datetime | None = None


class Judges(Rows):
    """Rows of the table `judge`. `number` is the row, `key` the id that people gave."""

    __slots__ = ()

    def add(self, campaign: int, judges: Sequence[Judge], now: datetime) -> None:
        if not judges:
            return
        last = self._connection.execute(select(func.max(_j.position)).where(_j.campaign == campaign)).scalar()
        rows = [
            {
                "campaign": campaign,
                "position": position,
                "key": judge.id,
                "kind": str(judge.kind),
                "name": judge.name,
                "attributes": dumps(dict(judge.attributes)),
                "added_at": micros(now),
            }
            for position, judge in enumerate(judges, 0 if last is None else last + 1)
        ]
        self._connection.execute(schema.judge.insert(), rows)

    def all(self, campaign: int) -> list[Seat]:
        """In the order they were added."""
        rows = self._connection.execute(select(schema.judge).where(_j.campaign == campaign).order_by(_j.position))
        return [_seat(row) for row in rows]

    def find(self, campaign: int, key: str) -> Seat | None:
        row = self._connection.execute(select(schema.judge).where(_j.campaign == campaign, _j.key == key)).first()
        return _seat(row) if row else None

    def numbered(self, number: int) -> Seat | None:
        row = self._connection.execute(_NUMBERED, {"number": number}).first()
        return _seat(SimpleNamespace(**dict(zip(_NAMES, row, strict=True)))) if row else None

    def by_link(self, link_hash: str) -> Seat | None:
        """The judge whose link this is, unless it was revoked."""
        query = select(schema.judge).where(_j.link_hash == link_hash, _j.revoked_at.is_(None))
        row = self._connection.execute(query).first()
        return _seat(row) if row else None

    def set_link(self, number: int, link_hash: str, now: datetime) -> None:
        """A new link; the one before it stops working."""
        self._change(number, link_hash=link_hash, link_issued_at=micros(now), revoked_at=None)

    def revoke_link(self, number: int, now: datetime) -> None:
        self._change(number, revoked_at=micros(now))

    def set_consent(self, number: int, version: str, now: datetime) -> None:
        self._change(number, consent=version, consented_at=micros(now))

    def rename(self, number: int, judge: Judge) -> None:
        """Other id, name and attributes for the same person: this is how an identity is erased."""
        self._change(number, key=judge.id, name=judge.name, attributes=dumps(dict(judge.attributes)))

    def remove(self, number: int) -> None:
        """Delete a judge whom nothing refers to any more."""
        self._connection.execute(delete(schema.judge).where(_j.id == number))

    def _change(self, number: int, **values: Any) -> None:
        self._connection.execute(update(schema.judge).where(_j.id == number).values(**values))


def _seat(row: Any) -> Seat:
    judge = Judge(id=row.key, kind=JudgeKind(row.kind), name=row.name, attributes=loads(row.attributes))
    return Seat(
        number=row.id,
        campaign=row.campaign,
        judge=judge,
        has_link=row.link_hash is not None,
        revoked_at=moment(row.revoked_at),
        consent=row.consent,
        consented_at=moment(row.consented_at),
        link_issued_at=moment(row.link_issued_at),
    )

"""Tokens that programs come with: only their hashes are kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, select, update

from lanner.store import schema
from lanner.store.rows import Rows, dumps, loads, micros, moment

_t = schema.token.c


@dataclass(frozen=True, slots=True)
class Token:
    """What a program may do: as which account (None: the operator's own), in which campaign (None: all of that
    account's), with which scopes, until when."""

    id: int
    name: str
    scopes: tuple[str, ...]
    account: int | None
    campaign: int | None
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None


_FIND = select(schema.token).where(_t.token_hash == bindparam("token_hash"), _t.revoked_at.is_(None))


class Tokens(Rows):
    """Rows of the table `token`."""

    __slots__ = ()

    def add(
        self,
        name: str,
        token_hash: str,
        scopes: Sequence[str],
        now: datetime,
        *,
        account: int | None = None,
        campaign: int | None = None,
        expires_at: datetime | None = None,
    ) -> int:
        row = {
            "name": name,
            "token_hash": token_hash,
            "scopes": dumps(sorted(set(scopes))),
            "account": account,
            "campaign": campaign,
            "created_at": micros(now),
            "expires_at": micros(expires_at),
        }
        number: int = self._connection.execute(schema.token.insert().returning(_t.id), row).scalar_one()
        return number

    def find(self, token_hash: str, now: datetime) -> Token | None:
        """Whose token this is, unless it was revoked or has run out."""
        row = self._connection.execute(_FIND, {"token_hash": token_hash}).first()
        if row is None:
            return None
        found = _token(row)
        return found if found.expires_at is None or found.expires_at > now else None

    def all(self) -> list[Token]:
        """The oldest first, the revoked ones too."""
        return [_token(tuple(row)) for row in self._connection.execute(select(schema.token).order_by(_t.id))]

    def revoke(self, number: int, now: datetime) -> bool:
        """Whether there was such a token that worked."""
        changed = update(schema.token).where(_t.id == number, _t.revoked_at.is_(None)).values(revoked_at=micros(now))
        return self._connection.execute(changed).rowcount > 0


def _token(row: tuple[Any, ...]) -> Token:
    id_, name, _, scopes, account, campaign, created_at, expires_at, revoked_at = row
    return Token(
        id_, name, tuple(loads(scopes)), account, campaign, moment(created_at), moment(expires_at), moment(revoked_at)
    )

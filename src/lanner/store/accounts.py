"""Who may come in: accounts of organisers, the sessions of everyone, and the tokens of programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import bindparam, delete, func, or_, select, update

from lanner.store import schema
from lanner.store.rows import Rows, dumps, loads, micros, moment

_a, _m, _s, _j = schema.account.c, schema.member.c, schema.session.c, schema.judge.c


class AccountRole(StrEnum):
    """What an account may do: everything, run the campaigns it belongs to, or look at them."""

    OWNER = "owner"
    ORGANISER = "organiser"
    VIEWER = "viewer"


@dataclass(frozen=True, slots=True)
class Account:
    """Someone who organises. `password` is an argon2 hash, made and checked by whoever signs people in."""

    id: int
    name: str
    password: str
    role: AccountRole
    created_at: datetime
    disabled_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Session:
    """Someone signed in: a judge (with their campaign) or an account."""

    judge: int | None
    campaign: int | None
    account: int | None
    expires_at: datetime


class Accounts(Rows):
    """Rows of the tables `account` and `member`."""

    __slots__ = ()

    def add(self, name: str, password: str, role: AccountRole, now: datetime) -> int:
        row = {"name": name, "password": password, "role": str(role), "created_at": micros(now)}
        adding = schema.account.insert().returning(_a.id)
        number: int = self._connection.execute(adding, row).scalar_one()
        return number

    def find(self, name: str) -> Account | None:
        row = self._connection.execute(select(schema.account).where(_a.name == name)).first()
        return _account(row) if row else None

    def by_number(self, number: int) -> Account | None:
        row = self._connection.execute(select(schema.account).where(_a.id == number)).first()
        return _account(row) if row else None

    def all(self) -> list[Account]:
        return [_account(row) for row in self._connection.execute(select(schema.account).order_by(_a.id))]

    def count_owners(self) -> int:
        """How many owners there are. None means that nobody has set this store up: other accounts cannot appoint
        anybody."""
        owners = select(func.count()).select_from(schema.account).where(_a.role == str(AccountRole.OWNER))
        return int(self._connection.execute(owners).scalar_one())

    def hold_owners(self) -> None:
        """Let nobody else change an owner until the transaction ends: two could take the role from each other."""
        owners = select(_a.id).where(_a.role == str(AccountRole.OWNER)).order_by(_a.id)
        self._connection.execute(owners.with_for_update()).all()

    def set_password(self, number: int, password: str) -> None:
        self._change(number, password=password)

    def set_role(self, number: int, role: AccountRole) -> None:
        self._change(number, role=str(role))

    def disable(self, number: int, now: datetime) -> None:
        self._change(number, disabled_at=micros(now))

    def join(self, number: int, campaign: int) -> None:
        if not self.belongs(number, campaign):
            self._connection.execute(schema.member.insert(), {"campaign": campaign, "account": number})

    def leave(self, number: int, campaign: int) -> None:
        self._connection.execute(delete(schema.member).where(_m.account == number, _m.campaign == campaign))

    def belongs(self, number: int, campaign: int) -> bool:
        query = select(_m.account).where(_m.account == number, _m.campaign == campaign)
        return self._connection.execute(query).first() is not None

    def _change(self, number: int, **values: Any) -> None:
        self._connection.execute(update(schema.account).where(_a.id == number).values(**values))


_FIND_SESSIONS = (
    select(_s.token_hash, _s.judge, _j.campaign, _s.account, _s.expires_at)
    .select_from(schema.session.outerjoin(schema.judge, _j.id == _s.judge))
    .where(_s.token_hash.in_(bindparam("token_hashes", expanding=True)), _s.expires_at > bindparam("now"))
)
_HELD = {
    table.name: select(table.c.id).where(table.c.id == bindparam("number")).with_for_update(read=True)
    for table in (schema.judge, schema.account)
}


class Sessions(Rows):
    """Rows of the table `session`: only hashes of tokens are kept."""

    __slots__ = ()

    def add(
        self,
        token_hash: str,
        expires_at: datetime,
        now: datetime,
        *,
        judge: int | None = None,
        account: int | None = None,
    ) -> None:
        row = {"token_hash": token_hash, "judge": judge, "account": account}
        times = {"created_at": micros(now), "expires_at": micros(expires_at)}
        self._connection.execute(schema.session.insert(), {**row, **times})

    def hold(self, *, judge: int | None = None, account: int | None = None) -> None:
        """Let nobody change this judge's link or this account's password until the transaction ends: what ended their
        sessions before is seen from here on, and what ends them later ends one that is added now, too."""
        table, number = ("judge", judge) if judge is not None else ("account", account)
        self._connection.execute(_HELD[table], {"number": number}).all()

    def find(self, token_hash: str, now: datetime) -> Session | None:
        """Who this is, unless the session has run out."""
        return self.find_all([token_hash], now).get(token_hash)

    def find_all(self, token_hashes: Sequence[str], now: datetime) -> dict[str, Session]:
        """The sessions that have not run out, by the hashes of their tokens."""
        found: dict[str, Session] = {}
        for start in range(0, len(token_hashes), 500):
            values = {"token_hashes": token_hashes[start : start + 500], "now": micros(now)}
            for hash_, judge, campaign, account, expires_at in self._connection.execute(_FIND_SESSIONS, values):
                found[hash_] = Session(judge, campaign, account, moment(expires_at))
        return found

    def remove(self, token_hash: str) -> None:
        self._connection.execute(delete(schema.session).where(_s.token_hash == token_hash))

    def remove_of(self, *, judge: int | None = None, account: int | None = None) -> None:
        """Sign someone out everywhere: after a revoked link or a new password."""
        mine = _s.judge == judge if judge is not None else _s.account == account
        self._connection.execute(delete(schema.session).where(mine))

    def remove_expired(self, now: datetime) -> int:
        return self._connection.execute(delete(schema.session).where(_s.expires_at <= micros(now))).rowcount


def _account(row: Any) -> Account:
    created_at, disabled_at = moment(row.created_at), moment(row.disabled_at)
    return Account(row.id, row.name, row.password, AccountRole(row.role), created_at, disabled_at)


# Tokens that programs come with: only their hashes are kept.

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


_FIND = select(schema.token).where(
    _t.token_hash == bindparam("token_hash"),
    _t.revoked_at.is_(None),
    or_(_t.expires_at.is_(None), _t.expires_at > bindparam("now")),
)


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
        row = self._connection.execute(_FIND, {"token_hash": token_hash, "now": micros(now)}).first()
        return _token(row) if row else None

    def all(self) -> list[Token]:
        """The oldest first, the revoked ones too."""
        return [_token(row) for row in self._connection.execute(select(schema.token).order_by(_t.id))]

    def revoke(self, number: int, now: datetime) -> bool:
        """Revoke a token, and return whether it worked until now."""
        statement = update(schema.token).where(_t.id == number, _t.revoked_at.is_(None)).values(revoked_at=micros(now))
        return self._connection.execute(statement).rowcount > 0


def _token(row: Any) -> Token:
    times = moment(row.created_at), moment(row.expires_at), moment(row.revoked_at)
    return Token(row.id, row.name, tuple(loads(row.scopes)), row.account, row.campaign, *times)

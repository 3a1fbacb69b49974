"""Kinds of visitor, and the check that stands before every handler. Which kinds may use a route is in `routes`."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from lanner.campaign.accounts import PREFIX, digest
from lanner.store import Account, AccountRole, Assigned, Store
from lanner.store.accounts import Token
from lanner.web import session
from lanner.web.page.problems import SignInNeeded
from lanner.web.session import Visitor, account_visitor, judge_visitor, renewed

# Programs that come with a token: who they act for and what they may do.


@dataclass(frozen=True, slots=True)
class Caller:
    """A program: its token, and the account it acts for (None: the operator's own, who may do everything)."""

    token: Token
    account: Account | None
    renewable: bool = False

    @property
    def sees_all(self) -> bool:
        return self.account is None or self.account.role is AccountRole.OWNER

    def require(self, scope: str) -> None:
        """Refuse what the token is not for, or its account may not do."""
        if scope not in self.token.scopes:
            raise HTTPException(403, f"This token lacks the scope {scope!r}.")
        if scope == "write" and self.account is not None and self.account.role is AccountRole.VIEWER:
            raise HTTPException(403, "This token's account may look, not change.")


async def caller_of(request: Request) -> Caller | None:
    """The program asking; None without a token that works. Wrong tokens are slowed down by address."""
    kind, _, text = request.headers.get("authorization", "").partition(" ")
    if kind.lower() != "bearer" or not text.startswith(PREFIX):
        return None
    site = request.app.state.site
    address = request.client.host if request.client else ""

    def look() -> Caller | None:
        now = datetime.now(UTC)
        with site.store.reading() as tx:
            token = tx.tokens.find(digest(text.strip()), now)
            if token is None:
                return None
            if token.account is None:
                return Caller(token, None)
            account = tx.accounts.numbered(token.account)
            return Caller(token, account) if account and account.disabled_at is None else None

    caller: Caller | None = await site.read(look)
    if caller is None and site.addresses.wait(f"token {address}", time.monotonic()):
        raise HTTPException(429)
    return caller


Handler = Callable[[Request], Awaitable[Response]]


class Kind(StrEnum):
    """Kinds of visitor. Viewers look, organisers change their campaigns, owners do everything and appoint others."""

    NOBODY = "nobody"
    JUDGE = "judge"
    VIEWER = "viewer"
    ORGANISER = "organiser"
    OWNER = "owner"
    PROGRAM = "program"


ANYONE = frozenset(Kind)
PROGRAMS = frozenset({Kind.PROGRAM})
JUDGES = frozenset({Kind.JUDGE})
READERS = frozenset({Kind.VIEWER, Kind.ORGANISER, Kind.OWNER})
EDITORS = frozenset({Kind.ORGANISER, Kind.OWNER})
OWNERS = frozenset({Kind.OWNER})


def guard(
    handler: Handler,
    kinds: frozenset[Kind],
    *,
    changes: bool,
    scope: str = "",
    parameters: frozenset[str] = frozenset(),
) -> Handler:
    """The handler, preceded by its check: refuses other sites' pages, then visitors of the wrong kind.

    The visitor is left in `request.state.visitor`. A route for anyone looks at no cookie. Programs come with a
    token in a header, which no page of another site can make a browser send, and need its scope.
    """
    if kinds == PROGRAMS:
        return _guarded_by_token(handler, scope, parameters)
    find = _nobody if kinds == ANYONE else (judge_visitor if kinds == JUDGES else account_visitor)

    async def guarded(request: Request) -> Response:
        _refuse_impossible(request)
        if changes:
            session.check_origin(request)
        visitor = await find(request)
        request.state.visitor = visitor
        if kind_of(visitor) not in kinds:
            if visitor is None:
                raise SignInNeeded(judge=kinds == JUDGES)
            raise HTTPException(403)
        try:
            response = await handler(request)
            return await renewed(request, response, visitor) if visitor and visitor.renewable else response
        finally:
            if changes:
                await request.close()  # what was uploaded lies in temporary files

    guarded.__name__ = handler.__name__
    return guarded


def _guarded_by_token(handler: Handler, scope: str, parameters: frozenset[str]) -> Handler:
    async def guarded(request: Request) -> Response:
        _refuse_impossible(request)
        caller: Caller | None = await caller_of(request)
        if caller is None:
            raise HTTPException(401, headers={"WWW-Authenticate": "Bearer"})
        request.state.visitor = caller
        caller.require(scope)
        if unknown := set(request.query_params) - parameters:
            raise HTTPException(422, f"There is no parameter {min(unknown)!r}.")
        return await handler(request)

    guarded.__name__ = handler.__name__
    return guarded


_LARGEST = 2**63 - 1


def _refuse_impossible(request: Request) -> None:
    """Addresses that nothing can have: with a character that no text in a database may hold, with a number beyond every
    row. They do not exist, and the database is not asked."""
    if "\0" in request.scope["path"] or b"%00" in request.scope.get("query_string", b""):
        raise HTTPException(404)
    number = request.path_params.get("id")
    if isinstance(number, int) and number > _LARGEST:
        raise HTTPException(404)


def kind_of(visitor: Visitor | None) -> Kind:
    """What the table calls this visitor."""
    if visitor is None:
        return Kind.NOBODY
    return Kind(visitor.account.role) if visitor.account else Kind.JUDGE


async def _nobody(_request: Request) -> None:
    return None


_REMEMBERED = 4000


class Owners:
    """Whose each task is: never changes once it is someone's, so it is remembered. A free task is nobody's yet."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._assigned: dict[int, Assigned] = {}

    def remembered(self, task: int) -> Assigned | None:
        """Without asking the store."""
        return self._assigned.get(task)

    def find(self, task: int) -> Assigned | None:
        """The task as it was assigned; None where there is none, or nobody has taken it."""
        assigned = self._assigned.get(task)
        if assigned is not None:
            return assigned
        with self._store.reading() as tx:
            assigned_now = tx.tasks.assigned(task)
        if assigned_now is None or assigned_now.judge is None:
            return None
        if len(self._assigned) >= _REMEMBERED:
            self._assigned.clear()
        self._assigned[task] = assigned_now
        return assigned_now

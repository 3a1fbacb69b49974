"""Kinds of visitor, and the check that stands before every handler. Which kinds may use a route is in `routes`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from enum import StrEnum

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from lanner.web.api.callers import Caller, caller_of
from lanner.web.page.problems import SignInNeeded
from lanner.web.serving import csrf
from lanner.web.session import Visitor, account_visitor, judge_visitor, renewed

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
            csrf.check(request)
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

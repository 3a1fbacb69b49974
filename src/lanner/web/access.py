"""Who may do what: one row per route. A route without a row is refused when the app is made.

Rows say which kinds of visitor pass the door. Behind it each handler still looks whether the task is this judge's and
the campaign one of this organiser's; whatever is not, does not exist for them (404), so that nothing can be guessed.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from enum import StrEnum

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from lanner.web.api.callers import Caller, caller_of
from lanner.web.api.table import OPERATIONS, ROOT
from lanner.web.page.problems import SignInNeeded
from lanner.web.serving import origin
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

ACCESS: Mapping[str, frozenset[Kind]] = {
    "GET /": ANYONE,
    "GET /healthz": ANYONE,
    "GET /readyz": ANYONE,
    "GET /static/{version}/{path:path}": ANYONE,
    "GET /setup": ANYONE,
    "POST /setup": ANYONE,
    "GET /login": ANYONE,
    "POST /login": ANYONE,
    "POST /logout": READERS,
    "GET /enter/{code}": ANYONE,
    # judges
    "GET /j/{secret}": ANYONE,
    "GET /work": JUDGES,
    "GET /task/{id:int}": JUDGES,
    "GET /task/{id:int}/answers": JUDGES,
    "POST /task/{id:int}/answers": JUDGES,
    "POST /task/{id:int}/form": JUDGES,
    "POST /task/{id:int}/finish": JUDGES,
    "POST /task/{id:int}/reopen": JUDGES,
    # organisers
    "GET /campaigns": READERS,
    "GET /campaigns/{name}": READERS,
    "GET /campaigns/{name}/panels": READERS,
    "GET /campaigns/{name}/events": READERS,
    "GET /campaigns/{name}/documents": READERS,
    "GET /campaigns/{name}/disagreements": READERS,
    "POST /campaigns/{name}/settle": EDITORS,
    "GET /campaigns/{name}/judges": EDITORS,
    "POST /campaigns/{name}/judges": EDITORS,
    "GET /campaigns/{name}/judge": EDITORS,
    "POST /campaigns/{name}/judge": EDITORS,
    "POST /campaigns/{name}/links": EDITORS,
    "POST /campaigns/{name}/overlap": EDITORS,
    "POST /campaigns/{name}/state": EDITORS,
    "GET /campaigns/{name}/settings": EDITORS,
    "POST /campaigns/{name}/settings": EDITORS,
    "POST /campaigns/{name}/duplicate": EDITORS,
    "POST /campaigns/{name}/delete": EDITORS,
    "GET /campaigns/{name}/export/{format}": READERS,
    "GET /campaigns/{name}/report": READERS,
    "GET /campaigns/{name}/import": EDITORS,
    "POST /campaigns/{name}/import": EDITORS,
    "POST /campaigns/{name}/import/{upload}": EDITORS,
    "GET /campaigns/{name}/models": EDITORS,
    "POST /campaigns/{name}/models": OWNERS,
    "GET /campaigns/{name}/preview": READERS,
    "GET /campaigns/{name}/preview/work": READERS,
    "GET /campaigns/{name}/preview/task/{id:int}": READERS,
    "GET /campaigns/{name}/preview/task/{id:int}/answers": READERS,
    "POST /campaigns/{name}/preview/task/{id:int}/answers": READERS,
    "POST /campaigns/{name}/preview/task/{id:int}/form": READERS,
    "POST /campaigns/{name}/preview/task/{id:int}/finish": READERS,
    "GET /new": EDITORS,
    "POST /new": EDITORS,
    "GET /new/{upload}": EDITORS,
    "POST /new/{upload}": EDITORS,
    "GET /protocols/{protocol}": READERS,
    # accounts
    "GET /people": OWNERS,
    "POST /people": OWNERS,
    "POST /people/change": OWNERS,
    "GET /server": OWNERS,
    "POST /server/copies": OWNERS,
    "GET /server/copies/{copy}": OWNERS,
    "POST /server/tokens": OWNERS,
    "POST /server/webhooks": OWNERS,
    "GET /account": READERS,
    "POST /account": READERS,
    # programs
    f"GET {ROOT}/openapi.json": ANYONE,
    **{f"{row.method} {row.place}": PROGRAMS for row in OPERATIONS},
}
_QUERIES = {row.handler.__name__: {name for name, _, _ in row.query} for row in OPERATIONS}
_SCOPES = {f"{row.method} {row.place}": row.scope for row in OPERATIONS}


def allowed(method: str, path: str) -> frozenset[Kind]:
    """Who passes; a missing row is a mistake in the program."""
    try:
        return ACCESS[f"{method} {path}"]
    except KeyError:
        raise LookupError(f"{method} {path} has no row in the table of who may do what") from None


def scope_of(method: str, path: str) -> str:
    """What a program's token must be for; empty for pages."""
    return _SCOPES.get(f"{method} {path}", "")


def guard(handler: Handler, kinds: frozenset[Kind], *, changes: bool, scope: str = "") -> Handler:
    """The handler behind its door: refuses other sites' pages, then visitors of the wrong kind.

    The visitor is left in `request.state.visitor`. A door for anyone asks for no cookie at all. Programs come with a
    token in a header, which no page of another site can make a browser send, and need its scope.
    """
    if kinds == PROGRAMS:
        return _guarded_by_token(handler, scope)
    find = _nobody if kinds == ANYONE else (judge_visitor if kinds == JUDGES else account_visitor)

    async def guarded(request: Request) -> Response:
        _refuse_impossible(request)
        if changes:
            origin.check(request)
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


def _guarded_by_token(handler: Handler, scope: str) -> Handler:
    async def guarded(request: Request) -> Response:
        _refuse_impossible(request)
        caller: Caller | None = await caller_of(request)
        if caller is None:
            raise HTTPException(401, headers={"WWW-Authenticate": "Bearer"})
        request.state.visitor = caller
        caller.require(scope)
        if unknown := set(request.query_params) - _QUERIES[handler.__name__]:
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

"""The page on which doubtful rows of a prepared corpus are checked by a person, and a server for it alone."""

from __future__ import annotations

import hmac
import json
import secrets
import socket
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from lanner.corpus.edits import parent
from lanner.corpus.review import DoubtfulSegment, Review, ReviewSession
from lanner.corpus.rows import language, texts
from lanner.corpus.split import joiner
from lanner.errors import InputError, LannerError
from lanner.model import Document, Segment, languages
from lanner.model.messages import shorten
from lanner.web import forms, problems
from lanner.web.access import check_origin
from lanner.web.middleware import BodyLimit, Headers
from lanner.web.rendering import Assets, environment, page

# A segment under review as plain data: its rows in context, every text beside the others, what is in doubt marked.


AROUND = 2
"""Rows of the neighbouring segments that are shown for context, on each side."""
LETTERS = 90
FEW = 4
"""So many outputs fit beside each other; with more, those that are sure are shown on request."""


@dataclass(frozen=True, slots=True)
class ReviewColumn:
    """One text of all rows. `unspaced` scripts are cut between letters, others between words."""

    key: str
    name: str
    kind: str
    language: str
    direction: str
    unspaced: bool


@dataclass(frozen=True, slots=True)
class ReviewCell:
    """A text of a row; `sure` is its confidence where that is too low."""

    column: ReviewColumn
    text: str
    sure: float | None


@dataclass(frozen=True, slots=True)
class ReviewRow:
    """A row; `own` ones belong to the segment under review, the others are context. `last` has no row to merge with."""

    id: str
    cells: tuple[ReviewCell, ...]
    own: bool
    last: bool
    doubtful: bool
    judged: bool


@dataclass(frozen=True, slots=True)
class SegmentLine:
    """A segment in the list of all."""

    number: int
    text: str
    language: str
    open: bool


@dataclass(frozen=True, slots=True)
class ReviewGroup:
    """What the page shows at once. `hidden` counts the outputs that are not in doubt and not shown."""

    at: int
    of: int
    left: int
    document: str
    title: str
    domain: str
    note: str
    segment: str
    columns: tuple[ReviewColumn, ...]
    rows: tuple[ReviewRow, ...]
    row: str
    hidden: int
    everything: bool
    foldable: bool
    edits: int

    @property
    def width(self) -> int:
        """Columns of the table, the row's number included."""
        return len(self.columns) + 1


def group(review: Review, at: int, row: str = "", *, everything: bool = False) -> ReviewGroup:
    """The segment of that number, with `row` (else the first in doubt) as the one to act on."""
    place = review.places[at]
    document = review.document(place.document)
    rows = review.rows(place)
    columns = _columns(document, rows, _doubtful_texts(review, place), everything)
    open_rows = [segment.id for segment in rows if review.unsure(document.id, segment)]
    names = [segment.id for segment in rows]
    return ReviewGroup(
        at=at,
        of=len(review.places),
        left=len(review.open),
        document=document.id,
        title=document.title or document.id,
        domain=document.domain,
        note=document.note,
        segment=place.parent,
        columns=columns,
        rows=tuple(_rows(review, document, rows, columns)),
        row=row if row in names else (open_rows or names)[0],
        hidden=len(texts(rows[0])) - len(columns),
        everything=everything,
        foldable=len(rows[0].outputs) > FEW,
        edits=len(review.edits),
    )


def lines(review: Review) -> list[SegmentLine]:
    """All segments under review."""
    still = set(review.open)
    parts = []
    for number, place in enumerate(review.places):
        document = review.document(place.document)
        source = " ".join(row.source for row in review.rows(place))
        parts.append(SegmentLine(number, shorten(source, LETTERS), document.source_language, number in still))
    return parts


def _doubtful_texts(review: Review, place: DoubtfulSegment) -> set[str]:
    """The texts that were in doubt anywhere in a segment; they stay in view when they are settled."""
    original = review.documents[place.document]
    rows = {row.id for row in original.segments if parent(row) == place.parent}
    return {doubt.column for doubt in review.doubts if doubt.document == place.document and doubt.segment in rows}


def _columns(
    document: Document, rows: Sequence[Segment], visible_keys: set[str], everything: bool
) -> tuple[ReviewColumn, ...]:
    parts = []
    columns = list(texts(rows[0]))
    everything = everything or sum(key.startswith("output:") for key in columns) <= FEW
    for key in columns:
        kind, _, name = key.partition(":")
        if kind == "output" and key not in visible_keys and not everything:
            continue
        code = language(document, key)
        direction = languages.direction_of_text(code)
        titles = {"source": "Source", "reference": "Reference" if name in ("", "reference") else f"Reference {name}"}
        parts.append(ReviewColumn(key, titles.get(kind, name), kind, code, direction, not joiner(code)))
    return tuple(parts)


def _rows(
    review: Review, document: Document, own: Sequence[Segment], columns: Sequence[ReviewColumn]
) -> list[ReviewRow]:
    segments = list(document.segments)
    first, last = segments.index(own[0]), segments.index(own[-1])
    visible_segments = segments[max(0, first - AROUND) : last + 1 + AROUND]
    names = {row.id for row in own}
    parts = []
    for row in visible_segments:
        unsure = review.unsure(document.id, row) if row.id in names else {}
        own_texts = texts(row)
        cells = tuple(ReviewCell(column, own_texts.get(column.key, ""), unsure.get(column.key)) for column in columns)
        is_own = row.id in names
        parts.append(ReviewRow(row.id, cells, is_own, row.id == own[-1].id, bool(unsure), row.judged))
    return parts


async def show(request: Request, session: ReviewSession, here: str, trail: list[tuple[str, str]]) -> Response:
    """The whole page. `here` is its address, `trail` the pages above it."""
    query = request.query_params
    number = forms.whole_number(query.get("at", ""))
    at = session.first() if number is None else number - 1
    if session.review.places and not 0 <= at < len(session.review.places):
        raise HTTPException(404)

    def make() -> dict[str, Any]:
        page_group = group(session.review, at, everything="all" in query) if session.review.places else None
        return {
            "title": session.title,
            "here": here,
            "trail": trail,
            "lines": lines(session.review),
            "group": page_group,
        }

    return page(request, "verify.html", await run_in_threadpool(make))


async def act(request: Request, session: ReviewSession) -> Response:
    """Do something, or only look, and show where that leads."""
    body = await _read_json(request)

    def do() -> dict[str, Any]:
        step = session.act(body)
        page_group = group(session.review, step.at, step.row, everything=bool(body.get("all")))
        site = request.app.state.site
        html = site.templates.get_template("verify_group.html").render(group=page_group)
        return {
            "at": step.at,
            "open": session.review.open,
            "edits": page_group.edits,
            "of": page_group.of,
            "html": html,
            "said": step.said,
        }

    return JSONResponse(await run_in_threadpool(do))


async def suggest(request: Request, session: ReviewSession) -> Response:
    """Where the other texts are best cut."""
    body = await _read_json(request)
    return JSONResponse({"cut": await run_in_threadpool(lambda: session.suggestion(body))})


async def finish(request: Request, session: ReviewSession) -> Response:
    """Write the result; the page goes where it is told."""
    await _read_json(request)
    go = await run_in_threadpool(lambda: session.finish(session.review.edits))
    return JSONResponse({"go": go})


async def _read_json(request: Request) -> dict[str, Any]:
    if request.headers.get("content-type", "").partition(";")[0] != "application/json":
        raise HTTPException(415)
    try:
        body = json.loads(await request.body())
    except ValueError:
        raise HTTPException(400) from None
    if not isinstance(body, dict):
        raise InputError("This is not an action.")
    return body


# The verify page by itself, on this machine, behind a secret link; for `lanner prepare --verify`.


COOKIE = "lanner_verify"
HOST = "127.0.0.1"
_SMALL = [Middleware(BodyLimit, largest=256 * 1024)]

Answer = Callable[[Request, ReviewSession], Awaitable[Response]]


class Table:
    """What the handlers and templates look for on a site; there is no store here."""

    def __init__(self) -> None:
        self.assets = Assets()
        self.templates = environment()
        self.trouble = ""


def create_app(session: ReviewSession, secret: str, on_finish: Callable[[], None] | None = None) -> Starlette:
    """The app for one session. Only who opened the secret link is let in."""
    table = Table()

    async def enter(request: Request) -> Response:
        if not hmac.compare_digest(request.path_params["secret"].encode(), secret.encode()):
            raise HTTPException(404)
        answer = RedirectResponse("/verify", 303)
        answer.set_cookie(COOKIE, secret, httponly=True, samesite="strict")
        return answer

    async def home(_request: Request) -> Response:
        return RedirectResponse("/verify", 303)

    async def show_page(request: Request, session: ReviewSession) -> Response:
        return await show(request, session, "/verify", [])

    async def finish_review(request: Request, session: ReviewSession) -> Response:
        answer = await finish(request, session)
        if on_finish:
            on_finish()
        return answer

    async def static(request: Request) -> Response:
        return table.assets.respond(request)

    def guarded(answer: Answer) -> Callable[[Request], Awaitable[Response]]:
        async def handler(request: Request) -> Response:
            if request.method != "GET":
                check_origin(request)
            if not hmac.compare_digest(request.cookies.get(COOKIE, "").encode(), secret.encode()):
                raise HTTPException(403, "Open the link that the command printed.")
            return await answer(request, session)

        return handler

    app = Starlette(
        routes=[
            Route("/", home),
            Route("/v/{secret}", enter),
            Route("/verify", guarded(show_page)),
            Route("/verify/act", guarded(act), methods=["POST"], middleware=_SMALL),
            Route("/verify/suggest", guarded(suggest), methods=["POST"], middleware=_SMALL),
            Route("/verify/finish", guarded(finish_review), methods=["POST"], middleware=_SMALL),
            Route("/static/{version}/{path:path}", static),
        ],
        middleware=[Middleware(Headers)],
        exception_handlers={
            HTTPException: problems.http_problem,
            LannerError: problems.lanner_problem,
            Exception: problems.bug,
        },
    )
    app.state.site = table
    return app


def server(session: ReviewSession, port: int, secret: str) -> uvicorn.Server:
    """A server that ends by itself when the person has finished."""
    parts: list[uvicorn.Server] = []

    def stop() -> None:
        parts[0].should_exit = True

    config = uvicorn.Config(
        create_app(session, secret, stop),
        host=HOST,
        port=port,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=3,
    )
    parts.append(uvicorn.Server(config))
    return parts[0]


def serve(session: ReviewSession, listener: socket.socket, announce: Callable[[str], None]) -> None:
    """Serve until the person has finished or the command is stopped; `announce` gets the secret link first."""
    secret, port = secrets.token_urlsafe(18), listener.getsockname()[1]
    announce(f"http://{HOST}:{port}/v/{secret}")
    server(session, port, secret).run([listener])

"""What the page asks for and gets. Where the session is found is the caller's business: in a command, in an upload."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from lanner.corpus.review_session import ReviewSession
from lanner.errors import InputError
from lanner.web.page import forms
from lanner.web.page.rendering import page
from lanner.web.verifying.view import group, lines

Handler = Callable[[Request], Awaitable[Response]]


async def show(request: Request, session: ReviewSession, here: str, trail: list[tuple[str, str]]) -> Response:
    """The whole page. `here` is its address, `trail` the pages above it."""
    query = request.query_params
    number = forms.whole_number(query.get("at", ""))
    at = session.first() if number is None else number - 1
    if session.review.places and not 0 <= at < len(session.review.places):
        raise HTTPException(404)

    def make() -> dict[str, Any]:
        found = group(session.review, at, everything="all" in query) if session.review.places else None
        return {"title": session.title, "here": here, "trail": trail, "lines": lines(session.review), "group": found}

    return page(request, "verify.html", await run_in_threadpool(make))


async def act(request: Request, session: ReviewSession) -> Response:
    """Do something, or only look, and show where that leads."""
    asked = await _asked(request)

    def do() -> dict[str, Any]:
        step = session.act(asked)
        found = group(session.review, step.at, step.row, everything=bool(asked.get("all")))
        site = request.app.state.site
        html = site.templates.get_template("verify_group.html").render(group=found)
        return {
            "at": step.at,
            "open": session.review.open,
            "edits": found.edits,
            "of": found.of,
            "html": html,
            "said": step.said,
        }

    return JSONResponse(await run_in_threadpool(do))


async def suggest(request: Request, session: ReviewSession) -> Response:
    """Where the other texts are best cut."""
    asked = await _asked(request)
    return JSONResponse({"cut": await run_in_threadpool(lambda: session.suggestion(asked))})


async def finish(request: Request, session: ReviewSession) -> Response:
    """Write the result; the page goes where it is told."""
    await _asked(request)
    go = await run_in_threadpool(lambda: session.finish(session.review.edits))
    return JSONResponse({"go": go})


async def _asked(request: Request) -> dict[str, Any]:
    if request.headers.get("content-type", "").partition(";")[0] != "application/json":
        raise HTTPException(415)
    try:
        asked = json.loads(await request.body())
    except ValueError:
        raise HTTPException(400) from None
    if not isinstance(asked, dict):
        raise InputError("This is not an action.")
    return asked

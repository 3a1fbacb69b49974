"""Errors as people see them: the same sentences as on the command line, as a page or as JSON."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Mapping, Sequence
from http import HTTPStatus

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Match, Route

from lanner import registry
from lanner.errors import (
    AnswerError,
    CampaignError,
    DesignError,
    InputError,
    LannerError,
    ProtocolError,
    StatisticError,
    StoreError,
)
from lanner.web import speech
from lanner.web.access import SignInNeeded
from lanner.web.rendering import page, redirect
from lanner.web.speech import COOKIE, Messages, choose, from_header, language, say, set_language

# What the library refuses, in the reader's language: by its kind, never by its sentence.
#
# The most common refusals have a text of their own. Of the rest the reader is told in their language what kind of
# thing went wrong, and then the library's own sentence, which names the place and is English.


BY_CODE: Mapping[str, Sequence[str]] = registry.table("web.refusals")
"""What is wrong and what to do next, by the code of an error."""


_BY_KIND: tuple[tuple[type[LannerError], str], ...] = (
    (InputError, "The file was not imported:"),
    (ProtocolError, "The protocol has a mistake in it:"),
    (DesignError, "The design cannot be met:"),
    (CampaignError, "The campaign does not allow this:"),
    (StatisticError, "This cannot be computed:"),
)
KINDS = tuple(text for _, text in _BY_KIND)


def parts(error: LannerError) -> tuple[str, str, str]:
    """What, where and what next."""
    where = str(error.where)
    words = BY_CODE.get(error.code)
    if language() == speech.FALLBACK:  # what to do next is about pages here, and not about options of a command
        return error.what, where, say(words[1], **error.names) if words and words[1] else error.next_step
    if words is not None:
        return say(words[0], **error.names), where, say(words[1], **error.names) if words[1] else ""
    kind = next((text for of, text in _BY_KIND if isinstance(error, of)), "")
    own = error.what
    if kind and not own.startswith("\u2068") and own.isascii():  # what is said in the language already stays alone
        return f"{say(kind)} {own}", where, error.next_step
    return own, where, error.next_step


def error_text(error: LannerError) -> str:
    """An error in a few lines of text."""
    what, where, next_step = parts(error)
    return "\n".join(filter(None, (f"{where}: {what}" if where else what, next_step)))


log = logging.getLogger("lanner.web")

_STATUS: tuple[tuple[type[LannerError], int], ...] = (
    (CampaignError, 409),
    (StoreError, 503),
    (AnswerError, 422),
    (InputError, 422),
    (ProtocolError, 422),
)
_WORDS: dict[int | str, tuple[str, str]] = {
    400: ("The request cannot be read.", "Go back, reload the page and try again."),
    401: ("You are not signed in.", "Judges: open your personal link again. Organisers: sign in."),
    403: ("You are not allowed to see this.", "Ask an owner of this server if you need it."),
    404: ("There is nothing here.", "The address may be mistyped, or what was here is gone."),
    405: ("This address does not accept that method.", ""),
    408: ("The request did not arrive in time.", "Try again."),
    413: ("What was sent is too large.", "Send it in smaller parts."),
    415: ("This address expects JSON.", ""),
    429: ("Too many tries.", "Wait a little, then try again."),
    500: ("Something went wrong on the server.", "Try again. If it stays, tell the organiser the number below."),
    503: ("The server cannot reach its database.", "Your answers are kept on this device. It tries again by itself."),
    "other": ("This did not work.", ""),
    "organisers": (
        "The server cannot use its database at the moment.",
        "Nothing was changed. Try again in a moment; the server's log says why.",
    ),
}


def wants_json(request: Request) -> bool:
    """Whether a program asked rather than a person."""
    if _path(request).startswith("/api/"):
        return True
    media_types = request.headers.get("accept", ""), request.headers.get("content-type", "")
    return any("application/json" in kind for kind in media_types)


def http_problem(request: Request, error: Exception) -> Response:
    """What the router and the handlers refuse."""
    assert isinstance(error, HTTPException)
    if isinstance(error, SignInNeeded) and not error.judge and not wants_json(request) and request.method == "GET":
        return redirect(request, "/login")
    set_language(request.scope)  # which a save leaves undone
    what, next_step = map(say, _WORDS.get(error.status_code, _WORDS["other"]))
    if error.detail != HTTPStatus(error.status_code).phrase and error.status_code in (400, 403, 409, 422, 429):
        own = say(error.detail)
        if own != error.detail or language() == speech.FALLBACK:  # else its kind is said in the reader's language
            what, next_step = own, next_step if error.status_code == 429 else ""
    headers = dict(error.headers or {})
    if error.status_code == 405:
        headers["Allow"] = ", ".join(sorted(_methods(request)))
    return _answer(request, error.status_code, (what, "", next_step), headers)


def _methods(request: Request) -> set[str]:
    """What an address takes; each of its methods is a route of its own."""
    routes = [route for route in request.app.routes if isinstance(route, Route)]
    matches = [route for route in routes if route.matches(request.scope)[0] is not Match.NONE]
    return {method for route in matches for method in route.methods or ()}


def lanner_problem(request: Request, error: Exception) -> Response:
    """What the library refuses."""
    assert isinstance(error, LannerError)
    status = next((code for kind, code in _STATUS if isinstance(error, kind)), 400)
    set_language(request.scope)
    if status == 503:
        log.error("store: %s", error.what)
        what, next_step = map(say, _WORDS[503 if _is_judges(request) else "organisers"])
        return _answer(request, 503, (what, "", next_step))
    return _answer(request, status, parts(error))


def gone(_request: Request, _error: Exception) -> Response:
    """The response to a client that has left: nobody reads it."""
    return Response(status_code=400)


def bug(request: Request, error: Exception) -> Response:
    """Anything else is our fault: a number to look up in the log, nothing of the inside."""
    number = secrets.token_hex(4)
    what = getattr(request.scope.get("endpoint"), "__name__", "nothing")  # the address could hold a judge's secret
    log.error("bug %s: %s %s", number, request.method, what, exc_info=error)
    what, next_step = map(say, _WORDS[500])
    return _answer(request, 500, (what, say("Number {number}", number=number), next_step))


def _is_judges(request: Request) -> bool:
    """Whether a page is one that judges look at."""
    return _path(request).startswith(("/j/", "/work", "/task/"))


def _path(request: Request) -> str:
    """The address below the one under which the site is served."""
    return str(request.scope["path"].removeprefix(request.scope.get("root_path", "")))


_FOR_JUDGES = {401: "signin", 404: "gone", 500: "server", 503: "database"}
"""What is said to judges in words of their own, by status: the name of the text."""


def problem_page(
    request: Request, words: Messages, what: str, next_step: str = "", where: str = "", *, status: int, way: bool = True
) -> Response:
    """A judge's page that says what is wrong, with the way to their work."""
    said = {"messages": words, "what": what, "where": where, "next": next_step}
    return page(request, "judge/problem.html", {**said, "work": words.get("problem.work") if way else ""}, status)


def _judge_problem(request: Request, status: int, what: str, next_step: str, where: str) -> Response:
    languages = (
        request.query_params.get("language", ""),
        request.cookies.get(COOKIE, ""),
        *from_header(request.headers.get("accept-language", "")),
    )
    words = Messages(choose(code for code in languages if code))
    is_link = _path(request).startswith("/j/")
    if name := "link" if is_link and status == 404 else _FOR_JUDGES.get(status):
        what, next_step = words.get(f"problem.{name}"), words.get(f"problem.{name}_next")
    return problem_page(request, words, what, next_step, where, status=status, way=not is_link and status != 401)


def _answer(
    request: Request, status: int, words: tuple[str, str, str], headers: dict[str, str] | None = None
) -> Response:
    what, where, next_step = words
    if wants_json(request):
        content = {"message": what, "where": where, "next": next_step}
        return JSONResponse(content, status_code=status, headers=headers)
    if _is_judges(request):
        response = _judge_problem(request, status, what, next_step, where)
    else:
        response = page(
            request, "error.html", {"status": status, "what": what, "where": where, "next": next_step}, status
        )
    response.headers.update(headers or {})
    return response

"""The verify page by itself, on this machine, behind a secret link; for `lanner prepare --verify`."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Awaitable, Callable

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from lanner.corpus.review_session import ReviewSession
from lanner.errors import LannerError
from lanner.web.page import problems
from lanner.web.page.assets import Assets
from lanner.web.page.headers import Headers
from lanner.web.page.rendering import environment
from lanner.web.serving import csrf
from lanner.web.verifying import handlers

COOKIE = "lanner_verify"
HOST = "127.0.0.1"
_LARGEST = 256 * 1024

Answer = Callable[[Request, ReviewSession], Awaitable[Response]]


class Table:
    """What the handlers and templates look for on a site; there is no store here."""

    def __init__(self) -> None:
        self.assets = Assets()
        self.templates = environment(self.assets)
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

    async def show(request: Request, session: ReviewSession) -> Response:
        return await handlers.show(request, session, "/verify", [])

    async def finish(request: Request, session: ReviewSession) -> Response:
        answer = await handlers.finish(request, session)
        if on_finish:
            on_finish()
        return answer

    async def static(request: Request) -> Response:
        return table.assets.respond(request)

    def guarded(answer: Answer) -> Callable[[Request], Awaitable[Response]]:
        async def handler(request: Request) -> Response:
            if request.method != "GET":
                csrf.check(request)
            if not hmac.compare_digest(request.cookies.get(COOKIE, "").encode(), secret.encode()):
                raise HTTPException(403, "Open the link that the command printed.")
            return await answer(request, session)

        return handler

    app = Starlette(
        routes=[
            Route("/", home),
            Route("/v/{secret}", enter),
            Route("/verify", guarded(show)),
            Route("/verify/act", guarded(handlers.act), methods=["POST"], max_body_size=_LARGEST),
            Route("/verify/suggest", guarded(handlers.suggest), methods=["POST"], max_body_size=_LARGEST),
            Route("/verify/finish", guarded(finish), methods=["POST"], max_body_size=_LARGEST),
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
    made: list[uvicorn.Server] = []

    def stop() -> None:
        made[0].should_exit = True

    config = uvicorn.Config(
        create_app(session, secret, stop),
        host=HOST,
        port=port,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=3,
    )
    made.append(uvicorn.Server(config))
    return made[0]


def serve(session: ReviewSession, port: int, announce: Callable[[str], None]) -> None:
    """Serve until the person has finished or the command is stopped; `announce` gets the secret link first."""
    secret = secrets.token_urlsafe(18)
    announce(f"http://{HOST}:{port}/v/{secret}")
    server(session, port, secret).run()

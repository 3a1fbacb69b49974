"""The short way for saves, past everything that only other requests need: routes, pages, languages.

It takes a save whose judge is known by heart and answers it when it is on disk. Whatever is not as usual, a stranger, a
page of another site, something that is no JSON, a refused answer, goes the general way, which puts it into words. So
nothing is allowed here that is not allowed there; `tests/web/judging/test_lane.py` sends the same saves both ways.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lanner import campaign as work
from lanner.web.judging.handlers import REFUSED, acknowledged, read_save
from lanner.web.page.headers import complete
from lanner.web.serving.origin import ours
from lanner.web.session import JUDGE_COOKIE, split_tokens

if TYPE_CHECKING:
    from lanner.web.site import Site

_PLACE = re.compile(r"/task/([0-9]{1,18})/answers")
_COOKIE = JUDGE_COOKIE.encode()
_HEADERS = {secure: complete(b"application/json", https=secure) for secure in (False, True)}
_ORIGIN = (b"sec-fetch-site", b"origin", b"host")
_WANTED = frozenset({b"cookie", b"content-type", b"content-length", *_ORIGIN})


class Lane:
    """Around the app: answers what it can at once, and leaves the rest to the app."""

    def __init__(self, app: ASGIApp, site: Site) -> None:
        self.app = app
        self.site = site

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        task = _task_of(scope)
        seats = self._seats(scope) if task else ()
        if not task or not seats:
            await self.app(scope, receive, send)
            return
        began = time.perf_counter()
        watched = self.site.watched
        watched.running += 1
        try:
            body, heard = await _body(receive, self.site.settings.answer_bytes)
            answer = await self._saved(scope, task, seats, body) if body is not None else None
        finally:
            watched.running -= 1
        if answer is None:
            await self.app(scope, _replayed(heard, receive), send)
            return
        headers = [(b"content-length", b"%d" % len(answer)), *_HEADERS[scope.get("scheme") == "https"]]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": answer})
        watched.tell("save", "POST", 200, time.perf_counter() - began)

    async def _saved(self, scope: Scope, task: int, seats: tuple[int, ...], body: bytes) -> bytes | None:
        """What to answer, once it is on disk; None where the general way must answer."""
        try:
            given = read_save(body, datetime.now(UTC))
            saved, received = await self.site.intake.submit(work.Submission(task, judge=seats, **given))
        except HTTPException:
            return None
        except Exception as refused:  # refusals, databases that do not answer, mistakes of ours
            scope[REFUSED] = refused
            return None
        self.site.saves.note()
        return acknowledged(saved, received)

    def _seats(self, scope: Scope) -> tuple[int, ...]:
        """The seats of a judge who is known by heart and asks from a page of ours; none where there is any doubt."""
        said: dict[bytes, bytes] = {}
        for name, value in scope["headers"]:
            if name in _WANTED:
                if name in said:
                    return ()
                said[name] = value
        if not said.get(b"content-type", b"").startswith(b"application/json") or not _same_origin(said):
            return ()
        length = said.get(b"content-length", b"")
        if not length.isdigit() or int(length) > self.site.settings.answer_bytes:
            return ()
        found = [self.site.sessions.remembered(token) for token in _tokens(said.get(b"cookie", b""))]
        seats = tuple(session.judge for session in found if session is not None and session.judge is not None)
        return seats if len(seats) == len(found) else ()


def _task_of(scope: Scope) -> int:
    """The task that a save is about; nought for any other request."""
    if scope["type"] != "http" or scope["method"] != "POST" or scope["query_string"]:
        return 0
    path: str = scope["path"]
    if root := scope.get("root_path", ""):
        path = path.removeprefix(root)
    found = _PLACE.fullmatch(path)
    return int(found[1]) if found else 0


def _same_origin(said: dict[bytes, bytes]) -> bool:
    site, origin, host = (said[name].decode("latin-1") if name in said else None for name in _ORIGIN)
    return ours(site, origin, host or "")


def _tokens(cookie: bytes) -> list[str]:
    tokens = b""
    for part in cookie.split(b";"):
        name, _, value = part.partition(b"=")
        if name.strip() == _COOKIE:
            tokens = value.strip()
    return split_tokens(tokens.decode("latin-1"))


async def _body(receive: Receive, limit: int) -> tuple[bytes | None, list[Message]]:
    """The body, and the messages it came in; None where it is too long or whoever sent it has gone."""
    heard: list[Message] = []
    size = 0
    while True:
        message = await receive()
        heard.append(message)
        if message["type"] != "http.request":
            return None, heard
        size += len(message.get("body", b""))
        if size > limit:
            return None, heard
        if not message.get("more_body", False):
            return b"".join(part.get("body", b"") for part in heard), heard


def _replayed(heard: Sequence[Message], receive: Receive) -> Receive:
    """The same messages once more, then those that follow."""
    again = iter(heard)

    async def next_message() -> Message:
        for message in again:
            return message
        return await receive()

    return next_message

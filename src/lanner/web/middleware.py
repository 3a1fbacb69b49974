"""What surrounds every request: which hosts are served, how fast and how long it may come, running under a URL prefix,
the headers and the compression of what is sent, the reader's language, and counts."""

from __future__ import annotations

import asyncio
import gzip
import ipaddress
import logging
import re
import socket
import time
from bisect import bisect_left
from collections import Counter, OrderedDict
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn
from urllib.parse import urlsplit

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from lanner.web.speech import set_language

# Which names the server answers to. Whatever a request says in its Host header ends up in links and redirects, and a
# page of another site may reach a server on one's own machine by a name that leads there (DNS rebinding); so a name
# that nobody has told us is refused.
#
# Numbers (127.0.0.1, 192.168.0.7) are always answered: no other site can make a browser send one as the name of its
# own.


def allowed_hosts(host: str, public_url: str = "", more: Iterable[str] = ()) -> frozenset[str]:
    """The names of this server: what it was told, what it is bound to, and what the machine calls itself."""
    names = {"localhost", host, socket.gethostname(), *more}
    if public_url:
        names.add(urlsplit(public_url).hostname or "")
    return frozenset(name.casefold().strip().rstrip(".") for name in names if name)


def host_name(header: str) -> str:
    """The name in a Host header, without its port."""
    header = header.strip().casefold()
    if header.startswith("["):
        return header[1:].partition("]")[0]
    return header.partition(":")[0].rstrip(".")


def is_number(name: str) -> bool:
    """Whether a name is the number of a machine."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


class AllowedHosts:
    """Refuses requests that call the server by a name it does not have."""

    def __init__(self, app: ASGIApp, names: frozenset[str]) -> None:
        self._app = app
        self._names = names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            headers = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
            if len(headers) > 1 or not all(self._is_ours(header) for header in headers):
                words = (
                    "This server is not known by that name.\n"
                    "Whoever runs it: lanner serve --public-url https://NAME, or --allowed-host NAME.\n"
                )
                await PlainTextResponse(words, 421)(scope, receive, send)
                return
        await self._app(scope, receive, send)

    def _is_ours(self, header: str) -> bool:
        name = host_name(header)
        return name in self._names or is_number(name)


# How often something may be tried: a bucket per key that refills slowly. For passwords and links, not for work.


_KEPT = 10_000


class Throttle:
    """At most `burst` tries at once, then one each `seconds`. The oldest keys are forgotten beyond a fixed number."""

    def __init__(self, burst: int, seconds: float) -> None:
        self.burst = burst
        self.seconds = seconds
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, key: str, now: float) -> float:
        """0 where another try is allowed (and takes it), else how many seconds until it is."""
        level, at = self._levels.pop(key, (float(self.burst), now))
        level = min(float(self.burst), level + max(0.0, now - at) / self.seconds)
        allowed = level >= 1
        self._levels[key] = (level - 1 if allowed else level, now)
        if len(self._levels) > _KEPT:
            self._levels.popitem(last=False)
        return 0.0 if allowed else (1 - level) * self.seconds

    def forget(self, key: str) -> None:
        """After a success the key starts afresh."""
        self._levels.pop(key, None)


# Requests that never end: a connection that does not say what it wants, or a body that stops coming, is closed.
#
# Each half-sent request holds a connection and a file descriptor. Without a limit, a few hundred of them keep
# everybody else out.


HEAD_SECONDS = 20.0
"""How long a connection may take to send the head of a request."""
BODY_SECONDS = 30.0
"""How long the next part of a body may take."""


class TimeoutProtocol(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
    """Closes connections on which no request has begun for too long, however often they send another byte."""

    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop()
        super().connection_lost(exc)

    def _watch(self) -> None:
        if self.cycle is not None and not self.cycle.response_complete:
            self._stop()
        elif self._timer is None:
            self._timer = self.loop.call_later(HEAD_SECONDS, self._give_up)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _give_up(self) -> None:
        self._timer = None
        if (self.cycle is None or self.cycle.response_complete) and not self.transport.is_closing():
            self.transport.close()


class BodyTimeout:
    """Refuses a request (408) where the rest of its body does not come."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD"):
            await self.app(scope, receive, send)
            return
        complete = False

        async def receive_in_time() -> Message:
            nonlocal complete
            if complete:  # whoever waits now waits for the client to go away
                return await receive()
            try:
                async with asyncio.timeout(BODY_SECONDS):
                    message = await receive()
            except TimeoutError:
                raise HTTPException(408, headers={"Connection": "close"}) from None
            complete = not message.get("more_body", False)
            return message

        await self.app(scope, receive_in_time, send)


# Bodies that are larger than their address takes. What a browser is still sending comes and is thrown away, up to a few
# times as much as is taken: a server that answers and hangs up meanwhile is shown as a broken connection, without the
# reason.


_THROWN_AWAY = 4  # times as much as an address takes


class BodyLimit:
    """Refuses a request (413) whose body is too large, in words, like everything else that is refused."""

    def __init__(self, app: ASGIApp, largest: int) -> None:
        self.app = app
        self.largest = largest

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        size, is_complete = 0, False

        async def receive_part() -> Message:
            nonlocal size, is_complete
            message = await receive()
            size += len(message.get("body", b""))
            is_complete = message["type"] != "http.request" or not message.get("more_body", False)
            return message

        async def refuse() -> NoReturn:
            while not is_complete and size < _THROWN_AWAY * self.largest:
                await receive_part()
            raise HTTPException(413, headers=None if is_complete else {"Connection": "close"})

        async def receive_limited() -> Message:
            message = await receive_part()
            if size > self.largest:
                await refuse()
            return message

        stated = dict(scope["headers"]).get(b"content-length", b"")
        if stated.isdigit() and int(stated[:18]) > self.largest:
            await refuse()
        await self.app(scope, receive_limited, send)


# What libraries take a minute of processor time to read, while everybody's saves wait: a quoted cookie of backslashes
# (Python before 3.11.10 and 3.12.6), a form in a codec of the sender's choice, a content type of countless parameters,
# an address of countless questions. No browser sends them.


_LONGEST_TYPE = 200
_LONGEST_QUERY = 8_000
_OTHER_LETTERS = re.compile(rb"charset(?!=\"?utf-?8\"?(;|$))", re.IGNORECASE)


class PlainHeaders:
    """Takes cookies with backslashes away, which are none of ours; refuses content types and addresses that no page of
    ours has."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            if len(scope["query_string"]) > _LONGEST_QUERY:
                await PlainTextResponse("This address is too long.\n", 414)(scope, receive, send)
                return
            headers = scope["headers"]
            for place, (name, value) in enumerate(headers):
                if name == b"cookie" and b"\\" in value:
                    headers[place] = name, b";".join(part for part in value.split(b";") if b"\\" not in part)
                elif name == b"content-type" and (len(value) > _LONGEST_TYPE or _OTHER_LETTERS.search(value)):
                    words = "This content type is not read here. Forms and JSON are UTF-8.\n"
                    await PlainTextResponse(words, 415)(scope, receive, send)
                    return
        await self.app(scope, receive, send)


# Served below a path: whether the proxy takes the path off, or leaves it on.
#
# The server puts the path before every address it gets, since most proxies take it off. One that leaves it on would
# have it twice; here the second is taken away, so that both work.


class UrlPrefix:
    """Wraps an app that is served below `root`."""

    def __init__(self, app: ASGIApp, root: str) -> None:
        self._app = app
        self._root = root
        self._twice = f"{root}{root}/"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, with the path once."""
        if scope["type"] == "http" and (scope["path"] + "/").startswith(self._twice):
            raw: bytes = scope.get("raw_path") or b""
            scope = {**scope, "path": scope["path"][len(self._root) :], "raw_path": raw[len(self._root) :]}
        await self._app(scope, receive, send)


# What every answer says to the browser: load nothing from elsewhere, run no inline script, appear in no other page.


NOBODY = "'none'"
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "manifest-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
    )
)
_ALWAYS = (
    (b"x-content-type-options", b"nosniff"),
    # a judge's link is a secret: no other site may learn it. To say nothing to our own pages either would have forms
    # come without an origin, and over plain http in a local network that is all that says where they come from
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=(), browsing-topics=()"),
)
_PARTS = {b"text/css", b"text/javascript"}
_OF_PARTS = tuple(pair for pair in _ALWAYS if pair[0] in (b"x-content-type-options", b"cross-origin-resource-policy"))
"""Scripts and style sheets are no documents: what rules a document would only weigh thirty of them down."""
_PRIVATE = (b"cache-control", b"no-store")
_HTTPS_ONLY = (b"strict-transport-security", b"max-age=31536000")


class Headers:
    """Adds the headers that are not there yet. Pages are private and kept by no cache; static files say otherwise.
    Only pages of the origins in `framed_by` may show ours in a frame."""

    def __init__(self, app: ASGIApp, framed_by: Sequence[str] = ()) -> None:
        self.app = app
        framing = f"frame-ancestors {' '.join(framed_by or (NOBODY,))}"
        self._always = ((b"content-security-policy", f"{POLICY}; {framing}".encode()), *_ALWAYS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        https = scope.get("scheme") == "https"

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = message["headers"]
                present = dict(headers)
                part = present.get(b"content-type", b"").split(b";")[0] in _PARTS
                headers.extend(pair for pair in (_OF_PARTS if part else self._always) if pair[0] not in present)
                if _PRIVATE[0] not in present:
                    headers.append(_PRIVATE)
                if https:
                    headers.append(_HTTPS_ONLY)
            await send(message)

        await self.app(scope, receive, with_headers)


# Pages made smaller on the wire.
#
# Compression can betray a secret that stands beside text of an attacker's choosing. A judge's page has none of that:
# of the request it repeats a row number and a language it knows.


_WORTH_IT = 1400  # fits one packet anyway
_LEVEL = 4  # two thirds of the time of level 6 for a twentieth more bytes


def compress(request: Request, response: Response) -> Response:
    """Compress a page for a browser that says it can read that."""
    if len(response.body) < _WORTH_IT or "gzip" not in request.headers.get("accept-encoding", ""):
        return response
    response.body = gzip.compress(bytes(response.body), _LEVEL, mtime=0)
    response.headers["content-length"] = str(len(response.body))
    response.headers["content-encoding"] = "gzip"
    response.headers["vary"] = "accept-encoding"
    return response


def is_unambiguous(root: str, paths: Iterable[str]) -> bool:
    """Whether an address that begins with `root` twice can only come from a proxy that leaves it on: no page of ours
    begins with the same word."""
    return bool(root) and root.split("/")[1] not in {path.split("/")[1] for path in paths}


class ReaderLanguage:
    """Has everything that is made for a request speak the reader's language."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not scope["path"].endswith("/answers"):  # a save says nothing, and must be quick
            set_language(scope)
        await self.app(scope, receive, send)


# What the server knows about itself: requests counted and timed by the name of what answered them, never by address,
# since addresses hold judges' secrets and names. Nothing here says who asked.

log = logging.getLogger("lanner.web.requests")
BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)


class RequestCounts:
    """Counts since the server was started."""

    def __init__(self) -> None:
        self.requests: Counter[tuple[str, int]] = Counter()
        self.seconds: Counter[str] = Counter()
        self.slower: dict[str, list[int]] = {}
        self.running = 0

    def note(self, what: str, status: int, seconds: float) -> None:
        self.requests[what, status] += 1
        self.seconds[what] += seconds  # type: ignore[assignment]
        counts = self.slower.get(what)
        if counts is None:
            counts = self.slower[what] = [0] * (len(BOUNDS) + 1)
        counts[bisect_left(BOUNDS, seconds)] += 1

    def record(self, what: str, method: str, status: int, seconds: float) -> None:
        """Count a request, and write a line about it where such lines are wanted."""
        self.note(what, status, seconds)
        if log.isEnabledFor(logging.INFO):
            fields = {"what": what, "method": method, "status": status, "ms": round(seconds * 1e3, 2)}
            log.info("request", extra={"fields": fields})


class CountRequests:
    """Around everything else: counts, and writes a line for each request where such lines are wanted."""

    def __init__(self, app: ASGIApp, counts: RequestCounts) -> None:
        self.app = app
        self.counts = counts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began, status, has_begun = time.perf_counter(), 500, False

        async def noting(message: Message) -> None:
            nonlocal status, has_begun
            if message["type"] == "http.response.start":
                status, has_begun = message["status"], True
            await send(message)

        self.counts.running += 1
        try:
            await self.app(scope, receive, noting)
        except asyncio.CancelledError:  # the server stops and has waited for this request long enough
            if has_begun:
                raise
            stopping = PlainTextResponse("The server is stopping. Try again in a moment.", 503, {"Retry-After": "5"})
            await stopping(scope, receive, noting)
        finally:
            self.counts.running -= 1
            what = getattr(scope.get("endpoint"), "__name__", "nothing")
            self.counts.record(what, scope["method"], status, time.perf_counter() - began)

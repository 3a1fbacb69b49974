"""Which hosts are served, how fast and how long a request may come, and running under a URL prefix."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections import OrderedDict
from collections.abc import Iterable
from typing import Any
from urllib.parse import urlsplit

from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.auto import AutoHTTPProtocol

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


class Protocol(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
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
                message = await asyncio.wait_for(receive(), BODY_SECONDS)
            except TimeoutError:
                raise HTTPException(408, headers={"Connection": "close"}) from None
            complete = not message.get("more_body", False)
            return message

        await self.app(scope, receive_in_time, send)


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


def is_unambiguous(root: str, paths: Iterable[str]) -> bool:
    """Whether an address that begins with `root` twice can only come from a proxy that leaves it on: no page of ours
    begins with the same word."""
    return bool(root) and root.split("/")[1] not in {path.split("/")[1] for path in paths}

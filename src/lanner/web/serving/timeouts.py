"""Requests that never end: a connection that does not say what it wants, or a body that stops coming, is closed.

Each half-sent request holds a connection and a file descriptor. Without a limit, a few hundred of them keep everybody
else out.
"""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.auto import AutoHTTPProtocol

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

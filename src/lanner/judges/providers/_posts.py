"""Questions on the wire: a POST and its reply over kept-alive HTTP/1.1 connections, and nothing else that HTTP can do.

A question asks for one thing a few million times: the same headers, a body, a reply of known size. A general client
spends two thirds of a run's time at the line on what is never used here (cookies, redirects, sessions, forms). Replies
are read by httptools, which the server reads requests with.
"""

from __future__ import annotations

import asyncio
import base64
import ssl
import time
import zlib
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from httptools import HttpParserError, HttpResponseParser

_HEAD = 65_536  # bytes of the headers of a reply
_IDLE = 60.0  # seconds after which a server may well have closed a connection
_NEXT_ADDRESS = 0.25  # seconds until the next address of a host is tried as well
BROKEN = (OSError, EOFError, ValueError)
"""What is raised where no whole reply came; time-outs are among them."""


class UnreachableError(OSError):
    """Nobody to connect to."""


class Posted(NamedTuple):
    """A reply: its status, its headers by their names in small letters, and what it says; "" with 413 where that is too
    long."""

    status: int
    headers: Mapping[str, str]
    content: bytes


class _Connection(asyncio.Protocol):
    """A connection to the server. What comes while nobody has asked belongs to no question, so the connection is given
    up: taken for the next reply it would be an answer about another text."""

    def __init__(self, longest: int) -> None:
        self.is_over = False
        self.used_at = 0.0
        self._longest = longest
        self._reply: asyncio.Future[Posted] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    async def ask(self, request: bytes) -> Posted:
        """Send a request; its reply, or one of `BROKEN` where no whole one comes."""
        if self.is_over:
            raise EOFError("the connection was cut")
        self._reply = asyncio.get_running_loop().create_future()
        self._parser = HttpResponseParser(self)
        self._begin()
        try:
            self._transport.write(request)
            return await self._reply
        except BaseException:
            self.give_up()
            raise
        finally:
            self._reply = None

    def give_up(self) -> None:
        """Use this connection no more."""
        self.is_over = True
        self._transport.abort()

    def data_received(self, data: bytes) -> None:
        if self._reply is None or self._reply.done():
            self.give_up()
            return
        try:
            self._parser.feed_data(data)
        except HttpParserError as problem:
            self._fail(ValueError(f"the server does not speak HTTP: {problem}"))
        self._head_size += len(data)
        if not self._has_headers and self._head_size > _HEAD:
            self._fail(ValueError("the server's headers have no end"))

    def connection_lost(self, exc: Exception | None) -> None:
        self.is_over = True
        if self._reply is None or self._reply.done():
            return
        if self._has_headers and not {"content-length", "transfer-encoding"} & set(self._headers):
            self._end()  # such a reply goes on until the server closes the connection
        else:
            self._fail(exc or EOFError("the connection was cut"))

    # What the parser finds

    def on_message_begin(self) -> None:
        if self._reply is None or self._reply.done():
            self.give_up()  # one more reply than questions

    def on_header(self, name: bytes, value: bytes) -> None:
        self._headers[name.decode("latin-1").lower()] = value.decode("latin-1").strip()

    def on_headers_complete(self) -> None:
        self._has_headers = True
        if int(self._headers.get("content-length", 0)) > self._longest:
            self._refuse()

    def on_body(self, body: bytes) -> None:
        self._parts.append(body)
        self._size += len(body)
        if self._size > self._longest:
            self._refuse()

    def on_chunk_header(self) -> None:
        pass

    def on_message_complete(self) -> None:
        if self._parser.get_status_code() < 200:  # what comes before the reply itself
            self._begin()
        else:
            self.is_over = self.is_over or not self._parser.should_keep_alive()
            self._end()

    def _begin(self) -> None:
        self._headers: dict[str, str] = {}
        self._parts: list[bytes] = []
        self._size = self._head_size = 0
        self._has_headers = False

    def _end(self) -> None:
        if self._reply is not None and not self._reply.done():
            self._reply.set_result(Posted(self._parser.get_status_code(), self._headers, b"".join(self._parts)))

    def _refuse(self) -> None:
        """A reply that is too long is not waited for."""
        if self._reply is not None and not self._reply.done():
            self._reply.set_result(Posted(413, self._headers, b""))
        self.give_up()

    def _fail(self, problem: Exception) -> None:
        if self._reply is not None and not self._reply.done():
            self._reply.set_exception(problem)
        self.give_up()


class Posts:
    """Connections to one server, as many as there are questions under way."""

    def __init__(self, url: str, headers: Mapping[str, str], *, timeout: float, longest: int) -> None:
        address = urlsplit(url)
        self._host = address.hostname or ""
        self._port = address.port or (443 if address.scheme == "https" else 80)
        self._ssl = ssl.create_default_context() if address.scheme == "https" else None
        self._timeout, self._longest = timeout, longest
        host = address.netloc.rpartition("@")[2]
        if not host.isascii():
            host = host.replace(self._host, self._host.encode("idna").decode())
        own = {"Host": host, "Accept": "*/*", "Accept-Encoding": "identity"}
        if address.username is not None:
            login = f"{unquote(address.username)}:{unquote(address.password or '')}"
            own["Authorization"] = f"Basic {base64.b64encode(login.encode()).decode()}"
        self._headers = "".join(f"{name}: {value}\r\n" for name, value in (own | dict(headers)).items())
        if len(self._headers.splitlines()) != len(own | dict(headers)):
            raise ValueError("a header has several lines")
        self._idle: list[_Connection] = []

    async def post(self, target: str, body: bytes) -> Posted:
        """Send a body to a path of the server; one of `BROKEN` where no whole reply comes in time."""
        head = f"POST {target} HTTP/1.1\r\n{self._headers}Content-Length: {len(body)}\r\n\r\n"
        async with asyncio.timeout(self._timeout):
            connection = await self._connection()
            posted = await connection.ask(head.encode() + body)
        if posted.headers.get("content-encoding", "identity") != "identity":
            try:
                content = self._unpacked(posted.content)
            except ValueError:
                connection.give_up()
                raise
            posted = Posted(413, posted.headers, b"") if content is None else posted._replace(content=content)
        if connection.is_over:
            connection.give_up()
        else:
            connection.used_at = time.monotonic()
            self._idle.append(connection)
        return posted

    def close(self) -> None:
        """Close the connections that nobody uses."""
        for connection in self._idle:
            connection.give_up()
        self._idle.clear()

    async def _connection(self) -> _Connection:
        while self._idle:
            connection = self._idle.pop()
            if not connection.is_over and time.monotonic() - connection.used_at < _IDLE:
                return connection
            connection.give_up()
        # Shielded: asyncio leaves a socket open where it is stopped while it tries several addresses.
        connecting = asyncio.ensure_future(self._connect())
        try:
            return await asyncio.shield(connecting)
        except asyncio.CancelledError:
            connecting.add_done_callback(_drop)
            raise

    async def _connect(self) -> _Connection:
        loop = asyncio.get_running_loop()
        try:
            _, connection = await loop.create_connection(
                lambda: _Connection(self._longest),
                self._host,
                self._port,
                ssl=self._ssl,
                happy_eyeballs_delay=_NEXT_ADDRESS,
            )
        except OSError as problem:
            raise UnreachableError(f"{self._host}:{self._port} cannot be reached: {problem}") from problem
        return connection

    def _unpacked(self, content: bytes) -> bytes | None:
        """What a server compressed though it was asked not to."""
        try:
            plain = zlib.decompressobj(zlib.MAX_WBITS | 32).decompress(content, self._longest + 1)
        except zlib.error as problem:
            raise ValueError(f"the reply cannot be unpacked: {problem}") from problem
        return plain if len(plain) <= self._longest else None


def _drop(connecting: asyncio.Future[_Connection]) -> None:
    """Close a connection that came too late for its question."""
    if not connecting.cancelled() and connecting.exception() is None:
        connecting.result().give_up()

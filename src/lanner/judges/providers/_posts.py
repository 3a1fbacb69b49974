"""Questions on the wire: a POST and its reply over kept-alive HTTP/1.1 connections, and nothing else that HTTP can do.

A question asks for one thing a few million times: the same headers, a body, a reply of known size. A general client
spends two thirds of a run's time at the line on what is never used here (cookies, redirects, sessions, forms).
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


class _Line(asyncio.Protocol):
    """A connection. What comes while nobody has asked belongs to no question, so the connection is given up: taken for
    the next reply it would be an answer about another text."""

    def __init__(self) -> None:
        self.is_asked = False
        self.used_at = 0.0
        self.is_over = False
        self.buffer = bytearray()
        self._more: asyncio.Future[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        if not self.is_asked:
            self.give_up()
        self.buffer += data
        self._wake()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - asyncio gives it
        self.is_over = True
        self._wake()

    def give_up(self) -> None:
        self.is_over = True
        self.transport.abort()

    async def until(self, sign: bytes) -> bytes:
        """All up to this sign, and the sign."""
        start = 0
        while (end := self.buffer.find(sign, start)) < 0:
            if len(self.buffer) > _HEAD:
                raise ValueError("the server's headers have no end")
            start = max(0, len(self.buffer) - len(sign))
            await self.more()
        return self.take(end + len(sign))

    async def exactly(self, size: int) -> bytes:
        if size < 0:
            raise ValueError("the server's reply has less than no length")
        while len(self.buffer) < size:
            await self.more()
        return self.take(size)

    async def more(self) -> None:
        """Wait for what comes next; an EOFError where nothing does any more."""
        if self.is_over:
            raise EOFError("the connection was cut")
        self._more = asyncio.get_running_loop().create_future()
        await self._more

    def take(self, size: int) -> bytes:
        taken = bytes(self.buffer[:size])
        del self.buffer[:size]
        return taken

    def _wake(self) -> None:
        if self._more is not None and not self._more.done():
            self._more.set_result(None)


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
        self._idle: list[_Line] = []

    async def post(self, target: str, body: bytes) -> Posted:
        """Send a body to a path of the server; one of `BROKEN` where no whole reply comes in time."""
        head = f"POST {target} HTTP/1.1\r\n{self._headers}Content-Length: {len(body)}\r\n\r\n"
        async with asyncio.timeout(self._timeout):
            line = await self._line()
            line.is_asked = True
            try:
                line.transport.write(head.encode() + body)
                posted, stays = await self._reply(line)
            except BaseException:
                line.give_up()
                raise
        if stays and not line.buffer and not line.is_over:
            line.is_asked, line.used_at = False, time.monotonic()
            self._idle.append(line)
        else:
            line.give_up()
        return posted

    def close(self) -> None:
        """Close the connections that nobody uses."""
        for line in self._idle:
            line.transport.close()
        self._idle.clear()

    async def _line(self) -> _Line:
        while self._idle:
            line = self._idle.pop()
            if not line.is_over and time.monotonic() - line.used_at < _IDLE:
                return line
            line.give_up()
        loop = asyncio.get_running_loop()
        try:
            _, made = await loop.create_connection(
                _Line, self._host, self._port, ssl=self._ssl, happy_eyeballs_delay=_NEXT_ADDRESS
            )
        except OSError as problem:
            raise UnreachableError(f"{self._host}:{self._port} cannot be reached: {problem}") from problem
        return made

    async def _reply(self, line: _Line) -> tuple[Posted, bool]:
        """A reply, and whether the connection can be used again."""
        status = 100
        while status < 200:  # what comes before the reply itself
            first, *lines = (await line.until(b"\r\n\r\n")).decode("latin-1").rstrip().split("\r\n")
            version, code, *_ = first.split(" ", 2)
            status = int(code)
            if not version.startswith("HTTP/1."):
                raise ValueError("the server does not speak HTTP/1.1")
        headers = {name.strip().lower(): value.strip() for name, _, value in (entry.partition(":") for entry in lines)}
        stays = version == "HTTP/1.1" and headers.get("connection", "").lower() != "close"
        if "chunked" in headers.get("transfer-encoding", "").lower():
            content = await self._chunks(line)
        elif "content-length" in headers:
            size = int(headers["content-length"])
            content = await line.exactly(size) if size <= self._longest else None
        else:
            stays = False
            content = await self._rest(line)
        if content is not None and headers.get("content-encoding", "identity") != "identity":
            content = self._unpacked(content)
        if content is None:
            return Posted(413, headers, b""), False
        return Posted(status, headers, content), stays

    async def _chunks(self, line: _Line) -> bytes | None:
        parts, size = [], 0
        while length := int((await line.until(b"\r\n")).partition(b";")[0], 16):
            size += length
            if size > self._longest:
                return None
            parts.append(await line.exactly(length))
            await line.until(b"\r\n")
        while await line.until(b"\r\n") != b"\r\n":
            pass  # headers after the last chunk
        return b"".join(parts)

    async def _rest(self, line: _Line) -> bytes | None:
        """All until the server closes the connection."""
        while not line.is_over:
            if len(line.buffer) > self._longest:
                return None
            await line.more()
        return line.take(len(line.buffer))

    def _unpacked(self, content: bytes) -> bytes | None:
        """What a server compressed though it was asked not to."""
        try:
            plain = zlib.decompressobj(zlib.MAX_WBITS | 32).decompress(content, self._longest + 1)
        except zlib.error as problem:
            raise ValueError(f"the reply cannot be unpacked: {problem}") from problem
        return plain if len(plain) <= self._longest else None

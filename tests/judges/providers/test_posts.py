"""HTTP as servers speak it, well and badly: what is read as a reply, what is not, and which connections are kept."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from lanner.judges.providers._posts import BROKEN, Posted, Posts, UnreachableError

LONGEST = 1000
Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


async def question(reader: asyncio.StreamReader) -> tuple[bytes, bytes]:
    """Head and body of a request."""
    head = await reader.readuntil(b"\r\n\r\n")
    size = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
    return head, await reader.readexactly(size)


async def asked(replies: list[bytes], *, times: int = 1, login: str = "") -> tuple[list[Posted | str], list[int]]:
    """What comes of so many questions, one after the other, to a server that sends these bytes; and the number of the
    connection that each of its replies went over. An empty one cuts the line."""
    left, over, connections = iter(replies), list[int](), list[int]()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections.append(1)
        number = len(connections)
        try:
            while True:
                head, _ = await question(reader)
                assert head.startswith(b"POST /v1/chat HTTP/1.1\r\n")
                over.append(number)
                reply = next(left)
                writer.write(reply)
                await writer.drain()
                if not reply or reply.endswith(b"END"):
                    break
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    posts = Posts(f"http://{login}127.0.0.1:{port}", {"X-Key": "k"}, timeout=20, longest=LONGEST)
    results: list[Posted | str] = []
    try:
        for _ in range(times):
            try:
                results.append(await posts.post("/v1/chat", b"{}"))
            except BROKEN as problem:
                results.append(type(problem).__name__)
    finally:
        posts.close()
        server.close()
    return results, over


def plain(content: bytes, status: str = "200 OK", head: bytes = b"") -> bytes:
    return b"HTTP/1.1 %b\r\n%bContent-Length: %d\r\n\r\n%b" % (status.encode(), head, len(content), content)


@pytest.mark.parametrize(
    ("sent", "status", "content"),
    [
        (plain(b"yes"), 200, b"yes"),
        (plain(b"", "429 Too Many Requests", b"Retry-After: 3\r\n"), 429, b""),
        (b"HTTP/1.1 100 Continue\r\n\r\n" + plain(b"yes"), 200, b"yes"),
        (b"HTTP/1.1 200\r\ntransfer-encoding: Chunked\r\n\r\n2;x=1\r\nye\r\n1\r\ns\r\n0\r\nX: 1\r\n\r\n", 200, b"yes"),
        (b"HTTP/1.0 200 OK\r\n\r\nyes END", 200, b"yes END"),
        (plain(gzip.compress(b"yes" * 9, mtime=0), head=b"Content-Encoding: gzip\r\n"), 200, b"yes" * 9),
        (plain(b"x" * (LONGEST + 1)), 413, b""),
        (plain(gzip.compress(b"x" * 10 * LONGEST, mtime=0), head=b"Content-Encoding: gzip\r\n"), 413, b""),
        (b"HTTP/1.1 200\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nye\r\nfffffff\r\n" + b"x" * LONGEST, 413, b""),
        (b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 2 * LONGEST + b"END", 413, b""),
    ],
)
def test_replies_are_read_as_they_are_meant(sent: bytes, status: int, content: bytes) -> None:
    (posted,), _ = asyncio.run(asked([sent]))
    assert isinstance(posted, Posted)
    assert (posted.status, posted.content) == (status, content)
    if status == 429:
        assert posted.headers["retry-after"] == "3"


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"HTTP/1.1 200 OK\r\nContent-LengthEND",
        b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nyes END",
        b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nEND",
        b"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\nEND",
        b"HTTP/1.1 200\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nyeEND",
        b"HTTP/1.1 200\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\nyeEND",
        b"HTTP/2 200\r\n\r\nEND",
        b"HTTP/1.1 fine\r\n\r\nEND",
        b"<html>END",
        b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 20_000,
        plain(b"not packed", head=b"Content-Encoding: gzip\r\n"),
    ],
)
def test_what_is_no_whole_reply_is_none(sent: bytes) -> None:
    (posted, after), over = asyncio.run(asked([sent, plain(b"yes")], times=2))
    assert posted in ("EOFError", "ValueError", "ConnectionResetError")
    assert isinstance(after, Posted)
    assert over == [1, 2]  # on a connection of its own


def test_connections_are_kept_where_both_sides_know_where_a_reply_ends() -> None:
    closing = plain(b"2", head=b"Connection: Close\r\n")
    found, over = asyncio.run(asked([plain(b"1"), closing, plain(b"3"), plain(b"4")], times=4))
    assert [posted.content for posted in found if isinstance(posted, Posted)] == [b"1", b"2", b"3", b"4"]
    assert over == [1, 1, 2, 2]


def test_a_reply_that_nobody_asked_for_is_no_answer_to_the_next_question() -> None:
    twice = plain(b"first") + plain(b"nobody's")
    found, over = asyncio.run(asked([twice, plain(b"second")], times=2))
    assert [posted.content for posted in found if isinstance(posted, Posted)] == [b"first", b"second"]
    assert over == [1, 2]


def test_a_reply_that_comes_while_nobody_asks_is_dropped_with_its_connection() -> None:
    async def go() -> tuple[Posted, Posted]:
        late = asyncio.Event()
        connections: list[int] = []

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            connections.append(1)
            await question(reader)
            writer.write(plain(b"%d" % len(connections)))
            if len(connections) == 1:
                await late.wait()
                writer.write(plain(b"late"))
                assert await reader.read() == b""  # given up by the client
            writer.close()

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        posts = Posts(f"http://127.0.0.1:{port}", {}, timeout=20, longest=LONGEST)
        first = await posts.post("/", b"")
        (idle,) = posts._idle
        late.set()
        async with asyncio.timeout(20):
            while not idle.is_over:
                await asyncio.sleep(0)
        second = await posts.post("/", b"")
        posts.close()
        server.close()
        return first, second

    first, second = asyncio.run(go())
    assert (first.content, second.content) == (b"1", b"2")


def test_headers_name_the_server_and_carry_a_login_of_its_address() -> None:
    posts = Posts("https://me:p%40ss@[::1]:8443/v1", {}, timeout=1, longest=1)
    assert "Host: [::1]:8443\r\n" in posts._headers
    assert "Authorization: Basic bWU6cEBzcw==\r\n" in posts._headers
    assert "Host: xn--bcher-kva.example:81\r\n" in Posts("http://bücher.example:81", {}, timeout=1, longest=1)._headers
    with pytest.raises(ValueError, match="several lines"):
        Posts("http://x", {"Authorization": "Bearer a\r\nX: b"}, timeout=1, longest=1)


def test_nobody_to_connect_to_is_told_apart() -> None:
    async def go() -> None:
        server = await asyncio.start_server(lambda _reader, _writer: None, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        server.close()
        await server.wait_closed()
        with pytest.raises(UnreachableError, match=f"127.0.0.1:{port} cannot be reached"):
            await Posts(f"http://127.0.0.1:{port}", {}, timeout=20, longest=LONGEST).post("/", b"")

    asyncio.run(go())


def test_a_server_that_says_nothing_is_not_waited_for() -> None:
    async def go() -> None:
        silent = asyncio.Event()

        async def serve(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await silent.wait()
            writer.close()

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        # Long enough to connect on a busy machine: asyncio leaves a socket open where it is stopped while connecting.
        with pytest.raises(TimeoutError):
            await Posts(f"http://127.0.0.1:{port}", {}, timeout=0.5, longest=LONGEST).post("/", b"")
        silent.set()
        server.close()

    asyncio.run(go())


def test_a_connection_that_comes_too_late_is_closed() -> None:
    async def go() -> bytes:
        ends: asyncio.Queue[bytes] = asyncio.Queue()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            try:
                ends.put_nowait(await reader.read())
            except ConnectionError:
                ends.put_nowait(b"")
            writer.close()

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        posts = Posts(f"http://127.0.0.1:{port}", {}, timeout=0.05, longest=LONGEST)
        connect, slow = posts._connect, asyncio.Event()

        async def connect_late() -> Any:
            await slow.wait()
            return await connect()

        posts._connect = connect_late  # type: ignore[method-assign]
        with pytest.raises(TimeoutError):
            await posts.post("/", b"a question")
        slow.set()
        received = await asyncio.wait_for(ends.get(), 20)
        server.close()
        return received

    assert asyncio.run(go()) == b"", "nothing was asked on it"

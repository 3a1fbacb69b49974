"""What all providers have in common: fields of one's own, settings that a server does not know, what an error means."""

from __future__ import annotations

import asyncio
import base64
import gzip
import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from aiohttp import web

from lanner.errors import LannerError
from lanner.judges.providers import Call, Endpoint, OverloadedError, RefusedError, Reply, connect
from lanner.judges.providers._http import (
    BROKEN,
    HttpConnections,
    HttpReply,
    UnreachableError,
    _merge,
    _retry_after,
    key_for,
    proxy_for,
    where_keys_are,
)
from lanner.store import Store
from model_campaign import corpus, judge, opened, stored
from stub_providers import DIALECTS, Chat, Gemini, serving_as
from stub_server import Stub, completion, good

MESSAGES = ({"role": "system", "content": "Judge."}, {"role": "user", "content": "What?"})
SCHEMA = {
    "type": "object",
    "properties": {"score": {"type": "integer", "minimum": 0, "maximum": 9}},
    "required": ["score"],
    "additionalProperties": False,
}


def ask(dialect: Chat, answer: Any, **more: Any) -> tuple[Reply, Stub]:
    stub = Stub(answer)

    async def go() -> Reply:
        async with serving_as(dialect, stub) as url:
            connection = connect(Endpoint(url, dialect.provider, timeout=10.0))
            try:
                return await connection.ask(Call("tiny", MESSAGES, SCHEMA, max_tokens=100, name="n", **more))
            finally:
                await connection.close()

    return asyncio.run(go()), stub


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.provider)
def test_tokens_and_those_that_were_cached_are_counted_in_one_way(dialect: Chat) -> None:
    def answer(body: dict[str, Any], _turn: int) -> dict[str, Any]:
        reply = completion(body, good(body))
        reply["usage"]["prompt_tokens_details"] = {"cached_tokens": 40}
        return reply

    reply, _ = ask(dialect, answer)
    assert (reply.tokens_in, reply.tokens_out, reply.cached_tokens, reply.counted) == (100, 20, 40, True)
    assert (reply.model, reply.means) == ("tiny", "json_schema")


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.provider)
def test_settings_arrive_and_those_that_are_refused_are_left_out(dialect: Chat) -> None:
    reply, stub = ask(dialect, good, temperature=0.5, top_p=0.9, effort="low", seed=3)
    [body] = stub.bodies
    assert body["temperature"] == 0.5
    assert 0.9 in (body.get("top_p"), body.get("topP"))
    assert "low" in str(body)
    assert "low" in str(reply.sent)
    assert "Judge." not in str(reply.sent)

    def refusing(body: dict[str, Any], _turn: int) -> Any:
        if "temperature" in body:
            return web.json_response({"error": {"message": "Unsupported parameter: temperature"}}, status=400)
        return good(body)

    reply, stub = ask(dialect, refusing, temperature=0.5)
    assert len(stub.bodies) == 2
    assert "temperature" not in reply.sent


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.provider)
def test_a_server_that_refuses_schemas_is_asked_in_the_next_way(dialect: Chat) -> None:
    def refusing(body: dict[str, Any], _turn: int) -> Any:
        if body.get("response_format", {}).get("type") == "json_schema" and not body.get("tool"):
            return web.json_response({"error": {"message": "schema is not supported"}}, status=400)
        return '{"score": 1}'

    reply, _ = ask(dialect, refusing)
    assert reply.text == '{"score": 1}'
    assert reply.means in ("json_object", "tool")


def test_fields_of_ones_own_are_part_of_the_request(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.db") as store:
        stub = Stub()
        number = opened(store, "da", corpus(1, 1))
        judge(store, number, stub, extra={"provider": {"order": ["a"]}, "seed": 5})
        assert len(stored(store, number)) == 1
    assert (stub.bodies[0]["provider"], stub.bodies[0]["seed"]) == ({"order": ["a"]}, 5)
    assert _merge({"a": {"b": 1, "c": 2}, "d": 3}, {"a": {"b": 4}, "d": 5}) == {"a": {"b": 4, "c": 2}, "d": 5}


async def ask_gemini(answer: Callable[[], web.Response]) -> Reply:
    """What comes of a question to a server that answers so."""

    async def handle(_request: web.Request) -> web.Response:
        return answer()

    app = web.Application()
    app.router.add_post("/v1beta/models/tiny:generateContent", handle)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    connection = connect(Endpoint(f"http://127.0.0.1:{runner.addresses[0][1]}/v1beta/", Gemini.provider))
    try:
        return await connection.ask(Call("tiny", MESSAGES, SCHEMA))
    finally:
        await connection.close()
        await runner.cleanup()


def test_a_wrong_key_is_known_by_its_code() -> None:
    """Gemini answers a wrong key with 400."""
    error = {"code": 400, "message": "API key not valid.", "details": [{"reason": "API_KEY_INVALID"}]}
    with pytest.raises(RefusedError, match="not valid"):
        asyncio.run(ask_gemini(lambda: web.json_response({"error": error}, status=400)))


def test_a_redirect_is_not_followed_and_tells_where_it_leads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANNER_API_KEY", "hidden")
    elsewhere = {"Location": "https://other.example/v1?key=hidden"}
    with pytest.raises(RefusedError, match=r"elsewhere \(307\): https://other.example/v1\?key=•••"):
        asyncio.run(ask_gemini(lambda: web.Response(status=307, headers=elsewhere)))


def test_a_byte_order_mark_before_the_reply_is_no_fault() -> None:
    reply = {"candidates": [{"content": {"parts": [{"text": "yes"}]}}]}
    body = "\ufeff" + json.dumps(reply)
    assert asyncio.run(ask_gemini(lambda: web.Response(text=body, content_type="application/json"))).text == "yes"


def test_the_time_to_wait_may_stand_in_the_error() -> None:
    assert _retry_after({}, b'{"error": {"details": [{"retryDelay": "34.5s"}]}}') == 34.5
    assert _retry_after({"retry-after": "2"}, b'{"retryDelay": "34s"}') == 2.0
    assert _retry_after({}, b"{}") is None


def test_probabilities_are_refused_where_there_are_none() -> None:
    with pytest.raises(LannerError, match="no probabilities"):
        ask(next(d for d in DIALECTS if d.provider == "anthropic"), good, logprobs=True)


def test_an_overloaded_server_is_known_by_its_status() -> None:
    overloaded = lambda _body, _turn: web.json_response({"error": {"message": "busy"}}, status=529)  # noqa: E731
    for dialect in DIALECTS:
        with pytest.raises(OverloadedError):
            ask(dialect, overloaded)


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LANNER_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setitem(sys.modules, "keyring", None)


def test_openais_key_goes_to_openai_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "a")
    assert key_for("api.openai.com") == "a"
    assert key_for("example.org") == ""
    assert key_for("example.org", "OPENAI_API_KEY") == "a"  # unless one says so


def test_our_own_variable_goes_first_and_a_named_one_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANNER_API_KEY", "own")
    monkeypatch.setenv("OPENAI_API_KEY", "a")
    assert key_for("api.openai.com") == "own"
    assert key_for("api.openai.com", "NOT_SET") == ""


def test_the_keyring_is_asked_last(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_service: str, _user: str) -> str:
        raise RuntimeError("no desktop")

    monkeypatch.setitem(sys.modules, "keyring", SimpleNamespace(get_password=lambda service, user: f"{service}@{user}"))
    assert key_for("example.org") == "lanner@example.org"
    monkeypatch.setitem(sys.modules, "keyring", SimpleNamespace(get_password=broken))
    assert key_for("example.org") == ""


def test_where_a_key_is_looked_for_is_said() -> None:
    assert "LANNER_API_KEY or OPENAI_API_KEY" in where_keys_are("api.openai.com")
    assert where_keys_are("h", "MINE").startswith("Set MINE in the environment")


def test_with_several_servers_a_key_that_says_not_whose_goes_to_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANNER_API_KEY", "own")
    monkeypatch.setenv("LANNER_API_KEY_MY_SERVER_ORG", "mine")
    assert key_for("example.org") == "own"
    assert key_for("example.org", only=False) == ""
    assert key_for("my-server.org", only=False) == "mine"


@pytest.mark.parametrize("address", ["http:///v1", "8080/v1", "http://"])
def test_an_address_without_a_host_is_refused_before_anything_is_asked(address: str) -> None:
    with pytest.raises(LannerError, match="is no address"):
        connect(Endpoint(address))


LONGEST = 1000
Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


async def question(reader: asyncio.StreamReader) -> tuple[bytes, bytes]:
    """Head and body of a request."""
    head = await reader.readuntil(b"\r\n\r\n")
    size = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
    return head, await reader.readexactly(size)


async def asked(replies: list[bytes], *, times: int = 1, login: str = "") -> tuple[list[HttpReply | str], list[int]]:
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
    posts = HttpConnections(f"http://{login}127.0.0.1:{port}", {"X-Key": "k"}, timeout=20, longest=LONGEST)
    results: list[HttpReply | str] = []
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
    assert isinstance(posted, HttpReply)
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
    assert isinstance(after, HttpReply)
    assert over == [1, 2]  # on a connection of its own


def test_connections_are_kept_where_both_sides_know_where_a_reply_ends() -> None:
    closing = plain(b"2", head=b"Connection: Close\r\n")
    found, over = asyncio.run(asked([plain(b"1"), closing, plain(b"3"), plain(b"4")], times=4))
    assert [posted.content for posted in found if isinstance(posted, HttpReply)] == [b"1", b"2", b"3", b"4"]
    assert over == [1, 1, 2, 2]


def test_a_reply_that_nobody_asked_for_is_no_answer_to_the_next_question() -> None:
    twice = plain(b"first") + plain(b"nobody's")
    found, over = asyncio.run(asked([twice, plain(b"second")], times=2))
    assert [posted.content for posted in found if isinstance(posted, HttpReply)] == [b"first", b"second"]
    assert over == [1, 2]


def test_a_reply_that_comes_while_nobody_asks_is_dropped_with_its_connection() -> None:
    async def go() -> tuple[HttpReply, HttpReply]:
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
        posts = HttpConnections(f"http://127.0.0.1:{port}", {}, timeout=20, longest=LONGEST)
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
    posts = HttpConnections("https://me:p%40ss@[::1]:8443/v1", {}, timeout=1, longest=1)
    assert "Host: [::1]:8443\r\n" in posts._headers
    assert "Authorization: Basic bWU6cEBzcw==\r\n" in posts._headers
    assert (
        "Host: xn--bcher-kva.example:81\r\n"
        in HttpConnections("http://bücher.example:81", {}, timeout=1, longest=1)._headers
    )
    with pytest.raises(ValueError, match="several lines"):
        HttpConnections("http://x", {"Authorization": "Bearer a\r\nX: b"}, timeout=1, longest=1)


def test_nobody_to_connect_to_is_told_apart() -> None:
    async def go() -> None:
        server = await asyncio.start_server(lambda _reader, _writer: None, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        server.close()
        await server.wait_closed()
        with pytest.raises(UnreachableError, match=f"127.0.0.1:{port} cannot be reached"):
            await HttpConnections(f"http://127.0.0.1:{port}", {}, timeout=20, longest=LONGEST).post("/", b"")

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
            await HttpConnections(f"http://127.0.0.1:{port}", {}, timeout=0.5, longest=LONGEST).post("/", b"")
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
        posts = HttpConnections(f"http://127.0.0.1:{port}", {}, timeout=0.05, longest=LONGEST)
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


def test_a_server_with_tls_is_reached_by_the_proxy_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """What goes through it is TLS, and its login is the proxy's alone."""
    heard: list[bytes] = []

    async def proxy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n" if len(heard) == 1 else b"HTTP/1.1 407 Who are you?\r\n\r\n")
        heard.append(await reader.read(3))
        writer.close()

    async def go() -> None:
        server = await asyncio.start_server(proxy, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        monkeypatch.setenv("HTTPS_PROXY", f"http://joe:p%40ss@127.0.0.1:{port}")
        monkeypatch.setenv("NO_PROXY", "near.example")
        url = "https://far.example:8443/v1"
        posts = HttpConnections(url, {}, timeout=20, longest=LONGEST, proxy=proxy_for(url))
        with pytest.raises(OSError, match="cannot be reached by the proxy"):
            await posts.post("/v1", b"secret")
        with pytest.raises(OSError, match="407 Who are you"):
            await posts.post("/v1", b"secret")
        server.close()

    asyncio.run(go())
    assert heard[0].startswith(b"CONNECT far.example:8443 HTTP/1.1\r\n")
    assert b"Proxy-Authorization: Basic " + base64.b64encode(b"joe:p@ss") in heard[0]
    assert heard[1] == b"\x16\x03\x01"  # the first words of TLS
    assert proxy_for("https://near.example/v1") is None and proxy_for("http://far.example/v1") is None
    monkeypatch.setenv("HTTPS_PROXY", "socks5://127.0.0.1:9")
    with pytest.raises(ValueError, match="socks5 is no kind of proxy"):
        proxy_for("https://far.example/v1")

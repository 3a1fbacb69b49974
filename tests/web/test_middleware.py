from __future__ import annotations

import asyncio
import gzip
import logging
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from threading import Thread

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from lanner.campaign.accounts import issue
from lanner.store import Store
from lanner.web import middleware
from lanner.web.middleware import (
    BOUNDS,
    AllowedHosts,
    BodyTimeout,
    CountRequests,
    Headers,
    PlainHeaders,
    RequestCounts,
    Throttle,
    TimeoutProtocol,
    allowed_hosts,
    compress,
    host_name,
    is_unambiguous,
)
from lanner.web.server import server as server_of
from lanner.web.site import memory
from web_clients import complete, enter, open_campaign, save


async def hello(_request: Request) -> Response:
    return PlainTextResponse("hello")


@pytest.fixture
def host_client() -> TestClient:
    names = allowed_hosts("0.0.0.0", "https://judge.example.org:8443/lanner", ["Other.Example.Org."])
    return TestClient(AllowedHosts(Starlette(routes=[Route("/", hello)]), names))


@pytest.mark.parametrize(
    "host",
    ["judge.example.org", "JUDGE.example.org:8443", "other.example.org", "localhost:8000", "127.0.0.1:8000",
     "192.168.0.7", "[::1]:8000", "judge.example.org."],
)  # fmt: skip
def test_names_of_the_server_and_numbers_are_answered(host_client: TestClient, host: str) -> None:
    assert host_client.get("/", headers={"host": host}).text == "hello"


@pytest.mark.parametrize(
    "host",
    ["evil.example", "judge.example.org.evil.example", "evil.example:8443", "127.0.0.1.evil.example", "[evil]",
     "judge.example.org@evil.example", "evil.example#judge.example.org", "", "judge.example.org/x"],
)  # fmt: skip
def test_any_other_name_is_refused(host_client: TestClient, host: str) -> None:
    answer = host_client.get("/", headers={"host": host})
    assert answer.status_code == 421
    assert "--public-url" in answer.text and "evil" not in answer.text


def test_two_names_at_once_are_refused(host_client: TestClient) -> None:
    answer = host_client.get("/", headers=[("host", "localhost"), ("host", "evil.example")])
    assert answer.status_code == 421


def test_the_port_is_no_part_of_a_name() -> None:
    assert host_name("Example.org:80") == "example.org"
    assert host_name("[::1]:80") == "::1"


def test_a_burst_then_one_at_a_time() -> None:
    throttle = Throttle(burst=3, seconds=10)
    assert [throttle.wait("a", 0.0) for _ in range(3)] == [0, 0, 0]
    assert throttle.wait("a", 0.0) == 10
    assert throttle.wait("a", 4.0) == 6
    assert throttle.wait("a", 10.0) == 0
    assert throttle.wait("a", 10.0) > 0


def test_keys_do_not_share() -> None:
    throttle = Throttle(burst=1, seconds=10)
    assert throttle.wait("a", 0.0) == 0
    assert throttle.wait("b", 0.0) == 0
    assert throttle.wait("a", 0.0) > 0


def test_success_starts_afresh() -> None:
    throttle = Throttle(burst=1, seconds=10)
    throttle.wait("a", 0.0)
    throttle.forget("a")
    assert throttle.wait("a", 0.0) == 0


def test_memory_is_bounded() -> None:
    throttle = Throttle(burst=1, seconds=10)
    for number in range(12_000):
        throttle.wait(str(number), 0.0)
    assert len(throttle._levels) <= 10_000


async def echo(request: Request) -> PlainTextResponse:
    return PlainTextResponse(await request.body())


@pytest.fixture
def address(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, int]]:
    """A server that is patient for a fifth of a second."""
    monkeypatch.setattr(middleware, "HEAD_SECONDS", 0.2)
    monkeypatch.setattr(middleware, "BODY_SECONDS", 0.2)
    app = BodyTimeout(Starlette(routes=[Route("/", echo, methods=["POST", "GET"])]))
    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, http=TimeoutProtocol, log_level="critical", lifespan="off"))
    thread = threading.Thread(target=lambda: asyncio.run(server.serve([listening])))
    thread.start()
    yield listening.getsockname()
    server.should_exit = True
    thread.join()


def said(address: tuple[str, int], *parts: bytes) -> bytes:
    """Everything the server says until it closes the connection."""
    with socket.create_connection(address, 30) as connection:
        for part in parts:
            connection.sendall(part)
        heard = b""
        while part := connection.recv(1000):
            heard += part
        return heard


@pytest.mark.parametrize("begun", [b"", b"POST / HTTP/1.1\r\nHost: x\r\n", b"P"])
def test_a_request_that_never_begins_is_closed(address: tuple[str, int], begun: bytes) -> None:
    assert said(address, begun) == b""


def test_a_body_that_stops_coming_is_answered_and_closed(address: tuple[str, int]) -> None:
    reply = said(address, b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf")
    assert reply.startswith(b"HTTP/1.1 408")


def test_a_whole_request_is_answered(address: tuple[str, int]) -> None:
    reply = said(address, b"POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 4\r\n\r\n", b"whole"[:4])
    assert reply.startswith(b"HTTP/1.1 200") and reply.endswith(b"whol")


# Below a path: through a real server, as a proxy that takes the path off and one that leaves it on would ask.


@contextmanager
def serving(store: Store, root: str) -> Iterator[int]:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        port = listening.getsockname()[1]
        server = server_of(store, port=port, root_path=root)
        thread = Thread(target=server.run, kwargs={"sockets": [listening]})
        listening.listen()  # whoever comes before the server is ready waits, and is not refused
        thread.start()
        try:
            yield port
        finally:
            server.should_exit = True
            thread.join()


def get(port: int, path: str) -> tuple[int, str, str]:
    connection = HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", path)
    answer = connection.getresponse()
    found = answer.status, answer.headers.get("location", ""), answer.read().decode()
    connection.close()
    return found


@pytest.mark.parametrize("root", ["/lanner", "lanner/"])
def test_it_answers_whether_or_not_the_proxy_takes_the_path_off(store: Store, root: str) -> None:
    with serving(store, root) as port:
        for before in ("", "/lanner"):
            status, location, _ = get(port, f"{before}/")
            assert (status, location) == (303, "/lanner/setup")
            status, _, page = get(port, f"{before}/setup")
            assert status == 200 and 'action="/lanner/setup"' in page
            style = page.partition('rel="stylesheet" href="/lanner')[2].partition('"')[0]
            assert get(port, before + style)[0] == 200
            assert get(port, f"{before}/nowhere")[0] == 404


def test_a_path_that_is_also_a_page_is_left_alone() -> None:
    paths = ["/", "/campaigns/{name}", "/j/{link}"]
    assert is_unambiguous("/lanner", paths)
    assert is_unambiguous("/tools/lanner", paths)
    assert not is_unambiguous("/campaigns", paths)
    assert not is_unambiguous("", paths)


def test_requests_are_counted_by_what_answered_them(client: TestClient, store: Store) -> None:
    secrets = open_campaign(store)
    task = enter(client, secrets["J1"])[0]
    save(client, task, 0, complete())
    client.get("/nowhere/at/all")
    client.headers["authorization"] = f"Bearer {issue(store, 'watch', ['metrics'])[1]}"
    told = client.get("/api/v1/metrics")
    assert told.headers["content-type"].startswith("text/plain")
    assert 'lanner_requests_total{what="save",status="200"} 1' in told.text
    assert 'lanner_requests_total{what="nothing",status="404"} 1' in told.text
    assert 'lanner_request_seconds_bucket{what="save",le="+Inf"} 1' in told.text
    assert "\nlanner_saves_total 1\n" in told.text
    assert "\nlanner_saving_works 1\n" in told.text
    assert secrets["J1"] not in told.text and "J1" not in told.text and "trial" not in told.text


def test_lines_name_neither_secrets_nor_people(
    client: TestClient, store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    secrets = open_campaign(store)
    with caplog.at_level(logging.INFO, "lanner.web.requests"):
        task = enter(client, secrets["J1"])[0]
        save(client, task, 0, {**complete(), "comment": "my private remark"})
        client.get("/campaigns/trial")
    told = [record.fields for record in caplog.records]
    assert {entry["what"] for entry in told} >= {"open_link", "home", "save", "campaign"}
    words = repr(told) + caplog.text
    assert not [secret for secret in (*secrets.values(), "Judge 1", "private", "127.0.0.1", "trial") if secret in words]


def test_each_time_falls_into_one_of_the_steps() -> None:
    counts = RequestCounts()
    for seconds in (0.001, BOUNDS[0], 0.3, 99.0):
        counts.note("x", 200, seconds)
    assert counts.slower["x"][0] == 2
    assert counts.slower["x"][-1] == 1
    assert sum(counts.slower["x"]) == counts.requests["x", 200] == 4


def test_memory_is_of_this_process() -> None:
    assert 10 * 2**20 < memory() < 10 * 2**30


def test_a_request_that_a_stopping_server_waits_for_in_vain_is_told_so(caplog: pytest.LogCaptureFixture) -> None:
    """Whoever waits for a large report is answered, and the log has no traceback."""
    begun = threading.Event()

    async def report(_request: Request) -> Response:
        begun.set()
        await asyncio.Event().wait()
        raise AssertionError("nobody sets it")

    counts = RequestCounts()
    app = CountRequests(Starlette(routes=[Route("/report", report)]), counts)
    listening = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(app, lifespan="off", timeout_graceful_shutdown=0, log_config=None)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=lambda: asyncio.run(server.serve([listening])))
    thread.start()
    with socket.create_connection(listening.getsockname(), 30) as connection:
        connection.sendall(b"GET /report HTTP/1.1\r\nHost: x\r\n\r\n")
        assert begun.wait(30)
        server.should_exit = True
        reply = b""
        while part := connection.recv(1000):
            reply += part
    thread.join()
    assert reply.startswith(b"HTTP/1.1 503") and reply.endswith(b"The server is stopping. Try again in a moment.")
    assert "Exception in ASGI application" not in caplog.text
    assert counts.running == 0


# Headers and compression


async def plain(request):
    return PlainTextResponse("hello")


async def cached(request):
    return PlainTextResponse("hello", headers={"cache-control": "public, max-age=9"})


app = Starlette(routes=[Route("/", plain), Route("/cached", cached)], middleware=[Middleware(Headers)])


def test_no_inline_script_no_frame_no_cache() -> None:
    headers = TestClient(app).get("/").headers
    policy = headers["content-security-policy"]
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["cache-control"] == "no-store"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"


def test_what_a_handler_says_stays() -> None:
    assert TestClient(app).get("/cached").headers["cache-control"] == "public, max-age=9"


def test_https_is_remembered_only_behind_https() -> None:
    assert "strict-transport-security" not in TestClient(app).get("/").headers
    assert "strict-transport-security" in TestClient(app, base_url="https://testserver").get("/").headers


def test_pages_that_do_not_exist_have_them_too() -> None:
    assert "content-security-policy" in TestClient(app).get("/nowhere").headers


def test_scripts_and_style_sheets_carry_only_what_concerns_them() -> None:
    async def script(request):
        return PlainTextResponse("let a;", media_type="text/javascript")

    served = Starlette(routes=[Route("/a.js", script)], middleware=[Middleware(Headers)])
    headers = TestClient(served).get("/a.js").headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert "content-security-policy" not in headers


# What takes long to read


async def seen(request):
    return PlainTextResponse(" ".join(f"{name}={value}" for name, value in request.cookies.items()))


plain_app = Starlette(
    routes=[Route("/", seen, methods=["GET", "POST"])], middleware=[Middleware(Headers), Middleware(PlainHeaders)]
)


def test_a_cookie_with_backslashes_is_never_read_and_takes_no_other_along() -> None:
    """Python's reader of cookies takes a minute for one of 60,000 backslashes."""
    hostile = 'one=1; lanner_visitor="' + "\\" * 60_000 + '"; two=2'
    assert TestClient(plain_app).get("/", headers={"cookie": hostile}).text == "one=1 two=2"


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        ("application/json; charset=utf-8", 200),
        ("application/x-www-form-urlencoded;charset=UTF-8", 200),
        ("multipart/form-data; boundary=----WebKitFormBoundary7MA4YWxkTrZu0gW", 200),
        ("multipart/form-data; boundary=x; charset=punycode", 415),
        ("multipart/form-data; boundary=x; charset*=utf-8''punycode", 415),
        ("multipart/form-data; boundary=x; charset*0=puny; charset*1=code", 415),
        ('multipart/form-data; boundary=x; charset="unicode_escape"', 415),
        ('multipart/form-data; boundary=x; charset=utf-8; CHARSET = "undefined"', 415),
        ('multipart/form-data; boundary=x; name="' + ";" * 60_000, 415),
    ],
)
def test_a_form_is_utf_8_and_its_type_is_short(kind: str, status: int) -> None:
    answer = TestClient(plain_app).post("/", content=b"", headers={"content-type": kind})
    assert answer.status_code == status and "content-security-policy" in answer.headers


def test_an_address_is_not_endless() -> None:
    assert TestClient(plain_app).get("/?" + "a&" * 3_000).status_code == 200
    assert TestClient(plain_app).get("/?" + "a&" * 30_000).status_code == 414


LONG = "<p>그녀는 매일 밤 두 차례 운항한다.</p>" * 100


def request(accepted: str) -> Request:
    return Request({"type": "http", "headers": [(b"accept-encoding", accepted.encode())]})


def test_a_long_page_is_packed_for_those_who_can_read_it() -> None:
    answer = compress(request("br, gzip"), HTMLResponse(LONG))
    assert gzip.decompress(bytes(answer.body)).decode() == LONG
    assert answer.headers["content-encoding"] == "gzip"
    assert answer.headers["content-length"] == str(len(answer.body))
    assert len(answer.body) < len(LONG.encode()) / 4


@pytest.mark.parametrize(("accepted", "text"), [("", LONG), ("gzip", "<p>short</p>")])
def test_other_pages_are_left_alone(accepted: str, text: str) -> None:
    answer = compress(request(accepted), HTMLResponse(text))
    assert bytes(answer.body).decode() == text and "content-encoding" not in answer.headers

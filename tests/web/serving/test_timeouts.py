from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from lanner.web.serving import timeouts
from lanner.web.serving.timeouts import BodyTimeout, Protocol


async def echo(request: Request) -> PlainTextResponse:
    return PlainTextResponse(await request.body())


@pytest.fixture
def address(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, int]]:
    """A server that is patient for a fifth of a second."""
    monkeypatch.setattr(timeouts, "HEAD_SECONDS", 0.2)
    monkeypatch.setattr(timeouts, "BODY_SECONDS", 0.2)
    app = BodyTimeout(Starlette(routes=[Route("/", echo, methods=["POST", "GET"])]))
    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, http=Protocol, log_level="critical", lifespan="off"))
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

from __future__ import annotations

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from lanner.web.serving.hosts import AllowedHosts, allowed_hosts, host_name


async def hello(_request: Request) -> Response:
    return PlainTextResponse("hello")


@pytest.fixture
def client() -> TestClient:
    names = allowed_hosts("0.0.0.0", "https://judge.example.org:8443/lanner", ["Other.Example.Org."])
    return TestClient(AllowedHosts(Starlette(routes=[Route("/", hello)]), names))


@pytest.mark.parametrize(
    "host",
    ["judge.example.org", "JUDGE.example.org:8443", "other.example.org", "localhost:8000", "127.0.0.1:8000",
     "192.168.0.7", "[::1]:8000", "judge.example.org."],
)  # fmt: skip
def test_names_of_the_server_and_numbers_are_answered(client: TestClient, host: str) -> None:
    assert client.get("/", headers={"host": host}).text == "hello"


@pytest.mark.parametrize(
    "host",
    ["evil.example", "judge.example.org.evil.example", "evil.example:8443", "127.0.0.1.evil.example", "[evil]",
     "judge.example.org@evil.example", "evil.example#judge.example.org", "", "judge.example.org/x"],
)  # fmt: skip
def test_any_other_name_is_refused(client: TestClient, host: str) -> None:
    answer = client.get("/", headers={"host": host})
    assert answer.status_code == 421
    assert "--public-url" in answer.text and "evil" not in answer.text


def test_two_names_at_once_are_refused(client: TestClient) -> None:
    answer = client.get("/", headers=[("host", "localhost"), ("host", "evil.example")])
    assert answer.status_code == 421


def test_the_port_is_no_part_of_a_name() -> None:
    assert host_name("Example.org:80") == "example.org"
    assert host_name("[::1]:80") == "::1"

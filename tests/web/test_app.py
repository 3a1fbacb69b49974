from __future__ import annotations

import socket
import threading
import time

from starlette.testclient import TestClient

from lanner.store import Store
from lanner.web import app as web
from lanner.web.site import Settings


def test_unknown_pages_and_wrong_methods_are_said_in_words(client: TestClient) -> None:
    for answer in (client.get("/nowhere"), client.post("/healthz")):
        assert answer.status_code in (404, 405)
        assert 'role="alert"' in answer.text
        assert "content-security-policy" in answer.headers


def test_bodies_are_limited_by_route(store: Store) -> None:
    with TestClient(web.create_app(store, settings=Settings(form_bytes=100))) as small:
        assert small.post("/login", data={"name": "x" * 200}).status_code == 413


def test_below_a_path_of_a_proxy(store: Store) -> None:
    with TestClient(web.create_app(store), root_path="/lanner", follow_redirects=False) as below:
        assert below.get("/lanner/").headers["location"] == "/lanner/setup"
        page = below.get("/lanner/setup")
        assert 'action="/lanner/setup"' in page.text
        assert "/lanner/static/" in page.text
        assert "Path=/lanner" in page.headers["set-cookie"]


def test_serving_ends_gracefully(store: Store) -> None:
    """A real server on a free port, until told to stop."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    serving = web.server(store, port=port)
    thread = threading.Thread(target=serving.run, daemon=True)
    thread.start()
    deadline = time.monotonic() + 20
    while not serving.started and time.monotonic() < deadline:
        threading.Event().wait(0.01)
    with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
        connection.sendall(b"GET /healthz HTTP/1.0\r\n\r\n")
        assert b"200 OK" in connection.recv(4096)
    serving.should_exit = True
    thread.join(20)
    assert not thread.is_alive()


def test_a_server_answers_to_its_own_names_only(store: Store) -> None:
    settings = Settings(public_url="https://judge.example.org", processes=False)
    app = web.server(store, settings=settings, hosts=("other.example.org",)).config.app
    for host in ("judge.example.org", "other.example.org", "localhost:8000", "127.0.0.1"):
        assert TestClient(app).get("/healthz", headers={"host": host}).status_code == 200
    assert TestClient(app).get("/healthz", headers={"host": "evil.example"}).status_code == 421

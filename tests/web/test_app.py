from __future__ import annotations

from starlette.testclient import TestClient

from lanner.store import Store
from lanner.web import app as web
from lanner.web.site import ServerSettings


def test_unknown_pages_and_wrong_methods_are_said_in_words(client: TestClient) -> None:
    for answer in (client.get("/nowhere"), client.post("/healthz")):
        assert answer.status_code in (404, 405)
        assert 'role="alert"' in answer.text
        assert "content-security-policy" in answer.headers


def test_bodies_are_limited_by_route(store: Store) -> None:
    with TestClient(web.create_app(store, settings=ServerSettings(sign_in_bytes=100))) as small:
        assert small.post("/login", data={"name": "x" * 200}).status_code == 413


def test_below_a_path_of_a_proxy(store: Store) -> None:
    with TestClient(web.create_app(store), root_path="/lanner", follow_redirects=False) as below:
        assert below.get("/lanner/").headers["location"] == "/lanner/setup"
        page = below.get("/lanner/setup")
        assert 'action="/lanner/setup"' in page.text
        assert "/lanner/static/" in page.text
        assert "Path=/lanner" in page.headers["set-cookie"]

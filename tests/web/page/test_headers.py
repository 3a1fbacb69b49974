from __future__ import annotations

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from lanner.web.page.headers import Headers


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
    assert headers["referrer-policy"] == "no-referrer"


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

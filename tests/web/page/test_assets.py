from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

import lanner.web
from lanner.web.page.rendering import Assets
from lanner.web.serving.middleware import Headers, packed


def client(assets: Assets) -> TestClient:
    async def respond(request):
        return assets.respond(request)

    return TestClient(Starlette(routes=[Route("/static/{version}/{path:path}", respond)]))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "widgets").mkdir()
    (tmp_path / "page.css").write_text("a { color: red } " * 100)
    (tmp_path / "widgets" / "grid.js").write_text("export const a = 1;")
    (tmp_path / ".hidden").write_text("no")
    (tmp_path.parent / "secret.txt").write_text("no")
    return tmp_path


def test_current_files_are_cached_for_ever_and_packed(folder: Path) -> None:
    assets = Assets(folder)
    answer = client(assets).get(assets.path("page.css"), headers={"accept-encoding": "gzip"})
    assert answer.status_code == 200
    assert "immutable" in answer.headers["cache-control"]
    assert answer.headers["content-encoding"] == "gzip"
    assert answer.text == (folder / "page.css").read_text()
    assert gzip.decompress(assets.find("page.css").packed or b"").decode() == answer.text


def test_modules_are_javascript(folder: Path) -> None:
    assets = Assets(folder)
    assert client(assets).get(assets.path("widgets/grid.js")).headers["content-type"].startswith("text/javascript")


def test_an_old_version_gets_the_new_file_uncached(folder: Path) -> None:
    answer = client(Assets(folder)).get("/static/0123/page.css")
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-cache"


@pytest.mark.parametrize("name", ["../secret.txt", "%2e%2e/secret.txt", "/etc/passwd", ".hidden", "no.css", "widgets"])
def test_nothing_outside_is_found(folder: Path, name: str) -> None:
    assets = Assets(folder)
    for served in (assets, Assets(folder, watched=True)):
        assert client(served).get(f"/static/{served.version}/{name}").status_code == 404


def test_the_version_follows_the_content(folder: Path) -> None:
    before = Assets(folder).version
    assert Assets(folder).version == before
    (folder / "page.css").write_text("b {}")
    assert Assets(folder).version != before


def test_watched_files_are_read_anew(folder: Path) -> None:
    assets = Assets(folder, watched=True)
    (folder / "page.css").write_text("b {}")
    assert client(assets).get(assets.path("page.css")).text == "b {}"


def test_the_style_sheets_of_a_judge_are_sent_as_one() -> None:
    assets = Assets()
    sheet = assets.find("judge.css")
    assert sheet is not None and sheet.media_type == "text/css"
    text = sheet.body.decode()
    parts = sorted(path for path in (Path(lanner.web.__file__).parent / "static" / "styles").glob("*.css"))
    missing = [path.name for path in parts if path.read_text(encoding="utf-8") not in text]
    assert missing == ["preview.css"], "a component that no page would load"
    assert text.index("@layer tokens, base, components, screens") < text.index("@layer components {")
    assert Assets(watched=True).find("judge.css") == sheet


def test_scripts_are_sent_without_lines_of_comments(folder: Path) -> None:
    script = """// what this is
const url = 'http://x//y'; // why
/**
 * @param {string} a * b
 */
  /* one line */
const value = /** @type {any} */ (url),
  other = a */* not a line */ 2;
"""
    (folder / "page.js").write_text(script)
    sent = (Assets(folder).find("page.js") or pytest.fail("no script")).body.decode()
    assert sent.split("\n") == [
        "",
        "const url = 'http://x//y'; // why",
        *[""] * 4,
        "const value = /** @type {any} */ (url),",
        "  other = a */* not a line */ 2;",
        "",
    ]


def test_no_text_of_a_script_runs_over_lines() -> None:
    """A line inside such a text could look like a comment and would not be sent."""
    scripts = (Path(lanner.web.__file__).parent / "static").rglob("*.js")
    lines = [(path.name, line) for path in scripts for line in path.read_text().splitlines()]
    assert len(lines) > 4000
    assert not [(name, line) for name, line in lines if line.count("`") % 2]


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


LONG = "<p>그녀는 매일 밤 두 차례 운항한다.</p>" * 100


def request(accepted: str) -> Request:
    return Request({"type": "http", "headers": [(b"accept-encoding", accepted.encode())]})


def test_a_long_page_is_packed_for_those_who_can_read_it() -> None:
    answer = packed(request("br, gzip"), HTMLResponse(LONG))
    assert gzip.decompress(bytes(answer.body)).decode() == LONG
    assert answer.headers["content-encoding"] == "gzip"
    assert answer.headers["content-length"] == str(len(answer.body))
    assert len(answer.body) < len(LONG.encode()) / 4


@pytest.mark.parametrize(("accepted", "text"), [("", LONG), ("gzip", "<p>short</p>")])
def test_other_pages_are_left_alone(accepted: str, text: str) -> None:
    answer = packed(request(accepted), HTMLResponse(text))
    assert bytes(answer.body).decode() == text and "content-encoding" not in answer.headers

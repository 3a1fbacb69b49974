from __future__ import annotations

import gzip
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest
from jinja2 import Environment, UndefinedError
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.testclient import TestClient

import lanner.web
from lanner.web import rendering
from lanner.web.rendering import Assets, environment, fraction, hours, load_templates, moment


def test_numbers_as_a_person_says_them() -> None:
    assert fraction(0.4567) == ".46"
    assert hours(12600) == "3.5 h"
    assert hours(660) == "11 min"
    assert moment(datetime(2026, 11, 9, 14, 2, tzinfo=UTC)) == "2026-11-09T14:02:00+00:00"


def test_everything_is_escaped_and_nothing_is_silently_empty() -> None:
    made = environment()
    assert made.from_string("{{ a }}").render(a="<b>") == "&lt;b&gt;"
    with pytest.raises(UndefinedError):
        made.from_string("{{ b }}").render()


def test_a_kept_piece_is_made_once_for_each_key_and_stays_escaped() -> None:
    made = environment()
    page = made.from_string("{% macro piece(a) %}<i>{{ a }}</i>{% endmacro %}{{ kept(key, piece, given) }}")
    assert page.render(key=("k", 1), given="<b>") == "<i>&lt;b&gt;</i>"
    assert page.render(key=("k", 1), given="never asked") == "<i>&lt;b&gt;</i>"
    assert page.render(key=("k", 2), given="other") == "<i>other</i>"


def test_templates_that_are_being_changed_are_made_anew() -> None:
    made = environment(watched=True)
    page = made.from_string("{% macro piece(a) %}{{ a }}{% endmacro %}{{ kept('k', piece, given) }}")
    assert [page.render(given=given) for given in ("one", "two")] == ["one", "two"]


def test_templates_are_compiled_once_and_again_when_they_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All are there before a page is asked for, since saves wait while one is compiled."""
    monkeypatch.setattr(rendering, "TEMPLATES", tmp_path / "templates")
    monkeypatch.setattr("sys.dont_write_bytecode", False)
    (tmp_path / "templates").mkdir()
    page = tmp_path / "templates" / "a.html"
    page.write_text("one", encoding="utf-8")
    compiled: list[str] = []
    compile_ = Environment._compile
    monkeypatch.setattr(Environment, "_compile", lambda *given: (compiled.append(given[2]), compile_(*given))[1])

    def load() -> tuple[str, int]:
        compiled.clear()
        made = environment.__wrapped__()  # as in another process
        load_templates(made)
        count = len(compiled)
        return made.get_template("a.html").render(), count

    assert [load(), load()] == [("one", 1), ("one", 0)]
    page.write_text("two", encoding="utf-8")
    assert [load(), load()] == [("two", 1), ("two", 0)]
    shutil.rmtree(tmp_path / "templates" / "__pycache__")
    (tmp_path / "templates" / "__pycache__").write_text("not a folder", encoding="utf-8")
    assert [load(), load()] == [("two", 1), ("two", 1)]


# Static files


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
    missing = [path.name for path in parts if assets.find(f"styles/{path.name}").body.decode() not in text]
    assert "\n/*" not in text
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

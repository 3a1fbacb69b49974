from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest
from jinja2 import Environment, UndefinedError

from lanner.web.page import rendering
from lanner.web.page.rendering import Assets, environment, fraction, hours, load_templates, moment


def test_numbers_as_a_person_says_them() -> None:
    assert fraction(0.4567) == ".46"
    assert hours(12600) == "3.5 h"
    assert hours(660) == "11 min"
    assert moment(datetime(2026, 11, 9, 14, 2, tzinfo=UTC)) == "2026-11-09T14:02:00+00:00"


def test_everything_is_escaped_and_nothing_is_silently_empty() -> None:
    made = environment(Assets())
    assert made.from_string("{{ a }}").render(a="<b>") == "&lt;b&gt;"
    with pytest.raises(UndefinedError):
        made.from_string("{{ b }}").render()


def test_a_kept_piece_is_made_once_for_each_key_and_stays_escaped() -> None:
    made = environment(Assets())
    page = made.from_string("{% macro piece(a) %}<i>{{ a }}</i>{% endmacro %}{{ kept(key, piece, given) }}")
    assert page.render(key=("k", 1), given="<b>") == "<i>&lt;b&gt;</i>"
    assert page.render(key=("k", 1), given="never asked") == "<i>&lt;b&gt;</i>"
    assert page.render(key=("k", 2), given="other") == "<i>other</i>"


def test_templates_that_are_being_changed_are_made_anew() -> None:
    made = environment(Assets(), watched=True)
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
        made = environment(Assets())
        load_templates(made)
        count = len(compiled)
        return made.get_template("a.html").render(), count

    assert [load(), load()] == [("one", 1), ("one", 0)]
    page.write_text("two", encoding="utf-8")
    assert [load(), load()] == [("two", 1), ("two", 0)]
    shutil.rmtree(tmp_path / "templates" / "__pycache__")
    (tmp_path / "templates" / "__pycache__").write_text("not a folder", encoding="utf-8")
    assert [load(), load()] == [("two", 1), ("two", 1)]

"""`lanner prompt`: shown, checked and tried from the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.command import Command
from lanner.cli._prompt import filled
from lanner.cli.prompt import try_
from lanner.errors import LannerError
from lanner.judges import template as templates
from lanner.protocols import load
from lanner.protocols.context import PEOPLE
from stub_server import Stub, running


def test_prompts_are_listed_and_shown(lanner: Command) -> None:
    listed = lanner("prompt", "show", "--json").envelope["rows"]
    assert {"judge", "gemba_da", "gemba_mqm", "gemba_esa"} <= {row["prompt"] for row in listed}
    shown = lanner("prompt", "show", "gemba_mqm")
    assert "gemba_mqm-1" in shown.out
    assert "Kocmi and Federmann 2023" in shown.out


def test_the_variables_are_listed(lanner: Command) -> None:
    rows = lanner("prompt", "show", "--variables", "--json").envelope["rows"]
    assert {"texts", "form", "asked"} <= {row.get("variable") for row in rows}


def test_a_mistake_is_said_with_file_and_line(lanner: Command, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(
        'name = "mine"\nversion = 1\nuser = """\n{{ form }}\n{{ texts }} {{ sourcelanguage }}\n"""\n', encoding="utf-8"
    )
    ran = lanner("prompt", "check", path)
    assert ran.code == 2
    assert "mine.toml:5" in (ran.out + ran.err)
    assert "source_language" in (ran.out + ran.err)


def test_a_prompt_is_tried_on_a_text_and_on_a_model(lanner: Command) -> None:
    tried = lanner("prompt", "try", "gemba_esa", "--protocol", "esa", "--json").envelope["rows"]
    assert "Die Fähre war zu spät." in tried[0]["user"]
    with running(Stub()) as url:
        ran = lanner(
            "prompt", "try", "judge", "--protocol", "da", "--rationale", "--model", "t", "--base-url", url, "--json"
        )
    [row] = ran.envelope["rows"]
    assert row["valid"]
    assert "rationale" in row["reply"]


def test_every_stage_of_every_protocol_is_filled_in() -> None:
    prompts = filled(templates.default(), load("falcon"))
    assert [stages[0].id for stages, _, _ in prompts] == ["context", "skills", "rating"]


def test_the_context_is_that_of_people_unless_named() -> None:
    [context] = [parameter for parameter in try_.params if parameter.name == "context"]
    assert context.default == PEOPLE


def test_a_prompt_that_is_not_there_is_refused_as_the_judges_refuse_it(lanner: Command) -> None:
    with pytest.raises(LannerError) as late:
        templates.load("juge")
    assert " ".join(lanner("prompt", "show", "juge").err.split()).endswith(" ".join(str(late.value).split()))

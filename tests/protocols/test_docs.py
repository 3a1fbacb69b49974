"""The examples of the pages on protocols and designs run as they stand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lanner import protocols
from lanner.errors import ProtocolError

DOCS = Path(__file__).resolve().parents[2] / "docs"


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", (DOCS / page).read_text(encoding="utf-8"), re.S | re.M)


@pytest.mark.parametrize("page", ["protocols.md", "designs.md"])
def test_python_examples_run_and_print_what_they_say(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    code = "".join(blocks(page, "python"))
    exec(compile(code, page, "exec"), {})
    printed = capsys.readouterr().out
    for expected in re.findall(r"print\(.*\)  # (.*)$", code, re.M):
        assert expected in printed


def test_toml_examples_are_protocols() -> None:
    short, tone = (protocols.parse_toml(text) for text in blocks("own-protocol.md", "toml"))
    assert len(short.stages[0].questions[0].rows) == 6  # type: ignore[union-attr]
    assert [question.id for _, question in tone.questions] == ["tone", "why"]
    assert len(short.text) == 8


def test_the_mistake_shown_is_the_one_that_is_made() -> None:
    text = blocks("own-protocol.md", "toml")[1].replace("max = 5", "maxx = 5\nmax = 5")
    shown = blocks("own-protocol.md", "text")[0]
    with pytest.raises(ProtocolError) as caught:
        protocols.parse_toml(text, "tone.toml")
    assert str(caught.value).strip() == shown.strip()


def test_every_protocol_and_design_is_on_its_page() -> None:
    page = (DOCS / "protocols.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(\w+)`", page))
    families = {"adequacy_fluency_sc", "adequacy_fluency_ds", "ranking_sc", "ranking_ds"}
    assert set(protocols.names()) - families <= named

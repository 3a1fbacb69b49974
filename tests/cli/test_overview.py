import click
import pytest

from lanner import registry
from lanner.cli import _stem, lanner
from lanner.cli._overview import HEADINGS, OTHERS, grouped, line

NAMES = lanner.list_commands(click.Context(lanner))  # type: ignore[attr-defined]


def test_each_command_of_ours_stands_under_one_heading() -> None:
    placed = [name for row in HEADINGS.values() for name in row]
    assert len(placed) == len(set(placed))
    assert OTHERS not in grouped(NAMES)
    assert sorted(name for row in grouped(NAMES).values() for name in row) == NAMES


def test_what_others_bring_comes_last() -> None:
    assert list(grouped(["scores", "from-elsewhere"]).items())[-1] == (OTHERS, ["from-elsewhere"])
    assert line("from_elsewhere") == ""


@pytest.mark.parametrize("name", NAMES)
def test_the_line_read_from_the_text_is_the_commands_own(name: str) -> None:
    command = registry.module("cli", _stem(name)).command
    assert line(_stem(name)) == command.short_help
    assert command.short_help.endswith(".")

"""Details by --set, and by the options they were before."""

from __future__ import annotations

import click
import pytest
from click.testing import CliRunner

from lanner.cli._output import pending_notes
from lanner.cli._set_option import Detail, set_option
from lanner.errors import LannerError


@click.command()
@set_option({"size": Detail(int, "how many", 3), "test": Detail(click.Choice(["t", "sign"]), "which test")})
def command(size: int, test: str | None) -> None:
    click.echo(f"{size} {test} {pending_notes()}")


def run(*arguments: str) -> str:
    return CliRunner().invoke(command, arguments, catch_exceptions=False).output.strip()


def test_defaults_values_and_old_options_with_a_note() -> None:
    assert run() == "3 None []"
    assert run("--set", "size=5", "--set", "test=sign") == "5 sign []"
    assert run("--size", "7") == "7 None ['--size still works; now it is --set size=7.']"


def test_the_help_names_details_and_not_the_old_options() -> None:
    text = run("--help")
    assert "how many" in text
    assert "--size" not in text


@pytest.mark.parametrize(
    ("assignment", "message"),
    [("sise=5", "no detail 'sise'"), ("size", "has no value"), ("size=many", "many"), ("test=x", "'x'")],
)
def test_mistakes_are_named(assignment: str, message: str) -> None:
    with pytest.raises(LannerError, match=message):
        run("--set", assignment)

"""A mistyped source is refused before the command is loaded, in the words that the command would use."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import click
import pytest

from cli.command import Command
from lanner.cli import lanner as commands
from lanner.cli._early_checks import ON_A_SOURCE, check_source
from lanner.cli._source import materials
from lanner.errors import InputError

SCRIPT = """
import sys
from lanner.cli import main
try:
    main()
finally:
    print(sorted({"polars", "scipy", "sqlalchemy", "lanner.analysis"} & set(sys.modules)))
"""


def test_nothing_heavy_is_loaded_for_a_mistyped_name(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", SCRIPT, "agreement", "ratigns.csv"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 2
    assert "There is no file 'ratigns.csv'" in ran.stderr
    assert ran.stdout.strip() == "[]"


def test_it_says_what_the_command_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LANNER_STORE", raising=False)
    with pytest.raises(InputError) as early:
        check_source("scores", ["nothing.csv", "--json"])
    with pytest.raises(InputError) as late:
        materials("nothing.csv", "lanner.sqlite", None)
    assert str(early.value) == str(late.value)


def test_what_might_be_right_is_left_to_the_command(lanner: Command, tmp_path: Path) -> None:
    check_source("scores", ["--question", "score", "nothing.csv"])
    check_source("scores", ["pilot", "--store", "elsewhere.sqlite"])
    check_source("plan", ["nothing"])
    assert lanner("agreement", "nothing", "--help").code == 0
    (tmp_path / "lanner.toml").write_text('store = "campaigns.sqlite"\n', encoding="utf-8")
    assert "campaigns.sqlite" in lanner("agreement", "nothing").err, "the store that the folder's settings name"


def test_the_list_is_complete() -> None:
    context = click.Context(commands)
    for name in ON_A_SOURCE:
        command = commands.get_command(context, name)
        assert command is not None
        [source] = [each for each in command.params if isinstance(each, click.Argument)]
        assert source.metavar == "FILE_OR_CAMPAIGN", name

"""Choices that light modules spell out are those of the statistics, and every analysis command imports little."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import click
import pytest
from click.testing import CliRunner

from cli.command import Command
from lanner import registry
from lanner.cli import (
    SEED,
    Detail,
    Number,
    NumberRange,
    command_names,
    implementation,
    load,
    pending_notes,
    set_option,
)
from lanner.cli.commands import analysis, campaign
from lanner.cli.early_checks import names
from lanner.errors import LannerError
from lanner.stats import ranking
from lanner.stats import scores as statistics
from lanner.stats.facets import Scale
from lanner.stats.regression import Clustering
from lanner.web import server

# Choices that light modules spell out are those of the statistics, and every analysis command imports little.


@pytest.mark.parametrize(
    ("choices", "kinds"),
    [
        (campaign.LOG_LEVELS, tuple(server.LEVELS)),
        (analysis.SCALES, get_args(Scale)),
        (analysis.ERRORS, get_args(Clustering)),
        (analysis.LEVELS, get_args(statistics.Level)),
        (analysis.PRESETS, tuple(registry.table("stats.presets"))),
        (analysis.AVERAGES, get_args(statistics.Average)),
        (analysis.TESTS, get_args(ranking.Test)),
        (analysis.COMBINATIONS, get_args(ranking.Combine)),
        (analysis.CORRECTIONS, get_args(ranking.Correction)),
        (analysis.ADJUSTMENTS, get_args(ranking.Adjust)),
    ],
)
def test_choices_are_those_of_the_statistics(choices: tuple[str, ...], kinds: tuple[str, ...]) -> None:
    assert choices == kinds


def test_names_are_given_with_commas_between() -> None:
    assert names(" a, b ,,c ") == ["a", "b", "c"]
    assert names(None) == []


@pytest.mark.parametrize(
    ("source", "parts"),
    [
        ("pilot", ("", "pilot", "", "")),
        ("ESA=data/x.csv:part@people", ("ESA", "data/x.csv", "part", "people")),
        ("x.csv@ana,bo", ("", "x.csv", "", "ana,bo")),
        ("A=postgresql://u@host/db", ("A", "postgresql://u@host/db", "", "")),
    ],
)
def test_a_source_has_a_name_a_part_and_judges(source: str, parts: tuple[str, ...]) -> None:
    assert analysis.split_source(source) == parts


def test_the_module_that_does_the_work_is_found() -> None:
    assert implementation("source").Source.__name__ == "Source"


# Details by --set, and by the options they were before.


@click.command()
@set_option(
    {
        "size": Detail(int, "how many", 3),
        "test": Detail(click.Choice(["t", "sign"]), "which test"),
        "strict": Detail(bool, "refuse more", False),
    }
)
def command(size: int, test: str | None, strict: bool) -> None:
    click.echo(f"{size} {test} {strict} {pending_notes()}")


def run(*arguments: str) -> str:
    return CliRunner().invoke(command, arguments, catch_exceptions=False).output.strip()


def test_defaults_values_and_old_options_with_a_note() -> None:
    assert run() == "3 None False []"
    assert run("--set", "size=5", "--set", "test=sign", "--set", "strict=true") == "5 sign True []"
    assert run("--size", "7") == "7 None False ['--size still works; now it is --set size=7.']"
    assert run("--strict") == "3 None True ['--strict still works; now it is --set strict=true.']"


def test_the_help_names_details_and_not_the_old_options() -> None:
    text = run("--help")
    assert "how many" in text
    assert "--size" not in text


@pytest.mark.parametrize(
    ("assignment", "message"),
    [("sise=5", "no setting 'sise'"), ("size", "has no value"), ("size=many", "many"), ("test=x", "'x'")],
)
def test_mistakes_are_named(assignment: str, message: str) -> None:
    with pytest.raises(LannerError, match=message):
        run("--set", assignment)


def options_of(command: click.Command) -> Iterator[click.Parameter]:
    if isinstance(command, click.Group):
        for each in command.commands.values():
            yield from options_of(each)
    yield from command.params


def test_no_option_takes_a_number_that_is_none() -> None:
    """Neither `nan` nor `inf`: no limit holds for them. Hidden ones are settings, which refuse them themselves."""
    floats = [
        (name, option.name)
        for name in command_names()
        for option in options_of(load(name))
        if isinstance(option.type, click.types.FloatParamType)
        and not isinstance(option.type, Number | NumberRange)
        and not getattr(option, "hidden", False)
    ]
    assert floats == []
    for kind in (Number(), NumberRange(0, 1)):
        for word in ("nan", "inf", "-inf", "1e999"):
            with pytest.raises(click.BadParameter):
                kind.convert(word, None, None)
        assert kind.convert("0.5", None, None) == 0.5


TEXTS = "document,segment,source,target\nd,1,One.,Eins.\nd,2,Two.,Zwei.\n"


def test_settings_of_a_folder_hold_where_options_are_not_given(lanner: Command, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.delenv("LANNER_STORE", raising=False)
    (tmp_path / "lanner.toml").write_text('store = "mine.sqlite"\nlanguages = "en-de"\n[new]\nprotocol = "da"\n')
    (tmp_path / "t.csv").write_text(TEXTS)
    ran = lanner("new", "pilot", "--texts", "t.csv", "--judges", "2", "--json")
    assert ran.code == 0, ran.err
    assert (tmp_path / "mine.sqlite").is_file()
    assert "da ·" in ran.envelope["signature"]
    assert not any("languages are not known" in note for note in ran.envelope["notes"])
    assert (
        lanner("new", "other", "--texts", "t.csv", "--judges", "2", "--protocol", "sqm", "--json")
        .envelope["signature"]
        .startswith("sqm")
    )


def test_settings_of_a_folder_hold_for_the_commands_of_a_group(lanner: Command, tmp_path: Path) -> None:
    (tmp_path / "lanner.toml").write_text('store = "mine.sqlite"\n[campaign.show]\nby = "document"\n')
    (tmp_path / "t.csv").write_text(TEXTS)
    assert lanner("new", "pilot", "--texts", "t.csv", "--protocol", "da", "--judges", "2").code == 0
    [row] = lanner("campaign", "list", "--json").envelope["rows"]
    assert row["name"] == "pilot"
    assert "document" in lanner("campaign", "show", "pilot", "--json").envelope["rows"][0]
    assert lanner("accounts", "list").code == 0
    (tmp_path / "lanner.toml").write_text('[campaign.show]\nbuy = "document"\n')
    assert "`lanner campaign show` has no option 'buy'" in lanner("campaign", "list").err
    (tmp_path / "lanner.toml").write_text('[campaign]\nstroe = "mine.sqlite"\n')
    assert "Did you mean 'store'" in lanner("campaign", "list").err


def test_mistakes_in_the_settings_are_named(lanner: Command, tmp_path: Path) -> None:
    (tmp_path / "lanner.toml").write_text('[new]\nprotokoll = "da"\n')
    ran = lanner("new", "pilot", "--judges", "2")
    assert ran.code == 2
    assert "has no option 'protokoll'" in ran.err
    assert "protocol" in ran.err
    (tmp_path / "lanner.toml").write_text("store = \n")
    assert "lanner.toml:1:9: This is not valid TOML" in lanner("formats").err
    for written, told in {
        "[nwe]\n": "Did you mean 'new'?",
        "[new]\nseed = [1, 2]\n": "seed = [1, 2] is no value",
        "[new]\nseed = 1.5\n": "'1.5' is not a valid integer",
        "[new]\njson = 3\n": "'3' is not a valid boolean",
        '[new]\ntexts = "none.csv"\n': "none.csv: There is no such file",
    }.items():
        (tmp_path / "lanner.toml").write_text(written)
        ran = lanner("new", "pilot", "--protocol", "da", "--judges", "2")
        assert ran.code == 2 and told in ran.err


def test_an_unknown_command_of_a_group_names_those_there_are(lanner: Command) -> None:
    near = lanner("campaign", "chekc", "pilot")
    assert near.code == 2
    assert "There is no command 'campaign chekc'" in near.err
    assert "Did you mean 'check'?" in near.err and "`lanner campaign --help`" in near.err
    assert "Known: add, change" in lanner("accounts", "nothing-like-it").err
    assert "There is no command 'chekc'" in lanner("chekc").err


def test_help_leaves_out_the_range_of_a_seed_and_a_mistake_names_it() -> None:
    command = click.Command("draw", params=[click.Option(["--seed"], type=SEED)])
    assert "x<=" not in command.get_help(click.Context(command))
    with pytest.raises(click.BadParameter, match="-1 is not in the range 0<=x<="):
        command.make_context("draw", ["--seed", "-1"])


def test_help_lists_settings_line_by_line_with_their_choices() -> None:
    lines = [
        line.strip()
        for line in analysis.scores.get_help(click.Context(analysis.scores, terminal_width=80)).splitlines()
    ]
    assert "part: the part to analyse, if a folder has" in lines
    assert any(line.endswith("[holm|shaffer|none]") for line in lines)

"""The table of commands: what `lanner --help` lists, and that each command gives its implementation what it takes."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from importlib.metadata import EntryPoint

import click
import pytest

from cli.command import Command
from lanner import cli, registry
from lanner.cli import HEADINGS, OTHERS, command_names, from_option, grouped, json_option, load, store_option
from lanner.cli.commands.judges import judge
from lanner.judges.settings import SETTINGS

NAMES = command_names()
TASK = re.compile(r'(answer\w*)\("(\w+)\.(\w+)", ')


def leaves(command: click.Command) -> Iterator[click.Command]:
    if isinstance(command, click.Group):
        for part in command.commands.values():
            yield from leaves(part)
    else:
        yield command


def test_each_command_of_ours_stands_under_one_heading() -> None:
    placed = [name for modules in HEADINGS.values() for row in modules.values() for name in row]
    assert len(placed) == len(set(placed))
    assert OTHERS not in grouped(NAMES)
    assert sorted(name for row in grouped(NAMES).values() for name in row) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_each_command_is_called_what_the_table_says_and_has_a_line(name: str) -> None:
    command = load(name)
    assert command.name == name
    assert (command.short_help or "").endswith(".")


@pytest.mark.parametrize("name", NAMES)
def test_no_command_has_more_options_than_one_can_read(name: str) -> None:
    for command in leaves(load(name)):
        options = [one for one in command.params if isinstance(one, click.Option) and not one.hidden]
        assert len(options) <= 20, f"{command.name}: what is seldom given belongs into --set"


@pytest.mark.parametrize("name", NAMES)
def test_no_two_options_of_a_command_are_one_value(name: str) -> None:
    """Two parameters of one name overwrite each other, and what one of them says is lost."""
    for command in leaves(load(name)):
        names = [parameter.name for parameter in command.params]
        assert len(names) == len(set(names)), command.name


@pytest.mark.parametrize("name", NAMES)
def test_what_a_command_reads_is_what_its_implementation_takes(name: str) -> None:
    for command in leaves(load(name)):
        source = inspect.getsource(inspect.unwrap(command.callback))  # type: ignore[arg-type]
        way, module, function = TASK.findall(source)[-1]
        takes = inspect.signature(getattr(cli.implementation(module), function)).parameters
        reads = {parameter.name for parameter in command.params if parameter.expose_value}
        gets = {*reads, "output"} - {"as_json"}
        if way == "answer_from_store":
            gets = gets - {"store_place"} | {"store"}
        if "source" in takes and takes["source"].annotation == "Source":  # which holds what it is read by
            gets -= {"store_place", "format_name", "protocol", "judges"}
        if "assignments" not in takes:  # --set gives what it changes by name
            gets -= {"assignments"}
        named = {key for key, parameter in takes.items() if parameter.kind is not parameter.VAR_KEYWORD}
        assert named <= gets, command.name
        assert named == gets or len(named) < len(takes), command.name


def test_a_command_of_another_package_comes_last(monkeypatch: pytest.MonkeyPatch, lanner: Command) -> None:
    point = EntryPoint("from-elsewhere", "cli.commands.elsewhere", "lanner.cli")
    monkeypatch.setattr(registry, "_entry_points", lambda group: (point,) if group == "cli" else ())
    command_names.cache_clear()
    try:
        assert list(grouped(command_names()).items())[-1] == (OTHERS, ["from-elsewhere"])
        assert load("from-elsewhere").name == "from-elsewhere"
        assert "From another package." in lanner("--help").out
    finally:
        command_names.cache_clear()


def test_the_command_shows_few_options_and_keeps_the_old_ones() -> None:
    @click.command()
    @from_option
    @store_option
    @json_option
    def shared(**_options: object) -> None:
        """The options that every command has which reads files and a store."""

    options = [parameter for parameter in judge.params if isinstance(parameter, click.Option)]
    everywhere = {parameter.name for parameter in shared.params}
    own = [option.name for option in options if not option.hidden and option.name not in everywhere]
    assert len(own) <= 21
    assert set(SETTINGS) <= {option.name for option in options if option.hidden}

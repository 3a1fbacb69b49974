"""The commands of `lanner campaign`, as they are declared: what they do is tested with their implementations."""

import inspect

import pytest

from cli.command import Command
from lanner.cli import _options
from lanner.cli.campaign import command as group


def test_every_command_has_help_and_an_unknown_one_is_refused(lanner: Command) -> None:
    for name in group.commands:
        assert lanner("campaign", name, "--help").code == 0
    assert lanner("campaign", "frobnicate").code == 2


@pytest.mark.parametrize("name", group.commands)
def test_what_a_command_reads_is_what_its_implementation_takes(name: str) -> None:
    source = inspect.getsource(inspect.unwrap(group.commands[name].callback))  # type: ignore[arg-type]
    module, _, call = source.rpartition('implementation("')[2].partition('").')
    implementation = getattr(_options.implementation(module), call.partition("(")[0])
    exposed = {parameter.name for parameter in group.commands[name].params if parameter.expose_value}
    assert exposed == set(inspect.signature(implementation).parameters)

"""`--set NAME=VALUE`: one option for what is seldom changed about a command. Before, each was an option of its own;
those still work, are not in the help, and leave a note."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import click

from lanner.cli._output import pending_notes
from lanner.errors import LannerError, did_you_mean

Command = Callable[..., None]


@dataclass(frozen=True, slots=True)
class Detail:
    """What can be set: its type as click knows it, what it means, its default."""

    type: Any
    help: str
    default: Any = None


def set_option(details: Mapping[str, Detail]) -> Callable[[Command], Command]:
    """Give a command `--set`; its function gets a parameter for each of these."""

    def decorate(command: Command) -> Command:
        @functools.wraps(command)
        def with_details(*arguments: Any, assignments: tuple[str, ...], **options: Any) -> None:
            values = {name: options.pop(name) for name in details}
            for name, value in values.items():
                if value is not None:
                    note = f"--{name} still works; now it is --set {name}={value}."
                    pending_notes().append(note)
            values |= dict(_assigned(details, assignment) for assignment in assignments)
            details_by_name = {n: details[n].default if value is None else value for n, value in values.items()}
            command(*arguments, **options, **details_by_name)

        decorated: Command = with_details
        for name, detail in details.items():
            decorated = click.option(f"--{name}", type=detail.type, default=None, hidden=True, help=detail.help)(
                decorated
            )
        words = "; ".join(f"{name}: {detail.help}" for name, detail in details.items())
        return click.option(
            "--set", "assignments", multiple=True, metavar="NAME=VALUE", help=f"Change a detail; repeatable. {words}"
        )(decorated)

    return decorate


def _assigned(details: Mapping[str, Detail], assignment: str) -> tuple[str, Any]:
    name, equals, text = assignment.partition("=")
    if name not in details:
        raise LannerError(f"There is no detail {name!r} to set.", next_step=did_you_mean(name, list(details)))
    if not equals:
        raise LannerError(f"--set {assignment} has no value.", next_step=f"Write --set {name}=… ({details[name].help})")
    try:
        return name, click.types.convert_type(details[name].type).convert(text, None, None)
    except click.BadParameter as error:
        raise LannerError(f"--set {assignment}: {error.message}") from error

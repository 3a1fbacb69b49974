"""`lanner formats`: the formats that can be read and written, and what each can be told."""

from __future__ import annotations

import inspect
from types import ModuleType

import click

from lanner import formats, registry
from lanner.cli._output import Output, json_option


@click.command("formats", short_help="List the file formats, or say what one can be told.")
@click.argument("name", required=False)
@json_option
def command(name: str | None, as_json: bool) -> None:
    """List every format that comes with Lanner or with an installed package; with a NAME, say what it is and which
    options reading and writing it take.

    Example: lanner formats table
    """
    output = Output("formats", as_json)
    if name:
        _one(output, name)
    else:
        _all(output)
    output.end()


def _all(output: Output) -> None:
    writable = formats.titles(writable=True)
    rows = [
        {"name": each, "what": title, "read": _yes(hasattr(_module(each), "read")), "written": _yes(each in writable)}
        for each, title in formats.titles().items()
    ]
    output.table(rows, ["name", "what", "read", "written"])
    output.say()
    output.say("The format of a file is found from its content. One of them: lanner formats NAME", style="dim")


def _one(output: Output, name: str) -> None:
    module = _module(name)
    options = formats.options(name)
    about = inspect.cleandoc(module.__doc__ or module.TITLE)
    output.rows.append({"name": name, "what": module.TITLE, "about": about, "options": dict(options)})
    output.say(about)
    for option, meaning in options.items():
        output.say(f"  --option {option}=…  {meaning}")


def _module(name: str) -> ModuleType:
    return registry.module("formats", name)


def _yes(there: bool) -> str:
    return "yes" if there else "no"

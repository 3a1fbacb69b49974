"""`lanner formats`: the formats that can be read and written, and the options of each."""

from __future__ import annotations

import inspect

import click

from lanner import formats
from lanner.cli._output import Output, json_option


@click.command("formats", short_help="List file formats, or show a format's options.")
@click.argument("name", required=False)
@json_option
def command(name: str | None, as_json: bool) -> None:
    """List all formats, built in and from installed packages. With a NAME, describe the format and show its options.

    Example: lanner formats table
    """
    output = Output("formats", as_json)
    if name:
        _one(output, name)
    else:
        _all(output)
    output.end()


def _all(output: Output) -> None:
    rows = [
        {"name": name, "what": each.title, "read": _yes(each.read is not None), "written": _yes(each.write is not None)}
        for name, each in formats.all_formats().items()
    ]
    output.table(rows, ["name", "what", "read", "written"])
    output.say()
    output.say("The format of a file is found from its content. One of them: lanner formats NAME", style="dim")


def _one(output: Output, name: str) -> None:
    entry = formats.load(name)
    about = inspect.cleandoc(entry.description or entry.title)
    output.rows.append({"name": name, "what": entry.title, "about": about, "options": dict(entry.options)})
    output.say(about)
    for option, meaning in entry.options.items():
        output.say(f"  --option {option}=…  {meaning}")


def _yes(there: bool) -> str:
    return "yes" if there else "no"

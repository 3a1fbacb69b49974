"""`lanner protocol`: read a protocol as a judge would, or check one's own file."""

from __future__ import annotations

from pathlib import Path

import click

from lanner.cli._options import known_protocol, reads_files
from lanner.cli._output import Output, json_option


@click.group("protocol", short_help="Show a protocol, or validate your own.")
def command() -> None:
    """Show a protocol, or validate your own file.

    Example: lanner protocol show h_falcon
    """


@command.command("show", short_help="Print a protocol in readable form.")
@click.argument("name", metavar="NAME_OR_FILE", callback=known_protocol)
@click.option("--language", default="en", show_default=True, help="Language of the questions.")
@click.option("--published", is_flag=True, help="Use the wording of the paper, with sources.")
@json_option
@reads_files("name")
def show(name: str, language: str, published: bool, as_json: bool) -> None:
    """Print a protocol in readable form.

    Example: lanner protocol show h_falcon --language ko
    """
    from lanner.protocols import load
    from lanner.protocols.describe import describe

    protocol = load(name, wording="published" if published else "")
    output = Output("protocol show", as_json)
    output.rows.append(protocol.model_dump(mode="json", by_alias=True))
    output.sign(f"{protocol.label} · hash {protocol.hash}")
    output.say(describe(protocol, language))
    output.end()


@command.command("check", short_help="Validate a protocol file.")
@click.argument("name", metavar="FILE", callback=known_protocol)
@json_option
@reads_files("name")
def check(name: str, as_json: bool) -> None:
    """Validate a protocol file. Errors name the file and line.

    Example: lanner protocol check mine.toml
    """
    from lanner.protocols import load, mistakes

    output = Output("protocol check", as_json)
    problems = mistakes(name) if Path(name).is_file() else []
    for mistake in problems[1:]:
        output.say(f"Also: {mistake}")
    if problems:
        raise problems[0]
    protocol = load(name)
    output.rows.append({"name": protocol.name, "version": protocol.version, "hash": protocol.hash})
    count = sum(1 for _ in protocol.questions)
    output.say(f"{protocol.label} is sound: {count} questions in {len(protocol.stages)} stages, hash {protocol.hash}.")
    output.end()

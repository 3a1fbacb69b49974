"""`lanner protocols`: the protocols that can be named."""

from __future__ import annotations

import click

from lanner import protocols
from lanner.cli._output import Output, json_option
from lanner.protocols.wording import Wording


@click.command("protocols", short_help="List the available protocols.")
@json_option
def command(as_json: bool) -> None:
    """List all protocols, built in and from installed packages.

    Example: lanner protocols
    """
    output = Output("protocols", as_json)
    rows = []
    for name in protocols.names():
        protocol = protocols.load(name)
        words = Wording(protocol)
        rows.append(
            {
                "name": name,
                "version": protocol.version,
                "title": words.title,
                "unit": ", ".join(dict.fromkeys(stage.unit.value.replace("_", " ") for stage in protocol.stages)),
                "languages": " ".join(protocol.text),
                "summary": words.line("summary"),
                "hash": protocol.hash,
            }
        )
    output.table(rows, ["name", "title", "unit", "languages", "summary"])
    output.say()
    output.say("Read one: lanner protocol show NAME     Check your own: lanner protocol check FILE.toml", style="dim")
    output.end()

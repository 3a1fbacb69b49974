"""`lanner protocols`: the protocols that can be named."""

from __future__ import annotations

import click

from lanner.cli._output import Output, json_option
from lanner.protocols.catalogue import catalogue


@click.command("protocols", short_help="List the available protocols.")
@json_option
def command(as_json: bool) -> None:
    """List all protocols, built in and from installed packages.

    Example: lanner protocols
    """
    output = Output("protocols", as_json)
    output.table(catalogue(), ["name", "title", "unit", "languages", "summary"])
    output.say()
    output.say("Read one: lanner protocol show NAME     Check your own: lanner protocol check FILE.toml", style="dim")
    output.end()

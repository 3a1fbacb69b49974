"""Declarations of the commands one starts with: the demo, a check of the installation, the protocols."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from lanner.cli.options import PORT, implementation, json_option, known_protocol, reads_files, store_option


@click.command("demo", short_help="Try Lanner: judging page, live campaign and report.")
@click.option(
    "--folder",
    type=click.Path(path_type=Path),
    default=Path("lanner-demo"),
    show_default=True,
    help="Folder for the demo's files.",
)
@click.option(
    "--port", type=PORT, default=8000, show_default=True, help="Port; the next free one is used if it is taken."
)
@click.option("--serve/--no-serve", "serving", default=True, help="Serve the pages, or only write the files.")
@click.option(
    "--open/--no-open", "opening", default=None, help="Open the start page in a browser (default: in a terminal)."
)
def demo(**options: Any) -> None:
    """Start a tour: judge three sentences, watch judgements arrive, read a report, then use your own file. The other
    judges are simulated. Nothing leaves this machine.

    Example: lanner demo
    """
    implementation("demo").run(**options)


@click.command("doctor", short_help="Check the installation: what is missing and how to get it.")
@store_option
@json_option
def doctor(**options: Any) -> None:
    """Check versions, database, disk, browser, fonts and optional packages. Changes nothing. The exit code is 2 only if
    something is broken; missing optional packages are not an error.

    Example: lanner doctor
    """
    implementation("doctor").run(**options)


@click.command("protocols", short_help="List the available protocols.")
@json_option
def protocols(**options: Any) -> None:
    """List all protocols, built in and from installed packages.

    Example: lanner protocols
    """
    implementation("protocols").list_protocols(**options)


@click.group("protocol", short_help="Show a protocol, or validate your own.")
def protocol() -> None:
    """Show a protocol, or validate your own file.

    Example: lanner protocol show h_falcon
    """


@protocol.command("show", short_help="Print a protocol in readable form.")
@click.argument("name", metavar="NAME_OR_FILE", callback=known_protocol)
@click.option("--language", default="en", show_default=True, help="Language of the questions.")
@click.option("--published", is_flag=True, help="Use the wording of the paper, with sources.")
@json_option
@reads_files("name")
def protocol_show(**options: Any) -> None:
    """Print a protocol in readable form.

    Example: lanner protocol show h_falcon --language ko
    """
    implementation("protocols").show(**options)


@protocol.command("check", short_help="Validate a protocol file.")
@click.argument("name", metavar="FILE", callback=known_protocol)
@json_option
@reads_files("name")
def protocol_check(**options: Any) -> None:
    """Validate a protocol file. Errors name the file and line.

    Example: lanner protocol check mine.toml
    """
    implementation("protocols").check(**options)

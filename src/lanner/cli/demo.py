"""`lanner demo`: a campaign with simulated judges, a judging page, the organiser's page and a report, in a minute."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from lanner.cli._options import PORT, implementation


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
def command(**options: Any) -> None:
    """Start a tour: judge three sentences, watch judgements arrive, read a report, then use your own file. The other
    judges are simulated. Nothing leaves this machine.

    Example: lanner demo
    """
    implementation("_demo").run(**options)

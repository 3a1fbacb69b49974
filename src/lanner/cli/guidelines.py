"""`lanner guidelines`: the guidelines of a campaign as a versioned file, with examples from its own decisions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from lanner.cli._early_checks import refuse_unknown_campaign
from lanner.cli._options import complete_campaign, implementation, store_option
from lanner.cli._output import json_option


@click.command("guidelines", short_help="A campaign's guidelines, with examples from its own decisions.")
@click.argument("name", metavar="CAMPAIGN", shell_complete=complete_campaign)
@click.option(
    "--out", type=click.Path(path_type=Path), help="Write them here: a file ending in .md, or .html for print."
)
@click.option("--language", default="en", show_default=True, help="Language of the protocol's words.")
@store_option
@json_option
def command(name: str, store_place: str, **options: Any) -> None:
    """Print the guidelines of a campaign as they stand: instructions, every definition, notes added while it runs, and
    each settled disagreement as a worked example. The version goes up with every note and decision, so that two prints
    can be told apart.

    Example: lanner guidelines pilot --out pilot-guidelines.html
    """
    refuse_unknown_campaign(name, store_place)
    implementation("_guidelines").run(name, store_place=store_place, **options)

"""`lanner promote`: which units go on to a later stage, listed for the organiser to confirm, then assigned."""

from __future__ import annotations

from typing import Any

import click

from lanner.cli._early_checks import refuse_unknown_campaign
from lanner.cli._options import complete_campaign, implementation, store_option
from lanner.cli._output import json_option


@click.command("promote", short_help="List items promoted to a later stage, and assign them.")
@click.argument("name", metavar="CAMPAIGN", shell_complete=complete_campaign)
@click.option("--page", required=True, help="The page of the later stage, for instance phase_two.")
@click.option("--drop", default="", help="Skip these items: DOCUMENT/SEGMENT, comma-separated.")
@click.option("--drop-first", is_flag=True, help="Skip items at the start of their document.")
@click.option("--assign", "assigning", is_flag=True, help="Assign the items (default: only list them).")
@store_option
@json_option
def command(name: str, store_place: str, **options: Any) -> None:
    """List items that enough judges marked for a later stage, with their text and whether any text precedes them, and
    assign them with --assign. More context cannot help where the source is incomplete or comes first.

    Example: lanner promote survey --page phase_two --drop "reviews/12" --drop-first --assign
    """
    refuse_unknown_campaign(name, store_place)
    implementation("_promote").run(name, store_place=store_place, **options)

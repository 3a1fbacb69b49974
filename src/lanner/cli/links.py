"""`lanner links`: new links for judges; the old ones stop working."""

from __future__ import annotations

from typing import Any

import click

from lanner.cli._early_checks import refuse_unknown_campaign
from lanner.cli._options import complete_campaign, implementation, store_option
from lanner.cli._output import json_option


@click.command("links", short_help="Issue new judge links; old ones stop working.")
@click.argument("name", metavar="CAMPAIGN", shell_complete=complete_campaign)
@click.option("--judge", "judges", multiple=True, help="Only this judge; repeatable (default: all people).")
@click.option(
    "--base-url", default="http://127.0.0.1:8000", show_default=True, help="Address of the server, for the links."
)
@store_option
@click.option("--show", is_flag=True, help="Print the current links; nothing changes.")
@json_option
def command(name: str, store_place: str, **options: Any) -> None:
    """Issue new links; the old ones stop working. With --show, print the current links. The store keeps only hashes;
    the links are derived again from a key file next to it (or from LANNER_LINK_KEY).

    Example: lanner links pilot --judge ana --show
    """
    refuse_unknown_campaign(name, store_place)
    implementation("_links").run(name, store_place=store_place, **options)

"""`lanner ledger`: what a model was sent, what came back, what it cost, and why items are missing."""

from __future__ import annotations

from typing import Any

import click

from lanner.cli._options import campaign_argument, implementation, store_option
from lanner.cli._output import json_option


@click.command("ledger", short_help="Inspect model requests: prompts, replies, costs, failures.")
@campaign_argument
@click.argument("judge", required=False)
@click.option("--missing", is_flag=True, help="Only questions without a valid last reply.")
@click.option("--document", default="", help="Only questions about this document.")
@click.option("--segment", default="", help="Only questions about this segment.")
@click.option("--limit", default=50, show_default=True, help="Maximum number of rows.")
@click.option("--full", is_flag=True, help="Include the full request and reply.")
@store_option
@json_option
def command(**options: Any) -> None:
    """List every reply of a model judge, oldest first.

    Example: lanner ledger pilot my-model --missing
    """
    implementation("_ledger").run(**options)

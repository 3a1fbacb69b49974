"""`lanner webhooks`: webhooks for finished tasks and campaigns."""

from __future__ import annotations

from typing import Any

import click

from lanner.cli._early_checks import refuse_missing_store, refuse_unknown_campaign, refuse_unknown_number
from lanner.cli._options import implementation, store_option
from lanner.cli._output import json_option

EVENTS = ["task.finished", "campaign.finished"]


@click.group("webhooks", short_help="Manage webhooks for finished tasks and campaigns.")
def command() -> None:
    """Manage webhooks, which are called when a task or campaign is finished.

    Example: lanner webhooks list
    """


@command.command("add", short_help="Add a webhook.")
@click.argument("url")
@click.option("--event", "events", multiple=True, type=click.Choice(EVENTS), help="Only this event; repeatable.")
@click.option("--campaign", help="Only this campaign.")
@store_option
@json_option
def add(**options: Any) -> None:
    """Add a webhook. The secret that signs its messages is shown only once.

    Example: lanner webhooks add https://example.org/lanner --campaign pilot --event campaign.finished
    """
    refuse_missing_store(options["store_place"])
    if options["campaign"]:
        refuse_unknown_campaign(options["campaign"], options["store_place"])
    implementation("_webhooks").add(**options)


@command.command("list", short_help="List webhooks and failed deliveries.")
@store_option
@json_option
def list_all(**options: Any) -> None:
    """List webhooks and what could not be delivered so far.

    Example: lanner webhooks list
    """
    refuse_missing_store(options["store_place"])
    implementation("_webhooks").list_all(**options)


@command.command("remove", short_help="Remove a webhook.")
@click.argument("number", type=click.IntRange(1, 2**63 - 1))
@store_option
@json_option
def remove(**options: Any) -> None:
    """Remove a webhook. Undelivered messages are dropped.

    Example: lanner webhooks remove 2
    """
    refuse_unknown_number(options["number"], options["store_place"], "webhook")
    implementation("_webhooks").remove(**options)

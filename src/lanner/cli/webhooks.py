"""`lanner webhooks`: webhooks for finished tasks and campaigns."""

from __future__ import annotations

from datetime import UTC, datetime

import click

from lanner.campaign.cache import find
from lanner.campaign.webhooks import EVENTS, add_webhook, refuse_address
from lanner.cli._options import store_option
from lanner.cli._output import Output, json_option
from lanner.errors import LannerError
from lanner.store import Store


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
def add(url: str, events: tuple[str, ...], campaign: str | None, store_place: str, as_json: bool) -> None:
    """Add a webhook. The secret that signs its messages is shown only once.

    Example: lanner webhooks add https://example.org/lanner --campaign pilot --event campaign.finished
    """
    output = Output("webhooks add", as_json)
    refuse_address(url)
    with Store.open(store_place, create=False) as store:
        with store.reading() as tx:
            about = find(tx, campaign).id if campaign else None
        number, secret = add_webhook(store, url, events or EVENTS, about)
    output.rows.append({"number": number, "url": url, "secret": secret})
    output.say(f"{url} is a webhook now. Its signing secret: {secret}")
    output.end()


@command.command("list", short_help="List webhooks and failed deliveries.")
@store_option
@json_option
def list_all(store_place: str, as_json: bool) -> None:
    """List webhooks and what could not be delivered so far.

    Example: lanner webhooks list
    """
    output = Output("webhooks list", as_json)
    with Store.open(store_place, create=False) as store, store.reading() as tx:
        rows = [{"number": hook.id, "url": hook.url, "events": list(hook.events)} for hook in tx.webhooks.all()]
        waiting = tx.webhooks.waiting()
    output.table(rows, empty="Nobody is told anything yet. Tell an address: lanner webhooks add URL")
    for event, attempts, problem in waiting:
        output.note(f"not arrived: {event}, tried {attempts} times{f' ({problem})' if problem else ''}")
    output.end()


@command.command("remove", short_help="Remove a webhook.")
@click.argument("number", type=click.IntRange(1, 2**63 - 1))
@store_option
@json_option
def remove(number: int, store_place: str, as_json: bool) -> None:
    """Remove a webhook. Undelivered messages are dropped.

    Example: lanner webhooks remove 2
    """
    output = Output("webhooks remove", as_json)
    with Store.open(store_place, create=False) as store, store.writing() as tx:
        if not tx.webhooks.remove(number, datetime.now(UTC)):
            raise LannerError(f"There is no webhook {number}.", next_step="`lanner webhooks list` shows them.")
    output.rows.append({"number": number})
    output.say(f"Webhook {number} is removed.")
    output.end()

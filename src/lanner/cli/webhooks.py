"""`lanner webhooks`: addresses that are told when a task or a campaign is finished."""

from __future__ import annotations

from datetime import UTC, datetime

import click

from lanner.campaign.cache import find
from lanner.campaign.notifications import EVENTS
from lanner.cli._output import Output, json_option
from lanner.cli._source import store_option
from lanner.errors import LannerError
from lanner.store import Store
from lanner.web.serving.webhooks import add_webhook, refuse_address


@click.group("webhooks", short_help="Addresses that are told of finished tasks and campaigns.")
def command() -> None:
    """Addresses that are told when a task or a campaign is finished: add, list, remove.

    Example: lanner webhooks list
    """


@command.command("add", short_help="Tell an address what happens.")
@click.argument("url")
@click.option("--event", "events", multiple=True, type=click.Choice(EVENTS), help="Only this one; repeatable.")
@click.option("--campaign", help="Only of this campaign.")
@store_option
@json_option
def add(url: str, events: tuple[str, ...], campaign: str | None, store_place: str, as_json: bool) -> None:
    """Tell an address what happens, from now on. The secret that its messages are signed with is shown this once.

    Example: lanner webhooks add https://example.org/lanner --campaign pilot --event campaign.finished
    """
    output = Output("webhooks add", as_json)
    refuse_address(url)
    with Store.open(store_place, create=False) as store:
        with store.reading() as tx:
            about = find(tx, campaign).id if campaign else None
        number, secret = add_webhook(store, url, events or EVENTS, about)
    output.rows.append({"number": number, "url": url, "secret": secret})
    output.say(f"{url} is told from now on. The secret of its signatures: {secret}")
    output.end()


@command.command("list", short_help="All addresses, and what has not arrived.")
@store_option
@json_option
def list_all(store_place: str, as_json: bool) -> None:
    """List the addresses that are told, and what could not be delivered so far.

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


@command.command("remove", short_help="Tell an address nothing any more.")
@click.argument("number", type=int)
@store_option
@json_option
def remove(number: int, store_place: str, as_json: bool) -> None:
    """Tell an address nothing any more; what had not arrived yet is dropped.

    Example: lanner webhooks remove 2
    """
    output = Output("webhooks remove", as_json)
    with Store.open(store_place, create=False) as store, store.writing() as tx:
        if not tx.webhooks.remove(number, datetime.now(UTC)):
            raise LannerError(f"There is no webhook {number}.", next_step="`lanner webhooks list` shows them.")
    output.rows.append({"number": number})
    output.say(f"Webhook {number} is told nothing any more.")
    output.end()

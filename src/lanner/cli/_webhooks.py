"""`lanner webhooks`: webhooks for finished tasks and campaigns."""

from __future__ import annotations

from datetime import UTC, datetime

from lanner.campaign.cache import find
from lanner.campaign.webhooks import EVENTS, add_webhook, refuse_address
from lanner.cli._early_checks import unknown_number
from lanner.cli._output import Output
from lanner.store import Store


def add(url: str, events: tuple[str, ...], campaign: str | None, store_place: str, as_json: bool) -> None:
    """Add a webhook."""
    output = Output("webhooks add", as_json)
    refuse_address(url)
    with Store.open(store_place, create=False) as store:
        with store.reading() as tx:
            about = find(tx, campaign).id if campaign else None
        number, secret = add_webhook(store, url, events or EVENTS, about)
    output.rows.append({"number": number, "url": url, "secret": secret})
    output.say(f"{url} is a webhook now. Its signing secret: {secret}")
    output.end()


def list_all(store_place: str, as_json: bool) -> None:
    """List webhooks and what could not be delivered so far."""
    output = Output("webhooks list", as_json)
    with Store.open(store_place, create=False) as store, store.reading() as tx:
        rows = [{"number": hook.id, "url": hook.url, "events": list(hook.events)} for hook in tx.webhooks.all()]
        waiting = tx.webhooks.waiting()
    output.table(rows, empty="Nobody is told anything yet. Tell an address: lanner webhooks add URL")
    for event, attempts, problem in waiting:
        output.note(f"not arrived: {event}, tried {attempts} times{f' ({problem})' if problem else ''}")
    output.end()


def remove(number: int, store_place: str, as_json: bool) -> None:
    """Remove a webhook."""
    output = Output("webhooks remove", as_json)
    with Store.open(store_place, create=False) as store, store.writing() as tx:
        if not tx.webhooks.remove(number, datetime.now(UTC)):
            raise unknown_number(number, "webhook")
    output.rows.append({"number": number})
    output.say(f"Webhook {number} is removed.")
    output.end()

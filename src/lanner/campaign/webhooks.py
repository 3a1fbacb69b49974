"""Webhooks: the addresses outside that are told when a task or a campaign is finished, and the secrets of their
signatures. Judges go by their ids, never by their names. The server sends the messages.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from datetime import UTC, datetime
from urllib.parse import urlsplit

from lanner.campaign.accounts import KEY_VARIABLE, is_sealed, seal, server_key, unseal
from lanner.campaign.drawing import announce_end, is_over
from lanner.errors import LannerError
from lanner.store import AssignedTask, Store, Transaction
from lanner.store.campaigns import CAMPAIGN_FINISHED, TASK_FINISHED

EVENTS = (TASK_FINISHED, CAMPAIGN_FINISHED)


def announce_finished(tx: Transaction, entry: AssignedTask, at: datetime) -> None:
    """Tell of a finished task, and of its campaign if that was the last one, in the transaction that finished it."""
    if not tx.webhooks.all():
        return
    campaign = tx.campaigns.find(entry.campaign)
    assert campaign is not None
    message = {"campaign": campaign.name, "finished_at": at.isoformat(timespec="milliseconds")}
    tx.webhooks.announce(campaign.id, TASK_FINISHED, {**message, "task": entry.task.id, "judge": entry.task.judge}, at)
    tx.campaigns.lock(campaign.id)  # of the last two that finish at once, one sees the other
    if is_over(tx, campaign):
        announce_end(tx, campaign, at)


def refuse_address(url: str) -> None:
    """Refuse what is no address of the web."""
    try:
        parts = urlsplit(url)
        is_web = parts.scheme in ("https", "http") and parts.hostname and parts.port != 0
    except ValueError:
        is_web = False
    if not is_web or parts.username or parts.password:
        raise LannerError(
            f"{url[:200]!r} is no address that can be told.",
            code="bad_webhook_address",
            names={"given": repr(url[:200])},
            next_step="Write https://host/path.",
        )


def add_webhook(store: Store, url: str, events: Sequence[str], campaign: int | None = None) -> tuple[int, str]:
    """Tell an address from now on: its number, and the secret of its signatures, which is shown this once. The store
    keeps it sealed with the server's key."""
    refuse_address(url)
    key = server_key(store, create=True)
    if key is None:
        raise LannerError(
            "This server has no key to seal the secret with, and secrets are not kept in plain text.",
            next_step=f"Set {KEY_VARIABLE} to a long random text, for the server and for this command.",
        )
    secret = secrets.token_urlsafe(24)
    with store.writing() as tx:
        number = tx.webhooks.add(url, seal(key, secret), events, datetime.now(UTC), campaign=campaign)
    return number, secret


def seal_secrets(store: Store) -> int:
    """Seal the secrets that an earlier version kept in plain text, as far as there is a key; how many."""
    key = server_key(store, create=True)
    if key is None:
        return 0
    with store.writing() as tx:
        plain = [hook for hook in tx.webhooks.all() if hook.secret and not is_sealed(hook.secret)]
        for hook in plain:
            tx.webhooks.set_secret(hook.id, seal(key, hook.secret))
    return len(plain)


def secret_of(store: Store, stored_secret: str) -> str:
    """The secret that the messages to an address are signed with."""
    if stored_secret and not is_sealed(stored_secret):
        return stored_secret
    key = server_key(store)
    secret = unseal(key, stored_secret) if key and stored_secret else None
    if secret is None:
        raise ValueError("the secret was sealed with another key: remove the address and add it again")
    return secret

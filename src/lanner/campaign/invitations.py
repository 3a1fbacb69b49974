"""Secret links: how judges come in. The store keeps only a hash of each.

A secret is made from a key that lies outside the store, so that an organiser can be shown a link again while whoever
has only the store, or a copy of it, has no link. The key is `LANNER_LINK_KEY`, or a file beside a SQLite store. Without
a key (PostgreSQL without the variable) secrets are chance and are shown once.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from collections.abc import Iterable
from datetime import datetime

from lanner.campaign.accounts import digest, server_key
from lanner.campaign.people import who_left
from lanner.campaign.states import Reference
from lanner.model import JudgeKind
from lanner.store import Participant, Store, Transaction
from lanner.store.rows import micros, now

SECRET_BYTES = 24
"""192 bits of chance: nobody finds a link by trying."""


def issue(
    store: Store, campaign: Reference, judge: str, *, account: int | None = None, at: datetime | None = None
) -> str:
    """A new secret for a judge. The one before it stops working, and so do the sessions it opened; only that is
    logged, not a first link."""
    return issue_many(store, campaign, [judge], account=account, at=at)[judge]


def issue_many(
    store: Store,
    campaign: Reference,
    judges: Iterable[str],
    *,
    account: int | None = None,
    at: datetime | None = None,
) -> dict[str, str]:
    """New secrets for several judges, some in each transaction, so that saves get their turn in between."""
    moment = at or now()
    key = server_key(store, create=True)
    names = list(dict.fromkeys(judges))
    issued: dict[str, str] = {}
    for start in range(0, len(names), _TOGETHER):
        with store.writing() as tx:
            entry = tx.campaigns.get(campaign)
            for judge in names[start : start + _TOGETHER]:
                mine = tx.judges.get(entry, judge)
                issued[judge] = _derive_secret(key, mine.number, moment) if key else secrets.token_urlsafe(SECRET_BYTES)
                tx.judges.set_link(mine.number, digest(issued[judge]), moment)
                tx.sessions.remove_of(judge=mine.number)
                if mine.has_link:
                    tx.events.add("link_issued", moment, campaign=mine.campaign, account=account, seat=mine.number)
    return issued


_TOGETHER = 20
"""Links that are made in one transaction."""


def current_secret(store: Store, campaign: Reference, judge: str) -> str | None:
    """The secret a judge has now; None if there is none that works, or if it was made without this key."""
    key = server_key(store)
    with store.reading() as tx:
        mine = tx.judges.get(tx.campaigns.get(campaign), judge)
        if key is None or mine.link_issued_at is None or mine.revoked_at is not None:
            return None
        secret = _derive_secret(key, mine.number, mine.link_issued_at)
        owner = tx.judges.by_link(digest(secret))
    return secret if owner is not None and owner.number == mine.number else None


def _derive_secret(key: bytes, number: int, at: datetime) -> str:
    mac = hmac.new(key, f"judge {number} at {micros(at)}".encode(), hashlib.sha256).digest()
    return base64.urlsafe_b64encode(mac[:SECRET_BYTES]).decode().rstrip("=")


def invited_people(store: Store, campaign: Reference) -> list[Participant]:
    """Everybody who judges by a link of their own. Who left is brought back by name alone."""
    with store.reading() as tx:
        number = tx.campaigns.get(campaign).id
        gone = who_left(tx, number)
        people = (entry for entry in tx.judges.all(number) if entry.judge.kind is JudgeKind.PERSON)
        return [entry for entry in people if entry.number not in gone]


def issue_all(store: Store, campaign: Reference, *, at: datetime | None = None) -> dict[str, str]:
    """A secret for every person of a campaign who has none yet, by judge."""
    names = [entry.judge.id for entry in invited_people(store, campaign) if not entry.has_link]
    return issue_many(store, campaign, names, at=at)


def lookup(store: Store, secret: str) -> Participant | None:
    """Whose link this is; None for a revoked one and for one that never was, which look the same."""
    with store.reading() as tx:
        return tx.judges.by_link(digest(secret))


def is_valid(secret: str, tx: Transaction) -> bool:
    """Whether this link still works."""
    return tx.judges.by_link(digest(secret)) is not None


def revoke(
    store: Store, campaign: Reference, judge: str, *, account: int | None = None, at: datetime | None = None
) -> None:
    """Let a link open nothing any more, and end the sessions it opened."""
    moment = at or now()
    with store.writing() as tx:
        mine = tx.judges.get(tx.campaigns.get(campaign), judge)
        tx.judges.revoke_link(mine.number, moment)
        tx.sessions.remove_of(judge=mine.number)
        tx.events.add("link_revoked", moment, campaign=mine.campaign, account=account, seat=mine.number)

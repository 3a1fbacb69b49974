"""Secret links: how judges come in. A link is shown once; only its hash is kept."""

from __future__ import annotations

import hashlib
import secrets
from datetime import datetime

from lanner.campaign.clock import now
from lanner.campaign.knowing import Reference, find, seat
from lanner.store import Seat, Store

SECRET_BYTES = 24
"""192 bits of chance: nobody finds a link by trying."""


def issue(store: Store, campaign: Reference, judge: str, *, at: datetime | None = None) -> str:
    """A new secret for a judge. The one before it stops working, and so do the sessions it opened."""
    secret = secrets.token_urlsafe(SECRET_BYTES)
    with store.writing() as tx:
        mine = seat(tx, find(tx, campaign), judge)
        tx.judges.set_link(mine.number, digest(secret), at or now())
        tx.sessions.remove_of(judge=mine.number)
    return secret


def issue_all(store: Store, campaign: Reference, *, at: datetime | None = None) -> dict[str, str]:
    """A secret for every person of a campaign who has none yet, by judge."""
    with store.reading() as tx:
        people = [entry for entry in tx.judges.all(find(tx, campaign).id) if entry.judge.kind == "person"]
    return {entry.judge.id: issue(store, campaign, entry.judge.id, at=at) for entry in people if not entry.has_link}


def lookup(store: Store, secret: str) -> Seat | None:
    """Whose link this is; None for a revoked one and for one that never was, which look the same."""
    with store.reading() as tx:
        return tx.judges.by_link(digest(secret))


def revoke(store: Store, campaign: Reference, judge: str, *, at: datetime | None = None) -> None:
    """Let a link open nothing any more, and end the sessions it opened."""
    with store.writing() as tx:
        mine = seat(tx, find(tx, campaign), judge)
        tx.judges.revoke_link(mine.number, at or now())
        tx.sessions.remove_of(judge=mine.number)


def digest(secret: str) -> str:
    """What is kept of a secret. It is random and long, so a plain hash is as good as a slow one."""
    return hashlib.sha256(secret.encode(errors="surrogatepass")).hexdigest()

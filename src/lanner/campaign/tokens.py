"""Tokens of the HTTP API: what each may do, and how one is issued. Only a token's hash is kept."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable
from datetime import UTC, datetime

from lanner.campaign.cache import find
from lanner.errors import LannerError, did_you_mean
from lanner.store import Store

SCOPES = {
    "campaigns": "see campaigns, their texts, tasks and progress",
    "judgements": "read judgements and exports, with judges under pseudonyms",
    "people": "read judges by the ids they were given",
    "write": "make campaigns, add judges, open and close, hand in answers",
    "metrics": "read the server's own numbers",
}
PREFIX = "lanner_"
_BYTES = 32


def issue(
    store: Store,
    name: str,
    scopes: Iterable[str],
    *,
    account: str | None = None,
    campaign: str | None = None,
    expires_at: datetime | None = None,
) -> tuple[int, str]:
    """A new token: its number, and the text that is shown once and kept nowhere."""
    names = list(scopes)
    if unknown := [scope for scope in names if scope not in SCOPES]:
        raise LannerError(f"There is no scope {unknown[0]!r}.", next_step=did_you_mean(unknown[0], SCOPES))
    text = PREFIX + secrets.token_urlsafe(_BYTES)
    with store.writing() as tx:
        owner = tx.accounts.find(account) if account is not None else None
        if account is not None and owner is None:
            known = [entry.name for entry in tx.accounts.all()]
            raise LannerError(f"There is no account {account!r}.", next_step=did_you_mean(account, known))
        number = tx.tokens.add(
            name,
            digest(text),
            names,
            datetime.now(UTC),
            account=owner.id if owner else None,
            campaign=find(tx, campaign).id if campaign is not None else None,
            expires_at=expires_at,
        )
    return number, text


def digest(text: str) -> str:
    """What is kept of a token. It is random and long, so a plain hash is as good as a slow one."""
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()

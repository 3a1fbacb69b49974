"""Programs that come with a token: who they act for and what they may do. Only a token's hash is kept."""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from starlette.exceptions import HTTPException
from starlette.requests import Request

from lanner.campaign.cache import find
from lanner.errors import LannerError, did_you_mean
from lanner.store import Account, AccountRole, Store
from lanner.store.tokens import Token

SCOPES = {
    "campaigns": "see campaigns, their texts, tasks and progress",
    "judgements": "read judgements and exports, with judges under pseudonyms",
    "people": "read judges by the ids they were given",
    "write": "make campaigns, add judges, open and close, hand in answers",
    "metrics": "read the server's own numbers",
}
PREFIX = "lanner_"
_BYTES = 32


@dataclass(frozen=True, slots=True)
class Caller:
    """A program: its token, and the account it acts for (None: the operator's own, who may do everything)."""

    token: Token
    account: Account | None
    renewable: bool = False

    @property
    def sees_all(self) -> bool:
        return self.account is None or self.account.role is AccountRole.OWNER

    def require(self, scope: str) -> None:
        """Refuse what the token is not for, or its account may not do."""
        if scope not in self.token.scopes:
            raise HTTPException(403, f"This token lacks the scope {scope!r}.")
        if scope == "write" and self.account is not None and self.account.role is AccountRole.VIEWER:
            raise HTTPException(403, "This token's account may look, not change.")


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
    wanted = list(scopes)
    if unknown := [scope for scope in wanted if scope not in SCOPES]:
        raise LannerError(f"There is no scope {unknown[0]!r}.", next_step=did_you_mean(unknown[0], SCOPES))
    text = PREFIX + secrets.token_urlsafe(_BYTES)
    with store.writing() as tx:
        owner = tx.accounts.find(account) if account is not None else None
        if account is not None and owner is None:
            raise LannerError(f"There is no account {account!r}.")
        about = find(tx, campaign) if campaign is not None else None
        number = tx.tokens.add(
            name,
            digest(text),
            wanted,
            datetime.now(UTC),
            account=owner.id if owner else None,
            campaign=about.id if about else None,
            expires_at=expires_at,
        )
    return number, text


def digest(text: str) -> str:
    """What is kept of a token. It is random and long, so a plain hash is as good as a slow one."""
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


async def caller_of(request: Request) -> Caller | None:
    """The program asking; None without a token that works. Wrong tokens are slowed down by address."""
    kind, _, text = request.headers.get("authorization", "").partition(" ")
    if kind.lower() != "bearer" or not text.startswith(PREFIX):
        return None
    site = request.app.state.site
    address = request.client.host if request.client else ""

    def look() -> Caller | None:
        now = datetime.now(UTC)
        with site.store.reading() as tx:
            token = tx.tokens.find(digest(text.strip()), now)
            if token is None:
                return None
            if token.account is None:
                return Caller(token, None)
            account = tx.accounts.numbered(token.account)
            return Caller(token, account) if account and account.disabled_at is None else None

    found: Caller | None = await site.read(look)
    if found is None and site.addresses.wait(f"token {address}", time.monotonic()):
        raise HTTPException(429)
    return found

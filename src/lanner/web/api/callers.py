"""Programs that come with a token: who they act for and what they may do."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, datetime

from starlette.exceptions import HTTPException
from starlette.requests import Request

from lanner.campaign.accounts import PREFIX, digest
from lanner.store import Account, AccountRole
from lanner.store.accounts import Token


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

    caller: Caller | None = await site.read(look)
    if caller is None and site.addresses.wait(f"token {address}", time.monotonic()):
        raise HTTPException(429)
    return caller

"""`lanner tokens`: what programs come with."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from lanner.campaign.tokens import issue
from lanner.cli._early_checks import unknown_number
from lanner.cli._output import Output, minute
from lanner.store import Store


def add(
    name: str,
    scopes: tuple[str, ...],
    account: str | None,
    campaign: str | None,
    days: int | None,
    store_place: str,
    as_json: bool,
) -> None:
    """Create a token."""
    output = Output("tokens add", as_json)
    expires = datetime.now(UTC) + timedelta(days=days) if days else None
    with Store.open(store_place, create=False) as store:
        number, text = issue(store, name, scopes, account=account, campaign=campaign, expires_at=expires)
    output.rows.append({"number": number, "name": name, "token": text})
    output.say(text)
    output.end()


def list_all(store_place: str, as_json: bool) -> None:
    """List tokens with their scopes and expiry dates."""
    output = Output("tokens list", as_json)
    with Store.open(store_place, create=False) as store, store.reading() as tx:
        rows = [
            {
                "number": token.id,
                "name": token.name,
                "scopes": list(token.scopes),
                "made": minute(token.created_at),
                "until": minute(token.expires_at),
                "revoked": minute(token.revoked_at),
            }
            for token in tx.tokens.all()
        ]
    output.table(rows, empty="There are no tokens yet. Make one: lanner tokens add NAME --scope judgements")
    output.end()


def revoke(number: int, store_place: str, as_json: bool) -> None:
    """Revoke a token at once."""
    output = Output("tokens revoke", as_json)
    with Store.open(store_place, create=False) as store, store.writing() as tx:
        if not tx.tokens.revoke(number, datetime.now(UTC)):
            raise unknown_number(number, "token")
    output.rows.append({"number": number})
    output.say(f"Token {number} works no more.")
    output.end()

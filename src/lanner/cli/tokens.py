"""`lanner tokens`: what programs come with."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import click

from lanner.campaign.tokens import SCOPES, issue
from lanner.cli._options import store_option
from lanner.cli._output import Output, json_option, minute
from lanner.errors import LannerError
from lanner.store import Store


@click.group("tokens", short_help="Manage API tokens.")
def command() -> None:
    """Manage tokens for the HTTP API.

    Example: lanner tokens list
    """


@command.command("add", short_help="Create a token; it is shown only once.")
@click.argument("name")
@click.option(
    "--scope", "scopes", multiple=True, type=click.Choice(list(SCOPES)), help="Scope of the token; repeatable."
)
@click.option("--account", help="Limit it to what this account can see (default: everything).")
@click.option("--campaign", help="Only this campaign.")
@click.option("--days", type=click.IntRange(1), help="Days until it expires (default: never).")
@store_option
@json_option
def add(
    name: str,
    scopes: tuple[str, ...],
    account: str | None,
    campaign: str | None,
    days: int | None,
    store_place: str,
    as_json: bool,
) -> None:
    """Create a token. It is shown only once: the store keeps only its hash.

    Example: lanner tokens add nightly --scope judgements --campaign pilot --days 90
    """
    output = Output("tokens add", as_json)
    if not scopes:
        meanings = "; ".join(f"{scope}: {meaning}" for scope, meaning in SCOPES.items())
        raise LannerError("A token needs at least one scope.", next_step=f"--scope with one of: {meanings}.")
    expires = datetime.now(UTC) + timedelta(days=days) if days else None
    with Store.open(store_place, create=False) as store:
        number, text = issue(store, name, scopes, account=account, campaign=campaign, expires_at=expires)
    output.rows.append({"number": number, "name": name, "token": text})
    output.say(text)
    output.end()


@command.command("list", short_help="List tokens.")
@store_option
@json_option
def list_all(store_place: str, as_json: bool) -> None:
    """List tokens with their scopes and expiry dates.

    Example: lanner tokens list
    """
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


@command.command("revoke", short_help="Revoke a token.")
@click.argument("number", type=click.IntRange(1, 2**63 - 1))
@store_option
@json_option
def revoke(number: int, store_place: str, as_json: bool) -> None:
    """Revoke a token at once.

    Example: lanner tokens revoke 3
    """
    output = Output("tokens revoke", as_json)
    with Store.open(store_place, create=False) as store, store.writing() as tx:
        if not tx.tokens.revoke(number, datetime.now(UTC)):
            raise LannerError(f"There is no token {number} that works.", next_step="`lanner tokens list` shows them.")
    output.rows.append({"number": number})
    output.say(f"Token {number} works no more.")
    output.end()

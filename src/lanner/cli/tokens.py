"""`lanner tokens`: what programs come with."""

from __future__ import annotations

from typing import Any

import click

from lanner.cli._early_checks import refuse_missing_store, refuse_unknown_campaign, refuse_unknown_number
from lanner.cli._options import implementation, store_option
from lanner.cli._output import json_option

SCOPES = ["campaigns", "judgements", "people", "write", "metrics"]


@click.group("tokens", short_help="Manage API tokens.")
def command() -> None:
    """Manage tokens for the HTTP API.

    Example: lanner tokens list
    """


@command.command("add", short_help="Create a token; it is shown only once.")
@click.argument("name")
@click.option(
    "--scope", "scopes", multiple=True, required=True, type=click.Choice(SCOPES), help="Scope of the token; repeatable."
)
@click.option("--account", help="Limit it to what this account can see (default: everything).")
@click.option("--campaign", help="Only this campaign.")
@click.option("--days", type=click.IntRange(1), help="Days until it expires (default: never).")
@store_option
@json_option
def add(**options: Any) -> None:
    """Create a token. It is shown only once: the store keeps only its hash.

    Example: lanner tokens add nightly --scope judgements --campaign pilot --days 90
    """
    refuse_missing_store(options["store_place"])
    if options["campaign"]:
        refuse_unknown_campaign(options["campaign"], options["store_place"])
    implementation("_tokens").add(**options)


@command.command("list", short_help="List tokens.")
@store_option
@json_option
def list_all(**options: Any) -> None:
    """List tokens with their scopes and expiry dates.

    Example: lanner tokens list
    """
    refuse_missing_store(options["store_place"])
    implementation("_tokens").list_all(**options)


@command.command("revoke", short_help="Revoke a token.")
@click.argument("number", type=click.IntRange(1, 2**63 - 1))
@store_option
@json_option
def revoke(**options: Any) -> None:
    """Revoke a token at once.

    Example: lanner tokens revoke 3
    """
    refuse_unknown_number(options["number"], options["store_place"], "token")
    implementation("_tokens").revoke(**options)

"""`lanner accounts`: who may organise: owners, organisers, viewers."""

from __future__ import annotations

from typing import Any

import click

from lanner.cli._early_checks import refuse_missing_store, refuse_unknown_account
from lanner.cli._options import implementation, store_option
from lanner.cli._output import json_option

ROLES = click.Choice(["owner", "organiser", "viewer"])


@click.group("accounts", short_help="Manage organiser accounts: owners, organisers, viewers.")
def command() -> None:
    """Manage the accounts of organisers. Judges have none: they use their links.

    Example: lanner accounts list
    """


@command.command("list", short_help="List accounts.")
@store_option
@json_option
def list_all(**options: Any) -> None:
    """List accounts with their roles and campaigns.

    Example: lanner accounts list
    """
    refuse_missing_store(options["store_place"])
    implementation("_accounts").list_all(**options)


@command.command("add", short_help="Add an account.")
@click.argument("name")
@click.option(
    "--role",
    type=ROLES,
    default="organiser",
    show_default=True,
    help="owner: everything; organiser: run campaigns; viewer: read only.",
)
@click.option("--campaigns", default="", metavar="NAMES", help="Campaigns the account can see, comma-separated.")
@store_option
@json_option
def add(**options: Any) -> None:
    """Add an account. The password is prompted for or read from standard input, never given on the command line.

    Example: lanner accounts add Olga --role owner
    """
    implementation("_accounts").add(**options)


@command.command("change", short_help="Change role, campaigns or password, or disable an account.")
@click.argument("name")
@click.option("--role", type=ROLES, help="The new role.")
@click.option("--campaigns", metavar="NAMES", help="The only campaigns the account can see, comma-separated.")
@click.option(
    "--password", "new_password", is_flag=True, help="Set a new password, prompted for or read from standard input."
)
@click.option("--off", is_flag=True, help="Disable the account.")
@store_option
@json_option
def change(**options: Any) -> None:
    """Change an account. The last owner cannot be demoted. A new password, or disabling the account, ends its sessions.

    Example: lanner accounts change Olga --role viewer --campaigns pilot
    """
    refuse_unknown_account(options["name"], options["store_place"])
    implementation("_accounts").change(**options)

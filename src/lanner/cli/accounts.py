"""`lanner accounts`: who may organise: owners, organisers, viewers."""

from __future__ import annotations

import sys

import click

from lanner.campaign import accounts
from lanner.campaign.cache import find
from lanner.cli._options import names, store_option
from lanner.cli._output import Output, json_option, minute
from lanner.errors import LannerError, did_you_mean
from lanner.store import Account, AccountRole, Store, Transaction

ROLES = click.Choice([role.value for role in AccountRole])


@click.group("accounts", short_help="Manage organiser accounts: owners, organisers, viewers.")
def command() -> None:
    """Manage the accounts of organisers. Judges have none: they use their links.

    Example: lanner accounts list
    """


@command.command("list", short_help="List accounts.")
@store_option
@json_option
def list_all(store_place: str, as_json: bool) -> None:
    """List accounts with their roles and campaigns.

    Example: lanner accounts list
    """
    output = Output("accounts list", as_json)
    with Store.open(store_place, create=False) as store, store.reading() as tx:
        rows = [
            {
                "name": account.name,
                "role": account.role.value,
                "campaigns": ["all"]
                if account.role is AccountRole.OWNER
                else [entry.name for entry in tx.campaigns.of_account(account.id)],
                "off": minute(account.disabled_at),
            }
            for account in tx.accounts.all()
        ]
    output.table(rows, empty="There are no accounts yet. Make one: lanner accounts add NAME --role owner")
    output.end()


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
def add(name: str, role: str, campaigns: str, store_place: str, as_json: bool) -> None:
    """Add an account. The password is prompted for or read from standard input, never given on the command line.

    Example: lanner accounts add Olga --role owner
    """
    output = Output("accounts add", as_json)
    password = _password()
    with Store.open(store_place) as store:
        accounts.add_account(store, name, password, AccountRole(role))
        with store.writing() as tx:
            accounts.set_campaigns(tx, _account(tx, name), _campaign_ids(tx, campaigns))
    output.rows.append({"name": name, "role": role})
    output.say(f"{name} can sign in as {role}.")
    output.end()


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
def change(
    name: str,
    role: str | None,
    campaigns: str | None,
    new_password: bool,
    off: bool,
    store_place: str,
    as_json: bool,
) -> None:
    """Change an account. The last owner cannot be demoted. A new password, or disabling the account, ends its sessions.

    Example: lanner accounts change Olga --role viewer --campaigns pilot
    """
    output = Output("accounts change", as_json)
    secret = accounts.hash_password(_password()) if new_password else ""
    with Store.open(store_place, create=False) as store, store.writing() as tx:
        account = _account(tx, name)
        if role is not None:
            accounts.set_role(tx, account, AccountRole(role))
        if campaigns is not None:
            accounts.set_campaigns(tx, account, _campaign_ids(tx, campaigns))
        if secret:
            tx.accounts.set_password(account.id, secret)
            tx.sessions.remove_of(account=account.id)
        if off:
            accounts.disable(tx, account)
    output.rows.append({"name": name})
    output.say(f"{name} was changed.")
    output.end()


def _password() -> str:
    if sys.stdin.isatty():
        return str(click.prompt("Password", hide_input=True, confirmation_prompt=True, err=True))
    return sys.stdin.readline().rstrip("\n")


def _account(tx: Transaction, name: str) -> Account:
    account = tx.accounts.find(name)
    if account is None:
        hint = did_you_mean(name, [account.name for account in tx.accounts.all()])
        raise LannerError(f"There is no account {name!r}.", next_step=hint or "`lanner accounts list` shows them.")
    return account


def _campaign_ids(tx: Transaction, text: str) -> set[int]:
    return {find(tx, name).id for name in names(text)}

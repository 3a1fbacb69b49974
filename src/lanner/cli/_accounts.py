"""`lanner accounts`: who may organise: owners, organisers, viewers."""

from __future__ import annotations

import sys

import click

from lanner.campaign import accounts
from lanner.campaign.cache import find
from lanner.cli._early_checks import unknown_account
from lanner.cli._options import names
from lanner.cli._output import Output, minute
from lanner.store import Account, AccountRole, Store, Transaction


def list_all(store_place: str, as_json: bool) -> None:
    """List accounts with their roles and campaigns."""
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


def add(name: str, role: str, campaigns: str, store_place: str, as_json: bool) -> None:
    """Add an account."""
    output = Output("accounts add", as_json)
    password = _password()
    with Store.open(store_place) as store:
        accounts.add_account(store, name, password, AccountRole(role))
        with store.writing() as tx:
            accounts.set_campaigns(tx, _account(tx, name), _campaign_ids(tx, campaigns))
    output.rows.append({"name": name, "role": role})
    output.say(f"{name} can sign in as {role}.")
    output.end()


def change(
    name: str,
    role: str | None,
    campaigns: str | None,
    new_password: bool,
    off: bool,
    store_place: str,
    as_json: bool,
) -> None:
    """Change an account."""
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
        raise unknown_account(name, [account.name for account in tx.accounts.all()])
    return account


def _campaign_ids(tx: Transaction, text: str) -> set[int]:
    return {find(tx, name).id for name in names(text)}

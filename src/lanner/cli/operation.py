"""`lanner serve`, `backup`, `restore` and `verify`: run a server, and keep its store safe; `accounts`, `tokens` and
`webhooks`: who may use it, and which programs it serves and notifies."""

from __future__ import annotations

import secrets
import shlex
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click

from lanner.campaign import accounts
from lanner.campaign.accounts import issue
from lanner.campaign.webhooks import EVENTS, add_webhook, refuse_address
from lanner.cli.early_checks import names, unknown_account, unknown_number
from lanner.cli.output import Output, minute
from lanner.errors import StoreError, Where
from lanner.model.messages import in_number
from lanner.store import Account, AccountRole, Store, Transaction
from lanner.store.backup import backup, name_at, prune, restore, verify, verify_file
from lanner.store.campaign_copies import bring_back

# `lanner serve`: the judging page and the organiser's pages, on this machine unless told otherwise.


def serve_pages(
    output: Output,
    host: str,
    port: int,
    public_url: str,
    hosts: tuple[str, ...],
    root_path: str,
    trusted_proxies: str,
    hours: float,
    folder: Path | None,
    keep: int,
    level: str,
    webhooks_inside: bool,
    model_servers: tuple[str, ...],
    store_place: str,
) -> None:
    """Serve until Ctrl+C."""
    from lanner.web.server import ServerSettings, begin_log, serve

    begin_log(level)
    with Store.open(store_place) as store:
        for warning in store.durability():
            output.say(f"Warning: {warning}", style="bold red")
        with store.reading() as tx:
            first = tx.accounts.count_owners() == 0
        code = secrets.token_urlsafe(9) if first else ""
        address = public_url or f"http://{host}:{port}{root_path}"
        output.say(f"Lanner serves {store.place} at {address}", style="bold")
        if first:
            output.say(f"First organiser: {address}/setup?code={code}")
        settings = ServerSettings(
            setup_code=code,
            backup_hours=hours,
            backups=folder,
            backup_keep=keep,
            tell_inside=webhooks_inside,
            model_servers=model_servers,
            public_url=public_url,
        )
        try:
            output.say(
                "Judges use their own links. Stop with Ctrl+C; every answer is on disk before it is acknowledged."
            )
            serve(
                store,
                host,
                port,
                settings=settings,
                root_path=root_path,
                trusted_proxies=trusted_proxies,
                hosts=hosts,
            )
        except KeyboardInterrupt:  # how a server is stopped, and no mistake
            output.say_stopped("Every answer that was acknowledged is on disk.")


# `lanner backup`: a copy of the whole store, made while it is in use and read back before it counts.


def backup_store(output: Output, store: Store, out: Path | None, folder: Path, keep: int) -> None:
    """Copy the store, SQLite or PostgreSQL, to one SQLite file, consistent as of one moment."""
    copy = backup(store, out or folder / name_at(datetime.now(UTC)))
    removals = prune(folder, keep) if keep and out is None else []
    output.rows.append(
        {
            "file": str(copy.path),
            "rows": copy.rows,
            "bytes": copy.path.stat().st_size,
            "judgements": copy.contents["judgement"].rows,
            "deleted": [str(path) for path in removals],
        }
    )
    number = copy.contents["judgement"].rows
    output.say(
        in_number(
            number,
            "{path}: {n} judgement, {rows} rows in all; read back and found the same as the store.",
            "{path}: {n} judgements, {rows} rows in all; read back and found the same as the store.",
            path=copy.path,
            rows=f"{copy.rows:,}",
        )
    )
    output.say(f"Restore with: lanner restore {shlex.quote(str(copy.path))} --store NEW")
    for problem in copy.problems:
        output.note(f"Wrong in the store already, and copied as it is: {problem}")


# `lanner restore`: a new store from a copy that `lanner backup` made.


def restore_store(output: Output, copy: Path, name: str, store_place: str) -> None:
    """Restore a backup to a new SQLite file or an empty PostgreSQL database, and verify every row; or bring one
    campaign of it back into a store in use."""
    if name:
        campaign, problems = bring_back(copy, name, store_place)
        output.rows.append({"name": campaign.name, "state": campaign.state.value})
        output.say(f"{campaign.name} is back, {campaign.state} as it was, with every row as in the copy.")
        output.say("Its webhooks and the tokens for it alone do not come back: make them anew.")
        for problem in problems:
            output.note(f"Wrong in the copy already, and brought back as it is: {problem}")
        return
    summary = restore(copy, store_place)
    output.rows.append({"rows": summary.rows, "judgements": summary.contents["judgement"].rows})
    output.say(
        f"{summary.contents['judgement'].rows:,} judgements, {summary.rows:,} rows in all, the same as in the backup."
    )
    output.say("Links that were revoked after the backup work again: revoke them once more.")
    for problem in summary.problems:
        output.note(f"Wrong in the store already, and copied as it is: {problem}")


# `lanner verify`: whether a store or a backup is whole.


def verify_store(output: Output, copy: Path | None, published: str | None, store_place: str) -> None:
    """Check the database of a store or a backup, and its invariants. Changes nothing."""
    if copy is not None:
        findings, place = verify_file(copy, published), str(copy)
    else:
        with Store.open(store_place, create=False) as store:
            findings, place = verify(store, published), store.place
            output.note(*store.durability())
    output.table([{"check": entry.check, "found": "; ".join(entry.problems) or "whole"} for entry in findings])
    findings_with_problems = [entry for entry in findings if entry.problems]
    if findings_with_problems:
        output.end()
        raise StoreError(
            f"{len(findings_with_problems)} of {len(findings)} checks found something wrong.",
            where=Where(file=place),
            next_step="Keep this file, and restore the newest backup that `lanner verify BACKUP` finds whole.",
        )


# `lanner accounts`: who may organise: owners, organisers, viewers.


def list_accounts(output: Output, store: Store) -> None:
    """List accounts with their roles and campaigns."""
    with store.reading() as tx:
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


def add_account(output: Output, name: str, role: str, campaigns: str, store_place: str) -> None:
    """Add an account."""
    password = _password()
    with Store.open(store_place) as store:
        accounts.add_account(store, name, password, AccountRole(role))
        with store.writing() as tx:
            accounts.set_campaigns(tx, _account(tx, name), _campaign_ids(tx, campaigns))
    output.rows.append({"name": name, "role": role})
    output.say(f"{name} can sign in as {role}.")


def change_account(
    output: Output, store: Store, name: str, role: str | None, campaigns: str | None, new_password: bool, off: bool
) -> None:
    """Change an account."""
    secret = accounts.hash_password(_password()) if new_password else ""
    with store.writing() as tx:
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
    return {tx.campaigns.get(name).id for name in names(text)}


# `lanner tokens`: what programs come with.


def add_token(
    output: Output,
    store: Store,
    name: str,
    scopes: tuple[str, ...],
    account: str | None,
    campaign: str | None,
    days: int | None,
) -> None:
    """Create a token."""
    expires = datetime.now(UTC) + timedelta(days=days) if days else None
    number, text = issue(store, name, scopes, account=account, campaign=campaign, expires_at=expires)
    output.rows.append({"number": number, "name": name, "token": text})
    output.say(text)


def list_tokens(output: Output, store: Store) -> None:
    """List tokens with their scopes and expiry dates."""
    with store.reading() as tx:
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


def revoke_token(output: Output, store: Store, number: int) -> None:
    """Revoke a token at once."""
    with store.writing() as tx:
        if not tx.tokens.revoke(number, datetime.now(UTC)):
            raise unknown_number(number, "token")
    output.rows.append({"number": number})
    output.say(f"Token {number} works no more.")


# `lanner webhooks`: webhooks for finished tasks and campaigns.


def subscribe(output: Output, store: Store, url: str, events: tuple[str, ...], campaign: str | None) -> None:
    """Add a webhook."""
    refuse_address(url)
    with store.reading() as tx:
        about = tx.campaigns.get(campaign).id if campaign else None
    number, secret = add_webhook(store, url, events or EVENTS, about)
    output.rows.append({"number": number, "url": url, "secret": secret})
    output.say(f"{url} is a webhook now. Its signing secret: {secret}")


def list_webhooks(output: Output, store: Store) -> None:
    """List webhooks and what could not be delivered so far."""
    with store.reading() as tx:
        rows = [{"number": hook.id, "url": hook.url, "events": list(hook.events)} for hook in tx.webhooks.all()]
        waiting = tx.webhooks.waiting()
    output.table(rows, empty="Nobody is told anything yet. Tell an address: lanner webhooks add URL")
    for event, attempts, problem in waiting:
        output.note(f"not arrived: {event}, tried {attempts} times{f' ({problem})' if problem else ''}")


def unsubscribe(output: Output, store: Store, number: int) -> None:
    """Remove a webhook."""
    with store.writing() as tx:
        if not tx.webhooks.remove(number, datetime.now(UTC)):
            raise unknown_number(number, "webhook")
    output.rows.append({"number": number})
    output.say(f"Webhook {number} is removed.")

"""Declarations of the commands that operate a server: who may do what, copies of the store, webhooks."""

from __future__ import annotations

from typing import Any

import click

from lanner.cli import PATH, Group, answer, answer_from_store, json_option, refuse_unused, store_option
from lanner.cli.early_checks import refuse_unknown_account, refuse_unknown_campaign, refuse_unknown_number

ROLES = click.Choice(["owner", "organiser", "viewer"])


@click.group("accounts", cls=Group, short_help="Manage organiser accounts: owners, organisers, viewers.")
def accounts() -> None:
    """Manage the accounts of organisers. Judges have none: they use their links.

    Example: lanner accounts list
    """


@accounts.command("list", short_help="List accounts.")
@store_option
@json_option
def accounts_list(**options: Any) -> None:
    """List accounts with their roles and campaigns.

    Example: lanner accounts list
    """
    answer_from_store("operation.list_accounts", options)


@accounts.command("add", short_help="Add an account.")
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
def accounts_add(**options: Any) -> None:
    """Add an account. The password is prompted for or read from standard input, never given on the command line.

    Example: lanner accounts add Olga --role owner
    """
    answer("operation.add_account", options)


@accounts.command("change", short_help="Change role, campaigns or password, or disable an account.")
@click.argument("name")
@click.option("--role", type=ROLES, help="The new role.")
@click.option("--campaigns", metavar="NAMES", help="The only campaigns the account can see, comma-separated.")
@click.option(
    "--password", "new_password", is_flag=True, help="Set a new password, prompted for or read from standard input."
)
@click.option("--off", is_flag=True, help="Disable the account.")
@store_option
@json_option
def accounts_change(**options: Any) -> None:
    """Change an account. The last owner cannot be demoted. A new password, or disabling the account, ends its sessions.

    Example: lanner accounts change Olga --role viewer --campaigns pilot
    """
    refuse_unknown_account(options["name"], options["store_place"])
    answer_from_store("operation.change_account", options)


SCOPES = ["campaigns", "judgements", "people", "write", "metrics"]


@click.group("tokens", cls=Group, short_help="Manage API tokens.")
def tokens() -> None:
    """Manage tokens for the HTTP API.

    Example: lanner tokens list
    """


@tokens.command("add", short_help="Create a token; it is shown only once.")
@click.argument("name")
@click.option(
    "--scope", "scopes", multiple=True, required=True, type=click.Choice(SCOPES), help="Scope of the token; repeatable."
)
@click.option("--account", help="Limit it to what this account can see (default: everything).")
@click.option("--campaign", help="Only this campaign.")
@click.option("--days", type=click.IntRange(1, 36_500), help="Days until it expires (default: never).")
@store_option
@json_option
def tokens_add(**options: Any) -> None:
    """Create a token. It is shown only once: the store keeps only its hash.

    Example: lanner tokens add nightly --scope judgements --campaign pilot --days 90
    """
    if options["campaign"]:
        refuse_unknown_campaign(options["campaign"], options["store_place"])
    answer_from_store("operation.add_token", options)


@tokens.command("list", short_help="List tokens.")
@store_option
@json_option
def tokens_list(**options: Any) -> None:
    """List tokens with their scopes and expiry dates.

    Example: lanner tokens list
    """
    answer_from_store("operation.list_tokens", options)


@tokens.command("revoke", short_help="Revoke a token.")
@click.argument("number", type=click.IntRange(1, 2**63 - 1))
@store_option
@json_option
def tokens_revoke(**options: Any) -> None:
    """Revoke a token at once.

    Example: lanner tokens revoke 3
    """
    refuse_unknown_number(options["number"], options["store_place"], "token")
    answer_from_store("operation.revoke_token", options)


EVENTS = ["task.finished", "campaign.finished"]


@click.group("webhooks", cls=Group, short_help="Manage webhooks for finished tasks and campaigns.")
def webhooks() -> None:
    """Manage webhooks, which are called when a task or campaign is finished.

    Example: lanner webhooks list
    """


@webhooks.command("add", short_help="Add a webhook.")
@click.argument("url")
@click.option("--event", "events", multiple=True, type=click.Choice(EVENTS), help="Only this event; repeatable.")
@click.option("--campaign", help="Only this campaign.")
@store_option
@json_option
def webhooks_add(**options: Any) -> None:
    """Add a webhook. The secret that signs its messages is shown only once.

    Example: lanner webhooks add https://example.org/lanner --campaign pilot --event campaign.finished
    """
    if options["campaign"]:
        refuse_unknown_campaign(options["campaign"], options["store_place"])
    answer_from_store("operation.subscribe", options)


@webhooks.command("list", short_help="List webhooks and failed deliveries.")
@store_option
@json_option
def webhooks_list(**options: Any) -> None:
    """List webhooks and what could not be delivered so far.

    Example: lanner webhooks list
    """
    answer_from_store("operation.list_webhooks", options)


@webhooks.command("remove", short_help="Remove a webhook.")
@click.argument("number", type=click.IntRange(1, 2**63 - 1))
@store_option
@json_option
def webhooks_remove(**options: Any) -> None:
    """Remove a webhook. Undelivered messages are dropped.

    Example: lanner webhooks remove 2
    """
    refuse_unknown_number(options["number"], options["store_place"], "webhook")
    answer_from_store("operation.unsubscribe", options)


@click.command("backup", short_help="Back up the store while judges work, and verify the copy.")
@click.option("--out", type=PATH, help="Output file (default: a new file in --folder).")
@click.option("--folder", type=PATH, default="lanner-backups", show_default=True, help="Folder for backups.")
@click.option(
    "--keep", type=click.IntRange(0), default=0, help="Keep only this many of the newest backups in the folder."
)
@store_option
@json_option
def backup(**options: Any) -> None:
    """Copy the store, SQLite or PostgreSQL, to one SQLite file, consistent as of one moment. Judges can keep working.
    The file appears only after it has been read back and every row matches.

    Example: lanner backup --folder safe --keep 14
    """
    if options["out"]:
        refuse_unused("with --out", "--folder", "--keep")
    answer_from_store("operation.backup_store", options)


@click.command("restore", short_help="Restore a store from a backup.")
@click.argument("copy", metavar="BACKUP", type=PATH)
@click.option(
    "--campaign", "name", default="", help="Only this campaign, into a store in use: one that was deleted comes back."
)
@store_option
@json_option
def restore(**options: Any) -> None:
    """Restore a backup to a new SQLite file or an empty PostgreSQL database, and verify every row. A store that is not
    empty is never overwritten. Everyone has to sign in again; judges' links keep working. With --campaign, one campaign
    of a backup, or of the copy that `lanner campaign delete` keeps, comes back into a store in use.

    Example: lanner restore lanner-backups/lanner-20260301T120000Z.sqlite --store postgresql://localhost/lanner
    """
    answer("operation.restore_store", options)


@click.command("verify", short_help="Check the integrity of a store or a backup.")
@click.argument("copy", metavar="[BACKUP]", required=False, type=PATH)
@click.option(
    "--chain", "published", metavar="HASH", help="Also check that this hash, from an export, is in the chain."
)
@store_option
@json_option
def verify(**options: Any) -> None:
    """Check the database and its invariants: references resolve, revisions form chains, saves are complete, texts and
    protocols are unchanged, and judgements match the hash chain. Judges, assignments, control items, settings and log
    have no hash and are not covered. Changes nothing.

    Example: lanner verify
    """
    answer("operation.verify_store", options)

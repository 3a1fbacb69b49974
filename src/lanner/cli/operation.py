"""`lanner serve`, `backup`, `restore` and `verify`: run a server, and keep its store safe."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime
from pathlib import Path

from lanner.cli.output import Output
from lanner.errors import StoreError, Where
from lanner.model.messages import in_number
from lanner.store import Store
from lanner.store.backup import backup, name_at, prune, restore, verify, verify_file
from lanner.web.server import Settings, begin_log, serve

# `lanner serve`: the judging page and the organiser's pages, on this machine unless told otherwise.


def serve_pages(
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
    """Serve until Ctrl+C. On first use it prints a link for the first organiser to sign up. Logs go to standard error,
    one JSON object per line, without names, addresses or secrets."""
    output = Output("serve")
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
        settings = Settings(
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
            output.say("Stopped. Every answer that was acknowledged is on disk.")


# `lanner backup`: a copy of the whole store, made while it is in use and read back before it counts.


def backup_store(out: Path | None, folder: Path, keep: int, store_place: str, as_json: bool) -> None:
    """Copy the store, SQLite or PostgreSQL, to one SQLite file, consistent as of one moment. Judges can keep working.
    The file appears only after it has been read back and every row matches."""
    output = Output("backup", as_json)
    with Store.open(store_place, create=False) as store:
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
    output.say(f"Restore with: lanner restore {copy.path} --store NEW")
    for problem in copy.problems:
        output.note(f"Wrong in the store already, and copied as it is: {problem}")
    output.end()


# `lanner restore`: a new store from a copy that `lanner backup` made.


def restore_store(copy: Path, store_place: str, as_json: bool) -> None:
    """Restore a backup to a new SQLite file or an empty PostgreSQL database, and verify every row. A store that is not
    empty is never overwritten. Everyone has to sign in again; judges' links keep working."""
    output = Output("restore", as_json)
    summary = restore(copy, store_place)
    output.rows.append({"rows": summary.rows, "judgements": summary.contents["judgement"].rows})
    output.say(
        f"{summary.contents['judgement'].rows:,} judgements, {summary.rows:,} rows in all, the same as in the backup."
    )
    output.say("Links that were revoked after the backup work again: revoke them once more.")
    for problem in summary.problems:
        output.note(f"Wrong in the store already, and copied as it is: {problem}")
    output.end()


# `lanner verify`: whether a store or a backup is whole.


def verify_store(copy: Path | None, published: str | None, store_place: str, as_json: bool) -> None:
    """Check the database and its invariants: references resolve, revisions form chains, saves are complete, texts and
    protocols are unchanged, and judgements match the hash chain. Changes nothing."""
    output = Output("verify", as_json)
    if copy is not None:
        findings, place = verify_file(copy, published), str(copy)
    else:
        with Store.open(store_place, create=False) as store:
            findings, place = verify(store, published), store.place
            for warning in store.durability():
                output.note(warning)
    output.table([{"check": entry.check, "found": "; ".join(entry.problems) or "whole"} for entry in findings])
    output.end()
    findings_with_problems = [entry for entry in findings if entry.problems]
    if findings_with_problems:
        raise StoreError(
            f"{len(findings_with_problems)} of {len(findings)} checks found something wrong.",
            where=Where(file=place),
            next_step="Keep this file, and restore the newest backup that `lanner verify BACKUP` finds whole.",
        )

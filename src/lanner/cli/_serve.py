"""`lanner serve`: the judging page and the organiser's pages, on this machine unless told otherwise."""

from __future__ import annotations

import secrets
from pathlib import Path

from lanner.cli._output import Output
from lanner.store import Store
from lanner.web.server import Settings, begin_log, serve


def run(
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

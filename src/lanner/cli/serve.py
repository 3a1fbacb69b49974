"""`lanner serve`: the judging page and the organiser's pages, on this machine unless told otherwise."""

from __future__ import annotations

import secrets
from pathlib import Path
from urllib.parse import urlsplit

import click

from lanner.cli._options import PORT, store_option
from lanner.cli._output import Output
from lanner.errors import LannerError
from lanner.store import Store
from lanner.web.server import LOG_LEVELS, Settings, begin_log, check_public_url, is_free, is_own, serve


@click.command("serve", short_help="Serve the judging and organiser's pages.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to bind; 0.0.0.0 accepts other machines.")
@click.option("--port", type=PORT, default=8000, show_default=True, help="Port.")
@click.option("--public-url", default="", help="Public address of the server, for judges' links.")
@click.option(
    "--allowed-host", "hosts", multiple=True, metavar="NAME", help="Host name that the server accepts; repeatable."
)
@click.option("--root-path", default="", help="URL prefix, behind a proxy.")
@click.option(
    "--trusted-proxies", default="127.0.0.1", show_default=True, help="Proxies whose forwarded headers are trusted."
)
@click.option(
    "--backup-every", "hours", type=click.FloatRange(0), default=0.0, help="Hours between backups (0: never)."
)
@click.option(
    "--backup-folder",
    "folder",
    type=click.Path(path_type=Path),
    help="Folder for backups (default: next to the store).",
)
@click.option(
    "--backup-keep", "keep", type=click.IntRange(1), default=14, show_default=True, help="Number of backups to keep."
)
@click.option(
    "--log",
    "level",
    type=click.Choice(list(LOG_LEVELS)),
    default="problems",
    show_default=True,
    help="Log level.",
)
@click.option("--webhooks-inside", is_flag=True, help="Allow webhooks to addresses in the local network.")
@click.option(
    "--model-server",
    "model_servers",
    multiple=True,
    metavar="URL",
    help="Allow owners to run models of this server from a page; repeatable.",
)
@store_option
def command(
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
    one JSON object per line, without names, addresses or secrets.

    Example: lanner serve --port 8080 --public-url https://judge.example.org --backup-every 24
    """
    output = Output("serve")
    if public_url:
        public_url = check_public_url(public_url)
        root_path = root_path or urlsplit(public_url).path
    if not is_own(host):
        raise LannerError(
            f"{host[:200]!r} is no address of this machine.",
            next_step="Use 127.0.0.1 (only this machine), or 0.0.0.0 (other machines too).",
        )
    if not is_free(host, port):
        raise LannerError(
            f"Port {port} is taken.",
            next_step=f"Stop what runs there (a demo?), or choose another: lanner serve --port {port + 1}\n"
            "Judges' links name a port, too: `lanner links CAMPAIGN --base-url …` makes new ones.",
        )
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

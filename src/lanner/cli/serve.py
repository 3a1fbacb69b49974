"""`lanner serve`: the judging page and the organiser's pages, on this machine unless told otherwise."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click

from lanner.cli._options import PORT, implementation, store_option
from lanner.errors import LannerError
from lanner.web.addresses import check_public_url, is_free, is_own

LOG_LEVELS = ("off", "problems", "all")


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
    type=click.Choice(LOG_LEVELS),
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
def command(host: str, port: int, public_url: str, root_path: str, **options: Any) -> None:
    """Serve until Ctrl+C. On first use it prints a link for the first organiser to sign up. Logs go to standard error,
    one JSON object per line, without names, addresses or secrets.

    Example: lanner serve --port 8080 --public-url https://judge.example.org --backup-every 24
    """
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
    implementation("_serve").run(host, port, public_url, root_path=root_path, **options)

"""`lanner serve`: the judging page and the organiser's pages, on this machine unless told otherwise."""

from __future__ import annotations

import secrets

import click

from lanner.cli._output import Output
from lanner.cli._source import store_option
from lanner.errors import LannerError
from lanner.store import Store
from lanner.web.app import serve
from lanner.web.ports import is_free
from lanner.web.site import Settings


@click.command("serve", short_help="Serve the judging page and the organiser's pages.")
@click.option("--host", default="127.0.0.1", show_default=True)
@click.option("--port", default=8000, show_default=True)
@click.option("--root-path", default="", help="The path under which a proxy serves it.")
@click.option("--trusted-proxies", default="127.0.0.1", show_default=True, help="Whose forwarded headers count.")
@store_option
def command(host: str, port: int, root_path: str, trusted_proxies: str, store_place: str) -> None:
    """Serve until Ctrl+C. The first time, it prints a code with which the first organiser signs up.

    Example: lanner serve --port 8080
    """
    output = Output("serve")
    if not is_free(host, port):
        raise LannerError(f"Port {port} is taken.", next_step=f"Choose another: lanner serve --port {port + 1}")
    with Store.open(store_place) as store:
        with store.reading() as found:
            first = found.accounts.count() == 0
        code = secrets.token_urlsafe(9) if first else ""
        address = f"http://{host}:{port}{root_path}"
        output.say(f"Lanner serves {store.place} at {address}", style="bold")
        if first:
            output.say(f"First organiser: {address}/setup?code={code}")
        output.say("Judges use their own links. Stop with Ctrl+C; every answer is on disk before it is acknowledged.")
        serve(
            store,
            host,
            port,
            settings=Settings(setup_code=code),
            root_path=root_path,
            trusted_proxies=trusted_proxies,
        )

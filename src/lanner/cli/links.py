"""`lanner links`: new links for judges; the old ones stop working."""

from __future__ import annotations

import click

from lanner import campaign
from lanner.cli._output import Output, json_option
from lanner.cli._source import store_option
from lanner.store import Store


@click.command("links", short_help="Issue new judge links; old ones stop working.")
@click.argument("name", metavar="CAMPAIGN")
@click.option("--judge", "judges", multiple=True, help="Only for this judge; repeatable (default: all people).")
@click.option("--base-url", default="http://127.0.0.1:8000", show_default=True, help="Where it is served.")
@store_option
@json_option
def command(name: str, judges: tuple[str, ...], base_url: str, store_place: str, as_json: bool) -> None:
    """Issue new links. Only a hash of a link is kept, so an old one cannot be shown again, only replaced.

    Example: lanner links pilot --judge ana
    """
    output = Output("links", as_json)
    with Store.open(store_place, create=False) as store:
        wanted = list(judges) or [judge.id for judge in campaign.judges(store, name) if judge.kind == "person"]
        rows = [
            {"judge": judge, "link": f"{base_url}/j/{campaign.links.issue(store, name, judge)}"} for judge in wanted
        ]
    output.table(rows)
    output.end()

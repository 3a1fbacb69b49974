"""`lanner links`: new links for judges; the old ones stop working."""

from __future__ import annotations

from lanner import campaign
from lanner.cli._output import Output
from lanner.store import Store


def run(name: str, judges: tuple[str, ...], base_url: str, store_place: str, show: bool, as_json: bool) -> None:
    """Issue new links; the old ones stop working. With --show, print the current links. The store keeps only hashes;
    the links are derived again from a key file next to it (or from LANNER_LINK_KEY)."""
    output = Output("links", as_json)
    with Store.open(store_place, create=False) as store:
        wanted = list(judges) or [judge.id for judge in campaign.judges(store, name) if judge.kind == "person"]
        links_of = campaign.invitations.shown if show else campaign.invitations.issue
        secrets = {judge: links_of(store, name, judge) for judge in wanted}
        rows = [
            {"judge": judge, "link": f"{base_url}/j/{secret}" if secret else "cannot be shown"}
            for judge, secret in secrets.items()
        ]
    output.table(rows)
    output.end()

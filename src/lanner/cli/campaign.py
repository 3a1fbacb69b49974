"""`lanner campaign`: look after campaigns: their progress, their state, their judges."""

from __future__ import annotations

import click

from lanner import campaign
from lanner.cli._judges import judges_from
from lanner.cli._output import Output, json_option
from lanner.cli._source import store_option
from lanner.reports.typeset import percent
from lanner.store import Store


@click.group("campaign", short_help="Progress, state and judges of campaigns.")
def command() -> None:
    """Look after campaigns: list them, see how far they are, open, pause or close them, add judges."""


@command.command("list", short_help="All campaigns.")
@store_option
@json_option
def list_all(store_place: str, as_json: bool) -> None:
    """List all campaigns with their state and how far they are.

    Example: lanner campaign list
    """
    output = Output("campaign list", as_json)
    with Store.open(store_place, create=False) as store:
        rows = []
        for found in campaign.campaigns(store):
            whole = campaign.progress(store, found.id).whole
            rows.append(
                {
                    "name": found.name,
                    "protocol": found.protocol_name,
                    "state": found.state.value,
                    "items": whole.items,
                    "done": whole.done,
                    "share": percent(whole.share, 0) if whole.items else "imported",
                }
            )
    output.table(rows)
    if not rows:
        output.say("There are no campaigns yet. Make one: lanner new")
    output.end()


@command.command("show", short_help="How far a campaign is.")
@click.argument("name")
@click.option("--by", type=click.Choice(["judge", "domain", "document"]), default="judge", show_default=True)
@store_option
@json_option
def show(name: str, by: str, store_place: str, as_json: bool) -> None:
    """Say how far a campaign is, per judge, domain or document, with the minutes worked.

    Example: lanner campaign show pilot --by domain
    """
    output = Output("campaign show", as_json)
    with Store.open(store_place, create=False) as store:
        found, made = campaign.get(store, name), campaign.progress(store, name)
    parts = {"judge": made.judges, "domain": made.domains, "document": made.documents}[by]
    output.say(f"{found.title}: {found.state}, {made.whole.done:,} of {made.whole.items:,} done", style="bold")
    rows = [
        {
            by: part.name,
            "items": part.items,
            "done": part.done,
            "share": percent(part.share, 0),
            "active minutes": round(part.active_minutes, 1),
            "last saved": part.saved_at.isoformat(timespec="minutes") if part.saved_at else "",
        }
        for part in parts
    ]
    output.table(rows)
    output.end()


_MOVES = {"open": campaign.open, "pause": campaign.pause, "close": campaign.close, "reopen": campaign.reopen}


@command.command("set", short_help="Open, pause, close or reopen a campaign.")
@click.argument("name")
@click.argument("state", type=click.Choice(list(_MOVES)))
@store_option
@json_option
def change(name: str, state: str, store_place: str, as_json: bool) -> None:
    """Open, pause, close or reopen a campaign. While it is paused or closed, answers are refused with that reason.

    Example: lanner campaign set pilot pause
    """
    output = Output("campaign set", as_json)
    with Store.open(store_place, create=False) as store:
        found = _MOVES[state](store, name)
    output.rows.append({"name": found.name, "state": found.state.value})
    output.say(f"{found.name} is {found.state}.")
    output.end()


@command.command("add-judges", short_help="Add judges to a campaign, with their links.")
@click.argument("name")
@click.argument("judges")
@click.option("--base-url", default="http://127.0.0.1:8000", show_default=True, help="Where it is served.")
@store_option
@json_option
def add_judges(name: str, judges: str, base_url: str, store_place: str, as_json: bool) -> None:
    """Add judges: how many, their names with commas between, or a CSV file. What others have stays as it is.

    Example: lanner campaign add-judges pilot "Cleo, Dae"
    """
    output = Output("campaign add-judges", as_json)
    with Store.open(store_place, create=False) as store:
        people = judges_from(judges)
        campaign.add_judges(store, name, people)
        rows = [{"judge": p.id, "link": f"{base_url}/j/{campaign.links.issue(store, name, p.id)}"} for p in people]
    output.table(rows)
    output.end()


@command.command("calibrated", short_help="Go on after the calibration round.")
@click.argument("name")
@store_option
@json_option
def calibrated(name: str, store_place: str, as_json: bool) -> None:
    """End the calibration round: assign the other documents by the campaign's design.

    Example: lanner campaign calibrated pilot
    """
    output = Output("campaign calibrated", as_json)
    with Store.open(store_place, create=False) as store:
        number = campaign.after_calibration(store, name)
    output.rows.append({"name": name, "tasks": number})
    output.say(f"{number} tasks were assigned.")
    output.end()

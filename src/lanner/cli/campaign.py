"""`lanner campaign`: look after campaigns: their progress, their state, and what its parts in other files do."""

from __future__ import annotations

import click

from lanner import campaign, registry
from lanner.cli._options import store_option
from lanner.cli._output import Output, json_option
from lanner.figures.typeset import percent
from lanner.store import Seat, Store

_ELSEWHERE = {
    "check": "_campaign_meeting",
    "disagreements": "_campaign_meeting",
    "settle": "_campaign_meeting",
    "note": "_campaign_meeting",
    "decided": "_campaign_economy",
    "calibrate": "_campaign_training",
    "training": "_campaign_training",
    "add-judges": "_campaign_judges",
    "add-overlap": "_campaign_judges",
    "forget": "_campaign_judges",
    "reopen": "_campaign_judges",
    "replace-judge": "_campaign_judges",
    "remove-judge": "_campaign_judges",
    "revoke": "_campaign_judges",
    "leave-out": "_campaign_judges",
    "count-again": "_campaign_judges",
    "import": "_campaign_bringing",
    "archive": "_campaign_keeping",
    "delete": "_campaign_keeping",
    "duplicate": "_campaign_keeping",
    "settings": "_campaign_keeping",
}


class Parts(click.Group):
    """Imports what a command needs when it is run: a list of campaigns needs no statistics."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*super().list_commands(ctx), *_ELSEWHERE})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _ELSEWHERE:
            return super().get_command(ctx, cmd_name)
        name = _ELSEWHERE[cmd_name]
        own = "import_" if cmd_name == "import" else cmd_name.replace("-", "_")
        command: click.Command = getattr(registry.module("cli", name, names=(name,)), own)
        return command


@click.group("campaign", cls=Parts, short_help="Monitor and manage campaigns and their judges.")
def command() -> None:
    """Monitor progress and data quality, manage judges, adjudicate disagreements, and pause, close, duplicate or delete
    campaigns. Everything the organiser's pages do.

    Example: lanner campaign check pilot
    """


@command.command("list", short_help="List campaigns.")
@click.option("--archived", is_flag=True, help="List archived campaigns instead.")
@store_option
@json_option
def list_all(archived: bool, store_place: str, as_json: bool) -> None:
    """List campaigns with their state and progress.

    Example: lanner campaign list
    """
    output = Output("campaign list", as_json)
    with Store.open(store_place, create=False) as store:
        rows = []
        for entry in campaign.campaigns(store):
            if bool(entry.settings.get("archived")) is not archived:
                continue
            whole = campaign.progress(store, entry.id).whole
            rows.append(
                {
                    "name": entry.name,
                    "protocol": entry.protocol_name,
                    "state": entry.state.value,
                    "items": whole.items,
                    "done": whole.done,
                    "share": percent(whole.share, 0) if whole.items else "imported",
                }
            )
    output.table(
        rows, empty="The archive is empty." if archived else "There are no campaigns yet. Make one: lanner new"
    )
    output.end()


@command.command("show", short_help="Show the progress of a campaign.")
@click.argument("name")
@click.option(
    "--by",
    type=click.Choice(["judge", "domain", "document"]),
    default="judge",
    show_default=True,
    help="One row per judge, domain or document.",
)
@store_option
@json_option
def show(name: str, by: str, store_place: str, as_json: bool) -> None:
    """Show progress per judge, domain or document, with the minutes worked. Where consent was asked for, also the
    version and date of each judge's consent.

    Example: lanner campaign show pilot --by domain
    """
    output = Output("campaign show", as_json)
    with Store.open(store_place, create=False) as store:
        entry, progress = campaign.get(store, name), campaign.progress(store, name)
        consents = {seat.judge.id: seat for seat in campaign.seats(store, name) if seat.consented_at}
    parts = {"judge": progress.judges, "domain": progress.domains, "document": progress.documents}[by]
    output.say(f"{entry.title}: {entry.state}, {progress.whole.done:,} of {progress.whole.items:,} done", style="bold")
    rows = [
        {
            by: part.name,
            "items": part.items,
            "done": part.done,
            "share": percent(part.share, 0),
            "active_minutes": round(part.active_minutes, 1),
            "minutes": f"{part.active_minutes:.1f}",
            "last saved": part.saved_at.isoformat(timespec="minutes") if part.saved_at else "",
            **({"consent": _consent(consents.get(part.name))} if by == "judge" and consents else {}),
        }
        for part in parts
    ]
    columns: list[str | tuple[str, str]] = [by, "items", "done", "share", ("minutes", "active minutes"), "last saved"]
    output.table(rows, [*columns, "consent"] if by == "judge" and consents else columns)
    output.end()


def _consent(seat: Seat | None) -> str:
    if seat is None or seat.consented_at is None:
        return ""
    return f"{seat.consent}, {seat.consented_at.isoformat(timespec='minutes')}"


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
        entry = _MOVES[state](store, name)
    output.rows.append({"name": entry.name, "state": entry.state.value})
    output.say(f"{entry.name} is {entry.state}.")
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

"""`lanner campaign`, where campaigns stand: the list, their progress, and the states they go through."""

from __future__ import annotations

from lanner import campaign
from lanner.cli._output import Output
from lanner.figures.typeset import percent
from lanner.store import Seat, Store


def list_all(archived: bool, store_place: str, as_json: bool) -> None:
    """List campaigns with their state and progress."""
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


def show(name: str, by: str, store_place: str, as_json: bool) -> None:
    """Show progress per judge, domain or document, with the minutes worked."""
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


def change(name: str, state: str, store_place: str, as_json: bool) -> None:
    """Open, pause, close or reopen a campaign."""
    output = Output("campaign set", as_json)
    with Store.open(store_place, create=False) as store:
        entry = _MOVES[state](store, name)
    output.rows.append({"name": entry.name, "state": entry.state.value})
    output.say(f"{entry.name} is {entry.state}.")
    output.end()


def calibrated(name: str, store_place: str, as_json: bool) -> None:
    """End the calibration round: assign the other documents by the campaign's design."""
    output = Output("campaign calibrated", as_json)
    with Store.open(store_place, create=False) as store:
        number = campaign.after_calibration(store, name)
    output.rows.append({"name": name, "tasks": number})
    output.say(f"{number} tasks were assigned.")
    output.end()

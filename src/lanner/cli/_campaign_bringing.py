"""`lanner campaign import`: answers from a file into a campaign that is there already."""

from __future__ import annotations

from pathlib import Path

from lanner import campaign
from lanner.campaign.files import import_file, inspect_file
from lanner.cli._output import Output
from lanner.judges.replay import inspect_outputs, replay
from lanner.store import Store


def import_(name: str, path: Path, model: str, only_look: bool, store_place: str, as_json: bool) -> None:
    """Import answers given elsewhere: all in the file, or none."""
    output = Output("campaign import", as_json)
    with Store.open(store_place, create=False) as store:
        number = campaign.get(store, name).id
        preview = inspect_outputs(store, number, path, model) if model else inspect_file(store, number, path)
        summary = None
        if not only_look:
            summary = replay(store, number, path, model) if model else import_file(store, number, path)
    rows = [{"judge": judge, "answers": count, "new": not is_present} for judge, count, is_present in preview.judges]
    output.table(rows)
    for note in preview.notes:
        output.note(note)
    if summary is None:
        output.say(f"{preview.answers:,} answers, as {preview.format}. Nothing was stored.")
    elif summary.already:
        output.say("The same judgements had been imported before. Nothing was changed.")
    else:
        output.say(f"{summary.judgements:,} answers taken in, {summary.revisions:,} of them superseding earlier ones.")
    output.end()

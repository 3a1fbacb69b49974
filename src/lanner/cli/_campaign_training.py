"""`lanner campaign`, what training needs: sentences to calibrate on, and whether agreement rose afterwards."""

from __future__ import annotations

from datetime import UTC, datetime

from lanner import campaign
from lanner.analysis.material import from_campaign
from lanner.analysis.training import (
    before_and_after,
    calibration_tasks,
    describe_method,
    documents_of,
    most_disputed,
    split_at,
)
from lanner.campaign.assignment import assign_calibration
from lanner.cli._output import Output
from lanner.errors import InputError, StatisticError
from lanner.figures.typeset import estimate, number, plural
from lanner.stats.resample import FEW, Resampling
from lanner.store import Store


def calibrate(
    name: str, sentences: int, per_document: int | None, assigning: bool, store_place: str, as_json: bool
) -> None:
    """List the sentences on which people are furthest apart so far, and give them to everybody again once they
    have been talked about."""
    output = Output("campaign calibrate", as_json)
    with Store.open(store_place, create=False) as store:
        material = from_campaign(store, name)
        assert material.protocol is not None
        units = most_disputed(material.counted(), material.protocol, sentences, per_document=per_document)
        texts = {(d.id, segment.id): segment.source for d in material.documents for segment in d}
        output.table(
            [
                {
                    "unit": f"{unit.document}/{unit.segment}",
                    "system": unit.system,
                    "distance": number(unit.distance, 2),
                    "most on": unit.questions[0],
                    "sentence": texts.get((unit.document, unit.segment), ""),
                }
                for unit in units
            ],
            empty="Nobody disagrees on anything yet.",
        )
        if assigning and units:
            tasks = calibration_tasks(material.protocol, campaign.working_judges(store, name), units)
            output.say(f"{assign_calibration(store, name, tasks)} tasks were assigned.", style="bold")
        elif units:
            output.say("Talk about them on the disagreements page, settle what can be settled, then add --assign.")
    output.end()


def training(name: str, since: str, seed: int, store_place: str, as_json: bool) -> None:
    """Compare agreement on the sentences answered before a training with that on the sentences answered after it:
    for every question, and for each of its labels or skills."""
    output = Output("campaign training", as_json)
    at = _moment(since)
    with Store.open(store_place, create=False) as store:
        material = from_campaign(store, name)
    assert material.protocol is not None
    early, late, mixed = split_at(material.counted(), at)
    for rows, words in ((early, "before"), (late, "after")):
        if rows.table.is_empty():
            raise StatisticError(
                f"Nothing was answered {words} {since}.", next_step="Name another moment with --since."
            )
    changes = before_and_after(early, late, material.protocol, resampling=Resampling(seed=seed))
    output.rows.extend(change.to_row() for change in changes)
    table_output = Output("campaign training", as_json)
    table_output.table(
        [
            {
                "question": change.question if not change.part else "",
                "part": change.part.replace("_", " "),
                "before": estimate(change.before.value, change.before.low, change.before.high),
                "after": estimate(change.after.value, change.after.low, change.after.high),
                "difference [95 %]": estimate(change.difference, change.low, change.high)
                if change.enough
                else "too few items",
            }
            for change in changes
        ]
    )
    if mixed:
        output.note(f"{plural(mixed, 'unit')} were answered on both sides of {since} and count on neither.")
    if min(documents := documents_of(changes)) < FEW:
        output.note(f"Only {documents[0]} documents before and {documents[1]} after: intervals of so few are rough.")
    output.sign(describe_method(changes))
    output.note("Other things than the training may have changed too; the two sets of sentences are different ones.")
    output.end()


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise InputError(f"{text!r} is not a date.", next_step="Write it as 2026-11-18 or 2026-11-18T14:00.") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)

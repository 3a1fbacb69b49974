"""`lanner campaign` and `promote`: where campaigns stand, their states, what happens to one as a whole."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from lanner import campaign
from lanner.campaign.imports import import_file, inspect_file, write_copy
from lanner.campaign.prefill import SETTING
from lanner.campaign.states import check_names, check_settings
from lanner.cli.campaign_judges import judges_from, require_name
from lanner.cli.output import Output
from lanner.designs.prepare import promote, promoted, standings
from lanner.errors import CampaignError, InputError, did_you_mean
from lanner.figures.typeset import percent
from lanner.judges.replay import inspect_outputs, replay
from lanner.model import Json, Protocol, Stage
from lanner.model.messages import in_number
from lanner.store import Seat, Store

# `lanner campaign`, where campaigns stand: the list, their progress, and the states they go through.


def list_all(archived: bool, store_place: str, as_json: bool) -> None:
    """List campaigns with their state and progress."""
    output = Output("campaign list", as_json)
    with Store.open(store_place, create=False) as store:
        rows = []
        for entry in campaign.campaigns(store):
            if bool(entry.settings.get("archived")) is not archived:
                continue
            progress = campaign.progress(store, entry.id)
            rows.append(
                {
                    "name": entry.name,
                    "protocol": entry.protocol_name,
                    "state": entry.state.value,
                    "items": progress.items,
                    "done": progress.whole.done,
                    "share": percent(progress.share, 0) if progress.items else "imported",
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
    output.say(f"{entry.title}: {entry.state}, {progress.done_of_all} done", style="bold")
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
    output.say(in_number(number, "{n} task was assigned.", "{n} tasks were assigned."))
    output.end()


# `lanner campaign`, what happens to a campaign as a whole: its settings, the archive, a copy of it, its end.


def settings(name: str, changes: tuple[str, ...], title: str | None, store_place: str, as_json: bool) -> None:
    """Show a campaign's settings, or change some: minimum_agreement, margin, control_limit, deadline, time_zone,
    note, hourly_rate, currency, budget, main_question, guidelines, practice_agreement … An empty value removes
    a setting."""
    output = Output("campaign settings", as_json)
    values = dict(_change(words) for words in changes)
    check_names((setting for setting, value in values.items() if value is not None), running=True)
    check_settings(values)
    with Store.open(store_place, create=False) as store:
        if values or title is not None:
            campaign.configure(store, name, title=title, settings=values)
        entry = campaign.get(store, name)
    rows: list[dict[str, Json]] = [{"setting": "title", "value": entry.title}]
    rows += [{"setting": key, "value": value} for key, value in sorted(entry.settings.items())]
    output.table(rows)
    output.end()


def prefill(name: str, model: str, source: str, unassisted: float, store_place: str, as_json: bool) -> None:
    """Offer the marks of a model judge to the people of a campaign in which no person has judged yet."""
    output = Output("campaign prefill", as_json)
    check_settings({SETTING: {"model": model, "from": source, "unassisted": unassisted}})
    with Store.open(store_place, create=False) as store:
        result = campaign.prefill(store, name, model, source=source, unassisted=unassisted)
    texts = len(result.unassisted)
    output.rows.append({"name": name, "model": model, "marks": result.marks, "unassisted": texts})
    output.say(f"{result.marks:,} marks of {model} are offered; {texts:,} outputs of documents are judged without.")
    if result.left_out:
        output.note(
            in_number(
                result.left_out,
                "{n} mark does not fit the question or the text and is left out.",
                "{n} marks do not fit the question or the text and are left out.",
            )
        )
    output.end()


def _change(words: str) -> tuple[str, Json]:
    """`NAME=VALUE`: a number where it is one, true and false, else the text as it is."""
    name, equals, value = words.partition("=")
    if not equals or not name.strip():
        raise InputError(f"{words!r} changes no setting.", next_step="Write it as SETTING=VALUE.")
    if not value.strip():
        return name.strip(), None
    if value in ("true", "false"):
        return name.strip(), value == "true"
    try:
        number = float(value)
    except ValueError:
        return name.strip(), value
    return name.strip(), int(number) if number.is_integer() else number


def archive(name: str, take_out: bool, store_place: str, as_json: bool) -> None:
    """Archive a campaign: it no longer appears in the list."""
    output = Output("campaign archive", as_json)
    with Store.open(store_place, create=False) as store:
        campaign.configure(store, name, settings={"archived": None if take_out else True})
    output.rows.append({"name": name, "archived": not take_out})
    output.say(f"{name} is {'out of' if take_out else 'in'} the archive.")
    output.end()


def duplicate(name: str, as_name: str, judges: str | None, no_judges: bool, store_place: str, as_json: bool) -> None:
    """Create a draft like an existing campaign, without its judgements."""
    output = Output("campaign duplicate", as_json)
    others = [] if no_judges else judges_from(judges) if judges else None
    with Store.open(store_place, create=False) as store:
        copy = campaign.duplicate(store, name, as_name, others)
    output.rows.append({"name": copy.name, "state": copy.state.value})
    output.say(f"{copy.name} is a draft. Next: lanner links {copy.name}; lanner campaign set {copy.name} open")
    output.end()


def delete(name: str, typed: str | None, folder: Path, store_place: str, as_json: bool) -> None:
    """Delete a campaign."""
    output = Output("campaign delete", as_json)
    with Store.open(store_place, create=False) as store:
        entry = campaign.get(store, name)
        require_name(typed, entry.name, "the campaign's name")
        copy = folder / f"{entry.id}-{datetime.now(UTC):%Y%m%dT%H%M%SZ}.jsonl"
        try:
            write_copy(store, entry.id, copy)
        except OSError as error:
            raise CampaignError(
                f"Nothing was deleted, because no copy could be kept first: {error}", code="no_backup"
            ) from error
        campaign.remove(store, entry.id, name=entry.name)
    output.rows.append({"name": entry.name, "copy": str(copy)})
    output.say(f"{entry.name} is deleted. A copy of everything in it: {copy}")
    output.end()


# `lanner campaign import`: answers from a file into a campaign that is there already.


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
        output.say(
            in_number(
                preview.answers,
                "{n} answer, as {format}. Nothing was stored.",
                "{n} answers, as {format}. Nothing was stored.",
                format=preview.format,
            )
        )
    elif summary.already:
        output.say("The same judgements had been imported before. Nothing was changed.")
    else:
        output.say(
            in_number(
                summary.judgements,
                "{n} answer imported, {revisions} superseding an earlier one.",
                "{n} answers imported, {revisions} of them superseding earlier ones.",
                revisions=f"{summary.revisions:,}",
            )
        )
    output.end()


# `lanner promote`: which units go on to a later stage, listed for the organiser to confirm, then assigned.


def run_promote(
    name: str, page: str, drop: str, drop_first: bool, assigning: bool, store_place: str, as_json: bool
) -> None:
    """List items that enough judges marked for a later stage, with their text and whether any text precedes them, and
    assign them with --assign. More context cannot help where the source is incomplete or comes first."""
    output = Output("promote", as_json)
    left_out = {entry.strip() for entry in drop.split(",") if entry.strip()}
    with Store.open(store_place, create=False) as store:
        entry, protocol = campaign.get(store, name), campaign.protocol(store, name)
        stage = _stage(protocol, page)
        judges, documents = campaign.judges(store, name), campaign.documents(store, name)
        assert stage.promotion is not None
        standing = standings(stage.promotion, campaign.judgements(store, name), judges)
        texts = {(d.id, segment.id): (segment.source, place) for d in documents for place, segment in enumerate(d)}
        _refuse_unknown(left_out, texts)
        going = [
            s
            for s in standing
            if s.promoted
            and f"{s.document}/{s.segment}" not in left_out
            and not (drop_first and texts.get((s.document, s.segment), ("", 0))[1] == 0)
        ]
        rows = [
            {
                "unit": f"{s.document}/{s.segment}",
                "group": s.group,
                "given": f"{s.votes} of {s.judges}",
                "sentences before": texts.get((s.document, s.segment), ("", 0))[1],
                "sentence": texts.get((s.document, s.segment), ("", 0))[0],
            }
            for s in going
        ]
        output.table(rows)
        first = sum(row["sentences before"] == 0 for row in rows)
        if first:
            output.say(f"{first} have nothing before them; --drop-first leaves them out.")
        output.say(f"{len(going)} of {len(standing)} units go on (more than {percent(stage.promotion.more_than, 0)}).")
        if assigning and going:
            systems = list(dict.fromkeys(system for document in documents for system in document.systems))
            rng = np.random.default_rng([entry.seed, 2])
            people = campaign.working_judges(store, name)
            tasks = promote(page, promoted(going), documents, people, protocol, rng=rng, systems=systems)
            number = campaign.assign(store, name, tasks)
            output.say(in_number(number, "{n} task was assigned.", "{n} tasks were assigned."), style="bold")
        elif going:
            output.say("Look through the list; leave units out with --drop, then add --assign.")
    output.end()


def _refuse_unknown(units: set[str], texts: Mapping[tuple[str, str], object]) -> None:
    places = {f"{document}/{segment}" for document, segment in texts}
    for unit in units - places:
        raise InputError(f"There is no unit {unit!r} to drop.", next_step=did_you_mean(unit, places))


def _stage(protocol: Protocol, page: str) -> Stage:
    pages = {stage.page_id: stage for stage in protocol.stages if stage.promotion}
    if page not in pages:
        hint = did_you_mean(page, pages) or "No stage of this protocol is reached by promotion."
        raise CampaignError(f"Nothing is promoted to a page {page!r}.", code="unknown_page", next_step=hint)
    return pages[page]

"""`lanner campaign`, `promote` and `links`: where campaigns stand, what happens to one as a whole, and its judges."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from lanner import campaign
from lanner.analysis.agreement import (
    before_and_after,
    calibration_tasks,
    describe_method,
    documents_of,
    most_disputed,
    split_at,
)
from lanner.analysis.material import from_campaign
from lanner.campaign.assignment import assign_calibration
from lanner.campaign.imports import import_file, inspect_file, write_copy
from lanner.campaign.prefill import SETTING
from lanner.campaign.states import TEXTS, check_names, check_settings
from lanner.cli.options import names, slug
from lanner.cli.output import Output
from lanner.designs.prepare import promote, promoted, standings
from lanner.errors import CampaignError, InputError, LannerError, StatisticError, Where, did_you_mean
from lanner.figures.typeset import estimate, number, percent, plural
from lanner.judges.replay import inspect_outputs, replay
from lanner.model import Json, Judge, Protocol, Stage
from lanner.model.messages import in_number
from lanner.stats.resample import FEW, Resampling
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
    if name.strip() in TEXTS:  # a code of digits is no number
        return name.strip(), value
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


# Judges as they are named on the command line: a number, names with commas, or a file with attributes.


MOST = 10_000
"""Judges that are added at once, at most."""


def judges_from(text: str) -> list[Judge]:
    """ "3" makes three; "ana, ben" makes these; a path to a CSV file makes its rows, other columns being attributes."""
    words = text.strip()
    if words.isascii() and words.isdecimal():
        count = int(words) if len(words) < 6 else MOST + 1
        if not count:
            raise InputError("There are no judges.", next_step="Say how many, or name them: 3, or ana, ben.")
        if count > MOST:
            raise InputError(f"{words[:20]} judges cannot be added: from 1 to {MOST} at once.")
        return [Judge(f"judge{number}", name=f"Judge {number}") for number in range(1, count + 1)]
    if words.endswith((".csv", ".tsv")) or is_file(words):
        return _from_file(Path(words))
    return [Judge(slug(name), name=name.strip()) for name in words.split(",") if name.strip()]


def is_file(words: str) -> bool:
    """Whether this is the path of a file; names too long for a path are the names of judges."""
    try:
        return Path(words).is_file()
    except (OSError, ValueError):
        return False


def _from_file(path: Path) -> list[Judge]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"The list of judges cannot be read: {error}.", where=Where(path)) from error
    rows = list(csv.DictReader(text.splitlines(), dialect="excel-tab" if path.suffix == ".tsv" else "excel"))
    if not rows or not {"id", "name"} & set(rows[0]):
        raise InputError("The list of judges needs a column id or name.", where=Where(path, 1))
    ids = []
    for line, row in enumerate(rows, start=2):
        name = (row.get("name") or row.get("id") or "").strip()
        if not name:
            raise InputError("A judge has neither id nor name.", where=Where(path, line))
        rest = {key: value.strip() for key, value in row.items() if key not in ("id", "name") and key and value}
        ids.append(Judge((row.get("id") or slug(name)).strip(), name=name, attributes=rest))
    return ids


def add_judges(name: str, judges: str, base_url: str, store_place: str, as_json: bool) -> None:
    """Add judges: a number, comma-separated names, or a CSV file."""
    output = Output("campaign add-judges", as_json)
    with Store.open(store_place, create=False) as store:
        people = judges_from(judges)
        campaign.add_judges(store, name, people)
        rows = [
            {"judge": p.id, "link": f"{base_url}/j/{campaign.invitations.issue(store, name, p.id)}"} for p in people
        ]
    output.table(rows)
    output.end()


def replace_judge(name: str, leaving: str, coming: str, base_url: str, store_place: str, as_json: bool) -> None:
    """Hand over unfinished tasks to a new judge."""
    output = Output("campaign replace-judge", as_json)
    someone = judges_from(coming)
    if len(someone) != 1:
        raise LannerError(f"{coming!r} are {len(someone)} judges.", next_step="Name the one who takes over.")
    with Store.open(store_place, create=False) as store:
        number = campaign.replace_judge(store, name, leaving, someone[0])
        link = f"{base_url}/j/{campaign.invitations.issue(store, name, someone[0].id)}"
    output.rows.append({"leaving": leaving, "judge": someone[0].id, "tasks": number, "link": link})
    output.say(
        in_number(
            number,
            "{who} takes over {n} task of {leaving}: {link}",
            "{who} takes over {n} tasks of {leaving}: {link}",
            who=someone[0].id,
            leaving=leaving,
            link=link,
        )
    )
    output.end()


def remove_judge(name: str, judge: str, store_place: str, as_json: bool) -> None:
    """Remove a judge who has answered nothing, with the link and the tasks."""
    with Store.open(store_place, create=False) as store:
        campaign.remove_judge(store, name, judge)
    _confirm("campaign remove-judge", judge, f"{judge} is removed from {name}.", as_json)


def reopen(name: str, judge: str, document: str, page: str | None, store_place: str, as_json: bool) -> None:
    """Reopen a finished document for a judge."""
    output = Output("campaign reopen", as_json)
    with Store.open(store_place, create=False) as store:
        tasks = [task for task in campaign.tasks(store, name, judge) if document in {i.document for i in task.items}]
        tasks_done = [task for task in tasks if task.finished_at is not None and page in (None, task.page)]
        if not tasks_done:
            raise CampaignError(
                f"{judge} has no finished task about {document!r}.",
                code="not_finished",
                next_step=f"`lanner campaign show {name} --by document` shows what is done.",
            )
        for task in tasks_done:
            campaign.reopen_task(store, task.id)
    output.rows.extend(
        {"judge": judge, "document": document, "page": task.page, "task": task.id} for task in tasks_done
    )
    output.say(f"{judge} can go on with {document}.")
    output.end()


def add_overlap(name: str, judges: str, documents: str, store_place: str, as_json: bool) -> None:
    """Assign more documents, so that more items have several judges and intervals narrow."""
    output = Output("campaign add-overlap", as_json)
    with Store.open(store_place, create=False) as store:
        number = campaign.add_overlap(store, name, names(judges), names(documents))
    output.rows.append({"name": name, "tasks": number})
    output.say(in_number(number, "{n} task was assigned.", "{n} tasks were assigned."))
    output.end()


def leave_out(name: str, judge: str, reason: str, store_place: str, as_json: bool) -> None:
    """Exclude a judge from all results: agreement, scores, effort, verdict, report."""
    output = Output("campaign leave-out", as_json)
    with Store.open(store_place, create=False) as store:
        campaign.leave_out(store, name, judge, reason)
    output.rows.append({"judge": judge, "reason": reason})
    output.say(f"{judge} counts in no result. To take it back: lanner campaign count-again {name} {judge}")
    output.end()


def count_again(name: str, judge: str, store_place: str, as_json: bool) -> None:
    """Include a judge again who was excluded from the results."""
    with Store.open(store_place, create=False) as store:
        campaign.count_again(store, name, judge)
    _confirm("campaign count-again", judge, f"{judge} counts again.", as_json)


def revoke(name: str, judge: str, store_place: str, as_json: bool) -> None:
    """Revoke a judge's link at once."""
    with Store.open(store_place, create=False) as store:
        campaign.invitations.revoke(store, name, judge)
    _confirm("campaign revoke", judge, f"The link of {judge} works no more.", as_json)


def forget(name: str, judge: str, answers: bool, typed: str | None, store_place: str, as_json: bool) -> None:
    """Erase a judge's identity and keep the answers under a pseudonym, or delete the answers too."""
    output = Output("campaign forget", as_json)
    require_name(typed, judge, "the judge's id")
    with Store.open(store_place, create=False) as store:
        if answers:
            number = campaign.withdraw(store, name, judge)
            output.rows.append({"judge": judge, "deleted": number})
            output.say(
                in_number(number, "{judge} and {n} answer are gone.", "{judge} and {n} answers are gone.", judge=judge)
            )
        else:
            pseudonym = campaign.erase(store, name, judge)
            output.rows.append({"judge": judge, "called": pseudonym})
            output.say(f"{judge} is now called {pseudonym}.")
    output.end()


def require_name(typed: str | None, name: str, what: str) -> None:
    """Refuse what cannot be undone unless its name was written out."""
    if typed != name:
        raise LannerError(
            f"Nothing was changed: this cannot be undone, so {what} has to be written once more.",
            next_step=f"Add: --typed {name!r}",
        )


def _confirm(command: str, judge: str, sentence: str, as_json: bool) -> None:
    """Say that something was done about a judge."""
    output = Output(command, as_json)
    output.rows.append({"judge": judge})
    output.say(sentence)
    output.end()


# `lanner campaign`, what training needs: sentences to calibrate on, and whether agreement rose afterwards.


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
            output.say(
                in_number(assign_calibration(store, name, tasks), "{n} task was assigned.", "{n} tasks were assigned."),
                style="bold",
            )
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
    early, late, units_on_both_sides = split_at(material.counted(), at)
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
    if units_on_both_sides:
        output.note(
            f"{plural(units_on_both_sides, 'unit')} were answered on both sides of {since} and count on neither."
        )
    if min(documents := documents_of(changes)) < FEW:
        output.note(f"Documents: {documents[0]} before, {documents[1]} after. Intervals of so few are rough.")
    output.sign(describe_method(changes))
    output.note("Other things than the training may have changed too; the two sets of sentences are different ones.")
    output.end()


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise InputError(f"{text!r} is not a date.", next_step="Write it as 2026-11-18 or 2026-11-18T14:00.") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


# `lanner links`: new links for judges; the old ones stop working.


def run_links(name: str, judges: tuple[str, ...], base_url: str, store_place: str, show: bool, as_json: bool) -> None:
    """Issue new links; the old ones stop working. With --show, print the current links. The store keeps only hashes;
    the links are derived again from a key file next to it (or from LANNER_LINK_KEY)."""
    output = Output("links", as_json)
    with Store.open(store_place, create=False) as store:
        judge_ids = list(judges) or [judge.id for judge in campaign.judges(store, name) if judge.kind == "person"]
        links_of = campaign.invitations.shown if show else campaign.invitations.issue
        secrets = {judge: links_of(store, name, judge) for judge in judge_ids}
        rows = [
            {"judge": judge, "link": f"{base_url}/j/{secret}" if secret else "cannot be shown"}
            for judge, secret in secrets.items()
        ]
    output.table(rows)
    output.end()

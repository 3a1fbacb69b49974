"""`lanner campaign`, `promote` and `links`: where campaigns stand, what happens to one as a whole, and its judges."""

from __future__ import annotations

import shlex
from collections.abc import Collection
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import numpy as np

from lanner import campaign
from lanner.analysis.agreement import (
    before_and_after,
    calibration_items,
    describe_method,
    documents_of,
    most_disputed,
    split_at,
)
from lanner.analysis.material import from_campaign
from lanner.campaign.assignment import assign_calibration
from lanner.campaign.imports import import_file, inspect_file
from lanner.campaign.people import id_from_name, parse_judges, table_header
from lanner.campaign.prefill import SETTING
from lanner.campaign.settings import TEXTS, check_settings, local_time
from lanner.campaign.states import copy_name
from lanner.cli import value_of
from lanner.cli.early_checks import names
from lanner.cli.output import Columns, Output, minute
from lanner.designs.prepare import promote, promoted, standings
from lanner.errors import CampaignError, ExitCode, InputError, LannerError, StatisticError, Where, did_you_mean
from lanner.judges.replay import inspect_outputs, replay
from lanner.model import Json, Judge, Protocol, Stage, all_systems
from lanner.model.messages import estimate, in_number, number, percent, plural
from lanner.stats.resample import FEW, Resampling
from lanner.store import Participant, Store

# `lanner campaign`, where campaigns stand: the list, their progress, and the states they go through.


def list_all(output: Output, store: Store, archived: bool) -> None:
    """List campaigns with their state and progress."""
    rows: list[dict[str, Json]] = []
    entries = campaign.campaigns(store)
    for entry in entries:
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
    empty = "The archive is empty." if archived else "There are no campaigns yet. Make one: lanner new"
    if entries and not archived:
        empty = "All campaigns are in the archive: lanner campaign list --archived"
    columns: Columns = ["name", "protocol", "state", ("items", _EVERYTHING), "done", "share"]
    output.table(rows, columns, empty=empty)


_EVERYTHING = "items and questionnaires"


def show(output: Output, store: Store, name: str, by: str) -> None:
    """Show progress per judge, domain or document, with the minutes worked."""
    entry, progress = campaign.get(store, name), campaign.progress(store, name)
    consents = {
        participant.judge.id: participant
        for participant in campaign.participants(store, name)
        if participant.consented_at
    }
    parts = {"judge": progress.judges, "domain": progress.domains, "document": progress.documents}[by]
    output.say(f"{entry.title}: {entry.state}, {progress.done_of_all} {_EVERYTHING} done", style="bold")
    rows = [
        {
            by: part.name,
            "items": part.items,
            "done": part.done,
            "share": percent(part.share, 0),
            "active_minutes": round(part.active_minutes, 1),
            "minutes": f"{part.active_minutes:.1f}",
            "last saved": minute(part.saved_at),
            **({"consent": _consent_text(consents.get(part.name))} if by == "judge" and consents else {}),
        }
        for part in parts
    ]
    items = ("items", _EVERYTHING) if by == "judge" else "items"  # a questionnaire has no document and no domain
    columns: Columns = [by, items, "done", "share", ("minutes", "active minutes"), "last saved"]
    output.table(rows, [*columns, "consent"] if by == "judge" and consents else columns)


def _consent_text(participant: Participant | None) -> str:
    if participant is None or participant.consented_at is None:
        return ""
    return f"{participant.consent}, {minute(participant.consented_at)}"


_MOVES = {"open": campaign.open, "pause": campaign.pause, "close": campaign.close, "reopen": campaign.reopen}


def change(output: Output, store: Store, name: str, state: str) -> None:
    """Open, pause, close or reopen a campaign."""
    entry = _MOVES[state](store, name)
    output.rows.append({"name": entry.name, "state": entry.state.value})
    output.say(f"{entry.name} is {entry.state}.")


def calibrated(output: Output, store: Store, name: str) -> None:
    """End the calibration round: assign the other documents by the campaign's design."""
    number = campaign.after_calibration(store, name)
    output.rows.append({"name": name, "tasks": number})
    output.say(_assigned_text(number))


def _assigned_text(tasks: int) -> str:
    return f"{plural(tasks, 'task was', 'tasks were')} assigned."


# `lanner campaign`, what happens to a campaign as a whole: its settings, the archive, a copy of it, its end.


def settings(output: Output, store: Store, name: str, changes: tuple[str, ...], title: str | None) -> None:
    """Show a campaign's settings, or change some; an empty value removes a setting."""
    values = dict(_change(words) for words in changes)
    if values or title is not None:
        campaign.configure(store, name, title=title, settings=values)
    entry = campaign.get(store, name)
    rows: list[dict[str, Json]] = [{"setting": "title", "value": entry.title}]
    rows += [{"setting": key, "value": value} for key, value in sorted(entry.settings.items())]
    output.table(rows)


def prefill(output: Output, store: Store, name: str, model: str, source: str, unassisted: float) -> None:
    """Offer the marks of a model judge to the people of a campaign in which no person has judged yet."""
    check_settings({SETTING: {"model": model, "from": source, "unassisted": unassisted}})
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


def _change(words: str) -> tuple[str, Json]:
    """`NAME=VALUE`: a number where it is one, true and false, else the text as it is."""
    name, equals, value = words.partition("=")
    if not equals or not name.strip():
        raise InputError(f"{words!r} changes no setting.", next_step="Write it as SETTING=VALUE.")
    if not value.strip():
        return name.strip(), None
    return name.strip(), value if name.strip() in TEXTS else value_of(value)  # a code of digits is no number


def archive(output: Output, store: Store, name: str, take_out: bool) -> None:
    """Archive a campaign: it no longer appears in the list."""
    campaign.archive(store, name, not take_out)
    output.rows.append({"name": name, "archived": not take_out})
    output.say(f"{name} is {'out of' if take_out else 'in'} the archive.")


def duplicate(output: Output, store: Store, name: str, as_name: str, judges: str | None, no_judges: bool) -> None:
    """Create a draft like an existing campaign, without its judgements."""
    others = [] if no_judges else judges_from(judges) if judges else None
    copy = campaign.duplicate(store, name, as_name, others)
    output.rows.append({"name": copy.name, "state": copy.state.value})
    word = shlex.quote(copy.name)
    output.say(f"{copy.name} is a draft. Next: lanner links {word}; lanner campaign set {word} open")


def delete(output: Output, store: Store, name: str, typed: str | None, folder: Path) -> None:
    """Delete a campaign."""
    entry = campaign.get(store, name)
    require_name(typed, entry.name, "the campaign's name")
    copy = folder / copy_name(entry)
    campaign.remove(store, entry.id, name=entry.name, copy=copy)
    output.rows.append({"name": entry.name, "copy": str(copy)})
    output.say(f"{entry.name} is deleted. A copy of everything in it: {copy}")
    output.say(f"Bring it back with: lanner restore {shlex.quote(str(copy))} --campaign {shlex.quote(entry.name)}")


# `lanner campaign import`: answers from a file into a campaign that is there already.


def import_(output: Output, store: Store, name: str, path: Path, model: str, only_look: bool) -> int:
    """Import answers given elsewhere: all in the file, or none; of a model's outputs all that are answers."""
    number = campaign.get(store, name).id
    preview = inspect_outputs(store, number, path, model) if model else inspect_file(store, number, path)
    summary = None
    if not only_look:
        summary = replay(store, number, path, model) if model else import_file(store, number, path)
    rows = [{"judge": judge, "answers": count, "new": not is_present} for judge, count, is_present in preview.judges]
    output.table(rows)
    output.note(*preview.notes)
    if summary is None:
        output.say(f"{plural(preview.answers, 'answer')}, as {preview.format}. Nothing was stored.")
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
    return ExitCode.INCOMPLETE if summary is not None and summary.unusable else ExitCode.DONE


# `lanner promote`: which units go on to a later stage, listed for the organiser to confirm, then assigned.


def run_promote(
    output: Output, store: Store, name: str, page: str, drop: str, drop_first: bool, assigning: bool
) -> None:
    """List items that enough judges marked for a later stage, and assign them with --assign."""
    left_out = set(names(drop))
    entry, protocol = campaign.get(store, name), campaign.protocol(store, name)
    stage = _stage(protocol, page)
    judges, documents = campaign.judges(store, name), campaign.documents(store, name)
    assert stage.promotion is not None
    left_judges = campaign.left_out(store, name)
    votes = (judgement for judgement in campaign.judgements(store, name) if judgement.judge not in left_judges)
    standing = standings(stage.promotion, votes, judges)
    texts = {f"{d.id}/{segment.id}": (segment.source, place) for d in documents for place, segment in enumerate(d)}
    _refuse_unknown(left_out, texts)
    units = [(f"{s.document}/{s.segment}", s) for s in standing if s.promoted]
    going = [
        (unit, s) for unit, s in units if unit not in left_out and not (drop_first and texts.get(unit, ("", 0))[1] == 0)
    ]
    rows = [
        {
            "unit": unit,
            "group": s.group,
            "given": f"{s.votes} of {s.judges}",
            "sentences before": texts.get(unit, ("", 0))[1],
            "sentence": texts.get(unit, ("", 0))[0],
        }
        for unit, s in going
    ]
    output.table(rows)
    first = sum(row["sentences before"] == 0 for row in rows)
    if first:
        output.say(
            in_number(
                first,
                "{n} has nothing before it; --drop-first leaves it out.",
                "{n} have nothing before them; --drop-first leaves them out.",
            )
        )
    output.say(f"{len(going)} of {len(standing)} units go on (more than {percent(stage.promotion.more_than, 0)}).")
    if assigning and going:
        systems = list(all_systems(documents))
        rng = np.random.default_rng([entry.seed, 2])
        people = campaign.working_judges(store, name)
        tasks = promote(page, promoted(s for _, s in going), documents, people, protocol, rng=rng, systems=systems)
        number = campaign.assign(store, name, tasks, only_new=True)
        output.say(_assigned_text(number), style="bold")
    elif going:
        output.say("Look through the list; leave units out with --drop, then add --assign.")


def _refuse_unknown(units: set[str], places: Collection[str]) -> None:
    for unit in units.difference(places):
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
    return [Judge(id_from_name(name), name=name.strip()) for name in words.split(",") if name.strip()]


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
    if not table_header(text.partition("\n")[0]):
        raise InputError("The list of judges needs a column id or name.", where=Where(path, 1))
    try:
        return [entry.judge for entry in parse_judges(text)]
    except InputError as error:
        error.where = replace(error.where, file=path)
        raise


def add_judges(output: Output, store: Store, name: str, judges: str, base_url: str) -> None:
    """Add judges: a number, comma-separated names, or a CSV file."""
    people = judges_from(judges)
    campaign.add_judges(store, name, people)
    output.table([{"judge": p.id, "link": _link(store, name, p.id, base_url)} for p in people])


def _link(store: Store, name: str, judge: str, base_url: str) -> str:
    return f"{base_url}/j/{campaign.invitations.issue(store, name, judge)}"


def replace_judge(output: Output, store: Store, name: str, leaving: str, coming: str, base_url: str) -> None:
    """Hand over unfinished tasks to a new judge."""
    someone = judges_from(coming)
    if len(someone) != 1:
        raise LannerError(f"{coming!r} are {len(someone)} judges.", next_step="Name the one who takes over.")
    number = campaign.replace_judge(store, name, leaving, someone[0])
    link = _link(store, name, someone[0].id, base_url)
    output.rows.append({"leaving": leaving, "judge": someone[0].id, "tasks": number, "link": link})
    output.say(f"{someone[0].id} takes over {plural(number, 'task')} of {leaving}: {link}")


def remove_judge(output: Output, store: Store, name: str, judge: str) -> None:
    """Remove a judge who has answered nothing, with the link and the tasks."""
    campaign.remove_judge(store, name, judge)
    output.rows.append({"judge": judge})
    output.say(f"{judge} is removed from {name}.")


def reopen(output: Output, store: Store, name: str, judge: str, document: str, page: str | None) -> None:
    """Reopen a finished document for a judge."""
    tasks = [task for task in campaign.tasks(store, name, judge) if document in {i.document for i in task.items}]
    tasks_done = [task for task in tasks if task.finished_at is not None and page in (None, task.page)]
    if not tasks_done:
        raise CampaignError(
            f"{judge} has no finished task about {document!r}.",
            code="not_finished",
            next_step=f"`lanner campaign show {shlex.quote(name)} --by document` shows what is done.",
        )
    for task in tasks_done:
        campaign.reopen_task(store, task.id)
    output.rows.extend(
        {"judge": judge, "document": document, "page": task.page, "task": task.id} for task in tasks_done
    )
    output.say(f"{judge} can go on with {document}.")


def add_overlap(output: Output, store: Store, name: str, judges: str, documents: str) -> None:
    """Assign more documents, so that more items have several judges and intervals narrow."""
    number = campaign.add_overlap(store, name, names(judges), names(documents))
    output.rows.append({"name": name, "tasks": number})
    output.say(_assigned_text(number))


def leave_out(output: Output, store: Store, name: str, judge: str, reason: str) -> None:
    """Exclude a judge from all results: agreement, scores, effort, verdict, report."""
    campaign.leave_out(store, name, judge, reason)
    output.rows.append({"judge": judge, "reason": reason})
    back = f"lanner campaign count-again {shlex.join((name, judge))}"
    output.say(f"{judge} counts in no result. To take it back: {back}")


def count_again(output: Output, store: Store, name: str, judge: str) -> None:
    """Include a judge again who was excluded from the results."""
    campaign.count_again(store, name, judge)
    output.rows.append({"judge": judge})
    output.say(f"{judge} counts again.")


def revoke(output: Output, store: Store, name: str, judge: str) -> None:
    """Revoke a judge's link at once."""
    campaign.invitations.revoke(store, name, judge)
    output.rows.append({"judge": judge})
    output.say(f"The link of {judge} works no more.")


def forget(output: Output, store: Store, name: str, judge: str, answers: bool, typed: str | None) -> None:
    """Erase a judge's identity and keep the answers under a pseudonym, or delete the answers too."""
    require_name(typed, judge, "the judge's id")
    if answers:
        number = campaign.withdraw(store, name, judge)
        output.rows.append({"judge": judge, "deleted": number})
        output.say(f"{judge} and {plural(number, 'answer')} are gone.")
    else:
        pseudonym = campaign.erase(store, name, judge)
        output.rows.append({"judge": judge, "called": pseudonym})
        output.say(f"{judge} is now called {pseudonym}.")


def require_name(typed: str | None, name: str, what: str) -> None:
    """Refuse what cannot be undone unless its name was written out."""
    if typed != name:
        raise LannerError(
            f"Nothing was changed: this cannot be undone, so {what} has to be written once more.",
            next_step=f"Add: --typed {name!r}",
        )


# `lanner campaign`, what training needs: sentences to calibrate on, and whether agreement rose afterwards.


def calibrate(
    output: Output, store: Store, name: str, sentences: int, per_document: int | None, assigning: bool
) -> None:
    """List the sentences on which people are furthest apart so far, and give them to everybody again."""
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
        number_of_tasks = assign_calibration(store, name, calibration_items(material.protocol, units))
        output.say(_assigned_text(number_of_tasks), style="bold")
    elif units:
        output.say("Talk about them on the disagreements page, settle what can be settled, then add --assign.")


def training(output: Output, store: Store, name: str, since: str, seed: int) -> None:
    """Compare agreement on the sentences answered before a training with that on those after it."""
    at = _moment(since)
    material = from_campaign(store, name)
    assert material.protocol is not None
    early, late, units_on_both_sides = split_at(material.counted(), local_time(material.settings, at))
    for rows, words in ((early, "before"), (late, "after")):
        if rows.table.is_empty():
            raise StatisticError(
                f"Nothing was answered {words} {since}.", next_step="Name another moment with --since."
            )
    changes = before_and_after(early, late, material.protocol, resampling=Resampling(seed=seed))
    output.rows.extend(change.to_row() for change in changes)
    output.show(
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


def _moment(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise InputError(f"{text!r} is not a date.", next_step="Write it as 2026-11-18 or 2026-11-18T14:00.") from None


# `lanner links`: new links for judges; the old ones stop working.


def run_links(output: Output, store: Store, name: str, judges: tuple[str, ...], base_url: str, show: bool) -> None:
    """Issue new links; the old ones stop working."""
    judge_ids = list(judges) or [entry.judge.id for entry in campaign.invitations.invited_people(store, name)]
    links_of = campaign.invitations.current_secret if show else campaign.invitations.issue
    secrets = {judge: links_of(store, name, judge) for judge in judge_ids}
    rows = [
        {"judge": judge, "link": f"{base_url}/j/{secret}" if secret else "cannot be shown"}
        for judge, secret in secrets.items()
    ]
    output.table(rows)
    if show and None in secrets.values():
        output.note(
            "Some have no link yet, or one that was revoked or made with another key file. "
            f"New ones: lanner links {shlex.quote(name)}"
        )

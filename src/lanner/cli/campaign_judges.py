"""`lanner campaign`, what is about judges: adding and replacing them, their links, what they may judge again."""

from __future__ import annotations

import csv
from datetime import UTC, datetime
from pathlib import Path

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
from lanner.cli.options import names, slug
from lanner.cli.output import Output
from lanner.errors import CampaignError, InputError, LannerError, StatisticError, Where
from lanner.figures.typeset import estimate, number, plural
from lanner.model import Judge
from lanner.model.messages import in_number
from lanner.stats.resample import FEW, Resampling
from lanner.store import Store

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

"""`lanner campaign`, what a meeting needs: can the numbers be trusted, where do judges disagree, what is agreed."""

from __future__ import annotations

from datetime import UTC, datetime

import click
from starlette.datastructures import FormData, UploadFile

from lanner import campaign
from lanner.cli._output import Output, json_option
from lanner.cli._source import store_option
from lanner.errors import InputError, did_you_mean
from lanner.model import Json
from lanner.reports.typeset import estimate, percent
from lanner.store import Store
from lanner.web.judge import guidelines
from lanner.web.making.album import Album
from lanner.web.organiser.settling import given
from lanner.web.page.rendering import hours, money
from lanner.web.picture.judge_rows import JudgeRow
from lanner.web.picture.panels import LivePage, live_page
from lanner.web.picture.told import Measure, Wanted
from lanner.web.picture.verdict import Check


@click.command("check", short_help="Can the numbers be trusted so far?")
@click.argument("name")
@click.option("--question", default="", help="The question that divergence is shown for (default: the main one).")
@store_option
@json_option
def check(name: str, question: str, store_place: str, as_json: bool) -> None:
    """Say what the live page says: a verdict with four checks, everyone's progress, pace and cost, agreement per
    question now and expected at completion, who diverges and on what, which labels are told apart least.

    Example: lanner campaign check pilot
    """
    output = Output("campaign check", as_json)
    with Store.open(store_place, create=False) as store:
        found = campaign.get(store, name)
        album, main = Album(store), str(found.settings.get("main_question", ""))
        picture = album.picture(found.id, main)
        chosen = album.picture(found.id, question) if question else picture
        live = live_page(store, found, picture, datetime.now(UTC), chosen=chosen)
    output.signature = live.signature
    output.say(f"{live.verdict.say} {live.verdict.advice}".strip(), style="bold")
    output.table([_check(entry) for entry in live.verdict.checks], ["check", "value", "sign", "why"])
    output.say()
    judges = [_judge(row, live) for row in (*live.people, *live.models)]
    output.table(judges, ["judge", "done", "share", "finish", "a minute", "active", "cost", "controls missed"])
    output.say()
    measured = [_measure(entry) for entry in live.measures]
    output.table(measured, [("label", "agreement on"), "now", ("expected", "at completion"), "items", "documents"])
    for need in live.needs:
        output.note(f"{need.say} {need.more}".strip())
    output.notes.extend(live.contrasts.swaps)
    for one, other, change in live.apart.merges[:3] if live.apart else ():
        output.note(f"Merging {one} and {other} would change α by {change:+.2f}.")
    output.end()


def _check(entry: Check) -> dict[str, Json]:
    value = f"{entry.value} {entry.small}".strip()
    said = {"check": entry.name, "value": value, "tone": entry.tone, "sign": entry.sign, "why": entry.why}
    return {"about": "check", **said}


def _judge(row: JudgeRow, live: LivePage) -> dict[str, Json]:
    pace = row.outlook.pace
    return {
        "about": "judge",
        "judge": row.seat.judge.id,
        "kind": str(row.seat.judge.kind),
        "done": row.outlook.done,
        "items": row.outlook.total,
        "share": percent(row.outlook.share, 0),
        "finish": " ".join(part for part in (row.finish, row.late or row.early) if part),
        "a minute": None if pace.per_minute is None else round(pace.per_minute, 2),
        "active": hours(row.outlook.active),
        "cost": "" if row.cost is None else f"{live.plan.currency}{money(row.cost)}",
        "controls missed": f"{row.missed} of {row.asked}" if row.asked else "none asked",
    }


def _measure(entry: Measure) -> dict[str, Json]:
    return {
        "about": "agreement",
        "question": entry.question,
        "row": entry.row,
        "label": entry.label,
        "value": entry.value,
        "low": entry.low,
        "high": entry.high,
        "now": estimate(entry.value, entry.low, entry.high),
        "expected": estimate(entry.value, entry.expected_low, entry.expected_high),
        "items": entry.items,
        "documents": entry.documents,
        "signature": entry.signature,
    }


@click.command("disagreements", short_help="Where judges disagree, the furthest apart first.")
@click.argument("name")
@click.option("--question", default="", help="Only about this question.")
@click.option("--domain", default="", help="Only in this domain.")
@click.option("--document", default="", help="Only in this document.")
@click.option("--judges", default="", metavar="A,B", help="Only between these two.")
@click.option("--labels", default="", metavar="A,B", help="Only where both labels were given to --question.")
@click.option(
    "--show",
    type=click.Choice(["open", "settled", "all"]),
    default="open",
    show_default=True,
    help="Open ones, settled ones, or all.",
)
@click.option("--most", default=50, show_default=True, help="At most so many.")
@store_option
@json_option
def disagreements(
    name: str,
    question: str,
    domain: str,
    document: str,
    judges: str,
    labels: str,
    show: str,
    most: int,
    store_place: str,
    as_json: bool,
) -> None:
    """List what people answered differently, the furthest apart first.

    Example: lanner campaign disagreements pilot --question skills --judges ana,ben
    """
    output = Output("campaign disagreements", as_json)
    wanted = Wanted(question, domain, document, _two(judges, "--judges"), _two(labels, "--labels"), show)
    with Store.open(store_place, create=False) as store:
        found = Album(store).disagreements(campaign.get(store, name).id, wanted)
    rows = [
        {
            "document": spot.document,
            "segment": spot.segment,
            "system": spot.system,
            "domain": spot.domain,
            "distance": round(spot.distance, 4),
            "answers": [f"{judge}: {said}" for judge, said in spot.given],
            "settled": "yes" if spot.settled else "",
        }
        for spot in found.spots[:most]
    ]
    output.say(f"{found.found} disagreements in {found.shared} shared units, {found.settled} of them settled")
    output.table(rows)
    output.end()


def _two(text: str, option: str) -> tuple[str, ...]:
    parts = tuple(part.strip() for part in text.split(",") if part.strip())
    if len(parts) not in (0, 2):
        raise InputError(f"{option} takes two names.", next_step=f"For instance: {option} one,other")
    return parts


@click.command("settle", short_help="Keep what was agreed about one disagreement.")
@click.argument("name")
@click.argument("document")
@click.argument("segment", default="")
@click.option("--system", default="", help="The system; several with | between (as `disagreements` lists them).")
@click.option(
    "--answer",
    "answers",
    multiple=True,
    metavar="QUESTION=VALUE",
    help="What was agreed; a part of a question as QUESTION.PART=VALUE; QUESTION@=JUDGE takes a judge's answer.",
)
@click.option("--note", default="", help="A note of the meeting.")
@click.option("--guideline", is_flag=True, help="Put the note into the guidelines: all judges see it from now on.")
@store_option
@json_option
def settle(
    name: str,
    document: str,
    segment: str,
    system: str,
    answers: tuple[str, ...],
    note: str,
    guideline: bool,
    store_place: str,
    as_json: bool,
) -> None:
    """Keep what was agreed as the answers of a judge of its own. Everyone's own answers stay as they are.

    Example: lanner campaign settle pilot d1 3 --system alder --answer skills.fluency=high --note "Idiom counts."
    """
    output = Output("campaign settle", as_json)
    unit = (document, segment, tuple(system.split("|")) if system else ())
    with Store.open(store_place, create=False) as store:
        found = campaign.get(store, name)
        said = given(store, found.id, unit, _form(store, found.id, answers))
        questions = campaign.settle(store, found.id, unit, said, note=note)
        if note and guideline:
            guidelines.add(store, found.id, note, account=None, at=datetime.now(UTC))
    output.rows.append({"document": document, "segment": segment, "system": system, "questions": list(questions)})
    output.say(f"Settled: {', '.join(questions) or 'nothing but the note'}.")
    output.end()


def _form(store: Store, campaign_id: int, answers: tuple[str, ...]) -> FormData:
    """The answers as a form would send them, so that both are read alike."""
    known = [question.id for _, question in campaign.protocol(store, campaign_id).questions]
    fields: list[tuple[str, str | UploadFile]] = []
    for words in answers:
        field, equals, value = words.partition("=")
        asked = field.partition(".")[0].removesuffix("@")
        if not equals or asked not in known:
            hint = did_you_mean(asked, known) if equals else "Write it as QUESTION=VALUE."
            raise InputError(f"{words!r} answers no question of this campaign.", next_step=hint)
        fields.append((field, value))
    return FormData(fields)


@click.command("note", short_help="Add a note to the guidelines that all judges see.")
@click.argument("name")
@click.argument("text", default="")
@store_option
@json_option
def note(name: str, text: str, store_place: str, as_json: bool) -> None:
    """Add a note to the guidelines; without a text, list those there are. Notes are numbered and dated and stay.

    Example: lanner campaign note pilot "An acronym counts as terminology."
    """
    output = Output("campaign note", as_json)
    with Store.open(store_place, create=False) as store:
        found = campaign.get(store, name)
        if text.strip():
            guidelines.add(store, found.id, text.strip(), account=None, at=datetime.now(UTC))
        notes = guidelines.notes(campaign.get(store, name).settings)
    output.table([{"number": entry.number, "since": entry.at, "text": entry.text} for entry in notes])
    if not notes:
        output.say("There are no notes yet.")
    output.end()

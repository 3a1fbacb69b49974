"""`lanner new` and `design`: a campaign created, and who would get what before that."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from lanner import campaign, designs, formats, protocols, registry
from lanner.campaign.create import with_questionnaires
from lanner.campaign.prefill import SETTING as PREFILL
from lanner.campaign.settings import check_names, check_settings
from lanner.cli import notes_of, parse_options, reading_options, typed
from lanner.cli.campaign import judges_from
from lanner.cli.early_checks import names
from lanner.cli.output import Output
from lanner.cli.source import documents_of, new_store
from lanner.designs.adaptive import NAME as ADAPTIVE
from lanner.designs.counterbalancing import describe_balance
from lanner.designs.plan import loads, preview
from lanner.errors import LannerError, Where
from lanner.model import Campaign, Document, Json, all_systems
from lanner.protocols.context import names_in
from lanner.store import Store

# What a campaign adds to its design, from a TOML file and from options: questionnaires, controls, tutorial.


def settings_from(path: Path | None, before: str, after: str) -> dict[str, Json]:
    """The settings of a campaign; an option counts more than the file."""
    values: dict[str, Json] = {}
    if path is not None:
        values = registry.toml_table(registry.read_text(path, "settings"), path)
        check_names(values, where=Where(path))
        check_settings(values)
    for name, text in (("before", before), ("after", after)):
        if text:
            values[name] = names(text)
    return values


# `lanner new`: make a campaign from texts, a protocol and judges, and hand out the judges' links.


def run_new(
    output: Output,
    name: str | None,
    texts: tuple[Path, ...],
    protocol: str | None,
    published: bool,
    judges: str | None,
    design: str,
    options: tuple[str, ...],
    goal: str | None,
    budget: int | None,
    contexts: str,
    prefill: str | None,
    unassisted: float | None,
    systems: str | None,
    seed: int,
    title: str,
    settings_file: Path | None,
    before: str,
    after: str,
    draft: bool,
    base_url: str,
    format_name: str | None,
    store_place: str,
) -> None:
    """Create a campaign. Missing options are prompted for."""
    name = _ask_for(name, "Name of the campaign (letters, digits, dashes)", "NAME")
    paths = list(texts) or [Path(_ask_for(None, "File or folder with the texts", "--texts"))]
    protocol = _ask_for(protocol, f"Protocol ({', '.join(protocols.names())})", "--protocol")
    judges = _ask_for(judges, "Judges: how many, or their names with commas", "--judges")
    settings = settings_from(settings_file, before, after) | ({"wording": "published"} if published else {})
    if contexts:
        settings["contexts"] = names_in(contexts)
    if prefill or unassisted is not None:
        settings[PREFILL] = _prefill(prefill, unassisted)
    design, adaptive_options = _adaptive(design, goal, budget)
    design = _design_for(design, settings)
    designs.load(design)  # an unknown design is said before anything is read
    people = judges_from(judges)
    if not people:
        raise LannerError("There are no judges.", next_step="Say how many, or name them: --judges 3")
    documents = _documents(output, paths, format_name)
    with new_store(store_place) as store:
        entry = campaign.create(
            store,
            name,
            documents,
            protocols.load(protocol, wording=str(settings.get("wording", ""))),
            people,
            design=design,
            systems=names(systems) or None,
            seed=seed,
            options=typed(parse_options(options)) | adaptive_options,
            title=title,
            settings=settings,
        )
        if not draft:
            entry = campaign.open(store, entry.id)
        links = campaign.invitations.issue_all(store, entry.id)
        for note in (_balance(store, entry), *uneven_loads(store, entry.id)):
            if note:
                output.note(note)
        _say(output, store, entry, {judge: f"{base_url}/j/{secret}" for judge, secret in links.items()})


def _prefill(source: str | None, unassisted: float | None) -> dict[str, Json]:
    """The setting that `--set prefill=MODEL@SOURCE` and `--set unassisted` stand for."""
    model, at, place = (source or "").partition("@")
    if not (model and at and place):
        raise LannerError(
            "It must be said whose marks are offered, and where they are.",
            next_step="Write --set prefill=MODEL@CAMPAIGN, or --set prefill=MODEL@FILE.",
        )
    return {"model": model, "from": place, **({} if unassisted is None else {"unassisted": unassisted})}


def _adaptive(design: str, goal: str | None, budget: int | None) -> tuple[str, dict[str, Json]]:
    """The design and its options, where a goal or a budget makes it adaptive."""
    if goal is None and budget is None:
        return design, {}
    if design not in ("full", ADAPTIVE):
        raise LannerError(
            f"A goal and a budget belong to an adaptive campaign, not to the design {design!r}.",
            next_step="Leave --design out, or leave goal and budget out.",
        )
    options: dict[str, Json] = {} if goal is None else {"goal": goal}
    return ADAPTIVE, options if budget is None else {**options, "budget": budget}


def _design_for(design: str, settings: Mapping[str, Json]) -> str:
    """The usual design, unless texts are shown in several contexts: nobody may meet a text in two of them."""
    return "latin_square" if settings.get("contexts") and design == "full" else design


def _documents(output: Output, paths: Sequence[Path], format_name: str | None) -> list[Document]:
    """The texts, with what was noticed on reading them: a guess that nobody sees may be wrong for a whole campaign."""
    source: formats.PathOrPaths = paths[0] if len(paths) == 1 else list(paths)
    readings = formats.read_texts(source, format_name, **reading_options())
    output.note(*notes_of(*readings))
    return [document for part in readings for document in part.documents]


def _balance(store: Store, entry: Campaign) -> str:
    """Where a Latin square is not exactly balanced, since the judges are no multiple of what it rotates."""
    if entry.design != "latin_square":
        return ""
    tasks = [task for judge in campaign.judges(store, entry.id) for task in campaign.tasks(store, entry.id, judge.id)]
    return describe_balance(tasks, campaign.documents(store, entry.id), campaign.protocol(store, entry.id))


def uneven_loads(store: Store, number: int) -> list[str]:
    """Who has clearly more to read than the others, where whole documents force that."""
    tasks = [task for judge in campaign.judges(store, number) for task in campaign.tasks(store, number, judge.id)]
    spread = loads(tasks, campaign.documents(store, number))
    return [
        f"{judge} has {spread.words[judge]:,} words to read, {spread.words[judge] / spread.mean:.1f} times the mean: "
        "documents stay whole. Divide long documents, or use another design."
        for judge in spread.uneven[:3]
    ]


def _ask_for(value: str | None, question: str, option: str) -> str:
    """The value given, or the answer to a question where someone sits at a keyboard."""
    if value:
        return value
    if not sys.stdin.isatty():
        raise LannerError(f"{option} is missing.", next_step="`lanner new --help` shows an example.")
    return str(click.prompt(question))


def _say(output: Output, store: Store, entry: Campaign, links: dict[str, str]) -> None:
    progress = {part.name: part for part in campaign.progress(store, entry.id).judges}
    rows = [
        {"judge": judge, "items": part.items, "tasks": part.tasks, "link": links.get(judge, "")}
        for judge, part in progress.items()
    ]
    output.sign(f"{entry.protocol_name} · hash {entry.protocol_hash} · design {entry.design} · seed {entry.seed}")
    output.say(f"{entry.title} is {entry.state}. Each judge has a personal link:")
    output.table(rows, ["judge", "tasks", "items", "link"])
    output.say()
    output.say("Next: lanner serve", style="bold")


# `lanner design`: who would get what, how long it would take and what it would cost, before anything is created.


def run_design(
    output: Output,
    texts: Path | None,
    protocol: str | None,
    judges: str,
    name: str,
    options: tuple[str, ...],
    contexts: str,
    systems: str | None,
    settings_file: Path | None,
    before: str,
    after: str,
    seed: int,
    rate: float | None,
    format_name: str | None,
) -> None:
    """Preview the assignments of a campaign. Without --texts and --protocol, list the designs and their options."""
    if texts is None or protocol is None:
        rows = [
            {"design": key, "what": title, "options": ", ".join(f"{k}={v}" for k, v in designs.options(key).items())}
            for key, title in designs.titles().items()
        ]
        output.table(rows)
        return
    documents = list(documents_of(texts, format_name))
    settings = settings_from(settings_file, before, after)
    people = judges_from(judges)
    if contexts:
        settings["contexts"] = names_in(contexts)
    name = _design_for(name, settings)
    protocol_in_use = with_questionnaires(protocol, settings)
    summary = preview(
        name,
        documents,
        people,
        protocol_in_use,
        systems=names(systems) or all_systems(documents),
        options=typed(parse_options(options)),
        settings=settings,
        seed=seed,
        hourly_rate=rate,
    )
    if name == ADAPTIVE:
        output.note("At most: an adaptive campaign ends when it is enough. lanner plan says what that may save.")
    for what, how_much in summary.facts:
        output.say(f"  {what:<10} {how_much}")
    output.say()
    output.table([judge.row() for judge in summary.judges])
    output.say()
    output.table([page.row() for page in summary.pages])
    output.notes.extend(summary.warnings)
    output.sign(f"{protocol_in_use.label} · design {name} · seed {seed}")

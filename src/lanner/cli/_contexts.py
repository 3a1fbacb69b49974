"""Model judges side by side on the command line: the table, and `lanner judge --compare-contexts`."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from lanner import campaign
from lanner.cli._judging import limits_from, plans_from, price_notes, texts_and_protocol, watching
from lanner.cli._options import slug
from lanner.cli._output import Output
from lanner.errors import LannerError
from lanner.judges.comparison import Standing, compare, sample_documents
from lanner.judges.plan import Plan
from lanner.judges.run import run
from lanner.model import Campaign, Document, Protocol, Result
from lanner.protocols.context import canonical, names_in
from lanner.store import Store, fingerprint

SENTENCES = 100
"""How many sentences are judged in every context, unless --limit says otherwise."""
_ASCII = {"±": "-", ",": "-"}


def compare_contexts(output: Output, source: str, store_place: str, options: dict[str, Any]) -> int:
    """Judge a sample of whole documents in every context, in a campaign of its own, and compare. The exit code: 0 where
    every item has its answer, 3 where some have none."""
    contexts = list(dict.fromkeys(canonical(name) for name in names_in(options["contexts"])))
    if len(contexts) < 2:
        raise LannerError("One context cannot be compared.", next_step="Give several, with semicolons between them.")
    plans = [in_context(plan, name) for plan in plans_from(options) for name in contexts]
    sentences = options["limit"] or SENTENCES
    limits = limits_from(options | {"limit": None}, plans)
    output.notes.extend(price_notes(plans, options))
    with Store.open(store_place) as store:
        documents, protocol = texts_and_protocol(store, source, options)
        is_campaign = source in [entry.name for entry in campaign.campaigns(store)]
        name = f"{source if is_campaign else slug(Path(source).stem)}-contexts"
        sample = _sample(store, name, sample_documents(documents, sentences), protocol, plans)
        with watching(output) as show:
            totals = asyncio.run(run(store, sample.id, plans, limits=limits, report=show))
        people = source if is_campaign else sample.id
        standings = compare(store, sample.id, [plan.judge for plan in plans], people_of=people)
        print_standings(output, standings)
        documents = campaign.documents(store, sample.id)
        number = sum(len(document.segments) for document in documents)
        output.note(
            f"A sample of {len(documents):,} documents with {number:,} sentences, judged in the campaign {name}. "
            f"Changes and gains are against {standings[0].judge}."
        )
        if not any(standing.agreement for standing in standings):
            output.note("No person has judged these texts, so there is no agreement to show.")
    return 3 if totals.missing or totals.failed or totals.waiting or totals.stopped else 0


def in_context(plan: Plan, context: str) -> Plan:
    """The same judge in another context, under a name that says so."""
    suffix = "".join(_ASCII.get(letter, letter) for letter in context)
    return replace(plan, judge=f"{plan.judge}-{suffix}", settings=replace(plan.settings, context=context))


def _sample(
    store: Store, name: str, documents: Sequence[Document], protocol: Protocol, plans: Sequence[Plan]
) -> Campaign:
    """The campaign of the sample: made once, and gone on with after that."""
    if name in [entry.name for entry in campaign.campaigns(store)]:
        if fingerprint(campaign.documents(store, name)) != fingerprint(documents):
            raise LannerError(
                f"There is a campaign {name!r} with another sample.", next_step="Give the same --limit as before."
            )
        return campaign.get(store, name)
    judges = [plan.as_judge() for plan in plans]
    sample = campaign.create(store, name, documents, protocol, judges, options={"all_scenarios": True})
    return campaign.open(store, sample.id)


def print_standings(output: Output, standings: Sequence[Standing]) -> None:
    """A row for each judge and question."""
    rows = []
    for standing in standings:
        questions = list(dict.fromkeys((*standing.agreement, *standing.same_as_first))) or [""]
        for place, question in enumerate(questions):
            row: dict[str, Any] = {
                "judge": standing.judge,
                "context": standing.context,
                "prompt": standing.prompt,
                "question": question,
                **_columns("agreement", standing.agreement.get(question)),
                **_columns("gain", standing.gain.get(question)),
                **_columns("same", standing.same_as_first.get(question)),
            }
            if place == 0:
                row |= {
                    "replies": standing.replies,
                    "missing": standing.missing,
                    "refusals": standing.refusals,
                    "cost": standing.cost,
                }
            rows.append(row)
    columns: list[str | tuple[str, str]] = [
        *("judge", "context", "prompt", "question"),
        ("agreement estimate", "agreement with people [95 %]"),
        ("gain estimate", "gain over the first [95 %]"),
        ("same estimate", "same answer as the first [95 %]"),
        *("replies", "missing", "refusals", "cost"),
    ]
    columns_used = [
        entry for entry in columns if any(row.get(entry if isinstance(entry, str) else entry[0]) for row in rows)
    ]
    output.table(rows, columns_used)


def _columns(name: str, result: Result | None) -> dict[str, Any]:
    if result is None or result.value is None:
        return {}
    interval = result.interval
    columns: dict[str, Any] = {name: result.value, f"{name} estimate": f"{result.value:.3f}"}
    if interval is not None:
        columns |= {f"{name} low": interval.low, f"{name} high": interval.high}
        columns[f"{name} estimate"] += f" [{interval.low:.3f}, {interval.high:.3f}]"
    return columns

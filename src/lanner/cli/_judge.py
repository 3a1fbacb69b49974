"""`lanner judge`: let models judge a campaign or a file of texts, by the same protocol as people."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lanner import campaign
from lanner.cli._contexts import compare_contexts
from lanner.cli._judge_settings import SETTINGS, settings_from
from lanner.cli._judging import (
    limits_from,
    place_of,
    plans_from,
    price_notes,
    removed_if_unused,
    texts_and_protocol,
    watching,
)
from lanner.cli._output import Output, result_rows
from lanner.cli._replay import take_in
from lanner.cli._source import new_store
from lanner.errors import ExitCode, LannerError
from lanner.judges.audit import audit
from lanner.judges.dry_run import estimate
from lanner.judges.examples import agreed, demanded
from lanner.judges.plan import Limits, Plan, Totals
from lanner.judges.ray_cluster import run_on_ray
from lanner.judges.run import Report
from lanner.judges.run import run as judge_all
from lanner.model import Campaign
from lanner.store import Store


def run(
    source: str,
    dry_run: bool,
    replays: tuple[Path, ...],
    store_place: str,
    as_json: bool,
    settings_file: Path | None,
    assignments: tuple[str, ...],
    **options: Any,
) -> None:
    """Run LLM judges. An interrupted run resumes with the same command; nothing is asked twice."""
    output = Output("judge", as_json)
    exit_code = 0
    values, notes = settings_from(settings_file, assignments, {name: options.pop(name) for name in SETTINGS})
    options |= values
    output.notes.extend(notes)
    if replays:
        output.note("--replay still works; now it is lanner replay CAMPAIGN FILE.")
        take_in(output, source, replays, store_place, options["judge_name"])
    elif options["contexts"]:
        exit_code = compare_contexts(output, source, store_place, options)
    else:
        plans = plans_from(options)
        limits = limits_from(options, plans)
        output.notes.extend(price_notes(plans, options))
        if dry_run:
            _rehearse(output, source, store_place, plans, limits, options)
        else:
            exit_code = _run(output, source, store_place, plans, limits, options)
    output.end()
    sys.exit(exit_code)


def _run(
    output: Output, source: str, store_place: str, plans: list[Plan], limits: Limits, options: dict[str, Any]
) -> int:
    """The exit code, which says whether every item has its answer."""
    with new_store(store_place) as store, removed_if_unused(store, plans):
        entry = place_of(store, source, options, plans)
        ways = sorted({f"{plan.attributes['template']} · context {plan.settings.context}" for plan in plans})
        output.sign(f"{entry.protocol_name} · hash {entry.protocol_hash} · {', '.join(ways)}")
        try:
            with watching(output) as show:
                totals = _by_engine(output, store, entry, plans, limits=limits, report=show, options=options)
        except KeyboardInterrupt:
            sys.stderr.write("\nStopped. What was answered is kept; the same command goes on from there.\n")
            sys.exit(ExitCode.STOPPED)
        if totals.failed and not totals.calls:
            raise LannerError(
                f"No answer came from the server: {totals.problem}.",
                next_step="Does it run, and is --base-url right? Nothing was stored; the same command asks again.",
            )
        _say(output, totals, sorted({member.model for plan in plans for member in plan.members}))
        _audited(output, store, entry, plans)
        if totals.items:
            output.say()
            output.say(f"Next: lanner agreement {entry.name}", style="bold")
    is_whole = not (totals.missing or totals.failed or totals.waiting or totals.stopped)
    return ExitCode.DONE if is_whole else ExitCode.INCOMPLETE


def _by_engine(
    output: Output,
    store: Store,
    entry: Campaign,
    plans: list[Plan],
    *,
    limits: Limits,
    report: Report,
    options: dict[str, Any],
) -> Totals:
    if options["engine"] == "local":
        return asyncio.run(judge_all(store, entry.id, plans, limits=limits, report=report))
    where = {"address": options["ray_address"], "per_machine": options["workers"]}
    totals, summary = run_on_ray(store, entry.id, plans, limits=limits, report=report, **where)
    output.note(f"{summary.parts:,} parts of whole documents, on {summary.machines:,} machines.")
    if summary.deaths:
        output.note(f"{summary.deaths:,} workers died; others went on with their documents from the ledger.")
    for problem in summary.stopped.values():
        output.note(f"A machine was left out: {problem}")
    return totals


def _say(output: Output, totals: Totals, questions: Sequence[str]) -> None:
    row = {
        "items": totals.items,
        "missing": totals.missing,
        "left open": totals.failed + totals.waiting,
        "replies": totals.calls,
        "asked again": totals.reasks,
        "spellings mended": totals.repairs,
        "tokens in": totals.tokens_in,
        "tokens out": totals.tokens_out,
        "cost": totals.cost if totals.priced and totals.calls else None,
    }
    output.table([row])
    if totals.stopped:
        output.note(f"Stopped early: {totals.stopped}. The same command goes on from there.")
    for step, number in totals.wrong.items():
        output.note(f"{number:,} replies {_WRONG.get(step, f'failed at {step}')}.")
    for means, number in totals.means.items():
        output.note(f"{number:,} replies were asked for by {_MEANS.get(means, means)}.")
    if totals.estimated:
        output.note(
            f"{totals.estimated:,} replies came without the number of their tokens; it was estimated from the texts, "
            "and so was their cost."
        )
    for model, number in totals.answered_as.items():
        was = "was" if len(questions) == 1 else "were"
        as_asked = "" if model in questions else f", though {' and '.join(questions)} {was} asked"
        output.note(f"{number:,} replies came from {model}{as_asked}.")
    if totals.missing:
        output.note(
            f"{totals.missing:,} items are missing: no valid answer came. Next: --retry-missing asks again; "
            "what was sent and what came is in the ledger."
        )
    if totals.failed:
        why = f" ({totals.problem})" if totals.problem else ""
        output.note(
            f"{totals.failed:,} items were left open because the server gave no answer{why}. "
            "Next: the same command asks again."
        )
    if totals.waiting:
        output.note(
            f"{totals.waiting:,} items were not asked about: what they ask depends on an earlier page "
            "that has no answer yet."
        )
    if not totals.open:
        output.note("Nothing was open: these judges have answered everything here.")


_WRONG = {
    "json": "were not JSON",
    "schema": "did not have the form that was asked for",
    "meaning": "meant nothing in this protocol",
    "length": "were cut off at the limit of --max-tokens",
    "refusal": "were refusals",
    "refused": "were refused by the campaign",
}
_MEANS = {
    "json_schema": "a JSON schema that the server holds the model to",
    "grammar": "a grammar that the server holds the model to",
    "json_object": "JSON of any form, with the form described in the prompt",
    "plain": "plain text, with the form described in the prompt",
    "batch": "the batch interface",
}


_AUDITED: list[str | tuple[str, str]] = ["judge", "question", "statistic", ("estimate", "estimate [95 %]"), "p", "n"]


def _audited(output: Output, store: Store, entry: Campaign, plans: Sequence[Plan]) -> None:
    """Self-consistency and order effects, where a judge was asked in ways that show them."""
    asked_twice = [p for p in plans if p.samples > 1 or p.swap or p.shuffle or len(p.members) > 1]
    results = [result for plan in asked_twice for result in audit(store, entry.id, plan.judge)]
    if results:
        output.say()
        output.table(result_rows(results), _AUDITED)
        output.notes.extend(dict.fromkeys(note for result in results for note in result.notes))


def _rehearse(
    output: Output, source: str, store_place: str, plans: list[Plan], limits: Limits, options: dict[str, Any]
) -> None:
    here = "://" in store_place or Path(store_place).exists()
    if here:
        with Store.open(store_place, create=False) as store:
            documents, protocol = texts_and_protocol(store, source, options)
            names = [entry.name for entry in campaign.campaigns(store)]
            examples = agreed(store, source) if source in names and options["few_shot"] else []
            items_done = _done(store, source, plans) if source in names else 0
    else:
        documents, protocol = texts_and_protocol(None, source, options)
        examples, items_done = [], 0
    demanded(examples, options["few_shot"])
    forecast = asyncio.run(estimate(documents, protocol, plans, examples=examples, limits=limits, done=items_done))
    for number, call in enumerate(forecast.prompts, 1):
        output.say(f"Prompt {number}, to {call.model}", style="bold")
        for message in call.messages:
            output.say(f"[{message['role']}]\n{message['content']}\n")
    output.table(
        [
            {
                "items": forecast.items,
                "calls": forecast.calls,
                "tokens in": forecast.tokens_in,
                "tokens out": forecast.tokens_out,
                "cost": forecast.cost,
            }
        ]
    )
    output.note("An estimate: tokens are reckoned from characters, and nobody was asked.")
    if forecast.cost is None:
        output.note("The price of this model is not known here: give --set price_in=… and --set price_out=….")


def _done(store: Store, source: str, plans: Sequence[Plan]) -> int:
    names = {plan.judge for plan in plans}
    return sum(part.done for part in campaign.progress(store, source).judges if part.name in names)

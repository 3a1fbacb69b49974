"""`lanner judge`: let models judge a campaign or a file of texts, by the same protocol as people."""

from __future__ import annotations

import asyncio
import shlex
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

from rich.progress import BarColumn, MofNCompleteColumn, TimeRemainingColumn

from lanner import campaign, protocols
from lanner.cli import reading_options, slug
from lanner.cli.early_checks import has_store
from lanner.cli.model_judges import run_replay
from lanner.cli.output import Columns, Output, progress_bar, result_rows
from lanner.cli.source import documents_of, new_store
from lanner.errors import ExitCode, LannerError, did_you_mean
from lanner.judges.comparison import CONTEXT_SAMPLE, ComparedJudge, audit, compare, sample_documents
from lanner.judges.plan import Limits, Plan, Totals
from lanner.judges.prompt import find_examples, require_examples
from lanner.judges.ray_cluster import run_on_ray
from lanner.judges.run import INTERRUPTED, Report, estimate
from lanner.judges.run import run as judge_all
from lanner.judges.settings import SETTINGS, settings_from
from lanner.judges.setup import campaign_of_texts, in_contexts, limits_from, plans_from, price_notes, removed_if_unused
from lanner.model import Campaign, Document, Protocol, Result, messages
from lanner.model.messages import plural, words
from lanner.protocols.context import names_in
from lanner.store import Store

# What models judge, and the line that shows how far they are.


def texts_and_protocol(store: Store | None, source: str, options: dict[str, Any]) -> tuple[list[Document], Protocol]:
    """What would be judged, without making anything."""
    names = [entry.name for entry in campaign.campaigns(store)] if store else []
    if store and source in names:
        _refuse_other_task(campaign.get(store, source), options["protocol"])
        return campaign.documents(store, source), campaign.protocol(store, source)
    return _texts(source, names, options), protocols.load(_require_protocol(options))


def _refuse_other_task(found: Campaign, name: str | None) -> None:
    """Refuse to judge a campaign by another protocol, or in part: all of its texts would be asked about, and paid."""
    if pair := reading_options().get("languages"):
        what = f"A campaign is judged whole, and not its texts of {pair} alone."
        raise LannerError(what, next_step="Leave out --languages, or make a campaign for each language pair.")
    if name and protocols.load(name).name != found.protocol_name:
        what = f"The campaign {found.name!r} asks {found.protocol_name}, not {name}."
        raise LannerError(what, next_step="Leave out --protocol, or give a file of texts.")


def place_of(store: Store, source: str, options: dict[str, Any], plans: Sequence[Plan]) -> Campaign:
    """The campaign of that name; for a file of texts a campaign made of it, or the one made of it before."""
    names = [entry.name for entry in campaign.campaigns(store)]
    if source in names:
        found = campaign.get(store, source)
        _refuse_other_task(found, options["protocol"])
        if options["name"]:
            raise LannerError(f"{source!r} has its name already.", next_step="Leave out --set name.")
        return found
    documents, protocol = _texts(source, names, options), protocols.load(_require_protocol(options))
    name = _campaign_name(source, protocol, options)
    if name not in names:
        require_examples([], options["few_shot"])  # a new campaign has none
    return campaign_of_texts(store, name, documents, protocol, plans)


def _campaign_name(source: str, protocol: Protocol, options: dict[str, Any]) -> str:
    """What the campaign is called that is made of a file of texts."""
    return options["name"] or f"{slug(Path(source).stem)}-{slug(protocol.name)}"


def _texts(source: str, names: Sequence[str], options: dict[str, Any]) -> list[Document]:
    if not Path(source).exists():
        hint = did_you_mean(source, names) or "Give a file of texts, or name the database with --store."
        raise LannerError(f"There is no file and no campaign called {source!r}.", next_step=hint)
    return list(documents_of(Path(source), options["format_name"]))


def _require_protocol(options: dict[str, Any]) -> str:
    if not options["protocol"]:
        protocol_names = ", ".join(protocols.names())
        raise LannerError(
            "--protocol is missing: texts say nothing about what is asked.", next_step=f"Known: {protocol_names}."
        )
    return str(options["protocol"])


@contextmanager
def watching(output: Output) -> Iterator[Callable[[Totals], None]]:
    """Show on a terminal how far a run is: items, pace, tokens, cost so far and expected, what went wrong."""
    began = time.monotonic()
    columns = ("Judging", BarColumn(bar_width=24), MofNCompleteColumn(), "{task.fields[words]}", TimeRemainingColumn())
    with progress_bar(output, *columns) as bar:
        if bar is None:
            yield lambda _totals: None
            return
        task = bar.add_task("", total=None, words="")

        def show(totals: Totals) -> None:
            bar.update(task, total=totals.open, completed=totals.settled, words=line(totals, time.monotonic() - began))

        yield show


def line(totals: Totals, seconds: float) -> str:
    """One line: pace, tokens, cost so far and expected, what went wrong."""
    words = [
        f"{totals.settled / seconds:.1f}/s" if seconds > 0 else "",
        f"{totals.tokens_in + totals.tokens_out:,} tokens",
    ]
    if totals.priced and totals.cost:
        cost = totals.expected_cost
        words.append(f"cost {totals.cost:.2f}" + (f" of about {cost:.2f}" if cost else ""))
    counts = ((totals.reasks, "asked again"), (totals.overloads, "repeated"), (totals.missing, "missing"))
    words += [f"{number} {what}" for number, what in (*counts, (totals.failed, "left open")) if number]
    return " · ".join(filter(None, words))


# Model judges side by side on the command line: the table, and `lanner judge --compare-contexts`.


def compare_contexts(
    output: Output, source: str, store_place: str, plans: list[Plan], limits: Limits, options: dict[str, Any]
) -> int:
    """Judge a sample of whole documents in every context, in a campaign of its own, and compare."""
    with new_store(store_place) as store, removed_if_unused(store, plans):
        texts, protocol = texts_and_protocol(store, source, options)
        is_campaign = source in [entry.name for entry in campaign.campaigns(store)]
        name = options["name"] or f"{source if is_campaign else slug(Path(source).stem)}-contexts"
        documents = sample_documents(texts, options["limit"] or CONTEXT_SAMPLE)
        sample = campaign_of_texts(store, name, documents, protocol, plans)
        with watching(output) as show:
            totals = _by_engine(output, store, sample, plans, limits=limits, report=show, options=options)
        _refuse_silence(totals)
        people = source if is_campaign else sample.id
        standings = compare(store, sample.id, [plan.judge for plan in plans], people_of=people)
        print_standings(output, standings)
        number = sum(len(document.segments) for document in documents)
        output.note(
            f"A sample of {messages.plural(len(documents), 'document')} with {messages.plural(number, 'sentence')}, "
            f"judged in the campaign {name}. "
            f"Changes and gains are against {standings[0].judge}."
        )
        say_unfinished(output, totals)
    return exit_code(totals)


def _refuse_silence(totals: Totals) -> None:
    """The error where every question went unanswered."""
    if totals.failed and not totals.calls:
        raise LannerError(
            f"No answer came from the server: {totals.problem}.",
            next_step="Is it running, and is --base-url right? Nothing was stored; the same command asks again.",
        )


def exit_code(totals: Totals) -> int:
    """0 where every item has its answer, 3 where some have none, 130 after Ctrl+C."""
    if totals.stopped == INTERRUPTED:
        return ExitCode.STOPPED
    is_whole = not (totals.missing or totals.failed or totals.waiting or totals.stopped)
    return ExitCode.DONE if is_whole else ExitCode.INCOMPLETE


def print_standings(output: Output, standings: Sequence[ComparedJudge]) -> None:
    """A row for each judge and question, and why agreement is missing where there is none."""
    rows = []
    for standing in standings:
        questions = list(dict.fromkeys((*standing.agreement, *standing.same_as_first))) or [""]
        was_asked = bool(standing.replies or standing.missing)  # or what it answered was imported
        for question in questions:
            row: dict[str, Any] = {
                "judge": standing.judge,
                "context": standing.context,
                "prompt": standing.prompt,
                "question": question,
                **_columns("agreement", standing.agreement.get(question)),
                **_columns("gain", standing.gain.get(question)),
                **_columns("same", standing.same_as_first.get(question)),
                "replies": standing.replies if was_asked else None,
                "missing": standing.missing if was_asked else None,
                "refusals": standing.refusals if was_asked else None,
                "cost": standing.cost,
            }
            rows.append(row)
    columns: Columns = [
        *("judge", "context", "prompt", "question"),
        ("agreement estimate", "agreement with people [95 %]"),
        ("gain estimate", "gain over the first [95 %]"),
        ("same estimate", "same answer as the first [95 %]"),
        "replies",
    ]
    counts = [("missing", "questions without answer"), ("refusals", "of them refused"), ("cost", "cost")]
    columns += [column for column in counts if any(row.get(column[0]) for row in rows)]
    output.table(rows, columns, filled=True)
    if any(row["replies"] is not None for row in rows[1:]):
        output.note("Replies, questions without answer and costs are those of a judge in all, not of a question.")
    output.note(*(f"{standing.judge} has answered nothing." for standing in standings if not standing.answers))
    if any(standing.answers for standing in standings) and not any(standing.agreement for standing in standings):
        output.note("No person has judged what these models have, so there is no agreement to show.")


def _columns(name: str, result: Result | None) -> dict[str, Any]:
    if result is None or result.value is None:
        return {}
    text = messages.estimate(result.value, result.low, result.high)
    interval = {f"{name} low": result.low, f"{name} high": result.high} if result.interval else {}
    return {name: result.value, f"{name} estimate": text, **interval}


def run(
    output: Output,
    source: str,
    dry_run: bool,
    replays: tuple[Path, ...],
    store_place: str,
    settings_file: Path | None,
    assignments: tuple[str, ...],
    **options: Any,
) -> int:
    """Run LLM judges. An interrupted run resumes with the same command; what is answered is not asked again."""
    values, notes = settings_from(settings_file, assignments, {name: options.pop(name) for name in SETTINGS})
    options |= values
    output.note(*notes)
    if options["engine"] == "local" and (options["ray_address"] or options["workers"] != SETTINGS["workers"].default):
        raise LannerError("ray_address and workers are for a Ray cluster.", next_step="Give --set engine=ray as well.")
    if replays:
        output.note("--replay still works; now it is lanner replay CAMPAIGN FILE.")
        with Store.open(store_place, create=False) as store:
            return run_replay(output, store, source, replays, options["judge_name"])
    plans = plans_from(options)
    if options["contexts"]:
        plans = in_contexts(plans, names_in(options["contexts"]))
    limits = limits_from(options | ({"limit": None} if options["contexts"] else {}), plans)
    output.note(*price_notes(plans, options))
    if dry_run:
        _rehearse(output, source, store_place, plans, limits, options)
        return ExitCode.DONE
    way = compare_contexts if options["contexts"] else _run
    return way(output, source, store_place, plans, limits, options)


def _run(
    output: Output, source: str, store_place: str, plans: list[Plan], limits: Limits, options: dict[str, Any]
) -> int:
    """The exit code, which says whether every item has its answer."""
    with new_store(store_place) as store, removed_if_unused(store, plans):
        entry = place_of(store, source, options, plans)
        ways = sorted({f"{plan.attributes['template']} · context {plan.settings.context}" for plan in plans})
        output.sign(f"{entry.protocol_name} · hash {entry.protocol_hash} · {', '.join(ways)}")
        with watching(output) as show:
            totals = _by_engine(output, store, entry, plans, limits=limits, report=show, options=options)
        _refuse_silence(totals)
        _say(output, totals, sorted({member.model for plan in plans for member in plan.members}))
        _print_audit(output, store, entry, plans)
        if totals.items:
            output.say()
            output.say(f"Next: lanner agreement {shlex.quote(entry.name)}", style="bold")
    return exit_code(totals)


def _say_stopped() -> NoReturn:
    sys.stderr.write("\nStopped. What was answered is kept; the same command goes on from there.\n")
    sys.exit(ExitCode.STOPPED)


def _judge(store: Store, entry: Campaign, plans: Sequence[Plan], *, limits: Limits, report: Report) -> Totals:
    """Judge until everything is done, or until the first Ctrl+C and the replies under way then."""
    longest = max(member.endpoint.timeout for plan in plans for member in plan.members)

    def interrupted(replies: int) -> None:
        sys.stderr.write(
            f"\nStopping: nothing more is sent. Waiting for the replies under way ({replies:,}), which are paid, for "
            f"{longest:g} seconds at most. Ctrl+C again ends at once.\n"
        )

    try:
        totals = asyncio.run(judge_all(store, entry.id, plans, limits=limits, report=report, interrupted=interrupted))
        if totals.stopped == INTERRUPTED and not totals.calls:
            raise KeyboardInterrupt
        return totals
    except (asyncio.CancelledError, KeyboardInterrupt):  # by a second signal, or by one with nothing under way
        _say_stopped()


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
        return _judge(store, entry, plans, limits=limits, report=report)
    where = {"address": options["ray_address"], "per_machine": options["workers"]}
    try:
        totals, summary = run_on_ray(store, entry.id, plans, limits=limits, report=report, **where)
    except KeyboardInterrupt:
        _say_stopped()
    output.note(f"{summary.parts:,} parts of whole documents, on {summary.machines:,} machines.")
    if summary.deaths:
        output.note(f"{summary.deaths:,} workers died; others went on with their documents from the ledger.")
    for problem in summary.stopped.values():
        output.note(f"A machine was left out: {problem}")
    return totals


def _say(output: Output, totals: Totals, models: Sequence[str]) -> None:
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
    for step, number in totals.wrong.items():
        output.note(f"{_replies(number)} {_WRONG.get(step, step)}.")
    for means, number in totals.means.items():
        output.note(f"{_replies(number)} {_MEANS.get(means, means)}.")
    if totals.several_places:
        answers = plural(totals.several_places, "answer marks", "answers mark")
        output.note(f"{answers} words that stand in the text more than once; the first free place is taken.")
    if totals.estimated:
        output.note(
            f"{_replies(totals.estimated)} came without a number of tokens; it was estimated from the texts, and so "
            "was the cost."
        )
    if totals.overlong:
        output.note(
            f"{_replies(totals.overlong)} longer than allowed: the server does not keep to max_tokens, so a limit on "
            "costs can be passed."
        )
    if totals.own_temperature:
        output.note(
            f"{_replies(totals.own_temperature)} came at the server's own temperature: it does not take the one that "
            "was asked for, which stands in the judge's settings and in reports."
        )
    for model, number in totals.answered_as.items():
        were = "was" if len(models) == 1 else "were"
        as_asked = "" if model in models else f", though {words(models)} {were} asked"
        output.note(f"{_replies(number)} came from {model}{as_asked}.")
    say_unfinished(output, totals)
    if not totals.open:
        output.note("Nothing was open: these judges have answered everything here.")


def say_unfinished(output: Output, totals: Totals) -> None:
    """Which items have no answer, why, and what to do next."""
    if totals.stopped:
        output.note(f"Stopped early: {totals.stopped.rstrip('.')}. The same command goes on from there.")
    if totals.missing:
        missing = f"{plural(totals.missing, 'item is', 'items are')} missing"
        output.note(
            f"{missing}: no valid answer came. Next: --set retry_missing=true asks again; `lanner ledger` shows what "
            "was sent and what came."
        )
    if totals.fewer:
        rest = plural(totals.fewer, "answer rests", "answers rest")
        output.note(
            f"{rest} on fewer models, samples or orders than were asked: from the others no valid answer came. Next: "
            "--set retry_missing=true asks them again; `lanner ledger --missing` says why."
        )
    if totals.failed:
        failed = f"{plural(totals.failed, 'item was', 'items were')} left open"
        why = f" ({totals.problem})" if totals.problem else ""
        output.note(f"{failed}: the server gave no answer{why}. Next: the same command asks again.")
    if totals.waiting:
        waiting = f"{plural(totals.waiting, 'item was', 'items were')} not asked about"
        output.note(f"{waiting}: what is asked there depends on an earlier page that has no answer yet.")


def _replies(number: int) -> str:
    return plural(number, "reply", "replies")


_WRONG = {
    "json": "not in JSON",
    "schema": "not of the form that was asked for",
    "meaning": "without meaning in this protocol",
    "length": "cut off at the limit of max_tokens",
    "refusal": "refused by the model or its server",
    "refused": "not accepted by the campaign",
}
_MEANS = {
    "json_schema": "held to the form by a JSON schema",
    "grammar": "held to the form by a grammar",
    "json_object": "held to JSON of any form; the prompt describes the form",
    "plain": "in plain text; the prompt describes the form",
    "batch": "by the batch interface",
}


_AUDITED: Columns = ["judge", "question", "statistic", ("estimate", "estimate [95 %]"), "p", "n"]


def _print_audit(output: Output, store: Store, entry: Campaign, plans: Sequence[Plan]) -> None:
    """Print self-consistency and order effects, where a judge was asked in ways that show them."""
    asked_twice = [p for p in plans if p.samples > 1 or p.swap or p.shuffle or len(p.members) > 1]
    results = [result for plan in asked_twice for result in audit(store, entry.id, plan.judge)]
    if results:
        output.say()
        output.table(result_rows(results), _AUDITED)
        output.note(*(note for result in results for note in result.notes))


def _rehearse(
    output: Output, source: str, store_place: str, plans: list[Plan], limits: Limits, options: dict[str, Any]
) -> None:
    examples, items_done = [], 0
    if has_store(store_place):
        with Store.open(store_place, create=False) as store:
            documents, protocol = texts_and_protocol(store, source, options)
            names = [entry.name for entry in campaign.campaigns(store)]
            examples = find_examples(store, source) if source in names and options["few_shot"] else []
            name = source if source in names else _campaign_name(source, protocol, options)
            if name in names and not options["contexts"]:
                items_done = _count_done(store, name, plans)
    else:
        documents, protocol = texts_and_protocol(None, source, options)
    require_examples(examples, options["few_shot"], documents)
    if options["contexts"]:
        documents = sample_documents(documents, options["limit"] or CONTEXT_SAMPLE)
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
    output.note("An estimate: tokens are reckoned from the length of the texts, and nobody was asked.")
    if forecast.cost is None:
        output.note("The price of this model is not known here: give --set price_in=… and --set price_out=….")


def _count_done(store: Store, source: str, plans: Sequence[Plan]) -> int:
    names = {plan.judge for plan in plans}
    return sum(part.done for part in campaign.progress(store, source).judges if part.name in names)

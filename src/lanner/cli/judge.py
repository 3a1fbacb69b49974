"""`lanner judge`: let models judge a campaign or a file of texts, by the same protocol as people."""

from __future__ import annotations

import asyncio
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import urlsplit

from rich.progress import BarColumn, MofNCompleteColumn, TimeRemainingColumn

from lanner import campaign, protocols
from lanner.cli import slug
from lanner.cli.commands.judges import SETTINGS, settings_from
from lanner.cli.model_judges import run_replay
from lanner.cli.output import Columns, Output, progress_bar, result_rows
from lanner.cli.source import documents_of, new_store
from lanner.errors import CampaignError, ExitCode, LannerError, did_you_mean
from lanner.judges import providers
from lanner.judges import template as templates
from lanner.judges.comparison import Standing, audit, compare, sample_documents
from lanner.judges.limits import Price, price_of
from lanner.judges.plan import Limits, Member, Plan, Totals
from lanner.judges.prompt import Settings, agreed, demanded
from lanner.judges.providers import Endpoint
from lanner.judges.ray_cluster import run_on_ray
from lanner.judges.run import INTERRUPTED, Report, estimate
from lanner.judges.run import run as judge_all
from lanner.model import Campaign, Document, Protocol, Result, messages
from lanner.protocols.context import PEOPLE, canonical, names_in
from lanner.store import Store, fingerprint

# Model judges on the command line: plans from options, where they judge, and the line that shows how far they are.


KIM2025 = "kim2025"
"""The name of the published way to judge; as a judge's name it stands for all of its settings."""


def plans_from(options: dict[str, Any]) -> list[Plan]:
    """One judge per model, or with --panel one judge of all models."""
    models, urls = list(options["models"]), list(options["base_urls"]) or [providers.base_url(options["provider"])]
    if not models:
        raise LannerError("--model is missing.", next_step="Name a model, for instance --model gpt-4.1-mini.")
    if len(urls) not in (1, len(models)):
        raise LannerError(
            f"{len(models)} models and {len(urls)} servers do not fit together.",
            next_step="Give --base-url once for all models, or once for each in the same order.",
        )
    servers = urls * len(models) if len(urls) == 1 else urls
    members = [_member(model, url, options) for model, url in zip(models, servers, strict=True)]
    groups = [tuple(members)] if options["panel"] else [(member,) for member in members]
    if options["judge_name"] not in ("", KIM2025) and len(groups) > 1:
        raise LannerError("One name for several judges.", next_step="Leave out --as, or make them one with --panel.")
    settings = _settings(options)
    return [
        Plan(
            _judge_name(options, group[0].model),
            group,
            settings,
            options["mode"],
            options["samples"],
            options["combine"],
            options["swap"],
            options["shuffle"],
            options["few_shot"],
            options["reasks"],
        )
        for group in groups
    ]


def _judge_name(options: dict[str, Any], model: str) -> str:
    """The name that was given; for the published way the model's with it."""
    usual = "panel" if options["panel"] else slug(model)
    if options["judge_name"] == KIM2025:
        return f"{usual}-{KIM2025}"
    return options["judge_name"] or usual


def _member(model: str, url: str, options: dict[str, Any]) -> Member:
    if not url.startswith(("http://", "https://")):
        raise LannerError(f"{url!r} is no address.", next_step="Give for instance --base-url http://127.0.0.1:8080/v1")
    provider = providers.batch_of(options["provider"]) if options["batch"] else options["provider"]
    hosts = {urlsplit(base_url).hostname for base_url in options["base_urls"]}
    endpoint = Endpoint(url, provider, options["key_variable"], options["timeout"], only=len(hosts) <= 1)
    several = options["samples"] > 1
    temperature = options["temperature"] if options["temperature"] is not None else 1.0 if several else 0.0
    sent, received, cached = _prices(model, url, options)
    return Member(
        model,
        endpoint,
        temperature,
        options["seed"],
        options["max_tokens"],
        sent,
        received,
        cached,
        options["top_p"],
        options["reasoning_effort"],
        options["weighted"],
        options["extra_body"],
    )


def _prices(model: str, url: str, options: dict[str, Any]) -> tuple[float | None, float | None, float | None]:
    """Prices as they were given, else by the table of prices."""
    if options["price_in"] is not None or options["price_out"] is not None:
        return options["price_in"], options["price_out"], options["price_cached"]
    price = _known_price(model, url, options)
    return price.at(batch=options["batch"]) if price else (None, None, None)


def _known_price(model: str, url: str, options: dict[str, Any]) -> Price | None:
    return price_of(model, urlsplit(url).hostname or "", Path(options["prices"]) if options["prices"] else None)


def price_notes(plans: Sequence[Plan], options: dict[str, Any]) -> list[str]:
    """Which prices were taken from a table, and of which day."""
    if options["price_in"] is not None or options["price_out"] is not None:
        return []
    notes = []
    for member in dict.fromkeys((m.model, m.endpoint.base_url) for plan in plans for m in plan.members):
        price = _known_price(*member, options)
        if price:
            warning = "; they may have changed" if price.is_old(datetime.now(UTC).date()) else ""
            notes.append(f"Costs of {member[0]} by the prices of {price.checked}{warning}.")
    return notes


def _settings(options: dict[str, Any]) -> Settings:
    context = _context(options["context"], options["reference_free"])
    if options["judge_name"] == KIM2025:
        if options["context"] not in ("", KIM2025):
            raise LannerError(
                f"--as {KIM2025} is the published way, which has its own context.",
                next_step="Leave out --context, or give another name.",
            )
        context = KIM2025
    template = templates.load(options["prompt"] or templates.DEFAULT)
    if options["rationale"]:
        template = replace(template, rationale=True)
        if problems := templates.mistakes(template):
            raise problems[0]
    return Settings(context, options["language"], comments=False, template=template)


def _context(name: str, reference_free: bool) -> str:
    """The context by its name; numbers and "document" as they were given before contexts had names."""
    sides = "source" if reference_free else "reference"
    if name == "document":
        return f"{sides}±all"
    if re.fullmatch(r"\d+(,\s*\d+)?", name):
        return f"{sides}±{name.replace(' ', '')}"
    return "source±2" if reference_free and not name else name or PEOPLE


def limits_from(options: dict[str, Any], plans: Sequence[Plan]) -> Limits:
    """How far and how fast. A limit on costs needs prices, or it would be a promise nobody keeps."""
    members = [member for plan in plans for member in plan.members]
    if options["max_cost"] is not None and any(m.price_in is None or m.price_out is None for m in members):
        raise LannerError(
            "--max-cost needs prices.",
            next_step="Give --set price_in=… and --set price_out=…, per million tokens, as your server charges.",
        )
    usual = 5000 if options["batch"] else 64
    return Limits(
        usual if options["in_flight"] is None else options["in_flight"],
        options["rpm"],
        options["tpm"],
        options["max_cost"],
        options["limit"],
        retry_missing=options["retry_missing"],
    )


def texts_and_protocol(store: Store | None, source: str, options: dict[str, Any]) -> tuple[list[Document], Protocol]:
    """What would be judged, without making anything."""
    names = [entry.name for entry in campaign.campaigns(store)] if store else []
    if store and source in names:
        _refuse_other_protocol(campaign.get(store, source), options["protocol"])
        return campaign.documents(store, source), campaign.protocol(store, source)
    return _texts(source, names, options), protocols.load(_asked(options))


def _refuse_other_protocol(found: Campaign, name: str | None) -> None:
    if name and protocols.load(name).name != found.protocol_name:
        what = f"The campaign {found.name!r} asks {found.protocol_name}, not {name}."
        raise LannerError(what, next_step="Leave out --protocol, or give a file of texts.")


def place_of(store: Store, source: str, options: dict[str, Any], plans: Sequence[Plan]) -> Campaign:
    """The campaign of that name; for a file of texts a campaign made of it, or the one made of it before."""
    names = [entry.name for entry in campaign.campaigns(store)]
    if source in names:
        found = campaign.get(store, source)
        _refuse_other_protocol(found, options["protocol"])
        return found
    documents, protocol = _texts(source, names, options), protocols.load(_asked(options))
    name = options["name"] or f"{slug(Path(source).stem)}-{slug(protocol.name)}"
    if name not in names:
        demanded([], options["few_shot"])  # a new campaign has none
    return _made_before_or_new(store, name, documents, protocol, plans)


def _made_before_or_new(
    store: Store, name: str, documents: Sequence[Document], protocol: Protocol, plans: Sequence[Plan]
) -> Campaign:
    """The campaign that was made of these texts before, to go on with, or a new one."""
    if name in [entry.name for entry in campaign.campaigns(store)]:
        entry, step = campaign.get(store, name), "Give this one another name with --set name=…."
        if fingerprint(campaign.documents(store, name)) != fingerprint(documents):
            step = f"{step} Of a sample, give the same --limit as before."
            raise LannerError(f"There is a campaign {name!r} with other texts.", next_step=step)
        if entry.protocol_hash != protocol.hash:
            what = f"There is a campaign {name!r} by the protocol {entry.protocol_name}."
            raise LannerError(what, next_step=step)
        return entry
    for endpoint in {member.endpoint for plan in plans for member in plan.members}:
        providers.require(endpoint)  # before anything is made for judges that could not be asked
    judges = [plan.as_judge() for plan in plans]
    entry = campaign.create(store, name, documents, protocol, judges, options={"all_scenarios": True})
    return campaign.open(store, entry.id)


@contextmanager
def removed_if_unused(store: Store, plans: Sequence[Plan]) -> Iterator[None]:
    """After a failure, take back the campaign and the judges that this run added and that have answered nothing."""
    before = {entry.id: {judge.id for judge in campaign.judges(store, entry.id)} for entry in campaign.campaigns(store)}
    try:
        yield
    except LannerError:
        names = {plan.judge for plan in plans}
        for entry in campaign.campaigns(store):
            new_judges = [j.id for j in campaign.judges(store, entry.id) if j.id in names - before.get(entry.id, set())]
            for judge_id in new_judges:
                with suppress(CampaignError):  # one who has answered stays
                    campaign.remove_judge(store, entry.id, judge_id)
            if entry.id not in before and new_judges and not campaign.judges(store, entry.id):
                campaign.remove(store, entry.id, name=entry.name)
        raise


def _texts(source: str, names: Sequence[str], options: dict[str, Any]) -> list[Document]:
    if not Path(source).exists():
        hint = did_you_mean(source, names) or "Give a file of texts, or name the database with --store."
        raise LannerError(f"There is no file and no campaign called {source!r}.", next_step=hint)
    return list(documents_of(Path(source), options["format_name"]))


def _asked(options: dict[str, Any]) -> str:
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


SENTENCES = 100
"""How many sentences are judged in every context, unless --limit says otherwise."""
_ASCII = {"±": "-", ",": "-"}


def compare_contexts(output: Output, source: str, store_place: str, options: dict[str, Any]) -> int:
    """Judge a sample of whole documents in every context, in a campaign of its own, and compare."""
    contexts = list(dict.fromkeys(canonical(name) for name in names_in(options["contexts"])))
    if len(contexts) < 2:
        raise LannerError("One context cannot be compared.", next_step="Give several, with semicolons between them.")
    plans = [in_context(plan, name) for plan in plans_from(options) for name in contexts]
    sentences = options["limit"] or SENTENCES
    limits = limits_from(options | {"limit": None}, plans)
    output.note(*price_notes(plans, options))
    with Store.open(store_place) as store:
        documents, protocol = texts_and_protocol(store, source, options)
        is_campaign = source in [entry.name for entry in campaign.campaigns(store)]
        name = options["name"] or f"{source if is_campaign else slug(Path(source).stem)}-contexts"
        sample = _made_before_or_new(store, name, sample_documents(documents, sentences), protocol, plans)
        with watching(output) as show:
            totals = _judged(store, sample, plans, limits=limits, report=show)
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
        say_unfinished(output, totals)
    return exit_code(totals)


def exit_code(totals: Totals) -> int:
    """0 where every item has its answer, 3 where some have none, 130 after Ctrl+C."""
    if totals.stopped == INTERRUPTED:
        return ExitCode.STOPPED
    is_whole = not (totals.missing or totals.failed or totals.waiting or totals.stopped)
    return ExitCode.DONE if is_whole else ExitCode.INCOMPLETE


def in_context(plan: Plan, context: str) -> Plan:
    """The same judge in another context, under a name that says so."""
    suffix = "".join(_ASCII.get(letter, letter) for letter in context)
    return replace(plan, judge=f"{plan.judge}-{suffix}", settings=replace(plan.settings, context=context))


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
    """Run LLM judges. An interrupted run resumes with the same command; nothing is asked twice."""
    values, notes = settings_from(settings_file, assignments, {name: options.pop(name) for name in SETTINGS})
    options |= values
    output.note(*notes)
    if replays:
        output.note("--replay still works; now it is lanner replay CAMPAIGN FILE.")
        with Store.open(store_place, create=False) as store:
            run_replay(output, store, source, replays, options["judge_name"])
    elif options["contexts"]:
        return compare_contexts(output, source, store_place, options)
    else:
        plans = plans_from(options)
        limits = limits_from(options, plans)
        output.note(*price_notes(plans, options))
        if dry_run:
            _rehearse(output, source, store_place, plans, limits, options)
        else:
            return _run(output, source, store_place, plans, limits, options)
    return ExitCode.DONE


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
            _say_stopped()
        if totals.failed and not totals.calls:
            raise LannerError(
                f"No answer came from the server: {totals.problem}.",
                next_step="Is it running, and is --base-url right? Nothing was stored; the same command asks again.",
            )
        _say(output, totals, sorted({member.model for plan in plans for member in plan.members}))
        _audited(output, store, entry, plans)
        if totals.items:
            output.say()
            output.say(f"Next: lanner agreement {entry.name}", style="bold")
    return exit_code(totals)


def _say_stopped() -> NoReturn:
    sys.stderr.write("\nStopped. What was answered is kept; the same command goes on from there.\n")
    sys.exit(ExitCode.STOPPED)


def _judged(store: Store, entry: Campaign, plans: Sequence[Plan], *, limits: Limits, report: Report) -> Totals:
    """Judge until everything is done, or until the first Ctrl+C and the replies under way then."""
    longest = max(member.endpoint.timeout for plan in plans for member in plan.members)

    def interrupted(replies: int) -> None:
        sys.stderr.write(
            f"\nStopping: nothing more is sent. Waiting for the replies under way ({replies:,}), which are paid, for "
            f"{longest:g} seconds at most. Ctrl+C again ends at once.\n"
        )

    try:
        return asyncio.run(judge_all(store, entry.id, plans, limits=limits, report=report, interrupted=interrupted))
    except asyncio.CancelledError:  # by a second signal, or by one while nothing was under way
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
        return _judged(store, entry, plans, limits=limits, report=report)
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
    for step, number in totals.wrong.items():
        output.note(f"{number:,} replies {_WRONG.get(step, f'failed at {step}')}.")
    for means, number in totals.means.items():
        output.note(f"{number:,} replies were asked for by {_MEANS.get(means, means)}.")
    if totals.estimated:
        output.note(
            f"{totals.estimated:,} replies came without the number of their tokens; it was estimated from the texts, "
            "and so was their cost."
        )
    if totals.overlong:
        output.note(
            f"{totals.overlong:,} replies were longer than they were allowed to be: the server does not keep to "
            "max_tokens, so a limit on costs can be passed."
        )
    for model, number in totals.answered_as.items():
        was = "was" if len(questions) == 1 else "were"
        as_asked = "" if model in questions else f", though {' and '.join(questions)} {was} asked"
        output.note(f"{number:,} replies came from {model}{as_asked}.")
    say_unfinished(output, totals)
    if not totals.open:
        output.note("Nothing was open: these judges have answered everything here.")


def say_unfinished(output: Output, totals: Totals) -> None:
    """Which items have no answer, why, and what to do next."""
    if totals.stopped:
        output.note(f"Stopped early: {totals.stopped}. The same command goes on from there.")
    if totals.missing:
        output.note(
            f"{totals.missing:,} items are missing: no valid answer came. Next: --set retry_missing=true asks again; "
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


_WRONG = {
    "json": "were not JSON",
    "schema": "did not have the form that was asked for",
    "meaning": "meant nothing in this protocol",
    "length": "were cut off at the limit of max_tokens",
    "refusal": "were refusals",
    "refused": "were refused by the campaign",
}
_MEANS = {
    "json_schema": "a JSON schema that the server was to hold the model to",
    "grammar": "a grammar that the server was to hold the model to",
    "json_object": "JSON of any form, with the form described in the prompt",
    "plain": "plain text, with the form described in the prompt",
    "batch": "the batch interface",
}


_AUDITED: Columns = ["judge", "question", "statistic", ("estimate", "estimate [95 %]"), "p", "n"]


def _audited(output: Output, store: Store, entry: Campaign, plans: Sequence[Plan]) -> None:
    """Self-consistency and order effects, where a judge was asked in ways that show them."""
    asked_twice = [p for p in plans if p.samples > 1 or p.swap or p.shuffle or len(p.members) > 1]
    results = [result for plan in asked_twice for result in audit(store, entry.id, plan.judge)]
    if results:
        output.say()
        output.table(result_rows(results), _AUDITED)
        output.note(*(note for result in results for note in result.notes))


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

"""Model judges on the command line: plans from options, where they judge, and the line that shows how far they are."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from lanner import campaign, protocols
from lanner.cli._options import slug
from lanner.cli._output import Output
from lanner.cli._source import documents_of
from lanner.errors import CampaignError, LannerError, did_you_mean
from lanner.judges import providers
from lanner.judges import template as templates
from lanner.judges.examples import demanded
from lanner.judges.plan import Limits, Member, Plan, Totals
from lanner.judges.prices import Price, price_of
from lanner.judges.prompt import Settings
from lanner.judges.providers import Endpoint
from lanner.model import Campaign, Document, Protocol
from lanner.protocols.context import PEOPLE
from lanner.store import Store, fingerprint

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
        options["in_flight"] or usual,
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
        return campaign.documents(store, source), campaign.protocol(store, source)
    return _texts(source, names, options), protocols.load(_asked(options))


def place_of(store: Store, source: str, options: dict[str, Any], plans: Sequence[Plan]) -> Campaign:
    """The campaign of that name; for a file of texts a campaign made of it, or the one made of it before."""
    names = [entry.name for entry in campaign.campaigns(store)]
    if source in names:
        found = campaign.get(store, source)
        protocol_name = options["protocol"]
        if protocol_name and protocols.load(protocol_name).name != found.protocol_name:
            what = f"The campaign {source!r} asks {found.protocol_name}, not {protocol_name}."
            raise LannerError(what, next_step="Leave out --protocol, or give a file of texts.")
        return found
    documents, protocol = _texts(source, names, options), protocols.load(_asked(options))
    name = options["name"] or f"{slug(Path(source).stem)}-{slug(protocol.name)}"
    if name in names:
        found = campaign.get(store, name)
        if (
            fingerprint(campaign.documents(store, name)) != fingerprint(documents)
            or found.protocol_hash != protocol.hash
        ):
            what = f"There is a campaign {name!r} with other texts or another protocol."
            raise LannerError(what, next_step="Give this one another name with --set name=….")
        return found
    demanded([], options["few_shot"])  # a new campaign has none
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
    console = Console(stderr=True)
    if output.as_json or not console.is_terminal:
        yield lambda _totals: None
        return
    began = time.monotonic()
    columns = (
        TextColumn("Judging"),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TextColumn("{task.fields[words]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
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

"""From settings to a run: which judges, what they cost and how fast they may be asked, and the campaign they judge in.

Command line, audit and comparison of contexts begin here. `values` are settings by name (see `lanner.judges.settings`)
with those that say what is asked of whom: models, base_urls, provider, judge_name, prompt, context, max_cost, limit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from lanner import campaign
from lanner.errors import CampaignError, LannerError, StoreError
from lanner.judges import providers
from lanner.judges import template as templates
from lanner.judges.limits import Price, price_of
from lanner.judges.plan import Limits, Member, Plan, refuse_one_name
from lanner.judges.prompt import PromptSettings, require
from lanner.judges.providers import Endpoint
from lanner.model import Campaign, Document, Protocol
from lanner.protocols.context import PEOPLE, canonical
from lanner.store import Store, fingerprint
from lanner.store.claims import running_judges

KIM2025 = "kim2025"
"""The name of the published way to judge; as a judge's name it stands for all of its settings."""
IN_FLIGHT, IN_FLIGHT_BATCH = 64, 5000
"""Requests at once where nothing else is said; the questions of a batch are all under way together."""
_ASCII = {"±": "-", ",": "-"}


# Judges


def plans_from(values: Mapping[str, Any]) -> list[Plan]:
    """One judge per model, or one judge of all models where a panel is wanted."""
    models, urls = list(values["models"]), list(values["base_urls"]) or [providers.base_url(values["provider"])]
    if not models:
        raise LannerError("--model is missing.", next_step="Name a model, for instance --model gpt-4.1-mini.")
    if len(urls) not in (1, len(models)):
        raise LannerError(
            f"{len(models)} models and {len(urls)} servers do not fit together.",
            next_step="Give --base-url once for all models, or once for each in the same order.",
        )
    servers = urls * len(models) if len(urls) == 1 else urls
    members = [_member(model, url, values) for model, url in zip(models, servers, strict=True)]
    groups = [tuple(members)] if values["panel"] else [(member,) for member in members]
    if values["judge_name"] not in ("", KIM2025) and len(groups) > 1:
        raise LannerError("One name for several judges.", next_step="Leave out --as, or make them one with --panel.")
    settings = _settings(values)
    plans = [
        Plan(
            _judge_name(values, group[0].model),
            group,
            settings,
            calls=values["mode"],
            samples=values["samples"],
            rule=values["combine"],
            swap=values["swap"],
            shuffle=values["shuffle"],
            examples=values["few_shot"],
            reasks=values["reasks"],
        )
        for group in groups
    ]
    refuse_one_name(plans)
    return plans


def judge_name(model: str) -> str:
    """What a model is called as a judge: the letters and digits of its name, in any script, with dashes between."""
    return re.sub(r"[\W_]+", "-", model.casefold()).strip("-") or "model"


def _judge_name(values: Mapping[str, Any], model: str) -> str:
    """The name that was given; for the published way the model's with it."""
    usual = "panel" if values["panel"] else judge_name(model)
    if values["judge_name"] == KIM2025:
        return f"{usual}-{KIM2025}"
    return values["judge_name"] or usual


def _member(model: str, url: str, values: Mapping[str, Any]) -> Member:
    provider = providers.batch_of(values["provider"]) if values["batch"] else values["provider"]
    hosts = {host_of(base_url) for base_url in (*values["base_urls"], url)}
    temperature = values["temperature"]
    if temperature is None:  # samples that were all the same would say nothing
        temperature = 1.0 if values["samples"] > 1 else 0.0
    return Member(
        model,
        Endpoint(url, provider, values["key_variable"], values["timeout"], only=len(hosts) <= 1),
        temperature,
        values["seed"],
        values["max_tokens"],
        **_prices(model, url, values),
        top_p=values["top_p"],
        effort=values["reasoning_effort"],
        weighted=values["weighted"],
        extra=values["extra_body"],
    )


def host_of(url: str) -> str:
    """The machine that a server's address names."""
    try:
        parts = urlsplit(url)
        host = parts.hostname if parts.scheme in ("http", "https") and parts.port != 0 else None
    except ValueError:
        host = None
    if not host:
        raise LannerError(f"{url!r} is no address.", next_step="Give for instance --base-url http://127.0.0.1:8080/v1")
    return host


def _prices(model: str, url: str, values: Mapping[str, Any]) -> dict[str, float | None]:
    """Prices as they were given, each in place of the one in the table of prices."""
    price = _listed_price(model, url, values)
    listed = price.at(batch=values["batch"]) if price else (None, None, None)
    names = ("price_in", "price_out", "price_cached")
    return {name: usual if values[name] is None else values[name] for name, usual in zip(names, listed, strict=True)}


def _listed_price(model: str, url: str, values: Mapping[str, Any]) -> Price | None:
    """The price in the table; none where those given leave nothing to look up."""
    if values["price_in"] is not None and values["price_out"] is not None:
        return None
    return price_of(model, host_of(url), Path(values["prices"]) if values["prices"] else None)


def price_notes(plans: Sequence[Plan], values: Mapping[str, Any]) -> list[str]:
    """Which prices were taken from a table, and of which day."""
    notes = []
    for model, url in dict.fromkeys((m.model, m.endpoint.base_url) for plan in plans for m in plan.members):
        if price := _listed_price(model, url, values):
            warning = "; they may have changed" if price.is_old(datetime.now(UTC).date()) else ""
            notes.append(f"Costs of {model} by the prices of {price.checked}{warning}.")
    return notes


def _settings(values: Mapping[str, Any]) -> PromptSettings:
    context = _context(values["context"], values["reference_free"])
    if values["judge_name"] == KIM2025:
        if values["context"] not in ("", KIM2025):
            raise LannerError(
                f"--as {KIM2025} is the published way, which has its own context.",
                next_step="Leave out --context, or give another name.",
            )
        context = KIM2025
    template = templates.load(values["prompt"] or templates.DEFAULT)
    if values["rationale"]:
        template = replace(template, rationale=True)
        if problems := templates.mistakes(template):
            raise problems[0]
    return PromptSettings(context, values["language"], comments=False, template=template)


def _context(name: str, reference_free: bool) -> str:
    """The context by its name; numbers and "document" as they were given before contexts had names."""
    sides = "source" if reference_free else "reference"
    if name == "document":
        return f"{sides}±all"
    if re.fullmatch(r"\d+(,\s*\d+)?", name):
        return f"{sides}±{name.replace(' ', '')}"
    return "source±2" if reference_free and not name else name or PEOPLE


def in_contexts(plans: Sequence[Plan], names: Sequence[str]) -> list[Plan]:
    """The same judges in each of several contexts, under names that say so."""
    contexts = list(dict.fromkeys(canonical(name) for name in names))
    if len(contexts) < 2:
        raise LannerError("One context cannot be compared.", next_step="Give several, with semicolons between them.")
    return [_in_context(plan, context) for plan in plans for context in contexts]


def _in_context(plan: Plan, context: str) -> Plan:
    suffix = "".join(_ASCII.get(letter, letter) for letter in context)
    return replace(plan, judge=f"{plan.judge}-{suffix}", settings=replace(plan.settings, context=context))


def limits_from(values: Mapping[str, Any], plans: Sequence[Plan]) -> Limits:
    """How far and how fast. A limit on costs needs prices: without them nobody could keep it."""
    members = [member for plan in plans for member in plan.members]
    if values["max_cost"] is not None and any(m.price_in is None or m.price_out is None for m in members):
        raise LannerError(
            "--max-cost needs prices.",
            next_step="Give --set price_in=… and --set price_out=…, per million tokens, as your server charges.",
        )
    usual = IN_FLIGHT_BATCH if values["batch"] else IN_FLIGHT
    return Limits(
        usual if values["in_flight"] is None else values["in_flight"],
        values["rpm"],
        values["tpm"],
        values["max_cost"],
        values["limit"],
        retry_missing=values["retry_missing"],
    )


# The campaign


def campaign_of_texts(
    store: Store, name: str, documents: Sequence[Document], protocol: Protocol, plans: Sequence[Plan]
) -> Campaign:
    """The campaign of this name that was made of these texts before, to go on with, or a new one."""
    if name not in [entry.name for entry in campaign.campaigns(store)]:
        try:
            return new_campaign(store, name, documents, protocol, plans)
        except CampaignError as problem:
            if problem.code != "name_taken":  # by another run, a moment ago
                raise
    entry = campaign.get(store, name)
    if not is_made_of(store, name, documents, protocol):
        by = entry.protocol_hash != protocol.hash
        what = f"by the protocol {entry.protocol_name}" if by else "with other texts"
        step = "Give this one another name with --set name=…. Of a sample, give the same --limit as before."
        raise LannerError(f"There is a campaign {name!r} {what}.", next_step=step)
    return entry


def is_made_of(store: Store, name: str, documents: Sequence[Document], protocol: Protocol) -> bool:
    """Whether a campaign has these texts and this protocol."""
    entry = campaign.get(store, name)
    texts = campaign.documents(store, entry.id)
    return entry.protocol_hash == protocol.hash and fingerprint(texts) == fingerprint(documents)


def new_campaign(
    store: Store, name: str, documents: Sequence[Document], protocol: Protocol, plans: Sequence[Plan]
) -> Campaign:
    """An open campaign in which these judges judge everything. Nothing is made for judges that could not be asked."""
    for endpoint in {member.endpoint for plan in plans for member in plan.members}:
        providers.require(endpoint)
    for plan in plans:
        require(protocol, plan.settings)
    judges = [plan.as_judge() for plan in plans]
    # in one step: one who came in between, or a process that was killed there, would leave a draft to the next run
    entry = campaign.create(store, name, documents, protocol, judges, options={"all_scenarios": True}, opened=True)
    note_added(entry.id, [judge.id for judge in judges])
    return entry


_ADDED: ContextVar[list[tuple[int, str]] | None] = ContextVar("_ADDED", default=None)
"""The judges that this run has added, each with the campaign."""


def note_added(campaign_id: int, judges: Sequence[str]) -> None:
    """Remember whom this run has added: another may add the same at the same moment."""
    added = _ADDED.get()
    if added is not None:
        added += [(campaign_id, judge) for judge in judges]


@contextmanager
def removed_if_unused(store: Store, plans: Sequence[Plan]) -> Iterator[None]:
    """After a failure or Ctrl+C, remove the campaign and judges that this run added and that have answered nothing. A
    batch may still be answered, and the next run finds it by their names and moments: they stay."""
    is_batch = any(providers.is_batch(member.endpoint.provider) for plan in plans for member in plan.members)
    before = {entry.id for entry in campaign.campaigns(store)}
    added: list[tuple[int, str]] = []
    token = _ADDED.set(added)
    try:
        yield
    except BaseException:
        for campaign_id, judge in () if is_batch else added:
            with suppress(CampaignError, StoreError):  # one who has answered stays, or whom another run has taken up
                _remove(store, campaign_id, judge, with_campaign=campaign_id not in before)
        raise
    finally:
        _ADDED.reset(token)


def _remove(store: Store, campaign_id: int, judge: str, *, with_campaign: bool) -> None:
    with store.reading() as tx:
        number = tx.judges.get(tx.campaigns.get(campaign_id), judge).number
    with running_judges(store, {judge: number}):
        campaign.remove_judge(store, campaign_id, judge)
    if with_campaign and not campaign.judges(store, campaign_id):
        campaign.remove(store, campaign_id, name=campaign.get(store, campaign_id).name)

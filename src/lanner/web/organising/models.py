"""Model judges of a campaign: how far they are, what they cost so far, the command that lets one judge, and, where
whoever operates the server allows it, a button that runs that command."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from lanner import campaign as campaigns
from lanner.campaign import ProgressPart
from lanner.campaign.prefill import SETTING, UNASSISTED
from lanner.errors import LannerError
from lanner.model import JUDGE_GROUPS, Campaign, CampaignState, Judge, Spans
from lanner.monitor.snapshot import MODELS
from lanner.store import JudgeUsage, Store
from lanner.web import forms
from lanner.web.organising.campaigns import campaign_of, to_campaign
from lanner.web.problems import error_text
from lanner.web.rendering import page
from lanner.web.site import Site
from lanner.web.speech import say

_EXAMPLE = "http://127.0.0.1:8080/v1"
_NUMBERS = ("samples", "limit", "price_in", "price_out", "max_cost")
"""Options of `lanner judge` that are numbers, as the form calls them."""
_FIELDS = ("model", "base_url", *_NUMBERS)


@dataclass(frozen=True, slots=True)
class ModelStatus:
    """One model judge: who, how far, what it was asked with, replies and tokens and cost so far."""

    judge: Judge
    part: ProgressPart | None
    spent: JudgeUsage

    @property
    def asked_with(self) -> str:
        attributes = self.judge.attributes
        models = attributes.get("models")
        details = [", ".join(map(str, models))] if isinstance(models, list) else []
        details += [
            f"{name} {attributes[name]}"
            for name in ("calls", "samples", "template", "replayed")
            if attributes.get(name)
        ]
        return " · ".join(details)


async def models(request: Request) -> Response:
    """Model judges and how to add one."""
    return await _page(request, await campaign_of(request), request.query_params)


async def _page(request: Request, campaign: Campaign, form_values: Mapping[str, object], problem: str = "") -> Response:
    site: Site = request.app.state.site
    options = {name: str(form_values.get(name, "")) for name in _FIELDS}
    command = ""
    if options["model"] and not problem:
        try:
            command = shlex.join(_command(campaign, options))
        except LannerError as error:
            problem = error_text(error)
    machines, offer = await site.read(lambda: (_machines(site.store, campaign), _offer(site.store, campaign)))
    context = {
        "campaign": campaign,
        "machines": machines,
        "offer": offer,
        "unassisted": str(form_values.get("unassisted", "")) or f"{100 * UNASSISTED:g}",
        "given": options,
        "example": _EXAMPLE,
        "command": command,
        "servers": site.settings.model_servers,
        "run": site.runs.of(campaign.id),
        "problem": problem,
    }
    return page(request, "models.html", context, 422 if problem else 200)


def _machines(store: Store, campaign: Campaign) -> list[ModelStatus]:
    parts = {part.name: part for part in campaigns.progress(store, campaign.id).judges}
    participants = [
        participant for participant in campaigns.participants(store, campaign.id) if participant.judge.kind in MODELS
    ]
    with store.reading() as tx:
        return [
            ModelStatus(participant.judge, parts.get(participant.judge.id), tx.ledger.spent(participant.number))
            for participant in participants
        ]


def _offer(store: Store, campaign: Campaign) -> str:
    """How the campaign stands to marks of a model that judges start from: "open" where they can be offered still,
    "begun" where people have answered, "offered" where they are, "" where nobody is asked for marks."""
    if campaign.settings.get(SETTING):
        return "offered"
    questions = campaigns.protocol(store, campaign.id).questions
    if campaign.state is CampaignState.CLOSED or not any(isinstance(question, Spans) for _, question in questions):
        return ""
    with store.reading() as tx:
        people = [
            participant
            for participant in tx.judges.all(campaign.id)
            if participant.judge.kind in JUDGE_GROUPS["people"]
        ]
        return "begun" if any(tx.judgements.has_answered(participant.number) for participant in people) else "open"


def _share(words: str) -> float:
    """A percentage as typed."""
    try:
        percentage = float(words.strip().rstrip("%").replace(",", "."))
    except ValueError:
        percentage = -1.0
    if not 0 <= percentage < 100:
        raise LannerError(
            say("{given} is not a share of the documents.", given=repr(words)),
            next_step=say("Write a percentage from 0 to 99, such as 20."),
        )
    return percentage / 100


def _command(campaign: Campaign, options: Mapping[str, str]) -> list[str]:
    """What to type. Keys never stand in it: they come from the environment."""
    address = options["base_url"].strip() or _EXAMPLE
    model = options["model"].strip()
    if not address.startswith(("http://", "https://")) or model.startswith("-"):
        raise LannerError(
            say("{given} is no address of a model server.", given=repr(address)),
            next_step=say("Write https://host/v1."),
        )
    command = ["lanner", "judge", campaign.name, "--model", model, "--base-url", address]
    for name in _NUMBERS:
        words = options[name].strip().replace(",", ".")
        if not words:
            continue
        try:
            number = float(words)
        except ValueError:
            raise LannerError(say("{given} is not a number.", given=repr(words))) from None
        if not 0 <= number < 1e12:
            raise LannerError(say("{given} is not a number.", given=repr(words)))
        command += [f"--{name.replace('_', '-')}", f"{number:.12g}"]
    return command


async def judge_with(request: Request) -> Response:
    """Start a model, or stop it. Only servers that the operator named are asked, and only with a limit of cost or of
    items, so that a slip of the hand stays small."""
    site: Site = request.app.state.site
    campaign = await campaign_of(request)
    form = await forms.form_of(request)
    match forms.text(form, "do"):
        case "start":
            options = {name: forms.text(form, name) for name in _FIELDS}
            try:
                await site.runs.start(campaign.id, _check_run(site, campaign, options))
            except LannerError as error:
                return await _page(request, campaign, options, error_text(error))
        case "stop":
            await site.runs.stop(campaign.id)
        case _:
            raise HTTPException(400)
    return to_campaign(request, campaign, "/models")


async def offer_marks(request: Request) -> Response:
    """Let people start from a model's marks, before any of them has begun."""
    site: Site = request.app.state.site
    campaign = await campaign_of(request)
    form = await forms.form_of(request)
    model, unassisted_share = forms.text(form, "model"), forms.text(form, "unassisted")
    account = request.state.visitor.account.id

    def offer() -> None:
        campaigns.prefill(site.store, campaign.id, model, unassisted=_share(unassisted_share), account=account)

    try:
        await site.write(offer)
    except LannerError as error:
        return await _page(request, campaign, {"unassisted": unassisted_share}, error_text(error))
    return to_campaign(request, campaign, "/models")


def _check_run(site: Site, campaign: Campaign, options: Mapping[str, str]) -> list[str]:
    if campaign.state in (CampaignState.DRAFT, CampaignState.CLOSED):  # other languages have it by its code
        raise LannerError(
            f"{campaign.name} is {campaign.state}, so it takes no answers.",
            code=str(campaign.state),
            next_step="Open it first.",
        )
    if options["base_url"] not in site.settings.model_servers:
        raise LannerError(
            say("This server may not be asked from here."),
            next_step=say("Whoever runs Lanner allows it with: {command}", command="lanner serve --model-server URL"),
        )
    if not options["model"].strip():
        raise LannerError(say("The model has no name."), next_step=say("Write what it is called."))
    priced = options["max_cost"] and options["price_in"] and options["price_out"]
    if not options["limit"] and not priced:
        raise LannerError(
            say("Set a limit for this run."), next_step=say("Give a number of items, or prices and a maximum cost.")
        )
    return _command(campaign, options)

"""The list of campaigns, one of them by its address, how far its documents are, its state and its settings."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote

from markupsafe import Markup
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from lanner import campaign as operations
from lanner.campaign import documents as campaign_documents
from lanner.campaign import drawing, progress
from lanner.campaign.settings import NUMBERS, TEXTS, check_settings, comparable_questions, not_a_number
from lanner.campaign.states import NO_BACKUP, copy_name
from lanner.errors import CampaignError, LannerError
from lanner.model import Campaign, Json
from lanner.model.protocol import Wording
from lanner.store import Account, AccountRole, CampaignTotals, Store
from lanner.web import forms
from lanner.web.access import visible_campaign, visible_campaigns
from lanner.web.organising.figures import progress_bar
from lanner.web.problems import error_text, log
from lanner.web.rendering import long_page, page, redirect
from lanner.web.site import Site
from lanner.web.speech import language, say


@dataclass(frozen=True, slots=True)
class CampaignRow:
    """One line of the list."""

    campaign: Campaign
    items: int
    done: int
    people: int
    models: int
    undrawn: int = 0
    """Of the items: those that an adaptive campaign may still draw, at most."""

    @property
    def bar(self) -> Markup:
        return progress_bar(self.campaign.name, [("", self.done, self.items)], 110)


async def campaign_of(request: Request) -> Campaign:
    """The campaign that the address names, where the visitor may see it."""
    site: Site = request.app.state.site
    account = request.state.visitor.account
    return await site.query(lambda tx: visible_campaign(tx, account, request.path_params["name"]))


def address_of(request: Request, campaign: Campaign, below: str = "") -> str:
    """The address of a campaign's page, or of one below it."""
    return f"{request.scope.get('root_path', '')}/campaigns/{quote(campaign.name, safe='')}{below}"


def to_campaign(request: Request, campaign: Campaign, below: str = "") -> RedirectResponse:
    """To a campaign's page, or to one below it, after something was done."""
    return RedirectResponse(address_of(request, campaign, below), 303)


def list_campaigns(store: Store, account: Account) -> list[CampaignRow]:
    """The campaigns this account may see, the newest first."""
    with store.reading() as tx:
        mine = visible_campaigns(tx, account)
        totals = tx.progress.totals()
        undrawn = {campaign.id: drawing.count_undrawn(tx, campaign) for campaign in mine}
    rows = [(campaign, totals.get(campaign.id, CampaignTotals(0, 0, 0, 0)), undrawn[campaign.id]) for campaign in mine]
    return [
        CampaignRow(campaign, of.items + to_draw, of.done, of.people, of.models, to_draw)
        for campaign, of, to_draw in rows
    ]


async def campaigns(request: Request) -> Response:
    """The list."""
    site: Site = request.app.state.site
    account = request.state.visitor.account
    filter_name = request.query_params.get("show", "")
    site.live.warm()
    rows = await site.read(lambda: list_campaigns(site.store, account))
    archived_rows = [row for row in rows if row.campaign.settings.get("archived")]
    current = [row for row in rows if not row.campaign.settings.get("archived")]
    context = {
        "rows": archived_rows if filter_name == "archived" else current,
        "archived": len(archived_rows),
        "shown": filter_name,
    }
    return await long_page(request, "campaigns.html", context)


async def documents(request: Request) -> Response:
    """How far each document is, and each domain."""
    site: Site = request.app.state.site
    campaign = await campaign_of(request)

    def look() -> dict[str, object]:
        progress_now = progress(site.store, campaign.id)
        documents = {document.id: document for document in campaign_documents(site.store, campaign.id)}
        return {"parts": progress_now.documents, "domains": progress_now.domains, "known": documents}

    page_data = await site.read(look)
    return await long_page(request, "documents.html", {"campaign": campaign, "bar": progress_bar, **page_data})


# Running a campaign: open, pause, close, archive, settings; duplicating it, and deleting it with a copy kept


async def state(request: Request) -> Response:
    """Open, pause, go on, close, assign what follows a calibration round, put into the archive and out of it."""
    site: Site = request.app.state.site
    campaign = await campaign_of(request)
    form = await forms.form_of(request)
    account: int = request.state.visitor.account.id
    changes = {
        "open": operations.open,
        "pause": operations.pause,
        "reopen": operations.reopen,
        "close": operations.close,
        "rest": operations.after_calibration,
    }
    target = forms.text(form, "to")

    def work() -> None:
        if target in changes:
            changes[target](site.store, campaign.id, account=account)
        elif target in ("archive", "restore"):
            operations.archive(site.store, campaign.id, target == "archive", account=account)
        else:
            raise HTTPException(400)

    await site.write(work)
    return to_campaign(request, campaign)


async def settings(request: Request) -> Response:
    """What can be changed while a campaign runs."""
    return await _settings_page(request, await campaign_of(request))


async def _settings_page(
    request: Request, campaign: Campaign, problem: str = "", form_values: Mapping[str, Json] | None = None
) -> Response:
    site: Site = request.app.state.site

    def look() -> tuple[int, list[tuple[str, str]]]:
        with site.store.reading() as tx:
            version = tx.campaigns.version(campaign.id)
        protocol = operations.protocol(site.store, campaign.id)
        wording = Wording(protocol, language())
        questions = [(name, wording.question(name).label) for name in comparable_questions(protocol)]
        return version, questions

    version, questions = await site.read(look)
    values = {**campaign.settings, "title": campaign.title, **(form_values or {})}
    context = {
        "campaign": campaign,
        "values": values,
        "version": version,
        "stored": json.dumps(_stored_texts(campaign), ensure_ascii=False),
        "questions": questions,
        "problem": problem,
    }
    return page(request, "settings.html", context, 422 if problem else 200)


def _stored_texts(campaign: Campaign) -> dict[str, str]:
    """The fields of the form as they are stored."""
    values = {**campaign.settings, "title": campaign.title}
    return {name: _plain_text(values.get(name)) for name in (*NUMBERS, *TEXTS, "title")}


def _plain_text(value: Json) -> str:
    return "" if value is None else str(value).replace("\r\n", "\n").strip()


def _with_own_changes(form: FormData, campaign: Campaign) -> dict[str, str]:
    """The settings as stored, with what this organiser changed in the form: a form that was filled in before someone
    else's change would take that change back."""
    try:
        seen = json.loads(forms.text(form, "stored"))
    except ValueError:
        seen = None
    seen_texts = seen if isinstance(seen, dict) else {}
    own = {name: _plain_text(forms.text(form, name)) for name in (*NUMBERS, *TEXTS, "title")}
    return {
        name: own[name] if own[name] != _plain_text(seen_texts.get(name)) else text
        for name, text in _stored_texts(campaign).items()
    }


async def change_settings(request: Request) -> Response:
    """Keep the new settings, unless another organiser was quicker."""
    site: Site = request.app.state.site
    campaign = await campaign_of(request)
    form = await forms.form_of(request)
    version = forms.text(form, "version")
    try:
        settings = read_settings(form)
        await site.write(
            lambda: operations.configure(
                site.store,
                campaign.id,
                title=forms.text(form, "title").strip()[:200] or campaign.name,
                settings=settings,
                version=forms.whole_number(version),
                account=request.state.visitor.account.id,
            )
        )
    except LannerError as error:
        text = {name: forms.text(form, name) for name in (*NUMBERS, *TEXTS, "title")}
        if error.code == "changed":
            text = _with_own_changes(form, campaign)
        return await _settings_page(request, campaign, error_text(error), text)
    return to_campaign(request, campaign)


async def duplicate(request: Request) -> Response:
    """A draft with the same texts, protocol, design and settings."""
    site: Site = request.app.state.site
    campaign = await campaign_of(request)
    form = await forms.form_of(request)
    account = request.state.visitor.account
    same = forms.text(form, "judges") == "same"

    def work() -> Campaign:
        name = forms.text(form, "as").strip()
        copy = operations.duplicate(site.store, campaign.id, name, None if same else [], account=account.id)
        if account.role is not AccountRole.OWNER:
            with site.store.writing() as tx:
                tx.accounts.join(account.id, copy.id)
        return copy

    try:
        copy = await site.write(work)
    except LannerError as error:
        return await _settings_page(request, campaign, error_text(error))
    return to_campaign(request, copy)


async def delete(request: Request) -> Response:
    """Delete a campaign whose name was typed out; a copy of everything in it is kept beside the store first."""
    site: Site = request.app.state.site
    campaign = await campaign_of(request)
    form = await forms.form_of(request)
    if forms.text(form, "typed") != campaign.name:
        return await _settings_page(request, campaign, say("The name does not match. Nothing was deleted."))
    copy = site.backups / copy_name(campaign)
    account: int = request.state.visitor.account.id
    try:
        await site.files.ask("remove", campaign.id, campaign.name, str(copy), account)
    except CampaignError as error:
        if error.code == NO_BACKUP:
            log.error("%s: %s", copy, error)
        raise
    return redirect(request, "/campaigns")


def read_settings(form: FormData) -> dict[str, Json]:
    """Settings from a form: numbers as numbers, an empty field takes a setting away."""
    values: dict[str, Json] = {}
    for name in NUMBERS:
        words = forms.text(form, name).strip().replace(",", ".")
        try:
            values[name] = float(words) if words else None
        except ValueError:
            raise not_a_number(name, words) from None
    for name in TEXTS:
        values[name] = forms.text(form, name).strip()[:20_000] or None
    check_settings(values)
    return values

"""Running a campaign: open, pause, close, archive, its settings; duplicating it, and deleting it with a copy kept."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from lanner import campaign as campaigns
from lanner.campaign.states import NUMBERS, TEXTS, check_settings, not_a_number
from lanner.errors import CampaignError, LannerError
from lanner.model import Campaign, Json
from lanner.monitor.snapshot import COMPARED
from lanner.protocols.wording import Wording
from lanner.store import AccountRole, Store
from lanner.web import auth
from lanner.web.organising.campaigns import address_of, campaign_of
from lanner.web.page import forms
from lanner.web.page.problems import error_text
from lanner.web.page.rendering import page
from lanner.web.page.speech import language, say
from lanner.web.site import Site


async def state(request: Request) -> Response:
    """Open, pause, go on, close, assign what follows a calibration round, put into the archive and out of it."""
    site: Site = request.app.state.site
    campaign = await campaign_of(request)
    form = await auth.form_of(request)
    account: int = request.state.visitor.account.id
    changes = {
        "open": campaigns.open,
        "pause": campaigns.pause,
        "reopen": campaigns.reopen,
        "close": campaigns.close,
        "rest": campaigns.after_calibration,
    }
    target = forms.text(form, "to")

    def work() -> None:
        if target in changes:
            changes[target](site.store, campaign.id, account=account)
        elif target in ("archive", "restore"):
            archived: bool | None = True if target == "archive" else None
            campaigns.configure(site.store, campaign.id, settings={"archived": archived}, account=account)
        else:
            raise HTTPException(400)

    await site.write(work)
    return RedirectResponse(address_of(request, campaign), 303)


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
        protocol = campaigns.protocol(site.store, campaign.id)
        wording = Wording(protocol, language())
        questions = [(q.id, wording.question(q.id).label) for _, q in protocol.questions if q.kind in COMPARED]
        return version, questions

    version, questions = await site.read(look)
    values = {**campaign.settings, "title": campaign.title, **(form_values or {})}
    context = {"campaign": campaign, "values": values, "version": version, "questions": questions, "problem": problem}
    return page(request, "settings.html", context, 422 if problem else 200)


async def change_settings(request: Request) -> Response:
    """Keep the new settings, unless another organiser was quicker."""
    site: Site = request.app.state.site
    campaign = await campaign_of(request)
    form = await auth.form_of(request)
    version = forms.text(form, "version")
    try:
        settings = read_settings(form)
        await site.write(
            lambda: campaigns.configure(
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
        return await _settings_page(request, campaign, error_text(error), text)
    return RedirectResponse(address_of(request, campaign), 303)


async def duplicate(request: Request) -> Response:
    """A draft with the same texts, protocol, design and settings."""
    site: Site = request.app.state.site
    campaign = await campaign_of(request)
    form = await auth.form_of(request)
    account = request.state.visitor.account
    same = forms.text(form, "judges") == "same"

    def work() -> Campaign:
        name = forms.text(form, "as").strip()
        copy = campaigns.duplicate(site.store, campaign.id, name, None if same else [], account=account.id)
        if account.role is not AccountRole.OWNER:
            with site.store.writing() as tx:
                tx.accounts.join(account.id, copy.id)
        return copy

    try:
        copy = await site.write(work)
    except LannerError as error:
        return await _settings_page(request, campaign, error_text(error))
    return RedirectResponse(address_of(request, copy), 303)


async def delete(request: Request) -> Response:
    """Delete a campaign whose name was typed out; a copy of everything in it is kept beside the store first."""
    site: Site = request.app.state.site
    campaign = await campaign_of(request)
    form = await auth.form_of(request)
    if forms.text(form, "typed") != campaign.name:
        return await _settings_page(request, campaign, say("The name does not match. Nothing was deleted."))
    folder = site.backups / f"{campaign.id}-{datetime.now(UTC):%Y%m%dT%H%M%SZ}.jsonl"
    try:
        await site.files.ask("write_copy", campaign.id, str(folder))
        await site.write(lambda: _remove(site.store, campaign, folder, request.state.visitor.account.id))
    except (LannerError, OSError) as error:
        with contextlib.suppress(OSError):
            folder.unlink(missing_ok=True)
        raise CampaignError(
            say("Nothing was deleted, because no copy could be kept first: {error}", error=error), code="no_backup"
        ) from error
    return RedirectResponse(f"{request.scope.get('root_path', '')}/campaigns", 303)


def _remove(store: Store, campaign: Campaign, folder: Path, account: int) -> None:
    if not folder.is_file() or not folder.stat().st_size:
        raise CampaignError(say("The copy is empty."), code="no_backup")
    campaigns.remove(store, campaign.id, name=campaign.name, account=account)


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

"""Answers that were given elsewhere, brought into a campaign: the file is looked at first, with what is wrong in it and
where; then everything in it is taken in, or nothing."""

from __future__ import annotations

import shutil
from pathlib import Path

from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from lanner.campaign import Imported
from lanner.campaign.imports import Incoming
from lanner.errors import InputError, LannerError
from lanner.model import Campaign
from lanner.web import auth, forms
from lanner.web.drafting.uploads import named, without_folders
from lanner.web.organising.campaigns import address_of, campaign_of
from lanner.web.problems import error_text
from lanner.web.rendering import page
from lanner.web.site import Site
from lanner.web.speech import say


async def import_page(request: Request) -> Response:
    """Where the file comes from."""
    return _page(request, await campaign_of(request))


def _page(
    request: Request,
    campaign: Campaign,
    *,
    problem: str = "",
    incoming: Incoming | None = None,
    token: str = "",
    file: str = "",
) -> Response:
    context = {"campaign": campaign, "problem": problem, "found": incoming, "upload": token, "file": file}
    return page(request, "import.html", context, 422 if problem else 200)


async def inspect(request: Request) -> Response:
    """What a file would bring, or what is wrong with it."""
    site: Site = request.app.state.site
    campaign = await campaign_of(request)
    form = await auth.form_of(request)
    entry = form.get("answers")
    try:
        if not isinstance(entry, UploadFile) or not entry.filename:
            raise InputError(say("No file was chosen."), next_step=say("Choose a file."))
        model = forms.text(form, "model").strip()[:80] if forms.text(form, "kind") == "model" else ""
        if forms.text(form, "kind") == "model" and not model:
            raise InputError(say("The model has no name."), next_step=say("Write what it is called."))
        path = await site.read(lambda: _copy_upload(site, entry))
        try:
            incoming: Incoming = await site.files.ask("inspect_file", campaign.id, str(path), model)
        except LannerError as error:
            shutil.rmtree(path.parent, ignore_errors=True)
            raise without_folders(error) from error
    except LannerError as error:
        return _page(request, campaign, problem=error_text(error))
    token = site.uploads.arrive(request.state.visitor.account.id, path, campaign.id, model)
    return _page(request, campaign, incoming=incoming, token=token, file=path.name)


def _copy_upload(site: Site, entry: UploadFile) -> Path:
    """The file under its own name, which tells the format, in a folder of its own."""
    folder = site.uploads.place()
    folder.mkdir()
    path = folder / named(entry.filename)
    with path.open("wb") as target:
        shutil.copyfileobj(entry.file, target)
    return path


async def bring(request: Request) -> Response:
    """Take in what was looked at."""
    site: Site = request.app.state.site
    campaign = await campaign_of(request)
    await auth.form_of(request)
    account: int = request.state.visitor.account.id
    arrival = site.uploads.arrived(request.path_params["upload"], account, campaign.id)
    if not arrival.path.is_file():
        raise HTTPException(404)
    try:
        result: Imported = await site.files.ask("import_file", campaign.id, str(arrival.path), arrival.model, account)
    except LannerError as error:
        return _page(request, campaign, problem=error_text(without_folders(error)))
    shutil.rmtree(arrival.path.parent, ignore_errors=True)
    if result.already:
        return _page(
            request, campaign, problem=say("The same judgements had been imported before. Nothing was changed.")
        )
    return RedirectResponse(address_of(request, campaign), 303)

"""Files of a campaign. Out again, at any time: the tidy table, other tools' formats, the report. In: answers that were
given elsewhere; the file is looked at first, with what is wrong in it and where, then everything in it is taken in, or
nothing."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from starlette.background import BackgroundTask
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, Response

from lanner.campaign import Imported
from lanner.campaign.imports import ImportSummary
from lanner.errors import InputError, LannerError
from lanner.model import Campaign
from lanner.reports.rendering import script_hash
from lanner.web import forms
from lanner.web.drafting.uploads import UploadedAnswers, safe_name, without_folders
from lanner.web.organising.campaigns import campaign_of, to_campaign
from lanner.web.problems import error_text
from lanner.web.rendering import page
from lanner.web.site import Site
from lanner.web.speech import say

_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'; "
    "sandbox allow-scripts allow-downloads"
)

TABLES = ("csv", "jsonl", "parquet")
FORMATS: Mapping[str, tuple[str, str, str]] = {
    "csv": ("CSV", ".csv", "one row per answer, with a codebook"),
    "jsonl": ("JSON lines", ".jsonl", "the same, for programs"),
    "parquet": ("Parquet", ".parquet", "the same, for large campaigns"),
    "native": ("Lanner", ".jsonl", "texts, judges and judgements: can be imported again"),
    "label_studio": ("Label Studio", ".json", "tasks with annotations"),
    "mtme": ("mt-metrics-eval", "", "sources, documents, references, outputs, scores"),
    "appraise": ("Appraise", ".csv", "one row per score, in Appraise’s own layout"),
}
"""What can be had: its name, how its file ends, what is in it."""


async def export(request: Request) -> Response:
    """A file with all current judgements; a folder, or a table with its codebook, comes as a zip."""
    site: Site = request.app.state.site
    campaign = await campaign_of(request)
    name = request.path_params["format"]
    path, away = await write_export(site, campaign, name)
    plain = re.sub(r"[^\w.-]+", "-", campaign.name).strip("-") or "campaign"
    return FileResponse(path, filename=f"{plain}-{name}{path.suffix}", background=away)


async def write_export(site: Site, campaign: Campaign, name: str) -> tuple[Path, BackgroundTask]:
    """All current judgements in a file, and what takes it away again once it is sent."""
    if name not in FORMATS:
        raise HTTPException(404)
    folder = Path(tempfile.mkdtemp(prefix="lanner-export-"))
    try:
        path = Path(await site.files.ask("export", campaign.id, name, FORMATS[name][1], str(folder)))
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return path, BackgroundTask(shutil.rmtree, folder, ignore_errors=True)


async def report(request: Request) -> Response:
    """The report as one page. It brings its style and its one script along, so it has a policy of its own: nothing else
    runs, and nothing is loaded."""
    site: Site = request.app.state.site
    campaign = await campaign_of(request)
    html: str = await site.files.ask("report", campaign.id)
    return HTMLResponse(html, headers={"content-security-policy": report_policy()})


def report_policy() -> str:
    """What a browser may do with a report: run the one script of ours, and load nothing."""
    return f"{_POLICY}; script-src '{script_hash()}'"


async def import_page(request: Request) -> Response:
    """Where the file comes from."""
    return _import_page(request, await campaign_of(request))


def _import_page(
    request: Request,
    campaign: Campaign,
    *,
    problem: str = "",
    incoming: ImportSummary | None = None,
    token: str = "",
    file: str = "",
) -> Response:
    context = {"campaign": campaign, "problem": problem, "found": incoming, "upload": token, "file": file}
    return page(request, "import.html", context, 422 if problem else 200)


async def inspect(request: Request) -> Response:
    """What a file would bring, or what is wrong with it."""
    site: Site = request.app.state.site
    campaign = await campaign_of(request)
    form = await forms.form_of(request)
    entry = form.get("answers")
    try:
        if not isinstance(entry, UploadFile) or not entry.filename:
            raise InputError(say("No file was chosen."), next_step=say("Choose a file."))
        model = forms.text(form, "model").strip()[:80] if forms.text(form, "kind") == "model" else ""
        if forms.text(form, "kind") == "model" and not model:
            raise InputError(say("The model has no name."), next_step=say("Write what it is called."))
        path = await site.read(lambda: _copy_upload(site, entry))
        try:
            incoming: ImportSummary = await site.files.ask("inspect_file", campaign.id, str(path), model)
        except LannerError as error:
            shutil.rmtree(path.parent, ignore_errors=True)
            raise without_folders(error) from error
    except LannerError as error:
        return _import_page(request, campaign, problem=error_text(error))
    token = site.uploads.keep(UploadedAnswers(request.state.visitor.account.id, path, campaign.id, model))
    return _import_page(request, campaign, incoming=incoming, token=token, file=path.name)


def _copy_upload(site: Site, entry: UploadFile) -> Path:
    """The file under its own name, which tells the format, in a folder of its own."""
    folder = site.uploads.place()
    folder.mkdir()
    path = folder / safe_name(entry.filename)
    with path.open("wb") as target:
        shutil.copyfileobj(entry.file, target)
    return path


async def bring(request: Request) -> Response:
    """Take in what was looked at."""
    site: Site = request.app.state.site
    campaign = await campaign_of(request)
    await forms.form_of(request)
    account: int = request.state.visitor.account.id
    arrival = site.uploads.find(UploadedAnswers, request.path_params["upload"], account)
    if arrival.campaign != campaign.id:
        raise HTTPException(404)
    try:
        result: Imported = await site.files.ask("import_file", campaign.id, str(arrival.path), arrival.model, account)
    except LannerError as error:
        return _import_page(request, campaign, problem=error_text(without_folders(error)))
    shutil.rmtree(arrival.path.parent, ignore_errors=True)
    if result.already:
        return _import_page(
            request, campaign, problem=say("The same judgements had been imported before. Nothing was changed.")
        )
    return to_campaign(request, campaign)

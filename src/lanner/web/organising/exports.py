"""Everything out again, at any time: the tidy table, other tools' formats, the report."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from starlette.background import BackgroundTask
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, Response

from lanner.reports.html import script_hash
from lanner.web.organising.campaigns import campaign_of
from lanner.web.site import Site

_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'; "
    "sandbox allow-scripts allow-downloads"
)


async def export(request: Request) -> Response:
    """A file with all current judgements; a folder, or a table with its codebook, comes as a zip."""
    site: Site = request.app.state.site
    campaign = await campaign_of(request)
    name = request.path_params["format"]
    if name not in FORMATS:
        raise HTTPException(404)
    folder = Path(tempfile.mkdtemp(prefix="lanner-export-"))
    away = BackgroundTask(shutil.rmtree, folder, ignore_errors=True)
    try:
        path = Path(await site.files.ask("export", campaign.id, name, FORMATS[name][1], str(folder)))
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    plain = re.sub(r"[^\w.-]+", "-", campaign.name).strip("-") or "campaign"
    return FileResponse(path, filename=f"{plain}-{name}{path.suffix}", background=away)


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

"""The page on which an organiser says what each column of a table holds, with the table in sight."""

from __future__ import annotations

import shutil
from pathlib import Path

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from lanner.web import forms
from lanner.web.drafting.columns import (
    ENCODINGS,
    TableChoices,
    TablePreview,
    delimiter_titles,
    language_titles,
    read_choices,
    role_titles,
)
from lanner.web.drafting.uploads import TableUpload
from lanner.web.rendering import page
from lanner.web.site import Site


async def take_table(request: Request, upload: Path) -> Response:
    """Keep a table that was sent. What is certain is taken at once; else its columns are asked about."""
    site: Site = request.app.state.site
    account = request.state.visitor.account.id
    form = await forms.form_of(request)
    folder = site.uploads.place()
    folder.mkdir()
    path = folder / upload.name  # under its own name, which mistakes are told with
    shutil.copyfile(upload, path)
    first = TableChoices(source_language=forms.text(form, "source"), target_language=forms.text(form, "target"))
    texts_path = site.uploads.place()
    preview: TablePreview = await site.files.ask("preview_table", str(path), upload.name, first, str(texts_path))
    token = site.uploads.add_table(account, path, upload.name)
    site.uploads.find_table(token, account).choices = preview.choices
    root = request.scope.get("root_path", "")
    if preview.unsure or preview.texts is None:
        return RedirectResponse(f"{root}/new/{token}/table", 303)
    return RedirectResponse(f"{root}/new/{site.uploads.add(account, texts_path, preview.texts, token)}", 303)


async def table_page(request: Request) -> Response:
    """The preview with a menu over every column."""
    upload = _upload(request)
    return await _table_page(request, upload, upload.choices or TableChoices())


async def choose_columns(request: Request) -> Response:
    """Look at the table as chosen, or take its texts. What was chosen is kept in either case."""
    site: Site = request.app.state.site
    upload = _upload(request)
    form = await forms.form_of(request)
    choices = read_choices(form)
    if forms.text(form, "do") != "take":
        return await _table_page(request, upload, choices)
    texts_path = site.uploads.place()
    preview: TablePreview = await _preview(site, upload, choices, texts_path)
    upload.choices = preview.choices
    if preview.texts is None or preview.choices != choices:
        return _shown(request, preview, 422 if preview.problem else 200)
    token = site.uploads.add(upload.account, texts_path, preview.texts, request.path_params["upload"])
    return RedirectResponse(f"{request.scope.get('root_path', '')}/new/{token}", 303)


def _upload(request: Request) -> TableUpload:
    site: Site = request.app.state.site
    return site.uploads.find_table(request.path_params["upload"], request.state.visitor.account.id)


async def _preview(site: Site, upload: TableUpload, choices: TableChoices, path: Path) -> TablePreview:
    preview: TablePreview = await site.files.ask("preview_table", str(upload.path), upload.name, choices, str(path))
    return preview


async def _table_page(request: Request, upload: TableUpload, choices: TableChoices) -> Response:
    site: Site = request.app.state.site
    preview = await _preview(site, upload, choices, site.uploads.place())
    upload.choices = preview.choices
    return _shown(request, preview, 200)


def _shown(request: Request, preview: TablePreview, status: int) -> Response:
    context = {
        "preview": preview,
        "upload": request.path_params["upload"],
        "roles": role_titles(),
        "languages": language_titles(),
        "encodings": ENCODINGS,
        "delimiters": delimiter_titles(),
    }
    return page(request, "table.html", context, status)

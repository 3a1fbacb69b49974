"""From a template to a page, and the static files that pages name.

Static files are read once, named by a version that changes with their content, and then cached for ever.
All of them share one version, so that a module's relative imports and a style sheet's links need no rewriting. Scripts
are sent without the lines that hold nothing but comments: types and reasons are half of them, and nobody's browser
needs them. Empty lines stay in their places, so that an error names the line of the file.
"""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
import os
import re
import sys
from collections.abc import Callable, Hashable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from jinja2 import Environment, FileSystemBytecodeCache, FileSystemLoader, StrictUndefined
from jinja2.bccache import Bucket
from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from lanner.campaign.settings import time_zones
from lanner.model import languages
from lanner.model.messages import count, number, percent, plural, shorten
from lanner.reports.rendering import SHARED
from lanner.store import RecentCache
from lanner.web import access, speech
from lanner.web.speech import COOKIE, amount, apart, comma, language, mark, say, translate

STATIC = Path(__file__).parent / "static"
_COMBINED = {
    "judge.css": (
        "tokens.css",
        "styles/base.css",
        "styles/controls.css",
        "styles/bar.css",
        "styles/drawer.css",
        "styles/pages.css",
        "styles/document.css",
        "styles/rows.css",
        "styles/marks.css",
        "styles/rail.css",
        "styles/questions.css",
        "styles/teaching.css",
    )
}
"""Style sheets sent as one: a page waits for all of them, and together they compress better."""
_TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".woff2": "font/woff2"}
_TEXT = {".js", ".css", ".svg", ".json", ".txt"}
_COMMENT = re.compile(rb"^[ \t]*(?://.*|/\*(?:[^*]|\*(?!/))*\*/[ \t]*)$", re.MULTILINE)
"""Whole lines of comments in a script or style sheet. No text of a script runs over lines; a test says so."""
_FOR_EVER = "public, max-age=31536000, immutable"


@dataclass(frozen=True, slots=True)
class Asset:
    """One file as it is sent: plain, and compressed where that pays."""

    body: bytes
    packed: bytes | None
    media_type: str


class Assets:
    """Every file of a folder, and the style sheets shared with reports. While `watched`, files are
    read anew each time and nothing is cached."""

    def __init__(self, folder: Path = STATIC, *, watched: bool = False) -> None:
        self._folder = folder
        self._watched = watched
        self._files = {} if watched else (_load_packaged() if folder == STATIC else _load_all(folder))
        digest = hashlib.sha256()
        for name, asset in self._files.items():
            digest.update(name.encode() + b"\0" + asset.body)
        self.version = "dev" if watched else digest.hexdigest()[:12]

    def path(self, name: str) -> str:
        """The address of a file, below the app's root."""
        return f"/static/{self.version}/{name}"

    def find(self, name: str) -> Asset | None:
        if not self._watched:
            return self._files.get(name)
        paths = _paths(self._folder).get(name)
        return _load(paths) if paths else None

    def respond(self, request: Request) -> Response:
        """The file asked for. A page from before an upgrade gets the new file, uncached."""
        asset = self.find(request.path_params["path"])
        if asset is None:
            raise HTTPException(404)
        current = request.path_params["version"] == self.version and not self._watched
        headers = {"cache-control": _FOR_EVER if current else "no-cache", "vary": "accept-encoding"}
        if asset.packed is not None and "gzip" in request.headers.get("accept-encoding", ""):
            headers["content-encoding"] = "gzip"
            return Response(asset.packed, media_type=asset.media_type, headers=headers)
        return Response(asset.body, media_type=asset.media_type, headers=headers)


def _load_all(folder: Path) -> dict[str, Asset]:
    return {name: _load(paths) for name, paths in _paths(folder).items()}


@cache
def _load_packaged() -> dict[str, Asset]:
    """The files that come with the program, compressed once in a process."""
    return _load_all(STATIC)


def _paths(folder: Path) -> dict[str, list[Path]]:
    """Every file that can be asked for, by name, with the files it is made of."""
    files = [path for path in folder.rglob("*") if path.is_file() and not path.name.startswith(".")]
    single = SHARED | {path.relative_to(folder).as_posix(): path for path in files}
    bundles = {
        name: [single[part] for part in parts]
        for name, parts in _COMBINED.items()
        if all(part in single for part in parts)
    }
    return dict(sorted(({name: [path] for name, path in single.items()} | bundles).items()))


def _load(paths: list[Path]) -> Asset:
    body = b"\n".join(path.read_bytes() for path in paths)
    suffix = paths[0].suffix
    if suffix in (".js", ".css"):
        body = _COMMENT.sub(lambda comment: b"\n" * comment[0].count(b"\n"), body)
    media_type = _TYPES.get(suffix) or mimetypes.guess_type(paths[0].name)[0] or "application/octet-stream"
    gzip_body = gzip.compress(body, 9, mtime=0) if suffix in _TEXT and len(body) > 400 else None
    return Asset(body, gzip_body, media_type)


# Templates. Everything is escaped; a name a template does not get is an error, not an empty string.


TEMPLATES = Path(__file__).parent / "templates"
_MOST_KEPT = 500


class CompiledTemplates(FileSystemBytecodeCache):
    """Compiled templates, beside their sources as compiled modules are. Where none can be written, none are."""

    def dump_bytecode(self, bucket: Bucket) -> None:
        with suppress(OSError):
            super().dump_bytecode(bucket)


def _compiled_templates() -> CompiledTemplates | None:
    folder = TEMPLATES / "__pycache__"
    with suppress(OSError):
        if not sys.dont_write_bytecode:
            folder.mkdir(exist_ok=True)
    return CompiledTemplates(str(folder)) if folder.is_dir() and os.access(folder, os.W_OK) else None


def load_templates(templates: Environment) -> None:
    """Every template, before the first page is asked for: compiling the larger ones takes a tenth of a second each, in
    which saves would wait. The languages' words likewise."""
    speech.available()
    for name in templates.list_templates(extensions=["html"]):
        templates.get_template(name)


@cache
def environment(*, watched: bool = False) -> Environment:
    """The templates with the words they share: one of a kind for all apps of a process."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=watched,
        cache_size=-1,
        bytecode_cache=_compiled_templates(),
    )
    environment.globals |= {"say": say, "mark": mark, "amount": amount, "comma": comma}
    environment.globals |= {"spoken": speech.available, "zones": time_zones}
    environment.globals["kept"] = FragmentCache(0 if watched else _MOST_KEPT)  # templates being changed are made anew
    environment.filters |= {
        "count": count,
        "apart": apart,
        "direction": languages.direction_of_text,
        "translate": translate,
        "zip": zip,
        "money": money,
        "fraction": fraction,
        "percent": percent,
        "moment": moment,
        "hours": hours,
        "plural": plural,
        "shortened": shorten,
    }
    return environment


class FragmentCache:
    """Pieces of pages that come again and again, made once: `kept(key, macro, ...)` in a template. The key says
    everything the piece is made from, so that two readers share one only where theirs are the same."""

    def __init__(self, size: int = _MOST_KEPT) -> None:
        self._pieces = RecentCache(size)

    def __call__(self, key: Hashable, macro: Callable[..., Markup], *arguments: object) -> Markup:
        piece: Markup = self._pieces.get(key, lambda: macro(*arguments))
        return piece


def page(request: Request, template: str, context: dict[str, Any], status: int = 200) -> HTMLResponse:
    """A page; its links stand below the path the app is mounted at."""
    site = request.app.state.site
    root = request.scope.get("root_path", "")
    visitor = getattr(request.state, "visitor", None)
    asked = urlencode([pair for pair in request.query_params.multi_items() if pair[0] != "language"])
    values = {
        "static": lambda name: root + site.assets.path(name),
        "visitor": visitor,
        "trouble": site.trouble if visitor and visitor.account else "",  # a judge's page sees for itself
        "in_language": lambda code: f"?{asked}&language={code}" if asked else f"?language={code}",
        **context,
    }
    response = HTMLResponse(part(site.templates, template, root, values), status_code=status)
    if request.query_params.get("language", "") in speech.available():
        access.keep(request, response, COOKIE, language(), 365)
    return response


def redirect(request: Request, path: str) -> RedirectResponse:
    """To a page of ours, below the path the app is mounted at, after something was done."""
    return RedirectResponse(request.scope.get("root_path", "") + path, 303)


async def long_page(request: Request, template: str, context: dict[str, Any], status: int = 200) -> HTMLResponse:
    """A page with as many rows as there are judges, documents or campaigns. It is drawn in a thread, so that requests
    of judges are answered meanwhile."""
    response: HTMLResponse = await request.app.state.site.read(lambda: page(request, template, context, status))
    return response


def part(templates: Environment, template: str, root: str, context: dict[str, Any]) -> str:
    """A template in the reader's language; `root` is the path that links begin with."""
    values = {"root": root, "language": language(), "direction": languages.direction(language()), **context}
    return templates.get_template(template).render(values)


def fraction(value: float | None, digits: int = 2) -> str:
    """A number that cannot exceed 1 in size: .46."""
    return apart(number(value, digits))


def money(amount: float | None) -> str:
    """446 or 2.10: pence only where there is little."""
    if amount is None:
        return "–"
    return f"{amount:,.0f}" if amount >= 100 or amount == int(amount) else f"{amount:,.2f}"


def hours(seconds: float | None) -> str:
    """Working time as a person says it: 3.5 h, 11 min."""
    if seconds is None:
        return "–"
    if seconds >= 5400:
        return say("{n} h", n=f"{seconds / 3600:.1f}")
    return say("{n} min", n=f"{seconds / 60:.0f}")


def moment(value: datetime | None) -> str:
    """A moment as the machine-readable half of a <time>; the page's script shows it in the reader's own zone."""
    return "" if value is None else value.isoformat(timespec="seconds")

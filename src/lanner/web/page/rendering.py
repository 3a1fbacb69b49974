"""From a template to a page. Everything is escaped; a name a template does not get is an error, not an empty string."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Hashable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemBytecodeCache, FileSystemLoader, StrictUndefined
from jinja2.bccache import Bucket
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse

from lanner.figures.typeset import count, number, percent, plural, shortened
from lanner.model import languages
from lanner.store import Memo
from lanner.web import access
from lanner.web.page import speech
from lanner.web.page.assets import Assets
from lanner.web.page.speech import COOKIE, amount, apart, language, mark, say, translate

FOLDER = Path(__file__).parents[1] / "templates"
_MOST_KEPT = 500


class CompiledTemplates(FileSystemBytecodeCache):
    """Compiled templates, beside their sources as compiled modules are. Where none can be written, none are."""

    def dump_bytecode(self, bucket: Bucket) -> None:
        with suppress(OSError):
            super().dump_bytecode(bucket)


def _compiled_templates() -> CompiledTemplates | None:
    folder = FOLDER / "__pycache__"
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


def environment(assets: Assets | None = None, *, watched: bool = False) -> Environment:
    """The templates with the words they share; without assets, for parts of pages that refer to none."""
    environment = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=watched,
        cache_size=-1,
        bytecode_cache=_compiled_templates(),
    )
    environment.globals |= {"assets": assets, "say": say, "mark": mark, "amount": amount, "spoken": speech.available}
    environment.globals["kept"] = FragmentCache(0 if watched else _MOST_KEPT)  # templates being changed are made anew
    environment.filters |= {
        "count": count,
        "apart": apart,
        "translate": translate,
        "zip": zip,
        "money": money,
        "fraction": fraction,
        "percent": percent,
        "moment": moment,
        "hours": hours,
        "plural": plural,
        "shortened": shortened,
    }
    return environment


class FragmentCache:
    """Pieces of pages that come again and again, made once: `kept(key, macro, ...)` in a template. The key says
    everything the piece is made from, so that two readers share one only where theirs are the same."""

    def __init__(self, size: int = _MOST_KEPT) -> None:
        self._pieces = Memo(size)

    def __call__(self, key: Hashable, macro: Callable[..., Markup], *arguments: object) -> Markup:
        piece: Markup = self._pieces.get(key, lambda: macro(*arguments))
        return piece


def page(request: Request, template: str, context: dict[str, Any], status: int = 200) -> HTMLResponse:
    """A page; its links stand below the path the app is mounted at."""
    site = request.app.state.site
    root = request.scope.get("root_path", "")
    values = {
        "static": lambda name: root + site.assets.path(name),
        "visitor": getattr(request.state, "visitor", None),
        "trouble": site.trouble,
        **context,
    }
    response = HTMLResponse(part(site.templates, template, root, values), status_code=status)
    if request.query_params.get("language", "") in speech.available():
        access.keep(request, response, COOKIE, language(), 365)
    return response


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

"""Forms: their fields as texts, checked to come from a page of ours, and the answers of a page without its script."""

from __future__ import annotations

from starlette.datastructures import FormData
from starlette.requests import Request

from lanner.model import Json, Protocol
from lanner.protocols.answers import answers_from_fields
from lanner.web import access


async def form_of(request: Request) -> FormData:
    """The fields of a form, whose token fits the visitor's cookie."""
    form = await request.form(max_files=20, max_fields=2000)
    visitor = getattr(request.state, "visitor", None)
    anyone = request.cookies.get(access.VISITOR_COOKIE, "")
    secret = visitor.form_secret if visitor and visitor.account else anyone
    access.check_form(text(form, access.FORM_FIELD), secret)
    return form


def text(form: FormData, name: str, default: str = "") -> str:
    """A field as text; a file where text belongs counts as nothing, and so does a character no database holds."""
    value = form.get(name, default)
    return value.replace("\0", "") if isinstance(value, str) else default


def whole_number(words: str) -> int | None:
    """A number as a form or an address has it; None for what is none, or too large to be the number of anything."""
    words = words.strip()
    if not (words.isascii() and words.isdecimal()) or len(words) > 18:
        return None
    return int(words)


def answers(protocol: Protocol, page: str, form: FormData) -> dict[str, Json]:
    """What a form says about one item of a page; questions without a field are left out."""
    return answers_from_fields(protocol, page, fields(form))


def fields(form: FormData) -> dict[str, list[str]]:
    """The texts of a form by the names of their fields."""
    results: dict[str, list[str]] = {}
    for name, value in form.multi_items():
        if isinstance(value, str):
            results.setdefault(name, []).append(value.strip())
    return results

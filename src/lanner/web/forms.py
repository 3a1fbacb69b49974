"""Forms: their fields as texts, checked to come from a page of ours, and the answers of a page without its script."""

from __future__ import annotations

from urllib.parse import parse_qsl

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request

from lanner.model import Json, Protocol
from lanner.protocols.answers import answers_from_fields
from lanner.web import access

_SHORT = 64 * 1024
"""Bytes of a form that are read at once."""
_LONGEST = 1024 * 1024
"""Bytes that a form without files may have, where its address takes larger ones with files."""
_MOST_FIELDS = 2000


async def read(request: Request, *, max_files: int = 0) -> FormData:
    """The fields of a form. In a megabyte of text every letter may be escaped, and undoing that takes half a second, in
    which nobody's answers would be saved: a thread does it. Forms with files are read part by part as they come."""
    if not request.headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
        return await request.form(max_files=max_files, max_fields=_MOST_FIELDS)
    body = await request.body()
    if len(body) > _LONGEST:
        raise HTTPException(413)
    return _parse(body) if len(body) <= _SHORT else await run_in_threadpool(_parse, body)


def _parse(body: bytes) -> FormData:
    try:
        pairs = parse_qsl(body.decode("latin-1"), keep_blank_values=True, max_num_fields=_MOST_FIELDS)
        return FormData([*pairs])
    except ValueError:
        raise HTTPException(400) from None


async def form_of(request: Request) -> FormData:
    """The fields of a form, whose token fits the visitor's cookie."""
    form = await read(request, max_files=20)
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

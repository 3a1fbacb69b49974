"""Checking marked spans: in bounds, in code points, saying what stands there, with a known category and severity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from lanner.errors import AnswerError
from lanner.model import Json, Option, Spans

_FIELDS = {"side", "start", "end", "text", "category", "severity", "missing", "link", "output", "origin", "note"}


class Checking(Protocol):
    """What the check of one answer offers: raise or flag, and resolve options."""

    strict: bool

    def violation(self, code: str, what: str, hint: str = "") -> None: ...
    def error(self, code: str, what: str, hint: str = "") -> AnswerError: ...
    def option(self, given: Json, options: Sequence[Option]) -> str: ...


def check_spans(
    checked: Checking, question: Spans, value: Json, source: str | None, targets: Sequence[str]
) -> list[dict[str, Any]]:
    """The spans in stored form: side, start, end, text, and category, severity, missing, link where they apply."""
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise checked.error("shape", f"{value!r} is not a list of spans.")
    if question.max is not None and len(value) > question.max:
        checked.violation("too_many", f"{len(value)} spans, at most {question.max} allowed.")
    return [_span(checked, question, span, source, targets) for span in value]


def _span(checked: Checking, question: Spans, span: Json, source: str | None, targets: Sequence[str]) -> dict[str, Any]:
    if not isinstance(span, Mapping):
        raise checked.error("shape", f"{span!r} is not a span.")
    if unknown := [key for key in span if key not in _FIELDS]:
        checked.violation("unknown_field", f"a span has no field {unknown[0]!r}.")
    missing = bool(span.get("missing", False))
    if missing and not question.missing:
        checked.violation("missing_not_allowed", "this question has no marks for missing text.")
    side = span.get("side", "source" if missing and "source" in question.sides else question.sides[0])
    if side not in question.sides and not missing:
        checked.violation("wrong_side", f"spans are marked on the {' and '.join(question.sides)}, not on {side!r}.")
    stored: dict[str, Any] = {"side": side}
    if targets and side == "target" and len(targets) > 1:
        stored["output"] = span.get("output", 0)
    text = _text_of(side, source, targets, stored.get("output", 0))
    stored |= _place(checked, span, text, allow_nowhere=missing)
    for name, options in (("category", question.categories), ("severity", question.severities)):
        if options:
            if span.get(name) is None:
                checked.violation(f"no_{name}", f"a span has no {name}.")
            else:
                stored[name] = checked.option(span[name], options)
    if missing:
        stored["missing"] = True
    if span.get("link") is not None:
        stored["link"] = _link(checked, question, span["link"])
    for name in ("origin", "note"):
        if span.get(name):
            stored[name] = str(span[name])
    return stored


def _text_of(side: str, source: str | None, targets: Sequence[str], output: int) -> str | None:
    if side == "source":
        return source
    return targets[output] if 0 <= output < len(targets) else None


def _place(checked: Checking, span: Mapping[str, Any], text: str | None, allow_nowhere: bool) -> dict[str, Any]:
    start, end = span.get("start"), span.get("end")
    if start is None and end is None and allow_nowhere:
        return {}
    if not isinstance(start, int) or not isinstance(end, int) or isinstance(start, bool) or isinstance(end, bool):
        raise checked.error("shape", "a span needs start and end in code points.")
    if start < 0 or end < start or (start == end and not allow_nowhere):
        checked.violation("bad_offsets", f"a span from {start} to {end} marks nothing.")
    elif text is not None:
        if end > len(text):
            checked.violation("bad_offsets", f"a span ends at {end}, the text at {len(text)}.")
        elif span.get("text") is not None and text[start:end] != span["text"]:
            what = f"a span says {span['text']!r}, but {text[start:end]!r} stands there."
            checked.violation("text_mismatch", what)
    words = span.get("text")
    if words is None and text is not None and 0 <= start <= end <= len(text):
        words = text[start:end]
    return {"start": start, "end": end, "text": words}


def _link(checked: Checking, question: Spans, link: Json) -> dict[str, Any]:
    if not question.link:
        checked.violation("link_not_allowed", "spans of this question are not linked.")
    if not isinstance(link, Mapping) or not isinstance(link.get("segment"), str):
        raise checked.error("shape", "a link needs the segment it leads to.")
    kept = {key: link[key] for key in ("segment", "side", "start", "end", "text") if link.get(key) is not None}
    if not all(isinstance(kept.get(key, 0), int) for key in ("start", "end")):
        raise checked.error("shape", "a link needs start and end in code points.")
    return kept

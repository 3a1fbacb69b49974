"""Checking marked spans: in bounds, in code points, saying what stands there, with a known category and severity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from lanner.errors import AnswerError
from lanner.model import Json, Option, Spans
from lanner.protocols.prefilled import with_origins

_FIELDS = {"side", "start", "end", "text", "category", "severity", "missing", "link", "output", "origin", "was", "note"}


class Checking(Protocol):
    """What the check of one answer offers: raise or flag, and resolve options."""

    strict: bool

    def violation(self, code: str, what: str, hint: str = "") -> None: ...
    def error(self, code: str, what: str, hint: str = "") -> AnswerError: ...
    def option(self, given: Json, options: Sequence[Option]) -> str: ...


def check_spans(
    checked: Checking,
    question: Spans,
    value: Json,
    *,
    source: str | None,
    targets: Sequence[str],
    prefilled: Sequence[Mapping[str, Any]] | None = None,
) -> list[dict[str, Any]]:
    """The spans in stored form: side, start, end, text, and category, severity, missing, link where they apply; with
    the origin of each where some came with the texts (`prefilled`; None where that is not known).

    A span may quote its text without saying where it stands, as models do; it is then looked up.
    """
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise checked.error("shape", f"{value!r} is not a list of spans.")
    given = _spans(checked, question, value, source, targets)
    if question.prefilled and prefilled is not None:
        given = with_origins(given, _offered(checked, question, prefilled, source, targets))
    number = sum(span.get("origin") != "removed" for span in given)
    if question.max is not None and number > question.max:
        checked.violation("too_many", f"{number} spans, at most {question.max} allowed.")
    return given


def _offered(
    checked: Checking,
    question: Spans,
    prefilled: Sequence[Mapping[str, Any]],
    source: str | None,
    targets: Sequence[str],
) -> list[dict[str, Any]]:
    """The offered spans that fit the question and the text; a judge must not be refused for those that do not."""
    found: list[dict[str, Any]] = []
    for span in prefilled:
        try:
            found += _spans(checked, question, [span], source, targets)
        except AnswerError:
            continue
    return found


def _spans(
    checked: Checking, question: Spans, value: Sequence[Json], source: str | None, targets: Sequence[str]
) -> list[dict[str, Any]]:
    stored: list[dict[str, Any]] = []
    for span in value:
        if not isinstance(span, Mapping):
            raise checked.error("shape", f"{span!r} is not a span.")
        if unknown := [key for key in span if key not in _FIELDS]:
            checked.violation("unknown_field", f"a span has no field {unknown[0]!r}.")
        where = _side(checked, question, span, len(targets))
        text = _text_of(where, source, targets)
        taken = [s["start"] for s in stored if "start" in s and all(s.get(name) == where.get(name) for name in where)]
        place = _place(checked, _quoted(span, text, taken), text, allow_nowhere=bool(span.get("missing")))
        stored.append({**where, **place, **_marks(checked, question, span)})
    return stored


def _side(checked: Checking, question: Spans, span: Mapping[str, Any], outputs: int) -> dict[str, Any]:
    missing = bool(span.get("missing", False))
    if missing and not question.missing:
        checked.violation("missing_not_allowed", "this question has no marks for missing text.")
    side = span.get("side", "source" if missing and "source" in question.sides else question.sides[0])
    if side not in ("source", "target") or (side not in question.sides and not missing):
        checked.violation("wrong_side", f"spans are marked on the {' and '.join(question.sides)}, not on {side!r}.")
    if side != "target" or outputs < 2:
        return {"side": side}
    return {"side": side, "output": _output(checked, span.get("output", 0), outputs)}


def _marks(checked: Checking, question: Spans, span: Mapping[str, Any]) -> dict[str, Any]:
    marks: dict[str, Any] = {}
    for name, options in (("category", question.categories), ("severity", question.severities)):
        if options:
            if span.get(name) is None:
                checked.violation(f"no_{name}", f"a span has no {name}.")
            else:
                marks[name] = checked.option(span[name], options)
    if span.get("missing"):
        marks["missing"] = True
    if span.get("link") is not None:
        marks["link"] = _link(checked, question, span["link"])
    marks |= {name: str(span[name]) for name in ("origin", "note") if span.get(name)}
    if isinstance(span.get("was"), Mapping):
        marks["was"] = dict(span["was"])
    return marks


def _output(checked: Checking, given: Json, outputs: int) -> int:
    if isinstance(given, bool) or not isinstance(given, int) or not 0 <= given < outputs:
        raise checked.error(
            "shape", f"{given!r} is not the number of an output; the first is 0, the last {outputs - 1}."
        )
    return given


def _text_of(where: Mapping[str, Any], source: str | None, targets: Sequence[str]) -> str | None:
    if where["side"] == "source":
        return source
    return targets[where.get("output", 0)] if targets else None


def _quoted(span: Mapping[str, Any], text: str | None, taken: Sequence[int]) -> Mapping[str, Any]:
    """The span with its place, where it only quotes words that stand in the text: the first place not yet taken."""
    words = span.get("text")
    if span.get("start") is not None or span.get("end") is not None or not isinstance(words, str) or not words:
        return span
    if text is None or words not in text:
        return span
    places = [place for place in range(len(text)) if text.startswith(words, place)]
    start = next((place for place in places if place not in taken), places[0])
    return {**span, "start": start, "end": start + len(words)}


def _place(checked: Checking, span: Mapping[str, Any], text: str | None, allow_nowhere: bool) -> dict[str, Any]:
    start, end = span.get("start"), span.get("end")
    if start is None and end is None:
        if allow_nowhere:
            return {"text": str(span["text"])} if span.get("text") else {}
        if text is not None and span.get("text"):
            raise checked.error("text_not_found", f"{span['text']!r} does not stand in the text.")
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
    if words is not None and not isinstance(words, str):
        raise checked.error("shape", f"{words!r} is not the text of a span.")
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

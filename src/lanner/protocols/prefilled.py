"""Marks that a judge starts from, and what became of each.

A text brings them in its `meta["spans"]`, a list for each system (under "" those about the source alone): from the
corpus, or from a model whose marks a campaign offers (`lanner.campaign.prefill`). Each may name the `question` it
answers and the `model` it comes from. Marks of a text that is judged without help, as a test of how far people rely on
the model, are kept in `meta["spans_withheld"]` and shown to nobody.

A judge (or a file) only gives the marks as they are in the end; what became of each is worked out here, the same way
for everyone: the same place, category and severity is `kept`, or `offered` while the judge has not looked at it yet; an
overlap on the same side is `changed`, with what it `was`; what nothing took up is `removed` and stays in the answer,
marked so; the rest is `added`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any

from lanner.errors import ProtocolError, Where
from lanner.model import Document, Json, Protocol, Segment, Spans

ORIGINS = ("added", "kept", "changed", "removed", "offered")
SOURCES = ("origin", "was", "model", "question")
"""What a mark says about where it comes from. The server writes these; what a page or program claims is not used."""
_OFFERED, _WITHHELD = "spans", "spans_withheld"
_COMPARED = ("side", "output", "start", "end", "category", "severity", "missing")
Span = Mapping[str, Any]


class Help(StrEnum):
    """Whether a text was judged with a model's marks to start from."""

    OFFERED = "offered"
    WITHHELD = "withheld"
    NONE = "none"


def of_text(text: Segment | Document, system: str) -> list[dict[str, Any]]:
    """The marks a text offers for one system's output, or with "" for the source alone."""
    return _marks(text, _OFFERED, system)


def withheld_of(text: Segment | Document, system: str) -> list[dict[str, Any]]:
    """The marks a model made in a text that is judged without them."""
    return _marks(text, _WITHHELD, system)


def help_of(text: Segment | Document, system: str) -> Help:
    """Whether a model's marks are offered in a text, withheld, or were never made."""
    if system in text.meta.get(_WITHHELD, ()):
        return Help.WITHHELD
    return Help.OFFERED if system in text.meta.get(_OFFERED, ()) else Help.NONE


def helps_of(documents: Iterable[Document]) -> dict[tuple[str, str, str], Help]:
    """Where a model's marks were offered or withheld, by document, segment ("" for the whole) and system ("" for the
    source alone)."""
    states: dict[tuple[str, str, str], Help] = {}
    for document in documents:
        texts: list[tuple[str, Segment | Document]] = [("", document), *((one.id, one) for one in document.segments)]
        for segment, text in texts:
            systems = [system for key in (_OFFERED, _WITHHELD) for system in text.meta.get(key, ())]
            states |= {(document.id, segment, system): help_of(text, system) for system in systems}
    return states


def meta_with(
    text: Segment | Document, offered: Mapping[str, Sequence[Span]], withheld: Mapping[str, Sequence[Span]]
) -> dict[str, Json]:
    """The `meta` of a text with these marks in place of those it brought, by system."""
    others = {name: value for name, value in text.meta.items() if name not in (_OFFERED, _WITHHELD)}
    marks = {_OFFERED: offered, _WITHHELD: withheld}
    return others | {key: {name: list(spans) for name, spans in by.items()} for key, by in marks.items() if by}


def with_prefill(protocol: Protocol) -> Protocol:
    """The protocol with every question about marks starting from those that are offered."""
    if not any(isinstance(question, Spans) for _, question in protocol.questions):
        raise ProtocolError(
            f"{protocol.name!r} asks for no marks, so there is nothing a model could mark beforehand.",
            where=Where(item=protocol.name),
            next_step="Take a protocol with marks, such as esa or mqm.",
        )

    table = protocol.model_dump(by_alias=True, exclude_unset=True, mode="json")
    for stage in table["stage"]:
        for question in stage["question"]:
            if question["kind"] == "spans":
                question["prefilled"] = True
    return Protocol.model_validate(table)


def live(value: Json) -> list[dict[str, Any]]:
    """The spans that stand: all but those a judge removed."""
    return [span for span in value if span.get("origin") != "removed"] if isinstance(value, list) else []


def judged_marks(value: Json) -> list[dict[str, Any]] | None:
    """The spans a judge stands by: what is counted and compared. None while offered ones wait for a look: to have said
    nothing about them yet is not to have found nothing wrong."""
    return None if is_waiting(value) else live(value)


def is_waiting(value: Json) -> bool:
    """Whether an answer holds marks that were offered and that its judge has not looked at yet."""
    return isinstance(value, list) and any(span.get("origin") == "offered" for span in value)


def as_shown(value: Json) -> list[dict[str, Any]]:
    """The spans that stand, as a judge's page gets them: which model made one is not for judges to know."""
    return [{name: entry for name, entry in span.items() if name != "model"} for span in live(value)]


def with_origins(spans: Sequence[Span], offers: Sequence[Span]) -> list[dict[str, Any]]:
    """The given spans with their origin and model, followed by the prefilled ones that were removed. Of what a span
    says about its own origin only "offered" is believed: that its judge has not looked at it yet."""
    standing = [span for span in spans if span.get("origin") != "removed"]
    final = [without_source(span) for span in standing]
    left = [dict(span) for span in offers]
    unchanged_from = [_take(left, lambda old, new=span: _same(old, new)) for span in final]
    was = [
        old or _take(left, lambda old, new=span: _overlap(old, new))
        for old, span in zip(unchanged_from, final, strict=True)
    ]
    result = []
    for span, claim, same, old in zip(final, standing, unchanged_from, was, strict=True):
        if same is not None:
            origin = "offered" if claim.get("origin") == "offered" else "kept"
            result.append({**span, "origin": origin, **_model(same)})
        elif old is not None:
            old_span = {name: old[name] for name in _COMPARED if name in old}
            result.append({**span, "origin": "changed", "was": old_span, **_model(old)})
        else:
            result.append({**span, "origin": "added"})
    return result + [{**without_source(span), "origin": "removed", **_model(span)} for span in left]


def has_origins(spans: Sequence[Json]) -> bool:
    """Whether an answer says of any mark what became of it."""
    return any(isinstance(span, Mapping) and span.get("origin") in ORIGINS for span in spans)


def outcomes(value: Json) -> dict[str, int]:
    """How many spans were added, kept, changed, removed, or offered and not looked at."""
    spans = value if isinstance(value, list) else []
    return {origin: sum(span.get("origin", "added") == origin for span in spans) for origin in ORIGINS}


def without_source(span: Span) -> dict[str, Any]:
    """A span without what it says about where it comes from."""
    return {name: entry for name, entry in span.items() if name not in SOURCES}


def _marks(text: Segment | Document, key: str, system: str) -> list[dict[str, Any]]:
    spans = text.meta.get(key)
    entries = spans.get(system, ()) if isinstance(spans, Mapping) else ()
    return [dict(span) for span in entries if isinstance(span, Mapping)]


def _model(span: Span) -> dict[str, Any]:
    return {"model": span["model"]} if span.get("model") else {}


def _take(spans: list[dict[str, Any]], fits: Any) -> dict[str, Any] | None:
    for place, span in enumerate(spans):
        if fits(span):
            return spans.pop(place)
    return None


def _same(old: Span, new: Span) -> bool:
    return all(old.get(name) == new.get(name) for name in _COMPARED)


def _overlap(old: Span, new: Span) -> bool:
    if any(old.get(name) != new.get(name) for name in ("side", "output")):
        return False
    if old.get("start") is None or new.get("start") is None:
        return old.get("start") is None and new.get("start") is None
    return bool(old["start"] < new["end"] and new["start"] < old["end"])

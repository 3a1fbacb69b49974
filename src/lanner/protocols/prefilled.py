"""Spans that came with the texts, and what the judge made of them.

A corpus brings them in a segment's `meta["spans"]`, a list for each system. A judge (or a model, or a file) only gives
the spans as they are in the end; what became of each is worked out here, the same way for everyone: the same place,
category and severity is `kept`; an overlap on the same side is `changed`, with what it `was`; what nothing took up is
`removed` and stays in the answer, marked so; the rest is `added`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lanner.model import Json, Segment

ORIGINS = ("added", "kept", "changed", "removed")
_COMPARED = ("side", "output", "start", "end", "category", "severity", "missing")
Span = Mapping[str, Any]


def of_segment(segment: Segment, system: str) -> list[dict[str, Any]]:
    """The spans a segment brings for one system's output."""
    spans = segment.meta.get("spans")
    entries = spans.get(system, ()) if isinstance(spans, Mapping) else ()
    return [dict(span) for span in entries if isinstance(span, Mapping)]


def live(value: Json) -> list[dict[str, Any]]:
    """The spans that stand: all but those a judge removed."""
    return [span for span in value if span.get("origin") != "removed"] if isinstance(value, list) else []


def with_origins(spans: Sequence[Span], prefilled: Sequence[Span]) -> list[dict[str, Any]]:
    """The given spans with their origin, followed by the prefilled ones that were removed. What a span already says
    about itself is not trusted: only places, categories and severities are compared."""
    final = [_bare(span) for span in spans if span.get("origin") != "removed"]
    left = [_bare(span) for span in prefilled]
    unchanged_from = [_take(left, lambda old, new=span: _same(old, new)) for span in final]
    was = [
        old or _take(left, lambda old, new=span: _overlap(old, new))
        for old, span in zip(unchanged_from, final, strict=True)
    ]
    result = []
    for span, same, old in zip(final, unchanged_from, was, strict=True):
        if same is not None:
            result.append({**span, "origin": "kept"})
        elif old is not None:
            result.append({**span, "origin": "changed", "was": {name: old[name] for name in _COMPARED if name in old}})
        else:
            result.append({**span, "origin": "added"})
    return result + [{**span, "origin": "removed"} for span in left]


def outcomes(value: Json) -> dict[str, int]:
    """How many spans were added, kept, changed, removed."""
    spans = value if isinstance(value, list) else []
    return {origin: sum(span.get("origin", "added") == origin for span in spans) for origin in ORIGINS}


def _bare(span: Span) -> dict[str, Any]:
    return {name: entry for name, entry in span.items() if name not in ("origin", "was")}


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

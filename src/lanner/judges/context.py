"""What a model sees around the sentence it judges: a factor with a name, which is stored with the judge.

By default a model sees what people see in the protocol. Other names say which sides of how many sentences are shown:
`source±2`, `own±2` (source and the judged system's own translation), `reference±2` (source and reference), with `all`
for the whole document and `3,0` for three before and none after. `kim2025` is how FALCON was published.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lanner.errors import LannerError
from lanner.model import Document, Item, Object, Segment, Stage, Unit

PEOPLE = "people"
NAMES = (PEOPLE, "none", "source±N", "own±N", "reference±N", "whole", "kim2025")
_SAME = {"whole": "own±all", "kim2025": "reference±2", "none": "source±0"}
_FORM = re.compile(r"(source|own|reference)(?:±|:|\+-)(all|\d+)(?:,(\d+))?")


@dataclass(frozen=True, slots=True)
class Line:
    """One sentence as a model sees it: its text on each side, and whether it is one that is asked about."""

    segment: Segment
    source: str | None
    outputs: tuple[str, ...]
    reference: str | None
    asked: bool


@dataclass(frozen=True, slots=True)
class View:
    """Which sides of the sentences around are shown, and how many sentences; None for all."""

    outputs: bool
    reference: bool
    before: int | None
    after: int | None


def canonical(name: str) -> str:
    """The name as it is stored, or an error that lists the names."""
    text = name.strip()
    if text == PEOPLE or text in _SAME:
        return text
    match = _FORM.fullmatch(text)
    if match is None:
        raise LannerError(f"There is no context {name!r}.", next_step=f"Give --context one of: {', '.join(NAMES)}.")
    sides, before, after = match.groups()
    return f"{sides}±{before}" + (f",{after}" if after and after != before else "")


def view(name: str, stage: Stage, document: Document) -> View:
    """What a context of this name shows in this stage of a document."""
    if name == PEOPLE:
        window = stage.context
        whole = len(document.segments) <= window.whole_up_to
        before, after = (None, None) if whole else (window.before, window.after)
        return View(True, "reference" in stage.show, before, after)
    match = _FORM.fullmatch(_SAME.get(name, name))
    assert match is not None
    sides, first, second = match.groups()
    before = None if first == "all" else int(first)
    after = int(second) if second else before
    return View(sides == "own", sides == "reference", before, after)


def lines_around(name: str, stage: Stage, document: Document, item: Item) -> list[Line]:
    """The sentences shown for one item, never across the border of the document. Of the sentence that is asked about
    a reference is shown only where people have one."""
    if stage.unit is Unit.JUDGE:
        return []
    segments = document.segments
    seen = view(name, stage, document)
    if stage.unit is Unit.DOCUMENT:
        return [_line(stage, segment, item, seen, asked=True, reference=seen.reference) for segment in segments]
    place = next(number for number, segment in enumerate(segments) if segment.id == item.segment)
    first, last = 0, len(segments)
    if stage.unit is Unit.ISOLATED:
        first, last = place, place + 1
    else:
        first = 0 if seen.before is None else max(0, place - seen.before)
        last = len(segments) if seen.after is None else min(len(segments), place + seen.after + 1)
    return [_line(stage, segments[n], item, seen, asked=n == place) for n in range(first, last)]


def lines_of_document(name: str, stage: Stage, document: Document, items: Sequence[Item]) -> list[Line]:
    """Every sentence of the document, where all these items of it are asked about at once."""
    seen = view(name, stage, document)
    by_segment = {item.segment: item for item in items}
    return [
        _line(stage, segment, by_segment.get(segment.id, items[0]), seen, asked=segment.id in by_segment)
        for segment in document.segments
    ]


def _line(
    stage: Stage, segment: Segment, item: Item, seen: View, *, asked: bool, reference: bool | None = None
) -> Line:
    has_outputs = stage.object in (Object.OUTPUT, Object.OUTPUTS) and (asked or seen.outputs)
    own = item.texts if asked else {}
    outputs = tuple(own.get(system) or segment.text(system) or "" for system in item.systems) if has_outputs else ()
    shows_reference = "reference" in stage.show if asked and reference is None else seen.reference
    return Line(
        segment,
        segment.source if "source" in stage.show else None,
        outputs,
        next(iter(segment.references.values()), None) if shows_reference and stage.unit is not Unit.ISOLATED else None,
        asked,
    )

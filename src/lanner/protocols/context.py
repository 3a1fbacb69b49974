"""What is seen around the sentence that is judged: a factor with a name, for people and for models.

Names say which sides of how many sentences are shown: `source±2`, `own±2` (source and the judged system's own
translation), `reference±2` (source and reference), with `all` for the whole document and `3,0` for three before and
none after; `none` and `whole` are what they say. `kim2025` is how FALCON was published. A model sees what people see in
the protocol (`people`), unless another name is given; it is stored with the judge.

For people `in_contexts` makes the factor part of a protocol: its stages about sentences become one scenario for each
context, with questions of their own, so that every judgement says in which context it was made, and a design
counterbalances contexts over judges as it does scenarios.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

from lanner.errors import LannerError, ProtocolError
from lanner.model import Document, Item, Object, Protocol, Segment, Stage, Unit
from lanner.model.protocol import IN_CONTEXTS
from lanner.protocols.consistency import from_table

PEOPLE = "people"
NAMES = (PEOPLE, "none", "source±N", "own±N", "reference±N", "whole", "kim2025")
_SAME = {"whole": "own±all", "kim2025": "reference±2", "none": "source±0"}
_FORM = re.compile(r"(source|own|reference)(?:±|:|\+-)(all|\d+)(?:,(\d+))?")


class ContextLine(NamedTuple):
    """One sentence as a model sees it: its text on each side, and whether it is one that is asked about."""

    segment: Segment
    source: str | None
    outputs: tuple[str, ...]
    reference: str | None
    asked: bool


@dataclass(frozen=True, slots=True)
class ContextView:
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


def names_in(text: str) -> list[str]:
    """Names with commas or semicolons between them; a comma before a digit is part of a name (own±3,0)."""
    names: list[str] = []
    for part in text.replace(";", ",\n").split(","):
        if names and part.strip().isdigit() and not part.startswith("\n"):
            names[-1] += f",{part.strip()}"
        else:
            names.append(part.strip())
    if full_names := [name for name in names if name]:
        return full_names
    raise ProtocolError(
        f"No context is named in {text!r}.", next_step="Write names with commas between them, such as none,own±1,whole."
    )


def view(name: str, stage: Stage, document: Document) -> ContextView:
    """What a context of this name shows in this stage of a document."""
    if name != PEOPLE:
        return _named_view(name)
    window = stage.context
    whole = len(document.segments) <= window.whole_up_to
    before, after = (None, None) if whole else (window.before, window.after)
    sides = window.sides or stage.show
    return ContextView(not window.sides or "target" in sides, "reference" in sides, before, after)


def _named_view(name: str) -> ContextView:
    match = _FORM.fullmatch(_SAME.get(name, name))
    assert match is not None
    sides, first, second = match.groups()
    before = None if first == "all" else int(first)
    after = int(second) if second else before
    return ContextView(sides == "own", sides == "reference", before, after)


def heading(stage: Stage, document: Document) -> Document:
    """The document with what this stage shows above its sentences: title, text type and note not where sentences are
    judged by themselves, a glossary only where people have one."""
    has_title = "title" in stage.show and stage.unit is not Unit.ISOLATED
    return replace(
        document,
        title=document.title if has_title else "",
        text_type=document.text_type if has_title else "",
        note=document.note if has_title else "",
        domain=document.domain if "domain" in stage.show else "",
        glossary=document.glossary if "glossary" in stage.show else {},
    )


def lines_around(name: str, stage: Stage, document: Document, item: Item) -> list[ContextLine]:
    """The sentences shown for one item, never across the border of the document. Of the sentence that is asked about
    a reference is shown only where people have one."""
    return ContextLines(name, stage, document, item.systems).around(item)


def lines_of_document(name: str, stage: Stage, document: Document, items: Sequence[Item]) -> list[ContextLine]:
    """Every sentence of the document, where all these items of it are asked about at once."""
    lines = ContextLines(name, stage, document, items[0].systems)
    by_segment = {item.segment: item for item in items}
    return [
        lines.line_in_question(segment, by_segment[segment.id]) if segment.id in by_segment else lines.context[place]
        for place, segment in enumerate(document.segments)
    ]


class ContextLines:
    """The sentences of a document as one stage shows them of these systems. Those of the context are the same whichever
    sentence is asked about, so they are made once."""

    def __init__(self, name: str, stage: Stage, document: Document, systems: Sequence[str]) -> None:
        self.document = document
        self.heading = heading(stage, document)
        self._unit, self._visible = stage.unit, view(name, stage, document)
        self._systems = systems if stage.object in _TRANSLATED else ()
        self._source = "source" in stage.show
        self._own_reference = "reference" in stage.show and stage.unit is not Unit.ISOLATED
        self._places = {segment.id: place for place, segment in reversed([*enumerate(document.segments)])}

    @cached_property
    def context(self) -> list[ContextLine]:
        """Every sentence as it is shown around another."""
        systems = self._systems if self._visible.outputs else ()
        reference = self._visible.reference and self._unit is not Unit.ISOLATED
        return [
            self._line(segment, tuple([segment.text(system) or "" for system in systems]), reference, is_asked=False)
            for segment in self.document.segments
        ]

    def around(self, item: Item) -> list[ContextLine]:
        """The sentences shown for one item: the one that is asked about, and those that this stage shows around it."""
        if self._unit is Unit.JUDGE:
            return []
        segments, visible = self.document.segments, self._visible
        if self._unit is Unit.DOCUMENT:
            return [self.line_in_question(segment, item, reference=visible.reference) for segment in segments]
        place = self._places[item.segment]
        asked = self.line_in_question(segments[place], item)
        if self._unit is Unit.ISOLATED:
            return [asked]
        first = 0 if visible.before is None else max(0, place - visible.before)
        last = len(segments) if visible.after is None else place + visible.after + 1
        return [*self.context[first:place], asked, *self.context[place + 1 : last]]

    def line_in_question(self, segment: Segment, item: Item, *, reference: bool | None = None) -> ContextLine:
        """A sentence that the item asks about. An item may have texts of its own."""
        outputs = tuple([item.texts.get(system) or segment.text(system) or "" for system in self._systems])
        return self._line(segment, outputs, self._own_reference if reference is None else reference, is_asked=True)

    def _line(self, segment: Segment, outputs: tuple[str, ...], reference: bool, *, is_asked: bool) -> ContextLine:
        return ContextLine(
            segment,
            segment.source if self._source else None,
            outputs,
            next(iter(segment.references.values()), None) if reference else None,
            is_asked,
        )


_TRANSLATED = (Object.OUTPUT, Object.OUTPUTS)
_WHOLE = 1_000_000
_SENTENCES = (Unit.ISOLATED.value, Unit.IN_CONTEXT.value)


def suffix(name: str) -> str:
    """What is appended to the ids of stages and questions asked in a context: `own±3,0` is `own_3_0`."""
    return re.sub(r"[^a-z0-9]+", "_", canonical(name).lower())


def in_contexts(protocol: Protocol, names: Sequence[str]) -> Protocol:
    """The protocol with every stage about sentences asked in each of these contexts, as scenarios. What is asked about
    whole documents, or of the judge, is asked once as before."""
    contexts = list(dict.fromkeys(canonical(name) for name in names))
    if len(contexts) < 2 or PEOPLE in contexts:
        raise ProtocolError(
            "Context is a factor from two contexts on, each of them named.",
            next_step=f"Name some of: {', '.join(name for name in NAMES if name != PEOPLE)}.",
        )
    if any(stage.scenario for stage in protocol.stages):
        raise ProtocolError(
            f"{protocol.name!r} has scenarios of its own.", next_step="Take a protocol that shows texts in one way."
        )
    table = protocol.model_dump(by_alias=True, exclude_unset=True, mode="json")
    stages = [stage for stage in table["stage"] if stage["unit"] in _SENTENCES]
    if not stages:
        raise ProtocolError(f"{protocol.name!r} asks nothing about single sentences.", next_step="Take another.")
    questions = {question["id"] for stage in stages for question in stage["question"]}
    scores = {score["id"] for score in table.get("score", ()) if score["question"] in questions}
    ids = questions | scores
    first = table["stage"].index(stages[0])
    copies = [_stage(stage, name, questions) for name in contexts for stage in stages]
    after = [stage for stage in table["stage"][first:] if stage not in stages]
    table["stage"] = [*table["stage"][:first], *copies, *after]
    table["score"] = list(_in_each(table.get("score", ()), contexts, ids))
    table["analysis"] = list(_in_each(table.get("analysis", ()), contexts, ids))
    table["text"] = {language: _words(words, contexts, questions, stages) for language, words in table["text"].items()}
    table |= {"name": f"{protocol.name}{IN_CONTEXTS}", "extends": protocol.extends or protocol.name}
    return from_table(table, str(table["name"]))


def _stage(stage: Mapping[str, Any], name: str, questions: Collection[str]) -> dict[str, Any]:
    """A stage in one context, under ids of its own."""
    ending, scope = suffix(name), _named_view(name)
    copy: dict[str, Any] = _rename_ids(stage, ending, questions)
    copy |= {
        "id": f"{stage['id']}_{ending}",
        "scenario": ending,
        "page": f"{stage.get('page') or stage['id']}_{ending}",
    }
    if (scope.before, scope.after) == (0, 0):
        return copy | {"unit": Unit.ISOLATED.value, "shuffled": True}
    sides = ["source", *(["target"] if scope.outputs else []), *(["reference"] if scope.reference else [])]
    whole = scope.before is None
    window = {"whole_up_to": _WHOLE} if whole else {"whole_up_to": 0, "before": scope.before, "after": scope.after}
    around = {**window, "can_open": False, "sides": sides}
    return copy | {"unit": Unit.IN_CONTEXT.value, "context": {**stage.get("context", {}), **around}}


def _in_each(
    entries: Sequence[Mapping[str, Any]], contexts: Sequence[str], ids: Collection[str]
) -> Iterator[dict[str, Any]]:
    """Scores and analyses: those about a question of the contexts once for each, the others as they are."""
    for entry in entries:
        about = entry.get("question", entry.get("of"))
        if about not in ids:
            yield dict(entry)
            continue
        for name in contexts:
            copy = _rename_ids(entry, suffix(name), ids)
            if "id" in entry:
                copy["id"] = f"{entry['id']}_{suffix(name)}"
            yield copy


_REFERENCES = ("question", "of", "for_each", "id", "blocks", "other", "with")


def _rename_ids(value: Any, ending: str, ids: Collection[str], key: str = "") -> Any:
    """The same with every mention of these ids as they are called in a context. Options keep their ids, whatever they
    are called."""
    if isinstance(value, Mapping):
        names = ("options", "rows", "categories", "severities")
        return {
            name: entry if name in names and isinstance(entry, list) else _rename_ids(entry, ending, ids, name)
            for name, entry in value.items()
        }
    if isinstance(value, list):
        return [_rename_ids(entry, ending, ids, key) for entry in value]
    return f"{value}_{ending}" if key in _REFERENCES and value in ids else value


def _words(
    words: Mapping[str, Any], contexts: Sequence[str], questions: Collection[str], stages: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """The same words in every context: a judge is not told that there are others."""
    own = {"questions": questions, "stages": [stage["id"] for stage in stages]}
    result = dict(words)
    for part, ids in own.items():
        if part in words:
            entries = {name: entry for name, entry in words[part].items() if name not in ids}
            copies = {f"{name}_{suffix(c)}": words[part][name] for c in contexts for name in ids if name in words[part]}
            result[part] = {**entries, **copies}
    return result

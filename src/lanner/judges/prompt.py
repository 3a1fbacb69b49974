"""From a protocol and an item to what a model is told: the questions, the text in its context, and the answer's schema.

The words come from the protocol, the frame from a versioned template; both are part of the prompt's hash, so that a
judgement can say exactly what was asked.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import jinja2

from lanner.model import Document, Item, Json, Object, Protocol, Question, Segment, Stage, Unit
from lanner.model import languages as language_names
from lanner.protocols.flow import chosen
from lanner.protocols.schema import stage_schema
from lanner.protocols.wording import Wording

TEMPLATE = "judge-1"

_environment = jinja2.Environment(
    loader=jinja2.PackageLoader("lanner.judges"),
    autoescape=False,  # the result is plain text for a model, never HTML
    trim_blocks=True,
    lstrip_blocks=True,
    undefined=jinja2.StrictUndefined,
    keep_trailing_newline=False,
)


@dataclass(frozen=True)
class Settings:
    """How much a model is shown. None for the window means the protocol's own (two sentences on either side)."""

    before: int | None = None
    after: int | None = None
    whole_document: bool = False
    reference: bool = True
    language: str = "en"


@dataclass(frozen=True)
class Prompt:
    """One call to a model: what the system is told, what the user says, and the schema of the answer."""

    system: str
    user: str
    schema: Mapping[str, Json]
    template: str = TEMPLATE

    @cached_property
    def hash(self) -> str:
        """Changes with any word of the prompt, the schema or the template's version."""
        parts = [self.template, self.system, self.user, json.dumps(self.schema, sort_keys=True)]
        return hashlib.sha256("\x00".join(parts).encode()).hexdigest()[:16]


def prompt(
    protocol: Protocol,
    stages: Sequence[Stage],
    document: Document,
    item: Item,
    *,
    answers: Mapping[str, Json] | None = None,
    settings: Settings | None = None,
) -> Prompt:
    """The prompt for these stages about one item. `answers` are the model's own earlier ones about the same unit."""
    settings = settings or Settings()
    given = answers or {}
    words = Wording(protocol, settings.language)
    asked = [
        _Asked(question, words, tuple(chosen(protocol, question, given))) for s in stages for question in s.questions
    ]
    labels = {entry.question.id: entry.chosen for entry in asked if entry.question.for_each}
    view = {
        "words": words,
        "stages": stages,
        "asked": asked,
        "document": document,
        "source_language": language_names.name(document.source_language),
        "target_language": language_names.name(document.target_language),
        "texts": _texts(stages[0], document, item, settings),
    }
    return Prompt(
        system=_environment.get_template(f"{TEMPLATE}.system.txt").render(view).strip(),
        user=_environment.get_template(f"{TEMPLATE}.user.txt").render(view).strip(),
        schema=stage_schema(stages, chosen=labels, outputs=max(2, len(item.systems))),
    )


@dataclass(frozen=True)
class _Asked:
    question: Question
    words: Wording
    chosen: tuple[str, ...]

    @property
    def options(self) -> list[tuple[str, Any]]:
        """Every option with its words, in the order of the protocol; for a repeated question the chosen labels."""
        own = [(option.id, self.words.option(self.question.id, option.id)) for option in self.question.choices]
        source = self.question.for_each or ""
        return own + [(label, self.words.option(source, label)) for label in self.chosen]


@dataclass(frozen=True)
class _Line:
    """One sentence as a model sees it: its text on each side, and whether it is the one asked about."""

    segment: Segment
    source: str | None
    outputs: tuple[str, ...]
    reference: str | None
    asked: bool


def _texts(stage: Stage, document: Document, item: Item, settings: Settings) -> list[_Line]:
    """The sentences shown, never across the border of the document. Context has source and reference; the sentence
    that is asked about has its outputs too. A whole document shows the outputs throughout."""
    segments = document.segments
    if stage.unit is Unit.JUDGE:
        return []
    whole = stage.unit is Unit.DOCUMENT
    place = 0 if whole else next(n for n, segment in enumerate(segments) if segment.id == item.segment)
    first, last = 0, len(segments)
    if stage.unit is Unit.ISOLATED:
        first, last = place, place + 1
    elif not whole and not settings.whole_document:
        before = stage.context.model_before if settings.before is None else settings.before
        after = stage.context.model_after if settings.after is None else settings.after
        first, last = max(0, place - before), min(len(segments), place + after + 1)
    lines = []
    for number in range(first, last):
        segment = segments[number]
        asked = whole or number == place
        shown = asked and stage.object in (Object.OUTPUT, Object.OUTPUTS)
        outputs = tuple(item.texts.get(name) or segment.text(name) or "" for name in item.systems) if shown else ()
        with_reference = settings.reference and not (asked and not whole) and stage.unit is not Unit.ISOLATED
        reference = next(iter(segment.references.values()), None) if with_reference else None
        lines.append(_Line(segment, segment.source if "source" in stage.show else None, outputs, reference, asked))
    return lines

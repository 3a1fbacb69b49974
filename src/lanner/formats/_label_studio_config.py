"""A labelling interface for Label Studio from a protocol: the same questions with the same ids.

What Label Studio shows is the label, what it exports the id (`alias`), so that its exports come back as answers to the
protocol. Conditions become `visibleWhen`; a question asked for each chosen label is asked for every label.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from lxml import etree

from lanner.formats._label_studio_results import PART
from lanner.model import (
    Choice,
    Grid,
    Labels,
    Number,
    Object,
    Option,
    Protocol,
    Question,
    Rank,
    Scale,
    Spans,
    Stage,
    Text,
)

_LAST_STAR = 10


def labelling_config(protocol: Protocol, language: str = "en") -> Any:
    """The `View` of a protocol's first questions to its last, stage by stage."""
    view = etree.Element("View")
    outputs = max((_shown(stage) for stage in protocol.stages), default=0)
    _text(view, "before", "$before")
    _text(view, "source", "$source")
    for number in range(1, outputs + 1):
        _text(view, f"shown{number}", f"$shown{number}")
    _text(view, "after", "$after")
    for stage in protocol.stages:
        title = _words(protocol, language, "stages", stage.id, "title")
        etree.SubElement(view, "Header", value=title or stage.id)
        for question in stage.questions:
            _control(view, protocol, language, stage, question)
    return view


def _shown(stage: Stage) -> int:
    return {Object.OUTPUT: 1, Object.OUTPUTS: stage.outputs}.get(stage.object, 0)


def _text(view: Any, name: str, value: str) -> None:
    etree.SubElement(view, "Text", name=name, value=value)


def _words(protocol: Protocol, language: str, *path: str) -> str:
    for code in dict.fromkeys((language, language.partition("-")[0], "en")):
        value: Any = protocol.text.get(code)
        for part in path:
            value = value.get(part) if isinstance(value, Mapping) else None
        if isinstance(value, str):
            return value.strip()
    return ""


def _control(view: Any, protocol: Protocol, language: str, stage: Stage, question: Question) -> None:
    to = "shown1" if _shown(stage) else "source"
    label = _words(protocol, language, "questions", question.id, "label") or question.id
    help_ = _words(protocol, language, "questions", question.id, "help")
    box = etree.SubElement(view, "View")
    etree.SubElement(box, "Header", value=f"{label} ({help_})" if help_ else label, size="5")
    if question.when is not None and question.when.is_:
        box.set("visibleWhen", "choice-selected")
        box.set("whenTagName", question.when.question)
        box.set("whenChoiceValue", ",".join(question.when.is_))
    names = [question.id]
    if question.for_each:
        asked = protocol.find(question.for_each)
        names = [f"{question.id}{PART}{option.id}" for option in (asked[1].choices if asked else ())] or names
    for name in names:
        required = {"required": "true"} if question.required and not question.for_each else {}
        _tag(box, protocol, language, question, {"name": name, "toName": to, **required})


def _tag(box: Any, protocol: Protocol, language: str, question: Question, named: dict[str, str]) -> None:
    def options(parent: Any, given: Iterable[Option], tag: str = "Choice") -> None:
        for option in given:
            label = _words(protocol, language, "options", option.id, "label") or option.id
            etree.SubElement(parent, tag, value=label, alias=option.id)

    match question:
        case Choice():
            options(etree.SubElement(box, "Choices", named, choice="single"), question.options)
        case Labels():
            options(etree.SubElement(box, "Choices", named, choice="multiple"), question.options)
        case Grid():
            for row in question.rows:
                label = _words(protocol, language, "options", row.id, "label") or row.id
                etree.SubElement(box, "Header", value=label, size="6")
                name = {**named, "name": f"{question.id}{PART}{row.id}"}
                options(etree.SubElement(box, "Choices", name, choice="single"), question.options)
        case Scale() if question.min == 1 and question.step == 1 and question.max <= _LAST_STAR:
            etree.SubElement(box, "Rating", named, maxRating=f"{question.max:g}")
        case Scale():
            limits = {"min": f"{question.min:g}", "max": f"{question.max:g}"}
            steps = {"step": f"{question.step:g}"} if question.step else {}
            etree.SubElement(box, "Number", named, **limits, **steps)
        case Number():
            etree.SubElement(box, "Number", named)
        case Spans():
            marks = question.categories or (Option(id="mark"),)
            options(etree.SubElement(box, "Labels", named), marks, "Label")
            if question.severities:
                per_region = {**named, "name": f"{question.id}{PART}severity", "perRegion": "true", "choice": "single"}
                options(etree.SubElement(box, "Choices", per_region), question.severities)
        case Rank():
            choices = etree.SubElement(box, "Choices", named, choice="single")
            for side in ("left", "tie", "right"):
                etree.SubElement(choices, "Choice", value=side, alias=side)
        case Text():
            etree.SubElement(box, "TextArea", named, rows=str(question.lines))

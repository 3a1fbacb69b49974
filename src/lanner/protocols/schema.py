"""The JSON Schema of a page's or stage's answers, for models that can be held to one and for our own check.

Each grid row is a required property of its own, so that it appears exactly once by construction. What a schema cannot
say (three distinct labels, a span's text at its place) is checked by `answers` afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, assert_never

from lanner.model import Choice, Grid, Labels, Number, Option, Question, Rank, Scale, Spans, Stage, Text

Schema = dict[str, Any]


def stage_schema(
    stages: Sequence[Stage], *, chosen: Mapping[str, Sequence[str]] | None = None, outputs: int = 2
) -> Schema:
    """The schema of one object that answers every question of these stages. `chosen` gives the labels that each
    `for_each` question is repeated for, where they are known."""
    properties: dict[str, Schema] = {}
    for stage in stages:
        for question in stage.questions:
            schema = _for_each(question, (chosen or {}).get(question.id), outputs)
            if question.when or stage.when or (not question.required and not _has_empty_answer(question)):
                schema = {"anyOf": [schema, {"type": "null"}]}
            properties[question.id] = schema
    return _object(properties)


def _has_empty_answer(question: Question) -> bool:
    """Whether an answer can say that there is nothing: then it says so, instead of being left out."""
    return isinstance(question, Spans) or (isinstance(question, Labels) and question.min == 0)


def question_schema(question: Question, *, outputs: int = 2) -> Schema:
    """The schema of one answer (one repetition of it, where the question is asked for each of several labels)."""
    match question:
        case Scale():
            whole = question.step and float(question.step).is_integer() and float(question.min).is_integer()
            kind = "integer" if whole else "number"
            return {"type": kind, "minimum": _plain(question.min), "maximum": _plain(question.max)}
        case Number():
            bounds = {"minimum": question.min, "maximum": question.max}
            return {"type": "integer" if question.integer else "number"} | {
                name: _plain(bound) for name, bound in bounds.items() if bound is not None
            }
        case Choice():
            return _one_of(question.options)
        case Labels() if question.counts:
            count = {"type": "integer", "minimum": 0}
            return _object({option.id: count for option in question.options})
        case Labels():
            schema: Schema = {"type": "array", "items": _one_of(question.options), "minItems": question.min}
            return schema | ({"maxItems": question.max} if question.max is not None else {}) | {"uniqueItems": True}
        case Grid():
            return _object({row.id: _one_of(question.options) for row in question.rows})
        case Spans():
            return _spans(question)
        case Rank():
            rank = {"type": "integer", "minimum": 1, "maximum": outputs}
            return {"type": "array", "items": rank, "minItems": outputs, "maxItems": outputs}
        case Text():
            return {"type": "string", "maxLength": question.max_length}
        case _:
            assert_never(question)


def _for_each(question: Question, labels: Sequence[str] | None, outputs: int) -> Schema:
    one = question_schema(question, outputs=outputs)
    if not question.for_each:
        return one
    if labels is not None:
        return _object(dict.fromkeys(labels, one))
    return {"type": "object", "additionalProperties": one}


def _spans(question: Spans) -> Schema:
    """A model quotes the words it means; where they stand is looked up in the text, since models count badly."""
    properties: dict[str, Schema] = {
        "side": {
            "enum": list(question.sides) + (["source"] if question.missing and "source" not in question.sides else [])
        },
        "text": {"type": "string"},
    }
    for name, options in (("category", question.categories), ("severity", question.severities)):
        if options:
            properties[name] = _one_of(options)
    if question.missing:
        properties["missing"] = {"type": "boolean"}
    schema: Schema = {"type": "array", "items": _object(properties)}
    return schema | ({"maxItems": question.max} if question.max is not None else {})


def _one_of(options: Sequence[Option]) -> Schema:
    return {"type": "string", "enum": [option.id for option in options]}


def _object(properties: Mapping[str, Schema]) -> Schema:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _plain(number: float) -> int | float:
    return int(number) if float(number).is_integer() else number

"""The JSON Schema of a page's or stage's answers, for models that can be held to one and for our own check.

What a schema cannot say (three distinct labels, a span's text at its place) is checked by `answers` afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lanner.model import Question, Stage
from lanner.protocols.kinds import kind_of
from lanner.protocols.kinds.base import Schema, closed_object


def stage_schema(
    stages: Sequence[Stage], *, chosen: Mapping[str, Sequence[str]] | None = None, outputs: int = 2
) -> Schema:
    """The schema of one object that answers every question of these stages. `chosen` gives the labels that each
    `for_each` question is repeated for, where they are known. Where they are chosen in the same object, there is an
    answer for each that could be, null for the others."""
    properties: dict[str, Schema] = {}
    options = {question.id: [option.id for option in question.choices] for s in stages for question in s.questions}
    for stage in stages:
        for question in stage.questions:
            labels = (chosen or {}).get(question.id)
            schema = _for_each(question, labels, options.get(question.for_each or "", []), outputs)
            if (
                question.when
                or stage.when
                or (not question.required and not kind_of(question).has_empty_answer(question))
            ):
                schema = {"anyOf": [schema, {"type": "null"}]}
            properties[question.id] = schema
    return closed_object(properties)


def question_schema(question: Question, *, outputs: int = 2) -> Schema:
    """The schema of one answer (one repetition of it, where the question is asked for each of several labels)."""
    return kind_of(question).schema(question, outputs)


def _for_each(question: Question, labels: Sequence[str] | None, options: Sequence[str], outputs: int) -> Schema:
    schema = question_schema(question, outputs=outputs)
    if not question.for_each:
        return schema
    if labels is not None:
        return closed_object(dict.fromkeys(labels, schema))
    if options:
        return closed_object({label: {"anyOf": [schema, {"type": "null"}]} for label in options})
    return {"type": "object", "additionalProperties": schema}

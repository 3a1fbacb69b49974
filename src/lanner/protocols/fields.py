"""Answers from plain fields, as a form without a script or a command line sends them.

A field is named after its question; one of several parts (a grid's row, a repeated label, an output to rank) has the
part's id behind a dot. An empty field says nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lanner.model import Json, Protocol, Question
from lanner.protocols.kinds import kind_of


def answers_from_fields(protocol: Protocol, page: str, fields: Mapping[str, Sequence[str]]) -> dict[str, Json]:
    """What fields say about one item of a page; questions without a field are left out."""
    answers = {}
    for stage in protocol.pages[page]:
        for question in stage.questions:
            present, value = _answer(question, fields)
            if present:
                answers[question.id] = value
    return answers


def _answer(question: Question, fields: Mapping[str, Sequence[str]]) -> tuple[bool, Json]:
    """Whether the form has the question at all, and its value."""
    parts = {
        name.removeprefix(f"{question.id}."): values
        for name, values in fields.items()
        if name.startswith(f"{question.id}.")
    }
    kind = kind_of(question)
    if not question.for_each:
        return kind.from_fields(question, fields.get(question.id), parts)
    answers = {label: kind.from_values(question, values) for label, values in parts.items()}
    return bool(parts), {label: answer for label, answer in answers.items() if answer is not None} or None

"""Answers from plain fields, as a form without a script or a command line sends them.

A field is named after its question; one of several parts (a grid's row, a repeated label, an output to rank) has the
part's id behind a dot. An empty field says nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import assert_never

from lanner.model import Choice, Grid, Json, Labels, Number, Protocol, Question, Rank, Scale, Spans, Text


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
    own = fields.get(question.id)
    if question.for_each:
        each = {label: _single(question, values) for label, values in parts.items()}
        return bool(parts), {label: value for label, value in each.items() if value is not None} or None
    match question:
        case Grid():
            last_values = {row: values[-1] for row, values in parts.items() if values[-1]}
            return bool(parts), last_values or None
        case Labels() if question.counts:
            # An exclusive label is a box to tick, whose value is its own name.
            counts = {
                label: 1 if values[-1] == label else _number(values[-1])
                for label, values in parts.items()
                if values[-1]
            }
            return bool(parts) or own is not None, counts or None
        case Rank() if parts:
            ranks = [_number(parts[place][-1]) if parts[place] else None for place in sorted(parts, key=int)]
            return True, None if None in ranks else ranks
        case Spans():
            return False, None
        case _:
            return own is not None, None if own is None else _single(question, own)


def _single(question: Question, values: Sequence[str]) -> Json:
    match question:
        case Labels():
            return [value for value in values if value] or None
        case Scale() | Number():
            return _number(values[-1])
        case Rank():
            return [_number(part) for part in values[-1].split(",")] if values[-1] else None
        case Choice() | Text() | Grid() | Spans():
            return values[-1] or None
        case _:
            assert_never(question)


def _number(text: str) -> Json:
    """A number where it is one; else the text itself, for the check to name it."""
    if not text:
        return None
    try:
        number = float(text.replace(",", "."))
    except ValueError:
        return text
    return int(number) if number.is_integer() else number

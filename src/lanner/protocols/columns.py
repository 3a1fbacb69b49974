"""One row per judge and item, one column per thing asked: how a spreadsheet would hold the answers.

The tidy table has a row per answer and suits statistics; this suits people. A grid has a column for each row, a label
set one for each label, a question repeated for each label one for each label it can be repeated for; spans are counted
and given as JSON. Scores come last.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from lanner.model import Grid, Json, Labels, Protocol, Question, Spans
from lanner.protocols.prefilled import live
from lanner.protocols.scoring import scores
from lanner.protocols.wording import Wording


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, what a person would call it, and where it comes from."""

    name: str
    title: str
    question: str
    part: str = ""


def columns(protocol: Protocol, language: str = "en") -> list[Column]:
    """The columns of a protocol's answers, in the order they are asked, then its scores."""
    words = Wording(protocol, language)
    found: list[Column] = []
    for _, question in protocol.questions:
        label = words.question(question.id).label
        parts = list(_parts(protocol, question))
        for part in parts:
            title = f"{label}: {words.option(question.id, part).label}" if part not in ("", "number") else label
            name = f"{question.id}.{part}" if part else question.id
            found.append(Column(name, f"{title} (number)" if part == "number" else title, question.id, part))
    return found + [Column(score.id, score.id.replace("_", " "), score.question) for score in protocol.scores]


def cells(protocol: Protocol, answers: Mapping[str, Json]) -> dict[str, Json]:
    """The cells of one row, from the answers about one item; None where a question was not asked or answered."""
    row: dict[str, Json] = {}
    for _, question in protocol.questions:
        value = answers.get(question.id)
        for part in _parts(protocol, question):
            row[f"{question.id}.{part}" if part else question.id] = _cell(question, value, part)
    return row | scores(protocol, answers)


def _parts(protocol: Protocol, question: Question) -> Iterator[str]:
    if question.for_each:
        repeated = protocol.find(question.for_each)
        yield from (option.id for option in repeated[1].choices) if repeated else ()
    elif isinstance(question, Grid):
        yield from (row.id for row in question.rows)
    elif isinstance(question, Labels):
        yield from (option.id for option in question.options)
    elif isinstance(question, Spans):
        yield from ("number", "")
    else:
        yield ""


def _cell(question: Question, value: Json, part: str) -> Json:
    if value is None:
        return None
    if isinstance(question, Spans) and not question.for_each:
        return len(live(value)) if part else json.dumps(value, ensure_ascii=False)
    if isinstance(question, Labels) and not question.for_each:
        return value.get(part, 0) if question.counts else int(part in value)
    if isinstance(question, Grid) or question.for_each:
        return value.get(part)
    return "|".join(map(str, value)) if isinstance(value, list) else value

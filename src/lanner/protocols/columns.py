"""One row per judge and item, one column per thing asked: how a spreadsheet would hold the answers.

The tidy table has a row per answer and suits statistics; this suits people. A grid has a column for each row, a label
set one for each label, a question repeated for each label one for each label it can be repeated for; spans are counted
and given as JSON. Scores come last.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lanner.model import Json, Protocol, Question
from lanner.protocols.derived import scores
from lanner.protocols.kinds import kind_of
from lanner.protocols.kinds.spans import NUMBER
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
    wording = Wording(protocol, language)
    columns: list[Column] = []
    for _, question in protocol.questions:
        label = wording.question(question.id).label
        for part in _parts(protocol, question):
            if part == NUMBER:
                title = f"{label} (number)"
            else:
                title = f"{label}: {wording.option(question.id, part).label}" if part else label
            columns.append(Column(_name(question, part), title, question.id, part))
    return columns + [Column(score.id, score.id.replace("_", " "), score.question) for score in protocol.scores]


def cells(protocol: Protocol, answers: Mapping[str, Json]) -> dict[str, Json]:
    """The cells of one row, from the answers about one item; None where a question was not asked or answered."""
    row: dict[str, Json] = {}
    for _, question in protocol.questions:
        value = answers.get(question.id)
        for part in _parts(protocol, question):
            row[_name(question, part)] = None if value is None else _cell(question, value, part)
    return row | scores(protocol, answers)


def _name(question: Question, part: str) -> str:
    return f"{question.id}.{part}" if part else question.id


def _parts(protocol: Protocol, question: Question) -> Sequence[str]:
    if question.for_each:
        match = protocol.find(question.for_each)
        return [option.id for option in match[1].choices] if match else []
    return kind_of(question).columns(question)


def _cell(question: Question, value: Json, part: str) -> Json:
    return value.get(part) if question.for_each else kind_of(question).cell(question, value, part)

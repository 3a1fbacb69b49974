"""Which question of one protocol answers to which of another: the same by name, else the first of the same kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from lanner.model import Choice, Grid, Labels, Number, Question, Rank, Scale, Spans
from lanner.protocols.derived import chosen_rows
from lanner.reports.lab.sides import Side
from lanner.stats.agreement import alpha, spans
from lanner.stats.estimate import Statistic


@dataclass(frozen=True, slots=True)
class Kind:
    """Answers of one form, and the coefficient that says how far judges agree on them."""

    name: str
    sign: str
    statistic: Statistic
    options: dict[str, Any] = field(default_factory=dict)


SETS = Kind("sets", "α Jaccard", alpha, {"level": "jaccard"})
LABELS = Kind("labels", "α", alpha, {"level": "nominal"})
NUMBERS = Kind("numbers", "α interval", alpha, {"level": "interval"})
SPANS = Kind("spans", "span F1", spans)


@dataclass(frozen=True, slots=True)
class Matched:
    """One question for each side, in their order."""

    label: str
    kind: Kind
    questions: tuple[str, ...]


def kind_of(question: Question) -> tuple[str, Kind] | None:
    """Where a question's answers are found and what form they have; None for text."""
    if question.for_each:
        return None
    match question:
        case Labels():
            return question.id, NUMBERS if question.counts else SETS
        case Grid():
            name = chosen_rows(question)
            return (name, SETS) if name else None
        case Choice() | Rank():
            return question.id, LABELS
        case Scale() | Number():
            return question.id, NUMBERS
        case Spans():
            return question.id, SPANS
        case _:
            return None


def matched(sides: Sequence[Side]) -> list[Matched]:
    """Every question of the first side that all others have an answer to, then the measures that rank systems."""
    left = [
        {name: kind for question in side.questions if (found := kind_of(question)) for name, kind in [found]}
        for side in sides
    ]
    made: list[Matched] = []
    for by_name in (True, False):
        for name, kind in list(left[0].items()):
            others = [
                _partner(name, kind, other, side, by_name) for other, side in zip(left[1:], sides[1:], strict=True)
            ]
            if all(others):
                chosen = (name, *(other for other in others if other))
                for known, taken in zip(left, chosen, strict=True):
                    del known[taken]
                made.append(Matched(_label(sides, chosen), kind, chosen))
    measures = tuple(side.measure.of for side in sides if side.measure)
    if len(measures) == len(sides) and all(measures != pair.questions for pair in made):
        made.append(Matched(_label(sides, measures), NUMBERS, measures))
    return made


def _partner(name: str, kind: Kind, other: dict[str, Kind], side: Side, by_name: bool) -> str | None:
    if by_name:
        stem = name.rpartition("_")[0] if side.scenario else ""
        return next(
            (n for n, k in other.items() if k is kind and (n == name or (stem and n.rpartition("_")[0] == stem))), None
        )
    return None if side.scenario else next((n for n, k in other.items() if k is kind), None)


def _label(sides: Sequence[Side], questions: Sequence[str]) -> str:
    if sides[0].scenario:
        return questions[0].rpartition("_")[0].removesuffix("_of").replace("_", " ")
    words = dict.fromkeys(side.says(question) for side, question in zip(sides, questions, strict=True))
    return " / ".join(words)

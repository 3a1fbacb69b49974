"""Several answers to one question made one, with how far they agree. The rules belong to the kinds of questions.

What is stored is an answer that a judge could have given: numbers are brought to the nearest step of their scale. Every
single answer stays in the ledger.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from statistics import fmean

from lanner.model import Json, Question
from lanner.protocols.kinds import kind_of
from lanner.protocols.kinds.base import Rule

__all__ = ["Rule", "combine", "consistency", "likeness"]


def combine(question: Question, values: Sequence[Json], rule: Rule = "majority") -> Json:
    """One answer from several; None where there is none.

    `rule` matters for numbers: the value that most gave (the median where no value has most votes), the median, or the
    mean. Labels are always combined by majority, grids row by row, ranks by their mean.
    """
    answers = [value for value in values if value is not None]
    if len(answers) < 2:
        return answers[0] if answers else None
    kind = kind_of(question)
    if not question.for_each:
        return kind.combine(question, answers, rule)
    labels = dict.fromkeys(label for answer in answers for label in answer)
    by_label = {label: [answer[label] for answer in answers if label in answer] for label in labels}
    return {label: kind.combine(question, votes, rule) for label, votes in by_label.items()}


def consistency(question: Question, values: Sequence[Json]) -> float | None:
    """Mean likeness of all pairs of answers, 1 where all are the same. None with fewer than two."""
    pairs = list(combinations([value for value in values if value is not None], 2))
    return fmean(likeness(question, one, other) for one, other in pairs) if pairs else None


def likeness(question: Question, one: Json, other: Json) -> float:
    """Between 0 and 1: equal or not; for sets and spans the F1 of what they share; for grids the share of equal rows;
    for scales one minus the distance over the scale's length."""
    kind = kind_of(question)
    if question.for_each and isinstance(one, dict) and isinstance(other, dict):
        shared = one.keys() & other.keys()
        return fmean(kind.likeness(question, one[label], other[label]) for label in shared) if shared else 0.0
    return kind.likeness(question, one, other)

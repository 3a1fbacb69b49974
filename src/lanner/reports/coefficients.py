"""Which coefficients say how far judges agree on which kind of question: decided once, for page, CLI and report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from lanner.model import Choice, Grid, Labels, Number, Protocol, Question, Rank, Scale, Spans
from lanner.protocols.derived import chosen_rows
from lanner.stats.agreement import alpha, gwet, jaccard, kappa, micro_f1, percent, spans
from lanner.stats.estimate import Statistic

_MOST_ORDINAL_POINTS = 20


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A statistic with its options, and its sign in print. `question` is where its answers are found."""

    name: str
    sign: str
    statistic: Statistic
    question: str
    row: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    pairwise: bool = False


def coefficients(question: Question) -> Iterator[Coefficient]:
    """The coefficients for a question, the one to look at first first; nothing for free text."""
    if question.for_each:
        yield from _ordered(question.id, "ordinal")
        return
    match question:
        case Choice():
            labels = [option.id for option in question.options]
            yield from _nominal(question.id, labels)
            if question.ordered:
                options = {"level": "ordinal", "labels": labels}
                yield Coefficient("alpha_ordinal", "α ordinal", alpha, question.id, options=options)
        case Scale():
            points = (question.max - question.min) / question.step if question.step else float("inf")
            yield from _ordered(question.id, "ordinal" if points <= _MOST_ORDINAL_POINTS else "interval")
        case Number():
            yield from _ordered(question.id, "interval")
        case Grid():
            options = {"level": "ordinal", "labels": [option.id for option in question.options]}
            for row in question.rows:
                yield Coefficient("alpha", "α ordinal", alpha, question.id, row.id, options)
            if name := chosen_rows(question):
                yield from _sets(name)
        case Labels() if question.counts:
            yield from _ordered(question.id, "interval", value=("score",))  # how many, not which
        case Labels():
            yield from _sets(question.id)
        case Spans():
            yield Coefficient("spans", "span F1", spans, question.id, pairwise=True)
        case Rank():
            yield from _nominal(question.id)
        case _:
            return


def all_coefficients(protocol: Protocol) -> Iterator[tuple[Question, Coefficient]]:
    """Every coefficient of every question, in the order of the protocol."""
    return ((question, found) for _, question in protocol.questions for found in coefficients(question))


def _nominal(question: str, labels: list[str] | None = None) -> Iterator[Coefficient]:
    """A label that nobody used still is one that could have been chosen: the labels are the protocol's."""
    options: dict[str, Any] = {"labels": labels} if labels else {}
    yield Coefficient("kappa", "κ", kappa, question, options=options, pairwise=True)
    yield Coefficient("percent", "% same", percent, question, options=options, pairwise=True)
    yield Coefficient("alpha", "α", alpha, question, options={**options, "level": "nominal"})
    yield Coefficient("gwet", "AC1", gwet, question, options=options)


def _ordered(question: str, level: str, **select: Any) -> Iterator[Coefficient]:
    yield Coefficient("alpha", f"α {level}", alpha, question, options={"level": level, **select}, pairwise=True)
    yield Coefficient("percent", "% same", percent, question, options=select, pairwise=True)


def _sets(question: str) -> Iterator[Coefficient]:
    yield Coefficient("alpha", "α Jaccard", alpha, question, options={"level": "jaccard"}, pairwise=True)
    yield Coefficient("jaccard", "mean Jaccard", jaccard, question, pairwise=True)
    yield Coefficient("micro_f1", "micro-F1", micro_f1, question, pairwise=True)

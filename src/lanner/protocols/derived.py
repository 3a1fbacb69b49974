"""Scores as judgements: what a protocol computes from answers, in the same form as the answers, so that every
statistic that reads a question can read a score."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from lanner.model import Json, Judgement, Protocol
from lanner.protocols.scoring import scores

STAGE = "score"
_Unit = tuple[str, str, str, str]


def derived(protocol: Protocol, judgements: Iterable[Judgement]) -> Iterator[Judgement]:
    """One judgement per score and item, with the score's id as its question. Answers about the source of a unit (the
    context level, the chosen skills) count for every output of it. A score that is not defined is left out."""
    if not protocol.scores:
        return
    about_source: dict[_Unit, dict[str, Json]] = {}
    about_output: dict[tuple[_Unit, tuple[str, ...]], dict[str, Json]] = {}
    carriers: dict[tuple[_Unit, tuple[str, ...]], Judgement] = {}
    for judgement in judgements:
        unit = (judgement.judge, judgement.document, judgement.segment, judgement.role.value)
        if judgement.systems:
            about_output.setdefault((unit, judgement.systems), {})[judgement.question] = judgement.value
            carriers[unit, judgement.systems] = judgement
        else:
            about_source.setdefault(unit, {})[judgement.question] = judgement.value
            carriers.setdefault((unit, ()), judgement)
    with_outputs = {unit for unit, _ in about_output}
    for (unit, systems), carrier in carriers.items():
        if not systems and unit in with_outputs:
            continue  # its outputs carry the scores
        answers = {**about_source.get(unit, {}), **about_output.get((unit, systems), {})}
        for name, number in scores(protocol, answers).items():
            if number is not None:
                yield replace(carrier, stage=STAGE, question=name, value=number, flags=(), id=None, supersedes=None)

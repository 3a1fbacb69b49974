"""One number per judge and output, for tools that know nothing else: mt-metrics-eval and Appraise.

Which number is the protocol's own choice: the score its plan ranks systems by, else its first score, else its first
scale about one output.
"""

from __future__ import annotations

import csv
import io
from dataclasses import replace

from lanner.errors import LannerError
from lanner.formats.appraise_scores import rows_of as appraise_rows
from lanner.material import Material
from lanner.model import Json, Judgement, Object, Protocol, Scale
from lanner.protocols.derived import derived


def main_score(protocol: Protocol) -> str:
    """The id of the score or question that stands for an output as a whole."""
    for analysis in protocol.analyses:
        if analysis.statistic == "ranking.systems":
            return analysis.of
    if protocol.scores:
        return protocol.scores[0].id
    for stage, question in protocol.questions:
        if isinstance(question, Scale) and stage.object is Object.OUTPUT and not question.for_each:
            return question.id
    raise LannerError(
        f"{protocol.name} has no single number for an output, so it cannot be written for tools that know only that.",
        next_step="Export it as CSV.",
    )


def score_judgements(material: Material) -> list[Judgement]:
    """The main score of every output judged, one judgement each, in the form mt-metrics-eval's folders hold."""
    assert material.protocol is not None
    wanted = main_score(material.protocol)
    every = [*material.judgements, *derived(material.protocol, material.judgements)]
    return [
        replace(found, stage="segment" if found.segment else "document", question="score", value=float(found.value))
        for found in every
        if found.question == wanted and len(found.systems) == 1 and isinstance(found.value, int | float)
    ]


def appraise_csv(material: Material) -> str:
    """Appraise's own layout: the main score of every output, with the spans that the same judge marked in it."""
    spans = {_unit(found): found for found in material.judgements if _is_spans(found.value)}
    told: list[Judgement] = []
    for score in score_judgements(material):
        told.append(score)
        if marked := spans.get(_unit(score)):
            told.append(replace(score, question="errors", value=marked.value))
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    for row in appraise_rows(material.documents, told):
        writer.writerow(map(_safe, row))
    return buffer.getvalue()


def _unit(found: Judgement) -> tuple[object, ...]:
    return (found.judge, found.document, found.segment, found.systems, found.role)


def _is_spans(value: Json) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict)


def _safe(cell: str) -> str:
    return f"'{cell}" if cell[:1] in ("=", "+", "-", "@", "\t", "\r") else cell

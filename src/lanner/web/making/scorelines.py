"""One number per judge and output, for tools that know nothing else: mt-metrics-eval and Appraise.

Which number is the protocol's own choice: the score its plan ranks systems by, else its first score, else its first
scale about one output.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import replace

from lanner.errors import LannerError
from lanner.material import Material
from lanner.model import Json, Judgement, Object, Protocol, Role, Scale, languages
from lanner.protocols.derived import derived

_TYPES = {Role.CONTROL: "BAD", Role.REPEAT: "CHK"}


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
    """Appraise's own layout, without a header: judge, system, item, type, languages, score, document, complete, spans,
    start and end."""
    pairs = {document.id: (document.source_language, document.target_language) for document in material.documents}
    spans = {_unit(found): found.value for found in material.judgements if _is_spans(found.value)}
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    for number, found in enumerate(score_judgements(material), 1):
        source, target = (_three(code) for code in pairs.get(found.document, ("und", "und")))
        kind = _TYPES.get(found.role, "TGT")
        marks = json.dumps(list(_marks(spans.get(_unit(found), []))))
        end = found.answered_at.timestamp() if found.answered_at else 0.0
        start = end - (found.elapsed_seconds or 0.0)
        place = f"{found.document}#{found.systems[0]}"
        score = f"{found.value:g}"
        row = [found.judge, found.systems[0], number, kind, source, target, score, place, not found.segment, marks]
        writer.writerow([*map(_safe, row), f"{start:.3f}", f"{end:.3f}"])
    return buffer.getvalue()


def _unit(found: Judgement) -> tuple[object, ...]:
    return (found.judge, found.document, found.segment, found.systems, found.role)


def _is_spans(value: Json) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict)


def _marks(spans: list[dict[str, Json]]) -> Iterator[dict[str, Json]]:
    for span in spans:
        start, end = span.get("start"), span.get("end")
        place = ("missing", "missing") if start is None or end is None else (start, end - 1)
        yield {
            "start_i": place[0],
            "end_i": place[1],
            "severity": span.get("severity"),
            "error_type": span.get("category"),
        }


def _three(code: str) -> str:
    """Appraise writes three letters."""
    language = languages.normal(code).partition("-")[0]
    known = languages.table().get(language, {}).get("codes", ())
    return next((spelling for spelling in known if len(spelling) == 3), language)


def _safe(cell: object) -> object:
    return f"'{cell}" if isinstance(cell, str) and cell[:1] in ("=", "+", "-", "@", "\t", "\r") else cell

"""What a metric is asked, as a protocol: so that its scores are checked and stored like all answers.

A segment's score answers `score`, as people's do in most protocols, so that the two are compared by one question; a
document's answers `document_score`. Scores of systems follow from those, and are not stored.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache

from lanner.metrics._rating import QUESTION
from lanner.model import Judgement, Protocol

DOCUMENT_QUESTION = "document_score"
_TEXT = {
    "title": "Automatic metrics",
    "summary": "Scores of automatic metrics for segments and documents; higher is better.",
    "when_to_use": "For the scores of metrics; nobody is asked anything.",
    "instructions": "Made by a metric.",
    "questions": {
        QUESTION: {"text": "The metric's score of this segment"},
        DOCUMENT_QUESTION: {"text": "The metric's score of this document"},
    },
}


@cache
def protocol() -> Protocol:
    """Two numbers: one for a segment, one for a document."""
    question = {"kind": "number", "integer": False}
    return Protocol.model_validate(
        {
            "name": "metric_scores",
            "version": "1.0",
            "stage": [
                {
                    "id": "segment",
                    "unit": "sentence_in_context",
                    "object": "output",
                    "question": [{"id": QUESTION, "key": "s", **question}],
                },
                {
                    "id": "document",
                    "unit": "document",
                    "object": "output",
                    "question": [{"id": DOCUMENT_QUESTION, "key": "d", **question}],
                },
            ],
            "analysis": [{"statistic": "ranking.systems", "of": QUESTION}],
            "text": {"en": _TEXT},
        }
    )


def answers(judgements: Iterable[Judgement]) -> list[Judgement]:
    """Those of the judgements that the protocol asks for: numbers for one system's segments and documents."""
    parts = []
    for judgement in judgements:
        number = isinstance(judgement.value, int | float) and not isinstance(judgement.value, bool)
        if judgement.question != QUESTION or not number or len(judgement.systems) != 1 or not judgement.document:
            continue
        parts.append(judgement if judgement.segment else replace(judgement, question=DOCUMENT_QUESTION))
    return parts

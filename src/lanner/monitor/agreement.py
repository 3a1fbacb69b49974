"""Agreement per question while a campaign runs: now with its interval, and the interval to expect when all is in."""

from __future__ import annotations

import math
from dataclasses import replace

from lanner.analysis.agreement import QuestionAgreement, agreements, leaving_out
from lanner.analysis.measures import Measure as PlannedMeasure
from lanner.analysis.measures import Part, QuestionPlan
from lanner.analysis.rows import CountedRows
from lanner.model import Protocol, Result
from lanner.monitor.snapshot import LeavingOut, Measure
from lanner.stats.power import documents_needed

HALF_WIDTH = 0.1
"""Half the width of an interval that tells enough."""
_PARTS = {Part.ROW: "row", Part.LABEL: "label", Part.MARKED: "marked", Part.MEAN_OF_ROWS: "mean"}


def measures(rows: CountedRows, protocol: Protocol, documents: int) -> list[Measure]:
    """Agreement on every question that two people can agree on; its parts after it, the most agreed first.

    `rows` are the answers that count, `documents` is how many there will be in the end.
    """
    measures: list[Measure] = []
    for agreement in agreements(rows, protocol):
        if agreement.plan.question is None:  # a score that the protocol computes: it is in reports
            continue
        measures.append(headline_measure(agreement, documents))
        parts = [
            _measure(part.measure, part.result, documents, _group(agreement, part.measure.row))
            for part in agreement.parts
        ]
        measures += sorted(parts, key=lambda row: -(row.value if row.value is not None else -2))
    return measures


def headline_measure(agreement: QuestionAgreement, documents: int) -> Measure:
    """The number that stands for a question, with the weakest row of a grid."""
    weakest = agreement.weakest
    measure = _measure(agreement.plan.headline, agreement.headline, documents, "")
    if (alone := agreement.unaided) is not None:
        items = alone.counts.get("items", 0)
        unaided = None if alone.value is None else (alone.value, alone.low, alone.high, items)
        measure = replace(measure, is_aided=True, unaided=unaided)
    if weakest is None:
        return measure
    return replace(measure, weakest=weakest.measure.row, weakest_value=weakest.result.value)


def price_of_leaving_out(rows: CountedRows, entry: QuestionPlan, judge: str, documents: int) -> LeavingOut:
    """What leaving a judge out would change on one question."""
    price = leaving_out(rows, entry, judge)
    now, without = (headline_measure(agreement, documents) for agreement in (price.now, price.without))
    return LeavingOut(judge, now, without, price.answers, price.answers_without)


def _group(agreement: QuestionAgreement, row: str) -> str:
    question = agreement.plan.question
    options = (*getattr(question, "rows", ()), *getattr(question, "options", ()))
    return next((option.group or "" for option in options if option.id == row), "")


def _measure(coefficient: PlannedMeasure, result: Result, documents: int, group: str) -> Measure:
    now = result.counts.get("documents", 0)
    low, high = expected(result, now, documents)
    return Measure(
        question=coefficient.question,
        row=coefficient.row,
        part=_PARTS.get(coefficient.part, ""),
        group=group,
        value=result.value,
        low=result.low,
        high=result.high,
        expected_low=low,
        expected_high=high,
        items=result.counts.get("items", 0),
        documents=now,
        judges=result.counts.get("judges", 0),
        notes=result.notes,
        signature=str(result.signature or ""),
        needed=_documents_still_needed(result, documents) if result.value is not None else None,
    )


def _documents_still_needed(result: Result, documents: int) -> int | None:
    """Documents judged by several until the interval is narrow enough, where the planned ones will not do."""
    enough = documents_needed(result, 2 * HALF_WIDTH).value
    return int(enough) if enough is not None and enough > documents else None


def expected(result: Result, now: int, documents: int) -> tuple[float | None, float | None]:
    """The interval to expect with all documents: half-widths shrink with the root of their number."""
    if result.value is None or result.low is None or result.high is None or not now:
        return None, None
    shrink = math.sqrt(now / max(now, documents))
    return result.value - (result.value - result.low) * shrink, result.value + (result.high - result.value) * shrink

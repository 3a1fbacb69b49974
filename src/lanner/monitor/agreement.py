"""Agreement per question while a campaign runs, now with its interval and with that to expect when all is in; and where
people disagree: every shared unit with how far apart its answers are, and one unit with all its answers."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence, Set
from dataclasses import replace

import polars as pl

from lanner.analysis.agreement import UNIT, QuestionAgreement, agreements, distances, leaving_out
from lanner.analysis.measures import Measure as PlannedMeasure
from lanner.analysis.measures import Part, QuestionPlan
from lanner.analysis.rows import CountedRows
from lanner.model import Json, JudgeKind, Number, Protocol, Question, Result, Role, Scale
from lanner.monitor.snapshot import Disagreement, DisagreementFilter, DisagreementList, LeavingOut, Measure, UnitAnswers
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


# Where people disagree

_MOST = 400


def list_disagreements(
    rows: pl.DataFrame, settled_units: Set[tuple[str, str, str]], protocol: Protocol, selection: DisagreementFilter
) -> DisagreementList:
    """Disagreements among the answers that count. A question looked at must itself be in dispute."""
    if selection.judges:
        rows = rows.filter(pl.col("judge").is_in(list(selection.judges)))
    apart = distances(rows, protocol)
    if apart.is_empty():
        return DisagreementList((), 0, 0, 0)
    question_id = selection.question if selection.question in apart["question"].unique() else ""
    units = apart.group_by(UNIT, maintain_order=True).agg(
        pl.col("distance").mean().alias("mean"),
        pl.col("question"),
        pl.col("distance"),
        pl.col("distance").filter(pl.col("question") == question_id).max().alias("own"),
    )
    domains = rows.select("document", "domain").unique(maintain_order=True)
    units = units.join(domains, on="document", how="left", maintain_order="left")
    for name in ("domain", "document"):
        if value := getattr(selection, name):
            units = units.filter(pl.col(name) == value)
    unit_count = len(units)
    units = units.filter((pl.col("own") if question_id else pl.col("mean")) > 0)
    shown_answers = _short_answers(rows, question_id) if question_id else {}
    if len(selection.labels) == 2 and question_id:
        keep = [
            set(selection.labels) <= {label for _, label in shown_answers.get(key, ())}
            for key in units.select(UNIT).iter_rows()
        ]
        units = units.filter(pl.Series(keep, dtype=pl.Boolean))
    is_done = [key in settled_units for key in units.select(UNIT).iter_rows()]
    disagreement_count, settled_count = len(units), sum(is_done)
    if selection.show in ("open", "settled"):
        units = units.filter(pl.Series([mark is (selection.show == "settled") for mark in is_done], dtype=pl.Boolean))
    order = ["own", "mean"] if question_id else ["mean"]
    units = units.sort(*order, descending=True, maintain_order=True).head(_MOST)
    entries = [
        Disagreement(
            document=document,
            segment=segment,
            system=system,
            domain=domain or "",
            distance=mean,
            parts=dict(zip(questions, parts, strict=True)),
            given=shown_answers.get((document, segment, system), ()),
            settled=(document, segment, system) in settled_units,
        )
        for document, segment, system, mean, questions, parts, domain in units.select(
            *UNIT, "mean", "question", "distance", "domain"
        ).iter_rows()
    ]
    return DisagreementList(tuple(entries), disagreement_count, settled_count, unit_count)


def _short_answers(table: pl.DataFrame, question: str) -> dict[tuple[str, str, str], tuple[tuple[str, str], ...]]:
    """Short answers to one question by unit, in the order of the judges' names."""
    rows = table.filter((pl.col("question") == question) & (pl.col("row") == ""))
    short = pl.coalesce(pl.col("label"), pl.col("score").map_elements(lambda x: f"{x:.12g}", return_dtype=pl.String))
    answers = rows.with_columns(short.alias("said")).filter(pl.col("said").is_not_null()).sort("judge")
    by_unit: dict[tuple[str, str, str], list[tuple[str, str]]] = {}
    for document, segment, system, judge, words in answers.select(*UNIT, "judge", "said").iter_rows():
        by_unit.setdefault((document, segment, system), []).append((judge, words))
    return {key: tuple(shown_answers) for key, shown_answers in by_unit.items()}


def unit_answers(
    table: pl.DataFrame, protocol: Protocol, unit: tuple[str, str, str], people: Sequence[str]
) -> UnitAnswers:
    """Everything said about one unit, also by models."""
    place = (pl.col("document") == unit[0]) & (pl.col("segment") == unit[1]) & (pl.col("system") == unit[2])
    rows = table.filter(place & pl.col("role").is_in([str(Role.MAIN), str(Role.CALIBRATION)]))
    answers: dict[str, dict[str, Json]] = {}
    agreed_answers: dict[str, Json] = {}
    seconds: dict[str, float] = {}
    kinds = {question.id: question for _, question in protocol.questions}
    columns = rows.select(
        "judge", "judge_kind", "question", "row", "label", "score", "labels", "spans", "text", "ranks", "active"
    )
    for judge, kind, question, row, *values, active in columns.iter_rows():
        value = _value(kinds.get(question), *values)
        if kind == str(JudgeKind.ADJUDICATED):
            _put(agreed_answers, question, row, value)
        else:
            _put(answers.setdefault(question, {}), judge, row, value)
            if active is not None:
                seconds[judge] = max(seconds.get(judge, 0.0), active)
    apart = distances(rows.filter(pl.col("judge").is_in(list(people))), protocol)
    parts = dict(apart.select("question", "distance").iter_rows())
    return UnitAnswers(answers, seconds, parts, agreed_answers)


def _put(into: dict[str, Json], name: str, row: str, value: Json) -> None:
    if row:
        into.setdefault(name, {})[row] = value
    else:
        into[name] = value


def _value(question: Question | None, *cells: Json) -> Json:
    label, score, labels, spans, text, ranks = cells
    if spans is not None:
        return json.loads(spans)
    if labels is not None:
        return list(labels)
    if ranks is not None:
        return list(ranks)
    if label is not None and not isinstance(question, Scale | Number):
        return label
    return score if score is not None else text

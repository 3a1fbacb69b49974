"""Agreement per question while a campaign runs: now with its interval, and the interval to expect when all is in."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from lanner.errors import StatisticError
from lanner.model import Choice, Grid, Labels, Number, Option, Protocol, Question, Result, Scale, Spans
from lanner.protocols.wording import Wording
from lanner.stats.alpha import alpha
from lanner.stats.power import documents_needed
from lanner.stats.resample import Resampling
from lanner.web.told import Measure

LIVE = Resampling(n=400, seed=1)
WANTED = 0.1
"""Half the width of an interval that tells enough."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """What α is computed on: the table as it must be read, and how."""

    label: str
    table: pl.DataFrame
    options: dict[str, Any]
    row: str = ""
    group: str = ""
    main: bool = True
    heading: str = ""


def measures(
    table: pl.DataFrame, protocol: Protocol, people: Sequence[str], documents: int, language: str = "en"
) -> list[Measure]:
    """α of every question that two people can agree on; parts of a question below it, the most agreed first.

    `documents` is how many there will be in the end.
    """
    wording = Wording(protocol, language)
    own = table.filter(pl.col("judge").is_in(list(people)))
    found: list[Measure] = []
    for _, question in protocol.questions:
        answers = own.filter(pl.col("question") == question.id)
        asked = list(_asked(answers, protocol, question, wording))
        rows = [_measure(question, entry, people, documents) for entry in asked]
        parts = sorted(
            (row for row in rows if not row.main), key=lambda row: -(row.value if row.value is not None else -2)
        )
        if parts:
            parts = [replace(row, heading=asked[-1].heading if at == 0 else "") for at, row in enumerate(parts)]
        found += [row for row in rows if row.main] + parts
    return found


def _asked(answers: pl.DataFrame, protocol: Protocol, question: Question, wording: Wording) -> Iterator[_Asked]:
    label = wording.question(question.id).label
    level = _level(protocol, question)
    match question:
        case Choice() if not question.for_each:
            yield _Asked(label, answers, {"level": level, "labels": [option.id for option in question.options]})
        case Scale() | Number():
            yield _Asked(label, answers, {"level": level})
        case Grid():
            scale = {"level": level, "labels": [option.id for option in question.options]}
            yield _Asked(label, answers, scale)
            for row in question.rows:
                words = wording.option(question.id, row.id).label
                part = answers.filter(pl.col("row") == row.id)
                yield _Asked(words, part, scale, row.id, row.group or "", main=False, heading=f"{label}, one by one")
        case Labels() if not question.for_each:
            yield _Asked(label, answers, {"level": "jaccard"})
            for option in question.options:
                yield _of_label(answers, question, option, wording, f"{label}: chosen or not")
        case Spans():
            yes_no = _yes_no(answers, pl.col("spans") != "[]", pl.col("spans").is_not_null())
            yield _Asked(f"{label}: any marked", yes_no, {"level": "nominal"})
        case _:
            return


def _of_label(answers: pl.DataFrame, question: Labels, option: Option, wording: Wording, heading: str) -> _Asked:
    yes_no = _yes_no(answers, pl.col("labels").list.contains(option.id), pl.col("labels").is_not_null())
    words = wording.option(question.id, option.id).label
    return _Asked(words, yes_no, {"level": "nominal"}, option.id, option.group or "", main=False, heading=heading)


def _yes_no(answers: pl.DataFrame, said: pl.Expr, answered: pl.Expr) -> pl.DataFrame:
    empty = {"labels": pl.lit(None, pl.List(pl.String)), "score": pl.lit(None, pl.Float64)}
    label = pl.when(answered).then(pl.when(said).then(pl.lit("yes")).otherwise(pl.lit("no")))
    return answers.with_columns(label.alias("label"), **empty)


def _level(protocol: Protocol, question: Question) -> str | None:
    """As the protocol's plan of analysis says; else what the kind of answer allows."""
    for analysis in protocol.analyses:
        if analysis.statistic == "agreement.alpha" and analysis.of == question.id and "level" in analysis.options:
            return str(analysis.options["level"])
    if isinstance(question, Grid):
        return "ordinal" if all(option.value is not None for option in question.options) else "nominal"
    return "interval" if isinstance(question, Scale | Number) else "nominal"


def _measure(question: Question, asked: _Asked, people: Sequence[str], documents: int) -> Measure:
    base = Measure(question.id, asked.row, asked.label, asked.main, group=asked.group)
    try:
        result: Result = alpha(asked.table, question.id, resampling=LIVE, **asked.options)
    except StatisticError as error:
        return replace(base, notes=(error.what,))
    now = result.counts.get("documents", 0)
    low, high = expected(result, now, documents)
    return replace(
        base,
        value=result.value,
        low=result.low,
        high=result.high,
        expected_low=low,
        expected_high=high,
        items=result.counts.get("items", 0),
        documents=now,
        judges=result.counts.get("judges", len(people)),
        notes=result.notes,
        signature=str(result.signature or ""),
        needed=_needed(result, documents),
    )


def _needed(result: Result, finally_: int) -> int | None:
    """Documents judged by several until the interval is narrow enough, where the planned ones will not do."""
    found = documents_needed(result, 2 * WANTED).value
    return int(found) if found is not None and found > finally_ else None


def expected(result: Result, now: int, finally_: int) -> tuple[float | None, float | None]:
    """The interval to expect with all documents: half-widths shrink with the root of their number."""
    if result.value is None or result.low is None or result.high is None or not now:
        return None, None
    shrink = math.sqrt(now / max(now, finally_))
    return result.value - (result.value - result.low) * shrink, result.value + (result.high - result.value) * shrink

"""Agreement per question while a campaign runs: now with its interval, and the interval to expect when all is in."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from lanner.errors import StatisticError
from lanner.model import Choice, Grid, Labels, Number, Protocol, Question, Rank, Result, Scale, Spans
from lanner.monitor.answers import AnswerTable, of_row, yes_no
from lanner.monitor.snapshot import NOTHING, Measure
from lanner.stats.alpha import alpha
from lanner.stats.power import documents_needed
from lanner.stats.ratings import Ratings
from lanner.stats.resample import Resampling

LIVE = Resampling(n=400, seed=1)
WANTED = 0.1
"""Half the width of an interval that tells enough."""


@dataclass(frozen=True, slots=True)
class _Part:
    """What α is computed on, and how."""

    ratings: Ratings
    level: str | None
    row: str = ""
    part: str = ""
    group: str = ""


def measures(answers: AnswerTable, protocol: Protocol, people: Sequence[str], documents: int) -> list[Measure]:
    """α of every question that two people can agree on; parts of a question after it, the most agreed first.

    `documents` is how many there will be in the end.
    """
    found: list[Measure] = []
    for _, question in protocol.questions:
        if not has_measure(question):
            continue
        try:
            ratings = answers.only(question, people)
        except StatisticError as error:
            part = "marked" if isinstance(question, Spans) else ""
            found.append(Measure(question.id, part=part, notes=(error.what,)))
            continue
        rows = [_measure(question, part, people, documents) for part in _parts(ratings, protocol, question)]
        found += [row for row in rows if row.main]
        parts = [row for row in rows if not row.main]
        found += sorted(parts, key=lambda row: -(row.value if row.value is not None else -2))
    return found


def has_measure(question: Question) -> bool:
    """Whether two people can agree on it in a number."""
    if isinstance(question, Choice | Labels) and question.for_each:
        return False
    return isinstance(question, Choice | Labels | Grid | Scale | Number | Rank | Spans)


def _parts(ratings: Ratings, protocol: Protocol, question: Question) -> Iterator[_Part]:
    level = _level(protocol, question)
    match question:
        case Grid():
            yield _Part(ratings, level)
            for row in question.rows:
                yield _Part(of_row(ratings, row.id), level, row.id, "row", row.group or "")
        case Labels():
            yield _Part(ratings, "jaccard")
            for option in question.options:
                yield _Part(yes_no(ratings, option.id), "nominal", option.id, "label", option.group or "")
        case Spans():
            yield _Part(yes_no(ratings, NOTHING), "nominal", part="marked")
        case Rank():
            yield _Part(ratings, "nominal")
        case _:
            yield _Part(ratings, level)


def _level(protocol: Protocol, question: Question) -> str | None:
    """As the protocol's plan of analysis says; else what the kind of answer allows."""
    for analysis in protocol.analyses:
        if analysis.statistic == "agreement.alpha" and analysis.of == question.id and "level" in analysis.options:
            return str(analysis.options["level"])
    if isinstance(question, Grid):
        return "ordinal" if all(option.value is not None for option in question.options) else "nominal"
    return "interval" if isinstance(question, Scale | Number) else "nominal"


def _measure(question: Question, part: _Part, people: Sequence[str], documents: int) -> Measure:
    base = Measure(question.id, part.row, part.part, part.group)
    try:
        result: Result = alpha(part.ratings, resampling=LIVE, level=part.level)
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

"""Agreement per question while a campaign runs: now with its interval, and the interval to expect when all is in."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from lanner.errors import StatisticError
from lanner.model import Choice, Grid, Labels, Number, Protocol, Question, Rank, Result, Scale, Spans
from lanner.protocols.wording import Wording
from lanner.stats.alpha import alpha
from lanner.stats.power import documents_needed
from lanner.stats.ratings import Ratings
from lanner.stats.resample import Resampling
from lanner.web.making.gathered import Gathered, of_row, yes_no
from lanner.web.picture.told import NOTHING, Measure

LIVE = Resampling(n=400, seed=1)
WANTED = 0.1
"""Half the width of an interval that tells enough."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """What α is computed on, and how."""

    label: str
    rated: Ratings
    level: str | None
    row: str = ""
    group: str = ""
    main: bool = True
    heading: str = ""


def measures(
    given: Gathered, protocol: Protocol, people: Sequence[str], documents: int, language: str = "en"
) -> list[Measure]:
    """α of every question that two people can agree on; parts of a question below it, the most agreed first.

    `documents` is how many there will be in the end.
    """
    wording = Wording(protocol, language)
    found: list[Measure] = []
    for _, question in protocol.questions:
        if not _has_measure(question):
            continue
        try:
            rated = given.only(question, people)
        except StatisticError as error:
            found.append(Measure(question.id, "", _label(question, wording), notes=(error.what,)))
            continue
        asked = list(_asked(rated, protocol, question, wording))
        rows = [_measure(question, entry, people, documents) for entry in asked]
        parts = sorted(
            (row for row in rows if not row.main), key=lambda row: -(row.value if row.value is not None else -2)
        )
        if parts:
            parts = [replace(row, heading=asked[-1].heading if at == 0 else "") for at, row in enumerate(parts)]
        found += [row for row in rows if row.main] + parts
    return found


def _has_measure(question: Question) -> bool:
    if isinstance(question, Choice | Labels) and question.for_each:
        return False
    return isinstance(question, Choice | Labels | Grid | Scale | Number | Rank | Spans)


def _label(question: Question, wording: Wording) -> str:
    own = wording.question(question.id).label
    return f"{own}: any marked" if isinstance(question, Spans) else own


def _asked(rated: Ratings, protocol: Protocol, question: Question, wording: Wording) -> Iterator[_Asked]:
    label = _label(question, wording)
    level = _level(protocol, question)
    match question:
        case Grid():
            yield _Asked(label, rated, level)
            for row in question.rows:
                words = wording.option(question.id, row.id).label
                heading = f"{label}, one by one"
                yield _Asked(words, of_row(rated, row.id), level, row.id, row.group or "", False, heading)
        case Labels():
            yield _Asked(label, rated, "jaccard")
            for option in question.options:
                words, heading = wording.option(question.id, option.id).label, f"{label}: chosen or not"
                part = yes_no(rated, option.id)
                yield _Asked(words, part, "nominal", option.id, option.group or "", False, heading)
        case Spans():
            yield _Asked(label, yes_no(rated, NOTHING), "nominal")
        case Rank():
            yield _Asked(label, rated, "nominal")
        case _:
            yield _Asked(label, rated, level)


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
        result: Result = alpha(asked.rated, resampling=LIVE, level=asked.level)
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

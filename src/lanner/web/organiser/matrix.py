"""One unit's answers side by side: options as rows, judges as columns, the agreed answer at the end of the same row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from lanner.model import Choice, Grid, Json, Labels, Number, Option, Question, Rank, Scale, Spans, Text
from lanner.protocols.wording import Wording
from lanner.web.page.speech import say

_MOST_POINTS = 12
TAKEN = "@"
"""Behind a question's id: the field that names the judge whose answer is taken as it is."""


@dataclass(frozen=True, slots=True)
class Line:
    """One row. `cells` are the judges' answers in words, "" for none; `picked` says who chose it where that is the
    question. `control` is what the agreed answer is given with: radio, checkbox, select, number or nothing."""

    label: str
    cells: tuple[str, ...]
    picked: tuple[bool, ...] | None
    count: str
    split: bool
    control: str
    name: str
    value: str
    chosen: bool
    options: tuple[tuple[str, str], ...] = ()
    group: str = ""
    bounds: tuple[float | None, float | None, float | None] = (None, None, None)


@dataclass(frozen=True, slots=True)
class Matrix:
    """One question."""

    question: str
    label: str
    lines: tuple[Line, ...]
    agreed: bool
    """Whether everyone who answered said the same."""
    wide: bool


def matrix(
    question: Question,
    given: Mapping[str, Json],
    judges: Sequence[str],
    settled: Json,
    wording: Wording,
    *,
    names: Mapping[str, str] | None = None,
) -> Matrix | None:
    """The table of one question; None where there is nothing to compare (free text stands elsewhere). `names` are
    what judges are called."""
    if isinstance(question, Text) or not any(judge in given for judge in judges):
        return None
    answers = [given.get(judge) for judge in judges]
    label = wording.question(question.id).label
    if isinstance(question, Spans | Rank) and not question.for_each:
        lines: tuple[Line, ...] = (_whole(question, judges, answers, settled, names or {}),)
    else:
        lines = tuple(_lines(question, answers, settled, wording))
    said = [_plain(answer) for answer in answers if answer is not None]
    wide = isinstance(question, Grid | Labels) or bool(question.for_each)
    return Matrix(question.id, label, lines, len(set(said)) <= 1, wide)


def _plain(value: Json) -> str:
    return repr(sorted(value) if isinstance(value, list) and all(isinstance(v, str) for v in value) else value)


def _lines(question: Question, answers: Sequence[Json], settled: Json, wording: Wording) -> list[Line]:
    if question.for_each:
        labels = list(dict.fromkeys(label for answer in answers if isinstance(answer, dict) for label in answer))
        return [_part(question, label, answers, settled, wording) for label in labels]
    match question:
        case Choice():
            return [_option(question, option, answers, settled, wording) for option in question.options]
        case Labels():
            return [_option(question, option, answers, settled, wording) for option in question.options]
        case Grid():
            rows = [(row, _part(question, row.id, answers, settled, wording)) for row in question.rows]
            return [replace(line, group=row.group or "") for row, line in rows]
        case Scale() | Number():
            return [_valued(question, question.id, say("Given"), (answers, settled), wording)]
        case Spans() | Rank() | Text():
            return []
        case _:
            assert_never(question)


def _whole(
    question: Spans | Rank, judges: Sequence[str], answers: Sequence[Json], settled: Json, names: Mapping[str, str]
) -> Line:
    """Marked passages and ranks: what is agreed is one judge's answer, as it stands."""
    if isinstance(question, Spans):
        label, cells = say("Marked"), tuple(_marked(answer) for answer in answers)
    else:
        label, cells = say("Ranks"), tuple("–".join(map(str, answer)) if answer else "" for answer in answers)
    said = list(zip(judges, answers, strict=True))
    same = next((judge for judge, answer in said if settled is not None and answer == settled), "")
    return Line(
        label=label,
        cells=cells,
        picked=None,
        count="",
        split=len({cell for cell in cells if cell}) > 1,
        control="select",
        name=f"{question.id}{TAKEN}",
        value=same,
        chosen=settled is not None,
        options=tuple((judge, say("as {name}", name=names.get(judge, judge))) for judge, a in said if a is not None),
    )


def _marked(answer: Json) -> str:
    if not isinstance(answer, list):
        return ""
    return ", ".join(str(span.get("text") or say("something missing")) for span in answer) or say("nothing")


def _option(
    question: Choice | Labels, option: Option, answers: Sequence[Json], settled: Json, wording: Wording
) -> Line:
    def holds(answer: Json) -> bool:
        return option.id in answer if isinstance(answer, list | dict) else answer == option.id

    picked = tuple(answer is not None and holds(answer) for answer in answers)
    count, answered = sum(picked), sum(answer is not None for answer in answers)
    name = question.id if not (isinstance(question, Labels) and question.counts) else f"{question.id}.{option.id}"
    return Line(
        label=wording.option(question.id, option.id).label,
        cells=("",) * len(answers),
        picked=picked,
        count=str(count) if count else "",
        split=0 < count < answered,
        control="radio" if isinstance(question, Choice) else "checkbox",
        name=name,
        value=option.id,
        chosen=settled is not None and holds(settled),
        group=option.group or "",
    )


def _part(question: Question, part: str, answers: Sequence[Json], settled: Json, wording: Wording) -> Line:
    """A row of a grid, or one of the labels a question is repeated for."""
    own = [answer.get(part) if isinstance(answer, dict) else None for answer in answers]
    agreed = settled.get(part) if isinstance(settled, dict) else None
    label = wording.option(question.for_each or question.id, part).label
    return _valued(question, f"{question.id}.{part}", label, (own, agreed), wording)


def _valued(question: Question, name: str, label: str, given: tuple[Sequence[Json], Json], wording: Wording) -> Line:
    own, agreed = given
    words = {option.id: wording.option(question.id, option.id) for option in getattr(question, "options", ())}
    cells = tuple("" if v is None else (words[v].short or words[v].label) if v in words else _number(v) for v in own)
    commonest = Counter(cell for cell in cells if cell).most_common(1)
    options: tuple[tuple[str, str], ...] = tuple((id_, word.label) for id_, word in words.items())
    bounds: tuple[float | None, float | None, float | None] = (None, None, None)
    if isinstance(question, Scale):
        bounds = (question.min, question.max, question.step or None)
        points = (question.max - question.min) / question.step + 1 if question.step else 0
        if 2 <= points <= _MOST_POINTS:
            values = [question.min + at * question.step for at in range(round(points))]
            options = tuple((f"{v:g}", f"{v:g}") for v in values)
    elif isinstance(question, Number):
        bounds = (question.min, question.max, 1.0 if question.integer else None)
    return Line(
        label=label,
        cells=cells,
        picked=None,
        count=str(commonest[0][1]) if commonest else "",
        split=len({cell for cell in cells if cell}) > 1,
        control="select" if options else "number",
        name=name,
        value="" if agreed is None else _number(agreed) if agreed not in words else str(agreed),
        chosen=agreed is not None,
        options=options,
        bounds=bounds,
    )


def _number(value: Json) -> str:
    return f"{value:g}" if isinstance(value, int | float) else str(value)

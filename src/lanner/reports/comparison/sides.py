"""What is compared: the sides, the questions they share, and how an answer to one comparison is kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import Literal

import numpy as np
import polars as pl

from lanner.analysis import GROUPS, PEOPLE, CountedRows, QuestionPlan, counted, plan_question, plan_score
from lanner.analysis.agreement import comparable
from lanner.analysis.material import Material
from lanner.analysis.scores import divide, document_sums, planned_rankings
from lanner.errors import InputError
from lanner.model import (
    EQUAL,
    Choice,
    Grid,
    Json,
    Labels,
    Number,
    Protocol,
    Question,
    Rank,
    Result,
    Scale,
    Spans,
    Stage,
    Unit,
)
from lanner.model.messages import estimate, level_text, lower_first, p_value
from lanner.model.protocol import Wording
from lanner.protocols.derived import chosen_rows, repeated_question
from lanner.reports.parts import Figure, Quotes
from lanner.stats.frame import SYSTEMS
from lanner.stats.resample import Outcome, Replicates, Resampling, outcome, replicate_sums, sign
from lanner.stats.scores import Direction

_FEWEST_SHARED, _SHORT_TITLE = 10, 24


@dataclass(frozen=True, slots=True)
class RankingMeasure:
    """The number by which a side ranks systems, and which way is better."""

    of: str
    direction: Direction = "higher_is_better"


@dataclass(frozen=True)
class Side:
    """One protocol, or one scenario of it, with the answers it got. `scenario` is empty where it is the whole."""

    name: str
    material: Material
    protocol: Protocol
    stages: tuple[Stage, ...]
    table: pl.DataFrame
    scenario: str = ""

    @cached_property
    def questions(self) -> list[Question]:
        """Those that somebody answered."""
        answered_ids = set(self.table["question"])
        questions = [question for stage in self.stages if stage.unit is not Unit.JUDGE for question in stage.questions]
        return [question for question in questions if question.id in answered_ids]

    @cached_property
    def units(self) -> set[Unit]:
        return {stage.unit for stage in self.stages for question in stage.questions if question in self.questions}

    @cached_property
    def people(self) -> list[str]:
        """People who answered; where nobody did, whoever answered."""
        kinds = dict(self.table.select("judge", "judge_kind").unique(maintain_order=True).iter_rows())
        return [judge for judge, kind in kinds.items() if kind in PEOPLE] or list(kinds)

    @cached_property
    def models(self) -> list[str]:
        return sorted(set(self.table["judge"]) - set(self.people))

    @cached_property
    def measure(self) -> RankingMeasure | None:
        """What the analysis plan ranks systems by; else the last scale that is asked."""
        if rankings := planned_rankings(self.protocol, self.table):
            return RankingMeasure(rankings[0].of, rankings[0].options.get("direction", "higher_is_better"))
        scales = [
            question
            for question in self.questions
            if isinstance(question, Scale) and not question.for_each and question.direction != "neutral"
        ]
        lower = bool(scales) and scales[-1].direction == "lower_is_better"
        return RankingMeasure(scales[-1].id, "lower_is_better" if lower else "higher_is_better") if scales else None

    @property
    def by_people(self) -> pl.DataFrame:
        return self.table.filter(pl.col("judge").is_in(self.people), pl.col("role") == "main")

    @cached_property
    def counted(self) -> CountedRows:
        """The rows that agreement is computed on: those of people, else of models, never of both."""
        return counted(self.by_people)

    def plan(self, answers: str) -> QuestionPlan:
        """How agreement is told of a question, found by where its answers are, or of a score."""
        match = next(
            (one for one in self.questions if (name_and_form := form_of(one)) and name_and_form[0] == answers), None
        )
        entry = plan_question(match, self.protocol) if match is not None else None
        return entry or plan_score(answers, self.protocol)

    def says(self, question: str) -> str:
        """A question or score in words, short enough for a table."""
        words = Wording(self.protocol)
        label = words.question(question).label if self.protocol.find(question) else ""
        return lower_first(label if 0 < len(label) <= 28 else question.replace("_", " "))

    def choices(self, question: str) -> pl.DataFrame:
        """What people chose, as labels; of outputs side by side the better one, in whichever order they were shown."""
        own, match = self.by_people.filter(pl.col("question") == question), self.protocol.find(question)
        answers = comparable(own, match[1]) if match else own
        return answers.filter(pl.col("label").is_not_null()).with_columns(pl.col("label").replace(EQUAL, "tie"))

    def only(self, items: pl.DataFrame, key: Sequence[str]) -> Side:
        """The same on some items alone."""
        order = pl.int_range(pl.len(), dtype=pl.UInt32).alias("_row")
        kept = self.table.select(SYSTEMS, "document", "segment", order).join(items, on=list(key), how="semi")["_row"]
        return replace(self, table=self.table[kept.sort()])


def sides(materials: Sequence[tuple[str, Material]]) -> list[Side]:
    """One side for each material; of a single one its scenarios. Control, repeated and tutorial items stay apart."""
    sides = [_whole(name, material) for name, material in materials]
    if len({side.protocol.label for side in sides}) == len(sides) > 1:
        sides = [replace(side, name=_name_of(side)) for side in sides]
    if len(sides) == 1:
        sides = _scenarios(sides[0])
    if len(sides) < 2:
        raise InputError(
            "There is only one thing here: nothing to compare it with.",
            next_step="Name a second campaign or file, or one whose protocol has scenarios.",
        )
    return sides


def _name_of(side: Side) -> str:
    """What was said on the command line, else a short title, else the protocol's name in words."""
    if side.name != side.material.name:
        return side.name
    title = Wording(side.protocol).title
    return title if len(title) <= _SHORT_TITLE else side.protocol.name.replace("_", " ")


def _whole(name: str, material: Material) -> Side:
    if material.protocol is None:
        raise InputError(
            f"It is not known what was asked in {material.name}.", next_step="Name the protocol with --protocol."
        )
    table = material.counted(of=tuple(GROUPS)).table
    return Side(name, material, material.protocol, material.protocol.stages, table)


def _scenarios(whole: Side) -> list[Side]:
    stages_by_name: dict[str, list[Stage]] = {}
    for stage in whole.stages:
        if stage.unit is not Unit.JUDGE:
            stages_by_name.setdefault(stage.scenario or stage.unit.value, []).append(stage)
    result = []
    for scenario, stages in stages_by_name.items():
        question_ids = {question.id for stage in stages for question in stage.questions}
        question_ids |= {name for stage in stages for question in stage.questions if (name := chosen_rows(question))}
        question_ids |= {score.id for score in whole.protocol.scores if score.question in question_ids}
        table = whole.table.filter(pl.col("question").is_in(sorted(question_ids)))
        if len(table):
            words = scenario.replace("_", " ")
            result.append(Side(words, whole.material, whole.protocol, tuple(stages), table, scenario))
    return result


def item_key(lines: Sequence[Side]) -> list[str]:
    """What makes two answers about the same thing: the system counts only where every side judges outputs."""
    has_systems = all((side.table["system"] != "").any() for side in lines)
    return ["document", "segment", *(["system"] if has_systems else [])]


def shared(sides: Sequence[Side]) -> tuple[list[Side], int]:
    """The sides on the items that all of them judged, and how many those are; as they are where too few are shared."""
    key = item_key(sides)
    items, *others = (side.by_people.with_columns(SYSTEMS).select(key).unique(maintain_order=True) for side in sides)
    for other in others:
        items = items.join(other, on=key, how="semi", maintain_order="left")
    if len(items) < _FEWEST_SHARED:
        return list(sides), len(items)
    return [side.only(items, key) for side in sides], len(items)


NO_INTERVAL = "no interval: there are too few documents, or they do not differ"
_WHO = {"people", "models"}


@dataclass(frozen=True, slots=True)
class Value:
    """A number of one side with its interval; `text` stands in its place where it is no plain number."""

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class Gap:
    """How far a side lies from the first one: first less other; `why` there is no interval, where there is none; on how
    many documents it rests, where that is known."""

    value: float
    low: float | None = None
    high: float | None = None
    p: float | None = None
    why: str = ""
    documents: int | None = None

    def in_words(self, name: str, digits: int = 2) -> str:
        """With its interval and p under its name; without them it says why."""
        sentence = f"{name} {estimate(self.value, self.low, self.high, digits)}"
        if self.low is None:
            sentence += f"; {self.why or NO_INTERVAL}"
        return sentence if self.p is None else f"{sentence}, {p_value(self.p)}"


@dataclass(frozen=True, slots=True)
class ComparisonLine:
    """One line of the table: a measure, its value on each side (in their order), and the gaps to the first side."""

    label: str
    values: Sequence[Value]
    gaps: Sequence[Gap | None] = ()
    bounded: bool = True
    digits: int = 2


@dataclass(frozen=True, slots=True)
class ComparisonAnswer:
    """`missing` says why there is nothing, and then all else is empty."""

    title: str
    lines: Sequence[ComparisonLine] = ()
    figure: Figure | None = None
    said: str = ""
    missing: str = ""
    examples: Quotes | None = None

    @property
    def data(self) -> Sequence[Mapping[str, Json]]:
        """The numbers that are drawn."""
        return self.figure.data if self.figure else ()


@dataclass(frozen=True)
class ComparisonData:
    """The sides on shared items, as they were given, and how intervals are made."""

    sides: Sequence[Side]
    whole: Sequence[Side]
    shared: int
    resampling: Resampling
    hourly: float | None = None
    currency: str = ""

    @property
    def level(self) -> str:
        """The level of the intervals, for headings and captions: "95 %"."""
        return level_text(self.resampling.level)

    @property
    def names(self) -> list[str]:
        return [side.name for side in self.sides]

    def values(self, side: str, value: Value) -> list[Value]:
        """One side's value among those of the others, who have none."""
        return [value if name == side else Value(None, text="—") for name in self.names]


Comparison = Callable[[ComparisonData], ComparisonAnswer]
"""One question that the sides are compared by."""


def of_result(result: Result) -> Value:
    """An estimate as a value of the table."""
    return Value(result.value, result.low, result.high, result.counts.get("items"))


def gap_of(result: Result) -> Gap | None:
    """A difference as a gap of the table; None where it is undefined."""
    if result.value is None:
        return None
    why = why_no_interval(result.low, result.notes)
    return Gap(result.value, result.low, result.high, result.p, why, result.counts.get("documents"))


def why_no_interval(low: float | None, notes: Sequence[str]) -> str:
    """The last of a statistic's notes, which says why there is no interval, fit for the middle of a sentence."""
    note = notes[-1] if low is None and notes else ""
    return note[:1].lower() + note[1:].rstrip(".")


def are_judges(*names: str) -> bool:
    """Whether sides are named after who judged, not after what was asked: nobody judges under people."""
    return set(names) <= _WHO


def intervals_of(*results: Result) -> str:
    """How the intervals of these results were made, from their signatures."""
    parts = [part for result in results if result.signature for part in result.signature.parts]
    return " · ".join(dict.fromkeys(f"{name} {value}" for name, value in parts if name in _WAY))


_WAY = ("interval", "resamples", "seed")


def lines_by_label(
    lab: ComparisonData, rows: Sequence[Mapping[str, Json]], label: Callable[[Mapping[str, Json]], str]
) -> list[ComparisonLine]:
    """Lines from rows with a side, a value and its interval: what has the same label stands in one line."""
    lines: dict[str, list[Value]] = {}
    for row in rows:
        values = lines.setdefault(label(row), [Value(None, text="—") for _ in lab.sides])
        values[lab.names.index(row["side"])] = Value(row["value"], row["low"], row["high"], row.get("n"))
    return [ComparisonLine(label, values) for label, values in lines.items()]


def ratio(table: pl.DataFrame, how: Resampling, *, scale: Literal["plain", "log", "share"] = "plain") -> Result:
    """The sum of column `top` over that of `bottom`, with an interval over the documents of the table."""
    replicates = replicate_sums(document_sums(table), lambda total: divide(total)[:, None], how)
    items = int(table["bottom"].sum())
    return _result(replicates, outcome(replicates, how, scale=scale, answers=items), how, {"items": items})


def ratio_gap(first: pl.DataFrame, other: pl.DataFrame, how: Resampling) -> Result:
    """The first ratio less the other, on the same resamples of all documents."""
    sums = document_sums(first, other)
    replicates = replicate_sums(sums, lambda total: (divide(total) - divide(total, 1))[:, None], how)
    return _result(replicates, outcome(replicates, how, null=0.0), how, {})


def _result(replicates: Replicates, spread: Outcome, how: Resampling, counts: Mapping[str, int]) -> Result:
    value, signature = float(replicates.value[0]), sign("ratio", how, spread.interval)
    known = None if np.isnan(value) else value
    return Result("ratio", known, spread.interval, spread.p, counts, notes=spread.notes, signature=signature)


class Form(StrEnum):
    """The form of answers: questions whose answers have the same one can be set against each other."""

    SETS = "sets"
    LABELS = "labels"
    NUMBERS = "numbers"
    GRID = "grid"
    SPANS = "spans"


@dataclass(frozen=True, slots=True)
class MatchedQuestions:
    """One question for each side, in their order."""

    label: str
    form: Form
    questions: tuple[str, ...]


def form_of(question: Question) -> tuple[str, Form] | None:
    """Where a question's answers are found and what form they have; None for text."""
    if question.for_each:
        return None
    match question:
        case Labels():
            return question.id, Form.NUMBERS if question.counts else Form.SETS
        case Grid():
            name = chosen_rows(question)
            return (name, Form.SETS) if name else (question.id, Form.GRID)
        case Choice() | Rank():
            return question.id, Form.LABELS
        case Scale() | Number():
            return question.id, Form.NUMBERS
        case Spans():
            return question.id, Form.SPANS
        case _:
            return None


def matched(sides: Sequence[Side]) -> list[MatchedQuestions]:
    """Every question of the first side that all others have an answer to, then the measures that rank systems."""
    left = [dict(filter(None, map(form_of, side.questions))) for side in sides]
    pairs: list[MatchedQuestions] = []
    for by_name in (True, False):
        for name, form in list(left[0].items()):
            others = [
                _partner(name, form, other, side, by_name) for other, side in zip(left[1:], sides[1:], strict=True)
            ]
            names = (name, *filter(None, others))
            if len(names) == len(sides):
                for open_forms, own_name in zip(left, names, strict=True):
                    del open_forms[own_name]
                pairs.append(MatchedQuestions(question_label(sides, names), form, names))
    measures = tuple(repeated_question(side.protocol, side.measure.of) for side in sides if side.measure)
    if len(measures) == len(sides) and all(measures != pair.questions for pair in pairs):
        pairs.append(MatchedQuestions(question_label(sides, measures), Form.NUMBERS, measures))
    return pairs


def _partner(name: str, form: Form, other: dict[str, Form], side: Side, by_name: bool) -> str | None:
    if by_name:
        stem = name.rpartition("_")[0] if side.scenario else ""
        return next(
            (n for n, f in other.items() if f is form and (n == name or (stem and n.rpartition("_")[0] == stem))), None
        )
    return None if side.scenario else next((n for n, f in other.items() if f is form), None)


def question_label(sides: Sequence[Side], questions: Sequence[str]) -> str:
    """What questions that are set against each other are called together."""
    if sides[0].scenario:
        return questions[0].rpartition("_")[0].removesuffix("_of").replace("_", " ")
    words = dict.fromkeys(side.says(question) for side, question in zip(sides, questions, strict=True))
    return " / ".join(words)

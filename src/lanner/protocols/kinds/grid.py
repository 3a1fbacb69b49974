"""The same options for each of several rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean

from lanner.model import Grid, Json, Option
from lanner.model.protocol import Wording, Words
from lanner.protocols.kinds.base import (
    AnswerCheck,
    Level,
    QuestionKind,
    Rule,
    Schema,
    SimulatedJudge,
    closed_object,
    combine_labels,
    describe_options,
    have_values,
    on_other_side,
    one_of,
    pick_option,
    replace_alias,
)

_RELEVANT = 0.3  # of nine skills two or three apply to a sentence


class GridKind(QuestionKind[Grid]):
    """An option for each row."""

    def option_lists(self, question: Grid) -> dict[str, tuple[Option, ...]]:
        return {"rows": question.rows, "options": question.options}

    def describe(self, question: Grid, words: Words) -> str:
        start = f", starting at {question.preselected}" if question.preselected else ""
        return f"One answer for each of {len(question.rows)} rows{start}:"

    def describe_choices(self, question: Grid, wording: Wording, groups: Sequence[str]) -> Iterator[str]:
        yield from describe_options(question.id, question.rows, wording, groups)
        yield "Each with one of:"
        yield from describe_options(question.id, question.options, wording)

    def schema(self, question: Grid, outputs: int) -> Schema:
        """Each row is a property of its own, so that it appears exactly once by construction."""
        return closed_object({row.id: one_of(question.options) for row in question.rows})

    def as_asked(self, question: Grid, value: Json, outputs: int) -> Json:
        return {row.id: value.get(row.id) for row in question.rows}

    def check(self, question: Grid, value: Json, check: AnswerCheck) -> Json:
        if not isinstance(value, Mapping):
            raise check.error("shape", f"{value!r} is not an object from row to answer.")
        options = {option.id for option in question.options}
        if len(value) == len(question.rows):  # every row with one of the options, which is nearly always so
            labels = [value.get(row.id) for row in question.rows]
            if all(isinstance(label, str) and label in options for label in labels):
                return {row.id: label for row, label in zip(question.rows, labels, strict=True)}
        by_row = {check.option(row, question.rows): option for row, option in value.items()}
        answers: dict[str, str] = {}
        for row in question.rows:
            if by_row.get(row.id) is None:
                check.violation("incomplete", f"the row {row.id!r} has no answer.")
            else:
                answers[row.id] = check.option(by_row[row.id], question.options)
        return answers

    def replace_aliases(self, question: Grid, value: Json) -> tuple[Json, int]:
        if not isinstance(value, dict):
            return value, 0
        pairs = [
            (replace_alias(row, question.rows), replace_alias(option, question.options))
            for row, option in value.items()
        ]
        return {row[0]: option[0] for row, option in pairs}, sum(row[1] + option[1] for row, option in pairs)

    def from_fields(
        self, question: Grid, values: Sequence[str] | None, parts: Mapping[str, Sequence[str]]
    ) -> tuple[bool, Json]:
        answers = {row: entries[-1] for row, entries in parts.items() if entries[-1]}
        return bool(parts), answers or None

    def simulate(self, question: Grid, simulation: SimulatedJudge) -> Json:
        return {row.id: _simulate_row(question, simulation) for row in question.rows}

    def reorder(self, question: Grid, value: Json, order: Sequence[int]) -> Json:
        return {row: on_other_side(question.options, option, order) for row, option in value.items()}

    def level(self, question: Grid) -> Level:
        return "ordinal" if have_values(question.options) else "nominal"

    def likeness(self, question: Grid, one: Json, other: Json) -> float:
        """The share of rows with the same answer."""
        return fmean(one.get(row.id) == other.get(row.id) for row in question.rows)

    def combine(self, question: Grid, values: Sequence[Json], rule: Rule) -> Json:
        """Row by row, over the answers that have the row."""
        has_values = have_values(question.options)
        votes = {row.id: [value[row.id] for value in values if row.id in value] for row in question.rows}
        return {
            row: combine_labels(answers, question.options, ordered=has_values)
            for row, answers in votes.items()
            if answers
        }


def _simulate_row(question: Grid, simulation: SimulatedJudge) -> str:
    if question.preselected and simulation.rng.random() > _RELEVANT:
        return question.preselected
    options = [option for option in question.options if option.id != question.preselected] or list(question.options)
    return pick_option(options, simulation.rng, simulation.level if have_values(options) else None)


KIND = GridKind()

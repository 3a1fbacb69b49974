"""A number between two ends, in steps or continuous."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lanner.model import Json, Scale, Stage
from lanner.model.protocol import Wording, Words
from lanner.protocols.kinds.base import (
    AnswerCheck,
    Level,
    Mistake,
    QuestionKind,
    Rule,
    Schema,
    SimulatedJudge,
    combine_numbers,
    number_from_text,
    plain_number,
)

MOST_ORDINAL_STEPS = 20
"""A scale with more steps is read as numbers, one with fewer as an order."""
_NEARLY = 1e-9
_DIRECTIONS = {"higher_is_better": ", more is better", "lower_is_better": ", less is better", "neutral": ""}


class ScaleKind(QuestionKind[Scale]):
    """A point on a scale."""

    def mistakes(self, question: Scale, stage: Stage) -> Iterator[Mistake]:
        if question.min >= question.max:
            yield "min", f"The scale's min {question.min:g} is not below its max {question.max:g}."
        elif any(not question.min <= mark <= question.max for mark in question.marks):
            yield "marks", "A mark lies outside the scale."
        elif question.step and not _is_whole((question.max - question.min) / question.step):
            yield "step", f"Steps of {question.step:g} from {question.min:g} miss {question.max:g}."

    def describe(self, question: Scale, words: Words) -> str:
        ends = f" ({words.low} – {words.high})" if words.low or words.high else ""
        step = f"in steps of {question.step:g}" if question.step else "continuous"
        return f"A scale from {question.min:g} to {question.max:g}{ends}, {step}{_DIRECTIONS[question.direction]}."

    def describe_choices(self, question: Scale, wording: Wording, groups: Sequence[str]) -> Iterator[str]:
        return (f"- {mark:g}: {wording.mark(question.id, mark)}" for mark in question.marks)

    def schema(self, question: Scale, outputs: int) -> Schema:
        whole = question.step and float(question.step).is_integer() and float(question.min).is_integer()
        return {
            "type": "integer" if whole else "number",
            "minimum": plain_number(question.min),
            "maximum": plain_number(question.max),
        }

    def check(self, question: Scale, value: Json, check: AnswerCheck) -> Json:
        number = check.number(value)
        if not question.min <= number <= question.max:
            check.violation("out_of_range", f"{value!r} is not between {question.min:g} and {question.max:g}.")
        elif question.step and not _is_whole((number - question.min) / question.step):
            check.violation("off_step", f"{value!r} is not on the scale's steps of {question.step:g}.")
        elif question.step:  # a step as it was reckoned elsewhere, 3.0000000001, is the step itself
            steps = round((number - question.min) / question.step)
            number = plain_number(round(question.min + steps * question.step, _DIGITS))
        return number

    def from_values(self, question: Scale, values: Sequence[str]) -> Json:
        return number_from_text(values[-1])

    def simulate(self, question: Scale, simulation: SimulatedJudge) -> Json:
        level = simulation.level
        if level is None or question.direction == "neutral":
            share = simulation.rng.random()
        else:
            share = 1 - level if question.direction == "lower_is_better" else level
        if not question.step:
            return round(question.min + share * (question.max - question.min), 1)
        steps = int((question.max - question.min) / question.step + _NEARLY)
        step = round(share * steps) if level is not None else int(share * (steps + 1))
        return question.min + step * question.step

    def reorder(self, question: Scale, value: Json, order: Sequence[int]) -> Json:
        """With as much on either side of zero a scale says which of two outputs is better, and by how much."""
        is_signed = list(order) == [1, 0] and question.min == -question.max
        return -value if is_signed and value else value

    def level(self, question: Scale) -> Level:
        steps = (question.max - question.min) / question.step if question.step else float("inf")
        return "ordinal" if steps <= MOST_ORDINAL_STEPS else "interval"

    def likeness(self, question: Scale, one: Json, other: Json) -> float:
        return float(1 - abs(one - other) / (question.max - question.min))

    def combine(self, question: Scale, values: Sequence[Json], rule: Rule) -> Json:
        """Brought to the nearest step; half a step goes to the even one, so that neither direction is favoured."""
        number = combine_numbers(values, rule)
        if not question.step:
            return plain_number(number)
        return plain_number(question.min + round((number - question.min) / question.step) * question.step)

    def expected_of_nonsense(self, question: Scale, place: int) -> dict[str, Json]:
        """The worse half of the scale."""
        if question.direction == "neutral":
            return {}
        middle = (question.min + question.max) / 2
        return {"at_least" if question.direction == "lower_is_better" else "at_most": middle}


_DIGITS = 9


def _is_whole(number: float) -> bool:
    return abs(number - round(number)) < _NEARLY


KIND = ScaleKind()

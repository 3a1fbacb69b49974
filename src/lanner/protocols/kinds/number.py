"""A count or a measure that is typed in."""

from __future__ import annotations

from collections.abc import Sequence

from lanner.model import Json, Number
from lanner.model.protocol import Words
from lanner.protocols.kinds.base import (
    AnswerCheck,
    Level,
    QuestionKind,
    Rule,
    Schema,
    SimulatedJudge,
    combine_numbers,
    number_from_text,
    plain_number,
)

_LARGEST_SIMULATED = 20


class NumberKind(QuestionKind[Number]):
    """A number."""

    def describe(self, question: Number, words: Words) -> str:
        return "A whole number." if question.integer else "A number."

    def schema(self, question: Number, outputs: int) -> Schema:
        bounds = {"minimum": question.min, "maximum": question.max}
        return {"type": "integer" if question.integer else "number"} | {
            name: plain_number(bound) for name, bound in bounds.items() if bound is not None
        }

    def check(self, question: Number, value: Json, check: AnswerCheck) -> Json:
        number = check.number(value)
        if question.integer and not float(number).is_integer():
            check.violation("not_whole", f"{value!r} is not a whole number.")
        if question.min is not None and number < question.min:
            check.violation("out_of_range", f"{value!r} is below {question.min:g}.")
        if question.max is not None and number > question.max:
            check.violation("out_of_range", f"{value!r} is above {question.max:g}.")
        return number

    def from_values(self, question: Number, values: Sequence[str]) -> Json:
        return number_from_text(values[-1])

    def simulate(self, question: Number, simulation: SimulatedJudge) -> Json:
        low = question.min if question.min is not None else 0
        high = min(question.max if question.max is not None else low + _LARGEST_SIMULATED, low + _LARGEST_SIMULATED)
        number = simulation.rng.uniform(low, high)
        return min(max(round(number), int(-(-low // 1))), int(high // 1)) if question.integer else round(number, 2)

    def level(self, question: Number) -> Level:
        return "interval"

    def combine(self, question: Number, values: Sequence[Json], rule: Rule) -> Json:
        number = combine_numbers(values, rule)
        return round(number) if question.integer else plain_number(number)


KIND = NumberKind()

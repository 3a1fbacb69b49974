"""Free text."""

from __future__ import annotations

from collections.abc import Sequence

from lanner.model import Json, Text
from lanner.model.protocol import Wording, Words
from lanner.protocols.kinds.base import AnswerCheck, Level, QuestionKind, Rule, Schema, SimulatedJudge, most_central


class TextKind(QuestionKind[Text]):
    """A remark."""

    def describe(self, question: Text, words: Words) -> str:
        return "Free text."

    def schema(self, question: Text, outputs: int) -> Schema:
        return {"type": "string", "maxLength": question.max_length}

    def check(self, question: Text, value: Json, check: AnswerCheck) -> Json:
        if not isinstance(value, str):
            raise check.error("shape", f"{value!r} is not text.")
        text = value.strip()
        if question.required and not text:
            check.violation("missing", "an answer is needed.")
        if len(text) > question.max_length:
            check.violation("too_long", f"{len(text)} characters, at most {question.max_length} are kept.")
        return text or None

    def simulate(self, question: Text, simulation: SimulatedJudge) -> Json:
        level = "" if question.required or simulation.level is None else f" ({simulation.level:.2f})"
        return f"Simulated remark{level}."[: question.max_length]

    def in_words(self, question: Text, value: Json, wording: Wording) -> str:
        return str(value)

    def level(self, question: Text) -> Level:
        return "none"

    def combine(self, question: Text, values: Sequence[Json], rule: Rule) -> Json:
        """The text that most gave, else the first."""
        return most_central(values, lambda one, other: self.likeness(question, one, other))


KIND = TextKind()

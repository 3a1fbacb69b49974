"""Exactly one of several options."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from lanner.model import TIES, Choice, Json, Option
from lanner.model.protocol import Wording, Words
from lanner.protocols.kinds.base import (
    AnswerCheck,
    Level,
    QuestionKind,
    Rule,
    Schema,
    SimulatedJudge,
    combine_labels,
    describe_options,
    have_values,
    on_other_side,
    one_of,
    pick_option,
    replace_alias,
    sides_among,
)


class ChoiceKind(QuestionKind[Choice]):
    """One option."""

    def option_lists(self, question: Choice) -> dict[str, tuple[Option, ...]]:
        return {"options": question.options}

    def describe(self, question: Choice, words: Words) -> str:
        return "One of:"

    def describe_choices(self, question: Choice, wording: Wording, groups: Sequence[str]) -> Iterator[str]:
        return describe_options(question.id, question.options, wording, groups)

    def schema(self, question: Choice, outputs: int) -> Schema:
        return one_of(question.options)

    def check(self, question: Choice, value: Json, check: AnswerCheck) -> Json:
        return check.option(value, question.options)

    def replace_aliases(self, question: Choice, value: Json) -> tuple[Json, int]:
        return replace_alias(value, question.options)

    def simulate(self, question: Choice, simulation: SimulatedJudge) -> Json:
        level = simulation.level if have_values(question.options) else None
        return pick_option(question.options, simulation.rng, level)

    def reorder(self, question: Choice, value: Json, order: Sequence[int]) -> Json:
        return on_other_side(question.options, value, order)

    def level(self, question: Choice) -> Level:
        return "ordinal" if question.ordered else "nominal"

    def combine(self, question: Choice, values: Sequence[Json], rule: Rule) -> Json:
        """The option with most votes. Of two sides with as many votes neither is preferred, where that can be said."""
        ids = [option.id for option in question.options]
        sides, votes = sides_among(set(ids)), Counter(values)
        tie = next((name for name in ids if name in TIES), None)
        if sides and tie and votes[sides[0]] == votes[sides[1]] == max(votes.values()):
            return tie
        return combine_labels(values, question.options, ordered=question.ordered)


KIND = ChoiceKind()

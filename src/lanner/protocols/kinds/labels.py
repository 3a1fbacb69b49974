"""A set of labels, or labels with how often each occurs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean

from lanner.model import Json, Labels, Option, Stage
from lanner.model.protocol import Wording, Words
from lanner.protocols.kinds.base import (
    AnswerCheck,
    Level,
    Mistake,
    QuestionKind,
    Rule,
    Schema,
    SimulatedJudge,
    closed_object,
    describe_options,
    most_central,
    number_from_text,
    one_of,
    overlap,
    replace_alias,
)


class LabelsKind(QuestionKind[Labels]):
    """Labels, or labels with counts."""

    def mistakes(self, question: Labels, stage: Stage) -> Iterator[Mistake]:
        if question.max is not None and question.min > question.max:
            yield "min", f"min {question.min} is above max {question.max}."
        elif question.min > len(question.options):
            yield "min", f"{question.min} labels are needed, but there are {len(question.options)}."

    def option_lists(self, question: Labels) -> dict[str, tuple[Option, ...]]:
        return {"options": question.options}

    def describe(self, question: Labels, words: Words) -> str:
        counts = ", each as often as it occurs" if question.counts else ""
        if question.max == question.min:
            number = f"Exactly {question.min} of"
        elif question.max is None:
            number = f"At least {question.min} of" if question.min else "Any of"
        else:
            number = f"{question.min} to {question.max} of"
        return f"{number}{counts}:"

    def describe_choices(self, question: Labels, wording: Wording, groups: Sequence[str]) -> Iterator[str]:
        return describe_options(question.id, question.options, wording, groups)

    def schema(self, question: Labels, outputs: int) -> Schema:
        if question.counts:
            return closed_object({option.id: {"type": "integer", "minimum": 0} for option in question.options})
        fewest = min(question.min, 1) if question.exclusive else question.min  # the exclusive label stands alone
        schema: Schema = {"type": "array", "items": one_of(question.options), "minItems": fewest}
        return schema | ({"maxItems": question.max} if question.max is not None else {}) | {"uniqueItems": True}

    def as_asked(self, question: Labels, value: Json, outputs: int) -> Json:
        return {option.id: value.get(option.id, 0) for option in question.options} if question.counts else value

    def check(self, question: Labels, value: Json, check: AnswerCheck) -> Json:
        if question.counts:
            return _check_counts(question, value, check)
        if not isinstance(value, Sequence) or isinstance(value, str):
            raise check.error("shape", f"{value!r} is not a list of labels.")
        labels = [check.option(label, question.options) for label in value]
        distinct = list(dict.fromkeys(labels))
        if len(distinct) < len(labels):
            twice = next(label for label in labels if labels.count(label) > 1)
            check.violation("repeated", f"{twice!r} is given more than once.")
        _check_number(question, distinct, check)
        order = [option.id for option in question.options]
        return sorted(labels, key=order.index)  # what a file repeats stays repeated, with its flag

    def has_empty_answer(self, question: Labels) -> bool:
        return question.min == 0

    def replace_aliases(self, question: Labels, value: Json) -> tuple[Json, int]:
        if isinstance(value, list):
            ids_and_repairs = [replace_alias(label, question.options) for label in value]
            return [label for label, _ in ids_and_repairs], sum(repairs for _, repairs in ids_and_repairs)
        if isinstance(value, dict):
            names = {label: replace_alias(label, question.options) for label in value}
            return {names[label][0]: count for label, count in value.items()}, sum(n for _, n in names.values())
        return value, 0

    def from_values(self, question: Labels, values: Sequence[str]) -> Json:
        return [value for value in values if value] or None

    def from_fields(
        self, question: Labels, values: Sequence[str] | None, parts: Mapping[str, Sequence[str]]
    ) -> tuple[bool, Json]:
        if not question.counts:
            return super().from_fields(question, values, parts)
        # An exclusive label is a box to tick, whose value is its own name.
        counts = {
            label: 1 if entries[-1] == label else number_from_text(entries[-1])
            for label, entries in parts.items()
            if entries[-1]
        }
        return bool(parts) or values is not None, counts or None

    def simulate(self, question: Labels, simulation: SimulatedJudge) -> Json:
        rng, level = simulation.rng, simulation.level
        if question.exclusive and rng.random() < (level if level is not None else 0.5):
            return {question.exclusive: 1} if question.counts else [question.exclusive]
        candidates = [option.id for option in question.options if option.id != question.exclusive]
        least = max(question.min, 1 if question.exclusive else 0)
        most = min(question.max or len(candidates), len(candidates))
        if level is not None and question.min != question.max:
            most = max(least, round((1 - level) * most))
        labels = rng.sample(candidates, rng.randint(min(least, most), most))
        return {label: rng.choice((1, 1, 1, 2)) for label in labels} if question.counts else labels

    def level(self, question: Labels) -> Level:
        return "interval" if question.counts else "sets"

    def likeness(self, question: Labels, one: Json, other: Json) -> float:
        return overlap(Counter(one), Counter(other))

    def combine(self, question: Labels, values: Sequence[Json], rule: Rule) -> Json:
        """As many labels as must be chosen, those with most votes, the first of the protocol before later ones; where
        the number is free, those that more than half of the answers name."""
        votes = Counter(label for value in values for label in value)
        order = [option.id for option in question.options]
        if question.exclusive and votes[question.exclusive] * 2 > len(values):
            return {question.exclusive: 1} if question.counts else [question.exclusive]
        if question.counts:
            return self._combine_counts(question, values)
        candidates = sorted(
            (label for label in order if label != question.exclusive),
            key=lambda label: (-votes[label], order.index(label)),
        )
        number = max(question.min, sum(votes[label] * 2 > len(values) for label in candidates))
        if question.max is not None:
            number = min(number, question.max)
        return sorted(candidates[:number], key=order.index)

    def _combine_counts(self, question: Labels, values: Sequence[Json]) -> Json:
        """The mean count of each label, rounded; where all round to nothing, the answer most like the others."""
        candidates = [option.id for option in question.options if option.id != question.exclusive]
        means = {label: round(fmean(value.get(label, 0) for value in values)) for label in candidates}
        counts = {label: number for label, number in means.items() if number}
        if counts and question.min <= len(counts) <= (question.max or len(counts)):
            return counts
        return most_central(values, lambda one, other: self.likeness(question, one, other))

    def expected_of_nonsense(self, question: Labels, place: int) -> dict[str, Json]:
        """Some error, where "no errors" can be said."""
        if question.exclusive and "error" in question.exclusive:
            return {"excludes": [question.exclusive]}
        return {}


def _check_counts(question: Labels, value: Json, check: AnswerCheck) -> Json:
    if not isinstance(value, Mapping):
        raise check.error("shape", f"{value!r} is not an object from label to count.")
    counts: dict[str, int] = {}
    for label, number in value.items():
        if isinstance(number, bool) or not isinstance(number, int) or number < 0:
            raise check.error("not_a_count", f"{number!r} is not a count.")
        if number:
            name = check.option(label, question.options)
            counts[name] = counts.get(name, 0) + number
    _check_number(question, list(counts), check)
    return {option.id: counts[option.id] for option in question.options if option.id in counts}


def _check_number(question: Labels, labels: Sequence[str], check: AnswerCheck) -> None:
    if question.exclusive and question.exclusive in labels:
        if len(labels) > 1:
            check.violation("not_exclusive", f"{question.exclusive!r} stands alone.")
        return
    if len(labels) < question.min:
        check.violation("too_few", f"{len(labels)} chosen, at least {question.min} needed.")
    if question.max is not None and len(labels) > question.max:
        check.violation("too_many", f"{len(labels)} chosen, at most {question.max} allowed.")


KIND = LabelsKind()

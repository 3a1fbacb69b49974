"""Several answers to one question made one: by majority or by the mean, with how far they agreed.

A tie between options goes to the one that stands first in the protocol, and is rare enough to be looked up in the
ledger, which keeps every vote. A mean is brought to the nearest step of its scale, since stored answers are ones that
a person could have given.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from statistics import fmean
from typing import Literal, assert_never

from lanner.model import Choice, Grid, Json, Labels, Number, Question, Rank, Scale, Spans, Text

Rule = Literal["majority", "mean"]


def combine(question: Question, values: Sequence[Json], rule: Rule = "majority") -> Json:
    """One answer from several; None where there is none."""
    given = [value for value in values if value is not None]
    if len(given) < 2:
        return given[0] if given else None
    if question.for_each:
        labels = dict.fromkeys(label for value in given for label in value)
        return {label: _one(question, [v[label] for v in given if label in v], rule) for label in labels}
    return _one(question, given, rule)


def _one(question: Question, given: Sequence[Json], rule: Rule) -> Json:
    match question:
        case Scale():
            if rule == "majority":
                return _most(sorted(given), given)
            mean = fmean(given)
            if not question.step:
                return mean
            return _plain(question.min + round((mean - question.min) / question.step) * question.step)
        case Number():
            mean = fmean(given)
            return _most(sorted(given), given) if rule == "majority" else round(mean) if question.integer else mean
        case Choice():
            return _most([option.id for option in question.options], given)
        case Labels() if question.counts:
            return _counts(question, given)
        case Labels():
            return _labels(question, given)
        case Grid():
            order = [option.id for option in question.options]
            return {row.id: _most(order, [value[row.id] for value in given]) for row in question.rows}
        case Rank():
            means = [fmean(ranks) for ranks in zip(*given, strict=True)]
            levels = sorted(set(means))
            return [levels.index(mean) + 1 for mean in means]
        case Spans() | Text():
            return _central(question, given)
        case _:
            assert_never(question)


def _most(order: Sequence[Json], given: Sequence[Json]) -> Json:
    counts = Counter(given)
    return max(dict.fromkeys(order), key=lambda value: counts[value])


def _labels(question: Labels, given: Sequence[Json]) -> list[str]:
    """As many labels as must be chosen, those with most votes; where the number is free, those of more than half."""
    counts = Counter(label for value in given for label in value)
    order = [option.id for option in question.options]
    ranked = sorted(order, key=lambda label: (-counts[label], order.index(label)))
    if question.exclusive and counts[question.exclusive] * 2 > len(given):
        return [question.exclusive]
    ranked = [label for label in ranked if label != question.exclusive]
    number = max(question.min, sum(counts[label] * 2 > len(given) for label in ranked))
    if question.max is not None:
        number = min(number, question.max)
    return sorted(ranked[:number], key=order.index)


def _counts(question: Labels, given: Sequence[Json]) -> dict[str, int]:
    means = {option.id: round(fmean(v.get(option.id, 0) for v in given)) for option in question.options}
    found = {label: number for label, number in means.items() if number}
    return found or _central(question, given)


def _central(question: Question, given: Sequence[Json]) -> Json:
    """The answer that is most like the others: spans and texts cannot be averaged."""
    return max(given, key=lambda value: fmean(likeness(question, value, other) for other in given))


def consistency(question: Question, values: Sequence[Json]) -> float | None:
    """Mean likeness of all pairs of answers, 1 where all are the same. None with fewer than two."""
    given = [value for value in values if value is not None]
    pairs = list(combinations(given, 2))
    return fmean(likeness(question, one, two) for one, two in pairs) if pairs else None


def likeness(question: Question, one: Json, two: Json) -> float:
    """Between 0 and 1: equal or not; for sets and spans the F1 of what they share; for grids the share of equal rows;
    for scales one minus the distance over the scale's length."""
    if question.for_each and isinstance(one, dict) and isinstance(two, dict):
        shared = one.keys() & two.keys()
        return fmean(_like(question, one[k], two[k]) for k in shared) if shared else 0.0
    return _like(question, one, two)


def _like(question: Question, one: Json, two: Json) -> float:
    match question:
        case Scale():
            return float(1 - abs(one - two) / (question.max - question.min))
        case Grid():
            return fmean(one.get(row.id) == two.get(row.id) for row in question.rows)
        case Labels():
            return _f1(Counter(one), Counter(two))
        case Spans():
            return _f1(_covered(one), _covered(two))
        case _:
            return float(one == two)


def _f1(one: Counter[Json], two: Counter[Json]) -> float:
    total = one.total() + two.total()
    return 2 * (one & two).total() / total if total else 1.0


def _covered(spans: Sequence[Mapping[str, Json]]) -> Counter[Json]:
    """The characters that are marked, on their side."""
    return Counter(
        (span.get("side"), span.get("output", 0), place)
        for span in spans
        for place in range(span.get("start") or 0, span.get("end") or 0)
    )


def _plain(number: float) -> int | float:
    return int(number) if float(number).is_integer() else number

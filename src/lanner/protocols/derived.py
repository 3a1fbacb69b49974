"""What a protocol makes of answers, in the same form as the answers, so that any statistic can read it: scores, and
the set of rows of a grid that were not left at the preselected option."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from lanner.errors import InputError
from lanner.model import Analysis, Choice, Grid, Json, Judgement, Protocol, Question, Scale, Score, Spans, languages
from lanner.protocols.conditions import holds
from lanner.protocols.prefilled import judged_marks, outcomes

# The few named rules from an answer to a number. A protocol file names them; nothing else computes scores.
#
# Each rule takes the question, its stored value and the options given in the file, and returns None where the answer
# does not define a score (missing, nothing chosen), never a guess.


# ruff: noqa: ARG001 - every rule has the same three arguments, whether it needs them or not


Rule = Callable[[Question, Json, Mapping[str, Any]], float | None]


def value(question: Question, answer: Json, options: Mapping[str, Any]) -> float | None:
    """The number given, or the value of the option chosen."""
    if isinstance(question, Choice):
        return next((option.value for option in question.options if option.id == answer), None)
    return float(answer) if isinstance(answer, int | float) and not isinstance(answer, bool) else None


def mean_of_each(question: Question, answer: Json, options: Mapping[str, Any]) -> float | None:
    """The mean over the labels a `for_each` question was repeated for, optionally over some of them (`only`)."""
    if not isinstance(answer, Mapping):
        return None
    only = options.get("only")
    numbers = [float(number) for label, number in answer.items() if number is not None and (not only or label in only)]
    return sum(numbers) / len(numbers) if numbers else None


def count(question: Question, answer: Json, options: Mapping[str, Any]) -> float | None:
    """How many labels or spans were given; an exclusive label ("no errors") counts as none."""
    exclusive = getattr(question, "exclusive", None)
    if isinstance(answer, Mapping):
        return float(sum(number for label, number in answer.items() if label != exclusive))
    if isinstance(answer, list):
        standing = judged_marks(answer) if isinstance(question, Spans) else answer
        return None if standing is None else float(len([entry for entry in standing if entry != exclusive]))
    return None


def chosen(question: Question, answer: Json, options: Mapping[str, Any]) -> float | None:
    """1 if the answer is, or holds, one of the options named in `only`, 0 if not."""
    if answer is None:
        return None
    labels = set(answer) if isinstance(answer, list | Mapping) else {answer}
    return float(bool(labels & set(options.get("only", ()))))


def prefilled_share(question: Question, answer: Json, options: Mapping[str, Any]) -> float | None:
    """The share of the spans offered to the judge that met one of the fates in `only`: kept, changed, removed."""
    counts = outcomes(answer)
    total = counts["kept"] + counts["changed"] + counts["removed"]
    return sum(counts[fate] for fate in options.get("only", ("kept",))) / total if total else None


def any_given(question: Question, answer: Json, options: Mapping[str, Any]) -> float | None:
    """1 if any label or span was given, 0 if none."""
    number = count(question, answer, options)
    return None if number is None else float(number > 0)


def weighted_spans(question: Question, answer: Json, options: Mapping[str, Any]) -> float | None:
    """The sum of the spans' weights. `weights` is a list of tables, first match wins: category (or its parent) and
    severity, each optional, and weight; a span no weight matches counts 0. What is said `per_words` is left to `rate`,
    since it is about whole texts."""
    marks = judged_marks(answer) if isinstance(answer, list) else None
    if marks is None:
        return None
    parents = {option.id: option.parent for option in question.choices}
    weights = options.get("weights", ())
    total = sum(span_weight(span, weights, parents) for span in marks)
    cap = options.get("cap")
    return min(total, float(cap)) if cap is not None else total


def span_weight(span: Mapping[str, Any], weights: Any, parents: Mapping[str, str | None]) -> float:
    """What one marked error costs; 0 where no weight matches."""
    category, severity = span.get("category"), span.get("severity")
    for rule in weights:
        required_category = rule.get("category")
        fits_category = (
            required_category is None
            or required_category == category
            or required_category == parents.get(category or "")
        )
        if fits_category and rule.get("severity") in (None, severity):
            return float(rule["weight"])
    return 0.0


RULES: Mapping[str, Rule] = {
    rule.__name__: rule for rule in (value, mean_of_each, count, chosen, any_given, weighted_spans, prefilled_share)
}


# Rules about the rows of a grid, for many items at once, since there may be a million: `values` holds the value of each
# row's option (rows × items), NaN where there is none, `changed` whether the option is not the preselected one.

Numbers = npt.NDArray[np.float64]
Truths = npt.NDArray[np.bool_]
Column = list[float | None]


def grid_sum(values: Numbers, changed: Truths) -> Numbers:
    """The sum of the rows' values, added in the order of the rows."""
    return np.where(np.isnan(values).all(axis=0), np.nan, np.nansum(values, axis=0))


def grid_count(values: Numbers, changed: Truths) -> Numbers:
    """How many rows are not the preselected option."""
    missing = np.isnan(values)
    return np.where(missing.all(axis=0), np.nan, (changed & ~missing).sum(axis=0))


def grid_mean(values: Numbers, changed: Truths) -> Numbers:
    """The mean value of the rows that are not the preselected option; NaN where all are."""
    number = grid_count(values, changed)
    return grid_sum(np.where(changed, values, np.nan), changed) / np.where(number > 0, number, np.nan)


GRID_RULES: Mapping[str, Callable[[Numbers, Truths], Numbers]] = {
    rule.__name__: rule for rule in (grid_sum, grid_count, grid_mean)
}


def scores(protocol: Protocol, answers: Mapping[str, Json]) -> dict[str, float | None]:
    """Every score the protocol defines for one item, from the answers about it; None where it is not defined."""
    columns = scores_of(protocol, {question: [answer] for question, answer in answers.items()}, 1)
    return {name: column[0] for name, column in columns.items()}


def scores_of(protocol: Protocol, answers: Mapping[str, Sequence[Json]], items: int) -> dict[str, Column]:
    """Each score of every item. `answers` holds, question by question, the answer to each item, None where there is
    none; a question that nobody answered may be missing from it."""
    questions = {question.id: question for _, question in protocol.questions}
    missing: Sequence[Json] = [None] * items
    cells: dict[str, tuple[Numbers, Truths]] = {}
    scores: dict[str, Column] = {}
    for score in protocol.scores:
        question, given = questions[score.question], answers.get(score.question, missing)
        if score.rule in RULES:
            rule = RULES[score.rule]
            column = [None if answer is None else rule(question, answer, score.options) for answer in given]
        elif isinstance(question, Grid):
            if question.id not in cells:
                cells[question.id] = _cells(question, given)
            group = score.options.get("group")
            rows = [at for at, row in enumerate(question.rows) if group is None or row.group == group]
            values, changed = cells[question.id]
            numbers = GRID_RULES[score.rule](values[rows], changed[rows])
            column = [None if math.isnan(number) else number for number in numbers.tolist()]
        else:
            column = [None] * items
        if (when := score.when) is not None:
            conditions = answers.get(when.question, missing)
            column = [
                number if holds(when, {when.question: condition}) else None
                for number, condition in zip(column, conditions, strict=True)
            ]
        scores[score.id] = column
    return scores


def _cells(question: Grid, answers: Sequence[Json]) -> tuple[Numbers, Truths]:
    """What the rules about grids are given."""
    places: dict[Any, int] = {option.id: place for place, option in enumerate(question.options)}
    worth = np.array([*(option.value for option in question.options), None], dtype=np.float64)
    grids = [answer if isinstance(answer, Mapping) else {} for answer in answers]
    cells = [[places.get(grid.get(row.id), -1) for grid in grids] for row in question.rows]  # -1: what no option is
    options = np.array(cells, dtype=np.int16)
    return worth[options], options != places.get(question.preselected, -1)


@dataclass(frozen=True, slots=True)
class Rate:
    """Points per so many words, and whether that passes; None where the score sets no threshold."""

    points: float
    per_words: int
    passed: bool | None


def rate(score: Score, total: float, words: int) -> Rate | None:
    """A total of penalty points over a text of so many words, as a scorecard says it; None where the score is not one
    per words or the text is empty. Points = total · per_words / words."""
    per_words = score.options.get("per_words")
    if not per_words or words <= 0:
        return None
    points = total * per_words / words
    threshold = score.options.get("pass_at_most")
    return Rate(points, int(per_words), None if threshold is None else points <= threshold)


def word_count(text: str, language: str = "") -> int:
    """Words of a text for a rate: what stands between spaces, or characters in scripts that write none."""
    words = text if languages.is_unspaced(language) else text.split()
    return sum(any(character.isalnum() for character in word) for word in words)


# What a protocol says about ranking systems: by which questions or scores, and which end of each is better.


RANKED = "ranking.systems"
"""What an analysis plan calls a ranking."""
ON_ITS_SCALE = ("value", "mean_of_each")
"""Rules whose scores are on the scale of their question."""
_RANKING_OPTIONS = ("direction", "per_words", "pass_at_most")


def ranking_plans(protocol: Protocol | None) -> list[Analysis]:
    """The rankings in a protocol's analysis plan."""
    return [entry for entry in protocol.analyses if entry.statistic == RANKED] if protocol else []


def ranking_options(protocol: Protocol | None, of: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a ranking, with those that the score itself states and whether less of it is better."""
    score = next((score for score in protocol.scores if score.id == of), None) if protocol else None
    own_options = {key: score.options[key] for key in _RANKING_OPTIONS if key in score.options} if score else {}
    entry = protocol.find(score.question if score and score.rule in ON_ITS_SCALE else of) if protocol else None
    if entry and isinstance(entry[1], Scale) and entry[1].direction != "higher_is_better":
        own_options.setdefault("direction", entry[1].direction)
    if (choices := {**own_options, **options}).get("direction") == "neutral":
        raise InputError(
            f"Neither end of {of} is better, so systems cannot be ranked by it.",
            next_step="Name another question, or say in the protocol which end is better: direction.",
        )
    return choices


# Scores of judgements, as judgements.

STAGE = "score"
_Item = tuple[str, str, str, str, tuple[str, ...]]


def derive(protocol: Protocol, judgements: Iterable[Judgement]) -> Iterator[Judgement]:
    """Scores (question = the score's id) and chosen rows (question = `chosen_rows(grid)`) as judgements."""
    all_judgements = list(judgements)
    carriers, numbers = score_items(protocol, all_judgements)
    for place, carrier in enumerate(carriers):
        for name, column in numbers.items():
            if column[place] is not None:
                yield make_score(all_judgements[carrier], name, column[place])
    for place, name, rows in preselected_rows(protocol, all_judgements):
        yield make_score(all_judgements[place], name, rows)


def repeated_question(protocol: Protocol, name: str) -> str:
    """The question whose numbers a score repeats (rule `value`); anything else as it is."""
    repeats = (one.question for one in protocol.scores if one.id == name and one.rule == "value" and not one.when)
    return next(repeats, name)


def chosen_rows(question: Question) -> str | None:
    """The name under which the chosen rows of a grid are found; None where nothing is preselected."""
    return f"{question.id}_chosen" if isinstance(question, Grid) and question.preselected else None


def score_items(protocol: Protocol, judgements: Sequence[Judgement]) -> tuple[list[int], dict[str, list[float | None]]]:
    """Score every item. The first list holds for each item the place of a judgement that is about it, the columns its
    scores in the same order, None where a score is not defined. Answers about the source of a unit (the context level,
    the chosen skills) count for every output of it."""
    if not protocol.scores:
        return [], {}
    items: dict[_Item, int] = {}
    carriers: list[int] = []
    answers: dict[str, dict[int, Json]] = {}
    for place, judgement in enumerate(judgements):
        systems = judgement.systems
        key = (judgement.judge, judgement.document, judgement.segment, str(judgement.role), systems)
        item = items.setdefault(key, len(carriers))
        if item == len(carriers):
            carriers.append(place)
        elif systems:
            carriers[item] = place
        answers.setdefault(judgement.question, {})[item] = judgement.value
    sources = {key[:4]: item for key, item in items.items() if not key[4]}
    with_outputs = {key[:4] for key in items if key[4]} if sources else set()
    scored_items = [
        (item, sources.get(key[:4])) for key, item in items.items() if key[4] or key[:4] not in with_outputs
    ]
    columns = {question: _of_items(scored_items, by_item) for question, by_item in answers.items()}
    return [carriers[item] for item, _ in scored_items], scores_of(protocol, columns, len(scored_items))


def _of_items(items: Sequence[tuple[int, int | None]], answers: Mapping[int, Json]) -> list[Json]:
    """The answer to each item, else the one about its source, else None."""
    return [
        answers[item] if item in answers else answers.get(source) if source is not None else None
        for item, source in items
    ]


def make_score(carrier: Judgement, name: str, value: Json) -> Judgement:
    """A score of the same item, judge and time. Spelt out, since `replace` takes four times as long."""
    return Judgement(
        carrier.judge,
        STAGE,
        name,
        carrier.document,
        carrier.segment,
        carrier.systems,
        value,
        carrier.role,
        carrier.submission,
        (),
        carrier.elapsed_seconds,
        carrier.active_seconds,
        carrier.answered_at,
        carrier.received_at,
        carrier.task,
        carrier.origin,
    )


def preselected_rows(protocol: Protocol, judgements: Sequence[Judgement]) -> Iterator[tuple[int, str, list[str]]]:
    """The place of every answered grid, the name of `chosen_rows`, and the rows that were chosen."""
    grids = {
        question.id: (name, question.preselected)
        for _, question in protocol.questions
        if isinstance(question, Grid) and (name := chosen_rows(question))
    }
    for place, judgement in enumerate(judgements) if grids else ():
        grid = grids.get(judgement.question)
        if grid and isinstance(judgement.value, dict):
            name, default_option = grid
            yield place, name, [row for row, option in judgement.value.items() if option != default_option]

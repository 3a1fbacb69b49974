"""What a protocol makes of answers, in the same form as the answers, so that any statistic can read it: scores, and
the set of rows of a grid that were not left at the preselected option."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from lanner.errors import InputError
from lanner.model import Analysis, Choice, Grid, Json, Judgement, Protocol, Question, Scale, Score, Spans
from lanner.protocols.answers import holds
from lanner.protocols.prefilled import judged_marks, outcomes

# The few named rules from an answer to a number. A protocol file names them; nothing else computes scores.
#
# Each rule takes the question, its stored value and the options given in the file, and returns None where the answer
# does not define a score (missing, nothing chosen), never a guess.

# The few named rules from an answer to a number. A protocol file names them; nothing else computes scores.
#
# Each rule takes the question, its stored value and the options given in the file, and returns None where the answer
# does not define a score (missing, nothing chosen), never a guess.


# ruff: noqa: ARG001 - every rule has the same three arguments, whether it needs them or not


_UNSPACED = {"zh", "ja", "th", "lo", "km", "my"}
_LOOKED_UP = " looked up"  # no option of a file can be called so
Rule = Callable[[Question, Json, Mapping[str, Any]], float | None]


def value(question: Question, answer: Json, options: Mapping[str, Any]) -> float | None:
    """The number given, or the value of the option chosen."""
    if isinstance(question, Choice):
        return next((option.value for option in question.options if option.id == answer), None)
    return float(answer) if isinstance(answer, int | float) and not isinstance(answer, bool) else None


def _grid_values(question: Question, answer: Json, options: Mapping[str, Any]) -> dict[str, float] | None:
    if not isinstance(question, Grid) or not isinstance(answer, Mapping):
        return None
    values, rows = options.get(_LOOKED_UP) or _looked_up(question, options)
    return {row: values[answer[row]] for row in rows if answer.get(row) in values}


def _looked_up(question: Grid, options: Mapping[str, Any]) -> tuple[dict[str, float], list[str]]:
    """The options' values and the rows that count: the same for every answer to the question."""
    group = options.get("group")
    values = {option.id: option.value for option in question.options if option.value is not None}
    return values, [row.id for row in question.rows if group is None or row.group == group]


def grid_sum(question: Question, answer: Json, options: Mapping[str, Any]) -> float | None:
    """The sum of the rows' values, optionally of one group of rows."""
    if not isinstance(question, Grid) or not isinstance(answer, Mapping):
        return None
    values, rows = options.get(_LOOKED_UP) or _looked_up(question, options)
    values_of_rows = [number for row in rows if (number := values.get(answer.get(row, ""))) is not None]
    return sum(values_of_rows) if values_of_rows else None


def grid_count(question: Question, answer: Json, options: Mapping[str, Any]) -> float | None:
    """How many rows are not the preselected option."""
    values = _grid_values(question, answer, options)
    if not values or not isinstance(question, Grid):
        return None
    return float(sum(answer[row] != question.preselected for row in values))


def grid_mean(question: Question, answer: Json, options: Mapping[str, Any]) -> float | None:
    """The mean value of the rows that are not the preselected option; None where all are."""
    values = _grid_values(question, answer, options)
    if not values or not isinstance(question, Grid):
        return None
    numbers = [number for row, number in values.items() if answer[row] != question.preselected]
    return sum(numbers) / len(numbers) if numbers else None


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
    rule.__name__: rule
    for rule in (
        value,
        grid_sum,
        grid_count,
        grid_mean,
        mean_of_each,
        count,
        chosen,
        any_given,
        weighted_spans,
        prefilled_share,
    )
}


def scores(protocol: Protocol, answers: Mapping[str, Json]) -> dict[str, float | None]:
    """Every score the protocol defines for one item, from the answers about it; None where it is not defined."""
    return scorer(protocol)(answers)


def scorer(protocol: Protocol, only: str = "") -> Callable[[Mapping[str, Json]], dict[str, float | None]]:
    """`scores` of one protocol for many items, or one score of it: what does not depend on the answers is looked up
    once."""
    questions = {question.id: question for _, question in protocol.questions}
    plan = [
        (
            score.id,
            RULES[score.rule],
            questions[score.question],
            score.question,
            _prepare(questions, score),
            score.when,
        )
        for score in protocol.scores
        if not only or score.id == only
    ]

    def scores_of(answers: Mapping[str, Json]) -> dict[str, float | None]:
        return {
            name: rule(question, answers.get(question_id), options) if when is None or holds(when, answers) else None
            for name, rule, question, question_id, options, when in plan
        }

    return scores_of


def _prepare(questions: Mapping[str, Question], score: Score) -> Mapping[str, Any]:
    question = questions[score.question]
    if not isinstance(question, Grid):
        return score.options
    return {**score.options, _LOOKED_UP: _looked_up(question, score.options)}


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
    if language.partition("-")[0] in _UNSPACED:
        return sum(character.isalnum() for character in text)
    return sum(any(character.isalnum() for character in word) for word in text.split())


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


# The scores of many items at once, a question at a time. The rules are those of `scoring`; what is most often asked of
# a million answers (numbers given, sums and counts over the rows of a grid) is added up in columns.


Numbers = npt.NDArray[np.float64]
Column = list[float | None]


def scores_of(protocol: Protocol, answers: Mapping[str, Sequence[Json]], items: int) -> dict[str, Column]:
    """Each score of every item. `answers` holds, question by question, the answer to each item, None where there is
    none; a question that nobody answered may be missing from it."""
    questions = {question.id: question for _, question in protocol.questions}
    missing: Sequence[Json] = [None] * items
    grids: dict[str, _Cells] = {}
    scores: dict[str, Column] = {}
    for score in protocol.scores:
        question, column = questions[score.question], answers.get(score.question, missing)
        if score.when is not None:
            scores[score.id] = _one_by_one(protocol, score, answers, items)
        elif isinstance(question, Grid) and score.rule in _GRID_RULES:
            if question.id not in grids:
                grids[question.id] = _Cells(question, column)
            scores[score.id] = _GRID_RULES[score.rule](grids[question.id], score.options)
        else:
            scores[score.id] = _by_rule(question, column, score)
    return scores


def _by_rule(question: Question, column: Sequence[Json], score: Score) -> Column:
    rule, options = RULES[score.rule], score.options
    return [None if answer is None else rule(question, answer, options) for answer in column]


def _one_by_one(protocol: Protocol, score: Score, answers: Mapping[str, Sequence[Json]], items: int) -> Column:
    """A score that depends on other answers, item by item."""
    only = scorer(protocol, only=score.id)
    names = list(answers)
    columns = zip(*answers.values(), strict=True) if names else [()] * items
    return [
        only({name: value for name, value in zip(names, values, strict=True) if value is not None})[score.id]
        for values in columns
    ]


class _Cells:
    """The cells of a grid over all items: the value of each row's option, NaN where there is none."""

    def __init__(self, question: Grid, column: Sequence[Json]) -> None:
        places: dict[Any, int] = {option.id: place for place, option in enumerate(question.options)}
        worth = np.array([*(option.value for option in question.options), None], dtype=np.float64)
        default_place = places.get(question.preselected, -2)  # −1 is what no option stands for
        answers = [answer if isinstance(answer, Mapping) else {} for answer in column]
        self.rows = question.rows
        self.values: dict[str, Numbers] = {}
        self.counted: dict[str, npt.NDArray[np.bool_]] = {}
        for row in question.rows:
            cells = (places.get(answer.get(row.id), -1) for answer in answers)
            options = np.fromiter(cells, dtype=np.int16, count=len(answers))
            self.values[row.id] = worth[options]
            self.counted[row.id] = ~np.isnan(worth[options]) & (options != default_place)

    def of(self, options: Mapping[str, Any]) -> list[str]:
        group = options.get("group")
        return [row.id for row in self.rows if group is None or row.group == group]


def _grid_sum(cells: _Cells, options: Mapping[str, Any]) -> Column:
    rows = [cells.values[row] for row in cells.of(options)]
    total, count = _add_rows(rows)
    return _column(total, count, np.full_like(total, 1.0))


def _grid_count(cells: _Cells, options: Mapping[str, Any]) -> Column:
    names = cells.of(options)
    _, count = _add_rows([cells.values[row] for row in names])
    total = sum((cells.counted[row].astype(float) for row in names), start=np.zeros(len(count)))
    return _column(total, count, np.full_like(total, 1.0))


def _grid_mean(cells: _Cells, options: Mapping[str, Any]) -> Column:
    names = cells.of(options)
    total, count = _add_rows([np.where(cells.counted[row], cells.values[row], np.nan) for row in names])
    return _column(total, count, count)


def _add_rows(rows: Sequence[Numbers]) -> tuple[Numbers, Numbers]:
    """Sums over the rows, added in their order, and how many of them hold a number."""
    first = np.zeros(len(rows[0]) if rows else 0)
    total, count = first.copy(), first
    for row in rows:
        has_number = ~np.isnan(row)
        total = total + np.where(has_number, row, 0.0)
        count = count + has_number
    return total, count


def _column(total: Numbers, count: Numbers, divisor: Numbers) -> Column:
    """Totals over a divisor; None where nothing was given."""
    column: Column = (total / np.where(divisor > 0, divisor, 1.0)).tolist()
    for at in np.flatnonzero(count == 0).tolist():
        column[at] = None
    return column


_GRID_RULES: Mapping[str, Callable[[_Cells, Mapping[str, Any]], Column]] = {
    "grid_sum": _grid_sum,
    "grid_count": _grid_count,
    "grid_mean": _grid_mean,
}


STAGE = "score"
_Item = tuple[str, str, str, str, tuple[str, ...]]


def derived(protocol: Protocol, judgements: Iterable[Judgement]) -> Iterator[Judgement]:
    """Scores (question = the score's id) and chosen rows (question = `chosen_rows(grid)`) as judgements."""
    all_judgements = list(judgements)
    carriers, numbers = scored(protocol, all_judgements)
    for place, carrier in enumerate(carriers):
        for name, column in numbers.items():
            if column[place] is not None:
                yield scored_as(all_judgements[carrier], name, column[place])
    for place, name, rows in preselected_rows(protocol, all_judgements):
        yield scored_as(all_judgements[place], name, rows)


def chosen_rows(question: Question) -> str | None:
    """The name under which the chosen rows of a grid are found; None where nothing is preselected."""
    return f"{question.id}_chosen" if isinstance(question, Grid) and question.preselected else None


def scored(protocol: Protocol, judgements: Sequence[Judgement]) -> tuple[list[int], dict[str, list[float | None]]]:
    """The place of one judgement for every item that has scores, and each score's numbers in their order; None where
    it is not defined. Answers about the source of a unit (the context level, the chosen skills) count for every output
    of it."""
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


def scored_as(carrier: Judgement, name: str, value: Json) -> Judgement:
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

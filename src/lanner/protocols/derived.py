"""What a protocol makes of answers, in the same form as the answers, so that any statistic can read it: scores, and
the set of rows of a grid that were not left at the preselected option."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from lanner.model import Grid, Json, Judgement, Protocol, Question, Score
from lanner.protocols.scoring import RULES, scorer

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
        preselected = places.get(question.preselected, -2)  # −1 is what no option stands for
        answers = [answer if isinstance(answer, Mapping) else {} for answer in column]
        self.rows = question.rows
        self.values: dict[str, Numbers] = {}
        self.counted: dict[str, npt.NDArray[np.bool_]] = {}
        for row in question.rows:
            cells = (places.get(answer.get(row.id), -1) for answer in answers)
            options = np.fromiter(cells, dtype=np.int16, count=len(answers))
            self.values[row.id] = worth[options]
            self.counted[row.id] = ~np.isnan(worth[options]) & (options != preselected)

    def of(self, options: Mapping[str, Any]) -> list[str]:
        group = options.get("group")
        return [row.id for row in self.rows if group is None or row.group == group]


def _grid_sum(cells: _Cells, options: Mapping[str, Any]) -> Column:
    rows = [cells.values[row] for row in cells.of(options)]
    total, count = _added(rows)
    return _column(total, count, np.full_like(total, 1.0))


def _grid_count(cells: _Cells, options: Mapping[str, Any]) -> Column:
    names = cells.of(options)
    _, count = _added([cells.values[row] for row in names])
    total = sum((cells.counted[row].astype(float) for row in names), start=np.zeros(len(count)))
    return _column(total, count, np.full_like(total, 1.0))


def _grid_mean(cells: _Cells, options: Mapping[str, Any]) -> Column:
    names = cells.of(options)
    total, count = _added([np.where(cells.counted[row], cells.values[row], np.nan) for row in names])
    return _column(total, count, count)


def _added(rows: Sequence[Numbers]) -> tuple[Numbers, Numbers]:
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
    for place, name, rows in chosen(protocol, all_judgements):
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


def chosen(protocol: Protocol, judgements: Sequence[Judgement]) -> Iterator[tuple[int, str, list[str]]]:
    """The place of every answered grid, the name of `chosen_rows`, and the rows that were chosen."""
    grids = {
        question.id: (name, question.preselected)
        for _, question in protocol.questions
        if isinstance(question, Grid) and (name := chosen_rows(question))
    }
    for place, judgement in enumerate(judgements) if grids else ():
        grid = grids.get(judgement.question)
        if grid and isinstance(judgement.value, dict):
            name, preselected = grid
            yield place, name, [row for row, option in judgement.value.items() if option != preselected]

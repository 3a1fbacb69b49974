"""What a protocol makes of answers, in the same form as the answers, so that any statistic can read it: scores, and
the set of rows of a grid that were not left at the preselected option."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from lanner.model import Grid, Json, Judgement, Protocol, Question
from lanner.protocols.column_scores import scores_of

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

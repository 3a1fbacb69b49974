"""What a protocol makes of answers, in the same form as the answers, so that any statistic can read it: scores, and
the set of rows of a grid that were not left at the preselected option."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from lanner.model import Grid, Json, Judgement, Protocol, Question
from lanner.protocols.scoring import scorer

STAGE = "score"
_Unit = tuple[str, str, str, str]


def derived(protocol: Protocol, judgements: Iterable[Judgement]) -> Iterator[Judgement]:
    """Scores (question = the score's id) and chosen rows (question = `chosen_rows(grid)`) as judgements."""
    given = list(judgements)
    carriers, numbers = scored(protocol, given)
    for place, carrier in enumerate(carriers):
        for name, column in numbers.items():
            if column[place] is not None:
                yield scored_as(carrier, name, column[place])
    yield from chosen(protocol, given)


def chosen_rows(question: Question) -> str | None:
    """The name under which the chosen rows of a grid are found; None where nothing is preselected."""
    return f"{question.id}_chosen" if isinstance(question, Grid) and question.preselected else None


def scored(
    protocol: Protocol, judgements: Iterable[Judgement]
) -> tuple[list[Judgement], dict[str, list[float | None]]]:
    """One judgement for every item that has scores, and each score's numbers in their order; None where it is not
    defined. Answers about the source of a unit (the context level, the chosen skills) count for every output of it."""
    if not protocol.scores:
        return [], {}
    about_source: dict[_Unit, dict[str, Json]] = {}
    about_output: dict[tuple[_Unit, tuple[str, ...]], dict[str, Json]] = {}
    carriers: dict[tuple[_Unit, tuple[str, ...]], Judgement] = {}
    for judgement in judgements:
        unit = (judgement.judge, judgement.document, judgement.segment, judgement.role.value)
        if judgement.systems:
            about_output.setdefault((unit, judgement.systems), {})[judgement.question] = judgement.value
            carriers[unit, judgement.systems] = judgement
        else:
            about_source.setdefault(unit, {})[judgement.question] = judgement.value
            carriers.setdefault((unit, ()), judgement)
    scores = scorer(protocol)
    with_outputs = {unit for unit, _ in about_output}
    items: list[Judgement] = []
    numbers: dict[str, list[float | None]] = {score.id: [] for score in protocol.scores}
    for (unit, systems), carrier in carriers.items():
        if not systems and unit in with_outputs:
            continue  # its outputs carry the scores
        answers = {**about_source.get(unit, {}), **about_output.get((unit, systems), {})}
        items.append(carrier)
        for name, number in scores(answers).items():
            numbers[name].append(number)
    return items, numbers


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


def chosen(protocol: Protocol, judgements: Sequence[Judgement]) -> Iterator[Judgement]:
    """The chosen rows of every answered grid, under the name of `chosen_rows`."""
    grids = {
        question.id: (name, question.preselected)
        for _, question in protocol.questions
        if isinstance(question, Grid) and (name := chosen_rows(question))
    }
    for judgement in judgements if grids else ():
        grid = grids.get(judgement.question)
        if grid and isinstance(judgement.value, dict):
            name, preselected = grid
            rows = [row for row, option in judgement.value.items() if option != preselected]
            yield scored_as(judgement, name, rows)

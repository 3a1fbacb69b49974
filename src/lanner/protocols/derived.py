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
    yield from _scores(protocol, given)
    yield from _chosen(protocol, given)


def chosen_rows(question: Question) -> str | None:
    """The name under which the chosen rows of a grid are found; None where nothing is preselected."""
    return f"{question.id}_chosen" if isinstance(question, Grid) and question.preselected else None


def _scores(protocol: Protocol, judgements: Sequence[Judgement]) -> Iterator[Judgement]:
    """One judgement per score and item. Answers about the source of a unit (the context level, the chosen skills)
    count for every output of it. A score that is not defined is left out."""
    if not protocol.scores:
        return
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
    for (unit, systems), carrier in carriers.items():
        if not systems and unit in with_outputs:
            continue  # its outputs carry the scores
        answers = {**about_source.get(unit, {}), **about_output.get((unit, systems), {})}
        for name, number in scores(answers).items():
            if number is not None:
                yield _made(carrier, name, number)


def _made(carrier: Judgement, name: str, value: Json) -> Judgement:
    """Of the same item, judge and time. Spelt out, since `replace` takes four times as long and there are millions."""
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


def _chosen(protocol: Protocol, judgements: Sequence[Judgement]) -> Iterator[Judgement]:
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
            yield _made(judgement, name, rows)

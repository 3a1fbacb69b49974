"""Which questions of a page apply, given the answers so far, and which of those still lack one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from lanner.model import Condition, Json, Labels, Protocol, Question, Stage
from lanner.protocols.kinds import kind_of


def holds(condition: Condition | None, answers: Mapping[str, Json]) -> bool:
    """Whether an earlier answer meets the condition. An answer not given meets none; no condition always holds."""
    if condition is None:
        return True
    value = answers.get(condition.question)
    if value is None:
        return False
    values = {str(entry) for entry in value} if isinstance(value, list | dict) else {str(value)}
    if condition.is_ and not values & set(condition.is_):
        return False
    if condition.is_not and values & set(condition.is_not):
        return False
    if condition.at_least is not None or condition.at_most is not None:
        if isinstance(value, bool) or not isinstance(value, int | float):
            return False
        low = condition.at_least if condition.at_least is not None else float("-inf")
        high = condition.at_most if condition.at_most is not None else float("inf")
        return low <= value <= high
    return True


def applicable(protocol: Protocol, page: str, answers: Mapping[str, Json]) -> Iterator[tuple[Stage, Question]]:
    """The questions of a page that are asked, in order. `answers` are this judge's about the same unit, from this
    page and from the ones before it."""
    for stage in protocol.pages[page]:
        if not holds(stage.when, answers):
            continue
        for question in stage.questions:
            if holds(question.when, answers) and (not question.for_each or chosen_labels(protocol, question, answers)):
                yield stage, question


def answer_page(
    protocol: Protocol, page: str, earlier: Mapping[str, Json], answer: Callable[[Question, Sequence[str]], Json]
) -> dict[str, Json]:
    """Answers to every question of a page that applies, one after another: what applies depends on those before, and
    on those of `earlier` pages about the same unit. `answer` gets a question and the labels it is asked for."""
    known, answers = dict(earlier), dict[str, Json]()
    while pending := [question for _, question in applicable(protocol, page, known) if question.id not in answers]:
        question = pending[0]
        answers[question.id] = known[question.id] = answer(question, chosen_labels(protocol, question, known))
    return answers


def chosen_labels(protocol: Protocol, question: Question, answers: Mapping[str, Json]) -> Sequence[str]:
    """The labels that a `for_each` question is repeated for; an exclusive label ("none") asks for nothing."""
    if not question.for_each:
        return ()
    value = answers.get(question.for_each)
    if not isinstance(value, list | dict):
        return ()
    match = protocol.find(question.for_each)
    exclusive = match[1].exclusive if match and isinstance(match[1], Labels) else None
    return [label for label in value if label != exclusive]


def missing(protocol: Protocol, page: str, answers: Mapping[str, Json]) -> list[str]:
    """Ids of the required questions that apply and have no answer yet, and of those with marks to look at."""
    return [
        question.id
        for _, question in applicable(protocol, page, answers)
        if (question.required and answers.get(question.id) is None)
        or kind_of(question).is_unreviewed(question, answers.get(question.id))
    ]

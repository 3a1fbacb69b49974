"""Examples for a model: items with the answer that people agreed on, shown before the question.

An adjudicated answer is an example wherever it stands; answers of people are where they calibrate. An item of a
document is never an example for the same document, nor for one that has the same sentence.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from lanner import campaign
from lanner.campaign.questions import fits, systems_of
from lanner.errors import LannerError
from lanner.judges.prompt import Prompter
from lanner.model import Document, Item, Json, JudgeKind, Role, Stage
from lanner.protocols.answers import combine
from lanner.store import Store


@dataclass(frozen=True, slots=True)
class Example:
    """An item, what people answered, and the document it is from."""

    document: Document
    item: Item
    answers: Mapping[str, Json]


def agreed(store: Store, reference: str | int) -> list[Example]:
    """Adjudicated items, and calibration items that people have answered, in the order of the texts. Where a question
    was adjudicated, that answer stands for all others."""
    target = campaign.get(store, reference)
    protocol = campaign.protocol(store, target.id)
    kinds = {judge.id: judge.kind for judge in campaign.judges(store, target.id)}
    left_out = campaign.left_out(store, target.id)
    calibration = set(target.settings.get("calibration") or ())
    documents = {document.id: document for document in campaign.documents(store, target.id)}
    votes: dict[tuple[str, str, tuple[str, ...]], dict[str, list[Json]]] = defaultdict(lambda: defaultdict(list))
    final: dict[tuple[str, str, tuple[str, ...]], dict[str, list[Json]]] = defaultdict(lambda: defaultdict(list))
    for entry in campaign.judgements(store, target.id):
        if entry.value is None or entry.document not in documents or entry.judge in left_out:
            continue
        key = (entry.document, entry.segment, tuple(entry.systems))
        kind = kinds.get(entry.judge)
        calibrates = entry.role is Role.CALIBRATION or (entry.role is Role.MAIN and entry.document in calibration)
        if kind is JudgeKind.ADJUDICATED:
            final[key][entry.question].append(entry.value)
        elif kind is JudgeKind.PERSON and calibrates:
            votes[key][entry.question].append(entry.value)
    for key, values_by_question in final.items():
        votes[key] |= values_by_question
    questions = {question.id: question for _, question in protocol.questions}
    units: dict[tuple[str, str], dict[str, Json]] = defaultdict(dict)
    answers_by_item = {
        key: {name: combine(questions[name], values) for name, values in values_by_question.items()}
        for key, values_by_question in votes.items()
    }
    for (document, segment, systems), answers in answers_by_item.items():
        if not systems:
            units[document, segment] |= answers
    return [
        Example(documents[document], Item(document, segment, systems), {**units[document, segment], **answers})
        for (document, segment, systems), answers in answers_by_item.items()
    ]


def demanded(examples: Sequence[Example], number: int) -> None:
    """Refuse to go on without examples where they were asked for: the model would be another judge than was meant."""
    if number and not examples:
        raise LannerError(
            "There are no examples to show: no item was adjudicated, and no person answered a calibration item.",
            next_step="Let people judge a calibration round first, or leave out --few-shot.",
        )


class Lesson:
    """The examples of one run, as messages for each call."""

    def __init__(self, examples: Sequence[Example], prompter: Prompter, number: int) -> None:
        self._examples = examples if number else ()
        self._prompter = prompter
        self._number = number
        self._turns: dict[tuple[str, ...], list[tuple[Example, tuple[Mapping[str, str], ...]]]] = {}
        if number and prompter.settings.template.rationale:
            raise LannerError(
                "Examples have no reasons, so they would teach the model to leave them out.",
                next_step="Leave out --few-shot, or the reasons before the scores.",
            )

    def messages(self, stages: Sequence[Stage], document: Document) -> tuple[Mapping[str, str], ...]:
        """Question and answer of so many examples from other documents."""
        if not self._examples:
            return ()
        key = tuple(stage.id for stage in stages)
        if key not in self._turns:
            pairs = [(example, self._question_and_reply(stages, example)) for example in self._examples]
            self._turns[key] = [(example, turns) for example, turns in pairs if turns]
        others = [turns for example, turns in self._turns[key] if not _leaks(example, document)]
        return tuple(turn for turns in others[: self._number] for turn in turns)

    def _question_and_reply(self, stages: Sequence[Stage], example: Example) -> tuple[Mapping[str, str], ...]:
        if not all(fits(stage, example.item) for stage in stages):
            return ()
        questions = [question for stage in stages for question in stage.questions]
        if any(question.required and example.answers.get(question.id) is None for question in questions):
            return ()
        item = replace(example.item, systems=systems_of(stages[0], example.item))
        prompt = self._prompter.prompt(stages, example.document, item, answers=example.answers)
        answer = {question.id: example.answers.get(question.id) for question in questions}
        reply = json.dumps(answer, ensure_ascii=False)
        return ({"role": "user", "content": prompt.user}, {"role": "assistant", "content": reply})


def _leaks(example: Example, document: Document) -> bool:
    """Whether an example would tell the answer: it is from this document, or its sentence stands in it as well."""
    if example.document.id == document.id:
        return True
    segment = example.document.segment(example.item.segment) if example.item.segment else None
    return segment is not None and any(other.source == segment.source for other in document.segments)

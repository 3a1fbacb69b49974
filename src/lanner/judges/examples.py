"""Examples for a model: calibration items with the answer that people agreed on, shown before the question.

An item of a document is never an example for the same document.
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
from lanner.protocols.combination import combine
from lanner.store import Store

_TEACHERS = (JudgeKind.PERSON, JudgeKind.ADJUDICATED)


@dataclass(frozen=True, slots=True)
class Example:
    """An item, what people answered, and the document it is from."""

    document: Document
    item: Item
    answers: Mapping[str, Json]


def agreed(store: Store, reference: str | int) -> list[Example]:
    """The calibration items of a campaign that people have answered, in the order of the texts."""
    found = campaign.get(store, reference)
    protocol = campaign.protocol(store, found.id)
    teachers = {judge.id for judge in campaign.judges(store, found.id) if judge.kind in _TEACHERS}
    shared = set(found.settings.get("calibration") or ())
    documents = {document.id: document for document in campaign.documents(store, found.id)}
    votes: dict[tuple[str, str, tuple[str, ...]], dict[str, list[Json]]] = defaultdict(lambda: defaultdict(list))
    for entry in campaign.judgements(store, found.id):
        calibrates = entry.role is Role.CALIBRATION or (entry.role is Role.MAIN and entry.document in shared)
        if entry.judge in teachers and calibrates and entry.value is not None and entry.document in documents:
            votes[entry.document, entry.segment, tuple(entry.systems)][entry.question].append(entry.value)
    questions = {question.id: question for _, question in protocol.questions}
    units: dict[tuple[str, str], dict[str, Json]] = defaultdict(dict)
    combined = {
        key: {name: combine(questions[name], values) for name, values in given.items()} for key, given in votes.items()
    }
    for (document, segment, systems), answers in combined.items():
        if not systems:
            units[document, segment] |= answers
    return [
        Example(documents[document], Item(document, segment, systems), {**units[document, segment], **answers})
        for (document, segment, systems), answers in combined.items()
    ]


def demanded(examples: Sequence[Example], number: int) -> None:
    """Refuse to go on without examples where they were asked for: the model would be another judge than was meant."""
    if number and not examples:
        raise LannerError(
            "There are no examples to show: no person has answered a calibration item here.",
            next_step="Let people judge a calibration round first, or leave out --few-shot.",
        )


class Lesson:
    """The examples of one run, as messages for each call."""

    def __init__(self, examples: Sequence[Example], prompter: Prompter, number: int) -> None:
        self._examples = examples if number else ()
        self._prompter = prompter
        self._number = number
        self._made: dict[tuple[str, ...], list[tuple[str, tuple[Mapping[str, str], ...]]]] = {}

    def messages(self, stages: Sequence[Stage], document: str) -> tuple[Mapping[str, str], ...]:
        """Question and answer of so many examples from other documents."""
        if not self._examples:
            return ()
        key = tuple(stage.id for stage in stages)
        if key not in self._made:
            self._made[key] = [made for example in self._examples if (made := self._turns(stages, example))]
        others = [turns for where, turns in self._made[key] if where != document]
        return tuple(turn for turns in others[: self._number] for turn in turns)

    def _turns(self, stages: Sequence[Stage], example: Example) -> tuple[str, tuple[Mapping[str, str], ...]] | None:
        if not all(fits(stage, example.item) for stage in stages):
            return None
        asked = [question for stage in stages for question in stage.questions]
        if any(question.required and example.answers.get(question.id) is None for question in asked):
            return None
        item = replace(example.item, systems=systems_of(stages[0], example.item))
        made = self._prompter.prompt(stages, example.document, item, answers=example.answers)
        answer = {question.id: example.answers.get(question.id) for question in asked}
        said = json.dumps(answer, ensure_ascii=False)
        return example.document.id, ({"role": "user", "content": made.user}, {"role": "assistant", "content": said})

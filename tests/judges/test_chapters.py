"""Documents at once: whole groups, answers by place, verdicts sentence by sentence."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from lanner import protocols
from lanner.judges import chapters
from lanner.judges.asking import MISSING, PARTIAL, VALID
from lanner.judges.replies import Asked
from lanner.model import Item, Task
from lanner.protocols.schema import stage_schema
from lanner.store import Assigned


@dataclass
class Loaded:
    assigned: Assigned
    waiting: frozenset[int] = frozenset()


def loaded(number: int, *items: Item) -> Loaded:
    return Loaded(Assigned(Task(number, "m", "page", items), 1, 1, tuple(range(len(items)))))


def test_a_group_is_whole_if_one_of_its_sentences_is_asked_about() -> None:
    oak = [Item("d", str(n), ("oak",)) for n in range(3)]
    ash = [Item("d", str(n), ("ash",)) for n in range(2)]
    one, other = loaded(1, *oak, *ash), loaded(2, *oak)
    assert chapters.touched([one, other], [(one, 1)]) == [(one, [0, 1, 2])]
    assert chapters.touched([one, other], [(one, 4), (other, 0)]) == [(one, [3, 4]), (other, [0, 1, 2])]


def test_answers_go_by_number_in_the_call() -> None:
    assert chapters.by_place([4, 7], {"2": {"score": 1}}) == {7: {"score": 1}}
    assert chapters.by_place([4, 7], None) == {}


def test_what_was_right_once_stays_right() -> None:
    protocol = protocols.load("da")
    stages = list(next(iter(protocol.pages.values())))
    asked = [Asked(protocol, stages, None, {}) for _ in range(2)]
    schemas = dict.fromkeys(("1", "2"), stage_schema(stages))
    blank = {question.id: None for stage in stages for question in stage.questions}
    good: dict[str, Any] = {}

    def say(value: object) -> tuple[str, str, str]:
        found, outcome = chapters.verdict(value if isinstance(value, str) else json.dumps(value), asked, schemas, good)
        return outcome, found.step, found.problem

    assert say("no JSON")[:2] == (MISSING, "json")
    assert say([1])[:2] == (MISSING, "schema")
    outcome, step, problem = say({"1": {**blank, "score": 50}})
    assert (outcome, step) == (PARTIAL, "schema") and "Sentence 2 has no answer" in problem
    assert say({"2": {**blank, "score": 70}}) == (VALID, "", "")
    assert good == {"1": {"score": 50}, "2": {"score": 70}}

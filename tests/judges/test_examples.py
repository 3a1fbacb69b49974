"""Examples come from what people agreed on in the calibration round, never from the document that is judged."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from lanner import campaign, protocols
from lanner.campaign import Saved, Submission
from lanner.errors import LannerError
from lanner.judges import template as templates
from lanner.judges.examples import Lesson, agreed
from lanner.judges.prompt import Prompter, Settings
from lanner.model import Judge, JudgeKind, Judgement
from lanner.store import Store
from model_campaign import corpus, judge, opened
from stub_server import Stub


def calibrated(store: Store, scores: tuple[int, ...] = (40, 60, 60)) -> int:
    """People have scored every sentence of the shared document."""
    people = [Judge(f"p{n}") for n in range(len(scores))]
    number = opened(store, "da", corpus(2, 2), judges=people, settings={"calibration": ["d0"]})
    for person, score in zip(people, scores, strict=True):
        for task in campaign.tasks(store, number, person.id):
            given = [
                Submission(task.id, place, {"score": score}, f"{person.id}-{item.document}-{item.segment}")
                for place, item in enumerate(task.items)
            ]
            assert all(isinstance(saved, Saved) for saved in campaign.submit_many(store, given))
    return number


def test_people_are_combined_into_one_answer(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.db") as store:
        found = agreed(store, calibrated(store))
        assert {(e.document.id, e.item.segment): e.answers["score"] for e in found} == {
            ("d0", "0"): 60, ("d0", "1"): 60,
        }  # fmt: skip


def test_an_example_is_never_from_the_document_that_is_judged(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.db") as store:
        found = agreed(store, calibrated(store))
    protocol = protocols.load("da")
    prompter = Prompter(protocol, Settings(comments=False))
    lesson = Lesson(found, prompter, 1)
    stages = prompter.asked(protocol.stages)
    assert lesson.messages(stages, corpus(2, 2)[0]) == ()
    question, answer = lesson.messages(stages, corpus(2, 2)[1])
    assert "ferry 0.0" in question["content"]
    assert json.loads(answer["content"]) == {"score": 60}
    assert Lesson(found, prompter, 0).messages(stages, corpus(2, 2)[1]) == ()


def test_a_model_sees_them_before_its_question(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.db") as store:
        number = calibrated(store)
        stub = Stub()
        judge(store, number, stub, examples=2)
    bodies = {len(body["messages"]): body["messages"] for body in stub.bodies}
    assert set(bodies) == {2, 6}  # the calibration document itself is asked without
    assert [m["role"] for m in bodies[6]] == ["system", "user", "assistant", "user", "assistant", "user"]
    assert "ferry 1." in bodies[6][-1]["content"]


def test_an_adjudicated_answer_stands_for_all_others_and_is_an_example_anywhere(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.db") as store:
        number = calibrated(store)
        final = Judge("adjudicated", JudgeKind.ADJUDICATED)
        answers = [
            Judgement("adjudicated", "rating", "score", document, "0", ("oak",), value=value)
            for document, value in (("d0", 12), ("d1", 34))
        ]
        campaign.import_judgements(store, number, answers, judges=[final])
        examples = {(e.document.id, e.item.segment): e.answers["score"] for e in agreed(store, number)}
    assert examples == {("d0", "0"): 12, ("d0", "1"): 60, ("d1", "0"): 34}


def test_a_sentence_that_stands_in_the_judged_document_too_is_no_example(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.db") as store:
        examples = agreed(store, calibrated(store))
    protocol = protocols.load("da")
    prompter = Prompter(protocol, Settings(comments=False))
    stages = prompter.asked(protocol.stages)
    first, second = corpus(2, 2)
    copied = replace(second, segments=(replace(second.segments[0], source=first.segments[0].source),))
    [question, _] = Lesson(examples, prompter, 2).messages(stages, copied)
    assert ">>> The sentence you judge:\nSource: The ferry 0.1" in question["content"]


def test_examples_and_reasons_exclude_each_other(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.db") as store:
        examples = agreed(store, calibrated(store))
    reasons = Settings(comments=False, template=replace(templates.default(), rationale=True))
    with pytest.raises(LannerError, match="no reasons"):
        Lesson(examples, Prompter(protocols.load("da"), reasons), 1)

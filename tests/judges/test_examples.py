"""Examples come from what people agreed on in the calibration round, never from the document that is judged."""

from __future__ import annotations

import json
from pathlib import Path

from lanner import campaign, protocols
from lanner.campaign import Saved, Submission
from lanner.judges.examples import Lesson, agreed
from lanner.judges.prompt import Prompter, Settings
from lanner.model import Judge
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
    assert lesson.messages(stages, "d0") == ()
    question, answer = lesson.messages(stages, "d1")
    assert "ferry 0.0" in question["content"]
    assert json.loads(answer["content"]) == {"score": 60}
    assert Lesson(found, prompter, 0).messages(stages, "d1") == ()


def test_a_model_sees_them_before_its_question(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.db") as store:
        number = calibrated(store)
        stub = Stub()
        judge(store, number, stub, examples=2)
    bodies = {len(body["messages"]): body["messages"] for body in stub.bodies}
    assert set(bodies) == {2, 6}  # the calibration document itself is asked without
    assert [m["role"] for m in bodies[6]] == ["system", "user", "assistant", "user", "assistant", "user"]
    assert "ferry 1." in bodies[6][-1]["content"]

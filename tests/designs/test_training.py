"""Tutorial first, calibration before the rest."""

from __future__ import annotations

import numpy as np
import pytest

from design_setups import corpus, people
from lanner import designs, protocols
from lanner.designs.controls import known_item
from lanner.designs.prepare import after_calibration, calibration, with_tutorial
from lanner.errors import DesignError
from lanner.model import Item, Role

PROTOCOL = protocols.compose(
    protocols.load("h_falcon"), before=[protocols.load("consent")], after=[protocols.load("post_task")]
)
TEXTS = corpus([2] * 5)
RULES = {"holistic": {"at_least": 8, "explanation": "Nothing is wrong with it."}}


def test_the_tutorial_comes_before_the_first_text_and_after_consent() -> None:
    rng = np.random.default_rng(0)
    tasks = designs.assign("full", TEXTS, people(2), PROTOCOL, rng=rng, systems=["m0"])
    item = known_item({"document": "d0", "segment": "0", "systems": ["m0"], "expected": RULES}, Role.TUTORIAL)
    taught = with_tutorial(tasks, [item], "rating")
    for judge in people(2):
        first, second, third, *_ = [task for task in taught if task.judge == judge.id]
        assert (first.page, second.page, third.page) == ("consent", "rating", "rating")
        assert second.items[0].role is Role.TUTORIAL and second.items[0].expected == RULES
        assert third.items[0].role is Role.MAIN
    assert with_tutorial(tasks, [], "rating") == tasks
    with pytest.raises(DesignError, match="expects no answer"):
        with_tutorial(tasks, [Item("d0", "0", ("m0",))], "rating")


def test_a_calibration_round_then_the_rest() -> None:
    rng = np.random.default_rng(0)
    judges = people(4)
    first, left = calibration(TEXTS, judges, PROTOCOL, ["d1", "d3"], rng=rng, systems=["m0"])
    assert [document.id for document in left] == ["d0", "d2", "d4"]
    for judge in judges:
        mine = [task for task in first if task.judge == judge.id]
        assert mine[0].page == "consent" and {task.page for task in mine} == {"consent", "rating"}
        assert {item.document for task in mine[1:] for item in task.items} == {"d1", "d3"}
        assert {item.role for task in mine[1:] for item in task.items} == {Role.CALIBRATION}
    rest = designs.assign("batches", left, judges, PROTOCOL, rng=rng, systems=["m0"])
    pages = {task.page for task in after_calibration(rest, PROTOCOL)}
    assert pages == {"rating", "post_task"}
    with pytest.raises(DesignError) as caught:
        calibration(TEXTS, judges, PROTOCOL, ["d11"], rng=rng, systems=["m0"])
    assert "'d1'" in caught.value.next_step

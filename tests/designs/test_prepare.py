"""A campaign's tasks with what its settings add."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from design_setups import corpus, people
from lanner import campaign, designs, protocols
from lanner.designs.controls import known_item
from lanner.designs.prepare import after_calibration, calibration, prepare, with_tutorial
from lanner.errors import CampaignError, DesignError
from lanner.model import Document, Item, Judge, Role, Segment, Task
from lanner.store import Store

WORDS = "and quite a few more words that make it long enough to be shuffled well"
TEXTS = [
    Document(f"d{n}", tuple(Segment(str(s), f"s {n}{s}", {"m0": f"m {n}{s} {WORDS}"}) for s in range(4)))
    for n in range(6)
]
EXPECTED = {"holistic": {"at_least": 8, "explanation": "It is fine."}}
TUTORIAL = {"items": [{"document": "d0", "segment": "0", "systems": ["m0"], "expected": EXPECTED}]}


def made(settings: dict[str, Any], judges: list[Judge], rng: int = 0, **more: Any) -> list[Task]:
    protocol = protocols.load("h_falcon")
    dice = np.random.default_rng(rng)
    return prepare("full", TEXTS, judges, protocol, rng=dice, systems=["m0"], settings=settings, seed=7, **more)


def roles(tasks: list[Task]) -> dict[Role, int]:
    every = [item.role for task in tasks for item in task.items]
    return {role: every.count(role) for role in dict.fromkeys(every)}


def test_controls_and_tutorial_from_settings() -> None:
    tasks = made({"controls": {"shuffled": 3, "repeats": 1}, "tutorial": TUTORIAL}, people(1))
    assert roles(tasks) == {Role.TUTORIAL: 1, Role.MAIN: 21, Role.CONTROL: 3, Role.REPEAT: 4}
    assert not any(item.expected for task in tasks for item in task.items if item.role is Role.REPEAT)
    with pytest.raises(DesignError) as caught:
        made({"tutorial": {**TUTORIAL, "page": "ratings"}}, people(1))
    assert "'rating'" in caught.value.next_step


def test_judges_who_come_later_get_the_same_control_items() -> None:
    settings = {"controls": {"shuffled": 3}}
    early, late = made(settings, people(1), 0), made(settings, [Judge("late")], 99)
    controls = [
        {(i.document, i.segment): i.texts for t in tasks for i in t.items if i.role is Role.CONTROL}
        for tasks in (early, late)
    ]
    assert controls[0] == controls[1] and len(controls[0]) == 3


def test_a_calibration_round_first_and_the_rest_when_asked() -> None:
    settings = {"calibration": ["d1", "d4"], "controls": {"shuffled": 2}}
    first, rest = made(settings, people(2)), made(settings, people(2), part="rest")
    assert roles(first) == {Role.CALIBRATION: 16}
    assert {item.document for task in first for item in task.items} == {"d1", "d4"}
    assert {item.document for task in rest for item in task.items} == {"d0", "d2", "d3", "d5"}
    assert roles(rest) == {Role.MAIN: 28, Role.CONTROL: 4}


def test_a_campaign_with_questionnaires_calibration_and_the_rest(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "lanner.db")
    settings = {"before": ["consent", "background"], "after": ["post_task"], "calibration": ["d0"]}
    try:
        campaign.create(store, "c", TEXTS, "h_falcon", people(2), settings=settings)
        campaign.open(store, "c")
        assert [task.page for task in campaign.tasks(store, "c", "j0")] == ["consent", "background", "rating"]
        assert campaign.after_calibration(store, "c") == 2 * 6
        pages = [task.page for task in campaign.tasks(store, "c", "j0")]
        assert pages == ["consent", "background", *["rating"] * 6, "post_task"]
        campaign.create(store, "plain", TEXTS, "h_falcon", people(2))
        with pytest.raises(CampaignError, match="no calibration round"):
            campaign.after_calibration(store, "plain")
    finally:
        store.close()


def test_a_design_that_cannot_assign_the_rest_is_refused_before_calibration() -> None:
    protocol = protocols.load("scenarios")
    texts = [
        Document(
            f"d{n}", tuple(Segment(str(s), f"s {n}{s}", {m: f"{m} {n}{s} {WORDS}" for m in "ab"}) for s in range(2))
        )
        for n in range(3)
    ]

    def begin(**options: bool) -> list[Task]:
        rng, settings = np.random.default_rng(0), {"calibration": ["d0"]}
        return prepare(
            "full", texts, people(2), protocol, rng=rng, systems=["a", "b"], settings=settings, options=options
        )

    with pytest.raises(DesignError, match="2 scenarios"):
        begin()
    assert {item.document for task in begin(all_scenarios=True) for item in task.items} == {"d0"}


PROTOCOL = protocols.compose(
    protocols.load("h_falcon"), before=[protocols.load("consent")], after=[protocols.load("post_task")]
)
SHORT_TEXTS = corpus([2] * 5)
RULES = {"holistic": {"at_least": 8, "explanation": "Nothing is wrong with it."}}


def test_the_tutorial_comes_before_the_first_text_and_after_consent() -> None:
    rng = np.random.default_rng(0)
    tasks = designs.assign("full", SHORT_TEXTS, people(2), PROTOCOL, rng=rng, systems=["m0"])
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
    first, left = calibration(SHORT_TEXTS, judges, PROTOCOL, ["d1", "d3"], rng=rng, systems=["m0"])
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
        calibration(SHORT_TEXTS, judges, PROTOCOL, ["d11"], rng=rng, systems=["m0"])
    assert "'d1'" in caught.value.next_step

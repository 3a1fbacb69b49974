"""A campaign's tasks with what its settings add."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from design_setups import corpus, people
from lanner import campaign, designs, protocols
from lanner.designs.controls import known_item
from lanner.designs.prepare import (
    after_calibration,
    calibration,
    prepare,
    promote,
    promoted,
    standings,
    with_tutorial,
)
from lanner.errors import CampaignError, DesignError
from lanner.model import Document, Item, Judge, JudgeKind, Judgement, Promotion, Role, Segment, Task
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


@pytest.mark.parametrize("design", ["pool", "adaptive"])
def test_nobody_is_handed_texts_they_cannot_read(design: str) -> None:
    """Texts go to whoever comes next, whatever their language."""
    protocol, rng = protocols.load("da"), np.random.default_rng(0)
    texts = [replace(TEXTS[0], target_language="de"), replace(TEXTS[1], target_language="ko")]
    judges = [Judge("ana", attributes={"target_language": "ko"}), Judge("bo")]
    options = {"goal": "precision:5"} if design == "adaptive" else {}
    prepare(design, texts[1:], judges, protocol, rng=rng, systems=["m0"], options=options)
    with pytest.raises(DesignError, match="ana reads ko, and gets whatever text comes next"):
        prepare(design, texts, judges, protocol, rng=rng, systems=["m0"], options=options)


def test_a_judge_of_a_language_that_no_text_has_is_refused() -> None:
    judges = [Judge("ana", attributes={"target_language": "ko"}), Judge("bo")]
    texts = [replace(text, target_language="de") for text in TEXTS]
    with pytest.raises(DesignError, match="ana reads ko, and none of the texts"):
        prepare("full", texts, judges, protocols.load("da"), rng=np.random.default_rng(0), systems=["m0"])


@pytest.mark.parametrize("design", ["full", "pool", "adaptive"])
def test_a_calibration_round_leaves_something(design: str) -> None:
    protocol, rng = protocols.load("da"), np.random.default_rng(0)
    settings = {"calibration": ["d0", "d1"]}
    with pytest.raises(DesignError) as refused:
        prepare(design, TEXTS[:2], people(2), protocol, rng=rng, systems=["m0"], settings=settings)
    assert refused.value.code == "all_in_calibration"


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


# Units that go on: more than a share of their judges, per language where asked; and the tasks for them.


SURVEY = protocols.load("context_survey")
LONG_TEXTS = corpus([30, 4])


def said(judge: str, segment: str, value: str | None, role: Role = Role.MAIN) -> Judgement:
    return Judgement(judge, "phase_one", "translatable", "d", segment, (), value, role)


def rule(stage: str) -> Promotion:
    found = next(s.promotion for s in SURVEY.stages if s.id == stage)
    assert found is not None
    return found


def test_more_than_two_fifths_and_not_exactly_two_fifths() -> None:
    votes = {"1": "nnyyy", "2": "nnnyy", "3": "yyyyy", "4": "n"}
    answers = [
        said(f"j{at}", segment, "no" if vote == "n" else "yes")
        for segment, given in votes.items()
        for at, vote in enumerate(given)
    ]
    found = standings(rule("phase_two"), answers)
    assert [(s.segment, s.votes, s.judges, s.promoted) for s in found] == [
        ("1", 2, 5, False), ("2", 3, 5, True), ("3", 0, 5, False), ("4", 1, 1, True),
    ]  # fmt: skip
    assert promoted(found) == {"": [("d", "2"), ("d", "4")]}
    assert found[0].share == 0.4


def test_the_latest_answer_counts_and_controls_and_gaps_do_not() -> None:
    answers = [
        said("j0", "1", "no"),
        said("j0", "1", "yes"),
        said("j1", "1", None),
        said("j2", "1", "no", Role.CONTROL),
    ]
    (only,) = standings(rule("phase_two"), answers)
    assert (only.votes, only.judges) == (0, 1)


def test_people_decide_what_goes_on_and_models_do_not() -> None:
    judges = [Judge("ana"), Judge("gpt", JudgeKind.MODEL), Judge("settled", JudgeKind.ADJUDICATED)]
    answers = [said("ana", "1", "yes"), said("gpt", "1", "no"), said("settled", "1", "no")]
    (only,) = standings(rule("phase_two"), answers, judges)
    assert (only.votes, only.judges, only.promoted) == (0, 1, False)


def test_each_language_has_units_of_its_own() -> None:
    judges = [Judge(f"j{n}", attributes={"target_language": "pt" if n < 3 else "sr"}) for n in range(4)]
    answers = [said(f"j{n}", "1", "no" if n in (0, 3) else "yes") for n in range(4)]
    answers += [said(f"j{n}", "2", "no" if n < 2 else "yes") for n in range(4)]
    assert promoted(standings(rule("span"), answers, judges)) == {"sr": [("d", "1")], "pt": [("d", "2")]}


def test_everyone_gets_the_promoted_sentences_in_order() -> None:
    units = {"": [("d1", "3"), *(("d0", str(n)) for n in range(0, 30, 2))]}
    judges = [Judge("a"), Judge("b"), Judge("c", attributes={"analyst": True, "judge": False})]
    tasks = promote("phase_two", units, LONG_TEXTS, judges, SURVEY, rng=np.random.default_rng(0), sentences_per_task=10)
    assert [task.judge for task in tasks] == ["a", "a", "b", "b"]
    flat = [(i.document, i.segment) for task in tasks[:2] for i in task.items]
    assert flat == [*(("d0", str(n)) for n in range(0, 30, 2)), ("d1", "3")]


def test_an_analyst_gets_the_units_of_their_language() -> None:
    units = {"pt": [("d0", "1")], "sr": [("d0", "2"), ("d1", "0")]}
    judges = [
        Judge("a"),
        *(Judge(code, attributes={"analyst": True, "target_language": code}) for code in ("pt", "sr")),
    ]
    tasks = promote("span", units, LONG_TEXTS, judges, SURVEY, rng=np.random.default_rng(0))
    assert {task.judge: len(task.items) for task in tasks} == {"pt": 1, "sr": 2}


def test_an_unknown_page() -> None:
    with pytest.raises(DesignError, match="no page"):
        promote("phase_three", {}, LONG_TEXTS, [], SURVEY, rng=np.random.default_rng(0))

"""Rules of control items, and who missed them."""

from __future__ import annotations

from typing import Any

import pytest
from statsmodels.stats.proportion import proportion_confint

from lanner import protocols
from lanner.designs.expected import (
    control_limit,
    meets,
    missed_controls,
    misses,
    of_nonsense,
    of_worse,
    outcomes,
    share_interval,
)
from lanner.model import Item, Judgement, Role, Task


@pytest.mark.parametrize(
    ("rule", "value", "fits"),
    [
        ({"is": "local"}, "local", True),
        ({"is": "local"}, "global", False),
        ({"is": 70, "within": 10}, 61, True),
        ({"is": 70, "within": 10}, 59, False),
        ({"one_of": [1, 2]}, 2, True),
        ({"one_of": [1, 2]}, 3, False),
        ({"at_most": 50}, 50, True),
        ({"at_most": 50}, 51, False),
        ({"at_least": 2, "at_most": 3}, 1, False),
        ({"includes": ["a"]}, ["a", "b"], True),
        ({"includes": ["a"]}, {"b": 1}, False),
        ({"excludes": ["no_errors"]}, {"no_errors": 1}, False),
        ({"excludes": ["no_errors"]}, {"word_order": 2}, True),
        ({"mean": {"at_most": 2.5}}, {"a": 1, "b": 4, "c": 2}, True),
        ({"mean": {"at_most": 2.5}}, {"a": 1, "b": 4, "c": 3}, False),
        ({"mean": {"at_most": 2.5}}, {}, None),
        ({"mean": {"at_most": 2.5}}, {"a": 4, "b": None}, False),
        ({"marks_at_least": 1}, [], False),
        ({"marks_at_least": 1}, [{"start": 0, "end": 2}], True),
        ({"worst": 1}, [1, 2], True),
        ({"worst": 1}, [1, 1], False),
        ({"worst": 0}, [1, 2], False),
        ({"worst": 2}, [1, 2, 3], True),
        ({"worst": 2}, [1, 3, 3], False),
        ({"explanation": "because"}, "anything", True),
        ({"is": "x"}, None, None),
        ({"below_original": True}, 3, None),
    ],
)
def test_rules(rule: dict[str, Any], value: Any, fits: bool | None) -> None:
    assert meets(rule, value) is fits


def test_worse_than_the_original() -> None:
    assert meets({"below_original": True}, 40, 70) is True
    assert meets({"below_original": True}, 70, 70) is False
    assert meets({"below_original": True}, 70, 40, lower_is_better=True) is True
    rule = {"mean": {"below_original": True}}
    assert meets(rule, {"a": 1, "b": 3}, {"a": 2, "b": 3}) is True
    assert meets(rule, {"a": 3, "b": 2}, {"a": 2, "b": 3}) is False
    assert meets(rule, {"a": 3}, None) is None


def test_what_nonsense_should_get() -> None:
    stages = {name: protocols.load(name).stages for name in ("h_falcon", "esa", "parity", "adequacy_fluency_rs", "mqm")}
    assert of_nonsense(stages["h_falcon"], 0) == {"sentence": {"at_most": 2.5}, "holistic": {"at_most": 5.5}}
    assert of_nonsense(stages["esa"], 0) == {"errors": {"marks_at_least": 1}, "score": {"at_most": 50}}
    assert of_nonsense(stages["parity"][:1], 1) == {"adequacy_of_sentence": {"worst": 1}}
    assert of_nonsense(stages["adequacy_fluency_rs"], 0)["errors_rs"] == {"excludes": ["no_errors"]}
    assert of_nonsense(stages["mqm"], 0) == {"errors": {"marks_at_least": 1}}
    falcon = protocols.load("falcon").pages["rating"]
    assert of_nonsense(falcon, 0) == {"ratings": {"mean": {"at_most": 2.5}}}
    assert of_worse(falcon) == {"ratings": {"mean": {"below_original": True}}}
    assert of_worse(stages["esa"]) == {"score": {"below_original": True}}


def answer(judge: str, segment: str, value: Any, role: Role, question: str = "preference") -> Judgement:
    return Judgement(judge, "s", question, "d", segment, ("a", "b"), value, role)


def test_misses_are_counted_by_item_with_their_ties() -> None:
    rules = {"preference": {"worst": 1}, "": {"explanation": "the right one is nonsense"}}
    items = tuple(Item("d", str(n), ("a", "b"), Role.CONTROL, expected=rules) for n in range(4))
    tasks = [Task(1, judge, "p", (*items, Item("d", "9", ("a", "b")))) for judge in ("x", "y")]
    given = [[1, 2], [1, 1], [2, 1]]
    answers = [answer("x", str(n), value, Role.CONTROL) for n, value in enumerate(given)]
    answers += [answer("x", "0", [2, 1], Role.MAIN)]
    found = outcomes(tasks, answers)
    assert [outcome.met for outcome in found] == [True, False, False, None] + [None] * 4
    first, second = misses(found)
    assert (first.judge, first.items, first.answered, first.missed, first.ties) == ("x", 4, 3, 2, 1)
    assert first.share == pytest.approx(2 / 3)
    assert (second.judge, second.answered, second.share) == ("y", 0, None)


def test_spoiled_outputs_of_two_systems_are_two_items() -> None:
    rules = {"score": {"at_most": 50}}
    items = tuple(Item("d", "1", (system,), Role.CONTROL, expected=rules) for system in ("a", "b"))
    answers = [Judgement("x", "s", "score", "d", "1", item.systems, 90, Role.CONTROL) for item in items]
    (row,) = misses(outcomes([Task(1, "x", "p", items)], answers))
    assert (row.items, row.answered, row.missed) == (2, 2, 2)


def test_a_revision_counts_and_an_original_is_looked_up() -> None:
    item = Item("d", "1", ("a", "b"), Role.CONTROL, expected={"q": {"below_original": True}})
    tasks = [Task(1, "x", "p", (item,))]
    answers = [
        answer("x", "1", 80, Role.MAIN, "q"),
        answer("x", "1", 90, Role.CONTROL, "q"),
        answer("x", "1", 30, Role.CONTROL, "q"),
    ]
    assert [outcome.met for outcome in outcomes(tasks, answers)] == [True]
    assert [outcome.met for outcome in outcomes(tasks, answers[:2])] == [False]


def test_one_broken_rule_misses_an_item() -> None:
    rules = {"errors": {"marks_at_least": 1}, "score": {"at_most": 50}}
    tasks = [Task(1, "x", "p", (Item("d", "1", ("a", "b"), Role.CONTROL, expected=rules),))]
    answers = [answer("x", "1", [], Role.CONTROL, "errors"), answer("x", "1", 20, Role.CONTROL, "score")]
    (row,) = misses(outcomes(tasks, answers))
    assert (row.items, row.missed) == (1, 1)


@pytest.mark.parametrize(
    ("value", "holds"),
    [
        ({"a": "high", "b": "low"}, True),
        ({"a": "low", "b": "low"}, False),
        ({"b": "low"}, False),
        ("high", False),
        (None, None),
    ],
)
def test_some_rows_of_a_grid(value: object, holds: bool | None) -> None:
    assert meets({"rows": {"a": "high"}}, value) is holds


@pytest.mark.parametrize(
    ("value", "holds"),
    [({"a": 4, "b": 1}, True), ({"a": 3}, True), ({"a": 2}, False), ({"b": 4}, False), (None, None)],
)
def test_conditions_on_rows(value: object, holds: bool | None) -> None:
    assert meets({"rows": {"a": {"at_least": 3}}}, value) is holds


def test_missed_controls_are_held_against_a_share_with_its_interval() -> None:
    counts = {"a": (11, 12), "b": (1, 12), "c": (2, 5), "d": (0, 0)}
    alarms = missed_controls(counts, 0.25)
    assert [(alarm.judge, alarm.clear) for alarm in alarms] == [("a", True), ("c", False)]
    low, high = proportion_confint(11, 12, method="wilson")
    assert (alarms[0].low, alarms[0].high) == pytest.approx((low, high))
    assert share_interval(11, 12) == pytest.approx((low, high))
    assert [alarm.judge for alarm in missed_controls({"a": (5, 15), "b": (4, 15)}, 4)] == ["a"], "a number of items"
    assert [control_limit({"control_limit": limit}) for limit in (0, 0.2, None)] == [0, 0.2, 0.25]
    assert [alarm.judge for alarm in missed_controls(counts, 0)] == ["a", "c", "b"], "none may be missed"


@pytest.mark.parametrize(("count", "of"), [(0, 1), (0, 10), (3, 7), (10, 10), (1, 400)])
def test_the_interval_is_wilsons(count: int, of: int) -> None:
    assert share_interval(count, of) == pytest.approx(proportion_confint(count, of, method="wilson"), abs=1e-9)

"""Which questions apply, and which still lack an answer."""

from __future__ import annotations

import pytest

from lanner import protocols
from lanner.model import Condition
from lanner.protocols.flow import applicable, chosen, holds, missing

FALCON = protocols.load("falcon")
SKIP = protocols.load("falcon_skip")
THREE = ["style_register", "modality_attitude", "logical_connectivity"]


def condition(**fields: object) -> Condition:
    return Condition.model_validate({"question": "q", **fields})


@pytest.mark.parametrize(
    ("rule", "value", "expected"),
    [
        (condition(**{"is": ["a"]}), "a", True),
        (condition(**{"is": ["a"]}), "b", False),
        (condition(**{"is": ["a", "b"]}), ["c", "b"], True),
        (condition(is_not=["a"]), "b", True),
        (condition(is_not=["a"]), ["b", "a"], False),
        (condition(at_least=3), 3, True),
        (condition(at_least=3), 2, False),
        (condition(at_most=3), 3.5, False),
        (condition(at_least=1), "5", False),
        (condition(at_least=1), True, False),
        (condition(is_not=["a"]), None, False),
        (condition(**{"is": ["errors"]}), {"errors": 2}, True),
    ],
)
def test_conditions(rule: Condition, value: object, expected: bool) -> None:
    assert holds(rule, {"q": value}) is expected


def test_no_condition_always_holds() -> None:
    assert holds(None, {})


def asked(protocol: protocols.reading.Protocol, page: str, answers: dict) -> list[str]:
    return [question.id for _, question in applicable(protocol, page, answers)]


def test_a_stage_is_skipped_by_an_earlier_answer() -> None:
    assert asked(FALCON, "label", {"context": "sentence_level"}) == ["context", "spans", "skills", "comment"]
    assert asked(SKIP, "label", {"context": "sentence_level"}) == ["context", "spans"]
    assert asked(SKIP, "label", {"context": "local"}) == ["context", "spans", "skills", "comment"]
    assert asked(SKIP, "label", {}) == ["context", "spans"]


def test_ratings_are_asked_for_the_skills_chosen_on_the_page_before() -> None:
    ratings = FALCON.find("ratings")
    assert ratings is not None
    assert chosen(FALCON, ratings[1], {"skills": THREE}) == THREE
    assert chosen(FALCON, ratings[1], {}) == ()
    assert asked(FALCON, "rating", {"skills": THREE}) == ["ratings", "rating_comment"]
    assert asked(FALCON, "rating", {}) == ["rating_comment"]


def test_missing_names_required_questions_only() -> None:
    assert missing(FALCON, "label", {}) == ["context", "skills"]
    assert missing(FALCON, "label", {"context": "local", "skills": THREE}) == []
    assert missing(SKIP, "label", {"context": "sentence_level"}) == []

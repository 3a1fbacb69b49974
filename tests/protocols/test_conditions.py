"""Which questions apply, and which still lack an answer."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lanner import protocols
from lanner.model import Condition
from lanner.protocols.conditions import applicable, chosen_labels, holds, missing
from lanner.protocols.kinds.base import JudgedTexts
from property_examples import examples
from simulated_pages import simulate_page

SIMULATED_TEXTS = JudgedTexts(
    "Sie gab ihm das Buch 📚 zurück.", ("She gave him back the book.", "그녀는 그에게 책을 돌려주었다.")
)
FALCON_FLOW = protocols.load("falcon")
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
    assert asked(FALCON_FLOW, "label", {"context": "sentence_level"}) == ["context", "spans", "skills", "comment"]
    assert asked(SKIP, "label", {"context": "sentence_level"}) == ["context", "spans"]
    assert asked(SKIP, "label", {"context": "local"}) == ["context", "spans", "skills", "comment"]
    assert asked(SKIP, "label", {}) == ["context", "spans"]


def test_ratings_are_asked_for_the_skills_chosen_on_the_page_before() -> None:
    ratings = FALCON_FLOW.find("ratings")
    assert ratings is not None
    assert chosen_labels(FALCON_FLOW, ratings[1], {"skills": THREE}) == THREE
    assert chosen_labels(FALCON_FLOW, ratings[1], {}) == ()
    assert asked(FALCON_FLOW, "rating", {"skills": THREE}) == ["ratings", "rating_comment"]
    assert asked(FALCON_FLOW, "rating", {}) == ["rating_comment"]


def test_missing_names_required_questions_only() -> None:
    assert missing(FALCON_FLOW, "label", {}) == ["context", "skills"]
    assert missing(FALCON_FLOW, "label", {"context": "local", "skills": THREE}) == []
    assert missing(SKIP, "label", {"context": "sentence_level"}) == []


@settings(max_examples=examples(25))
@given(seed=st.integers(0, 2**32), name=st.sampled_from(protocols.names()))
def test_a_page_is_answered_completely_along_its_conditions(seed: int, name: str) -> None:
    protocol = protocols.load(name)
    answers: dict[str, object] = {}
    for page in protocol.pages:
        answers |= simulate_page(protocol, page, rng=Random(seed), texts=SIMULATED_TEXTS, answers=answers)
        assert missing(protocol, page, answers) == []

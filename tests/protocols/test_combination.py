"""Several answers made one."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lanner import protocols
from lanner.protocols import simulate
from lanner.protocols.answers import Texts, check
from lanner.protocols.combination import combine, consistency, likeness
from property_examples import examples

FALCON, H_FALCON, DA, PARITY = (protocols.load(name) for name in ("falcon", "h_falcon", "da", "parity"))
CONTEXT, SKILLS, RATINGS = (FALCON.find(name)[1] for name in ("context", "skills", "ratings"))
GRID, HOLISTIC = (H_FALCON.find(name)[1] for name in ("skills", "holistic"))


def test_majority_and_mean() -> None:
    assert combine(CONTEXT, ["local", "global", "local"]) == "local"
    assert combine(HOLISTIC, [3, 3, 9]) == 3
    assert combine(HOLISTIC, [3, 3, 9], "mean") == 5
    assert combine(HOLISTIC, [None, 7]) == 7
    assert combine(HOLISTIC, [None, None]) is None


def test_a_tie_goes_to_the_first_of_the_protocol() -> None:
    assert combine(CONTEXT, ["global", "local"]) == "local"


def test_three_skills_by_votes() -> None:
    votes = [
        ["style_register", "modality_attitude", "participant_focus"],
        ["style_register", "modality_attitude", "idea_development"],
        ["style_register", "logical_connectivity", "participant_focus"],
    ]
    assert set(combine(SKILLS, votes)) == {"style_register", "modality_attitude", "participant_focus"}


def test_ratings_are_combined_label_by_label() -> None:
    assert combine(RATINGS, [{"a": 1, "b": 4}, {"a": 3, "b": 4}, {"a": 3}]) == {"a": 3, "b": 4}


def test_ranks_of_a_swapped_pair_that_disagree_are_a_tie() -> None:
    rank = PARITY.find("adequacy_of_sentence")[1]
    assert combine(rank, [[1, 2], [2, 1]]) == [1, 1]
    assert combine(rank, [[2, 1], [2, 1]]) == [2, 1]


def test_spans_cannot_be_averaged_so_the_most_central_is_taken() -> None:
    errors = protocols.load("esa").find("errors")[1]
    one, near, far = ([{"side": "target", "start": s, "end": e}] for s, e in ((0, 5), (0, 6), (20, 30)))
    assert combine(errors, [far, one, near]) in (one, near)
    assert likeness(errors, one, one) == 1
    assert likeness(errors, one, far) == 0
    assert likeness(errors, [], []) == 1


def test_consistency() -> None:
    assert consistency(CONTEXT, ["local", "local", "global"]) == pytest.approx(1 / 3)
    assert consistency(HOLISTIC, [1, 10]) == 0
    assert consistency(HOLISTIC, [5]) is None
    assert consistency(SKILLS, [["a", "b", "c"], ["a", "b", "d"]]) == pytest.approx(2 / 3)


QUESTIONS = [
    question
    for name in protocols.names()
    for _, question in protocols.load(name).questions
    if not question.for_each and getattr(question, "prefilled", False) is False
]


@settings(max_examples=examples(150))
@given(st.sampled_from(QUESTIONS), st.integers(0, 10**6), st.integers(2, 5), st.sampled_from(["majority", "mean"]))
def test_what_is_made_of_valid_answers_is_valid(question: object, seed: int, number: int, rule: str) -> None:
    texts = Texts("The ferry left before the storm.", ("Die Fähre fuhr vor dem Sturm.", "Die Fähre legte ab."))
    dice = Random(seed)
    votes = [simulate.answer(question, rng=dice, texts=texts, outputs=2) for _ in range(number)]
    votes = [check(question, vote, texts=texts, outputs=2) for vote in votes]
    made = combine(question, votes, rule)
    check(question, made, texts=texts, outputs=2)

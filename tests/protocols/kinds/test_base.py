"""What all kinds share: numbers, majorities and ties, each against a definition written out here."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanner import protocols
from lanner.errors import AnswerError
from lanner.model import Choice, Option, Question
from lanner.model.protocol import Wording
from lanner.protocols.answers import check, combine, likeness, simulate_answer
from lanner.protocols.kinds import KINDS, kind_of
from lanner.protocols.kinds.base import (
    AnswerCheck,
    JudgedTexts,
    combine_labels,
    combine_numbers,
    describe_options,
    fold,
    have_values,
    most_central,
    overlap,
    pick_option,
    replace_alias,
    resolve,
)

TEXTS = JudgedTexts("The ferry left before the storm.", ("Die Fähre fuhr vor dem Sturm.", "Die Fähre legte ab."))
OPTIONS = tuple(Option(id=name) for name in "abcde")
QUESTIONS = [
    question
    for name in protocols.names()
    for _, question in protocols.load(name).questions
    if not question.for_each and not getattr(question, "prefilled", False)
]


def test_every_kind_of_question_in_the_protocols_has_a_module() -> None:
    assert {question.kind for question in QUESTIONS} <= set(KINDS)
    assert all(type(kind_of(question)).__module__.endswith(f".{question.kind}") for question in QUESTIONS)


@given(st.lists(st.integers(0, 4), min_size=1, max_size=7))
def test_a_majority_of_numbers_is_the_one_mode_else_the_median(values: list[int]) -> None:
    most = max(values.count(value) for value in values)
    modes = {value for value in values if values.count(value) == most}
    ordered = sorted(values)
    middle = Fraction(ordered[(len(values) - 1) // 2] + ordered[len(values) // 2], 2)
    assert combine_numbers(values, "majority") == (modes.pop() if len(modes) == 1 else middle)
    assert combine_numbers(values, "median") == middle
    assert combine_numbers(values, "mean") == pytest.approx(sum(values) / len(values))


@given(st.lists(st.sampled_from("abcde"), min_size=1, max_size=7), st.randoms())
def test_the_label_with_most_votes_wins_whatever_the_order_of_votes(votes: list[str], random: Random) -> None:
    shuffled = random.sample(votes, len(votes))
    for ordered in (False, True):
        winner = combine_labels(votes, OPTIONS, ordered=ordered)
        assert votes.count(winner) == max(Counter(votes).values())
        assert combine_labels(shuffled, OPTIONS, ordered=ordered) == winner
    first = min(vote for vote in votes if votes.count(vote) == max(Counter(votes).values()))
    assert combine_labels(votes, OPTIONS, ordered=False) == first


def test_a_tie_of_ordered_labels_goes_to_the_one_in_the_middle() -> None:
    votes = ["a", "a", "d", "d", "e"]
    assert combine_labels(votes, OPTIONS, ordered=False) == "a"
    assert combine_labels(votes, OPTIONS, ordered=True) == "d"


def test_overlap_is_the_f1_of_what_is_shared() -> None:
    assert overlap(Counter("aab"), Counter("abc")) == pytest.approx(2 * 2 / 6)
    assert overlap(Counter(), Counter()) == 1
    assert overlap(Counter("a"), Counter()) == 0


def test_the_most_central_answer_is_most_like_the_others() -> None:
    assert most_central([9, 1, 2, 3], lambda one, other: -abs(one - other)) in (2, 3)


@given(st.sampled_from(QUESTIONS), st.integers(0, 10**6))
def test_equal_answers_are_alike_and_combine_to_themselves(question: Question, seed: int) -> None:
    answer = simulate_answer(question, rng=Random(seed), texts=TEXTS)
    if answer is None:
        return
    assert likeness(question, answer, answer) == 1
    for rule in ("majority", "median", "mean"):
        assert combine(question, [answer] * 3, rule) == answer


@given(st.sampled_from(QUESTIONS), st.integers(0, 10**6))
def test_likeness_is_symmetric_and_within_bounds(question: Question, seed: int) -> None:
    rng = Random(seed)
    one, other = (simulate_answer(question, rng=rng, texts=TEXTS) for _ in range(2))
    if one is not None and other is not None:
        assert 0 <= likeness(question, one, other) <= 1
        assert likeness(question, one, other) == pytest.approx(likeness(question, other, one))


def test_a_strict_check_raises_and_a_lenient_one_collects() -> None:
    question = Choice(id="q", options=OPTIONS)
    strict, lenient = AnswerCheck(question, True), AnswerCheck(question, False)
    with pytest.raises(AnswerError) as caught:
        strict.violation("too_many", "is too much.")
    assert (caught.value.code, caught.value.what) == ("too_many", "q: is too much.")
    lenient.violation("too_many", "is too much.")
    assert lenient.flags == ["too_many"]
    assert lenient.number(" 4.0 ") == 4 and isinstance(lenient.number("4.0"), int)
    for wrong in ("4", True, float("inf"), None):
        with pytest.raises(AnswerError):
            strict.number(wrong)


@given(st.sampled_from(QUESTIONS), st.integers(0, 10**6))
def test_a_simulated_answer_is_valid_as_it_is(question: Question, seed: int) -> None:
    answer = simulate_answer(question, rng=Random(seed), texts=TEXTS)
    assert answer is None or check(question, answer, texts=TEXTS) == answer


SPELLED = (
    Option(id="accuracy", aliases=("Adequacy",), value=0),
    Option(id="omission", parent="accuracy", aliases=("Left out",), value=2),
    Option(id="style", value=1),
)


def test_case_and_punctuation_do_not_matter() -> None:
    assert fold("  Local--contextual_Knowledge ") == "local contextual knowledge"
    assert resolve("LEFT OUT", SPELLED) == "omission"
    assert resolve("Adequacy/Left-out", SPELLED) == "omission"
    assert resolve("style/omission", SPELLED) is None
    assert resolve("adequacy", list(SPELLED)) == "accuracy"


def test_options_of_equal_content_do_not_share_a_cache_by_accident() -> None:
    for number in range(600):
        options = (Option(id=f"a{number}"), Option(id="b", aliases=(f"alias {number}",)))
        assert resolve(f"Alias {number}", options) == "b"
        assert resolve(f"alias {number + 1}", options) is None


def test_replacing_an_alias_counts_it_and_leaves_what_is_unknown() -> None:
    assert replace_alias("style", SPELLED) == ("style", 0)
    assert replace_alias("Left out", SPELLED) == ("omission", 1)
    assert replace_alias("nonsense", SPELLED) == ("nonsense", 0)
    assert replace_alias(3, SPELLED) == (3, 0)


def test_options_are_listed_by_group_with_their_definitions() -> None:
    protocol = protocols.load("h_falcon")
    rows = protocol.find("skills")[1].rows
    lines = list(describe_options("skills", rows, Wording(protocol), protocol.groups))
    headings = [line for line in lines if line.startswith("*")]
    assert len(headings) == len({row.group for row in rows}) == len(protocol.groups)
    assert len(lines) == len(rows) + len(headings)


def test_an_option_is_picked_near_the_level_by_value_not_by_place() -> None:
    assert have_values(SPELLED) and not have_values((Option(id="a"), SPELLED[0]))
    assert [pick_option(SPELLED, Random(0), level) for level in (0.0, 0.5, 1.0)] == ["accuracy", "style", "omission"]
    assert {pick_option(SPELLED, Random(seed), None) for seed in range(30)} == {option.id for option in SPELLED}

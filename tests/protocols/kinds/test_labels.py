"""Sets of labels: majorities of labels, with the votes counted by hand."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanner.model import Labels, Option
from lanner.protocols.answers import check, combine, simulate_answer
from lanner.protocols.kinds.labels import KIND

OPTIONS = tuple(Option(id=name) for name in ("a", "b", "c", "no_errors"))
FREE = Labels(id="q", options=OPTIONS)


def test_a_label_needs_more_than_half_of_the_answers() -> None:
    assert combine(FREE, [["a"], ["b"]]) == []
    assert combine(FREE, [["a", "b"], ["b"], ["b", "c"], ["a"]]) == ["b"]
    assert combine(FREE, [["a"], ["a"], ["b"], ["b"]]) == []  # two of four are not a majority
    assert combine(FREE, [["a"], ["a", "b"], ["b"]]) == ["a", "b"]


def test_an_exclusive_label_needs_more_than_half_too() -> None:
    question = Labels(id="q", options=OPTIONS, exclusive="no_errors", min=1)
    assert combine(question, [["no_errors"], ["a"]]) == ["a"]
    assert combine(question, [["no_errors"], ["no_errors"], ["a"]]) == ["no_errors"]


def test_where_a_number_is_fixed_the_most_named_fill_it_in_order() -> None:
    question = Labels(id="q", options=OPTIONS, min=2, max=2)
    assert combine(question, [["a", "b"], ["b", "c"]]) == ["a", "b"]
    assert combine(question, [["b", "c"], ["a", "c"], ["b", "c"]]) == ["b", "c"]


@pytest.mark.parametrize("counts", [False, True])
@given(seed=st.integers(0, 10**6), number=st.integers(2, 6))
def test_what_is_combined_is_allowed(counts: bool, seed: int, number: int) -> None:
    rng = Random(seed)
    for question in (
        Labels(id="q", options=OPTIONS, exclusive="no_errors", min=1, counts=counts),
        Labels(id="q", options=OPTIONS, min=1, max=2, counts=counts),
    ):
        votes = [simulate_answer(question, rng=rng) for _ in range(number)]
        combined = combine(question, votes)
        assert check(question, combined) == combined


def test_counts_are_averaged_and_an_exclusive_label_stands_alone() -> None:
    question = Labels(id="q", options=OPTIONS, exclusive="no_errors", counts=True)
    assert combine(question, [{"a": 3}, {"a": 1, "b": 2}]) == {"a": 2, "b": 1}
    assert combine(question, [{"no_errors": 1}, {"no_errors": 1}, {"a": 3}]) == {"no_errors": 1}


def test_likeness_levels_and_control_items() -> None:
    assert KIND.likeness(FREE, ["a", "b"], ["b", "c"]) == pytest.approx(0.5)
    assert KIND.level(FREE) == "sets"
    assert KIND.level(Labels(id="q", options=OPTIONS, counts=True)) == "interval"
    exclusive = Labels(id="q", options=OPTIONS, exclusive="no_errors")
    assert KIND.expected_of_nonsense(exclusive, 0) == {"excludes": ["no_errors"]}
    assert KIND.expected_of_nonsense(FREE, 0) == {}

"""Ranks of outputs."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from lanner.model import Rank
from lanner.protocols.answers import check, combine, simulate_answer
from lanner.protocols.kinds.rank import KIND


def test_mean_ranks_decide_and_disagreement_is_a_tie_where_ties_are_allowed() -> None:
    assert combine(Rank(id="q"), [[1, 2], [2, 1]]) == [1, 1]
    assert combine(Rank(id="q"), [[1, 2, 3], [2, 1, 3], [1, 3, 2]]) == [1, 2, 3]
    assert combine(Rank(id="q", ties=False), [[1, 2], [2, 1]]) == [1, 2]


@given(st.integers(0, 10**6), st.integers(2, 5), st.booleans())
def test_combined_ranks_are_ranks(seed: int, outputs: int, ties: bool) -> None:
    question, rng = Rank(id="q", ties=ties), Random(seed)
    votes = [simulate_answer(question, rng=rng, outputs=outputs) for _ in range(4)]
    combined = combine(question, votes)
    assert check(question, combined, outputs=outputs) == combined


def test_a_nonsense_output_is_ranked_last() -> None:
    assert KIND.expected_of_nonsense(Rank(id="q"), 2) == {"worst": 2}
    assert KIND.level(Rank(id="q")) == "nominal"

"""Random assignment meets the overlap that was asked for."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from design_setups import corpus, people, protocol
from lanner import designs
from property_examples import examples

RATING = protocol({"unit": "sentence_in_context", "object": "output"})


@settings(max_examples=examples(20), deadline=None)
@given(
    seed=st.integers(0, 2**32),
    number=st.integers(1, 40),
    people_=st.integers(1, 7),
    overlap=st.floats(0, 1),
    several=st.integers(1, 4),
)
def test_random_meets_the_overlap_that_was_asked(
    seed: int, number: int, people_: int, overlap: float, several: int
) -> None:
    assume(several <= people_)
    texts = corpus([1] * number)
    rng = np.random.default_rng(seed)
    options = {"overlap": overlap, "judges_on_overlap": several}
    tasks = designs.assign("random", texts, people(people_), RATING, rng=rng, systems=["m0"], **options)
    judges = Counter(task.items[0].document for task in tasks)
    shared = max(1, round(overlap * number)) if overlap else 0
    expected = Counter([several] * shared + [1] * (number - shared))
    assert Counter(judges.values()) == expected

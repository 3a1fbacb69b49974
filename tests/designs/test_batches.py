"""Teams judge together and share nothing."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from design_setups import corpus, people, protocol
from lanner import designs
from property_examples import examples

RATING = protocol({"unit": "sentence_in_context", "object": "output"})


@settings(max_examples=examples(20), deadline=None)
@given(seed=st.integers(0, 2**32), number=st.integers(2, 12), teams=st.integers(1, 4), size=st.integers(1, 3))
def test_batches_are_judged_by_one_team(seed: int, number: int, teams: int, size: int) -> None:
    rng = np.random.default_rng(seed)
    texts = corpus([1] * number)
    options = {"judges_per_document": size}
    tasks = designs.assign("batches", texts, people(teams * size), RATING, rng=rng, systems=["m0"], **options)
    by_document: dict[str, set[str]] = defaultdict(set)
    for task in tasks:
        by_document[task.items[0].document].add(task.judge)
    found = {frozenset(judges) for judges in by_document.values()}
    assert all(len(team) == size for team in found)
    assert sum(map(len, found)) == len(set().union(*found)), "teams do not share members"

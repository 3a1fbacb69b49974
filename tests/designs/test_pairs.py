"""Every pair comes up equally often."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from design_setups import SYSTEMS, corpus, people, protocol
from lanner import designs
from property_examples import examples

PAIRS = protocol({"unit": "document", "object": "outputs"})


@settings(max_examples=examples(15), deadline=None)
@given(
    seed=st.integers(0, 2**32),
    number=st.integers(2, 20),
    systems=st.integers(2, 4),
    per=st.integers(0, 6),
)
def test_pairs_come_up_equally_often_for_each_judge(seed: int, number: int, systems: int, per: int) -> None:
    rng = np.random.default_rng(seed)
    names = SYSTEMS[:systems]
    every = systems * (systems - 1) // 2
    tasks = designs.assign(
        "pairs", corpus([1] * number, names), people(3), PAIRS, rng=rng, systems=names, pairs_per_document=per
    )
    for judge in people(3):
        shown = Counter(tuple(sorted(t.items[0].systems)) for t in tasks if t.judge == judge.id)
        assert sum(shown.values()) == number * (min(per, every) or every)
        assert max(shown.values()) - min([*shown.values(), *([0] if len(shown) < every else [])]) <= 1

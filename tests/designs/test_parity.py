"""Sentences and documents that do not overlap for a judge."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from design_setups import corpus, people
from lanner import designs, protocols
from property_examples import examples

PARITY = protocols.load("parity")
UNIT = {page: stages[0].scenario for page, stages in PARITY.pages.items()}


@settings(max_examples=examples(25), deadline=None)
@given(seed=st.integers(0, 2**32), sizes=st.lists(st.integers(2, 6), min_size=4, max_size=12), swap=st.booleans())
def test_no_judge_reads_a_document_and_its_sentences(seed: int, sizes: list[int], swap: bool) -> None:
    rng = np.random.default_rng(seed)
    tasks = designs.assign("parity", corpus(sizes), people(8), PARITY, rng=rng, systems=["m0", "m1"], swap=swap)
    seen: dict[str, dict[str | None, set[str]]] = defaultdict(lambda: defaultdict(set))
    for task in tasks:
        seen[task.judge][UNIT[task.page]] |= {item.document for item in task.items}
    for mine in seen.values():
        assert mine["document"] and mine["sentence"] and not mine["document"] & mine["sentence"]
    read = set.union(*(mine["document"] for mine in seen.values()))
    drawn = set.union(*(mine["sentence"] for mine in seen.values()))
    assert bool(read & drawn) is swap


def test_half_of_the_judges_begin_with_the_documents() -> None:
    rng = np.random.default_rng(0)
    tasks = designs.assign("parity", corpus([5] * 8), people(8), PARITY, rng=rng, systems=["m0", "m1"])
    first = [UNIT[next(task.page for task in tasks if task.judge == judge.id)] for judge in people(8)]
    assert first.count("document") == first.count("sentence") == 4

"""Scenarios, systems and order are counterbalanced."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from design_setups import SYSTEMS, corpus, people, protocol
from lanner import designs, protocols
from lanner.model import Document
from property_examples import examples

RATING = protocol({"unit": "sentence_in_context", "object": "output"})
SCENARIOS = protocols.load("scenarios")
SCENARIO_OF = {page: stages[0].scenario for page, stages in SCENARIOS.pages.items()}


@settings(max_examples=examples(15), deadline=None)
@given(seed=st.integers(0, 2**32), sizes=st.lists(st.integers(1, 6), min_size=2, max_size=14), cells=st.integers(1, 3))
def test_every_text_is_judged_in_every_scenario_by_equally_many(seed: int, sizes: list[int], cells: int) -> None:
    rng = np.random.default_rng(seed)
    judges = people(4 * cells)
    tasks = designs.assign(
        "latin_square", corpus(sizes), judges, SCENARIOS, rng=rng, systems=["m0", "m1"], rated=["m0"]
    )
    seen: dict[tuple[str, str | None], set[str]] = defaultdict(set)
    begins: Counter[str | None] = Counter()
    for task in tasks:
        for item in task.items:
            seen[item.document, SCENARIO_OF[task.page]].add(task.judge)
    for judge in judges:
        begins[SCENARIO_OF[next(t for t in tasks if t.judge == judge.id).page]] += 1
    assert len(seen) == 2 * len(sizes)
    assert {len(group) for group in seen.values()} == {2 * cells}
    assert max(begins.values()) - min(begins.values()) <= (0 if len(sizes) > 1 else 4 * cells)


@settings(max_examples=examples(15), deadline=None)
@given(seed=st.integers(0, 2**32), number=st.integers(2, 11), systems=st.integers(2, 4), cells=st.integers(1, 2))
def test_every_text_is_judged_in_every_system_and_every_judge_sees_all_of_them(
    seed: int, number: int, systems: int, cells: int
) -> None:
    rng = np.random.default_rng(seed)
    names, judges = SYSTEMS[:systems], people(systems * cells)
    tasks = designs.assign("latin_square", corpus([2] * number, names), judges, RATING, rng=rng, systems=names)
    pairs = Counter((task.items[0].document, task.items[0].systems) for task in tasks)
    assert set(pairs.values()) == {cells} and len(pairs) == number * systems
    for judge in judges:
        mine = [task for task in tasks if task.judge == judge.id]
        assert len(mine) == number
        seen = Counter(task.items[0].systems for task in mine)
        assert max(seen.values()) - min(seen.get((name,), 0) for name in names) <= 1


def test_test_sets_can_be_given() -> None:
    texts = [Document(d.id, d.segments, meta={"set": "one" if n < 3 else "two"}) for n, d in enumerate(corpus([2] * 6))]
    rng = np.random.default_rng(0)
    tasks = designs.assign("latin_square", texts, people(4), SCENARIOS, rng=rng, systems=["m0", "m1"], set_field="set")
    for judge in people(4):
        by_scenario: dict[str | None, set[str]] = defaultdict(set)
        for task in tasks:
            if task.judge == judge.id:
                by_scenario[SCENARIO_OF[task.page]] |= {item.document for item in task.items}
        assert sorted(map(sorted, by_scenario.values())) == [["d0", "d1", "d2"], ["d3", "d4", "d5"]]


def test_names_may_come_as_text_with_commas_as_a_command_line_gives_them() -> None:
    texts, judges = corpus([2] * 4), people(4)
    several = {"design": "latin_square", "documents": texts, "judges": judges, "protocol": SCENARIOS}
    listed, text = (
        designs.assign(**several, rng=np.random.default_rng(1), systems=["m0", "m1"], rated=rated)
        for rated in (["m0"], "m0")
    )
    assert listed == text
    both = designs.assign(**several, rng=np.random.default_rng(1), systems=["m0", "m1"], rated="m0, m1")
    assert {system for task in both for item in task.items for system in item.systems} == {"m0", "m1"}

"""Scenarios, systems and order are counterbalanced."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from design_setups import SYSTEMS, corpus, people, protocol
from lanner import designs, protocols
from lanner.designs._allocate import can_read, scenarios
from lanner.designs.counterbalancing import describe_balance
from lanner.designs.plan import plan
from lanner.model import Document, Judge, Segment
from lanner.protocols.context import in_contexts
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


@settings(max_examples=examples(40), deadline=None)
@given(
    seed=st.integers(0, 2**32),
    languages=st.lists(st.sampled_from(["de", "ko", ""]), min_size=1, max_size=9),
    sizes=st.lists(st.integers(1, 3), min_size=3, max_size=8),
    contexts=st.sampled_from([["none", "whole"], ["none", "source±1", "own±1"], ["none", "own±1", "own±2", "whole"]]),
)
def test_any_number_of_judges_is_balanced_within_one(
    seed: int, languages: list[str], sizes: list[int], contexts: list[str]
) -> None:
    """Each context equally often for each document within one, whoever reads which language; nobody a text twice."""
    same_language = "" in languages  # whoever reads everything stands between the languages
    asked = in_contexts(protocols.load("da"), contexts)
    texts = [replace(d, target_language="de" if n % 2 else "ko") for n, d in enumerate(corpus(sizes))]
    judges = [
        Judge(f"j{n}", attributes={"target_language": language} if language and not same_language else {})
        for n, language in enumerate(languages)
    ]
    tasks = designs.assign("latin_square", texts, judges, asked, rng=np.random.default_rng(seed), systems=["m0"])
    scenario_of = {page: stages[0].scenario for page, stages in asked.pages.items()}
    met: dict[tuple[str, str], set[str | None]] = defaultdict(set)
    for task in tasks:
        for item in task.items:
            met[task.judge, item.document].add(scenario_of[task.page])
    assert {len(found) for found in met.values()} <= {1}
    even = True
    for text in texts:
        readers = [judge for judge in judges if can_read(judge, text)]
        assert {judge.id for judge in readers} == {judge for judge, document in met if document == text.id}
        times = Counter(next(iter(found)) for (_, document), found in met.items() if document == text.id)
        counts = [times[name] for name in scenarios(asked)]
        assert max(counts) - min(counts) <= 1
        even = even and max(counts) == min(counts)
    seen = {scenario for found in met.values() for scenario in found}
    if len(seen) == len(contexts):
        assert (describe_balance(tasks, texts, asked) == "") is even


def test_the_plan_says_where_judges_cannot_be_split_evenly() -> None:
    asked = in_contexts(protocols.load("da"), ["none", "source±1", "own±1"])
    texts, systems = corpus([2, 2, 2]), ["m0"]
    warnings = {}
    for number in (3, 5):
        rng = np.random.default_rng(1)
        tasks = designs.assign("latin_square", texts, people(number), asked, rng=rng, systems=systems)
        warnings[number] = plan(tasks, texts, people(number), asked, design="latin_square").warnings
    assert not any("evenly" in warning for warning in warnings[3])
    assert warnings[5][0] == (
        "The judges cannot be split evenly over the 3 scenarios: a document is judged by 1 to 2 of them in each. "
        "1 more would make it even."
    )
    rng = np.random.default_rng(1)
    turned = designs.assign("latin_square", texts, people(3), RATING, rng=rng, systems=["m0", "m1"])
    assert "2 systems: a document is judged by 1 to 2" in describe_balance(turned, texts, RATING)


def test_two_outputs_are_one_pair_whichever_stands_first() -> None:
    compared = protocol({"unit": "document", "object": "outputs"})
    texts = corpus([2, 2, 2])
    rng = np.random.default_rng(1)
    tasks = designs.assign("latin_square", texts, people(3), compared, rng=rng, systems=["m0", "m1"])
    assert len({item.systems for task in tasks for item in task.items}) == 2
    assert describe_balance(tasks, texts, compared) == ""


def test_a_document_that_lacks_a_system_is_not_called_uneven() -> None:
    segment = Segment("1", "Source.", {"m0": "One.", "m1": ""})
    texts = [*corpus([2, 2]), Document("short", (segment,))]
    judges = people(2)
    rng = np.random.default_rng(1)
    tasks = designs.assign("latin_square", texts, judges, RATING, rng=rng, systems=["m0", "m1"])
    assert describe_balance(tasks, texts, RATING) == ""
    warnings = plan(tasks, texts, judges, RATING, design="latin_square").warnings
    assert not any("evenly" in warning or "1 min to 1 min" in warning for warning in warnings)


# Sentences and documents that do not overlap for a judge.


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

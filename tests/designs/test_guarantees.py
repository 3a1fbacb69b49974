"""What every design promises, over sizes and seeds.

Same seed, same tasks; every item judged as often as asked; no source in two scenarios for a judge; sides and systems
balanced within one; document order kept inside a task; loads within one document; and where numbers cannot be met, a
refusal whose advice works.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from design_setups import SYSTEMS, corpus, people, protocol
from lanner import designs, protocols
from lanner.errors import DesignError
from lanner.model import Document, Judge, Protocol, Stage, Task, Unit
from property_examples import examples

RATING = protocol({"unit": "sentence_in_context", "object": "output"})
PAIRS = protocol({"unit": "document", "object": "outputs"})
ISOLATED = protocol({"unit": "isolated_sentence", "object": "outputs"})
SOURCE = protocol({"unit": "isolated_sentence", "object": "source"})
FALCON, SCENARIOS, PARITY = (protocols.load(name) for name in ("falcon", "scenarios", "parity"))
SCENARIO_OF = {page: stages[0].scenario for page, stages in SCENARIOS.pages.items()}
QUESTIONED = protocols.compose(
    protocols.load("h_falcon"), before=[protocols.load("consent")], after=[protocols.load("post_task")]
)


@dataclass(frozen=True, repr=False)
class Case:
    """A design with a protocol, and how often each sentence of each output is to be judged (None: not fixed)."""

    design: str
    protocol: Protocol
    times: Callable[[int, dict[str, Any]], int | None]
    options: dict[str, st.SearchStrategy[Any]] = field(default_factory=dict)

    @cached_property
    def stages(self) -> dict[str, Stage]:
        return {page: stages[0] for page, stages in self.protocol.pages.items()}

    def __repr__(self) -> str:
        stage = self.protocol.stages[0]
        return f"{self.design}-{self.protocol.name}-{stage.unit.value}-{stage.object.value}"


def everyone(judges: int, options: dict[str, Any]) -> int:
    return judges


def as_asked(judges: int, options: dict[str, Any]) -> int:
    return int(options["judges_per_document"])


def not_fixed(judges: int, options: dict[str, Any]) -> None:
    return None


PER = {"judges_per_document": st.integers(1, 3)}
CASES = [
    *(Case("full", asked, everyone) for asked in (RATING, PAIRS, ISOLATED, SOURCE, FALCON, QUESTIONED)),
    *(Case("batches", asked, as_asked, PER) for asked in (RATING, PAIRS, ISOLATED, FALCON, QUESTIONED)),
    *(
        Case(
            "random",
            asked,
            not_fixed,
            {"overlap": st.floats(0, 1), "judges_per_document": st.just(1), "judges_on_overlap": st.integers(1, 3)},
        )
        for asked in (RATING, PAIRS, ISOLATED, FALCON)
    ),
    *(Case("pool", asked, as_asked, PER) for asked in (RATING, PAIRS, ISOLATED, SOURCE)),
    *(Case("pairs", asked, not_fixed, {"pairs_per_document": st.integers(0, 3)}) for asked in (PAIRS, ISOLATED)),
    Case("latin_square", RATING, not_fixed),
    Case("latin_square", SCENARIOS, not_fixed, {"rated": st.sampled_from([[], ["m0"]])}),
    Case("latin_square", SCENARIOS, not_fixed, {"rotate": st.just("both")}),
    Case("parity", PARITY, not_fixed, {"sets": st.integers(1, 2), "swap": st.booleans()}),
]


def assigned(case: Case, seed: int, texts: list[Document], judges: list[Judge], options: dict[str, Any]) -> list[Task]:
    systems = texts[0].systems
    rng = np.random.default_rng(seed)
    return designs.assign(case.design, texts, judges, case.protocol, rng=rng, systems=systems, **options)


def scenario_of(case: Case, task: Task) -> str | None:
    return case.stages[task.page].scenario


def check_order(case: Case, texts: list[Document], tasks: list[Task]) -> None:
    """Inside a task on a document its sentences stand in order; the whole document comes after its sentences."""
    places = {(d.id, s.id): n for d in texts for n, s in enumerate(d.segments)}
    for task in tasks:
        if case.stages[task.page].unit is Unit.IN_CONTEXT:
            assert len({item.document for item in task.items}) == 1
            order = [places[item.document, item.segment] for item in task.items]
            assert order == sorted(order)
    followed = [
        (one, two)
        for one, two in pairwise(tasks)
        if one.judge == two.judge and two.page == "ds" and one.page in ("sc", "sc_ranking")
    ]
    assert all(one.items[0].document == two.items[0].document for one, two in followed)
    assert len(followed) == sum(task.page == "ds" for task in tasks)


def check_scenarios(case: Case, tasks: list[Task]) -> None:
    seen: dict[tuple[str, str], set[str | None]] = defaultdict(set)
    arms: dict[str, set[str | None]] = defaultdict(set)
    for task in tasks:
        for item in task.items:
            seen[task.judge, item.document].add(scenario_of(case, task))
        arms[task.judge].add(case.stages[task.page].arm)
    assert all(len(met) == 1 for met in seen.values())
    assert all(len(mine) == 1 for mine in arms.values()) or not any(s.arm for s in case.protocol.stages)


def check_sides(case: Case, tasks: list[Task]) -> None:
    """Each output of a set stands first as often as any other, within one, per judge and page."""
    first: dict[tuple[str, str, tuple[str, ...]], Counter[str]] = defaultdict(Counter)
    for task in tasks:
        alone = case.stages[task.page].unit is Unit.ISOLATED
        for item in task.items if alone else task.items[:1]:
            first[task.judge, task.page, tuple(sorted(item.systems))][item.systems[0] if item.systems else ""] += 1
        assert alone or len({item.systems for item in task.items}) == 1
    for (_, _, systems), counts in first.items():
        held = [counts[name] for name in systems]
        assert len(held) < 2 or max(held) - min(held) <= 1


def check_loads(case: Case, tasks: list[Task], judges: list[Judge], texts: Sequence[Document]) -> None:
    """Documents within one of each other; words, where words are balanced, within the longest document of the mean."""
    size = {text.id: sum(len(segment.source.split()) or 1 for segment in text) or 1 for text in texts}
    loads: dict[str | None, dict[str, set[str]]] = defaultdict(lambda: {judge.id: set() for judge in judges})
    for task in tasks:
        arm = case.stages[task.page].arm
        loads[arm][task.judge] |= {item.document for item in task.items if item.document}
    for arm, mine in loads.items():
        held = [len(own) for own in mine.values() if own or arm is None]
        if case.design in ("random", "batches"):
            words = [sum(size[name] for name in own) for own in mine.values() if own or arm is None]
            assert max(words) <= sum(words) / len(words) + max(size.values())
        elif case.design != "parity":
            assert max(held) - min(held) <= 1


@pytest.mark.parametrize("case", CASES, ids=repr)
@settings(max_examples=examples(15), deadline=None)
@given(
    seed=st.integers(0, 2**32),
    sizes=st.lists(st.integers(1, 5), min_size=2, max_size=9),
    number=st.integers(1, 8),
    systems=st.integers(2, 3),
    data=st.data(),
)
def test_guarantees(case: Case, seed: int, sizes: list[int], number: int, systems: int, data: st.DataObject) -> None:
    texts, judges = corpus(sizes, SYSTEMS[:systems]), people(number)
    options = {name: data.draw(strategy, label=name) for name, strategy in case.options.items()}
    try:
        tasks = assigned(case, seed, texts, judges, options)
    except DesignError as refusal:
        assert refusal.next_step
        number = 8 if case.design == "parity" else 12  # divides into any groups asked for here
        judges = people(number)
        sizes = [*sizes, 3, 3, 3]
        texts = corpus(sizes, SYSTEMS[:systems])
        tasks = assigned(case, seed, texts, judges, options)
    assert tasks == assigned(case, seed, texts, judges, options)
    check_order(case, texts, tasks)
    check_scenarios(case, tasks)
    check_sides(case, tasks)
    text_tasks = [task for task in tasks if task.items[0].document]
    if case.design != "pool":
        check_loads(case, text_tasks, judges, texts)
        keys = [
            (task.judge, task.page, item.document, item.segment, tuple(sorted(item.systems)))
            for task in tasks
            for item in task.items
        ]
        assert len(keys) == len(set(keys)), "nobody gets the same item twice"
    times = case.times(number, options)
    counts = Counter(
        (task.page, item.document, item.segment, tuple(sorted(item.systems)))
        for task in text_tasks
        for item in task.items
    )
    if times is not None:
        assert set(counts.values()) == {times}
        assert {document for _, document, _, _ in counts} == {document.id for document in texts}


@pytest.mark.parametrize(
    ("design", "asked", "number", "options", "advice"),
    [
        ("batches", RATING, 5, {"judges_per_document": 2}, "Add 1 judge, or leave out 1, or ask for 1 per document."),
        ("batches", RATING, 1, {"judges_per_document": 2}, "Add 1 judge, or ask for 1 per document."),
        ("random", RATING, 2, {"judges_on_overlap": 4}, "Add 2 judges, or ask for 2 per document."),
        ("random", RATING, 2, {"overlap": 2.0}, "Give a number from 0 to 1."),
        ("random", RATING, 4, {"judges_per_document": 3}, "Ask for at least 3 on the overlap."),
        ("pool", RATING, 2, {"judges_per_document": 3}, "Ask for 1 to 2 judges per document."),
        ("pool", FALCON, 2, {}, "Use the design batches or random"),
        ("pool", QUESTIONED, 2, {}, "Ask it before the texts"),
        ("pairs", RATING, 2, {}, "Use the design full, batches or latin_square."),
        ("latin_square", SCENARIOS, 3, {"even_groups": True}, "Add 1 judge, or leave out 1."),
        ("latin_square", SCENARIOS, 1, {"even_groups": True}, "Add 1 judge."),
        ("latin_square", SCENARIOS, 4, {"rotate": "systems"}, 'Say rotate="scenarios" or rotate="both".'),
        ("latin_square", RATING, 4, {"rotate": "scenarios"}, 'Say rotate="systems", or use full.'),
        ("latin_square", RATING, 4, {"rated": ["m0 "]}, "Did you mean 'm0'?"),
        ("latin_square", RATING, 4, {"rated": ["m0"]}, "Name more systems, or use full."),
        ("latin_square", SCENARIOS, 4, {"set_field": "set"}, "Give every document its test set."),
        ("parity", PARITY, 4, {"whole": 4}, "Ask for at most 3."),
        ("parity", PARITY, 4, {"sentences_each": 9}, "Ask for at most 3 sentences"),
        ("parity", PARITY, 5, {}, "Add 1 judge to each arm"),
        ("parity", RATING, 4, {}, "Use the protocol parity"),
        ("full", SCENARIOS, 4, {}, "Use the design latin_square"),
        ("random", SCENARIOS, 4, {}, "Use the design latin_square"),
    ],
)
def test_a_refusal_says_the_smallest_change_that_would_work(
    design: str, asked: Protocol, number: int, options: dict[str, Any], advice: str
) -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(DesignError) as caught:
        designs.assign(design, corpus([3, 3, 3, 3]), people(number), asked, rng=rng, systems=["m0", "m1"], **options)
    assert advice in caught.value.next_step


def test_every_design_has_a_title() -> None:
    assert set(designs.titles()) == {"adaptive", "full", "batches", "random", "pool", "pairs", "latin_square", "parity"}

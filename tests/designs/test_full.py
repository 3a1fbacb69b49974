from __future__ import annotations

from collections import Counter, defaultdict
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lanner import designs
from lanner.designs.full import assign
from lanner.errors import DesignError
from lanner.model import Document, Judge, Protocol, Segment, Task
from lanner.protocols import load
from property_examples import examples


def corpus(sizes: list[int], systems: list[str]) -> list[Document]:
    return [
        Document(f"d{n}", tuple(Segment(str(s), "…", dict.fromkeys(systems, "…")) for s in range(size)))
        for n, size in enumerate(sizes)
    ]


def judges(count: int) -> list[Judge]:
    return [Judge(f"j{n}") for n in range(count)]


def protocol(*stages: dict[str, object]) -> Protocol:
    question = [{"id": "q", "kind": "scale", "min": 1, "max": 4}]
    numbered = [{"id": f"s{n}", "question": question, **stage} for n, stage in enumerate(stages)]
    return Protocol.model_validate({"name": "p", "version": "1", "stage": numbered})


RATING = protocol({"unit": "sentence_in_context", "object": "output"})
PAIRS = protocol({"unit": "sentence_in_context", "object": "outputs"})
ISOLATED = protocol({"unit": "isolated_sentence", "object": "outputs"})


def made(
    proto: Protocol, seed: int, sizes: list[int], systems: list[str], people: int = 2, **options: object
) -> list[Task]:
    rng = np.random.default_rng(seed)
    return assign(corpus(sizes, systems), judges(people), proto, rng=rng, systems=systems, **options)  # type: ignore[arg-type]


@given(st.integers(0, 2**32), st.lists(st.integers(1, 7), min_size=1, max_size=8), st.integers(1, 4), st.integers(1, 4))
@settings(max_examples=examples(40), deadline=None)
def test_everyone_judges_everything_once_in_document_order(
    seed: int, sizes: list[int], count: int, people: int
) -> None:
    systems = [f"m{n}" for n in range(count)]
    tasks = made(RATING, seed, sizes, systems, people)
    assert tasks == made(RATING, seed, sizes, systems, people)
    for judge in judges(people):
        mine = [task for task in tasks if task.judge == judge.id]
        seen = Counter((task.items[0].document, task.items[0].systems) for task in mine)
        assert seen == Counter((f"d{n}", (name,)) for n in range(len(sizes)) for name in systems)
        for task in mine:
            document = int(task.items[0].document[1:])
            assert [item.segment for item in task.items] == [str(n) for n in range(sizes[document])]
        # the same source comes again only after every other document has come
        places = defaultdict(list)
        for place, task in enumerate(mine):
            places[task.items[0].document].append(place // len(sizes))
        assert all(rounds == list(range(count)) for rounds in places.values())


@given(st.integers(0, 2**32), st.integers(1, 9), st.integers(2, 4))
@settings(max_examples=examples(40), deadline=None)
def test_sides_are_balanced_within_one(seed: int, documents: int, count: int) -> None:
    systems = [f"m{n}" for n in range(count)]
    tasks = made(PAIRS, seed, [2] * documents, systems, people=3)
    for judge in judges(3):
        left: dict[frozenset[str], Counter[str]] = defaultdict(Counter)
        for task in tasks:
            if task.judge == judge.id:
                assert len({item.systems for item in task.items}) == 1
                left[frozenset(task.items[0].systems)][task.items[0].systems[0]] += 1
        assert len(left) == count * (count - 1) // 2
        for pair, counts in left.items():
            assert sum(counts.values()) == documents
            assert max(counts[name] for name in pair) - min(counts[name] for name in pair) <= 1


@given(st.integers(0, 2**32), st.lists(st.integers(1, 9), min_size=1, max_size=9), st.integers(1, 20))
@settings(max_examples=examples(40), deadline=None)
def test_isolated_sentences_are_mixed_and_cut_evenly(seed: int, sizes: list[int], most: int) -> None:
    tasks = made(ISOLATED, seed, sizes, ["a", "b"], people=1, sentences_per_task=most)
    items = [item for task in tasks for item in task.items]
    assert Counter((i.document, i.segment) for i in items) == Counter(
        (f"d{n}", str(s)) for n, size in enumerate(sizes) for s in range(size)
    )
    lengths = [len(task.items) for task in tasks]
    assert max(lengths) <= most and max(lengths) - min(lengths) <= 1 and len(lengths) == -(-sum(sizes) // most)
    left = Counter(item.systems[0] for item in items)
    assert abs(left["a"] - left["b"]) <= 1


def test_isolated_sentences_leave_their_documents() -> None:
    tasks = made(ISOLATED, 1, [10] * 10, ["a", "b"], people=1)
    neighbours = [one.document == two.document for task in tasks for one, two in pairwise(task.items)]
    assert sum(neighbours) < len(neighbours) / 2


def test_orders_differ_between_judges_unless_the_given_order_is_wanted() -> None:
    mixed = made(RATING, 1, [1] * 9, ["a"], people=2)
    orders = {tuple(t.items[0].document for t in mixed if t.judge == j) for j in ("j0", "j1")}
    assert len(orders) == 2
    kept = made(RATING, 1, [1] * 9, ["a"], people=2, shuffle=False)
    assert [t.items[0].document for t in kept] == [f"d{n}" for n in range(9)] * 2


def test_falcon_asks_once_about_the_source_then_about_each_output() -> None:
    tasks = made(load("falcon"), 0, [3, 2], ["a", "b"], people=1)
    assert [(task.page, task.items[0].systems) for task in tasks[:2]] == [("label", ()), ("label", ())]
    assert Counter((task.page, task.items[0].systems) for task in tasks[2:]) == {
        ("rating", ("a",)): 2,
        ("rating", ("b",)): 2,
    }


def test_a_page_can_ask_about_sentences_then_the_document() -> None:
    both = protocol(
        {"unit": "sentence_in_context", "object": "output", "page": "p"},
        {"unit": "document", "object": "output", "page": "p"},
    )
    (task,) = made(both, 0, [2], ["a"], people=1)
    assert [item.segment for item in task.items] == ["0", "1", ""]


def test_rating_and_comparing_on_one_page() -> None:
    both = protocol(
        {"unit": "document", "object": "output", "page": "p"}, {"unit": "document", "object": "outputs", "page": "p"}
    )
    (task,) = made(both, 0, [2], ["a", "b"], people=1, shuffle=False)
    alone, also_alone, together = (item.systems for item in task.items)
    assert together == (*alone, *also_alone) and {*alone, *also_alone} == {"a", "b"}


def test_questionnaires_come_once_in_their_place() -> None:
    asked = protocol(
        {"unit": "judge", "object": "none"},
        {"unit": "document", "object": "source"},
        {"unit": "judge", "object": "none"},
    )
    tasks = made(asked, 0, [1, 1], [], people=1)
    assert [(t.page, len(t.items), t.items[0].document != "") for t in tasks] == [
        ("s0", 1, False), ("s1", 1, True), ("s1", 1, True), ("s2", 1, False),
    ]  # fmt: skip


def test_context_and_outputs_that_are_lacking_are_not_judged() -> None:
    segments = (
        Segment("1", "…", {"a": "…"}),
        Segment("2", "…", {"a": "…"}, judged=False),
        Segment("3", "…", {"b": "…"}),
        Segment("4", "…", {}, {"a": "a reference can be judged like any system"}),
    )
    rng = np.random.default_rng(0)
    tasks = assign([Document("d", segments)], judges(1), RATING, rng=rng, systems=["a", "b", "c"])
    found = {task.items[0].systems: [item.segment for item in task.items] for task in tasks}
    assert found == {("a",): ["1", "4"], ("b",): ["3"]}


def test_arms_are_shared_out_evenly_and_roles_are_for_some() -> None:
    arms = protocol(
        {"unit": "document", "object": "source", "arm": "adequacy"},
        {"unit": "document", "object": "source", "arm": "fluency"},
        {"unit": "document", "object": "source", "role": "analyst"},
    )
    people = [*judges(4), Judge("ann", attributes={"analyst": True})]
    tasks = assign(corpus([1], []), people, arms, rng=np.random.default_rng(4), systems=[])
    pages = {judge.id: [t.page for t in tasks if t.judge == judge.id] for judge in people}
    assert all(len(set(mine) & {"s0", "s1"}) == 1 for mine in pages.values())
    assert sorted(Counter(mine[0] for mine in pages.values()).values()) == [2, 3]
    assert [judge for judge, mine in pages.items() if "s2" in mine] == ["ann"]


def test_promoted_stages_wait_for_their_answers() -> None:
    promotion = {"question": "q", "is": ["1"], "more_than": 0.4}
    two = protocol(
        {"unit": "isolated_sentence", "object": "source"},
        {"unit": "sentence_in_context", "object": "source", "promotion": promotion},
    )
    assert {task.page for task in made(two, 0, [3], [])} == {"s0"}


def test_refusals_say_what_would_work() -> None:
    scenarios = protocol(
        {"unit": "document", "object": "source", "scenario": "one"},
        {"unit": "document", "object": "source", "scenario": "two"},
    )
    with pytest.raises(DesignError, match="2 scenarios") as caught:
        made(scenarios, 0, [1], [])
    assert "all_scenarios" in caught.value.next_step
    assert len(made(scenarios, 0, [1], [], people=1, all_scenarios=True)) == 2
    with pytest.raises(DesignError, match="2 outputs are compared"):
        made(PAIRS, 0, [1], ["a"])
    with pytest.raises(DesignError, match="No document has an output"):
        made(RATING, 0, [1], [])
    with pytest.raises(DesignError, match="no judge"):
        made(RATING, 0, [1], ["a"], people=0)
    with pytest.raises(DesignError, match="'d0' is there twice"):
        assign(corpus([1], ["a"]) * 2, judges(1), RATING, rng=np.random.default_rng(0), systems=["a"])


def test_by_name_with_options() -> None:
    assert "full" in designs.titles()
    assert designs.options("full") == {"shuffle": True, "sentences_per_task": 20, "all_scenarios": False}
    rng = np.random.default_rng(0)
    assert (
        len(designs.assign("full", corpus([1], ["a"]), judges(2), RATING, rng=rng, systems=["a"], shuffle=False)) == 2
    )
    with pytest.raises(DesignError, match="no option 'shufle'") as caught:
        designs.assign("full", corpus([1], ["a"]), judges(2), RATING, rng=rng, systems=["a"], shufle=False)
    assert "shuffle" in caught.value.next_step


@pytest.mark.parametrize("design", ["full", "pairs"])
def test_a_crossing_that_no_memory_holds_is_refused_before_it_is_made(design: str) -> None:
    texts, systems = corpus([1000] * 10, ["a", "b"]), ["a", "b"]
    asked = PAIRS if design == "pairs" else RATING
    with pytest.raises(DesignError, match="At most 5,000,000"):
        designs.assign(design, texts, judges(2000), asked, rng=np.random.default_rng(0), systems=systems)

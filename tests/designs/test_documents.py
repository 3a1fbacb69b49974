from __future__ import annotations

from collections import Counter, defaultdict
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from design_setups import SYSTEMS, corpus, people, protocol
from lanner import campaign, designs, protocols
from lanner.errors import DesignError
from lanner.model import Document, Judge, Protocol, Segment, Task
from lanner.protocols import load
from lanner.store import Store
from property_examples import examples

RATING = protocol({"unit": "sentence_in_context", "object": "output"})
PAIRS = protocol({"unit": "sentence_in_context", "object": "outputs"})
DOCUMENT_PAIRS = protocol({"unit": "document", "object": "outputs"})
ISOLATED = protocol({"unit": "isolated_sentence", "object": "outputs"})


def made(
    proto: Protocol, seed: int, sizes: list[int], systems: list[str], judge_count: int = 2, **options: object
) -> list[Task]:
    rng = np.random.default_rng(seed)
    return designs.assign(
        "full", corpus(sizes, systems), people(judge_count), proto, rng=rng, systems=systems, **options
    )


@given(st.integers(0, 2**32), st.lists(st.integers(1, 7), min_size=1, max_size=8), st.integers(1, 4), st.integers(1, 4))
@settings(max_examples=examples(40), deadline=None)
def test_everyone_judges_everything_once_in_document_order(
    seed: int, sizes: list[int], count: int, judge_count: int
) -> None:
    systems = [f"m{n}" for n in range(count)]
    tasks = made(RATING, seed, sizes, systems, judge_count)
    assert tasks == made(RATING, seed, sizes, systems, judge_count)
    for judge in people(judge_count):
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
    tasks = made(PAIRS, seed, [2] * documents, systems, judge_count=3)
    for judge in people(3):
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
    tasks = made(ISOLATED, seed, sizes, ["a", "b"], judge_count=1, sentences_per_task=most)
    items = [item for task in tasks for item in task.items]
    assert Counter((i.document, i.segment) for i in items) == Counter(
        (f"d{n}", str(s)) for n, size in enumerate(sizes) for s in range(size)
    )
    lengths = [len(task.items) for task in tasks]
    assert max(lengths) <= most and max(lengths) - min(lengths) <= 1 and len(lengths) == -(-sum(sizes) // most)
    left = Counter(item.systems[0] for item in items)
    assert abs(left["a"] - left["b"]) <= 1


def test_isolated_sentences_leave_their_documents() -> None:
    tasks = made(ISOLATED, 1, [10] * 10, ["a", "b"], judge_count=1)
    neighbours = [one.document == two.document for task in tasks for one, two in pairwise(task.items)]
    assert sum(neighbours) < len(neighbours) / 2


def test_orders_differ_between_judges_unless_the_given_order_is_wanted() -> None:
    mixed = made(RATING, 1, [1] * 9, ["a"], judge_count=2)
    orders = {tuple(t.items[0].document for t in mixed if t.judge == j) for j in ("j0", "j1")}
    assert len(orders) == 2
    kept = made(RATING, 1, [1] * 9, ["a"], judge_count=2, shuffle=False)
    assert [t.items[0].document for t in kept] == [f"d{n}" for n in range(9)] * 2


def test_falcon_asks_once_about_the_source_then_about_each_output() -> None:
    tasks = made(load("falcon"), 0, [3, 2], ["a", "b"], judge_count=1)
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
    (task,) = made(both, 0, [2], ["a"], judge_count=1)
    assert [item.segment for item in task.items] == ["0", "1", ""]


def test_rating_and_comparing_on_one_page() -> None:
    both = protocol(
        {"unit": "document", "object": "output", "page": "p"}, {"unit": "document", "object": "outputs", "page": "p"}
    )
    (task,) = made(both, 0, [2], ["a", "b"], judge_count=1, shuffle=False)
    alone, also_alone, together = (item.systems for item in task.items)
    assert together == (*alone, *also_alone) and {*alone, *also_alone} == {"a", "b"}


def test_questionnaires_come_once_in_their_place() -> None:
    asked = protocol(
        {"unit": "judge", "object": "none"},
        {"unit": "document", "object": "source"},
        {"unit": "judge", "object": "none"},
    )
    tasks = made(asked, 0, [1, 1], [], judge_count=1)
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
    tasks = designs.assign("full", [Document("d", segments)], people(1), RATING, rng=rng, systems=["a", "b", "c"])
    found = {task.items[0].systems: [item.segment for item in task.items] for task in tasks}
    assert found == {("a",): ["1", "4"], ("b",): ["3"]}


def test_arms_are_shared_out_evenly_and_roles_are_for_some() -> None:
    arms = protocol(
        {"unit": "document", "object": "source", "arm": "adequacy"},
        {"unit": "document", "object": "source", "arm": "fluency"},
        {"unit": "document", "object": "source", "role": "analyst"},
    )
    judges = [*people(4), Judge("ann", attributes={"analyst": True})]
    tasks = designs.assign("full", corpus([1], []), judges, arms, rng=np.random.default_rng(4), systems=[])
    pages = {judge.id: [t.page for t in tasks if t.judge == judge.id] for judge in judges}
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


@pytest.mark.parametrize("design", ["full", "pairs"])
def test_a_document_with_nothing_to_judge_needs_no_outputs_to_compare(design: str) -> None:
    """WMT's canary line is such a document."""
    canary = Document("canary", (Segment("0", "CANARY", judged=False),))
    texts = [*corpus([2], ["a", "b"]), canary]
    tasks = designs.assign(design, texts, people(1), PAIRS, rng=np.random.default_rng(0), systems=["a", "b"])
    assert {item.document for task in tasks for item in task.items} == {"d0"}


def test_refusals_say_what_would_work() -> None:
    scenarios = protocol(
        {"unit": "document", "object": "source", "scenario": "one"},
        {"unit": "document", "object": "source", "scenario": "two"},
    )
    with pytest.raises(DesignError, match="2 scenarios") as caught:
        made(scenarios, 0, [1], [])
    assert "all_scenarios" in caught.value.next_step
    assert len(made(scenarios, 0, [1], [], judge_count=1, all_scenarios=True)) == 2
    with pytest.raises(DesignError, match="2 outputs are compared"):
        made(PAIRS, 0, [1], ["a"])
    with pytest.raises(DesignError, match="No document has an output"):
        made(RATING, 0, [1], [])
    with pytest.raises(DesignError, match="no judge"):
        made(RATING, 0, [1], ["a"], judge_count=0)
    with pytest.raises(DesignError, match="'d0' is there twice"):
        designs.assign("full", corpus([1], ["a"]) * 2, people(1), RATING, rng=np.random.default_rng(0), systems=["a"])


def test_by_name_with_options() -> None:
    assert "full" in designs.titles()
    assert designs.options("full") == {"shuffle": True, "sentences_per_task": 20, "all_scenarios": False}
    rng = np.random.default_rng(0)
    assert (
        len(designs.assign("full", corpus([1], ["a"]), people(2), RATING, rng=rng, systems=["a"], shuffle=False)) == 2
    )
    with pytest.raises(DesignError, match="no option 'shufle'") as caught:
        designs.assign("full", corpus([1], ["a"]), people(2), RATING, rng=rng, systems=["a"], shufle=False)
    assert "shuffle" in caught.value.next_step


@pytest.mark.parametrize("design", ["full", "pairs"])
def test_a_crossing_that_no_memory_holds_is_refused_before_it_is_made(design: str) -> None:
    texts, systems = corpus([1000] * 10, ["a", "b"]), ["a", "b"]
    asked = PAIRS if design == "pairs" else RATING
    with pytest.raises(DesignError, match="At most 5,000,000"):
        designs.assign(design, texts, people(2000), asked, rng=np.random.default_rng(0), systems=systems)


# Random assignment meets the overlap that was asked for.


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


# Teams judge together and share nothing.


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


# Every pair comes up equally often.


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
        "pairs", corpus([1] * number, names), people(3), DOCUMENT_PAIRS, rng=rng, systems=names, pairs_per_document=per
    )
    for judge in people(3):
        shown = Counter(tuple(sorted(t.items[0].systems)) for t in tasks if t.judge == judge.id)
        assert sum(shown.values()) == number * (min(per, every) or every)
        assert max(shown.values()) - min([*shown.values(), *([0] if len(shown) < every else [])]) <= 1


# Free tasks for whoever comes first.


def test_every_document_comes_once_before_any_comes_again() -> None:
    rng = np.random.default_rng(2)
    tasks = designs.assign(
        "pool", corpus([1] * 6), people(3), DOCUMENT_PAIRS, rng=rng, systems=["m0", "m1"], judges_per_document=2
    )
    assert {task.judge for task in tasks} == {""}
    documents = [task.items[0].document for task in tasks]
    assert sorted(documents[:6]) == sorted(documents[6:]) == [f"d{n}" for n in range(6)]
    left = {(task.items[0].document, task.items[0].systems[0]) for task in tasks}
    assert len(left) == 12, "whoever judges second sees the other output on the left"


def test_consent_is_asked_of_each_judge() -> None:
    asked = protocols.compose(protocols.load("da"), before=[protocols.load("consent")])
    rng = np.random.default_rng(2)
    tasks = designs.assign("pool", corpus([1, 1]), people(2), asked, rng=rng, systems=["m0"])
    assert [(task.judge, task.page) for task in tasks] == [
        ("j0", "consent"), ("j1", "consent"), ("", "rating"), ("", "rating"),
    ]  # fmt: skip


def test_in_a_campaign_a_judge_gets_every_task_once_and_no_pair_again_with_its_sides_changed(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "lanner.db")
    try:
        for name, protocol, tasks in (("pairs", "ranking_ds", 3), ("sentences", "ranking_rs", 4)):
            options = {"judges_per_document": 2, "sentences_per_task": 3}
            campaign.create(store, name, corpus([4] * 3), protocol, people(2), design="pool", options=options)
            campaign.open(store, name)
            for judge in ("j0", "j1"):
                seen = []
                while task := campaign.next_task(store, name, judge):
                    for place, item in enumerate(task.items):
                        seen.append((item.document, item.segment))
                        question = protocol
                        campaign.submit(store, task.id, place, {question: [1, 2]}, submission=f"{task.id} {place}")
                    campaign.finish(store, task.id)
                assert len(seen) == len(set(seen)) == (3 if name == "pairs" else 12)
                assert len(campaign.tasks(store, name, judge)) == tasks
    finally:
        store.close()

"""From a judge's share to tasks: order of pages, rounds, sides, cuts."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from design_setups import corpus, people, protocol
from lanner import protocols
from lanner.designs._layout import (
    DocumentShare,
    Sides,
    TaskLayout,
    cut,
    is_for,
    items,
    lay_out,
    outputs,
)
from lanner.model import Document, Item, Judge, JudgeKind, Protocol, Segment

TEXTS = corpus([2, 3])
(JUDGE,) = people(1)


def pages(asked: Protocol, shares: list[DocumentShare], **more: object) -> list[tuple[str, str, tuple[str, ...]]]:
    layout = TaskLayout(asked, ("m0", "m1"), shuffle=False)
    tasks = lay_out(layout, JUDGE, shares, rng=np.random.default_rng(0), **more)  # type: ignore[arg-type]
    return [(task.page, task.items[0].document, tuple(sorted(task.items[0].systems))) for task in tasks]


def test_a_documents_sentences_its_comparison_and_the_whole_come_one_after_the_other() -> None:
    asked = protocols.load("scenarios")
    both, one, two = ("m0", "m1"), ("m0",), ("m1",)
    rated = [DocumentShare(document, "in_context", one) for document in TEXTS]
    assert pages(asked, rated) == [
        ("sc", "d0", one), ("sc_ranking", "d0", both), ("ds", "d0", one), ("ds_ranking", "d0", both),
        ("sc", "d1", one), ("sc_ranking", "d1", both), ("ds", "d1", one), ("ds_ranking", "d1", both),
    ]  # fmt: skip
    assert pages(asked, [DocumentShare(TEXTS[0], "in_context")]) == [
        ("sc", "d0", one), ("ds", "d0", one),
        ("sc", "d0", two), ("sc_ranking", "d0", both), ("ds", "d0", two), ("ds_ranking", "d0", both),
    ]  # fmt: skip


def test_scenarios_come_in_the_order_given_and_questionnaires_stay_in_place() -> None:
    asked = protocols.compose(
        protocols.load("scenarios"), before=[protocols.load("consent")], after=[protocols.load("post_task")]
    )
    shares = [DocumentShare(TEXTS[0], "isolated", ("m0",)), DocumentShare(TEXTS[1], "in_context", ("m0",))]
    for order in (["isolated", "in_context"], ["in_context", "isolated"]):
        found = [page for page, _, _ in pages(asked, shares, scenarios=order)]
        assert (found[0], found[-1]) == ("consent", "post_task")
        isolated, in_context = ["rs", "rs_ranking"], ["sc", "sc_ranking", "ds", "ds_ranking"]
        assert found[1:-1] == (isolated + in_context if order[0] == "isolated" else in_context + isolated)


def test_what_is_asked_of_the_source_comes_before_any_output_is_seen() -> None:
    found = [page for page, _, _ in pages(protocols.load("falcon"), [DocumentShare(document) for document in TEXTS])]
    assert found == ["label"] * 2 + ["rating"] * 4


def test_some_sentences_only() -> None:
    asked = protocol({"unit": "isolated_sentence", "object": "source"})
    layout = TaskLayout(asked, ())
    shares = [DocumentShare(TEXTS[1], segments=frozenset({"0", "2"}))]
    (task,) = lay_out(layout, JUDGE, shares, rng=np.random.default_rng(0))
    assert sorted(item.segment for item in task.items) == ["0", "2"]


@given(seed=st.integers(0, 2**32), times=st.integers(1, 30), size=st.integers(2, 4))
def test_sides_are_taken_in_turns(seed: int, times: int, size: int) -> None:
    sides, shown = Sides(np.random.default_rng(seed)), tuple("abcd"[:size])
    seen = [sides.next(shown) for _ in range(times)]
    for place in range(size):
        counts = Counter(order[place] for order in seen)
        assert max(counts[name] for name in shown) - min(counts[name] for name in shown) <= 1


@given(count=st.integers(0, 60), most=st.integers(1, 20))
def test_tasks_are_cut_as_few_and_as_equal_as_possible(count: int, most: int) -> None:
    every = [Item("d", str(n)) for n in range(count)]
    parts = cut(every, most)
    assert [item for part in parts for item in part] == every
    assert len(parts) == -(-count // most)
    assert not parts or max(map(len, parts)) - min(map(len, parts)) <= 1


def test_outputs_and_items_of_a_document() -> None:
    question = [{"id": "q", "kind": "rank"}]
    stage = {"id": "s", "unit": "sentence_in_context", "object": "outputs", "outputs": 3, "question": question}
    stages = Protocol.model_validate({"name": "p", "version": "1", "stage": [stage]}).stages
    document = Document(
        "d", (Segment("1", "…", dict.fromkeys("abcd", "…")), Segment("2", "…", dict.fromkeys("abc", "…")))
    )
    assert outputs(document, stages, ["d", "a", "x", "b"]) == [("d", "a", "b")]
    assert len(outputs(document, stages, "abcd")) == 4
    assert items(document, stages, ("a", "b", "d")) == (Item("d", "1", ("a", "b", "d")),)
    assert items(document, stages, ("a", "b", "c")) == (
        Item("d", "1", ("a", "b", "c")),
        Item("d", "2", ("a", "b", "c")),
    )
    empty = Document("e", (Segment("1", "…", {"a": "…", "b": " ", "c": "…", "d": "…"}), *document.segments[1:]))
    assert outputs(empty, stages, "abd") == [("a", "b", "d")]  # b has an output elsewhere in the document
    assert items(empty, stages, ("a", "b", "d")) == ()
    ids_alone = Document("i", (Segment("1", "", dict.fromkeys("abc", "")),))
    assert items(ids_alone, stages, ("a", "b", "c")) == (Item("i", "1", ("a", "b", "c")),)


def test_questionnaires_are_for_people() -> None:
    stage = {"id": "s", "unit": "judge", "object": "none", "question": [{"id": "q", "kind": "text"}]}
    [stage_] = Protocol.model_validate({"name": "p", "version": "1", "stage": [stage]}).stages
    asked = {kind: is_for(stage_, Judge("j", kind=kind), None) for kind in JudgeKind}
    assert [kind for kind, yes in asked.items() if not yes] == [JudgeKind.MODEL, JudgeKind.METRIC]

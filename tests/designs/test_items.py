from __future__ import annotations

from lanner.designs._items import is_for, items, outputs
from lanner.model import Document, Item, Judge, JudgeKind, Protocol, Segment


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

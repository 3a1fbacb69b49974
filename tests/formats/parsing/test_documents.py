from __future__ import annotations

from pathlib import Path

import pytest

from lanner.errors import InputError
from lanner.formats.parsing.documents import Gathering

HERE = Path("rows.csv")


def gathering(documents: bool = True, segments: bool = True) -> Gathering:
    return Gathering(HERE, "rows", has_documents=documents, has_segments=segments)


def test_ids_are_kept_and_order_is_that_of_appearance() -> None:
    rows = gathering()
    for line, (doc, seg) in enumerate([("b", "9"), ("a", "2"), ("b", "1")], 2):
        rows.segment(rows.document(doc, line, dict), seg, line, "x")
    assert [(d.id, [s.id for s in d]) for d in rows.documents()] == [("b", ["9", "1"]), ("a", ["2"])]


def test_without_ids_segments_are_counted_and_one_document_holds_all() -> None:
    rows = gathering(False, False)
    for line in (2, 3):
        rows.segment(rows.document("", line, dict), "", line, "x")
    assert [(d.id, [s.id for s in d]) for d in rows.documents()] == [("rows", ["1", "2"])]


def test_outputs_of_one_segment_come_together() -> None:
    rows = gathering(segments=False)
    for line, (system, source) in enumerate([("A", "x"), ("A", "y"), ("B", "x"), ("B", "z")], 2):
        draft = rows.segment(rows.document("d", line, dict), "", line, source, system)
        draft.outputs[system] = f"{system}{line}"
    (document,) = rows.documents()
    assert [dict(s.outputs) for s in document] == [{"A": "A2", "B": "B4"}, {"A": "A3", "B": "B5"}]
    assert document.segments[1].flags == ("source_differs",)
    assert document.segments[1].meta == {"sources": {"B": "z"}}
    assert any("1 rows have another source" in note for note in rows.notes())


@pytest.mark.parametrize(("doc", "seg", "message"), [("", "1", "names no document"), ("d", "", "no segment id")])
def test_empty_ids_are_errors(doc: str, seg: str, message: str) -> None:
    rows = gathering()
    with pytest.raises(InputError, match=message) as caught:
        rows.segment(rows.document(doc, 7, dict), seg, 7, "x")
    assert caught.value.where.line == 7


def test_repeated_ids_are_errors_that_name_both_lines() -> None:
    rows = gathering()
    rows.segment(rows.document("d", 2, dict), "1", 2, "x")
    with pytest.raises(InputError, match="already on line 2"):
        rows.segment(rows.document("d", 5, dict), "1", 5, "x")


def test_a_released_document_may_not_return() -> None:
    rows = gathering()
    rows.segment(rows.document("d", 2, dict), "1", 2, "x")
    assert rows.release_first().id == "d"
    with pytest.raises(InputError, match=r"from line 2\) do not stand together"):
        rows.document("d", 9, dict)

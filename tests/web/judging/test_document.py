"""The texts of a task as rows and their markup."""

from __future__ import annotations

import pytest
from lxml import html

from lanner import protocols
from lanner.model import Document, Item, Segment, Stage, Unit
from lanner.web.judging.document import DocumentBlock, DocumentRow, TextCell, lines, open_window, together, writing
from lanner.web.speech import Messages


def item(segment: str, document: str = "a", *systems: str) -> Item:
    return Item(document, segment, systems or ("x",))


def stage(unit: Unit) -> Stage:
    return protocols.load("h_falcon").stages[0].model_copy(update={"unit": unit})


def test_sentences_of_one_document_and_output_stand_together() -> None:
    items = [item("1"), item("2"), item("1", "b"), item("1", "b", "y"), item("2", "b", "y")]
    assert together(items, stage(Unit.IN_CONTEXT)) == [[0, 1], [2], [3, 4]]
    assert together(items, stage(Unit.ISOLATED)) == [[0], [1], [2], [3], [4]]
    assert together([], stage(Unit.IN_CONTEXT)) == []


def test_a_repeated_sentence_gets_a_block_of_its_own() -> None:
    assert together([item("1"), item("2"), item("1")], stage(Unit.IN_CONTEXT)) == [[0, 1], [2]]


def block(size: int, **more: object) -> DocumentBlock:
    return DocumentBlock(tuple(DocumentRow(n, n, ()) for n in range(size)), (), **more)  # type: ignore[arg-type]


def test_only_the_block_of_the_row_is_open() -> None:
    shown = open_window([block(3), block(3)], 4, whole=False)
    assert [part.hidden for part in shown] == [True, False]


def test_the_window_around_a_row() -> None:
    [shown] = open_window([block(30, window=(2, 3))], 10, whole=False)
    assert [line.number for line in shown.rows if not line.hidden] == [8, 9, 10, 11, 12, 13]
    assert (shown.above, shown.below) == (8, 16)
    [whole] = open_window([block(30, window=(2, 3))], 10, whole=True)
    assert not any(line.hidden for line in whole.rows)
    [fixed] = open_window([block(30, window=(2, 3), can_open=False)], 0, whole=True)
    assert sum(not line.hidden for line in fixed.rows) == 4


def test_direction_comes_from_the_language() -> None:
    assert writing("ar") == ("ar", "rtl")
    assert writing("az-Arab") == ("az-Arab", "rtl")
    assert writing("und") == ("", "auto")
    assert Document("d", (Segment("1", "x"),)).source_language == "und"


HOSTILE = "<b>\"&'</b>"


def drawn(*rows: DocumentRow, first: int = 0, active: int = 0, answers: bool = False, item: int | None = None) -> list:
    made = lines(DocumentBlock(rows, (), item=item), first, active, Messages().get, answers=answers)
    return html.fragment_fromstring(f"<div>{made}</div>").findall("div/div")


@pytest.mark.parametrize("count", [0, 1, 6, 7, 12])
def test_lines_stand_in_batches_and_make_one_list(count: int) -> None:
    """A batch is painted as one; to those who listen there is none."""
    rows = [DocumentRow(n, n, ()) for n in range(count)]
    assert [line.get("data-row") for line in drawn(*rows, first=3)] == [str(n + 3) for n in range(count)]
    made = lines(DocumentBlock(tuple(rows), ()), 3, 0, Messages().get, answers=False)
    batches = html.fragment_fromstring(f"<div>{made}</div>").findall("div")
    assert [len(batch) for batch in batches] == [min(6, count - start) for start in range(0, count, 6)]
    assert {batch.get("role") for batch in batches} <= {"none"}
    assert {line.get("role") for line in drawn(*rows)} <= {"listitem"}


def test_a_line_names_its_row_its_item_and_its_state() -> None:
    first, second = drawn(
        DocumentRow(7, 3, (), state="done"), DocumentRow(8, None, (), hidden=True), first=10, active=10
    )
    assert first.get("class") == "row is-active is-done" and second.get("class") == "row aside"
    assert (first.get("data-row"), first.get("data-item")) == ("10", "3")
    assert second.get("data-item") is None and second.get("hidden") is not None
    assert first.find("a").get("href") == "?row=11" and first.find("a").get("aria-current") == "true"
    assert first.find("a").get("aria-label") == "Sentence 7" and second.find("a").get("aria-current") is None


def test_no_line_of_a_document_judged_as_a_whole_stands_aside() -> None:
    assert drawn(DocumentRow(1, None, ()), active=5, item=0)[0].get("class") == "row"


def test_whatever_a_text_or_a_name_contains_is_text() -> None:
    cells = (TextCell("source", HOSTILE, "", "auto"), TextCell("target", HOSTILE, HOSTILE, "rtl", output=1))
    [line] = drawn(DocumentRow(1, 0, cells, segment=HOSTILE))
    source, target = line.findall("p")
    assert source.text == target.text == target.get("lang") == line.get("data-segment") == HOSTILE
    assert source.get("lang") is None and source.get("class") == "src"
    assert (target.get("data-side"), target.get("data-output"), target.get("dir")) == ("target", "1", "rtl")


def test_each_line_has_a_place_for_the_judges_own_answer_where_it_stands_in_columns() -> None:
    assert drawn(DocumentRow(1, 0, ()), answers=True)[0].find("p").get("class") == "mine"

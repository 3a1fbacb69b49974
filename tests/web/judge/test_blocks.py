from __future__ import annotations

from lanner.model import Document, Item, Segment, Unit
from lanner.web.judge.blocks import Block, Row, opened, together, writing


def item(segment: str, document: str = "a", *systems: str) -> Item:
    return Item(document, segment, systems or ("x",))


def test_sentences_of_one_document_and_output_stand_together() -> None:
    items = [item("1"), item("2"), item("1", "b"), item("1", "b", "y"), item("2", "b", "y")]
    assert together(items, Unit.IN_CONTEXT) == [[0, 1], [2], [3, 4]]
    assert together(items, Unit.ISOLATED) == [[0], [1], [2], [3], [4]]
    assert together([], Unit.IN_CONTEXT) == []


def test_a_repeated_sentence_gets_a_block_of_its_own() -> None:
    assert together([item("1"), item("2"), item("1")], Unit.IN_CONTEXT) == [[0, 1], [2]]


def block(size: int, **more: object) -> Block:
    return Block(tuple(Row(n, n, ()) for n in range(size)), (), **more)  # type: ignore[arg-type]


def test_only_the_block_of_the_row_is_open() -> None:
    shown = opened([block(3), block(3)], 4, whole=False)
    assert [part.hidden for part in shown] == [True, False]


def test_the_window_around_a_row() -> None:
    [shown] = opened([block(30, window=(2, 3))], 10, whole=False)
    assert [line.number for line in shown.rows if not line.hidden] == [8, 9, 10, 11, 12, 13]
    assert (shown.above, shown.below) == (8, 16)
    [whole] = opened([block(30, window=(2, 3))], 10, whole=True)
    assert not any(line.hidden for line in whole.rows)
    [fixed] = opened([block(30, window=(2, 3), can_open=False)], 0, whole=True)
    assert sum(not line.hidden for line in fixed.rows) == 4


def test_direction_comes_from_the_language() -> None:
    assert writing("ar") == ("ar", "rtl")
    assert writing("az-Arab") == ("az-Arab", "rtl")
    assert writing("und") == ("", "auto")
    assert Document("d", (Segment("1", "x"),)).source_language == "und"

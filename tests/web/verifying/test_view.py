from __future__ import annotations

from dataclasses import replace

from lanner.corpus.review import Review
from lanner.model import Segment
from lanner.web.verifying.view import group, lines
from rows_to_review import DOCUMENT, DOUBTS, review_session


def test_a_segment_stands_between_its_neighbours_with_its_doubts() -> None:
    shown = group(review_session().review, 0)
    assert [(row.id, row.own, row.doubtful, row.last) for row in shown.rows] == [
        ("6", False, False, False),
        ("7.1", True, True, False),
        ("7.2", True, False, False),
        ("7.3", True, False, True),
        ("8.1", False, False, False),
        ("8.2", False, False, False),
    ]
    assert [cell.sure for cell in shown.rows[1].cells] == [None, 0.41]
    assert (shown.row, shown.left, shown.of, shown.title) == ("7.1", 2, 2, "The <rain>")


def test_outputs_that_are_sure_are_shown_on_request() -> None:
    segments = tuple(
        replace(s, outputs={**s.outputs, **dict.fromkeys("bcde", "B")}, references={"A": "R"})
        for s in DOCUMENT.segments
    )
    review = Review.of([replace(DOCUMENT, segments=segments)], DOUBTS)
    few, all_of_them = group(review, 0), group(review, 0, "7.2", everything=True)
    assert [column.name for column in few.columns] == ["Source", "Reference A", "a"]
    assert (few.hidden, few.foldable) == (4, True)
    assert [column.name for column in all_of_them.columns] == ["Source", "Reference A", *"abcde"]
    assert (all_of_them.row, all_of_them.width) == ("7.2", 8)
    assert not group(review_session().review, 0).foldable, "a few fit beside each other"


def test_texts_keep_their_language_and_direction() -> None:
    arabic = replace(DOCUMENT, target_language="ar")
    source, target = group(Review.of([arabic], DOUBTS), 0).columns
    assert (source.direction, target.direction, target.language) == ("ltr", "rtl", "ar")
    unknown = replace(DOCUMENT, target_language="und")
    assert group(Review.of([unknown], DOUBTS), 0).columns[1].direction == "auto"
    chinese = replace(DOCUMENT, target_language="zh")
    assert [column.unspaced for column in group(Review.of([chinese], DOUBTS), 0).columns] == [False, True]


def test_the_list_is_short_and_says_what_is_settled() -> None:
    made = review_session()
    made.act({"do": "accept", "at": 0, "row": "7.1"})
    assert [(line.number, line.open) for line in lines(made.review)] == [(0, False), (1, True)]
    long = replace(DOCUMENT, segments=tuple(replace(s, source="word " * 60) for s in DOCUMENT.segments))
    assert len(lines(Review.of([long], DOUBTS))[0].text) < 100


def test_a_row_without_an_output_of_some_system_is_shown_empty() -> None:
    segments = (*DOCUMENT.segments[:-1], Segment("9", "After."))
    shown = group(Review.of([replace(DOCUMENT, segments=segments)], DOUBTS), 1)
    assert shown.rows[-1].cells[1].text == ""

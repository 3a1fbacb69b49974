from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lanner.web.organiser.marking import Piece, marked


def test_overlaps_name_everyone() -> None:
    spans = {"a": [{"side": "source", "start": 0, "end": 5}], "b": [{"side": "source", "start": 3, "end": 8}]}
    assert marked("012345678", spans, "source") == (
        Piece("012", ("a",)),
        Piece("34", ("a", "b")),
        Piece("567", ("b",)),
        Piece("8"),
    )


def test_the_other_side_and_places_outside_do_not_count() -> None:
    spans = {
        "a": [{"side": "target", "start": 0, "end": 2}, {"side": "source", "start": 2, "end": 99}, {"missing": True}]
    }
    assert marked("abcd", spans, "source") == (Piece("ab"), Piece("cd", ("a",)))


def test_offsets_count_code_points() -> None:
    assert marked("😀ab", {"a": [{"side": "target", "start": 1, "end": 2}]}, "target") == (
        Piece("😀"),
        Piece("a", ("a",)),
        Piece("b"),
    )


@given(st.text(max_size=30), st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=5))
def test_no_letter_is_lost(text: str, places: list[tuple[int, int]]) -> None:
    spans = {"a": [{"side": "source", "start": start, "end": end} for start, end in places]}
    assert "".join(piece.text for piece in marked(text, spans, "source")) == text

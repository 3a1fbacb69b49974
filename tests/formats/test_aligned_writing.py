from __future__ import annotations

from pathlib import Path

import pytest

from lanner.errors import InputError
from lanner.formats._aligned_writing import Texts, names_of, write_lines, write_places
from lanner.model import Document, Segment

DOCUMENT = Document(
    "d", (Segment("0", "a", {"oak": "A"}, {"r": "R"}), Segment("1", "b\nc", {"oak": "B"})), domain="news"
)


def test_lines(tmp_path: Path) -> None:
    write_lines(tmp_path / "x", [DOCUMENT], Texts("output", "oak"))
    assert (tmp_path / "x").read_text() == "A\nB\n"
    write_lines(tmp_path / "x", [DOCUMENT], Texts("source", newline="<br>"))
    assert (tmp_path / "x").read_text() == "a\nb<br>c\n"


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (Texts("source"), "line break"),
        (Texts("reference", "r"), "no reference 'r'"),
        (Texts("source", newline="b"), "already holds the mark"),
    ],
)
def test_what_lines_cannot_hold(tmp_path: Path, texts: Texts, message: str) -> None:
    with pytest.raises(InputError, match=message):
        write_lines(tmp_path / "x", [DOCUMENT], texts)
    assert not (tmp_path / "x").exists()


def test_segment_ids_are_written_only_where_they_are_not_line_numbers(tmp_path: Path) -> None:
    write_places(tmp_path / "x", [DOCUMENT])
    assert (tmp_path / "x").read_text() == "news\td\nnews\td\n"
    write_places(tmp_path / "x", [Document("d", (Segment("s7", "a"),))])
    assert (tmp_path / "x").read_text() == "-\td\ts7\n"


def test_names_that_are_no_file_names_are_refused() -> None:
    assert names_of([DOCUMENT]) == (["r"], ["oak"])
    with pytest.raises(InputError, match="file name"):
        names_of([Document("d", (Segment("1", "a", {"../x": "A"}),))])

from __future__ import annotations

from pathlib import Path

import pytest

from lanner.errors import InputError
from lanner.formats.parsing.aligned import AlignedFiles, AlignedTexts, names_of, read_aligned, write_lines, write_places
from lanner.model import Document, Segment

DOCUMENT = Document(
    "d", (Segment("0", "a", {"oak": "A"}, {"r": "R"}), Segment("1", "b\nc", {"oak": "B"})), domain="news"
)


def test_lines(tmp_path: Path) -> None:
    write_lines(tmp_path / "x", [DOCUMENT], AlignedTexts("output", "oak"))
    assert (tmp_path / "x").read_text() == "A\nB\n"
    write_lines(tmp_path / "x", [DOCUMENT], AlignedTexts("source", newline="<br>"))
    assert (tmp_path / "x").read_text() == "a\nb<br>c\n"


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (AlignedTexts("source"), "line break"),
        (AlignedTexts("reference", "r"), "no reference 'r'"),
        (AlignedTexts("source", newline="b"), "already holds the mark"),
    ],
)
def test_what_lines_cannot_hold(tmp_path: Path, texts: AlignedTexts, message: str) -> None:
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


def put(path: Path, text: str) -> Path:
    path.write_bytes(text.encode())
    return path


def files(folder: Path, source: str, output: str, docs: str | None, newline: str = "") -> AlignedFiles:
    return AlignedFiles(
        put(folder / "src.txt", source),
        ("en", "de"),
        outputs={"oak": put(folder / "oak.txt", output)},
        documents=put(folder / "x.docs", docs) if docs is not None else None,
        newline=newline,
    )


def test_lines_become_segments_of_documents(tmp_path: Path) -> None:
    made = list(read_aligned(files(tmp_path, "a\nb\nc\n", "A\nB\nC", "news\td1\nnews\td1\n-\td2\n")))
    assert [(d.id, d.domain, [(s.id, s.source, s.outputs["oak"]) for s in d]) for d in made] == [
        ("d1", "news", [("0", "a", "A"), ("1", "b", "B")]),
        ("d2", "", [("2", "c", "C")]),
    ]
    assert made[0].language_pair == "en-de"


@pytest.mark.parametrize("docs", ["d1\nd1\n", "news d1\nnews d1\n", "news\td1\t7\nnews\td1\t9\n"])
def test_ways_to_name_documents(tmp_path: Path, docs: str) -> None:
    (document,) = read_aligned(files(tmp_path, "a\nb\n", "A\nB\n", docs))
    assert document.id == "d1"
    assert [segment.id for segment in document] == (["7", "9"] if "9" in docs else ["0", "1"])


def test_without_names_there_is_one_document(tmp_path: Path) -> None:
    (document,) = read_aligned(files(tmp_path, "a\n\nb", "A\n\nB\n", None))
    assert (document.id, [segment.source for segment in document]) == ("src", ["a", "", "b"])


def test_a_mark_can_stand_for_line_breaks(tmp_path: Path) -> None:
    (document,) = read_aligned(files(tmp_path, "a<br>b\n", "A\n", None, newline="<br>"))
    assert document.segments[0].source == "a\nb"


def test_canary_lines_are_flagged_and_not_judged(tmp_path: Path) -> None:
    made = list(read_aligned(files(tmp_path, "CANARY GUID 1\na\n", "CANARY GUID 1\nA\n", "canary\tcanary\nx\td\n")))
    assert [(s.flags, s.judged) for d in made for s in d] == [(("canary",), False), ((), True)]


def test_ragged_files_are_named_with_the_place_where_they_part(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        list(read_aligned(files(tmp_path, "a\nb\nc\nd\n", "A\n\nB\n", None)))
    what = str(caught.value)
    assert "src.txt has 4 lines, oak.txt has 3: line 4 has no partner" in what
    assert "on line 2 only one of them is empty" in what
    assert caught.value.where.line == 4


@pytest.mark.parametrize(
    ("docs", "message", "line"),
    [
        ("n\td1\nn\td2\nn\td1\n", "'d1' began on line 1", 3),
        ("n\td1\nn\t\nn\td1\n", "DOMAIN and DOCUMENT", 2),
        ("n\td1\nn\td1\tx\ty\nn\td1\n", "DOMAIN and DOCUMENT", 2),
        ("n\td1\t5\nn\td1\t5\nn\td2\n", "have the id '5'", None),
        ("n\td1\n", "line 2 has no partner", 2),
    ],
)
def test_wrong_document_files(tmp_path: Path, docs: str, message: str, line: int | None) -> None:
    with pytest.raises(InputError, match=message) as caught:
        list(read_aligned(files(tmp_path, "a\nb\nc\n", "A\nB\nC\n", docs)))
    assert caught.value.where.line == line

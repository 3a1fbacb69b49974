from __future__ import annotations

import dataclasses
import pickle
import zipfile
from pathlib import Path
from types import ModuleType

import pytest

from lanner import formats
from lanner.analysis import material
from lanner.errors import InputError, LannerError
from lanner.formats import Format, Reading, TextStream
from lanner.formats.parsing.readings import UNKNOWN_LANGUAGES, SegmentsByDocument
from lanner.formats.parsing.textfile import ReadingNote, fact_of, subject_of
from lanner.model import Document, Segment

HERE = Path("rows.csv")


def gathering(documents: bool = True, segments: bool = True) -> SegmentsByDocument:
    return SegmentsByDocument(HERE, "rows", has_documents=documents, has_segments=segments)


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
    assert any("1 row has another source" in note for note in rows.notes())


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


# One file for each judge


HEADER = "document,segment,system,source,target"
TEXTS = [f"d{n // 2},{n % 2 + 1},X,Sentence {n}.,Satz {n}." for n in range(6)]


def ratings(folder: Path, judge: str, *, named: bool = True, texts: list[str] = TEXTS, header: str = HEADER) -> Path:
    """A file of one judge, who gives the length of the own name plus the row."""
    rows = [f"{judge},{row},{len(judge) + n}" if named else f"{row},{len(judge) + n}" for n, row in enumerate(texts)]
    path = folder / f"{judge}.csv"
    path.write_text("\n".join([f"{'judge,' if named else ''}{header},score", *rows]) + "\n", encoding="utf-8")
    return path


def scores(reading: Reading) -> dict[str, list[object]]:
    return {judge.id: [e.value for e in reading.judgements if e.judge == judge.id] for judge in reading.judges}


EXPECTED = {"ann": list(range(3, 9)), "bert": list(range(4, 10))}


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("how", ["files", "folder", "zip"])
def test_one_file_for_each_judge_is_one_study(tmp_path: Path, named: bool, how: str) -> None:
    folder = tmp_path / "ratings"
    folder.mkdir()
    paths = [ratings(folder, judge, named=named) for judge in ("ann", "bert")]
    archive = tmp_path / "ratings.zip"
    with zipfile.ZipFile(archive, "w") as out:
        for path in paths:
            out.write(path, path.name)
    [reading] = formats.read({"files": paths, "folder": folder, "zip": archive}[how])
    assert scores(reading) == EXPECTED
    assert [len(document.segments) for document in reading.documents] == [2, 2, 2]
    assert "2 files about the same texts are read as one" in " ".join(reading.notes)


def test_files_that_name_no_document_are_about_one(tmp_path: Path) -> None:
    rows = [row.split(",", 1)[1] for row in TEXTS[:2]]
    paths = [ratings(tmp_path, judge, texts=rows, header="segment,system,source,target") for judge in ("ann", "bert")]
    [reading] = formats.read(paths)
    assert [document.id for document in reading.documents] == ["texts"]
    assert {entry.document for entry in reading.judgements} == {"texts"}


def test_a_folder_can_be_analysed(tmp_path: Path) -> None:
    for judge in ("ann", "bert"):
        ratings(tmp_path, judge, named=False)
    [part] = material.from_file(tmp_path)
    assert [judge.id for judge in part.judges] == ["ann", "bert"]


def test_other_translations_are_another_study(tmp_path: Path) -> None:
    korean = [row.replace("Satz", "문장") for row in TEXTS]
    paths = [ratings(tmp_path, "ann"), ratings(tmp_path, "kim", texts=korean)]
    assert [list(scores(reading)) for reading in formats.read(paths)] == [["ann"], ["kim"]]


def test_ratings_without_texts_are_joined_only_where_the_files_are_named_by_their_judges(tmp_path: Path) -> None:
    rows = [",".join(row.split(",")[:3]) for row in TEXTS]
    paths = [ratings(tmp_path, judge, texts=rows, header="document,segment,system") for judge in ("ann", "bert")]
    [reading] = formats.read(paths)
    assert scores(reading) == EXPECTED
    pairs = [path.rename(tmp_path / f"{pair}.csv") for path, pair in zip(paths, ("en-de", "en-ko"), strict=True)]
    assert [list(scores(reading)) for reading in formats.read(pairs)] == [["ann"], ["bert"]]


def test_other_questions_and_the_same_judges_are_left_apart(tmp_path: Path) -> None:
    first = ratings(tmp_path, "ann")
    other = tmp_path / "bert.csv"
    other.write_text(first.read_text().replace("ann,", "bert,").replace("score", "fluency"))
    assert len(formats.read([first, other])) == 2
    again = tmp_path / "again.csv"
    again.write_text(first.read_text())
    assert len(formats.read([first, again])) == 2


def test_the_same_sources_alone_are_not_the_same_texts(tmp_path: Path) -> None:
    """German and Korean ratings of the same sentences, without the translations."""
    rows = [",".join(row.split(",")[:4]) for row in TEXTS]
    paths = [
        ratings(tmp_path, judge, texts=rows, header="document,segment,system,source").rename(tmp_path / f"{pair}.csv")
        for judge, pair in (("ann", "de"), ("kim", "ko"))
    ]
    assert len(formats.read(paths)) == 2


def test_a_reading_is_frozen_and_empty_by_default() -> None:
    reading = Reading("x", ())
    assert (reading.judges, reading.judgements, reading.protocol, reading.notes) == ((), (), "", ())
    with pytest.raises(dataclasses.FrozenInstanceError):
        reading.name = "y"  # type: ignore[misc]


def test_a_stream_of_texts_gathers_notes_on_the_way() -> None:
    stream = TextStream("x", iter(()))
    stream.notes.append("One row is blank.")
    assert (list(stream.documents), stream.notes) == ([], ["One row is blank."])
    assert TextStream("y", iter(())).notes == []


def test_a_plug_in_is_a_format_a_module_with_one_or_a_module_of_the_older_style() -> None:
    mine = Format(name="mine", title="mine", read=lambda path: [])
    assert Format.of("mine", mine) is mine

    module = ModuleType("theirs")
    module.FORMAT = mine  # type: ignore[attr-defined]
    assert Format.of("theirs", module) == dataclasses.replace(mine, name="theirs")

    older = ModuleType("older", "What it is.")
    older.TITLE, older.recognise, older.read = "older", lambda path: True, lambda path: []  # type: ignore[attr-defined]
    older.OPTIONS, older.GENERIC = {"x": "an option"}, True  # type: ignore[attr-defined]
    found = Format.of("older", older)
    assert (found.title, found.description, dict(found.options), found.generic) == (
        "older",
        "What it is.",
        {"x": "an option"},
        True,
    )
    assert found.recognise is older.recognise
    assert found.write is None


def test_a_plug_in_that_is_no_format_is_an_error() -> None:
    with pytest.raises(LannerError, match="is no format"):
        Format.of("odd", object())
    with pytest.raises(LannerError, match="is no format"):
        Format.of("odd", ModuleType("odd"))


def test_a_reading_shows_itself_in_a_line() -> None:
    document = Document("d", tuple(Segment(str(n), "A long text. " * 50) for n in range(1000)))
    assert repr(Reading("x", (document,) * 100)) == (
        "Reading('x': 100 documents, 100,000 segments, 0 judges, 0 judgements)"
    )


# Notes of readers


def test_a_note_is_one_line_whose_fact_can_be_had_alone() -> None:
    note = ReadingNote("All rows are one document.", "--columns document=NAME changes that.")
    assert note == "All rows are one document. --columns document=NAME changes that."
    assert fact_of(note) == "All rows are one document."
    assert (subject_of(note), subject_of(UNKNOWN_LANGUAGES)) == ("", "languages")


def test_any_text_can_be_a_note_and_notes_travel_between_processes() -> None:
    assert (fact_of("3 rows are blank."), subject_of("3 rows are blank.")) == ("3 rows are blank.", "")
    there = pickle.loads(pickle.dumps(UNKNOWN_LANGUAGES))
    assert (there, fact_of(there), subject_of(there)) == (UNKNOWN_LANGUAGES, UNKNOWN_LANGUAGES.fact, "languages")

from __future__ import annotations

import dataclasses
import pickle
from types import ModuleType

import pytest

from lanner.errors import LannerError
from lanner.formats import Format, Reading, TextStream
from lanner.formats._format import UNKNOWN_LANGUAGES, Note, fact_of, subject_of
from lanner.model import Document, Segment


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
    note = Note("All rows are one document.", "--columns document=NAME changes that.")
    assert note == "All rows are one document. --columns document=NAME changes that."
    assert fact_of(note) == "All rows are one document."
    assert (subject_of(note), subject_of(UNKNOWN_LANGUAGES)) == ("", "languages")


def test_any_text_can_be_a_note_and_notes_travel_between_processes() -> None:
    assert (fact_of("3 rows are blank."), subject_of("3 rows are blank.")) == ("3 rows are blank.", "")
    there = pickle.loads(pickle.dumps(UNKNOWN_LANGUAGES))
    assert (there, fact_of(there), subject_of(there)) == (UNKNOWN_LANGUAGES, UNKNOWN_LANGUAGES.fact, "languages")

from __future__ import annotations

import dataclasses

import pytest

from lanner.formats import Reading, TextStream


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

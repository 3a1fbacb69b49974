from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from formats.strategies import SAMPLES, names, texts
from lanner import formats
from lanner.errors import InputError
from lanner.model import Document, Segment
from property_examples import examples


def test_the_sample() -> None:
    (reading,) = formats.read(SAMPLES / "wmt24pp.jsonl")
    canary, harbour = reading.documents
    assert (harbour.language_pair, harbour.domain) == ("en-de-DE", "news")
    assert [(s.flags, s.judged) for d in (canary, harbour) for s in d] == [
        (("canary",), False),
        ((), True),
        (("bad_source",), False),
    ]
    assert harbour.segments[0].source == "The tide\nis out."
    assert dict(harbour.segments[0].references) == {"target": "Es ist\nEbbe.", "original_target": "Die Flut ist weg."}
    assert len(reading.notes) == 2


@settings(max_examples=examples(25), deadline=None)
@given(st.lists(st.tuples(names(), texts(), texts(), st.booleans()), min_size=1, max_size=4, unique_by=lambda t: t[0]))
def test_round_trip(rows: list[tuple[str, str, str, bool]]) -> None:
    segments = [
        Segment(name, source, references={"target": target}, judged=not bad, flags=("bad_source",) if bad else ())
        for name, source, target, bad in rows
    ]
    made = (Document("d", tuple(segments), "en", "pt-BR", domain="news"),)
    with tempfile.TemporaryDirectory() as folder:
        formats.write("wmt24pp", Path(folder) / "x.jsonl", made)
        assert formats.recognise(Path(folder) / "x.jsonl") == "wmt24pp"
        assert formats.read(Path(folder) / "x.jsonl")[0].documents == made


def test_what_has_no_place_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no place for 'oak'"):
        formats.write("wmt24pp", tmp_path / "x.jsonl", [Document("d", (Segment("1", "a", {"oak": "A"}),))])


def test_lines_of_a_document_stand_together(tmp_path: Path) -> None:
    line = '{"lp": "en-de_DE", "document_id": "%s", "segment_id": %d, "source": "x", "is_bad_source": false}\n'
    path = tmp_path / "x.jsonl"
    path.write_text(line % ("a", 1) + line % ("b", 1) + line % ("a", 2))
    with pytest.raises(InputError, match="do not stand together"):
        formats.read(path)
    path.write_text(line % ("a", 1) + line % ("a", 1))
    with pytest.raises(InputError, match="already on line 1"):
        formats.read(path)
    path.write_text(line % ("a", 1) + '{"lp": "x"}\n')
    with pytest.raises(InputError, match="lacks fields"):
        formats.read(path)


def test_several_pairs_are_several_readings(tmp_path: Path) -> None:
    line = '{"lp": "en-%s", "document_id": "a", "segment_id": 1, "source": "x", "is_bad_source": false}\n'
    path = tmp_path / "x.jsonl"
    path.write_text(line % "de_DE" + line % "ko_KR")
    assert [reading.name for reading in formats.read(path)] == ["x.en-de-DE", "x.en-ko-KR"]

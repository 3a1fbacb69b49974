from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from translate.storage import factory

from formats.strategies import SAMPLES, documents, texts
from lanner import formats
from lanner.errors import InputError
from lanner.model import Document, Segment


def test_version_1_2() -> None:
    (reading,) = formats.read(SAMPLES / "unit12.xlf")
    (document,) = reading.documents
    assert (document.id, document.language_pair) == ("harbour.txt", "en-de-DE")
    first, second = document.segments
    assert (first.id, first.source, dict(first.outputs), first.paragraph) == (
        *("a", "The tide is out.", {"target": "Es ist Ebbe."}, 1),
    )
    assert first.meta["state"] == "translated"
    assert first.meta["notes"] == ["check"]
    assert "<g" in first.meta["markup"]["source"]
    assert dict(second.outputs) == {}


def test_version_2_0() -> None:
    (reading,) = formats.read(SAMPLES / "unit20.xlf", system="oak")
    (document,) = reading.documents
    assert (document.id, document.language_pair) == ("f1", "en-ko")
    assert [(s.id, s.source, dict(s.outputs)) for s in document] == [
        ("s1", "The tide is out.", {"oak": "썰물이다."}),
        ("u1.2", "We wait.", {}),
        ("u2", "Plums", {}),
    ]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('id="b"', 'id="a"', "have the id 'a'"),
        ('id="b"', "", "no id"),
        ("<source>We wait.</source>", "", "no source"),
        ("</file>", '</file><file original="harbour.txt"><body/></file>', "already on line"),
        ("<xliff ", '<!DOCTYPE x [<!ENTITY a "b">]><xliff ', "declares entities"),
    ],
)
def test_faults_are_named(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = tmp_path / "x.xlf"
    path.write_text((SAMPLES / "unit12.xlf").read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")
    with pytest.raises(InputError, match=message):
        formats.read(path, "xliff")


@settings(max_examples=12, deadline=None)
@given(documents(texts(without="\x0b\x0c\ufffe\uffff")))
def test_round_trip_and_the_toolkit_agrees(made: list[Document]) -> None:
    corpus = [replace(d, segments=tuple(replace(s, outputs=dict([*s.outputs.items()][:1])) for s in d)) for d in made]
    system = next((name for d in corpus for name in d.systems), "target")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "one.xlf"
        formats.write("xliff", path, corpus, system=system)
        (first,) = formats.read(path, system=system)
        assert [[(s.id, s.source) for s in d] for d in first.documents] == [
            [(s.id, s.source) for s in d] for d in corpus
        ]
        formats.write("xliff", Path(folder) / "two.xlf", first.documents, system=system)
        assert formats.read(Path(folder) / "two.xlf", system=system)[0].documents == first.documents
        units = factory.getobject(str(path)).units
        assert len(units) == sum(len(d.segments) for d in corpus)


def test_one_target_only(tmp_path: Path) -> None:
    document = Document("d", (Segment("1", "a", {"oak": "A", "elm": "E"}),), "en", "de")
    with pytest.raises(InputError, match="one target"):
        formats.write("xliff", tmp_path / "x.xlf", [document])
    formats.write("xliff", tmp_path / "x.xlf", [document], system="elm")
    unit = factory.getobject(str(tmp_path / "x.xlf")).units[0]
    assert (str(unit.source), str(unit.target)) == ("a", "E")

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings

from formats.strategies import SAMPLES, documents, texts
from lanner import formats
from lanner.errors import InputError
from lanner.model import Document, Judge, Segment
from property_examples import examples

SAMPLE = (SAMPLES / "wmt.xml").read_text(encoding="utf-8")


def test_the_sample() -> None:
    (reading,) = formats.read(SAMPLES / "wmt.xml")
    harbour, suite = reading.documents
    assert (harbour.id, harbour.domain, harbour.language_pair) == ("harbour", "news", "en-de")
    assert harbour.meta == {"origlang": "en", "collection": "general"}
    assert [(s.id, s.paragraph) for s in harbour] == [("1", 1), ("2", 2), ("3", 2)]
    assert harbour.segments[0].source == "Low tide & high hopes"
    assert harbour.segments[0].meta == {"type": "title"}
    assert harbour.segments[1].source == "We wait.\nStill."
    assert [dict(s.references) for s in harbour] == [{"A": "Ebbe"}, {}, {"A": ""}]  # missing and empty differ
    assert [dict(s.outputs) for s in harbour] == [{"oak": "Niedrige Flut"}, {"oak": "Wir warten."}, {}]
    assert suite.meta["testsuite"] == "pronouns"
    assert reading.notes == (
        "1 document belongs to a test suite (meta: testsuite).",
        "1 output is empty or missing (document harbour, segment 3, system oak); nobody is asked about it.",
    )


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('id="suite"', 'id="harbour"', "already on line"),
        ('id="suite" ', "", "no id"),
        ('<seg id="2">We', '<seg id="1">We', "have the id '1'"),
        ('<seg id="2">Wir', '<seg id="9">Wir', "that the source lacks"),
        ('<seg id="2">Wir', '<seg id="1">Wir', "twice"),
        ("<src", "<source", "not well-formed|no source"),
        ("&amp;", "&nbsp;", "not well-formed|entity"),
        ("<dataset", '<!DOCTYPE d [<!ENTITY x "y">]><dataset', "declares entities"),
    ],
)
def test_faults_are_named(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = tmp_path / "x.xml"
    path.write_text(SAMPLE.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(InputError, match=message):
        formats.read(path, "wmt_xml")


@settings(max_examples=examples(12), deadline=None)
@given(documents(texts(without="\x0b\x0c\ufffe\uffff")))
def test_round_trip(made: list[Document]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        formats.write("wmt_xml", Path(folder) / "one.xml", made)
        assert formats.recognise(Path(folder) / "one.xml") == "wmt_xml"
        (first,) = formats.read(Path(folder) / "one.xml")
        for before, after in zip(made, first.documents, strict=True):
            assert [(s.id, s.source, s.outputs, s.references) for s in before] == [
                (s.id, s.source, s.outputs, s.references) for s in after
            ]
        formats.write("wmt_xml", Path(folder) / "two.xml", first.documents)
        assert formats.read(Path(folder) / "two.xml")[0].documents == first.documents


def test_refusals(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="control character"):
        formats.write("wmt_xml", tmp_path / "x.xml", [Document("d", (Segment("1", "\x00"),))])
    with pytest.raises(InputError, match="no judgements"):
        formats.write("wmt_xml", tmp_path / "x.xml", [], (), [Judge("a")])


def test_translations_into_a_third_language_are_left_out(tmp_path: Path) -> None:
    """French stood beside German as a reference of it and as a system that competes with it."""
    parts = [("ref", "de", "translator='A'"), ("ref", "fr", "translator='B'"), ("hyp", "fr", "system='t'")]
    text = "".join(
        f"<{k} lang='{c}' {n}><p><seg id='1'>{c}</seg></p></{k}>" for k, c, n in [*parts, ("hyp", "de", "system='s'")]
    )
    source = "<src lang='en'><p><seg id='1'>Low.</seg></p></src>"
    whole = f"<dataset id='x'><doc id='d' origlang='en'>{source}{text}</doc></dataset>"
    for name, pair, reference, system in (("t.xml", "en-de", "A", "s"), ("t.en-fr.xml", "en-fr", "B", "t")):
        (tmp_path / name).write_text(whole, encoding="utf-8")
        (reading,) = formats.read(tmp_path / name)
        (segment,) = reading.documents[0].segments
        code = pair.removeprefix("en-")
        assert (reading.documents[0].language_pair, segment.references, segment.outputs) == (
            pair,
            {reference: code},
            {system: code},
        )
        assert any("left out are translations into other languages" in note for note in reading.notes)

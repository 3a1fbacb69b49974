from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from translate.storage import factory

from formats.strategies import SAMPLES, documents, texts
from lanner import designs, formats, protocols
from lanner.errors import InputError
from lanner.model import Document, Judge, Segment
from property_examples import examples


def test_version_1_2() -> None:
    (reading,) = formats.read(SAMPLES / "unit12.xlf")
    (document,) = reading.documents
    assert (document.id, document.language_pair) == ("harbour.txt", "en-de-DE")
    first, second = document.segments
    assert (first.id, first.source, dict(first.outputs), first.paragraph) == (
        *("a", "The tide is {1}out{/1}.", {"target": "Es ist {1}Ebbe{/1}."}, 1),
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


@settings(max_examples=examples(12), deadline=None)
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


CODES = """<xliff version="1.2"><file original="a.html" source-language="en" target-language="fr"><body>
<trans-unit id="1"><source>Click <bpt id="1">&lt;b&gt;</bpt>Save<ept id="1">&lt;/b&gt;</ept><ph id="2">&lt;br/&gt;</ph>
</source><target>Cliquez <bpt id="1">&lt;b&gt;</bpt>ici<ept id="1">&lt;/b&gt;</ept></target></trans-unit>
<trans-unit id="2"><source><g id="5">Bold</g> <x id="6"/><mrk mtype="term">term</mrk></source>
<target> </target></trans-unit>
<trans-unit id="3"><source>One. Two.</source>
<seg-source><mrk mtype="seg" mid="1">One.</mrk> <mrk mtype="seg" mid="2">Two.
</mrk></seg-source><target><mrk mtype="seg" mid="1">Un.</mrk></target></trans-unit>
</body></file></xliff>"""


def test_inline_codes_are_placeholders_and_come_back(tmp_path: Path) -> None:
    path = tmp_path / "x.xlf"
    path.write_text(CODES, encoding="utf-8")
    (reading,) = formats.read(path)
    first, second, third, fourth = reading.documents[0].segments
    assert first.source == "Click {1}Save{/1}{2}\n"
    assert dict(first.outputs) == {"target": "Cliquez {1}ici{/1}"}
    assert second.source == "{5}Bold{/5} {6}term"
    assert not any("<" in segment.source for segment in reading.documents[0])
    assert [(s.id, s.source.strip(), dict(s.outputs)) for s in (third, fourth)] == [
        ("3.1", "One.", {"target": "Un."}),
        ("3.2", "Two.", {}),
    ]
    assert (second.outputs, second.flags, fourth.flags) == ({}, ("no_target",), ("no_target",))
    assert any("2 segments have no target" in note for note in reading.notes)
    formats.write("xliff", tmp_path / "y.xlf", reading.documents)
    again = formats.read(tmp_path / "y.xlf")[0].documents[0]
    assert "<bpt" in (tmp_path / "y.xlf").read_text(encoding="utf-8")
    assert [s.source for s in again] == [s.source for s in reading.documents[0]]


def test_a_segment_without_target_is_nobodys_task(tmp_path: Path) -> None:
    path = tmp_path / "x.xlf"
    path.write_text(CODES, encoding="utf-8")
    tasks = designs.assign(
        "full",
        list(formats.read_documents(path)),
        [Judge("a")],
        protocols.load("da"),
        rng=np.random.default_rng(0),
        systems=("target",),
    )
    assert sorted(item.segment for task in tasks for item in task.items) == ["1", "3.1"]


def test_a_file_without_units_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "x.xlf"
    path.write_text('<xliff version="1.2"><file original="a"><body/></file></xliff>', encoding="utf-8")
    with pytest.raises(InputError, match="no translation unit"):
        formats.read(path)


def test_codes_that_trados_keeps_are_no_segments_and_a_path_is_no_title(tmp_path: Path) -> None:
    units = '<trans-unit id="a" translate="no"><source><x id="1"/></source></trans-unit>'
    units += '<trans-unit id="b" translate="no"><source>Kept.</source></trans-unit>'
    units += '<trans-unit id="c"><source>One.</source><target>Eins.</target></trans-unit>'
    path = tmp_path / "t.sdlxliff"
    path.write_text(
        '<xliff xmlns="urn:oasis:names:tc:xliff:document:1.2" version="1.2"><file original="C:\\Users\\x\\letter.docx" '
        f'source-language="en-US" target-language="de-DE"><body>{units}</body></file></xliff>'
    )
    (reading,) = formats.read(path)
    (document,) = reading.documents
    assert (document.id, document.title) == ("C:\\Users\\x\\letter.docx", "letter.docx")
    assert [(segment.id, segment.judged, segment.flags) for segment in document] == [("b", False, ()), ("c", True, ())]
    assert any("1 segment is not to be translated" in note for note in reading.notes)
    formats.write("xliff", tmp_path / "again.xlf", [document])
    assert [segment.judged for segment in next(iter(formats.read_documents(tmp_path / "again.xlf")))] == [False, True]


def test_ids_of_segments_need_differ_within_their_unit_alone(tmp_path: Path) -> None:
    path = tmp_path / "two.xlf"
    segment = '<segment id="s1"><source>{0}</source><target>{0}</target></segment>'
    units = [
        f'<unit id="u1">{segment.format("One.")}<segment id="s2"><source>Two.</source></segment></unit>',
        f'<group id="g" translate="no"><unit id="u2">{segment.format("Three.")}</unit>'
        f'<unit id="u3" translate="yes"><segment><source>Four.</source></segment></unit></group>',
    ]
    head = '<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.1" srcLang="en" trgLang="de">'
    path.write_text(f'{head}<file id="f">{"".join(units)}</file></xliff>', encoding="utf-8")
    [document] = formats.read_documents(path)
    ids = [("u1.s1", "One.", True), ("u1.s2", "Two.", True), ("u2.s1", "Three.", False), ("u3", "Four.", True)]
    assert [(segment.id, segment.source, segment.judged) for segment in document] == ids

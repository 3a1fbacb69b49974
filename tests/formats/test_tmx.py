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
from property_examples import examples


def test_the_sample() -> None:
    (reading,) = formats.read(SAMPLES / "memory.tmx")
    (document,) = reading.documents
    assert (document.id, document.language_pair) == ("memory", "en-de")
    first, second = document.segments
    assert (first.id, first.source, first.outputs, first.references) == (
        *("t1", "The tide is out.", {"target": "Es ist {1}Ebbe{/1}."}, {}),
    )
    assert first.meta == {"notes": ["first"]}
    assert (second.id, second.source) == ("1", "We wait.")
    assert reading.notes


def test_another_pair_can_be_asked_for() -> None:
    (reading,) = formats.read(SAMPLES / "memory.tmx", languages="de-fr", system="oak")
    first = reading.documents[0].segments[0]
    assert (first.source, first.outputs, first.references) == (*("Es ist {1}Ebbe{/1}.", {"oak": "Marée basse."}, {}),)


def test_a_pair_is_found_in_other_forms_of_its_languages(tmp_path: Path) -> None:
    """`fr` selects `fr-FR` among several languages: another one's text under its name would be judged as French."""
    path = tmp_path / "t.tmx"
    variants = {"en-US": "The tide.", "de-DE": "Die Flut.", "fr-FR": "La marée."}
    unit = "".join(f'<tuv xml:lang="{code}"><seg>{text}</seg></tuv>' for code, text in variants.items())
    path.write_text(f'<tmx version="1.4"><header srclang="en-US"/><body><tu>{unit}</tu></body></tmx>', encoding="utf-8")
    (reading,) = formats.read(path, languages="en-fr")
    (segment,) = reading.documents[0].segments
    assert (segment.source, segment.outputs) == ("The tide.", {"target": "La marée."})
    assert any("fr-FR" in note for note in formats.read(path)[0].notes)
    with pytest.raises(InputError, match="both languages of en-ko; the file has de-DE, en-US, fr-FR"):
        formats.read(path, languages="en-ko")


def memory(path: Path, *units: str, header: str = "en") -> Path:
    body = "".join(
        "<tu>"
        + "".join(f'<tuv xml:lang="{code}"><seg>{text}</seg></tuv>' for code, text in zip(codes, codes, strict=True))
        + "</tu>"
        for codes in map(str.split, units)
    )
    path.write_text(f'<tmx version="1.4"><header srclang="{header}"/><body>{body}</body></tmx>', encoding="utf-8")
    return path


@pytest.mark.parametrize("header", ["en", "*all*"])
def test_a_third_language_is_neither_reference_nor_output(tmp_path: Path, header: str) -> None:
    """French was a reference of the German translation, and its output where it stood first."""
    path = memory(tmp_path / "t.tmx", "en de fr", "en fr de", "de en", "en fr", "fr de", "en de", header=header)
    (reading,) = formats.read(path)
    (document,) = reading.documents
    assert document.language_pair == "en-de"
    assert [(s.source, s.outputs.get("target"), s.references) for s in document] == [
        *[("en", "de", {})] * 3,
        ("en", None, {}),
        ("en", "de", {}),
    ]
    notes = " ".join(reading.notes)
    assert "Read as en-de; also there, and left out: fr." in notes
    assert "1 unit has no text in the language of the translations" in notes
    assert "1 unit has no text in the language of the source and is left out" in notes
    (french,) = formats.read(path, languages="en-fr")[0].documents
    assert [s.outputs.get("target") for s in french] == ["fr", "fr", None, "fr", None]


def test_a_second_text_in_the_language_of_the_output_is_a_reference(tmp_path: Path) -> None:
    (segment,) = formats.read(memory(tmp_path / "t.tmx", "en de-DE de-AT"))[0].documents[0].segments
    assert (segment.outputs, segment.references) == ({"target": "de-DE"}, {"de-AT": "de-AT"})
    (segment,) = formats.read(memory(tmp_path / "u.tmx", "en-US en-GB"))[0].documents[0].segments
    assert (segment.source, segment.outputs) == ("en-US", {"target": "en-GB"})


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("<seg>We wait.</seg>", "", "no segment"),
        ('<tu tuid="t1">', '<tu/><tu tuid="t1">', "no languages"),
        ('"tmx14.dtd"', '"tmx14.dtd" [<!ENTITY a "b">]', "declares entities"),
        ("<tu>", '<tu tuid="t1">', "already on line"),
    ],
)
def test_faults_are_named(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = tmp_path / "x.tmx"
    path.write_text((SAMPLES / "memory.tmx").read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")
    with pytest.raises(InputError, match=message):
        formats.read(path, "tmx")


@settings(max_examples=examples(12), deadline=None)
@given(documents(texts(without="\x0b\x0c\ufffe\uffff")))
def test_round_trip(made: list[Document]) -> None:
    corpus = [
        replace(
            d,
            source_language="en",
            target_language="ko",
            segments=tuple(replace(s, outputs={"oak": next(iter(s.outputs.values()), "x")}) for s in d),
        )
        for d in made
    ]
    with tempfile.TemporaryDirectory() as folder:
        formats.write("tmx", Path(folder) / "one.tmx", corpus)
        (first,) = formats.read(Path(folder) / "one.tmx", system="oak")
        assert [[(s.id, s.source, s.outputs) for s in d] for d in first.documents] == [
            [(s.id, s.source, s.outputs) for s in d] for d in corpus
        ]
        formats.write("tmx", Path(folder) / "two.tmx", first.documents)
        assert formats.read(Path(folder) / "two.tmx", system="oak")[0].documents == first.documents


def test_the_toolkit_reads_what_is_written(tmp_path: Path) -> None:
    formats.write("tmx", tmp_path / "x.tmx", [Document("d", (Segment("1", "a & b", {"oak": "ä"}),), "en", "de")])
    unit = factory.getobject(str(tmp_path / "x.tmx")).units[0]
    assert (str(unit.source), str(unit.target)) == ("a & b", "ä")


def test_one_output_only(tmp_path: Path) -> None:
    document = Document("d", (Segment("1", "a", {"oak": "A", "elm": "E"}),), "en", "de")
    with pytest.raises(InputError, match="one output"):
        formats.write("tmx", tmp_path / "x.tmx", [document])


def test_a_memory_without_units_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "x.tmx"
    path.write_text('<tmx version="1.4"><header srclang="en"/><body/></tmx>', encoding="utf-8")
    with pytest.raises(InputError, match="no translation unit"):
        formats.read(path)


def test_inline_codes_are_said(tmp_path: Path) -> None:
    seg = '<seg>Press <bpt i="1"/>Start<ept i="1"/>.</seg>'
    unit = f'<tu><tuv xml:lang="en">{seg}</tuv><tuv xml:lang="de"><seg>Start.</seg></tuv></tu>'
    path = tmp_path / "t.tmx"
    path.write_text(f'<tmx version="1.4"><header srclang="en"/><body>{unit}</body></tmx>', encoding="utf-8")
    [reading] = formats.read(path)
    assert reading.documents[0].segments[0].source == "Press {1}Start{/1}."
    assert "1 text has inline codes, shown as {1} and {/1}." in reading.notes


def test_units_without_ids_stand_beside_units_with_ids(tmp_path: Path) -> None:
    units = "".join(
        f'<tu{" tuid=" + chr(34) + tuid + chr(34) if tuid else ""}><tuv xml:lang="en"><seg>S {n}.</seg></tuv>'
        f'<tuv xml:lang="de"><seg>T {n}.</seg></tuv></tu>'
        for n, tuid in enumerate(["1", "", "", "x"])
    )
    path = tmp_path / "t.tmx"
    path.write_text(f'<tmx version="1.4"><header srclang="en"/><body>{units}</body></tmx>', encoding="utf-8")
    [reading] = formats.read(path)
    assert [(s.id, s.source) for s in reading.documents[0]] == [
        ("1", "S 0."),
        ("2", "S 1."),
        ("3", "S 2."),
        ("x", "S 3."),
    ]

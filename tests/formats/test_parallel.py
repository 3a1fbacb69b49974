from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings

from formats.strategies import SAMPLES, documents, full, texts
from lanner import formats
from lanner.errors import InputError
from lanner.model import Document, Judge, Segment
from property_examples import examples


def test_the_sample() -> None:
    (reading,) = formats.read(SAMPLES / "parallel")
    assert [(d.id, d.domain, d.language_pair) for d in reading.documents] == [
        ("canary", "canary", "en-de"),
        ("harbour", "news", "en-de"),
        ("market", "social", "en-de"),
    ]
    tide, low = reading.documents[1].segments
    assert dict(tide.outputs) == {"elm": "Ebbe.", "oak": "Die Flut ist weg."}
    assert dict(tide.references) == {"A": "Es ist Ebbe."}
    assert low.outputs["elm"] == ""
    assert [segment.id for document in reading.documents for segment in document] == ["0", "1", "2", "3"]
    assert any("1 canary lines" in note for note in reading.notes)
    assert tuple(formats.read_documents(SAMPLES / "parallel")) == reading.documents


def test_names_of_released_test_sets(tmp_path: Path) -> None:
    for name in ("newstest.en-de.src.en", "newstest.en-de.ref.B.de", "newstest.en-de.hyp.Online-A.de"):
        (tmp_path / name).write_text("x\n")
    (reading,) = formats.read(tmp_path)
    (segment,) = reading.documents[0].segments
    assert (dict(segment.references), dict(segment.outputs)) == ({"B": "x"}, {"Online-A": "x"})
    assert reading.documents[0].language_pair == "en-de"
    assert any("all lines are one" in note for note in reading.notes)


@pytest.mark.parametrize(
    ("names", "pair"),
    [
        ("src.en hyp.X.de ref.de", "en-de"),
        ("src.en hyp.X.pt ref.A.pt_BR", "en-pt"),
        ("src.en ref.A.pt_BR", "en-pt-BR"),
        ("src.txt hyp.X.de.txt", "und-de"),
        ("src.en hyp.X.mt", "en-und"),  # machine translation, not Maltese
        ("1.en 1.mt 2.en 2.mt", "en-und"),
    ],
)
def test_the_endings_of_names_are_languages(tmp_path: Path, names: str, pair: str) -> None:
    paths = [tmp_path / name for name in names.split()]
    for path in paths:
        path.write_text("x\n")
    ways: list[Path | list[Path]] = [tmp_path] if paths[0].name == "1.en" else [tmp_path, paths]
    for way in ways:
        assert formats.read(way)[0].documents[0].language_pair == pair
        assert formats.read(way, languages="en-ja")[0].documents[0].language_pair == "en-ja"


@pytest.mark.parametrize(
    "names", ["src.en hyp.X.de ref.A.fr", "src.en hyp.X.de hyp.Y.fr", "1.src 1.de 1.fr 2.src 2.de 2.fr"]
)
def test_translations_into_two_languages_are_no_set(tmp_path: Path, names: str) -> None:
    for name in names.split():
        (tmp_path / name).write_text("x\n")
    with pytest.raises(InputError, match=r"is in German by its name, .*fr in French") as refused:
        formats.read(tmp_path)
    assert refused.value.code == "languages_of_files"
    assert formats.read(tmp_path, languages="en-de")[0].documents[0].language_pair == "en-de"


def test_options_say_what_names_do_not(tmp_path: Path) -> None:
    for name in ("one", "two", "places"):
        (tmp_path / name).write_text("doc\n" if name == "places" else "x|y\n")
    (tmp_path / "places").rename(tmp_path / "places.docs")
    (reading,) = formats.read(tmp_path, "parallel", source="one", languages="en-ko", newline="|")
    assert reading.documents[0].id == "doc"
    assert reading.documents[0].segments[0].outputs == {"two": "x\ny"}
    with pytest.raises(InputError, match="hold the source"):
        formats.read(tmp_path, "parallel")


def test_a_text_that_begins_with_a_byte_order_mark_keeps_it(tmp_path: Path) -> None:
    made = [
        Document("d", (Segment("0", "\ufeffOne.", {"a": "\ufeff"}), Segment("1", "\ufeff", {"a": "Zwei."})), "en", "de")
    ]
    formats.write("parallel", tmp_path / "one", made)
    (reading,) = formats.read(tmp_path / "one")
    assert [(s.source, s.outputs["a"]) for s in reading.documents[0]] == [("\ufeffOne.", "\ufeff"), ("\ufeff", "Zwei.")]


@settings(max_examples=examples(12), deadline=None)
@given(documents(texts(without="\n\r")))
def test_round_trip(made: list[Document]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        formats.write("parallel", Path(folder) / "one", full(made))
        (first,) = formats.read(Path(folder) / "one")
        assert [[s.source for s in d] for d in first.documents] == [[s.source for s in d] for d in made]
        assert [[s.id for s in d] for d in first.documents] == [[s.id for s in d] for d in made]
        formats.write("parallel", Path(folder) / "two", first.documents)
        (second,) = formats.read(Path(folder) / "two")
        assert second.documents == first.documents


def test_refusals(tmp_path: Path) -> None:
    one = Document("a", (Segment("1", "x"),), "en", "de")
    with pytest.raises(InputError, match="no judgements"):
        formats.write("parallel", tmp_path / "x", [one], (), [Judge("j")])
    with pytest.raises(InputError, match="several language pairs: en-de, en-ko"):
        formats.write("parallel", tmp_path / "x", [one, Document("b", (), "en", "ko")])
    assert not (tmp_path / "x").exists()


def test_files_of_which_none_is_called_the_source_say_how_to_name_them(tmp_path: Path) -> None:
    for code in ("en", "es"):
        (tmp_path / f"story.{code}").write_text("One.\nTwo.\n", encoding="utf-8")
    with pytest.raises(
        InputError, match=r"Which of story.en, story.es holds the source text is not said.\nName .*src.en"
    ):
        formats.read(tmp_path)
    (reading,) = formats.read([tmp_path / "story.es", tmp_path / "story.en"])
    assert reading.documents[0].language_pair == "es-en", "the first is the source"


LAYOUTS = {
    "folders": ("src/{}.txt", "online/{}.txt"),
    "a language and a system": ("en/{}.txt", "online/{}.txt"),
    "endings": ("{}.src", "{}.online"),
    "endings before .txt": ("{}.en.txt", "{}.online.txt"),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_document_in_each_file(tmp_path: Path, layout: str) -> None:
    for place, text in zip(LAYOUTS[layout], ("One.\nTwo.\n", "Eins.\nZwei.\n"), strict=True):
        for talk in ("talk1", "talk2"):
            file = tmp_path / place.format(talk)
            file.parent.mkdir(exist_ok=True)
            file.write_text(text)
    (reading,) = formats.read(tmp_path)
    assert [document.id for document in reading.documents] == ["talk1", "talk2"]
    assert [dict(segment.outputs) for segment in reading.documents[1]] == [{"online": "Eins."}, {"online": "Zwei."}]
    assert reading.documents[0].segments[0].source == "One."


def test_of_two_languages_the_source_is_asked_for(tmp_path: Path) -> None:
    for language in ("de", "en"):
        (tmp_path / language).mkdir()
        for talk in ("talk1", "talk2"):
            (tmp_path / language / f"{talk}.txt").write_text(f"{language} {talk}\n")
    with pytest.raises(InputError, match="Which of de, en holds the source texts") as refused:
        formats.read(tmp_path)
    assert "--option source=de" in refused.value.next_step
    (reading,) = formats.read(tmp_path, source="en")
    assert reading.documents[0].language_pair == "en-de"
    assert reading.documents[1].segments[0].source == "en talk2"


@pytest.mark.parametrize("mark", ['<srcset setid="x">', '<?xml version="1.0"?>', "  <tstset>"])
def test_marks_are_no_texts(tmp_path: Path, mark: str) -> None:
    (tmp_path / "src.sgm").write_text(f"{mark}\n")
    (tmp_path / "hyp.sgm").write_text("A text.\n")
    with pytest.raises(InputError, match="holds markup") as refused:
        formats.read(tmp_path)
    assert refused.value.where.line == 1
    assert refused.value.code == "marked_up"


def test_a_text_may_begin_with_a_bracket(tmp_path: Path) -> None:
    (tmp_path / "src.txt").write_text("<unk> is a token.\n")
    (tmp_path / "hyp.txt").write_text("<b>Zeichen</b>\n")
    (reading,) = formats.read(tmp_path)
    assert reading.documents[0].segments[0].source == "<unk> is a token."

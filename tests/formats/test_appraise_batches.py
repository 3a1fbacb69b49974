from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from data_sets import data_dir
from formats.strategies import SAMPLES, documents
from lanner import formats
from lanner.errors import InputError
from lanner.formats.appraise_batches import read_batches, system_name
from lanner.model import Document
from property_examples import examples

BATCHES = SAMPLES / "appraise" / "batches.json"


def test_the_sample() -> None:
    (reading,) = formats.read(BATCHES)
    tutorial, harbour = reading.documents
    assert tutorial.meta == {"role": "tutorial"}
    assert (harbour.id, harbour.language_pair) == ("harbour", "en-de")
    assert [(s.id, dict(s.outputs)) for s in harbour] == [
        ("0", {"oak": "Die Flut 😀 ist weg."}),
        ("1", {"oak": "Wir warten."}),
    ]
    assert harbour.segments[0].meta == {"bad": {"elm": "Ebbe Huhn Hut."}}


def test_system_names() -> None:
    assert system_name("wmt23.refA", "doc#refA#bad7") == "refA"
    assert system_name("IKUN-C", "test-en-news") == "IKUN-C"


def item(document: str, number: int, source: str, target: str = "x", kind: str = "TGT") -> dict[str, Any]:
    return {
        "documentID": document,
        "itemID": number,
        "itemType": kind,
        "sourceText": source,
        "targetText": target,
        "targetID": document.split("#")[1],
    }


def batches(path: Path, *items: dict[str, Any]) -> Path:
    path.write_text(json.dumps([{"items": list(items), "task": {}}]))
    return path


def test_item_ids_are_segment_ids_where_systems_agree(tmp_path: Path) -> None:
    path = batches(
        tmp_path / "b.en-de.json", item("d#A", 7, "a"), item("d#A", 8, "b"), item("d#B", 7, "a"), item("d#B", 8, "b")
    )
    (found,) = read_batches(path).values()
    assert [(s.id, sorted(s.outputs)) for s in found.documents[0]] == [("7", ["A", "B"]), ("8", ["A", "B"])]
    assert found.documents[0].language_pair == "en-de"


def test_else_source_texts_are_counted(tmp_path: Path) -> None:
    path = batches(
        tmp_path / "b.json", item("d#A", 1, "a"), item("d#A", 2, "a"), item("d#B", 3, "a"), item("d#B", 4, "a")
    )
    (found,) = read_batches(path).values()
    assert [(s.id, sorted(s.outputs)) for s in found.documents[0]] == [("1", ["A", "B"]), ("2", ["A", "B"])]
    assert "counted by their source texts" in found.notes[0]


def test_references_are_references(tmp_path: Path) -> None:
    path = batches(tmp_path / "b.json", item("d#ref", 1, "a", "R", "REF"), item("d#A", 1, "a", "A"))
    (found,) = read_batches(path).values()
    assert found.documents[0].segments[0].references == {"ref": "R"}


@pytest.mark.parametrize(
    ("content", "message"),
    [({}, "list of batches"), ([{}], "no items"), ([{"items": [{}]}], "lacks documentID"), ([{"items": [3]}], "lacks")],
)
def test_wrong_batches(tmp_path: Path, content: object, message: str) -> None:
    path = tmp_path / "b.json"
    path.write_text(json.dumps(content))
    with pytest.raises(InputError, match=message):
        formats.read(path, "appraise_batches")


@settings(max_examples=examples(12), deadline=None)
@given(documents())
def test_round_trip(made: list[Document]) -> None:
    corpus = [
        replace(
            d,
            id=d.id.replace("#", "_"),
            source_language="en",
            target_language="de",
            segments=tuple(
                replace(s, outputs={n.replace("#", "_"): t for n, t in s.outputs.items()} or {"oak": "x"}) for s in d
            ),
        )
        for d in made
    ]
    if len({d.id for d in corpus}) < len(corpus):
        return
    with tempfile.TemporaryDirectory() as folder:
        formats.write("appraise_batches", Path(folder) / "one.json", corpus, size=3)
        assert formats.recognise(Path(folder) / "one.json") == "appraise_batches"
        (first,) = formats.read(Path(folder) / "one.json")
        written = {(d.id, s.id, name): text for d in corpus for s in d for name, text in s.outputs.items()}
        assert {(d.id, s.id, n): t for d in first.documents for s in d for n, t in s.outputs.items()} == written
        formats.write("appraise_batches", Path(folder) / "two.json", first.documents)
        (second,) = formats.read(Path(folder) / "two.json")
        assert second.documents == first.documents


@pytest.mark.data
def test_released_batches_join_with_the_test_set() -> None:
    (reading,) = formats.read(data_dir("esa-appraise") / "batches_wmt23_en-de_esa.json")
    sources = {(d.id, s.id): s.source for d in formats.read_documents(data_dir("mtme") / "wmt23") for s in d}
    main = [d for d in reading.documents if not d.meta]
    assert sum(len(d.segments) for d in main) == 207
    assert all(sources[d.id, s.id] == s.source for d in main for s in d)

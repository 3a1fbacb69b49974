from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from formats.strategies import SAMPLES, documents, names, texts
from lanner import formats
from lanner.errors import InputError
from lanner.model import Document, Judge, JudgeKind, Judgement, Segment
from released import data_dir

SAMPLE = SAMPLES / "label_studio.json"


def test_the_sample() -> None:
    (reading,) = formats.read(SAMPLE, languages="en-de")
    (document,) = reading.documents
    assert [(s.id, s.source, s.outputs) for s in document] == [
        ("11", "The tide 😀 is out.", {"mt": "Die Flut ist weg."}),
        ("12", "We wait.", {"mt": "Wir warten."}),
    ]
    assert [(judge.id, judge.kind) for judge in reading.judges] == [("3", JudgeKind.PERSON), ("m1", JudgeKind.MODEL)]
    answers = {(j.judge, j.question): j for j in reading.judgements}
    assert answers["3", "context"].value == "Local"
    assert answers["3", "skills"].value == ["Style", "Mode"]
    assert answers["3", "spans"].value == [
        {"side": "source", "start": 11, "end": 13, "text": "is", "category": "need context", "severity": "minor"}
    ]
    assert answers["3", "spans"].flags == ()
    assert answers["3", "context"].systems == ()
    assert (answers["3", "holistic"].value, answers["3", "holistic"].systems) == (7, ("mt",))
    assert answers["3", "comment"].value == "two\nlines"
    assert answers["3", "box"].flags == ("unread_type",)
    assert answers["m1", "context"].value == "Global"
    assert answers["3", "context"].elapsed_seconds == 12.5
    assert answers["3", "context"].answered_at is not None
    assert answers["3", "context"].origin == "label_studio.json:task 11"
    assert any("1 annotations were cancelled" in note for note in reading.notes)


def test_an_interface_tells_choices_of_one_from_choices_of_many(tmp_path: Path) -> None:
    config = tmp_path / "c.xml"
    config.write_text(
        '<View><Choices name="context" toName="text" choice="multiple"><Choice value="a"/></Choices></View>'
    )
    (reading,) = formats.read(SAMPLE, config=str(config))
    assert next(j.value for j in reading.judgements if j.question == "context") == ["Local"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"data": 1}, "list of tasks"),
        ([{"id": 1, "annotations": []}], "has no data"),
        ([{"data": {"alpha": "x"}, "annotations": []}], "source text"),
        ([{"data": {"text": "x"}, "annotations": [3]}], "annotation that is none"),
    ],
)
def test_wrong_exports(tmp_path: Path, content: object, message: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps(content))
    with pytest.raises(InputError, match=message):
        formats.read(path, "label_studio")


WORDS = texts(min_size=1).filter(lambda text: text not in ("left", "right", "tie"))
VALUES = {
    "choice": WORDS,
    "labels": st.lists(WORDS, max_size=3),
    "score": st.integers(-5, 100) | st.floats(0, 1),
    "grid": st.dictionaries(names(), WORDS, min_size=1, max_size=3),
    "gone": st.none(),
}


def test_answers_about_a_document_or_the_judge_have_tasks_of_their_own(tmp_path: Path) -> None:
    said = (Segment("1", "Tea?", {"oak": "차?"}), Segment("2", "No.", {"oak": "아니요."}))
    text = Document("d", said, "en", "ko")
    given = [
        Judgement("a", "rating", "score", "d", "1", ("oak",), 3),
        Judgement("a", "rating", "score", "d", "", ("oak",), 4),
        Judgement("a", "rating", "age", "", "", (), 40),
    ]
    formats.write("label_studio", tmp_path / "one", [text], given, [Judge("a")])
    tasks = json.loads((tmp_path / "one" / "tasks.json").read_text(encoding="utf-8"))
    assert [task["data"].get("about") for task in tasks] == [None, None, "document", "judge"]
    assert tasks[2]["data"]["shown1"] == "차?\n아니요."
    (back,) = formats.read(tmp_path / "one")
    assert [len(d.segments) for d in back.documents] == [2]
    assert [(j.document, j.segment, j.systems, j.value) for j in back.judgements] == [
        ("d", "1", ("oak",), 3),
        ("d", "", ("oak",), 4),
        ("", "", (), 40),
    ]


@settings(max_examples=12, deadline=None)
@given(documents(), st.data())
def test_round_trip(made: list[Document], data: st.DataObject) -> None:
    corpus = [
        replace(
            d,
            glossary={},
            meta={},
            note="",
            segments=tuple(replace(s, outputs={"oak": "x"}, meta={}, flags=(), judged=True) for s in d),
        )
        for d in made
    ]
    judgements = [
        Judgement(
            judge,
            "rating",
            question,
            d.id,
            s.id,
            ("oak",),
            value := data.draw(values),
            flags=("missing",) * (value is None),
        )
        for d in corpus
        for s in d
        for judge in ("a", "m")
        for question, values in VALUES.items()
    ]
    judges = [Judge("a"), Judge("m", JudgeKind.MODEL)]
    with tempfile.TemporaryDirectory() as folder:
        formats.write("label_studio", Path(folder) / "one", corpus, judgements, judges)
        assert formats.recognise(Path(folder) / "one") == "label_studio"
        (first,) = formats.read(Path(folder) / "one")
        assert list(first.documents) == corpus
        assert list(first.judges) == judges
        assert [replace(j, origin="") for j in first.judgements] == judgements
        formats.write("label_studio", Path(folder) / "two", first.documents, first.judgements, first.judges)
        (second,) = formats.read(Path(folder) / "two")
        assert (second.documents, second.judgements) == (first.documents, first.judgements)


def test_pairs_and_spans_come_back(tmp_path: Path) -> None:
    document = Document("d", (Segment("1", "a b", {"A": "x y", "B": "z"}),), "en", "de")
    span = {"side": "target", "start": 2, "end": 3, "text": "y", "category": "style", "severity": "minor"}
    judgements = [
        Judgement("j", "rating", "errors", "d", "1", ("A",), [span]),
        Judgement("j", "rating", "preference", "d", "1", ("A", "B"), [2, 1]),
    ]
    formats.write("label_studio", tmp_path / "x", [document], judgements, [Judge("j")])
    (reading,) = formats.read(tmp_path / "x")
    assert [replace(j, origin="") for j in reading.judgements] == judgements
    with pytest.raises(InputError, match="no text for a judgement"):
        formats.write("label_studio", tmp_path / "y", [], judgements)


@pytest.mark.data
def test_released_judgements_survive_the_way_through_label_studio(tmp_path: Path) -> None:
    for reading in formats.read(data_dir("h-falcon")):
        formats.write("label_studio", tmp_path / reading.name, reading.documents, reading.judgements, reading.judges)
        (again,) = formats.read(tmp_path / reading.name)
        before, after = (
            {(j.judge, j.question, j.segment, j.systems): (j.value, j.elapsed_seconds) for j in part.judgements}
            for part in (reading, again)
        )
        people = {judge.id for judge in reading.judges if judge.kind is JudgeKind.PERSON}
        assert {key: value for key, value in after.items() if key[0] in people} == {
            key: value for key, value in before.items() if key[0] in people
        }

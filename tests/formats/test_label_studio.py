from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from data_sets import data_dir
from formats.strategies import SAMPLES, documents, names, texts
from lanner import formats, protocols
from lanner.analysis.material import from_file
from lanner.errors import InputError
from lanner.formats.label_studio import LabelControls, labelling_config, read_results, result_objects
from lanner.model import Choice, Document, Grid, Judge, JudgeKind, Judgement, Labels, Rank, Scale, Segment, Spans, Text
from property_examples import examples


def results_of(results: list[Any], text: str, controls: LabelControls | None = None) -> list[Judgement]:
    """What is read of results about an output with this text."""
    about: Any = {"judge": "j", "stage": "s", "document": "d", "segment": "1", "systems": ("oak",)}
    shown: Any = {"source": "One.", "outputs": {"oak": text}, "source_field": "text", "answered_at": None}
    return read_results(results, controls or LabelControls(), **shown, **about)


def read(
    *results: Any, controls: LabelControls | None = None, systems: tuple[str, ...] = ("oak",), answered_at: Any = None
) -> dict[str, Any]:
    made = read_results(
        list(results),
        controls or LabelControls(),
        source="The source",
        outputs={"oak": "Das Ziel", "elm": "Ulme"},
        source_field="text",
        answered_at=answered_at,
        systems=systems,
        judge="j",
        stage="s",
        document="d",
        segment="1",
    )
    return {j.question: (j.value, j.flags) for j in made}


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        ("choices", {"choices": ["a"]}, ("a", ())),
        ("choices", {"choices": []}, (None, ("missing",))),
        ("rating", {"rating": 4}, (4, ())),
        ("number", {"number": "4.5"}, (4.5, ())),
        ("textarea", {"text": ["a", "b"]}, ("a\nb", ())),
        ("taxonomy", {"taxonomy": [["a", "b"], ["c"]]}, (["a/b", "c"], ())),
        ("pairwise", {"selected": "right"}, ([2, 1], ())),
        ("brush", {"rle": []}, (None, ("unread_type",))),
    ],
)
def test_kinds(kind: str, value: dict[str, Any], expected: object) -> None:
    assert read({"from_name": "q", "to_name": "mt", "type": kind, "value": value}) == {"q": expected}


@pytest.mark.parametrize("answered_at", ["not a time", "2026-13-01", 17, ["2026"]])
def test_a_time_that_cannot_be_read_is_flagged(answered_at: Any) -> None:
    result = {"from_name": "q", "to_name": "mt", "type": "rating", "value": {"rating": 4}}
    assert read(result, answered_at=answered_at) == {"q": (4, ("unreadable_time",))}
    assert read(result, answered_at="2026-03-01T10:00:00Z") == {"q": (4, ())}


def test_regions_are_checked_against_the_text_they_are_on() -> None:
    region = {"from_name": "q", "type": "labels"}
    good = {**region, "to_name": "mt", "value": {"start": 4, "end": 8, "labels": ["x"]}}
    assert read(good)["q"][0] == [{"side": "target", "start": 4, "end": 8, "text": "Ziel", "category": "x"}]
    wrong = {**region, "to_name": "text", "value": {"start": "4", "end": "8", "text": "else", "labels": ["x"]}}
    (span,), flags = read(wrong)["q"]
    assert (span["side"], span["start"], flags) == ("source", 4, ("text_mismatch",))
    assert read({**region, "to_name": "mt", "value": {"start": 4, "end": 99}})["q"][1] == ("bad_offsets",)


def test_regions_of_older_versions_count_utf16_units() -> None:
    """The words say which place is meant; without them offsets are code points."""
    text, region = "😀 Das Ziel 😀 ist", {"from_name": "q", "to_name": "mt", "type": "labels"}
    for start, end, words, place in ((7, 11, "Ziel", 6), (6, 10, "Ziel", 6), (15, 18, "ist", 13), (6, 10, None, 6)):
        said = {**region, "value": {"start": start, "end": end, "labels": ["x"]} | ({"text": words} if words else {})}
        (judgement,) = results_of([said], text)
        assert (judgement.value[0]["start"], judgement.flags) == (place, ()), (start, words)


def test_what_is_said_of_a_region_is_kept_with_its_mark() -> None:
    """Regions may carry severities and remarks, and several labels, in any order; each region keeps its own."""

    def said(region: str, name: str, kind: str, **value: Any) -> dict[str, Any]:
        return {"id": region, "from_name": name, "to_name": "mt", "type": kind, "value": value}

    results = [
        said("b", "how_bad", "choices", choices=["Minor"]),
        said("a", "label", "labels", start=0, end=3, labels=["Accuracy"]),
        said("b", "label", "labels", start=4, end=8, labels=["Fluency", "Style"]),
        said("a", "how_bad", "choices", choices=["Major"]),
        said("a", "why", "textarea", text=["wrong"]),
        said("a", "sure", "rating", rating=3),
        {"type": "relation", "from_id": "a", "to_id": "b"},
    ]
    controls = LabelControls()
    controls.learn(results)
    (judgement,) = results_of(results, "Das Ziel", controls)
    marks = [(m["category"], m["severity"], m.get("note", "")) for m in judgement.value]
    assert marks == [("Accuracy", "Major", "wrong; sure: 3"), ("Fluency", "Minor", ""), ("Style", "Minor", "")]
    assert controls.notes() == [
        "1 region has several labels and counts as a mark of each.",
        "1 relation between regions is not read.",
    ]


@pytest.mark.parametrize(("ids", "marked"), [({"id": 7}, [[], ["x"]]), ({}, [["x"]])])
def test_an_annotation_without_regions_marks_nothing(tmp_path: Path, ids: Any, marked: list[list[str]]) -> None:
    """In what Label Studio exports; `write` says of every question what was answered."""
    region = {
        "from_name": "errors",
        "to_name": "mt",
        "type": "labels",
        "value": {"start": 0, "end": 1, "labels": ["x"]},
    }
    score = {"from_name": "score", "to_name": "mt", "type": "number", "value": {"number": 7}}
    annotations = [{**ids, "completed_by": 1, "result": [score]}, {**ids, "completed_by": 2, "result": [score, region]}]
    task = {"id": 1, "data": {"source": "One.", "mt": "Eins."}, "annotations": annotations}
    (tmp_path / "t.json").write_text(json.dumps([task]))
    (reading,) = formats.read(tmp_path / "t.json", "label_studio")
    found = [j.value for j in reading.judgements if j.question == "errors"]
    assert [[mark["category"] for mark in marks] for marks in found] == marked
    assert any("1 annotation has no region" in note for note in reading.notes) == (len(marked) > 1)


def test_rows_of_a_grid_come_together() -> None:
    rows = [{"from_name": f"g__{row}", "type": "choices", "value": {"choices": [row.upper()]}} for row in "ab"]
    assert read(*rows) == {"g": ({"a": "A", "b": "B"}, ())}


def test_what_is_no_result_is_passed_over() -> None:
    assert read(3, {"value": 4}, None) == {}


def test_controls_learn_from_results_and_from_interfaces(tmp_path: Path) -> None:
    controls = LabelControls()
    controls.learn([{"type": "choices", "from_name": "q", "value": {"choices": ["a", "b"]}}, 7, {"type": "rating"}])
    controls.learn([{"type": "choices", "from_name": "p", "value": {"choices": ["a"]}}])
    controls.learn([{"type": "choices", "from_name": "m", "value": {"choices": []}, "lanner": "missing"}])
    assert controls.several == {"q": True, "p": False}
    assert controls.notes() == ["Taken to allow one choice: p (config=FILE tells)."]
    path = tmp_path / "c.xml"
    path.write_text('<View><Choices name="p" choice="multiple"/><Choices name="r"/><TextArea name="why"/></View>')
    told = LabelControls.of_config(path)
    assert (told.several, told.texts, told.notes()) == ({"p": True, "r": False}, {"why"}, [])


@pytest.mark.parametrize(
    "value",
    [None, "a", 4, 0.5, ["a", "b"], [], {"x": "y", "z": "y"}, [1, 1], [{"side": "target", "start": 0, "end": 3}]],
)
def test_back_and_forth(value: Any) -> None:
    systems = ("oak", "elm") if value == [1, 1] else ("oak",)
    objects = list(result_objects(Judgement("j", "s", "q", "d", "1", systems, value)))
    controls = LabelControls()
    controls.learn(objects)
    found, _ = read(*objects, controls=controls, systems=systems)["q"] if objects else (None, ())
    expected = (
        [{"side": "target", "start": 0, "end": 3, "text": "Das"}] if value and objects[0]["type"] == "labels" else value
    )
    assert found == expected


@pytest.mark.parametrize("name", ["falcon", "h_falcon", "esa", "mqm", "da", "sqm", "ranking_rs", "parity"])
def test_every_question_has_its_control(name: str) -> None:
    protocol = protocols.load(name)
    view = labelling_config(protocol)
    controls: dict[str, Any] = {tag.get("name"): tag for tag in view.iter() if tag.get("toName")}
    texts = {tag.get("name") for tag in view.iter("Text")}
    assert {tag.get("toName") for tag in controls.values()} <= texts
    kinds = {Choice: "Choices", Labels: "Choices", Spans: "Labels", Rank: "Choices", Text: "TextArea"}
    for _, question in protocol.questions:
        named = [tag for key, tag in controls.items() if key == question.id or key.startswith(f"{question.id}__")]
        assert named, question.id
        if type(question) in kinds and not question.for_each:
            assert controls[question.id].tag == kinds[type(question)]
        if isinstance(question, Grid):
            assert len(named) == len(question.rows)
        if isinstance(question, Scale):
            assert {tag.tag for tag in named} <= {"Rating", "Number"}


def test_ids_are_exported_and_labels_shown() -> None:
    view = labelling_config(protocols.load("h_falcon"), "ko")
    option = next(tag for tag in view.iter("Choice") if tag.get("alias") == "not_relevant")
    assert option.get("value") != "not_relevant"
    assert etree.tostring(view, encoding="unicode").count('name="skills__') == 9


def test_the_reader_knows_its_own_interface(tmp_path: Any) -> None:
    path = tmp_path / "config.xml"
    path.write_bytes(etree.tostring(labelling_config(protocols.load("falcon"))))
    told = LabelControls.of_config(path)
    assert told.several["context"] is False
    assert told.several["skills"] is True


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
    assert any("1 annotation was cancelled by its judge" in note for note in reading.notes)


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


@settings(max_examples=examples(12), deadline=None)
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
    in_source = {"side": "source", "start": 0, "end": 1, "text": "a", "category": "omission"}
    judgements = [
        Judgement("j", "rating", "errors", "d", "1", ("A",), [span]),
        Judgement("j", "rating", "errors", "d", "1", ("B",), [in_source, {**in_source, "side": "target", "text": "z"}]),
        Judgement("k", "rating", "errors", "d", "1", ("A",), [in_source]),
        Judgement("j", "rating", "preference", "d", "1", ("A", "B"), [2, 1]),
    ]
    formats.write("label_studio", tmp_path / "x", [document], judgements, [Judge("j")])
    (reading,) = formats.read(tmp_path / "x")
    back = [replace(j, origin="") for j in reading.judgements]
    assert sorted(back, key=repr) == sorted(judgements, key=repr)
    with pytest.raises(InputError, match="no text for a judgement"):
        formats.write("label_studio", tmp_path / "y", [], judgements)


def test_a_tie_among_other_words_comes_back_as_a_word(tmp_path: Path) -> None:
    """It came back as the ranks 1 and 1 beside the words a and b, and nothing could be analysed."""
    document = Document("d", tuple(Segment(n, n, {"A": "x", "B": "y"}) for n in "123"), "en", "de")
    judgements = [
        Judgement("j", "rating", "preference", "d", segment, ("A", "B"), side)
        for segment, side in zip("123", ("a", "tie", "b"), strict=True)
    ]
    formats.write("label_studio", tmp_path / "x", [document], judgements, [Judge("j")])
    (reading,) = formats.read(tmp_path / "x")
    assert [entry.value for entry in reading.judgements] == ["a", "tie", "b"]


@pytest.mark.data
def test_released_judgements_survive_the_way_through_label_studio(tmp_path: Path) -> None:
    for reading in formats.read(data_dir("h-falcon")):
        texts = reading.documents[:8]
        judgements = [j for j in reading.judgements if j.document in {document.id for document in texts}]
        formats.write("label_studio", tmp_path / reading.name, texts, judgements, reading.judges)
        (again,) = formats.read(tmp_path / reading.name)
        before, after = (
            {(j.judge, j.question, j.segment, j.systems): (j.value, j.elapsed_seconds) for j in entries}
            for entries in (judgements, again.judgements)
        )
        assert len(before) == len(judgements) > 500
        people = {judge.id for judge in reading.judges if judge.kind is JudgeKind.PERSON}
        assert {key: value for key, value in after.items() if key[0] in people} == {
            key: value for key, value in before.items() if key[0] in people
        }


def test_an_export_is_analysed_with_scales_and_its_remarks_are_no_labels(tmp_path: Path) -> None:
    def result(name: str, kind: str, value: dict[str, Any]) -> dict[str, Any]:
        return {"from_name": name, "to_name": "mt", "type": kind, "value": value}

    def annotation(judge: int, rating: int) -> dict[str, Any]:
        answers = [("quality", "rating", {"rating": rating}), ("why", "textarea", {"text": ["ok"]})]
        return {"completed_by": judge, "result": [result(*answer) for answer in answers]}

    tasks = [
        {"id": n, "data": {"source": f"S {n}.", "mt": f"T {n}."}, "annotations": [annotation(1, n), annotation(2, 5)]}
        for n in range(1, 6)
    ]
    (tmp_path / "export.json").write_text(json.dumps(tasks), encoding="utf-8")
    [part] = from_file(tmp_path / "export.json")
    assert part.protocol is not None
    quality, why = [question for _, question in part.protocol.questions]
    assert isinstance(quality, Scale) and (quality.min, quality.max) == (1, 5)
    assert isinstance(why, Text)

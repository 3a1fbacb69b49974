from __future__ import annotations

import json
import re
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from formats.strategies import SAMPLES, documents, texts
from lanner import formats
from lanner.analysis.material import Material, from_file
from lanner.errors import InputError
from lanner.formats.pearmut import ShownText
from lanner.model import Document, Role, Segment
from property_examples import examples

TEXT = st.text(st.characters(exclude_categories=("Cs",)) | st.sampled_from("😀\n"), min_size=1, max_size=12)


def test_line_breaks_have_no_place_and_emoji_two() -> None:
    shown = ShownText("a😀\nbc")
    assert shown.place(0, 0) == ({"start": 0, "end": 1, "text": "a"}, ())
    assert shown.place(1, 2) == ({"start": 1, "end": 2, "text": "😀"}, ())
    assert shown.place(3, 4) == ({"start": 3, "end": 5, "text": "bc"}, ())
    assert shown.place(5, 5) == ({"missing": True}, ())
    assert shown.place(2, 9)[1] == shown.place(3, 1)[1] == shown.place(None, 1)[1] == ("bad_offsets",)


@settings(deadline=None)
@given(TEXT, st.data())
def test_both_ways(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    if text[start] == "\n" or text[end - 1] == "\n":
        return  # an edge at a line break has no place of its own
    shown = ShownText(text)
    assert shown.place(*shown.shown({"start": start, "end": end}))[0] == {
        "start": start,
        "end": end,
        "text": text[start:end],
    }
    assert shown.place(*shown.shown({"missing": True}))[0] == {"missing": True}


def test_the_campaign() -> None:
    (reading,) = formats.read(SAMPLES / "pearmut.json")
    welcome, harbour = reading.documents
    assert (harbour.id, harbour.domain, harbour.language_pair) == ("harbour", "news", "en-de-DE")
    assert [s.id for s in harbour] == ["0", "1"]
    assert harbour.segments[0].meta["spans"] == {
        "oak": [{"side": "target", "start": 4, "end": 7, "text": "😀\nF", "severity": "minor"}]
    }
    assert harbour.segments[0].references == {"ref": "Es ist Ebbe."}
    assert welcome.meta == {"role": "tutorial"}
    assert "validation" in welcome.segments[0].meta


def test_the_answers() -> None:
    (reading,) = formats.read(SAMPLES / "pearmut_answers.jsonl")
    assert reading.protocol == "esa"
    errors, score, comment, tutorial_errors, tutorial_score = reading.judgements
    assert errors.value == [
        {"side": "target", "start": 6, "end": 10, "text": "Flut", "severity": "minor"},
        {"side": "target", "missing": True, "severity": "major"},
    ]
    assert (score.value, comment.value, score.elapsed_seconds) == (70, "hm", 20)
    assert (errors.document, errors.segment, errors.systems, errors.judge) == ("harbour", "0", ("oak",), "quick-fox-1")
    assert tutorial_errors.role is tutorial_score.role is Role.TUTORIAL
    assert (tutorial_score.value, tutorial_score.flags) == (None, ("missing",))


def test_times_that_cannot_be_read_are_said(tmp_path: Path) -> None:
    content = (SAMPLES / "pearmut_answers.jsonl").read_text(encoding="utf-8")
    (path := tmp_path / "a.jsonl").write_text(re.sub(r'"time": ?[0-9.]+', '"time": "noon"', content, count=1))
    (reading,) = formats.read(path)
    assert "1 time cannot be read" in " ".join(reading.notes)


def test_spans_given_as_a_list(tmp_path: Path) -> None:
    item = {"src": "a", "tgt": {"A": "xyz", "B": "uvw"}, "error_spans": [[], [{"start_i": 0, "end_i": 1}]]}
    path = tmp_path / "c.json"
    path.write_text(json.dumps({"info": {}, "campaign_id": "c", "data": [[item]]}))
    (reading,) = formats.read(path)
    assert reading.documents[0].segments[0].meta["spans"]["B"][0]["text"] == "uv"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"campaign_id": "c", "info": {}, "data": {}}, "a list of tasks"),
        ({"campaign_id": "c", "info": {}, "data": [3]}, "not a list of documents"),
        ({"campaign_id": "c", "info": {}, "data": [[3]]}, "not a list of items"),
        ({"campaign_id": "c", "info": {}, "data": [[[{"src": "a"}]]]}, "no translations"),
    ],
)
def test_wrong_campaigns(tmp_path: Path, content: object, message: str) -> None:
    path = tmp_path / "c.json"
    path.write_text(json.dumps(content))
    with pytest.raises(InputError, match=message):
        formats.read(path, "pearmut")


@settings(max_examples=examples(12), deadline=None)
@given(documents(texts()))
def test_round_trip(made: list[Document]) -> None:
    corpus = [
        replace(
            document,
            segments=tuple(replace(s, outputs=s.outputs or {"oak": "x"}, references={}, meta={}) for s in document),
            meta={},
        )
        for document in made
    ]
    with tempfile.TemporaryDirectory() as folder:
        formats.write("pearmut", Path(folder) / "one.json", corpus, campaign="set")
        assert formats.recognise(Path(folder) / "one.json") == "pearmut"
        (first,) = formats.read(Path(folder) / "one.json")
        assert [[(s.id, s.source, s.outputs) for s in d] for d in first.documents] == [
            [(s.id, s.source, s.outputs) for s in d] for d in corpus
        ]
        formats.write("pearmut", Path(folder) / "two.json", first.documents, campaign="set")
        assert formats.read(Path(folder) / "two.json") == [first]


def test_the_sample_comes_back(tmp_path: Path) -> None:
    (reading,) = formats.read(SAMPLES / "pearmut.json")
    formats.write("pearmut", tmp_path / "c.json", reading.documents)
    (again,) = formats.read(tmp_path / "c.json")
    assert [[s.meta.get("spans") for s in d] for d in again.documents] == [
        [s.meta.get("spans") for s in d] for d in reading.documents
    ]


def test_refusals(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="needs an output"):
        formats.write("pearmut", tmp_path / "c.json", [Document("d", (Segment("1", "a"),))])


def answers_of(path: Path, *rows: dict[str, Any]) -> Material:
    items = [{"item_id": "x", "src": "Yes.", "tgt": {"oak": "Ja, ja.", "elm": "Doch."}}]
    lines = [{"actions": [], "item": items, "user_id": "Ana", "item_i": n, **row} for n, row in enumerate(rows)]
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    assert formats.recognise(path) == "pearmut"
    [part] = from_file(path)
    return part


def test_sliders_of_a_campaigns_own_are_questions(tmp_path: Path) -> None:
    sliders = [{"Fluency": 3, "Adequacy": 80}, {"Fluency": 5, "Adequacy": 40}]
    answer = {name: {"score": None, "sliders": own, "error_spans": []} for name, own in zip("oe", sliders, strict=True)}
    part = answers_of(tmp_path / "a.jsonl", {"annotation": [{"oak": answer["o"], "elm": answer["e"]}]})
    values = {(j.question, *j.systems): j.value for j in part.judgements}
    assert values == {
        ("fluency", "oak"): 3,
        ("adequacy", "oak"): 80,
        ("fluency", "elm"): 5,
        ("adequacy", "elm"): 40,
    }
    assert not any("missing" in note for note in part.notes)


def test_answers_that_were_reset_or_skipped_do_not_count(tmp_path: Path) -> None:
    def scored(score: int, **row: Any) -> dict[str, Any]:
        return {"annotation": [{"oak": {"score": score, "error_spans": []}}], "item_i": 0, **row}

    reset = {"annotation": "__RESET__", "item": None, "item_i": 0}
    rows = [scored(1), scored(2, user_id="Ben"), scored(3, item_i=1), reset, scored(4), {"annotation": [None]}]
    part = answers_of(tmp_path / "a.jsonl", *rows)
    assert [(j.judge, j.value) for j in part.judgements] == [("Ben", 2), ("Ana", 3), ("Ana", 4)]
    assert "2 lines were reset, or reset others, and do not count." in part.notes
    assert "1 item was skipped." in part.notes
    part = answers_of(tmp_path / "b.jsonl", *rows[:4], {**reset, "user_id": None}, scored(5))
    assert [j.value for j in part.judgements] == [3, 5]


def test_what_judges_say_of_themselves_is_kept_with_them(tmp_path: Path) -> None:
    form = [{"text": "Native language?", "form": "string"}, {"text": "Thank you.", "form": None}]
    rating = {"annotation": [{"oak": {"score": 5}}], "comment": "Hm."}
    part = answers_of(tmp_path / "a.jsonl", {"annotation": ["Czech", None], "item": form}, rating)
    assert [dict(judge.attributes) for judge in part.judges] == [{"Native language?": "Czech"}]
    assert "1 comment on a whole page is left out." in part.notes


def test_scores_beside_errors_with_categories_are_kept(tmp_path: Path) -> None:
    span = {"start_i": 0, "end_i": 1, "category": "Inaudible", "severity": "major"}
    answer = {"oak": {"score": 60, "error_spans": [span]}, "elm": {"score": 90, "error_spans": []}}
    part = answers_of(tmp_path / "a.jsonl", {"annotation": [answer]})
    scores = part.table.filter(system="oak").select("question", "score").drop_nulls()
    assert dict(scores.iter_rows()) == {"score": 60, "penalty": 5}

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data_sets import data_dir
from formats.strategies import SAMPLES, documents, names, without_origin
from lanner import formats
from lanner.errors import InputError
from lanner.formats.appraise import read_batches, system_name
from lanner.model import Document, Judgement, Role, Segment
from property_examples import examples


def test_the_sample_folder() -> None:
    assert formats.recognise(SAMPLES / "appraise") == "appraise"
    (reading,) = formats.read(SAMPLES / "appraise")
    assert (reading.name, reading.protocol) == ("esa", "esa")
    assert reading.judges[0].attributes == {"AnnotatorID": "77", "protocol": "ESA"}
    assert reading.documents == tuple(formats.read_documents(SAMPLES / "appraise"))
    assert not any("Not read" in note for note in reading.notes)


def test_other_files_are_named(tmp_path: Path) -> None:
    copytree(SAMPLES / "appraise", tmp_path / "c")
    (tmp_path / "c" / "poll.csv").write_text("question\nanswer\n")
    (reading,) = formats.read(tmp_path / "c")
    assert reading.notes[-1] == "Not read: poll.csv."
    (tmp_path / "c" / "more.json").write_text((SAMPLES / "appraise" / "batches.json").read_text(encoding="utf-8"))
    with pytest.raises(InputError, match="Two files have batches"):
        formats.read(tmp_path / "c")


@pytest.mark.data
def test_the_released_campaign() -> None:
    readings = {reading.name: reading for reading in formats.read(data_dir("esa-appraise"))}
    assert {name: reading.protocol for name, reading in readings.items()} == {
        "240315rc5ESA": "esa",
        "240315rc5GEMBA": "esa_preannotated",
        "240315rc5MQM": "mqm_core",
    }
    esa = readings["240315rc5ESA"]
    assert len(esa.judgements) == 2 * 3314
    assert len({judge.attributes["AnnotatorID"] for judge in esa.judges}) < len(esa.judges) == 33
    assert not any({"unknown_item", "ambiguous_item"} & set(j.flags) for r in readings.values() for j in r.judgements)
    spans = [
        s for j in esa.judgements if j.question == "errors" and j.role is Role.MAIN for s in j.value if "start" in s
    ]
    ending = sum(bool(span["text"]) and span["text"][-1].isalnum() for span in spans)
    assert ending / len(spans) > 0.8  # read with the other kind of end, most would stop inside a word


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


TEXTS = {"oak": "Der 😀 Hafen ist leer.", "elm": "Ein Schiff, 𝒳 und Wind"}
DOCUMENTS = [
    Document(name, (Segment("7", "…", TEXTS), Segment("8", "…", TEXTS)), "en", "de") for name in ("harbour", "pier")
]
ROLES = st.sampled_from([Role.MAIN, Role.CONTROL, Role.REPEAT, Role.TUTORIAL])
NOON = datetime(2024, 3, 1, 12, tzinfo=UTC)


@st.composite
def spans(draw: st.DrawFn, text: str, categories: st.SearchStrategy[str | None]) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    for _ in range(draw(st.integers(0, 2))):
        span: dict[str, Any] = {"side": "target"}
        if draw(st.booleans()):
            span["missing"] = True
        else:
            start = draw(st.integers(0, len(text) - 1))
            end = draw(st.integers(start + 1, len(text)))
            span |= {"start": start, "end": end, "text": text[start:end]}
        if category := draw(categories):
            span["category"] = category
        made.append({**span, "severity": draw(st.sampled_from(["minor", "major", None]))})
    return made


@st.composite
def judgements(draw: st.DrawFn, protocol: str) -> list[Judgement]:
    made: list[Judgement] = []
    categories = st.sampled_from(["Accuracy/Omission", "Style"]) if protocol == "mqm_core" else st.none()
    keys = st.tuples(
        names(), st.sampled_from(["harbour", "pier"]), st.sampled_from("78"), st.sampled_from(list(TEXTS)), ROLES
    )
    for number, (judge, document, segment, system, role) in enumerate(draw(st.lists(keys, max_size=4, unique=True))):
        seconds = draw(st.integers(0, 10**6)) / 8
        timed = {"answered_at": NOON + timedelta(minutes=number), "elapsed_seconds": seconds}
        flags = ("dup",) if role is Role.REPEAT and draw(st.booleans()) else ()
        about: dict[str, Any] = {"document": document, "segment": segment, "systems": (system,), "role": role}
        stage = "marking" if protocol == "mqm_core" else "rating"
        shared = {"judge": judge, "stage": stage, **about, **(timed if draw(st.booleans()) else {})}
        if protocol != "da":
            value = draw(spans(TEXTS[system], categories))
            made.append(Judgement(question="errors", value=value, flags=flags, **shared))
        if protocol != "mqm_core":
            score = draw(st.none() | st.integers(0, 100) | st.sampled_from([66.123456789, 0.5]))
            absent = ("missing",) if score is None else ()
            made.append(Judgement(question="score", value=score, flags=(*flags, *absent), **shared))
    return made


@pytest.mark.parametrize("protocol", ["da", "esa", "mqm_core"])
def test_round_trip_with_batches(protocol: str) -> None:
    @settings(max_examples=examples(25), deadline=None)
    @given(judgements(protocol))
    def check(made: list[Judgement]) -> None:
        with tempfile.TemporaryDirectory() as folder:
            batches, path = Path(folder) / "batches.json", Path(folder) / "s.csv"
            formats.write("appraise_batches", batches, DOCUMENTS)
            if not made:
                with pytest.raises(InputError, match="judgements alone"):
                    formats.write("appraise_scores", path, DOCUMENTS, made, batches=batches)
                assert not path.exists()
                return
            formats.write("appraise_scores", path, DOCUMENTS, made, batches=batches)
            assert formats.recognise(path) == "appraise_scores"
            (reading,) = formats.read(path, batches=batches, protocol=protocol)
            assert without_origin(reading.judgements) == made
            again = Path(folder) / "t.csv"
            formats.write("appraise_scores", again, reading.documents, reading.judgements, batches=batches)
            assert again.read_bytes() == path.read_bytes()

    check()


def test_without_batches_items_are_segments(tmp_path: Path) -> None:
    said = Judgement("a", "rating", "score", "harbour", "7", ("oak",), 55)
    formats.write("appraise_scores", tmp_path / "s.csv", DOCUMENTS, [said])
    assert (tmp_path / "s.csv").read_text() == "a,oak,7,TGT,eng,deu,55,harbour#oak,False,0.000,0.000\n"
    (reading,) = formats.read(tmp_path / "s.csv")
    assert (reading.protocol, without_origin(reading.judgements)) == ("da", [said])


def test_given_spans_end_as_they_were_given(tmp_path: Path) -> None:
    kept = {"side": "target", "start": 4, "end": 5, "text": "😀", "severity": "minor", "origin": "kept"}
    added = {**kept, "start": 6, "end": 11, "text": "Hafen", "origin": "added"}
    said = Judgement("a", "rating", "errors", "harbour", "7", ("oak",), [kept, added])
    score = replace(said, question="score", value=9)
    formats.write("appraise_batches", tmp_path / "b.json", DOCUMENTS)
    formats.write("appraise_scores", tmp_path / "s.csv", DOCUMENTS, [said, score], batches=tmp_path / "b.json")
    assert '""start_i"": 4, ""end_i"": 6' in (tmp_path / "s.csv").read_text()  # UTF-16, and exclusive
    (reading,) = formats.read(tmp_path / "s.csv", batches=tmp_path / "b.json")
    assert (reading.protocol, without_origin(reading.judgements)) == ("esa_preannotated", [said, score])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"question": "skills"}, "answers 'skills'"),
        ({"systems": ("a", "b")}, "several outputs"),
        ({"document": "a#b"}, "a # in its id"),
        ({"value": "good"}, "no number"),
        ({"question": "errors", "value": 3}, "no list of spans"),
    ],
)
def test_what_appraise_has_no_place_for(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    said = replace(Judgement("a", "rating", "score", "harbour", "7", ("oak",), 55), **change)
    with pytest.raises(InputError, match=message):
        formats.write("appraise_scores", tmp_path / "s.csv", DOCUMENTS, [said])
    assert not (tmp_path / "s.csv").exists()


def test_a_judge_who_answered_again_has_another_row(tmp_path: Path) -> None:
    said = Judgement("a", "rating", "score", "harbour", "7", ("oak",), 55)
    twice = [said, replace(said, value=3)]
    formats.write("appraise_scores", tmp_path / "s.csv", DOCUMENTS, twice)
    (reading,) = formats.read(tmp_path / "s.csv")
    assert without_origin(reading.judgements) == twice


def test_the_sample_comes_back(tmp_path: Path) -> None:
    (first,) = formats.read(SAMPLES / "appraise_mqm.csv")
    formats.write("appraise_scores", tmp_path / "s.csv", first.documents, first.judgements)
    (second,) = formats.read(tmp_path / "s.csv")
    assert without_origin(second.judgements) == without_origin(first.judgements)


@pytest.mark.data
@pytest.mark.parametrize("name", ["ESA", "GEMBA", "MQM"])
def test_released_scores_come_back(tmp_path: Path, name: str) -> None:
    released = data_dir("esa-appraise") / f"240315rc5{name}.scores.csv"
    path = tmp_path / released.name
    with released.open(encoding="utf-8", newline="") as file:
        path.write_text("".join(islice(file, 800)), encoding="utf-8", newline="")
    (first,) = formats.read(path)
    formats.write("appraise_scores", tmp_path / "s.csv", first.documents, first.judgements)
    (second,) = formats.read(tmp_path / "s.csv", protocol=first.protocol)
    assert without_origin(second.judgements) == without_origin(first.judgements)


ESA = SAMPLES / "appraise" / "esa.scores.csv"


def test_with_batches_spans_are_code_points_with_their_text() -> None:
    (reading,) = formats.read(ESA, batches=str(BATCHES))
    assert reading.protocol == "esa"
    errors = [j for j in reading.judgements if j.question == "errors"]
    assert [(j.document, j.segment, j.role) for j in errors] == [
        ("tutorial1", "1", Role.TUTORIAL),
        ("harbour", "0", Role.MAIN),
        ("harbour", "1", Role.MAIN),
        ("harbour", "0", Role.CONTROL),
        ("harbour", "0", Role.REPEAT),
    ]
    assert errors[0].value[0]["text"] == "cat"  # the end is inclusive in the file
    assert errors[1].value == [
        {"side": "target", "start": 11, "end": 14, "text": "ist", "severity": "minor"},  # 12 in UTF-16
        {"side": "target", "missing": True, "severity": "major"},
    ]
    assert errors[3].flags == ("bad_offsets",)
    assert errors[4].flags == ("dup",)


def test_scores_times_and_missing_values() -> None:
    (reading,) = formats.read(ESA)
    scores = [j for j in reading.judgements if j.question == "score"]
    assert [j.value for j in scores] == [10, 60, None, 5, 62]
    assert scores[2].flags == ("missing",)
    assert scores[1].elapsed_seconds == 20.25
    assert scores[1].answered_at == datetime.fromtimestamp(1700000030.25, UTC)
    assert scores[1].systems == ("oak",)
    assert scores[1].origin == "esa.scores.csv:2"
    assert reading.documents == ()


def test_exclusive_ends_on_request() -> None:
    (reading,) = formats.read(ESA, batches=str(BATCHES), ends="exclusive")
    assert reading.judgements[0].value[0]["text"] == "ca"
    with pytest.raises(InputError, match="inclusive or exclusive"):
        formats.read(ESA, ends="open")


def test_spans_that_were_given_end_exclusively(tmp_path: Path) -> None:
    row = (
        '{},set.oak,2,TGT,eng,deu,60,harbour#oak,False,"[{{""start_i"":12,""end_i"":15,""severity"":""minor""}}]",1,2\n'
    )
    path = tmp_path / "x.csv"
    path.write_text(row.format("a"), encoding="utf-8")
    (reading,) = formats.read(path, batches=str(BATCHES))
    assert reading.protocol == "esa_preannotated"
    (span,) = reading.judgements[0].value
    assert (span["text"], span["origin"]) == ("ist", "kept")


def test_direct_assessment_has_fewer_columns() -> None:
    german, japanese = formats.read(SAMPLES / "appraise_da.csv")
    assert (german.name, german.protocol, japanese.name) == ("appraise_da.en-de", "da", "appraise_da.en-ja")
    assert [(j.segment, j.value, j.role) for j in german.judgements] == [("7", 88, Role.MAIN), ("8", 95, Role.CONTROL)]
    assert japanese.judgements[0].role is Role.REPEAT


def test_mqm_is_told_by_its_error_types() -> None:
    (reading,) = formats.read(SAMPLES / "appraise_mqm.csv")
    assert reading.protocol == "mqm_core"
    (judgement,) = reading.judgements
    assert (judgement.stage, judgement.question, judgement.flags) == ("marking", "errors", ("incomplete",))
    assert judgement.value[0]["category"] == "Accuracy/Mistranslation"
    assert (judgement.value[0]["start"], judgement.value[0]["end"]) == (0, 4)


def test_batch_numbers_tell_items_apart(tmp_path: Path) -> None:
    item = (
        '{"documentID": "d#A", "itemID": 1, "itemType": "TGT", "sourceText": "%s", "targetText": "%s", "targetID": "A"}'
    )
    task = '{"task": {"batchNo": %d, "sourceLanguage": "eng", "targetLanguage": "deu"}, "items": [%s]}'
    (tmp_path / "b.json").write_text(f"[{task % (1, item % ('a', 'x'))}, {task % (2, item % ('b', 'y'))}]")
    row = "u,A,1,TGT,eng,deu,50,d#A,False,[],1,2"
    (tmp_path / "s.csv").write_text(f"{row},2,99\n")
    (reading,) = formats.read(tmp_path / "s.csv", batches=str(tmp_path / "b.json"))
    assert {j.segment for j in reading.judgements} == {"2"}
    (tmp_path / "s.csv").write_text(f"{row}\n")
    (reading,) = formats.read(tmp_path / "s.csv", batches=str(tmp_path / "b.json"))
    assert {j.flags for j in reading.judgements} == {("ambiguous_item",)}


@pytest.mark.parametrize(
    ("times", "flags"),
    [("1,2", ()), ("0,0", ()), (",", ()), ("1,never", ("unreadable_time",)), ("9e99,2", ("unreadable_time",))],
)
def test_times_that_cannot_be_read_are_flagged(tmp_path: Path, times: str, flags: tuple[str, ...]) -> None:
    path = tmp_path / "s.csv"
    path.write_text(f"u,A,1,TGT,eng,deu,50,d,False,{times}\n")
    (reading,) = formats.read(path, "appraise_scores")
    assert [judgement.flags for judgement in reading.judgements] == [flags]
    assert ("cannot be read" in " ".join(reading.notes)) == bool(flags)


def test_an_undecided_severity_is_none_and_flagged(tmp_path: Path) -> None:
    spans = '"[{""start_i"":0,""end_i"":1,""severity"":""undecided"",""error_type"":null}]"'
    path = tmp_path / "x.csv"
    path.write_text(f"u,A,1,TGT,eng,deu,50,d,False,{spans},1,2\n")
    errors = formats.read(path)[0].judgements[0]
    assert (errors.value[0]["severity"], errors.flags) == (None, ("undecided",))


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("u,A,1,XXX,eng,deu,50,d,False,[],1,2", "not one of Appraise's scores"),
        ("u,A,1,TGT,eng,deu,good,d,False,[],1,2", "not one of|not a score"),
        ("u,A,1,TGT,eng,deu,50,d,False,{},1,2", "not a list"),
        ("u,A,1,TGT,eng,deu,50,d,False,[,1,2", "not JSON"),
    ],
)
def test_wrong_rows_are_named(tmp_path: Path, row: str, message: str) -> None:
    path = tmp_path / "x.csv"
    path.write_text("u,A,1,TGT,eng,deu,50,d,False,[],1,2\n" + row + "\n")
    with pytest.raises(InputError, match=message) as caught:
        formats.read(path)
    assert caught.value.where.line == 2


@pytest.mark.parametrize(("scores", "protocol"), [((0, 6, 3), ""), ((2, 7, 10), ""), ((2, 70, 10), "da")])
def test_scores_of_a_short_scale_are_no_direct_assessment(
    tmp_path: Path, scores: tuple[int, ...], protocol: str
) -> None:
    rows = [f"ann,oak,{n},TGT,eng,deu,{score},d#oak,False,0.0,1.0\n" for n, score in enumerate(scores)]
    (tmp_path / "s.csv").write_text("".join(rows))
    (reading,) = formats.read(tmp_path / "s.csv", "appraise_scores")
    assert (reading.protocol, bool(reading.questions)) == (protocol, not protocol)
    assert [judgement.value for judgement in reading.judgements] == list(scores)

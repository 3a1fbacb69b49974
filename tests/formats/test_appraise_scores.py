from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from formats.strategies import SAMPLES
from lanner import formats
from lanner.errors import InputError
from lanner.model import Role

ESA = SAMPLES / "appraise" / "esa.scores.csv"
BATCHES = SAMPLES / "appraise" / "batches.json"


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

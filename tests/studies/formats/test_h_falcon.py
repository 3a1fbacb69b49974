from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from data_sets import data_dir
from lanner import formats
from lanner.errors import InputError
from lanner.model import JudgeKind

SENTENCES = """idx,domain,doc,source,reference,target
0,news,d1,Ask 😀 him.,그에게 물어라.,물어봐.
1,news,d1,He left.,그는 떠났다.,갔다.
"""
FALCON = """idx,domain,context,skill,span,time
0,news,Local contextual,"['Style Register', 'Idea Development']","[{""start"":6,""end"":9,""text"":""him"",""labels"":[""need context""]}]",12.5
1,news,Sentence-level,[],,
"""  # noqa: E501
H_FALCON = """idx,sent_score,tot_score,Idea Development,Style Register,time
0,4.0,9,not relevant,high,3
1,,10.0,low,not relevant,4
"""
MODEL = """{"idx":1,"context":"Local","skill":["Style Register"]}
{"idx":0,"context":"Global","skill":[]}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, content in {
        "data/a.csv": SENTENCES,
        "data/b.csv": SENTENCES,
        "human/a/judge1.csv": FALCON,
        "human/b/judge1.csv": H_FALCON,
        "model/m.jsonl": MODEL,
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content, encoding="utf-8")
    return tmp_path


def test_both_parts_are_read(folder: Path) -> None:
    assert formats.recognise(folder) == "h_falcon"
    first, second = formats.read(folder)
    assert (first.name, first.protocol, second.name, second.protocol) == ("a", "falcon_labels", "b", "h_falcon")
    assert first.documents[0].language_pair == "en-ko"
    assert [(judge.id, judge.kind) for judge in first.judges] == [("judge1", JudgeKind.PERSON), ("m", JudgeKind.MODEL)]
    answers = {(j.judge, j.segment, j.question): j for j in first.judgements}
    assert answers["judge1", "0", "context"].value == "Local contextual"
    assert answers["judge1", "0", "skills"].value == ["Style Register", "Idea Development"]
    assert answers["judge1", "0", "spans"].value == [
        {"side": "source", "start": 6, "end": 9, "text": "him", "category": "need context"}
    ]
    assert answers["judge1", "0", "spans"].flags == ()  # code points, not UTF-16
    assert answers["judge1", "1", "spans"].value == []
    assert answers["judge1", "0", "context"].elapsed_seconds == 12.5
    assert answers["judge1", "1", "context"].elapsed_seconds is None
    assert answers["m", "1", "context"].origin == "model/m.jsonl:1"
    rated = {(j.segment, j.question): j for j in second.judgements}
    assert rated["0", "skills"].value == {"Idea Development": "not relevant", "Style Register": "high"}
    assert (rated["0", "sentence"].value, rated["0", "holistic"].value) == (4, 9)
    assert (rated["1", "sentence"].value, rated["1", "sentence"].flags) == (None, ("missing",))
    assert rated["0", "sentence"].systems == ("target",)
    assert second.notes == ("1 score is missing.",)


def test_a_span_that_does_not_match_is_flagged_and_kept(folder: Path) -> None:
    file = folder / "human/a/judge1.csv"
    file.write_text(FALCON.replace('""start"":6', '""start"":5'), encoding="utf-8")
    first, _ = formats.read(folder)
    (wrong,) = [j for j in first.judgements if j.flags]
    assert wrong.flags == ("text_mismatch",)
    assert wrong.value[0]["start"] == 5
    assert any("1 judgement holds a span" in note for note in first.notes)


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        ("human/a/judge1.csv", "\n1,", "\n7,", "'7' is not in a.csv"),
        ("human/a/judge1.csv", "\n1,", "\n0,", "already on line 2"),
        ("human/a/judge1.csv", "[],,", "none of them,,", "not a list"),
        ("human/a/judge1.csv", '""start""', "start", "not JSON"),
        ("human/b/judge1.csv", "10.0", "ten", "not a number"),
        ("human/b/judge1.csv", "sent_score", "sentence", "Neither FALCON"),
        ("model/m.jsonl", '"idx":1,', "", "no idx"),
        ("data/a.csv", "\n1,", "\n0,", "already on line 2"),
    ],
)
def test_faults_are_named(folder: Path, name: str, old: str, new: str, message: str) -> None:
    file = folder / name
    changed = file.read_text(encoding="utf-8").replace(old, new)
    file.write_text(changed, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        formats.read(folder)


@pytest.mark.data
def test_the_released_files() -> None:
    evalset, subset = formats.read(data_dir("h-falcon"))
    assert (evalset.name, evalset.protocol, subset.name, subset.protocol) == (
        "evalset",
        "falcon_labels",
        "subset",
        "h_falcon",
    )
    assert len(evalset.documents) == 38
    assert sum(len(document.segments) for document in evalset.documents) == 809
    assert Counter(judge.kind for judge in evalset.judges) == {JudgeKind.PERSON: 3, JudgeKind.MODEL: 3}
    per_judge = Counter((j.judge, j.question) for j in evalset.judgements)
    assert set(per_judge.values()) == {809}
    assert len(per_judge) == 3 * 3 + 3 * 2
    spans = [j for j in evalset.judgements if j.question == "spans"]
    assert sum(len(j.value) for j in spans) == 1040
    assert sum("text_mismatch" in j.flags for j in spans) == 2
    skills = [j for j in evalset.judgements if j.question == "skills"]
    assert sum(len(set(j.value)) < len(j.value) for j in skills) == 2
    assert sum(len(j.value) == 1 for j in skills) == 1
    assert sum(len(document.segments) for document in subset.documents) == 298
    assert sum("missing" in j.flags for j in subset.judgements) == 9

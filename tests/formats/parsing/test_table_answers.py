from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import lanner
from lanner import formats
from lanner.errors import InputError, Where
from lanner.formats import table
from lanner.stats.preference import sign_test


def put(path: Path, text: str) -> Path:
    path.write_bytes(text.encode())
    return path


STEPS = {"Poor": "2", "Fair": "3", "Good": "4", "Excellent": "5"}

ERRORS = """document,sentence,system,annotator,error_category,severity
d1,1,deepl,A,Accuracy/Mistranslation,Major
d1,1,deepl,A,Fluency/Grammar,Minor
d1,2,deepl,A,No-error,
d1,1,gpt,A,No-error,no-error
d1,1,deepl,B,Accuracy/Mistranslation,Major
d1,2,deepl,B,No-error,
d1,1,gpt,B,Style,Minor
"""


_VERDICTS = {  # what one file says in five ways: DeepL wins the first segment, GPT the second, and the third is a tie
    "sides": ["a", "a", "tie"],
    "capitals": ["A", "A", "Tie"],
    "columns": ["model_a", "model_a", "tie"],
    "names": ["DeepL", "GPT", "tie"],
}


@pytest.mark.parametrize("words", list(_VERDICTS))
def test_a_preference_belongs_to_the_systems_of_its_row(tmp_path: Path, words: str) -> None:
    path = tmp_path / "arena.csv"
    shown = [("DeepL", "GPT"), ("GPT", "DeepL"), ("GPT", "DeepL")]
    lines = ["rater,doc,seg,model_a,model_b,winner"]
    for document in "12345":
        for judge in ("ann", "bob"):
            for segment, ((one, two), verdict) in enumerate(zip(shown, _VERDICTS[words], strict=True)):
                lines.append(f"{judge},d{document},{segment},{one},{two},{verdict}")
    path.write_text("\n".join(lines))
    rows = sign_test(lanner.load(path)[0].table, "winner").rows
    everybody = next(row for row in rows if row["judge"] == "all")
    assert (everybody["for"], everybody["against"]) == ("DeepL", "GPT")
    assert (everybody["wins"], everybody["losses"], everybody["ties"]) == (10, 10, 10)


def test_a_letter_that_names_a_side_and_a_system_is_asked_about(tmp_path: Path) -> None:
    """In `system_a` stands B: whether the answer `A` means the side or the system cannot be known."""
    path = tmp_path / "letters.csv"
    lines = ["document,judge,system_a,system_b,preference"]
    lines += [
        f"d{n},ann,{one},{two},A" for n, (one, two) in enumerate([("A", "B"), ("B", "A"), ("B", "A"), ("A", "B")])
    ]
    path.write_text("\n".join(lines))
    with pytest.raises(InputError, match=r"'A'.*side.*system") as failure:
        lanner.load(path)
    assert failure.value.code == "side_or_system"
    path.write_text("\n".join(line.replace("A", "1").replace("B", "2") for line in lines))
    with pytest.raises(InputError, match="'1' may mean a side or a system"):
        lanner.load(path)
    path.write_text("\n".join(line.replace("B,A,A", "A,B,A") for line in lines))
    assert sign_test(lanner.load(path)[0].table, "preference").rows[0]["for"] == "A"  # both readings are the same


@pytest.mark.parametrize(
    "heading", ["comment", "Kommentar", "Commentaires", "코멘트", "評価コメント", "Комментарий", "Any comments?"]
)
def test_remarks_are_free_text_in_every_language(tmp_path: Path, heading: str) -> None:
    path = tmp_path / "remarks.csv"
    lines = [f"d{n},{judge},{n + 60},{'ok' if n % 3 else 'good'}" for n in range(6) for judge in ("ann", "bob")]
    path.write_text("\n".join([f"document,judge,score,{heading}", *lines]), encoding="utf-8")
    assert len(lanner.agreement(path).results) == 1  # of the scores


def test_judges_who_saw_the_sides_swapped_and_prefer_the_same_system_agree(tmp_path: Path) -> None:
    path = tmp_path / "swapped.csv"
    lines = ["rater,doc,seg,model_a,model_b,winner"]
    for document in range(8):
        for segment in range(2):
            better = "GPT" if (document + segment) % 3 else "DeepL"
            for judge, (one, two) in (("ann", ("GPT", "DeepL")), ("bob", ("DeepL", "GPT"))):
                lines.append(f"{judge},d{document},{segment},{one},{two},{'a' if one == better else 'b'}")
    path.write_text("\n".join(lines))
    agreement = lanner.agreement(path).results
    assert [result.value for result in agreement] == [1.0]


BY_SYSTEM = {
    "criteria about systems": "Text ID;Annotator;Accuracy (DeepL);Accuracy (GPT-4);Fluency (DeepL);Fluency (GPT-4)\n"
    "T1;Anna;Good;Excellent;Good;Good\nT1;Ben;Fair;Good;Good;Excellent\nT2;Anna;Poor;Good;Fair;Good\n"
    "T2;Ben;Fair;Excellent;Fair;Excellent\nT3;Anna;Good;Good;Excellent;Excellent\n",
    "systems": "Text ID;Annotator;DeepL;GPT-4\nT1;Anna;Good;Excellent\nT1;Ben;Fair;Good\nT2;Anna;Poor;Good\n"
    "T2;Ben;Fair;Excellent\n",
    "criteria by judges": "Text ID;System;Accuracy (Anna);Accuracy (Ben)\nT1;DeepL;Good;Fair\nT1;GPT-4;Excellent;Good\n"
    "T2;DeepL;Poor;Fair\nT2;GPT-4;Good;Good\n",
}


@pytest.mark.parametrize("layout", BY_SYSTEM)
def test_steps_in_words_are_read_as_their_numbers_are(tmp_path: Path, layout: str) -> None:
    """Also where one system got two of the words alone, which by themselves would be labels."""
    worded, numbered = tmp_path / "words.csv", tmp_path / "numbers.csv"
    worded.write_text(BY_SYSTEM[layout], encoding="utf-8")
    numbered.write_text(re.sub("|".join(STEPS), lambda word: STEPS[word[0]], BY_SYSTEM[layout]), encoding="utf-8")
    words, numbers = (table.read(path)[0].judgements for path in (worded, numbered))
    assert [(j.judge, j.question, j.document, j.systems, j.value) for j in words] == [
        (j.judge, j.question, j.document, j.systems, j.value) for j in numbers
    ]
    assert {system for judgement in words for system in judgement.systems} == {"DeepL", "GPT-4"}


def test_rows_that_are_errors_are_no_repeats(tmp_path: Path) -> None:
    path = tmp_path / "errors.csv"
    path.write_text(ERRORS, encoding="utf-8")
    with pytest.raises(InputError, match="Several rows of A are about one output") as refused:
        table.read(path, columns="answer:severity=severity")
    assert refused.value.code == "rows_are_errors"
    assert "columns judge, system, segment" in str(refused.value)


def answered(path: Path, heading: str, cells: list[str], judge: str = "judge", unit: str = "segment") -> list[object]:
    rows = [f'{n // 2},{"ab"[n % 2]},"{cell}"' for n, cell in enumerate(cells)]
    (reading,) = table.read(put(path, "\n".join([f"{unit},{judge},{heading}", *rows])))
    return [judgement.value for judgement in reading.judgements]


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (
            ["tone; terms", "terms", "tone", "", "terms;tone"],
            [["tone", "terms"], ["terms"], ["tone"], None, ["terms", "tone"]],
        ),
        (["tone|terms", "terms", "tone"], [["tone", "terms"], ["terms"], ["tone"]]),
        (["tone, terms", "terms", "tone"], [["tone", "terms"], ["terms"], ["tone"]]),
        (["tone, terms", "none", "tone, terms", "none"], [["tone", "terms"], ["none"], ["tone", "terms"], ["none"]]),
        (["stiff, not wrong", "wrong", "stiff"], ["stiff, not wrong", "wrong", "stiff"]),
        (["tone", "terms", "tone"], ["tone", "terms", "tone"]),
    ],
)
def test_several_labels_in_a_cell_are_a_set(tmp_path: Path, cells: list[str], values: list[object]) -> None:
    assert answered(tmp_path / "labels.csv", "error type", cells) == values


@pytest.mark.parametrize(
    ("heading", "cells", "values"),
    [
        ("quality", ["A", "C", "F", "B"], [5, 3, 1, 4]),
        ("grade", ["A", "E", "F", "B"], [6, 2, 1, 5]),
        ("fluency", ["A", "C", "E", "D"], [5, 3, 1, 2]),
        ("quality", ["A+", "B-", "C", "A"], [5.3, 3.7, 3, 5]),
        ("quality", ["A", "B", "A", "B"], ["A", "B", "A", "B"]),
        ("label", ["A", "B", "C", "G"], ["A", "B", "C", "G"]),
        ("quality", ["one", "five", "three", "two"], [1, 5, 3, 2]),
        ("adequacy", ["None", "All", "Most", "Little"], [1, 5, 4, 2]),
        ("adequacy", ["None", "Everything", "Most", "Little"], [1, 4, 3, 2]),
    ],
)
def test_grades_are_read_as_numbers(tmp_path: Path, heading: str, cells: list[str], values: list[object]) -> None:
    assert answered(tmp_path / "grades.csv", heading, cells) == values


@pytest.mark.parametrize(
    ("mark", "place"),
    [
        (
            {"start_i": 4, "end_i": 8, "severity": "minor", "category": None},
            {"start": 4, "end": 9, "severity": "minor"},
        ),
        ({"start_i": "missing", "end_i": "missing", "severity": "major"}, {"severity": "major", "missing": True}),
        ({"span": "Katze", "severity": "minor"}, {"text": "Katze", "severity": "minor"}),
        ({"start": 4, "end": 9}, {"start": 4, "end": 9}),
    ],
)
@pytest.mark.parametrize("name", ["marks.jsonl", "marks.csv"])
def test_marks_of_other_tools_are_read_as_ours(
    tmp_path: Path, name: str, mark: dict[str, object], place: dict[str, object]
) -> None:
    path = tmp_path / name
    row = {"segment": "1", "judge": "a", "errors": [mark]}
    if name.endswith("csv"):
        cell = json.dumps([mark]).replace('"', '""')
        put(path, f'segment,judge,errors\n1,a,"{cell}"\n2,a,[]\n')
    else:
        put(path, f"{json.dumps(row)}\n{json.dumps({**row, 'segment': '2', 'errors': []})}\n")
    (reading,) = table.read(path)
    assert [judgement.value for judgement in reading.judgements] == [[place], []]
    assert any("end at the character" in note for note in reading.notes) == ("end_i" in mark)


def test_grades_have_the_ends_of_their_scale(tmp_path: Path) -> None:
    path = put(tmp_path / "grades.csv", "segment,judge,quality\n1,a,A+\n2,a,B\n3,a,C\n")
    assert table.read(path)[0].scales == {"quality": (0.7, 5.3)}
    put(path, "segment,judge,quality\n1,a,A\n2,a,B\n3,a,C\n")
    assert table.read(path)[0].scales == {"quality": (1, 5)}


@pytest.mark.parametrize(("heading", "is_refused"), [("rt", True), ("rt_ms", False), ("duration", True)])
def test_long_times_without_a_unit_are_asked_about(tmp_path: Path, heading: str, is_refused: bool) -> None:
    rows = [f"{n},a,{n % 5},{4000 + n}" for n in range(6)]
    path = put(tmp_path / "times.csv", "\n".join([f"segment,judge,score,{heading}", *rows]))
    if is_refused:
        with pytest.raises(InputError, match=f"Half of the times in '{heading}' are above 900") as refused:
            table.read(path)
        assert f"{heading}_ms" in str(refused.value.next_step)
    else:
        (reading,) = table.read(path)
        assert {judgement.question for judgement in reading.judgements} == {"score"}
        assert reading.judgements[0].elapsed_seconds == 4


@pytest.mark.parametrize(
    ("heading", "answers", "is_refused"),
    [
        ("adequacy", [1, 2, 3, 4, 5] * 4 + [55], True),
        ("adequacy", [1, 2, 3, 4, 5] * 4 + [55, 11], True),
        ("adequacy", [1, 2, 3, 4, 5] * 4 + [55, 11, 90], False),
        ("adequacy", [1, 2, 3, 4, 5] * 3 + [55], False),
        ("adequacy", [0, 1, 2, 3, 4] * 4 + [55], False),
        ("adequacy (1-100)", [1, 2, 3, 4, 5] * 4 + [55], False),
        ("adequacy", [1, 2, 3, 4, 5] * 4 + [10], False),
    ],
)
def test_an_answer_far_off_all_others_is_asked_about(
    tmp_path: Path, heading: str, answers: list[int], is_refused: bool
) -> None:
    rows = [f"{n},a,{answer}" for n, answer in enumerate(answers)]
    path = put(tmp_path / "scores.csv", "\n".join([f"segment,judge,{heading}", *rows]))
    if is_refused:
        with pytest.raises(InputError, match="The answer 55 to 'adequacy' is far off all others, from 1 to 5") as slip:
            table.read(path)
        assert slip.value.where == Where(path, 22)
        assert len(table.read(path, missing="55,11")[0].judgements) == len(answers)
    assert len(table.read(path, missing="none" if is_refused else "")[0].judgements) == len(answers)


def test_whole_numbers_with_a_point_name_the_same_items(tmp_path: Path) -> None:
    (reading,) = table.read(put(tmp_path / "ids.csv", "document,segment,judge,score\n0.0,1.0,a,3\n0.0,2.0,a,4\n"))
    assert [(entry.document, entry.segment) for entry in reading.judgements] == [("0", "1"), ("0", "2")]
    assert any("1.0 is read as 1" in note for note in reading.notes)
    (reading,) = table.read(put(tmp_path / "ids.csv", "document,segment,judge,score\nd,1.0,a,3\nd,1.1,a,4\n"))
    assert [entry.segment for entry in reading.judgements] == ["1.0", "1.1"]


def test_a_condition_is_what_was_compared_and_a_translator_is_none(tmp_path: Path) -> None:
    rows = [f"{n},P{n % 3},{c},{judge},{n % 5}" for n in range(6) for c in ("HT", "PE") for judge in "ab"]
    (reading,) = table.read(put(tmp_path / "ht.csv", "\n".join(["segment,translator,condition,judge,score", *rows])))
    assert {entry.systems for entry in reading.judgements} == {("HT",), ("PE",)}
    assert {entry.question for entry in reading.judgements} == {"score"}


UNNAMED = "document,judge,system,score\nd1,ann,A,70\nd1,ann,A,60\nd1,ann,B,50\nd1,bea,A,80\nd1,bea,B,40\n"


def test_sentences_that_no_column_tells_apart_are_no_repeats(tmp_path: Path) -> None:
    path = put(tmp_path / "scores.csv", UNNAMED)
    with pytest.raises(InputError, match="ann gives different answers to 'score' about d1") as refused:
        table.read(path)
    assert refused.value.code == "unnamed_sentences"
    assert refused.value.where == Where(path, 3)


@pytest.mark.parametrize(
    ("column", "values", "roles"),
    [
        ("segment", "12111", "main main main main main"),
        ("role", ["main", "repeat", "main", "main", "main"], "main repeat main main main"),
        ("source", "xyxxx", "main main main main main"),
        ("answered_at", [f"2026-01-0{day} 10:00" for day in "12345"], "main repeat main main main"),
    ],
)
def test_what_tells_two_answers_apart_keeps_both(tmp_path: Path, column: str, values: list[str], roles: str) -> None:
    rows = zip(UNNAMED.splitlines(), [column, *values], strict=True)
    (reading,) = table.read(put(tmp_path / "scores.csv", "\n".join(map(",".join, rows))))
    assert [str(judgement.role) for judgement in reading.judgements] == roles.split()


def test_a_row_that_stands_twice_is_a_repeat(tmp_path: Path) -> None:
    (reading,) = table.read(put(tmp_path / "scores.csv", UNNAMED.replace("60", "70")))
    assert [str(judgement.role) for judgement in reading.judgements] == ["main", "repeat", "main", "main", "main"]


def test_a_space_behind_the_name_of_a_system_makes_no_other_system(tmp_path: Path) -> None:
    rows = ["ann,1,GPT ,One.,Eins.,3", "ben,1,GPT,One.,Eins.,4", "ann,1,NMT,One.,Ein.,3", "ben,1,NMT,One.,Ein.,2"]
    path = put(tmp_path / "t.csv", "\n".join(["judge,segment,system,source,target,score", *rows]))
    (reading,) = table.read(path)
    (document,) = reading.documents
    assert dict(document.segments[0].outputs) == {"GPT": "Eins.", "NMT": "Ein."}
    assert {entry.systems for entry in reading.judgements} == {("GPT",), ("NMT",)}


def test_what_a_judge_is_may_be_said_on_a_later_row(tmp_path: Path) -> None:
    rows = [
        "Ann,,1,A,3",
        "Ann,model,2,A,3",
        "claude-3,,1,A,5",
        "claude-3,person,2,A,5",
        "Ben,person,1,A,4",
        "Ben,,2,A,4",
    ]
    path = put(tmp_path / "t.csv", "\n".join(["judge,judge_kind,segment,system,score", *rows]))
    (reading,) = table.read(path)
    assert {judge.id: str(judge.kind) for judge in reading.judges} == {
        "Ann": "model",
        "claude-3": "person",
        "Ben": "person",
    }
    assert not any("Going by their names" in note for note in reading.notes)


@pytest.mark.parametrize("answers", [["1_2", "1_3", "2_4", "1_2"], ["4:5", "3:5", "2:5", "1:5"]])
def test_two_numbers_in_a_cell_are_not_read_as_one(tmp_path: Path, answers: list[str]) -> None:
    rows = [
        f"{judge},{segment},A,{answer}"
        for (judge, segment), answer in zip(("a1", "b1", "a2", "b2"), answers, strict=True)
    ]
    path = put(tmp_path / "t.csv", "\n".join(["judge,segment,system,score", *rows]))
    (reading,) = table.read(path)
    assert [entry.value for entry in reading.judgements] == answers


def test_an_empty_cell_is_no_first_answer(tmp_path: Path) -> None:
    rows = ["ann,1,A,", "ann,1,A,4", "ann,1,A,2", "ben,1,A,3", "ben,1,A,", "cleo,1,A,", "cleo,1,A,"]
    (reading,) = table.read(put(tmp_path / "t.csv", "\n".join(["judge,segment,system,score", *rows])))
    assert [(entry.judge, entry.value) for entry in reading.judgements if entry.role == "main"] == [
        ("ann", 4),
        ("ben", 3),
        ("cleo", None),
    ]


def _one_score_each(cell: str) -> str:
    rows = [("s1", "a", 3), ("s2", "a", 4), ("s1", "b", 3), ("s2", "b", 5)]
    return "segment\tjudge\tscore\n" + "".join(f"{segment}\t{judge}\t{cell % n}\n" for segment, judge, n in rows)


@pytest.mark.parametrize("cell", ['{"rating": %d}', "{'score': %d}"])
def test_an_object_with_one_number_is_this_number(tmp_path: Path, cell: str) -> None:
    (reading,) = formats.read(put(tmp_path / "t.tsv", _one_score_each(cell)))
    assert [entry.value for entry in reading.judgements] == [3, 4, 3, 5]


@pytest.mark.parametrize("cell", ['{"A": %d}', '{"rating": %d, "remark": "late"}'])
def test_other_objects_are_no_labels(tmp_path: Path, cell: str) -> None:
    with pytest.raises(InputError) as caught:
        formats.read(put(tmp_path / "t.tsv", _one_score_each(cell)))
    assert caught.value.code == "no_answer_column"

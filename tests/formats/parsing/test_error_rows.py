from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from lanner.analysis.material import from_file
from lanner.errors import InputError
from lanner.formats import table

NAMES = ("document", "segment", "system", "rater", "source", "target", "category", "severity", "span")
SOURCE = "The cat saw the dog."
ROWS = [
    ("d1", "1", "X", "Ana", SOURCE, "Die <v>Kaze</v> sah den Hund.", "Fluency/Spelling", "Minor", "Kaze"),
    ("d1", "1", "X", "Ana", SOURCE, "Die Kaze sah den <v>Hund</v>.", "Accuracy/Mistranslation", "Major", "Hund"),
    ("d1", "1", "Y", "Ana", SOURCE, "Sie sah.", "No-error", "No-error", ""),
    ("d1", "1", "X", "Ben", SOURCE, "Die Kaze sah den Hund<v>.</v>", "Fluency/Punctuation", "Minor", "."),
    ("d1", "1", "Y", "Ben", "The <v>cat</v> saw the dog.", "Sie sah.", "Accuracy/Omission", "Critical", "cat"),
]
SPANS = {
    ("Ana", "X"): [("target", 4, 8, "minor"), ("target", 17, 21, "major")],
    ("Ana", "Y"): [],
    ("Ben", "X"): [("target", 21, 22, "minor")],
    ("Ben", "Y"): [("source", 4, 7, "critical")],
}
PENALTIES = {("Ana", "X"): 6, ("Ana", "Y"): 0, ("Ben", "X"): 0.1, ("Ben", "Y"): 25}


def rows_without(*names: str, marks: bool = True) -> list[dict[str, str]]:
    rows = [dict(zip(NAMES, row, strict=True)) for row in ROWS]
    plain = rows if marks else [{k: v.replace("<v>", "").replace("</v>", "") for k, v in row.items()} for row in rows]
    return [{name: text for name, text in row.items() if name not in names} for row in plain]


def with_offsets() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = [*rows_without("span")]
    for row in rows:
        texts = [row[name] for name in ("target", "source") if "<v>" in row[name]]
        start = texts[0].index("<v>") if texts else None
        row |= {"start": start, "end": texts[0].index("</v>") - 3 if texts else None}
        row |= {name: row[name].replace("<v>", "").replace("</v>", "") for name in ("source", "target")}
    return rows[:4]


def put(path: Path, rows: list[dict[str, Any]]) -> Path:
    if path.suffix == ".jsonl":
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
        return path
    with path.open("w", newline="", encoding="utf-8") as out:
        writer = csv.DictWriter(out, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def spans_in(path: Path, **options: Any) -> dict[tuple[str, str], list[tuple[Any, ...]]]:
    [reading] = table.read(path, **options)
    assert {judgement.question for judgement in reading.judgements} == {"errors"}
    assert not any("<v>" in (segment.text("X") or "") for document in reading.documents for segment in document)
    return {
        (judgement.judge, judgement.systems[0]): [
            tuple(span.get(name) for name in ("side", "start", "end", "severity")) for span in judgement.value
        ]
        for judgement in reading.judgements
    }


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("marks.csv", rows_without("span")),
        ("words.csv", rows_without(marks=False)),
        ("marks.jsonl", rows_without("span")),
        ("no_segment.csv", rows_without("span", "segment")),
        ("row_ids.csv", [{**row, "segment": str(n)} for n, row in enumerate(rows_without("span"))]),
        ("numbers.csv", [{**row, "error_no": n, "time": f"10:0{n}"} for n, row in enumerate(rows_without("span"))]),
    ],
)
def test_errors_are_gathered_by_judge_and_output(tmp_path: Path, name: str, rows: list[dict[str, Any]]) -> None:
    assert spans_in(put(tmp_path / name, rows)) == SPANS


@pytest.mark.parametrize("name", ["offsets.csv", "offsets.jsonl"])
def test_offsets_are_the_places(tmp_path: Path, name: str) -> None:
    assert spans_in(put(tmp_path / name, with_offsets())) == {key: SPANS[key] for key in [*SPANS][:3]}


@pytest.mark.parametrize("names", [{}, {"Accuracy/Omission": "Brand", "Accuracy/Mistranslation": "Facts"}])
@pytest.mark.parametrize("left_out", [("span",), ("span", "source", "target")])
def test_errors_weigh_as_in_mqm_wherever_they_stand(
    tmp_path: Path, names: dict[str, str], left_out: tuple[str, ...]
) -> None:
    rows = [{**row, "category": names.get(row["category"], row["category"])} for row in rows_without(*left_out)]
    [part] = from_file(put(tmp_path / "errors.csv", rows))
    penalties = part.table.filter(question="penalty").select("judge", "system", "score").iter_rows()
    assert {(judge, system): score for judge, system, score in penalties} == pytest.approx(PENALTIES)
    assert part.protocol is not None and (part.protocol.name == "mqm") == (not names)


def test_words_are_found_nearest_to_where_they_should_be(tmp_path: Path) -> None:
    row = {"segment": "1", "system": "X", "judge": "Ana", "source": "Yes.", "target": "ja ja, so ist es ja"}
    rows = [{**row, "severity": "minor", "span": "ja", "start": 4, "end": 6}]
    assert spans_in(put(tmp_path / "errors.csv", rows)) == {("Ana", "X"): [("target", 3, 5, "minor")]}


def test_words_of_other_languages_and_remarks_are_read(tmp_path: Path) -> None:
    path = tmp_path / "fehler.csv"
    path.write_text(
        "Dokument;Satz;System;Prüfer;Fehlerkategorie;Schweregrad;Kommentar\n"
        "d;1;X;Ana;Stil;Gering;steif\nd;1;X;Ana;Stil;Kritisch;\nd;2;X;Ana;;;\n",
        encoding="utf-8",
    )
    [reading] = table.read(path)
    assert [judgement.value for judgement in reading.judgements] == [
        [{"category": "Stil", "severity": "minor", "note": "steif"}, {"category": "Stil", "severity": "critical"}],
        [],
    ]
    assert any("No column says where" in note for note in reading.notes)


@pytest.mark.parametrize(
    ("at", "cell", "message"),
    [
        (1, {"severity": "Majr"}, "errors.csv:3.*'severity' is 'Majr', which is no severity"),
        (1, {"severity": ""}, "errors.csv:3.*'severity' is empty"),
        (3, {"severity": "", "category": "", "span": "x"}, "errors.csv:5.*'severity' is empty"),
    ],
)
def test_an_error_without_a_known_severity_is_refused(
    tmp_path: Path, at: int, cell: dict[str, str], message: str
) -> None:
    rows = rows_without()
    rows[at] |= cell
    with pytest.raises(InputError, match=f"(?s){message}"):
        table.read(put(tmp_path / "errors.csv", rows))


def test_severities_in_other_words_are_no_repeats(tmp_path: Path) -> None:
    grades = {"Minor": "1", "Major": "2", "Critical": "3", "No-error": "0"}
    rows = [{**row, "severity": grades[row["severity"]]} for row in rows_without("span")]
    with pytest.raises(InputError, match="'2' is no severity that is known") as refused:
        table.read(put(tmp_path / "errors.csv", rows))
    assert refused.value.where is not None and refused.value.where.line == 3
    rows = [{**row, "role": "repeat" if n == 1 else "main"} for n, row in enumerate(rows)]
    assert len(table.read(put(tmp_path / "errors.csv", rows))[0].judgements) == 5


@pytest.mark.parametrize("rows", [rows_without("span"), rows_without("span")[:2]])
def test_outputs_without_errors_may_lack(tmp_path: Path, rows: list[dict[str, Any]]) -> None:
    [reading] = table.read(put(tmp_path / "errors.csv", rows))
    assert any("penalties are too high" in note for note in reading.notes) == (len(rows) == 2)


def test_who_judged_is_asked_where_a_column_may_say_it(tmp_path: Path) -> None:
    rows = [{"wer" if name == "rater" else name: text for name, text in row.items()} for row in rows_without("span")]
    path = put(tmp_path / "errors.csv", rows)
    with pytest.raises(InputError, match="no column is known to name judges: 'wer' may") as refused:
        table.read(path)
    assert "--columns judge=wer" in str(refused.value.next_step)
    assert spans_in(path, columns="judge=wer") == SPANS
    [reading] = table.read(path, columns="ignore:wer=wer")
    assert [len(judgement.value) for judgement in reading.judgements] == [3, 1]


def test_places_that_are_not_plain_are_said(tmp_path: Path) -> None:
    target = "ja ja, so ist es"
    cells = [("ja", target), ("so", target), ("nein", target), ("", target), ("", "<v>ja</v> <v>ja</v>, so ist es")]
    row = {"segment": "1", "judge": "Ana", "source": "Yes.", "category": "Style", "severity": "minor"}
    rows = [{**row, "target": text, "span": words} for words, text in cells]
    [reading] = table.read(put(tmp_path / "errors.csv", rows))
    [judgement] = reading.judgements
    assert [(span["start"], span["end"]) for span in judgement.value] == [(0, 2), (7, 9), (0, 16), (0, 16), (0, 2)]
    notes = "\n".join(reading.notes)
    for sentence in ("more than once", "do not stand|does not stand", "has no place", "more than one mark"):
        assert any(part in notes for part in sentence.split("|")), sentence
    assert "Each row is an error, with its severity in 'severity': 5 errors in 1 judged outputs." in notes


def test_one_severity_for_each_output_is_an_answer(tmp_path: Path) -> None:
    rows = [
        {"segment": str(n), "system": "X", "judge": "Ana", "severity": word}
        for n, word in enumerate(("minor", "major"))
    ]
    [reading] = table.read(put(tmp_path / "severities.csv", rows))
    assert [judgement.value for judgement in reading.judgements] == ["minor", "major"]


@pytest.mark.parametrize("prefix", ["", "LQA ", "MQM_"])
def test_a_category_and_a_severity_on_each_row_are_an_error(tmp_path: Path, prefix: str) -> None:
    rows = "1,A text.,Ein Text.,ann,Accuracy,Minor\n2,More.,Mehr.,ann,Fluency,Major\n"
    path = tmp_path / "review.csv"
    path.write_text(f"ID,Source,Target,Reviewer,{prefix}Category,{prefix}Severity\n" + rows, encoding="utf-8")
    [reading] = table.read(path)
    marks = [entry.value[0] for entry in reading.judgements]
    assert [(mark["category"], mark["severity"]) for mark in marks] == [("Accuracy", "minor"), ("Fluency", "major")]

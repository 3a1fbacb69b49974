"""Files as people keep them: exports of forms, workbooks with a sheet for each judge, localisation tables, summaries.
What each holds is written down here beside it."""

from __future__ import annotations

import csv
import json
import re
import shlex
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from itertools import product
from pathlib import Path
from typing import Any

import openpyxl
import polars as pl
import pytest

from lanner import formats
from lanner.errors import InputError
from lanner.formats import Reading

ENGLISH = ["The ferry is late again.", "We waited on the old pier.", "Nobody had told her.", "Then it began to rain."]
GERMAN = [
    "Die Fähre ist wieder spät.",
    "Wir warteten am alten Pier.",
    "Niemand hatte es ihr gesagt.",
    "Dann kam Regen.",
]
FRENCH = ["Le bac est en retard.", "Nous avons attendu au quai.", "Personne ne lui avait dit.", "Puis il a plu."]


def workbook(path: Path, **sheets: Iterable[Sequence[Any]]) -> Path:
    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    for title, rows in sheets.items():
        page = book.create_sheet(title)
        for row in rows:
            page.append(row)
    book.save(path)
    return path


def table(path: Path, rows: Iterable[Sequence[Any]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    return path


def read(path: Path, **options: str) -> Reading:
    (reading,) = formats.read(path, **options)
    return reading


def answers(reading: Reading) -> set[tuple[Any, ...]]:
    return {(a.judge, a.question, a.segment, *a.systems, a.value) for a in reading.judgements}


SCORES = {"1": [4, 5, 3], "2": [2, 4, 3], "3": [5, 5, 1]}
"""By response, the scores of three translations."""


@pytest.mark.parametrize(
    ("emails", "names", "judges", "said"),
    [
        (["anonymous"] * 3, [None] * 3, ["1", "2", "3"], "'ID'"),
        (["anonym"] * 3, ["Anna", "Ben", "Cem"], ["Anna", "Ben", "Cem"], "'Name'"),
        (["a@x.org", "b@x.org", "c@x.org"], ["Anna", "Ben", "Ben"], ["a@x.org", "b@x.org", "c@x.org"], "'Email'"),
    ],
)
def test_the_responses_of_a_form_are_judges_and_no_items(
    tmp_path: Path, emails: list[str], names: list[str | None], judges: list[str], said: str
) -> None:
    """All were answers of one judge called `anonymous` about the numbers of the responses."""
    heading = ["ID", "Start time", "Completion time", "Email", "Name"]
    questions = [f"Translation {n}: {text}" for n, text in enumerate(GERMAN[:3], 1)]
    moments = [datetime(2026, 5, 1, 9, 2), datetime(2026, 5, 1, 9, 24)]
    rows = [[int(n), *moments, e, name, *SCORES[n]] for n, e, name in zip(SCORES, emails, names, strict=True)]
    reading = read(workbook(tmp_path / "form.xlsx", Form1=[[*heading, *questions], *rows]))
    expected = {
        (judge, "score", f"Translation {item}", score)
        for judge, scores in zip(judges, SCORES.values(), strict=True)
        for item, score in enumerate(scores, 1)
    }
    assert answers(reading) == expected
    assert any(f"called after {said}" in note for note in reading.notes)
    assert not any("dates" in note for note in reading.notes)


def test_a_form_about_one_text_asks_which(tmp_path: Path) -> None:
    head = ["ID", "Start time", "Completion time", "Email", "Name", "How fluent is it?", "How adequate is it?"]
    rows = [[n, datetime(2026, 5, n, 9, 2), datetime(2026, 5, n, 9, 9), "anonymous", None, 3, n] for n in (1, 2, 3)]
    with pytest.raises(InputError) as caught:
        formats.read(workbook(tmp_path / "form.xlsx", Form1=[head, *rows]))
    assert caught.value.code == "no_item_column"


def test_a_judge_called_anonymous_beside_texts_stays_one(tmp_path: Path) -> None:
    rows = [[n, ENGLISH[n], GERMAN[n], "anonymous", n + 1] for n in range(3)]
    reading = read(table(tmp_path / "t.csv", [["ID", "source", "mt", "annotator", "score"], *rows]))
    assert answers(reading) == {("anonymous", "score", str(n), "mt", n + 1) for n in range(3)}


LEGEND = ["1 = useless", "2 = poor", "3 = fair"]


@pytest.mark.parametrize(("gap", "legend"), [([None], LEGEND), ([], LEGEND), ([None], ["no meaning", "some", "all"])])
def test_a_legend_beside_the_table_is_no_answer(tmp_path: Path, gap: list[None], legend: list[str]) -> None:
    """Its cells were answers of the judges in whose rows they stood."""
    rows = [[n, ENGLISH[n], GERMAN[n], judge, n + 1] for n in range(4) for judge in ("Anna", "Ben")]
    beside = [[*row, *gap, *legend[at : at + 1]] for at, row in enumerate(rows)]
    head = ["segment", "source", "mt", "judge", "score", *[""] * len(gap), "Scale"]
    reading = read(workbook(tmp_path / "t.xlsx", Scores=[head, *beside]))
    assert answers(reading) == {(judge, "score", str(n), "mt", n + 1) for n in range(4) for judge in ("Anna", "Ben")}
    assert "Scale" in reading.unread


def test_steps_of_a_scale_that_judges_chose_are_answers(tmp_path: Path) -> None:
    head = ["segment", "source", "mt", "judge", "score"]
    rows = [[n, ENGLISH[n], GERMAN[n], "Anna", step] for n, step in enumerate([*LEGEND, ""])]
    reading = read(table(tmp_path / "t.csv", [head, *rows]))
    assert {row[-1] for row in answers(reading)} == {1, 2, 3, None}


@pytest.mark.parametrize(
    "head",
    [
        ["No", "Source", "Target", "score "],
        ["Comments", "No", "Source", "Target", "Score"],
        ["NO", "Source", "Target", "SCORE"],
    ],
)
def test_the_sheet_of_a_judge_who_writes_headings_otherwise_is_read(tmp_path: Path, head: list[str]) -> None:
    """It was left out, and the scores were those of the others."""
    usual = ["No", "Source", "Target", "Score"]
    texts = [[n, ENGLISH[n], GERMAN[n]] for n in range(4)]
    own = {"Anna": 1, "Ben": 3, "Cem": 2}
    sheets: dict[str, list[list[Any]]] = {
        judge: [usual, *([*row, own[judge] + row[0] % 2] for row in texts)] for judge in own
    }
    before = [None] * (len(head) - len(usual))
    sheets["Ben"] = [head, *([*before, *row, own["Ben"] + row[0] % 2] for row in texts)]
    reading = read(workbook(tmp_path / "t.xlsx", **sheets))
    scores = {row for row in answers(reading) if row[1] == "score"}
    assert scores == {(judge, "score", str(n), "Target", own[judge] + n % 2) for judge in own for n in range(4)}


def test_a_sheet_with_other_columns_is_left_out_and_named(tmp_path: Path) -> None:
    scores = [["System", "Segment", "Judge", "Score"], *(["A", n, "Anna", n] for n in range(3))]
    summary = [["System", "Score"], ["A", 1]]
    reading = read(workbook(tmp_path / "t.xlsx", Scores=scores, Summary=summary))
    assert len(reading.judgements) == 3
    assert any("left out: Summary" in note for note in reading.notes)


@pytest.mark.parametrize("heading", ["Key", "Identifier", "String ID"])
def test_the_key_of_a_string_names_it_and_is_no_translation(tmp_path: Path, heading: str) -> None:
    """`Identifier` was a system, and `home.title` what it wrote."""
    keys = [f"home.title{n}" for n in range(4)]
    rows = [[key, *texts, ""] for key, *texts in zip(keys, ENGLISH, GERMAN, strict=True)]
    reading = read(table(tmp_path / "t.csv", [[heading, "Source string", "German", "Labels"], *rows]))
    (document,) = reading.documents
    assert [segment.id for segment in document] == keys
    assert [dict(segment.outputs) for segment in document] == [{"target": text} for text in GERMAN]


def test_a_key_that_comes_again_names_nothing(tmp_path: Path) -> None:
    rows = [["ab"[n % 2], *texts] for n, texts in enumerate(zip(ENGLISH, GERMAN, strict=True))]
    (document,) = read(table(tmp_path / "t.csv", [["Key", "source", "mt"], *rows])).documents
    assert len(document.segments) == 4


HEADINGS: Mapping[str, list[str]] = {
    "codes": ["en", "de", "fr"],
    "names": ["English (US)", "German", "French (France)"],
    "known source": ["Source", "German", "French"],
    "targets": ["Source (en)", "Target (de)", "Target (fr)"],
}


@pytest.mark.parametrize("head", HEADINGS.values(), ids=HEADINGS)
def test_translations_into_two_languages_do_not_compete(tmp_path: Path, head: list[str]) -> None:
    """They were two systems of one document, ranked against each other."""
    path = table(tmp_path / "t.csv", [head, *zip(ENGLISH, GERMAN, FRENCH, strict=True)])
    with pytest.raises(InputError) as caught:
        formats.read(path)
    assert caught.value.code == "several_languages"
    assert head[1] in caught.value.what
    assert head[2] in caught.value.what
    assert ":de" in caught.value.next_step
    for target, texts in (("de", GERMAN), ("fr", FRENCH)):
        (document,) = read(path, languages=f"en-{target}").documents
        assert (document.source_language[:2], document.target_language) == ("en", target)
        assert [list(segment.outputs.values()) for segment in document] == [[text] for text in texts]
        assert [segment.source for segment in document] == ENGLISH


def test_references_are_in_the_language_that_is_read(tmp_path: Path) -> None:
    head = ["Source (en)", "Target (de)", "Target (fr)", "Reference (de)", "Reference (fr)"]
    path = table(tmp_path / "t.csv", [head, *zip(ENGLISH, GERMAN, FRENCH, GERMAN, FRENCH, strict=True)])
    (document,) = read(path, languages="en-fr").documents
    assert [list(segment.references.values()) for segment in document] == [[text] for text in FRENCH]


@pytest.mark.parametrize(("head", "system"), [(["German"], "target"), (["German (MT)"], "German (MT)")])
def test_a_heading_that_is_a_language_is_no_name_of_a_system(tmp_path: Path, head: list[str], system: str) -> None:
    (document,) = read(table(tmp_path / "t.csv", [["English", *head], *zip(ENGLISH, GERMAN, strict=True)])).documents
    assert document.systems == (system,)
    assert document.language_pair == "en-de"


SUMMARIES: Mapping[str, list[list[Any]]] = {
    "metrics": [["System", "DA", "BLEU"], ["A", 85.3, 34.2], ["B", 88.1, 33.0]],
    "counts": [["model", "n", "mean score"], ["A", 500, 4.3], ["B", 498, 4.1]],
    "pairs": [["Language pair", "System", "Human"], ["en-de", "A", 85.3], ["en-de", "B", 88.1], ["en-ja", "A", 80.3]],
    "numbered": [["#", "System", "Score"], [1, "A", 88.1], [2, "B", 85.3], [3, "C", 71.9]],
    "judges": [["System", "Anna", "Ben"], ["A", 4.5, 4.2], ["B", 4.1, 4.0]],
}


@pytest.mark.parametrize("rows", SUMMARIES.values(), ids=SUMMARIES)
def test_scores_of_systems_are_called_so(tmp_path: Path, rows: list[list[Any]]) -> None:
    with pytest.raises(InputError, match="Each row is a system with its scores") as caught:
        formats.read_judged(table(tmp_path / "t.csv", rows))
    assert caught.value.code == "scores_of_systems"
    assert "lanner scores" in caught.value.next_step


def test_one_row_of_a_system_among_several_is_a_judgement(tmp_path: Path) -> None:
    rows = [[n, system, n + at] for n in range(3) for at, system in enumerate("AB")]
    assert len(read(table(tmp_path / "t.csv", [["#", "System", "Score"], *rows])).judgements) == 6


@pytest.mark.parametrize("judges", [["Prüfer 1", "Prüfer 2"], ["Revisor 1", "Revisor 2"], ["Juez A", "Juez B"]])
def test_columns_called_after_judges_in_other_words(tmp_path: Path, judges: list[str]) -> None:
    rows = [[n, ENGLISH[n], GERMAN[n], n, n + 1, n + 0.5] for n in range(4)]
    reading = read(table(tmp_path / "t.csv", [["id", "source", "mt", *judges, "Durchschnitt"], *rows]))
    assert answers(reading) == {
        (judge, "score", str(n), "mt", n + at) for at, judge in enumerate(judges) for n in range(4)
    }


def test_who_edited_a_translation_is_who_answered(tmp_path: Path) -> None:
    rows = [[n, ENGLISH[n], GERMAN[n], who, n + 1] for n in range(4) for who in ("Anna", "Ben")]
    reading = read(table(tmp_path / "t.csv", [["segment", "source", "mt", "Post-editor", "Effort (1-5)"], *rows]))
    assert answers(reading) == {(who, "effort", str(n), "mt", n + 1) for n in range(4) for who in ("Anna", "Ben")}


def test_an_average_is_proposed_as_no_judge(tmp_path: Path) -> None:
    rows = [[n, ENGLISH[n], GERMAN[n], 4, 5, 4.5] for n in range(4)]
    (advice,) = (
        n
        for n in read(table(tmp_path / "t.csv", [["id", "source", "mt", "Anna", "Ben", "Average"], *rows])).notes
        if "not analysed" in n
    )
    assert "judge:Ben=Ben" in advice
    assert "Average" not in advice


def test_the_proposal_for_names_in_brackets_has_none(tmp_path: Path) -> None:
    head = [
        "id",
        "source",
        "DeepL",
        "NLLB",
        *(f"{system} ({who})" for system in ("DeepL", "NLLB") for who in ("Anna", "Ben")),
    ]
    rows = [[n, ENGLISH[n], GERMAN[n], FRENCH[n], 4, 5, 4, 3] for n in range(4)]
    (advice,) = (note for note in read(table(tmp_path / "t.csv", [head, *rows])).notes if "not analysed" in note)
    assert "judge:Anna about DeepL=DeepL (Anna)" in advice


def test_all_cells_that_became_dates_are_counted(tmp_path: Path) -> None:
    """Those of the first rows were."""
    rows = [[n, ENGLISH[n % 4], GERMAN[n % 4], "Anna", date(2026, 5, 3) if n % 2 else 4] for n in range(100)]
    reading = read(workbook(tmp_path / "t.xlsx", Scores=[["id", "source", "mt", "judge", "score"], *rows]))
    assert any(note.startswith("50 cells are dates") for note in reading.notes)


MARKED = {
    "srt": "1\n00:00:01,000 --> 00:00:02,500\n{}\n\n2\n00:00:03,000 --> 00:00:04,500\n{}\n",
    "vtt": "WEBVTT\n\n00:01.000 --> 00:02.500\n{}\n\n00:03.000 --> 00:04.500\n{}\n",
    "properties": "a.b={}\nc.d={}\n",
    "json": '{{"a": "{}", "b": "{}"}}',
    "yml": "strings:\n  a: {}\n  b: {}\n",
}


@pytest.mark.parametrize("ending", MARKED)
def test_two_files_that_are_no_plain_text_are_refused_and_not_read_line_by_line(tmp_path: Path, ending: str) -> None:
    """Times and keys were sentences to judge."""
    paths = [tmp_path / f"film.en.{ending}", tmp_path / f"film.de.{ending}"]
    for path, texts in zip(paths, (ENGLISH, GERMAN), strict=True):
        path.write_text(MARKED[ending].format(*texts), encoding="utf-8")
    with pytest.raises(InputError, match="no plain text with a segment on each line") as caught:
        formats.read(paths)
    assert caught.value.code == "marked_up"
    assert caught.value.where.file == paths[0]
    assert "table" in caught.value.next_step


@pytest.mark.parametrize(
    "lines",
    [
        ["Anna: Hello.", "Ben: Hi there."],
        ["x = y holds here.", "Then it rained."],
        ["1", "One more."],
        ["{n} files", "Open {name}."],
        ["de: nothing", "  more"],
    ],
)
def test_plain_lines_that_look_a_little_like_others_are_read(tmp_path: Path, lines: list[str]) -> None:
    paths = [tmp_path / "src.en", tmp_path / "hyp.de"]
    for path in paths:
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    (reading,) = formats.read(paths)
    assert [segment.source for segment in reading.documents[0]] == lines


def test_a_bitext_with_bars_is_read(tmp_path: Path) -> None:
    path = tmp_path / "bitext.txt"
    path.write_text("".join(f"{one} ||| {two}\n" for one, two in zip(ENGLISH, GERMAN, strict=True)), encoding="utf-8")
    (document,) = read(path).documents
    assert [segment.source for segment in document] == ENGLISH
    assert [list(segment.outputs.values()) for segment in document] == [[text] for text in GERMAN]
    path.write_text(path.read_text(encoding="utf-8") + "One more.\n", encoding="utf-8")
    with pytest.raises(InputError):
        formats.read(path)
    path.write_text("source ||| deepl\nThe ferry | is late.|||Sie ist, spät.\n", encoding="utf-8")
    (segment,) = read(path, columns="source=source,system:deepl=deepl").documents[0].segments
    assert (segment.source, dict(segment.outputs)) == ("The ferry | is late.", {"deepl": "Sie ist, spät."})


def test_a_letter_is_no_table_and_says_what_to_do(tmp_path: Path) -> None:
    space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    body = "".join(f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>" for text in ENGLISH)
    path = tmp_path / "letter.docx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("word/document.xml", f'<w:document xmlns:w="{space}"><w:body>{body}</w:body></w:document>')
    with pytest.raises(InputError, match="There is no table in this document") as caught:
        formats.read(path)
    assert "one row for each sentence" in caught.value.next_step


def test_headings_in_three_rows(tmp_path: Path) -> None:
    """The third was a sentence called Segment, which Anna and Ben were the scores of."""
    path = tmp_path / "three.xlsx"
    book = openpyxl.Workbook()
    page = book.active
    assert page is not None
    page.append(["Segment", "DeepL", None, None, None, "Google", None, None, None])
    page.append([None, "Fluency", None, "Adequacy", None, "Fluency", None, "Adequacy", None])
    page.append([None, *["Anna", "Ben"] * 4])
    for area in ("A1:A3", "B1:E1", "F1:I1", "B2:C2", "D2:E2", "F2:G2", "H2:I2"):
        page.merge_cells(area)
    scores = [[n, *((n * place) % 5 for place in range(2, 10))] for n in range(1, 5)]
    for row in scores:
        page.append(row)
    book.save(path)
    columns = [(j, q, s) for s in ("DeepL", "Google") for q in ("fluency", "adequacy") for j in ("Anna", "Ben")]
    expected = {
        (judge, question, str(row[0]), system, value)
        for row in scores
        for (judge, question, system), value in zip(columns, row[1:], strict=True)
    }
    assert answers(read(path)) == expected


def nested_rows(key: str, *answers: Any) -> list[dict[str, Any]]:
    pairs = product(("ann", "ben"), ("Hello there.", "Good morning."))
    return [
        {"source": text, "translation": f"{text} (de)", "judge": judge, key: answer}
        for (judge, text), answer in zip(pairs, answers, strict=True)
    ]


@pytest.mark.parametrize("key", ["evaluation", "answers", "quality", "annotation"])
def test_answers_in_objects_of_objects_are_answers_to_their_questions(tmp_path: Path, key: str) -> None:
    """They were one label, in which braces and quotation marks were part of the word."""
    path = tmp_path / "a.json"
    said = [{"fluency": {"score": n, "comment": f"no. {n}"}, "adequacy": {"score": 5 - n}} for n in (4, 3, 2, 1)]
    path.write_text(json.dumps(nested_rows(key, *said)))
    (reading,) = formats.read(path)
    found = {(j.judge, j.segment, j.question): j.value for j in reading.judgements if "comment" not in j.question}
    assert (found["ann", "1", "fluency"], found["ben", "2", "adequacy"], len(found)) == (4, 4, 8)


def test_answers_in_an_object_beside_a_remark_are_found(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    said = [{"quality": {"fluency": n, "adequacy": 5 - n}, "comment": ""} for n in (4, 3, 2, 1)]
    path.write_text(json.dumps(nested_rows("annotation", *said)))
    (reading,) = formats.read(path)
    assert {(j.question, j.value) for j in reading.judgements if j.judge == "ben"} == {
        *(("fluency", 2), ("fluency", 1), ("adequacy", 3), ("adequacy", 4)),
    }


def test_answers_in_objects_that_are_not_known_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    said = [{"A": {"fluency": n, "adequacy": 3}, "B": {"fluency": 5, "adequacy": n}} for n in (4, 3, 2, 1)]
    path.write_text(json.dumps(nested_rows("evaluation", *said)))
    with pytest.raises(InputError) as refused:
        formats.read(path)
    assert "objects, such as {" in str(refused.value)
    (reading,) = formats.read(path, columns="ignore:evaluation=evaluation")
    assert not reading.judgements


def test_the_option_that_leaves_objects_out_can_be_typed(tmp_path: Path) -> None:
    """It named the question, where each judge has a column."""
    path = tmp_path / "a.json"
    texts = {"source": "The ferry is late.", "A": "Die Fähre ist spät.", "B": "Das Schiff kommt spät."}
    said = [{"ann": {"A": n, "B": 3}, "ben": {"A": 5, "B": n}} for n in (4, 3, 2, 1)]
    path.write_text(json.dumps([texts | {"ratings": each} for each in said]))
    with pytest.raises(InputError) as refused:
        formats.read(path)
    option = refused.value.next_step.partition("--columns ")[2].rstrip(".")
    (reading,) = formats.read(path, columns=option)
    assert not reading.judgements


def test_numbered_questions_in_an_object_are_no_systems(tmp_path: Path) -> None:
    """Q1 and Q2 were compared as systems where nothing else names any."""
    path = tmp_path / "a.json"
    rows = [{"id": at, "judge": judge, "evaluation": {"Q1": at, "Q2": 2}} for judge in ("ann", "ben") for at in (1, 2)]
    path.write_text(json.dumps(rows))
    (reading,) = formats.read(path)
    assert {(j.question, j.systems) for j in reading.judgements} == {("evaluation_q1", ()), ("evaluation_q2", ())}


def test_an_export_of_toloka_is_read_by_the_names_of_its_task(tmp_path: Path) -> None:
    """Nothing was known of `INPUT:source`, and an output was called after the score."""
    header = ["INPUT:source", "INPUT:translation", "OUTPUT:score", "ASSIGNMENT:assignment_id", "ASSIGNMENT:worker_id"]
    pairs = product(("w1", "w2"), zip(ENGLISH, GERMAN, strict=True))
    rows = [[*texts, str(n % 5 + 1), f"a{n}", judge] for n, (judge, texts) in enumerate(pairs)]
    path = tmp_path / "results.tsv"
    path.write_text("\n".join("\t".join(row) for row in [header, *rows]), encoding="utf-8")
    (reading,) = formats.read(path)
    assert [judge.id for judge in reading.judges] == ["w1", "w2"]
    assert [(j.question, j.value) for j in reading.judgements][:2] == [("score", 1), ("score", 2)]
    assert [segment.outputs for segment in reading.documents[0]] == [{"translation": text} for text in GERMAN]
    named = "source=INPUT:source,system:A=INPUT:translation,judge=ASSIGNMENT:worker_id,answer:x=OUTPUT:score"
    (told,) = formats.read(path, columns=named)
    assert [j.value for j in told.judgements] == [j.value for j in reading.judgements]


def test_headings_between_documents_are_no_sentences_and_nobody_judged_them(tmp_path: Path) -> None:
    """They were sentences without a translation, judged by somebody called judge."""
    rows = [
        row
        for at, text in enumerate(ENGLISH)
        for row in ([[f"Text {at // 2 + 1}", "", "", ""]] if at % 2 == 0 else [])
        + [[text, GERMAN[at], judge, str(at + 1)] for judge in ("ann", "ben")]
    ]
    path = tmp_path / "a.tsv"
    path.write_text("\n".join("\t".join(row) for row in [["source", "translation", "judge", "score"], *rows]))
    (reading,) = formats.read(path)
    assert [judge.id for judge in reading.judges] == ["ann", "ben"]
    assert [segment.source for segment in reading.documents[0]] == ENGLISH
    assert any(note.startswith("2 rows with nothing but a source") for note in reading.notes)


@pytest.mark.parametrize("mean", ["Ø", "ø", "Schnitt"])
def test_a_column_and_a_row_of_means_are_no_judge_and_no_item(tmp_path: Path, mean: str) -> None:
    rows = [["segment", "Ann", "Ben", mean], *([n, n % 5, (n + 1) % 5, 2.5] for n in range(1, 9)), [mean, 2, 2.5, 2]]
    path = tmp_path / "a.csv"
    path.write_text("\n".join(",".join(map(str, row)) for row in rows), encoding="utf-8")
    (reading,) = formats.read(path)
    assert [judge.id for judge in reading.judges] == ["Ann", "Ben"]
    assert len(reading.judgements) == 16


TWO_SYSTEMS = {
    "Firma X": GERMAN,
    "Firma Y": ["Die Fähre kommt zu spät.", "Wir standen am Pier.", "Keiner.", "Regen kam."],
}


def of_two_systems(header: Sequence[str], *columns: str) -> list[Sequence[Any]]:
    """A row for each sentence, system and judge, with what these columns hold."""
    rows = [
        {"n": n + 1, "source": ENGLISH[n], "text": texts[n], "system": system, "judge": judge, "score": n % 3 + place}
        for n in range(4)
        for place, (system, texts) in enumerate(TWO_SYSTEMS.items(), 1)
        for judge in ("Anna", "Ben")
    ]
    return [header, *([row[column] for column in columns] for row in rows)]


@pytest.mark.parametrize("heading", ["MT Provider", "MT vendor"])
def test_names_below_a_heading_that_begins_like_that_of_a_translation_are_systems(tmp_path: Path, heading: str) -> None:
    """They were a second output, and the answers about the second system repeats of those about the first."""
    header = ["Source", "Target", heading, "Reviewer", "Fluency"]
    rows = of_two_systems(header, "source", "text", "system", "judge", "score")
    reading = read(table(tmp_path / "t.csv", rows))
    assert {a.systems for a in reading.judgements} == {("Firma X",), ("Firma Y",)}
    assert len({(a.judge, a.segment, a.systems) for a in reading.judgements}) == 16


@pytest.mark.parametrize("heading", ["system:bad", "MT bad", "mt.bad"])
def test_poor_translations_that_come_again_are_no_names_of_systems(tmp_path: Path, heading: str) -> None:
    rows = [[f"d{d}", s, f"Hello {d}.", f"Hallo {d}.", f"Hi {s}."] for d in range(6) for s in range(2)]
    reading = read(table(tmp_path / "t.csv", [["document", "segment", "source", "system:good", heading], *rows]))
    assert {name for document in reading.documents for name in document.systems} == {"good", "bad"}


def test_a_column_that_tells_translations_of_a_text_apart_is_asked_about(tmp_path: Path) -> None:
    """Names of systems below a heading that nobody knows were answers of the judges."""
    rows = of_two_systems(
        ["Source", "Target", "Fournisseur", "Reviewer", "Fluency"], "source", "text", "system", "judge", "score"
    )
    with pytest.raises(InputError) as caught:
        formats.read(table(tmp_path / "t.csv", rows))
    assert caught.value.code == "numbered_anew"
    assert caught.value.names == {"columns": "Fournisseur"}
    reading = read(tmp_path / "t.csv", columns="system=Fournisseur")
    assert {a.systems for a in reading.judgements} == {("Firma X",), ("Firma Y",)}


@pytest.mark.parametrize("has_ids", [True, False])
def test_answers_about_other_translations_are_no_repeats(tmp_path: Path, has_ids: bool) -> None:
    head, columns = ["Source", "Target", "Reviewer", "Fluency"], ["source", "text", "judge", "score"]
    rows = of_two_systems(["ID", *head] if has_ids else head, *(["n", *columns] if has_ids else columns))
    with pytest.raises(InputError) as caught:
        formats.read(table(tmp_path / "t.csv", rows))
    assert caught.value.code == "unnamed_systems"


@pytest.mark.parametrize("question", ["Rang", "Eindruck", "순위", "Gesamteindruck (1-3)"])
def test_a_column_for_each_output_is_about_this_output(tmp_path: Path, question: str) -> None:
    """Under words that nobody knows each was a question about all outputs together."""
    systems = {"DeepL": GERMAN, "Ours": FRENCH}
    head = ["segment", "source", *systems, *(f"{question} {name}" for name in systems), "Gutachter"]
    rows = [
        [n + 1, ENGLISH[n], GERMAN[n], FRENCH[n], 1 + (n + place) % 2, 2 - (n + place) % 2, judge]
        for n in range(4)
        for place, judge in enumerate(("Anna", "Ben"))
    ]
    reading = read(table(tmp_path / "t.csv", [head, *rows]))
    expected = {(row[-1], str(row[0]), name, row[at]) for row in rows for at, name in enumerate(systems, 4)}
    assert {(a.judge, a.segment, *a.systems, a.value) for a in reading.judgements} == expected
    assert len(reading.questions) == 1


def test_a_metric_of_what_judges_edited_is_none_of_their_answers(tmp_path: Path) -> None:
    rows = of_two_systems(
        ["n", "source", "MT", "engine", "post-editor", "quality"], "n", "source", "text", "system", "judge", "score"
    )
    rows = [[*rows[0], "TER"], *([*row, at / 100] for at, row in enumerate(rows[1:]))]
    reading = read(table(tmp_path / "t.csv", rows))
    assert (set(reading.questions), reading.unread) == ({"quality"}, ("TER",))


def test_a_scale_of_words_ends_with_its_last_word(tmp_path: Path) -> None:
    """It was taken to go to 5, as one of numbers from 1 to 4 may."""
    words = ["Incomprehensible", "Disfluent", "Good", "Flawless"]
    rows = of_two_systems(
        ["n", "source", "MT", "engine", "judge", "fluency", "effort"],
        "n",
        "source",
        "text",
        "system",
        "judge",
        "score",
        "score",
    )
    rows[1:] = [[*row[:-2], words[row[-1] - 1], ["one", "two", "three", "four"][row[-1] - 1]] for row in rows[1:]]
    assert read(table(tmp_path / "t.csv", rows)).scales == {"fluency": (1, 4)}


def shown_in_turn(systems: int, *, texts: bool = True) -> tuple[list[list[Any]], set[tuple[Any, ...]]]:
    """Rows in which each judge sees several outputs of a sentence in another order, with their systems and scores; and
    what was said of which output."""
    outputs = dict(list({**TWO_SYSTEMS, "Firma Z": FRENCH}.items())[:systems])
    rows: list[list[Any]] = []
    said = set()
    for n in range(4):
        for place, judge in enumerate(("Anna", "Ben")):
            order = [list(outputs)[(at + n + place) % systems] for at in range(systems)]
            scores = [1 + (n + at) % 5 for at in range(systems)]
            said |= {(judge, str(n), system, score) for system, score in zip(order, scores, strict=True)}
            shown = [ENGLISH[n], *(outputs[system][n] for system in order)] if texts else []
            rows.append([n, *shown, *order, *scores, judge])
    return rows, said


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize(
    "names",
    [
        [("output_1", "output_2", "output_3"), ("system_1", "system_2", "system_3"), ("score_1", "score_2", "score_3")],
        [("Text A", "Text B", "Text C"), ("Model A", "Model B", "Model C"), ("A: Rating", "B: Rating", "C: Rating")],
        [(), ("system1Id", "system2Id", "system3Id"), ("system1rank", "system2rank", "system3rank")],
        [("mt_a", "mt_b"), ("system_a", "system_b"), ("score_a", "score_b")],
        [(), ("model1", "model2"), ("quality1", "quality2")],
        [("left_text", "right_text"), ("left_system", "right_system"), ("impression_left", "impression_right")],
    ],
)
def test_answers_about_outputs_that_take_turns_are_about_their_systems(
    tmp_path: Path, names: list[tuple[str, ...]], ending: str
) -> None:
    """Whatever stood first was one system, called `1` or `A`; scores of two were about both."""
    texts, systems, scores = names
    rows, said = shown_in_turn(len(systems), texts=bool(texts))
    head = ["id", *(["source"] if texts else []), *texts, *systems, *scores, "judge"]
    path = table(tmp_path / "t.csv", [head, *rows])
    if ending == "parquet":
        pl.read_csv(path).write_parquet(path := tmp_path / "t.parquet")
    reading = read(path)
    assert {(a.judge, a.segment, *a.systems, a.value) for a in reading.judgements} == said
    if len(systems) > 2:  # the columns that are shown, and may be pointed at, are those that were made of them
        again = read(path, columns="system=system,judge=judge")
        assert {(a.judge, a.segment, *a.systems, a.value) for a in again.judgements} == said
    outputs = {**TWO_SYSTEMS, "Firma Z": FRENCH}
    for document in reading.documents if texts else ():
        assert all(text == outputs[name][int(s.id)] for s in document for name, text in s.outputs.items())


def test_a_choice_among_outputs_beside_scores_of_each_is_asked_about(tmp_path: Path) -> None:
    rows, _ = shown_in_turn(3)
    head = ["id", "source", *(f"{name}_{slot}" for name in ("mt", "system", "score") for slot in "123"), "judge"]
    with pytest.raises(InputError) as caught:
        formats.read(table(tmp_path / "t.csv", [[*head, "Which is best?"], *([*row, "B"] for row in rows)]))
    assert caught.value.code == "several_kinds_of_items"


def test_a_preference_beside_a_score_of_each_side_is_about_both(tmp_path: Path) -> None:
    rows, said = shown_in_turn(2)
    head = ["id", "source", "mt_a", "mt_b", "system_a", "system_b", "score_a", "score_b", "judge", "preference"]
    reading = read(table(tmp_path / "t.csv", [head, *([*row, "B"] for row in rows)]))
    scores = [a for a in reading.judgements if a.question == "score"]
    assert {(a.judge, a.segment, *a.systems, a.value) for a in scores} == said
    assert [(a.systems, a.value) for a in reading.judgements if a.question == "preference"] == [
        ((row[4], row[5]), "b") for row in rows
    ]


FORMS = [
    (["타임스탬프", "이름", *(f"{n}. {text} (1-5)" for n, text in enumerate(ENGLISH, 1))], {"1", "2", "3", "4"}),
    (["id. Nr.", "Kürzel", *(f"Satz {n} [{q}]" for n in (1, 2) for q in ("Stil", "Fluss"))], {"Satz 1", "Satz 2"}),
    (["Alter", "VPN", *(f"I0{n}_{q}" for n in (1, 2) for q in ("ADQ", "FLU"))], {"I01", "I02"}),
    (["x", "ID", *(f"item{n}_sys{s}_flu" for n in (1, 2) for s in (1, 2))], {"item1", "item2"}),
]


@pytest.mark.parametrize(("head", "items"), FORMS)
def test_a_form_whose_judges_have_a_column_of_an_unknown_name(tmp_path: Path, head: list[str], items: set[str]) -> None:
    """It was refused, and the column that somebody then named for the judges was not looked for in forms."""
    rows = [[f"{at}.", f"{at}", *((at + n) % 5 + 1 for n in range(len(head) - 2))] for at in range(3)]
    path = table(tmp_path / "form.csv", [head, *rows])
    with pytest.raises(InputError) as caught:
        formats.read(path)
    assert caught.value.code == "no_judge_column"
    reading = read(path, columns=f"judge={head[1]}")
    assert {a.segment for a in reading.judgements} == items
    expected = [(row[1], value) for row in rows for value in row[2:]]
    assert sorted((a.judge, a.value) for a in reading.judgements) == sorted(expected)


@pytest.mark.parametrize("answers", [[1, 5, 3, 4], ["A1", "A5", "A3", "A4"]])
def test_what_a_survey_notes_on_its_responses_is_no_judge(tmp_path: Path, answers: list[Any]) -> None:
    """Below `lastpage` and `seed` were the scores of judges of these names."""
    head = ["id", "submitdate", "lastpage", "startlanguage", "seed", *(f"G01Q0{n}[SQ001]" for n in (1, 2, 3, 4))]
    rows = [[n, f"2026-03-0{n} 10:11:12", 5, "de", 1928300 + n, *answers[n:], *answers[:n]] for n in (1, 2, 3)]
    with pytest.raises(InputError):
        formats.read(table(tmp_path / "lime.csv", [head, *rows]))


def test_remarks_are_not_split_into_labels(tmp_path: Path) -> None:
    rows = of_two_systems(
        ["n", "source", "MT", "engine", "judge", "score"], "n", "source", "text", "system", "judge", "score"
    )
    remarks = ["ok; a bit stiff", "stiff; ok"]
    rows = [[*rows[0], "Kommentar"], *([*row, remarks[at % 2]] for at, row in enumerate(rows[1:]))]
    reading = read(table(tmp_path / "t.csv", rows))
    assert {a.value for a in reading.judgements if a.question == "kommentar"} == set(remarks)


def test_scores_of_several_systems_without_their_translations_say_how_to_read_them(tmp_path: Path) -> None:
    """It was only said that ids of segments must differ."""
    rows = [[n, ENGLISH[n], system, n + 1, 5 - n] for n in range(4) for system in ("oak", "elm")]
    path = table(tmp_path / "t.csv", [["segment", "source", "system", "Anna", "Ben"], *rows])
    with pytest.raises(InputError) as caught:
        formats.read(path)
    assert caught.value.code == "segment_twice"
    option = "judge:Anna=Anna,judge:Ben=Ben"
    assert f"--columns {option}" in caught.value.next_step
    said = {(judge, str(row[0]), row[2], row[at]) for row in rows for at, judge in ((3, "Anna"), (4, "Ben"))}
    assert {(a.judge, a.segment, *a.systems, a.value) for a in read(path, columns=option).judgements} == said


def advised(text: str) -> list[str]:
    """The columns of every option that a refusal or a note advises, as somebody would paste them."""
    return [shlex.split(option)[0] for option in re.findall(r"--columns (.+?)(?:\. |\.?$)", text) if ":" in option]


@pytest.mark.parametrize(
    "heads",
    [
        ["Score Inhalt", "Score Ausdruck"],
        ["Note contenu", "Note forme"],
        ["Inhalt", "Ausdruck"],
        ["Score Anna", "Score Ben"],
        ["Mark", "Anna", "Ben"],
        ["Score fluency", "Score adequacy"],
        ["Score Stil", "Score Anna"],
        ["Genauigkeit (1-5)", "Ausdruck (1-5)"],
    ],
)
def test_headings_that_may_name_judges_or_questions_say_how_to_read_them_either_way(
    tmp_path: Path, heads: list[str]
) -> None:
    """`Score fluency` was a judge; `Score Inhalt` was one too, and nothing said how to read it otherwise."""
    rows = [[n, *((n * (at + 2)) % 5 + 1 for at in range(len(heads)))] for n in range(1, 9)]
    path = table(tmp_path / "t.csv", [["segment", *heads], *rows])
    expected = {(head, str(row[0]), row[at]) for row in rows for at, head in enumerate(heads, 1)}
    try:
        reading = read(path)
    except InputError as refused:
        assert refused.code == "no_judge_column"
        by_question, by_judge = advised(refused.next_step)
        judged = read(path, columns=by_judge)
        assert {(a.judge, a.segment, a.value) for a in judged.judgements} == expected
    else:
        (note,) = [note for note in reading.notes if note.startswith("Going by the headings, ")]
        assert all(judge.id in note for judge in reading.judges)
        (by_question,) = advised(note)
    asked = read(path, columns=by_question)
    assert len(asked.judges) == 1
    said = {(asked.questions[a.question], a.segment, a.value) for a in asked.judgements}
    assert {value[0] for value in said} <= set(heads) | {head.partition(" (")[0] for head in heads}
    assert sorted(value[1:] for value in said) == sorted(value[1:] for value in expected)


def test_judges_and_questions_of_two_systems_are_told_by_the_advice(tmp_path: Path) -> None:
    heads = [f"{system} Score {asked}" for system in ("DeepL", "GPT") for asked in ("Inhalt", "Ausdruck")]
    rows = [[n, *((n * (at + 2)) % 5 + 1 for at in range(4))] for n in range(1, 9)]
    path = table(tmp_path / "t.csv", [["segment", *heads], *rows])
    with pytest.raises(InputError) as refused:
        read(path)
    (columns,) = advised(refused.value.next_step)
    said = {(a.question, *a.systems, a.segment, a.value) for a in read(path, columns=columns).judgements}
    expected = {
        (f"score_{head.split()[2].lower()}", head.split()[0], str(row[0]), row[at])
        for row in rows
        for at, head in enumerate(heads, 1)
    }
    assert said == expected


@pytest.mark.parametrize("words", ["Präferenz {}", "{} prefers", "{} préfère"])
def test_preferences_named_after_people_are_asked_about(tmp_path: Path, words: str) -> None:
    """Judges were called `Anna prefers`."""
    rows = [[n, "elm", "oak", "AB"[n % 2], "AB"[n % 3 > 0]] for n in range(1, 9)]
    heads = [words.format(name) for name in ("Anna", "Ben")]
    for header, cells in ((["segment", "system A", "system B"], rows), (["segment"], [[r[0], *r[3:]] for r in rows])):
        path = table(tmp_path / "t.csv", [[*header, *heads], *cells])
        with pytest.raises(InputError) as refused:
            formats.read_judged(path)
        by_judge, _ = advised(refused.value.next_step)
        (reading,) = formats.read_judged(path, columns=by_judge)
        said = {(a.judge, a.segment, str(a.value).upper()) for a in reading.judgements}
        assert said == {(name, str(r[0]), r[at]) for r in rows for name, at in (("Anna", 3), ("Ben", 4))}


@pytest.mark.parametrize(
    "rating",
    [
        lambda value: {"ratings": [value]},
        lambda value: {"ratings": [{"rater": "Anna", "score": value}]},
        lambda value: {"annotation": {"rater": "Anna", "score": value}},
    ],
)
def test_the_ratings_of_one_judge_in_an_object_are_read(tmp_path: Path, rating: Any) -> None:
    """They were kept with the texts, or read as labels such as `[5]`."""
    values = [3, 5, 1, 4]
    path = tmp_path / "t.json"
    objects = [{"id": n, "source": ENGLISH[n], "target": GERMAN[n], **rating(values[n])} for n in range(4)]
    path.write_text(json.dumps(objects), encoding="utf-8")
    reading = read(path)
    assert {(a.segment, a.value) for a in reading.judgements} == {(str(n), values[n]) for n in range(4)}
    assert len(reading.judges) == 1
    assert not any("several answers" in note for note in reading.notes)


def test_answers_that_became_dates_can_be_left_out_where_each_judge_has_a_column(tmp_path: Path) -> None:
    rows = [[n, *[f"2026-03-{n:02}"] * 2, n % 5, (n * 3) % 5] for n in range(1, 9)]
    heads = ["score_Anna", "score_Ben", "fluency_Anna", "fluency_Ben"]
    path = table(tmp_path / "t.csv", [["segment", *heads], *rows])
    with pytest.raises(InputError) as refused:
        read(path)
    (columns,) = advised(refused.value.next_step)
    assert {(a.judge, a.question, a.segment, a.value) for a in read(path, columns=columns).judgements} == {
        (judge, "fluency", str(row[0]), row[at]) for row in rows for judge, at in (("Anna", 3), ("Ben", 4))
    }


LONG = [
    (str(segment), system, judge, question, (segment * (2 + len(system)) + len(judge + question)) % 5 + 1)
    for segment, system, judge, question in product(
        range(1, 5), ("DeepL", "GPT"), ("Anna", "Benno"), ("fluency", "style")
    )
]
LEVELS = ["segment", "system", "judge", "question"]


@pytest.mark.parametrize("ending", ["csv", "xlsx"])
@pytest.mark.parametrize(
    ("index", "nameless"),
    [(["segment"], False), (["segment", "system"], False), (["segment", "judge"], True)],
)
def test_a_pivot_with_headings_in_several_rows_is_read_as_its_numbers(
    tmp_path: Path, ending: str, index: list[str], *, nameless: bool
) -> None:
    """As pandas writes columns with several levels. It was refused as a summary, or for columns without a name."""
    columns = [name for name in LEVELS if name not in index]
    if nameless:  # the values of a pivot are a level without a name, which comes first
        columns = ["question", *(name for name in columns if name != "question")]
    places = [LEVELS.index(name) for name in (*index, *columns)]
    cells = {tuple(row[at] for at in places): row[4] for row in LONG}
    keys, heads = (
        list(dict.fromkeys(key[part] for key in cells)) for part in (slice(len(index)), slice(len(index), 9))
    )
    before = [""] * (len(index) - 1)
    names = ["" if name == "question" and nameless else name for name in columns]
    rows: list[list[Any]] = [[name, *before, *(head[at] for head in heads)] for at, name in enumerate(names)]
    rows.append([*index, *[""] * len(heads)])
    rows += [[*key, *(cells[*key, *head] for head in heads)] for key in keys]
    if ending == "csv":
        path = table(tmp_path / "t.csv", rows)
    else:
        path = workbook(tmp_path / "t.xlsx", Sheet1=[[cell or None for cell in row] for row in rows])
    said = {(a.segment, *a.systems, a.judge, a.question, a.value) for a in read(path).judgements}
    assert said == set(LONG)


def test_a_pivot_with_margins_is_refused(tmp_path: Path) -> None:
    rows = [["system", "oak", "oak", "All"], ["judge", "Anna", "Ben", ""], ["segment", "", "", ""], [1, 3, 4, 3.5]]
    with pytest.raises(InputError):
        read(table(tmp_path / "t.csv", [*rows, [2, 5, 4, 4.5], ["All", 4, 4, 4]]))


@pytest.mark.parametrize("copies", ["{}.{}", "{} ({})", "{}{}", "{}_{}"])
@pytest.mark.parametrize("systems", [("MT1", "MT2"), ("DeepL", "GPT-4"), ("elm", "oak", "ash")])
@pytest.mark.parametrize("asked", [["Score"], ["Fluency", "Adequacy"]])
def test_headings_that_a_program_numbered_are_asked_about(
    tmp_path: Path, copies: str, systems: tuple[str, ...], asked: list[str]
) -> None:
    """`Score.1`, which pandas calls the second of two columns `Score`, was the score of the first system: `MT1`."""
    first = 1 if copies == "{}.{}" else 2
    header, cells, said = ["judge", "segment", "source"], dict[tuple[str, int], list[Any]](), set[tuple[Any, ...]]()
    for at, system in enumerate(systems):
        header += [system, *(copies.format(name, at - 1 + first) if at else name for name in asked)]
        for judge, n in product(("Anna", "Ben"), range(4)):
            values = [(n * 3 + at * 2 + part + len(judge)) % 5 + 1 for part in range(len(asked))]
            cells.setdefault((judge, n), [judge, n, ENGLISH[n]]).extend([f"{GERMAN[n]} {system}", *values])
            said |= {(judge, str(n), system, name, value) for name, value in zip(asked, values, strict=True)}
    path = table(tmp_path / "t.csv", [header, *cells.values()])
    with pytest.raises(InputError) as refused:
        read(path)
    by_system, by_question = advised(refused.value.next_step)
    reading = read(path, columns=by_system)
    assert {
        (a.judge, a.segment, *a.systems, reading.questions[a.question], a.value) for a in reading.judgements
    } == said
    assert len(read(path, columns=by_question).questions) == len(asked) * len(systems)


def test_numbered_headings_beside_one_translation_may_be_those_of_judges(tmp_path: Path) -> None:
    """The first of three judges was not read."""
    rows = [[n, ENGLISH[n], GERMAN[n], n + 1, 5 - n, 3] for n in range(4)]
    path = table(tmp_path / "t.csv", [["segment", "source", "target", "Score", "Score.1", "Score.2"], *rows])
    texts = read(path)
    assert not texts.judgements
    assert "Score, Score.1, Score.2 are kept with the texts" in "".join(texts.notes)
    with pytest.raises(InputError) as refused:
        formats.read_judged(path)
    by_judge, _ = advised(refused.value.next_step)
    said = {(a.judge, a.segment, a.value) for a in read(path, columns=by_judge).judgements}
    assert said == {(str(judge), str(row[0]), row[judge + 2]) for row in rows for judge in (1, 2, 3)}


def judged_rows(judges: Sequence[str] = ("Anna", "Ben"), systems: Sequence[str] = ("oak", "elm")) -> list[list[Any]]:
    """Rows of judge, segment, source, system, translation and score."""
    return [
        [judge, n + 1, ENGLISH[n], system, f"{GERMAN[n]} {system}", (n * 2 + len(judge) + len(system) * 3) % 5 + 1]
        for judge in judges
        for n in range(4)
        for system in systems
    ]


HEADS = ["judge", "segment", "source", "system", "translation", "score"]


def test_a_name_on_the_first_row_of_a_judge_alone_is_asked_for(tmp_path: Path) -> None:
    """The other rows were one judge's, called `judge`."""
    rows = judged_rows()
    bare = [["" if at and rows[at - 1][0] == row[0] else row[0], *row[1:]] for at, row in enumerate(rows)]
    path = table(tmp_path / "t.csv", [HEADS, *bare])
    with pytest.raises(InputError, match="names no judge") as refused:
        read(path)
    assert (refused.value.code, refused.value.where.line) == ("unnamed_judge", 3)
    unanswered = [*rows, ["", 4, ENGLISH[3], "ash", "Regen.", ""]]
    assert len(read(table(tmp_path / "u.csv", [HEADS, *unanswered])).judges) == 2


def test_sentences_numbered_anew_in_each_text_are_no_repeats(tmp_path: Path) -> None:
    """Answers to the second text were repeats of those to the first."""
    rows = judged_rows()
    path = table(tmp_path / "t.csv", [HEADS, *([row[0], (row[1] - 1) % 2 + 1, *row[2:]] for row in rows)])
    with pytest.raises(InputError) as refused:
        read(path)
    assert refused.value.code == "several_sources"
    (columns,) = advised(refused.value.next_step)
    reading = read(path, columns=columns)
    sources = {segment.id: segment.source for document in reading.documents for segment in document}
    said = {(a.judge, sources[a.segment], *a.systems, a.value, a.role.value) for a in reading.judgements}
    assert said == {(row[0], row[2], row[3], row[5], "main") for row in rows}


def test_sheets_of_judges_that_name_systems_are_judges(tmp_path: Path) -> None:
    """They were documents, judged by nobody."""
    rows = judged_rows()
    sheets = {name: [HEADS[1:], *(row[1:] for row in rows if row[0] == name)] for name in ("Anna", "Ben")}
    reading = read(workbook(tmp_path / "t.xlsx", Summary=[["judge", "mean"], ["Anna", 3.2]], **sheets))
    said = {(a.judge, a.segment, *a.systems, a.value) for a in reading.judgements}
    assert said == {(row[0], str(row[1]), row[3], row[5]) for row in rows}


def test_marks_that_nobody_sees_make_no_other_judge_system_or_segment(tmp_path: Path) -> None:
    rows = judged_rows(["דנה", "Ben"])
    unseen = [
        [f"{row[0]}\u200f" if row[1] == 2 else row[0], f"{row[1]} ", row[2], f"\ufeff{row[3]}\u200b", *row[4:]]
        if row[1] in (2, 3)
        else row
        for row in rows
    ]
    reading = read(table(tmp_path / "t.csv", [HEADS, *unseen]))
    said = {(a.judge, a.segment, *a.systems, a.value) for a in reading.judgements}
    assert said == {(row[0], str(row[1]), row[3], row[5]) for row in rows}


def test_systems_that_differ_in_capitals_alone_are_said(tmp_path: Path) -> None:
    rows = [[*row[:3], row[3].upper() if row[1] == 2 else row[3], *row[4:]] for row in judged_rows()]
    notes = read(table(tmp_path / "t.csv", [HEADS, *rows])).notes
    assert any("different systems" in note and "oak, OAK" in note for note in notes)


@pytest.mark.parametrize("words", ["span", "Error text", "start"])
def test_two_errors_in_every_output_are_errors_and_no_parts_of_texts(tmp_path: Path, words: str) -> None:
    """The column of the words in error was taken for what tells texts apart, and asked about."""
    rows, said = list[list[Any]](), set[tuple[Any, ...]]()
    for judge, n, system in product(("Anna", "Ben"), range(4), ("oak", "elm")):
        text = f"{GERMAN[n]} {system}"
        starts = (0, text.rindex(" ") + 1)
        for start, severity in zip(starts, ("minor", "major"), strict=True):
            end = text.find(" ", start) if start == 0 else len(text)
            place = [start, end] if words == "start" else [text[start:end]]
            rows.append([judge, n, system, ENGLISH[n], text, "Style", severity, *place])
            said.add((judge, str(n), system, severity, start, end))
    head = ["judge", "segment", "system", "source", "target", "category", "severity"]
    path = table(tmp_path / "t.csv", [[*head, *(["start", "end"] if words == "start" else [words])], *rows])
    reading = read(path)
    marks = [(a.judge, a.segment, *a.systems, mark) for a in reading.judgements for mark in a.value]
    assert {(*who, mark["severity"], mark["start"], mark["end"]) for *who, mark in marks} == said
    assert len(marks) == len(rows)


@pytest.mark.parametrize("with_answers", [True, False])
@pytest.mark.parametrize("with_texts", [True, False])
def test_a_name_on_the_first_row_of_a_system_alone_is_asked_for(
    tmp_path: Path, *, with_answers: bool, with_texts: bool
) -> None:
    """A system without a name had the other translations, and answers were about none."""
    rows = sorted(judged_rows(["Anna"], ["oak"]), key=lambda row: row[1])
    columns = [1, *([2, 3, 4] if with_texts else [3]), *([0, 5] if with_answers else [])]
    if not (with_answers or with_texts):
        return
    bare = [[*row[:3], "" if at else row[3], *row[4:]] for at, row in enumerate(rows)]
    path = table(tmp_path / "t.csv", [[row[at] for at in columns] for row in [HEADS, *bare]])
    with pytest.raises(InputError) as refused:
        read(path)
    assert (refused.value.code, refused.value.where.line) == ("missing_system", 3)


@pytest.mark.parametrize("blank", [[], [[""] * 6]])
def test_a_legend_below_judgements_is_no_judge_and_no_system(tmp_path: Path, blank: list[list[str]]) -> None:
    rows = judged_rows()
    legend = [["Legend:", "1 = bad", "5 = good", "", "", ""], ["", "", "as of May", "", "", ""]]
    reading = read(table(tmp_path / "t.csv", [HEADS, *rows, *blank, *legend]))
    assert [judge.id for judge in reading.judges] == ["Anna", "Ben"]
    assert {name for document in reading.documents for name in document.systems} == {"oak", "elm"}
    assert [segment.source for document in reading.documents for segment in document] == ENGLISH


def test_a_summary_beside_the_table_is_no_answer(tmp_path: Path) -> None:
    """Its second column was one of answers."""
    summary = [["oak", 3.2], ["elm", 3.4], *[["", ""]] * 14]
    rows = [[*row, "", *beside] for row, beside in zip(judged_rows(), summary, strict=True)]
    reading = read(table(tmp_path / "t.csv", [[*HEADS, "", "", "Mean"], *rows]))
    assert set(reading.questions.values()) == {"score"}


@pytest.mark.parametrize(("texts", "said"), [(["1,250", "2,500", "980"], True), (["1,25", "2,5", "0,75"], False)])
def test_marks_between_thousands_are_said(tmp_path: Path, texts: list[str], *, said: bool) -> None:
    rows = [[*row[:5], texts[at % 3]] for at, row in enumerate(judged_rows())]
    reading = read(table(tmp_path / "t.csv", [HEADS, *rows]))
    assert any("1,250 is 1250" in note for note in reading.notes) == said
    assert {a.value for a in reading.judgements} == ({1250, 2500, 980} if said else {1.25, 2.5, 0.75})

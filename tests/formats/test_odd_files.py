"""Files as people have them, none of which was made for us: each is read to the texts and answers a person sees in it,
or refused with the next step."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from lanner import formats
from lanner.errors import InputError
from lanner.formats import Reading
from lanner.formats.parsing import textfile
from lanner.model import Scale
from lanner.protocols import guessing


def read(path: Path, **options: Any) -> Reading:
    [reading] = formats.read(path, **options)
    return reading


def texts(reading: Reading) -> list[tuple[str, str, dict[str, str]]]:
    return [(d.id, segment.source, dict(segment.outputs)) for d in reading.documents for segment in d]


def answers(reading: Reading) -> list[tuple[str, str, tuple[str, ...], Any]]:
    return [(entry.judge, entry.segment, entry.systems, entry.value) for entry in reading.judgements]


def workbook(path: Path, **sheets: Sequence[Sequence[Any]]) -> Path:
    book = openpyxl.Workbook()
    book.remove(book.active)  # type: ignore[arg-type]
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(list(row))
    book.save(path)
    return path


def word(path: Path, *tables: Sequence[Sequence[str]], extra: str = "") -> Path:
    space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    body = "".join(
        "<w:tbl>"
        + "".join(
            "<w:tr>"
            + "".join(f"<w:tc><w:p><w:r><w:t>{cell}</w:t></w:r>{extra}</w:p></w:tc>" for cell in row)
            + "</w:tr>"
            for row in rows
        )
        + "</w:tbl>"
        for rows in tables
    )
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("word/document.xml", f'<w:document xmlns:w="{space}"><w:body>{body}</w:body></w:document>')
    return path


def test_a_decimal_comma_is_a_number_and_no_list(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text("Bewerter;Dokument;Segment;System;Note\nanna;d;1;X;2,5\nbernd;d;1;X;3,0\nanna;d;2;X;4\n")
    assert [entry.value for entry in read(path, columns="answer:Note=Note").judgements] == [2.5, 3, 4]


@pytest.mark.parametrize("mark", [",", "."])
def test_an_unknown_column_of_decimals_is_an_answer(tmp_path: Path, mark: str) -> None:
    path = tmp_path / "r.csv"
    rows = [f"{judge};d;{n};{n}{mark}5\n" for judge in ("a", "b") for n in range(3)]
    path.write_text("rater;doc;seg;Klang\n" + "".join(rows))
    assert [value for *_, value in answers(read(path))] == [0.5, 1.5, 2.5] * 2


def test_the_sheet_with_the_texts_is_found_behind_a_cover(tmp_path: Path) -> None:
    cover = [["Project X"], [], ["Client", "ACME"], ["", "", "remark without a heading"]]
    segments = [["#", "EN", "KO (MT)"], [1, "Hello.", "안녕."], [2, "Bye.", "잘 가."]]
    path = workbook(tmp_path / "b.xlsx", Cover=cover, Segments=segments, Notes=[["Please check."]])
    reading = read(path)
    assert texts(reading) == [("b", "Hello.", {"KO (MT)": "안녕."}), ("b", "Bye.", {"KO (MT)": "잘 가."})]
    assert reading.documents[0].language_pair == "en-ko"
    assert any("left out: Cover, Notes" in note for note in reading.notes)


def test_sheets_are_judges_systems_or_documents_by_what_repeats(tmp_path: Path) -> None:
    head = ["seg", "source", "target"]
    ratings = {
        judge: [[*head, "rating"], *([n, f"S {n}", f"T {n}", n + shift] for n in range(3))]
        for judge, shift in (("Anna", 1), ("Bernd", 2))
    }
    reading = read(workbook(tmp_path / "judges.xlsx", **ratings))
    assert [judge.id for judge in reading.judges] == ["Anna", "Bernd"]
    assert answers(reading) == [
        (judge, str(n), ("target",), n + shift) for judge, shift in (("Anna", 1), ("Bernd", 2)) for n in range(3)
    ]
    outputs = {name: [head, *([n, f"Sentence {n}.", f"{name} {n}."] for n in range(3))] for name in ("oak", "ash")}
    assert texts(read(workbook(tmp_path / "systems.xlsx", **outputs))) == [
        ("systems", f"Sentence {n}.", {"oak": f"oak {n}.", "ash": f"ash {n}."}) for n in range(3)
    ]
    chapters = {name: [head, *([n, f"{name} {n}.", f"Satz {n}."] for n in range(3))] for name in ("one", "two")}
    assert texts(read(workbook(tmp_path / "chapters.xlsx", **chapters))) == [
        (name, f"{name} {n}.", {"target": f"Satz {n}."}) for name in ("one", "two") for n in range(3)
    ]


def test_formulas_without_values_and_hidden_rows_are_said(tmp_path: Path) -> None:
    """Programs write formulas, and only spreadsheets what they come to; an empty text is a value too."""
    rows = [["judge", "segment", "score"], ["a", 1, "=1+1"], ["a", 2, "=2+1"], ["a", 3, 3], ["a", 4, 4]]
    path = workbook(tmp_path / "t.xlsx", one=rows)
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    sheet = next(name for name in parts if name.endswith("sheet1.xml"))
    parts[sheet] = (
        parts[sheet]
        .replace(b'<row r="4"', b'<row r="4" hidden="1"')
        .replace(b'<c r="C3"><f>2+1</f>', b'<c r="C3" t="str"><f>""</f>')
    )
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    notes = read(path).notes
    assert any(note.startswith("1 cell holds a formula without its value") for note in notes)
    assert "1 hidden row is read like the others." in notes


def test_sheets_are_no_systems_where_these_have_columns(tmp_path: Path) -> None:
    header = ["document", "segment", "source", "System A", "System B"]
    rows = {
        sheet: [header, *([f"{sheet}{n}", 1, f"It is {n} now.", f"Es ist {n}.", f"Jetzt ist {n}."] for n in range(4))]
        for sheet in ("first", "second")
    }
    (reading,) = formats.read(workbook(tmp_path / "t.xlsx", **rows))
    assert {document.systems for document in reading.documents} == {("A", "B")}
    assert len(reading.documents) == 8


def test_the_name_of_a_sheet_is_no_answer(tmp_path: Path) -> None:
    head = ["judge", "doc", "seg", "system", "score"]
    rounds = {
        name: [head, *([judge, "d", n, "X", n + shift] for judge in ("a", "b") for n in range(3))]
        for name, shift in (("Round 1", 1), ("Round 2", 2))
    }
    reading = read(workbook(tmp_path / "rounds.xlsx", **rounds))
    assert {entry.question for entry in reading.judgements} == {"score"}


@pytest.mark.parametrize("numbers", [False, True])
def test_a_table_without_a_header_loses_no_row(tmp_path: Path, numbers: bool) -> None:
    pairs = [("The ferry is late.", "Die Fähre ist spät."), ("We waited.", "Wir warteten."), ("No way!", "Nie!")]
    path = tmp_path / "t.tsv"
    path.write_text(
        "".join(f"{f'{n}' + chr(9) if numbers else ''}{s}\t{t}\n" for n, (s, t) in enumerate(pairs, 1)),
        encoding="utf-8",
    )
    reading = read(path)
    assert [(source, outputs["target"]) for _, source, outputs in texts(reading)] == pairs
    assert any("no header" in note for note in reading.notes)


def test_a_header_that_nobody_knows_is_not_taken_for_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    path.write_text("col_a\tcol_b\nThe ferry is late.\tDie Fähre ist spät.\nWe waited.\tWir warteten.\n")
    with pytest.raises(InputError, match="none of the formats known"):
        formats.read(path)


def test_an_index_that_a_program_wrote_along_and_a_name_that_comes_twice(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text(",source,target,Comment,Comment\n0,Hello.,Hallo.,a,b\n1,Bye.,Ciao.,c,d\n")
    reading = read(path)
    assert [source for _, source, _ in texts(reading)] == ["Hello.", "Bye."]
    assert reading.documents[0].segments[0].meta == {"column 1": "0", "Comment": "a", "Comment (2)": "b"}
    path.write_text("source,target,target\nHello.,Hallo.,Tag.\n")
    with pytest.raises(InputError, match="Two columns are called 'target'"):
        formats.read(path)


def test_objects_in_objects(tmp_path: Path) -> None:
    rows = [
        {
            "doc": {"id": "d1", "domain": "news"},
            "seg": n,
            "src": {"lang": "en", "text": f"Hello {n}."},
            "translations": [{"system": "A", "text": f"Hallo {n}."}, {"system": "B", "text": f"Tag {n}."}],
        }
        for n in range(3)
    ]
    path = tmp_path / "n.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    reading = read(path)
    assert texts(reading) == [("d1", f"Hello {n}.", {"A": f"Hallo {n}.", "B": f"Tag {n}."}) for n in range(3)]
    assert reading.documents[0].source_language == "en"
    path.write_text(json.dumps({"data": rows, "version": 2}, indent=1))
    assert texts(read(path)) == texts(reading)


def test_numbers_of_unnamed_meaning_are_kept_and_the_next_step_is_said(tmp_path: Path) -> None:
    path = tmp_path / "w.csv"
    path.write_text("doc,seg,source,target,Ann,Ben\n" + "".join(f"d,{n},S {n}.,T {n}.,{n},{5 - n}\n" for n in range(5)))
    reading = read(path)
    assert not reading.judgements
    [note] = [note for note in reading.notes if "not analysed" in note]
    assert "--columns judge:Ann=Ann,judge:Ben=Ben" in note
    assert len(answers(read(path, columns="judge:Ann=Ann,judge:Ben=Ben"))) == 10


def test_numbers_on_which_judges_differ_once_are_answers_and_those_on_which_they_never_do_are_facts(
    tmp_path: Path,
) -> None:
    path = tmp_path / "r.csv"
    rows = [
        f"{judge},d,{n},X,{n + len(judge)},{n % 3 + (judge == 'ann' and n == 4)},{n * 7}"
        for judge in ("ann", "berta")
        for n in range(6)
    ]
    path.write_text("\n".join(["judge,doc,seg,system,score,Klarheit,Jahr", *rows]))
    reading = read(path)
    assert {entry.question for entry in reading.judgements} == {"score", "klarheit"}
    assert "not read: Jahr" in reading.notes[0]


def test_the_tables_of_a_word_document(tmp_path: Path) -> None:
    head = ["ID", "Source", "Target"]
    first, second = [head, ["1", "Hello.", "Hallo."]], [head, ["2", "Bye.", "Tschüss."]]
    path = word(tmp_path / "review.docx", [["Project", "X"], ["Client", "ACME"]], first, second)
    reading = read(path)
    assert [(source, outputs["Target"]) for _, source, outputs in texts(reading)] == [
        ("Hello.", "Hallo."),
        ("Bye.", "Tschüss."),
    ]
    assert any("1 other table of" in note for note in reading.notes)
    deleted = word(tmp_path / "revised.docx", first, extra="<w:del><w:r><w:delText>gone</w:delText></w:r></w:del>")
    assert texts(read(deleted))[0][1:] == ("Hello.", {"Target": "Hallo."})
    empty = word(tmp_path / "letter.docx")
    with pytest.raises(InputError, match=r"no table in this document"):
        formats.read(empty, "table")


def test_a_word_document_cannot_be_a_bomb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(textfile, "EXPANSION_FREE", textfile.MIB)
    path = tmp_path / "bomb.docx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("word/document.xml", b" " * (20 * textfile.MIB))
    with pytest.raises(InputError, match=r"larger|more than|expand"):
        formats.read(path, "table")


ENCODINGS: list[tuple[str, str]] = [
    ("utf-8-sig", "Привет там."),
    ("utf-16", "Привет там."),
    ("cp1251", "Паром сегодня снова опаздывает."),
    ("cp1252", "Die Fähre ist heute „spät“."),
    ("shift_jis", "フェリーは今日遅れています。"),
    ("gb18030", "渡轮今天又晚点了。"),
    ("cp949", "배가 오늘도 늦습니다."),
]


@pytest.mark.parametrize(("encoding", "text"), ENCODINGS)
@pytest.mark.parametrize("write", [",".join, "\t".join, ";".join], ids=["comma", "tab", "semicolon"])
def test_encodings_and_delimiters_whatever_the_name(
    tmp_path: Path, encoding: str, text: str, write: Callable[[list[str]], str]
) -> None:
    path = tmp_path / "mine.csv"
    rows = [["source", "target"], *(["The ferry is late again today", text.rstrip(".") + f" {n}"] for n in range(4))]
    path.write_bytes("".join(write(row) + "\n" for row in rows).encode(encoding))
    assert [outputs["target"] for *_, outputs in texts(read(path))] == [row[1] for row in rows[1:]]


def test_languages_are_set_where_a_file_names_none_and_selected_where_it_does(tmp_path: Path) -> None:
    path = tmp_path / "two.csv"
    path.write_text(
        "lp,doc,seg,rater,source,target,score\n"
        "en-de,a,1,ann,One.,Eins.,1\nen-ko,b,1,ann,Two.,둘.,2\nen-ko,b,1,ben,Two.,둘.,3\n",
        encoding="utf-8",
    )
    reading = read(path, languages="en-ko")
    assert [document.id for document in reading.documents] == ["b"]
    assert [entry.value for entry in reading.judgements] == [2, 3]
    assert any("left out: 1 of en-de" in note for note in reading.notes)
    assert [document.id for document in formats.read_documents(path, languages="en-ko")] == ["b"]
    regions = tmp_path / "regions.csv"
    rows = [f"en-{target},{number},One.,Um." for number, target in enumerate(("pt-BR", "pt-PT", "pt"))]
    regions.write_text("\n".join(["lp,doc,source,target", *rows]), encoding="utf-8")
    for pair, ids in (("en-pt-PT", "12"), ("en-pt_BR", "02"), ("en-pt", "012")):
        assert "".join(document.id for document in read(regions, languages=pair).documents) == ids
    with pytest.raises(InputError, match="No document is en-fr"):
        formats.read(path, languages="en-fr")
    plain = tmp_path / "plain.csv"
    plain.write_text("source,target\nOne.,둘.\n", encoding="utf-8")
    assert read(plain, languages="en-ko").documents[0].language_pair == "en-ko"


def test_one_language_pair_is_overruled_and_the_note_says_so(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.csv"
    wrong.write_text("lp,doc,source,target\nen-de,a,One.,하나.\nen-de,b,Two.,둘.\n", encoding="utf-8")
    reading = read(wrong, languages="en-ko")
    assert {document.language_pair for document in reading.documents} == {"en-ko"}
    assert "The file says en-de; en-ko is used." in reading.notes
    assert [document.language_pair for document in formats.read_documents(wrong, languages="en-ko")] == ["en-ko"] * 2
    with formats.texts(wrong, languages="en-ko") as stream:
        assert stream is not None
        assert [document.id for document in stream.documents] == ["a", "b"]
        assert "The file says en-de; en-ko is used." in stream.notes
    native = tmp_path / "native.jsonl"
    formats.write("native", native, read(wrong).documents)
    assert read(native, languages="en-ko").documents[0].language_pair == "en-ko"  # a format without such an option
    right = tmp_path / "right.csv"
    right.write_text("lp,doc,source,target\nen-ko,c,Three.,셋.\n", encoding="utf-8")
    half = read(wrong, languages="und:ko").documents[0]
    assert half.language_pair == "en-ko"
    both = formats.read([wrong, right], languages="en-ko")  # among several files the option selects
    assert [document.id for part in both for document in part.documents] == ["c"]


def test_judgements_without_texts_are_those_of_the_pair_that_their_rows_name(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    times = "1710000000.0,1710000005.0"
    rows = [
        f"{judge},{system},{item},TGT,eng,{target},{score},doc-{target},False,[],{times}"
        for judge, target, score in (("j1", "jpn", 40), ("j2", "zho", 80))
        for system in ("A", "B")
        for item in range(1, 4)
    ]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    assert len(formats.read(path)) == 2
    [reading] = formats.read(path, languages="en-zh")
    assert {entry.judge for entry in reading.judgements} == {"j2"}
    assert any("left out: en-ja" in note for note in reading.notes)
    with pytest.raises(InputError, match="No document is en-de"):
        formats.read(path, languages="en-de")


def test_a_comma_and_a_point_in_one_number_settle_which_is_which(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text("judge;segment;score\na;1;2,065.5\nb;1;980\na;2;1,250\nb;2;3,000.25\n", encoding="utf-8")
    assert [value for *_, value in answers(read(path))] == [2065.5, 980, 1250, 3000.25]
    path.write_text("judge;segment;score\na;1;2,065\nb;1;980\n", encoding="utf-8")
    assert [value for *_, value in answers(read(path))] == [2.065, 980]


@pytest.mark.parametrize("suffix", ["csv", "xlsx"])
def test_a_row_that_counts_the_texts_is_none_of_them(tmp_path: Path, suffix: str) -> None:
    rows: list[list[Any]] = [["No.", "Source", "Target"], [1, "The kettle.", "Der Kessel."], [2, "Total", ""]]
    rows += [["Total", 2, None], ["Summe", None, 2]]
    path = tmp_path / f"review.{suffix}"
    if suffix == "csv":
        path.write_text("\n".join(",".join(str(c or "") for c in row) for row in rows), encoding="utf-8")
    else:
        book = openpyxl.Workbook()
        for sheet in (book.active, book.create_sheet("Two")):
            for row in rows:
                sheet.append(row)
        book.save(path)
    (reading,) = formats.read(path)
    assert [segment.source for segment in reading.documents[0].segments] == ["The kettle.", "Total"]


def test_a_total_and_a_remark_below_it_are_no_rows(tmp_path: Path) -> None:
    rows = [["score", "rater", "document", "segment"], *[[at, judge, "d", at] for at in (1, 2) for judge in "ab"]]
    path = workbook(tmp_path / "r.xlsx", Ratings=[*rows, ["Total"], [], ["Rated by hand in spring"]])
    assert [value for *_, value in answers(read(path))] == [1, 1, 2, 2]


def test_one_decimal_comma_makes_all_commas_decimal(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text('judge,segment,score\na,1,"1,250"\nb,1,"0,5"\na,2,"2,000"\n', encoding="utf-8")
    assert [value for *_, value in answers(read(path))] == [1.25, 0.5, 2]


def test_a_question_answered_half_with_words_is_one_of_words(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text("judge,segment,score\na,1,3\nb,1,good\n", encoding="utf-8")
    assert [value for *_, value in answers(read(path))] == ["3", "good"]


def test_letters_that_two_encodings_make_are_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "words.csv"
    path.write_bytes("document,segment,source,target\nd,1,house,hišo\n".encode("cp852"))
    for attempt in (formats.read, formats.recognise):
        with pytest.raises(InputError, match=r"'hiço' in CP1252 .* or 'hišo' in CP852 "):
            attempt(path)
    assert formats.recognise(path, encoding="cp852") == "table"
    (reading,) = formats.read(path, encoding="cp852")
    assert reading.documents[0].segments[0].outputs == {"target": "hišo"}


CODED = ["judge,document,segment,system,source,target,score,fluency"] + [
    f"{judge},d{document},{segment},X,A sentence.,Ein Satz.,{999 if segment == 3 else segment + 1},{segment}"
    for judge in ("ana", "ben")
    for document in range(3)
    for segment in range(4)
]


@pytest.mark.parametrize(
    ("scores", "is_noted"),
    [
        ([0, 1, 2, 3, 4, 5, 5, 4, 3, 2], True),
        ([0, 0, 0, 0, 1, 2, 3, 4, 0, 0], False),  # counts: 0 is what is most often there
        ([0, 1, 2, 3, 1, 2, 3, 1, 2, 3], False),  # severities
        ([0, 10, 20, 35, 50, 60, 80, 90, 95, 100], False),
        ([1, 2, 3, 4, 5, 5, 4, 3, 2, 1], False),
    ],
)
def test_a_few_zeros_beside_a_scale_from_1_are_scores_and_said_to_be_so(
    tmp_path: Path, scores: list[int], is_noted: bool
) -> None:
    def notes(heading: str, **options: str) -> list[str]:
        rows = "".join(f"{judge},{n},{score}\n" for judge in "ab" for n, score in enumerate(scores))
        path = tmp_path / "t.csv"
        path.write_text(f"judge,item,{heading}\n{rows}", encoding="utf-8")
        (reading,) = formats.read(path, **options)
        missing = sum(each.value is None for each in reading.judgements)
        assert missing == (2 * scores.count(0) if options.get("missing") == "0" else 0)
        return [note for note in reading.notes if " 0 " in note]

    assert [note[:72] for note in notes("score")] == [
        "2 answers to 'score' are 0 and all others from 1 to 5: 0 counts as a sco"
    ] * is_noted
    assert all("--missing 0;" in note for note in notes("score"))
    assert not notes("score (0-5)") and not notes("score", missing="none")
    assert len(notes("score", missing="0")) == (0 in scores)


def test_codes_for_missing_answers_are_refused_and_taken_as_the_user_says(tmp_path: Path) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text("\n".join(CODED), encoding="utf-8")
    with pytest.raises(
        InputError, match=r"ratings.csv:5: Answers to 'score' are 999 \(6 times\), and all .* 1 to 3"
    ) as e:
        formats.read(path)
    assert e.value.code == "missing_code" and "--missing 999" in (e.value.next_step or "")
    assert len(list(formats.read_documents(path))) == len(formats.read_texts(path)[0].documents) == 3
    (reading,) = formats.read(path, missing="999")
    scores = [entry.value for entry in reading.judgements if entry.question == "score"]
    assert scores.count(None) == 6 and {*scores} == {None, 1, 2, 3}
    assert "6 answers are 999 and count as missing." in reading.notes
    (reading,) = formats.read(path, missing="none")
    assert sum(entry.value == 999 for entry in reading.judgements) == 6


def test_a_form_with_items_of_two_kinds_is_refused_whole(tmp_path: Path) -> None:
    """Only the columns of the first kind were read, and agreement was computed from half of the answers."""
    items = [f"Rate the translation [d{d} {system}]" for system in "AB" for d in range(4)]
    path = tmp_path / "form.csv"
    path.write_text(
        "\n".join(["Timestamp,Email Address," + ",".join(items), *(f"t,{j}@x.org,1,2,3,4,5,4,3,2" for j in "ab")]),
        encoding="utf-8",
    )
    with pytest.raises(InputError, match=r"form.csv:1: .*columns of 2 kinds hold answers .*d0 A.*d0 B"):
        formats.read(path)


def test_numbers_under_the_name_of_a_text_are_answers(tmp_path: Path) -> None:
    path = tmp_path / "export.csv"
    rows = [f"{j},d{d},1,{c},{(d + len(c)) % 5 + 1}" for j in ("p1", "p2") for d in range(4) for c in ("oak", "elm-2")]
    path.write_text("\n".join(["participant_id,document_id,sentence_id,condition,response", *rows]), encoding="utf-8")
    (reading,) = formats.read(path)
    assert {entry.systems for entry in reading.judgements} == {("oak",), ("elm-2",)}
    assert [entry.value for entry in reading.judgements] == [int(row.rpartition(",")[2]) for row in rows]


def test_a_column_of_scores_for_each_system_can_be_named(tmp_path: Path) -> None:
    path = tmp_path / "pivot.csv"
    path.write_text("judge,document,segment,oak,elm\na,d,1,4,3\nb,d,1,5,2\n", encoding="utf-8")
    (reading,) = formats.read(path, columns="answer:score about oak=oak,answer:score about elm=elm")
    values = {(entry.judge, entry.question, entry.systems): entry.value for entry in reading.judgements}
    oak, elm = ("score", ("oak",)), ("score", ("elm",))
    assert values == {("a", *oak): 4, ("a", *elm): 3, ("b", *oak): 5, ("b", *elm): 2}


# Files as other tools write them

_STUDIO = (
    "annotation_id,annotator,created_at,id,lead_time,quality,marks,source,translation,updated_at\n"
    '11,a@x.org,2026-01-02T10:00:00Z,1,12.3,"[{""rating"": 3}]",'
    '"[{""start"": 0, ""end"": 3, ""text"": ""Die"", ""labels"": [""minor""]}]",Cats sit.,Die.,2026-01-02T10:00:00Z\n'
    '12,b@x.org,2026-01-02T10:00:00Z,1,12.3,"[{""rating"": 4}]",,Cats sit.,Die.,2026-01-02T10:00:00Z\n'
)
_MONKEY = (
    "Respondent ID,Collector ID,Start Date,Email Address,Custom Data 1,Rate each one,,,Comments\n"
    ",,,,,Sentence 1,Sentence 2,Sentence 3,Open-Ended Response\n"
    "111,9,01/02/2026,,,4,5,3,ok\n112,9,01/02/2026,,,2,5,4,\n"
)
_GOOGLE = (
    '"Timestamp","Email Address",{},"Any comments?"\n'
    '"2026/01/02 10:00:00","111","4","5","3","ok"\n"2026/01/02 11:00:00","112","2","5","4",""\n'
)


@pytest.mark.parametrize(
    ("table", "items"),
    [
        (_MONKEY, ("Sentence 1", "Sentence 2", "Sentence 3")),
        (_GOOGLE.format('"1. The cat sat.","2. The dog ran.","3. It slept."'),
         ("1. The cat sat.", "2. The dog ran.", "3. It slept.")),
        (_GOOGLE.format('"How good? [Cats]","How good? [Dogs]","How good? [Mice]"'), ("Cats", "Dogs", "Mice")),
        (_GOOGLE.format('"Sentence 1: good? [Cat]","Sentence 2: good? [Dog]","Sentence 3: good? [Ox]"'),
         ("Cat", "Dog", "Ox")),
        (_GOOGLE.format('"Rate (1-5) no. 1","Rate (1-5) no. 2","Rate (1-5) no. 3"'),
         ("Rate (1-5) no. 1", "Rate (1-5) no. 2", "Rate (1-5) no. 3")),
    ],
)  # fmt: skip
def test_forms_with_a_column_for_each_item(tmp_path: Path, table: str, items: tuple[str, ...]) -> None:
    path = tmp_path / "form.csv"
    path.write_text(table)
    reading = read(path)
    scores = {("111", items[0]): 4, ("111", items[1]): 5, ("111", items[2]): 3}
    scores |= {("112", items[0]): 2, ("112", items[1]): 5, ("112", items[2]): 4}
    assert {(j.judge, j.segment): j.value for j in reading.judgements} == scores
    assert not any("left out" in note for note in reading.notes)


def test_a_form_that_asks_twice_about_each_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "form.csv"
    heads = ",".join(f'"{n}. {text} Fluent?","{n}. {text} Right?"' for n, text in enumerate(("A", "B", "C"), 1))
    path.write_text(f"Your name,{heads}\nAnn,1,2,3,4,5,1\nBen,1,2,3,4,5,2\n")
    with pytest.raises(InputError, match="columns of 2 kinds hold answers"):
        formats.read(path)


def test_cells_of_label_studio_hold_answers(tmp_path: Path) -> None:
    path = tmp_path / "ls.csv"
    path.write_text(_STUDIO)
    values = {(j.judge, j.question): j.value for j in read(path).judgements}
    assert (values["a@x.org", "quality"], values["b@x.org", "quality"]) == (3, 4)
    assert values["a@x.org", "marks"] == [{"start": 0, "end": 3, "text": "Die", "category": "minor"}]


def test_an_export_of_doccano(tmp_path: Path) -> None:
    path = tmp_path / "doccano.jsonl"
    row = {"id": 1, "text": "Cats sit.", "label": ["Katzen sitzen."], "Comments": []}
    path.write_text(json.dumps(row))
    reading = read(path, columns="system:label=label")
    assert texts(reading) == [("doccano", "Cats sit.", {"label": "Katzen sitzen."})]
    path.write_text(json.dumps({**row, "source": "Cats.", "text": "Katzen.", "label": [[0, 3, "minor"]]}))
    (judged,) = formats.read_judged(path)
    assert judged.judgements[0].value == [{"start": 0, "end": 3, "category": "minor"}]


def test_a_count_of_annotators_is_no_score(tmp_path: Path) -> None:
    path = tmp_path / "da.csv"
    path.write_text("lp,src,mt,ref,score,raw,annotators,year\nen-de,Cats.,Katzen.,Die Katzen.,0.51,82,2,2022\n")
    (reading,) = formats.read_judged(path)
    assert {j.question: j.value for j in reading.judgements} == {"score": 0.51, "raw": 82}


def test_an_object_with_a_text_for_each_system(tmp_path: Path) -> None:
    path = tmp_path / "wmt.jsonl"
    path.write_text(
        json.dumps({"doc_id": "d", "src_text": "Cats.", "tgt_text": {"GPT-4": "Katzen.", "Online-B": "Kat"}})
    )
    assert texts(read(path)) == [("d", "Cats.", {"GPT-4": "Katzen.", "Online-B": "Kat"})]


def test_the_line_that_tells_excel_the_delimiter_is_not_mentioned(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("\ufeffsep=;\r\nBewerter;Satz;System;Bewertung\r\nAnna;1;DeepL;4,5\r\n")
    reading = read(path)
    assert [j.value for j in reading.judgements] == [4.5]
    assert not any("sep" in note for note in reading.notes)


def table(path: Path, header: Sequence[str], rows: Sequence[Sequence[Any]]) -> Path:
    path.write_text("\n".join(";".join(map(str, row)) for row in [header, *rows]), "utf-8")
    return path


ORDERS = [("DeepL", "Google", "NLLB", "GPT"), ("NLLB", "GPT", "DeepL", "Google"), ("GPT", "DeepL", "Google", "NLLB")]
"""What three judges said of an item, the best system first."""


def test_best_and_worst_of_several_systems_are_ranks(tmp_path: Path) -> None:
    """They were a comparison of the first two systems, with labels."""
    shown = ("DeepL", "GPT", "Google", "NLLB")
    rows = [(f"j{n}", item, *shown, order[0], order[-1]) for item in (1, 2) for n, order in enumerate(ORDERS)]
    reading = read(table(tmp_path / "b.csv", ["judge", "item", "A", "B", "C", "D", "best", "worst"], rows))
    ranks = {(judge, item, systems[0]): value for judge, item, systems, value in answers(reading)}
    assert len(ranks) == 24
    for n, order in enumerate(ORDERS):
        assert [ranks[f"j{n}", "1", name] for name in order] == [1, 2.5, 2.5, 4]


@pytest.mark.parametrize(
    ("best", "worst"), [("DeepL", "DeepL"), ("DeepL", ""), ("DeepL", "Bing")], ids=["the same", "half", "not shown"]
)
def test_a_row_whose_best_and_worst_are_no_order_is_refused(tmp_path: Path, best: str, worst: str) -> None:
    rows = [(f"j{n}", item, *sorted(o), o[0], o[-1]) for item in range(100) for n, o in enumerate(ORDERS)]
    rows.append(("j0", 100, *sorted(ORDERS[0]), best, worst))
    path = table(tmp_path / "b.csv", ["judge", "item", "A", "B", "C", "D", "best", "worst"], rows)
    with pytest.raises(InputError, match="is no order of the systems") as error:
        read(path)
    assert error.value.where.line == len(rows) + 1


@pytest.mark.parametrize(
    ("heading", "mark", "ranks"),
    [
        ("answer", " > ", [1, 2, 3, 4]),
        ("Ranking", ", ", [1, 2, 3, 4]),
        ("your order", "→", [1, 2, 3, 4]),
        ("answer", " = ", [2.5, 2.5, 2.5, 2.5]),
    ],
)
def test_an_order_of_systems_in_a_cell_is_a_rank_of_each(
    tmp_path: Path, heading: str, mark: str, ranks: list[float]
) -> None:
    rows = [(f"j{n}", item, mark.join(order)) for item in (1, 2) for n, order in enumerate(ORDERS)]
    reading = read(table(tmp_path / "o.csv", ["judge", "item", heading], rows))
    values = {(judge, item, systems[0]): value for judge, item, systems, value in answers(reading)}
    assert [values["j1", "2", name] for name in ORDERS[1]] == ranks


def test_coders_who_answer_yes_and_no_are_no_systems(tmp_path: Path) -> None:
    """`coder1` and `coder2` were two systems called yes and no, with a preference by coder3."""
    rows = [(n, "yes" if n % 2 else "no", "yes" if n % 3 else "no", "no" if n % 5 else "yes") for n in range(12)]
    reading = read(table(tmp_path / "c.csv", ["segment", "coder1", "coder2", "coder3"], rows))
    assert answers(reading) == [(f"coder{place}", str(row[0]), (), row[place]) for row in rows for place in (1, 2, 3)]


def test_answers_called_after_systems_beside_the_source_are_about_these(tmp_path: Path) -> None:
    """DeepL and GPT-4 were judges, one of them a person."""
    header = ["segment", "source", "Adequacy DeepL", "Adequacy GPT-4"]
    reading = read(table(tmp_path / "s.csv", header, [(n, f"Sentence {n}.", n % 5, n % 3) for n in range(6)]))
    expected = [("judge", str(n), (name,), n % k) for n in range(6) for name, k in (("DeepL", 5), ("GPT-4", 3))]
    assert answers(reading) == expected
    header[-1] = "Adequacy Ann"
    with pytest.raises(InputError, match="is not clear"):
        read(table(tmp_path / "s.csv", header, [(n, f"Sentence {n}.", n % 5, n % 3) for n in range(6)]))


def test_preferences_in_a_column_for_each_judge(tmp_path: Path) -> None:
    """They were kept with the texts, and nothing was said."""
    rows = [(n, f"Sentence {n}.", f"Satz {n}.", f"Ein Satz, {n}.", "deepl", "tie" if n else "bing") for n in range(4)]
    reading = read(table(tmp_path / "p.csv", ["id", "source", "mt_deepl", "mt_bing", "anna", "ben"], rows))
    both = ("deepl", "bing")
    expected = [(j, str(n), both, v) for n in range(4) for j, v in (("anna", "a"), ("ben", "tie" if n else "b"))]
    assert answers(reading) == expected


def test_a_minus_among_signs_is_an_answer(tmp_path: Path) -> None:
    signs = ["--", "-", "0", "+", "++", "", "–"]
    reading = read(table(tmp_path / "s.csv", ["judge", "segment", "quality"], [("a", *s) for s in enumerate(signs)]))
    assert [value for *_, value in answers(reading)] == [-2, -1, 0, 1, 2, None, -1]
    assert "'–' is -1" in " ".join(reading.notes)
    marks = table(tmp_path / "m.csv", ["judge", "segment", "quality"], [("a", *s) for s in enumerate(["good", "-"])])
    assert [value for *_, value in answers(read(marks))] == ["good", None]


def test_percentages_among_fractions_are_refused(tmp_path: Path) -> None:
    def scores(*values: str) -> Path:
        return table(tmp_path / "x.csv", ["judge", "segment", "score"], [("a", *each) for each in enumerate(values)])

    with pytest.raises(InputError, match=r"such as 0\.9") as error:
        read(scores("85%", "0.9", "1"))
    assert error.value.where.line == 3
    assert [value for *_, value in answers(read(scores("85%", "90", "0")))] == [85, 90, 0]
    assert [value for *_, value in answers(read(scores("0.5%", "0.9", "0.1")))] == [0.5, 0.9, 0.1]


def test_the_scale_of_a_heading_is_that_of_the_question(tmp_path: Path) -> None:
    header = ["judge", "segment", "Adequacy (1-7)", "Fluency (1 = best, 5 = worst)"]
    reading = read(table(tmp_path / "s.csv", header, [("a", n, 2 + n % 3, 1 + n % 4) for n in range(9)]))
    best_guess = guessing.of_file(reading.judgements, reading.questions, "", scales=reading.scales)
    assert best_guess is not None
    scales = {question.id: question for _, question in best_guess.protocol.questions if isinstance(question, Scale)}
    assert (scales["adequacy"].min, scales["adequacy"].max) == (1, 7)
    assert scales["adequacy"].direction == "higher_is_better"
    assert (scales["fluency"].max, scales["fluency"].direction) == (5, "lower_is_better")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["minor", "major", "none", ""], ["minor", "major", "none", None]),
        (["Minor", "Major", "None", ""], ["Minor", "Major", "None", None]),
        (["minor", "major", "None", "nan"], ["minor", "major", None, None]),
        (["1", "2", "none", "4"], [1, 2, None, 4]),
    ],
)
def test_none_is_an_answer_where_it_is_written_like_the_others(
    tmp_path: Path, words: list[str], expected: list[Any]
) -> None:
    """`none` beside `minor` and `major` was a missing answer, and agreement was that on the rest."""
    by_rows = table(tmp_path / "r.csv", ["judge", "segment", "severity"], [("a", *each) for each in enumerate(words)])
    assert [value for *_, value in answers(read(by_rows))] == expected
    by_judges = table(tmp_path / "j.csv", ["segment", "label1", "label2"], [(n, w, w) for n, w in enumerate(words)])
    assert [v for judge, *_, v in answers(read(by_judges)) if judge == "1"] == [v for v in expected if v is not None]


@pytest.mark.parametrize("mark", ["x", "X", "✓"])
def test_a_column_of_ticks_is_yes_where_ticked_and_no_elsewhere(tmp_path: Path, mark: str) -> None:
    """Empty cells were missing answers, and judges never disagreed."""
    rows = [(n, f"j{k}", mark if (n + k) % 3 else "") for n in range(4) for k in range(2)]
    reading = read(table(tmp_path / "t.csv", ["item", "judge", "omission"], rows))
    assert [value for *_, value in answers(reading)] == ["yes" if row[2] else "no" for row in rows]
    assert "is ticked" in " ".join(reading.notes)
    by_judge = table(tmp_path / "j.csv", ["item", "coder1", "coder2"], [("1", mark, ""), ("2", mark, mark)])
    assert [value for *_, value in answers(read(by_judge))] == ["yes", "no", "yes", "yes"]


def test_an_age_is_no_answer_beside_ratings_under_an_unknown_heading(tmp_path: Path) -> None:
    rows = [(f"p{c}", 20 + c, i, (i * c) % 7) for i in range(8) for c in range(4)]
    reading = read(table(tmp_path / "a.csv", ["participant", "age", "item", "acceptability"], rows))
    assert {entry.question for entry in reading.judgements} == {"acceptability"}


def test_judges_above_systems_are_told_apart_or_asked_about(tmp_path: Path) -> None:
    """`Anna` above `DeepL` and `Google` were systems called Anna DeepL and Anna Google."""
    header = ["item", "Rater 1_DeepL", "Rater 1_Google", "Rater 2_DeepL", "Rater 2_Google"]
    rows = [(n, 1, 2, 3, 4) for n in range(3)]
    judged = answers(read(table(tmp_path / "c.csv", [name.replace("Rater ", "R") for name in header], rows)))
    both = [(judge, (system,)) for judge in ("R1", "R2") for system in ("DeepL", "Google")]
    assert judged[:4] == [(judge, "0", systems, n) for n, (judge, systems) in enumerate(both, 1)]
    names = ["item", *(f"{judge} {system}" for judge in ("Anna", "Ben") for system in ("DeepL", "Google"))]
    path = table(tmp_path / "n.csv", names, rows)
    with pytest.raises(InputError, match="Whether Anna and Ben are judges") as error:
        read(path)
    option = re.search(r"If they are judges: --columns '(.*?)'", error.value.next_step)
    assert option is not None
    assert answers(read(path, columns=option[1]))[1] == ("Anna", "0", ("Google",), 2)
    sizes = ["item", *(f"{system} {size}" for system in ("DeepL", "Google") for size in ("base", "large"))]
    systems = {entry[2] for entry in answers(read(table(tmp_path / "v.csv", sizes, rows)))}
    assert systems == {(name,) for name in sizes[1:]}


def test_preferences_of_nobody_in_particular_are_one_judges(tmp_path: Path) -> None:
    rows = [(n, "DeepL", "Google", side) for n, side in enumerate(["model_a", "model_b", "tie"])]
    reading = read(table(tmp_path / "w.csv", ["prompt_id", "model_a", "model_b", "winner"], rows))
    assert [value for *_, value in answers(reading)] == ["a", "b", "tie"]

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import openpyxl
import polars as pl
import pytest

from lanner import formats
from lanner.errors import InputError
from lanner.formats.parsing.tables import Extent, guess_delimiter, open_rows, refuse_table_beside, table_kind


def put(path: Path, text: str) -> Path:
    path.write_bytes(text.encode())
    return path


def values(path: Path, **options: str) -> list[list[object]]:
    return [list(row) for _, row, _ in open_rows(path, **options).rows]


@pytest.mark.parametrize("mark", ["\t", ",", ";", "|"])
def test_the_header_tells_the_delimiter(tmp_path: Path, mark: str) -> None:
    path = put(tmp_path / "x", f"doc{mark}source\na{mark}b\n")
    assert guess_delimiter(path) == mark
    assert values(path) == [["a", "b"]]


def test_quotes_in_tsv_are_text_unless_the_header_is_quoted(tmp_path: Path) -> None:
    plain = put(tmp_path / "plain.tsv", 'doc\tsource\na\t"He said ""no"\n')
    assert values(plain) == [["a", '"He said ""no"']]
    quoted = put(tmp_path / "quoted.tsv", '"doc"\t"source"\n"a"\t"two\nlines ""x"""\n')
    assert values(quoted) == [["a", 'two\nlines "x"']]
    assert values(plain, quotes="no") == values(plain)
    with pytest.raises(InputError):
        values(put(tmp_path / "open.tsv", 'doc\tsource\na\t"x\n'), quotes="yes")


@pytest.mark.parametrize(
    ("cells", "read"),
    [
        (['"He said ""no"" to it"', "plain"], ['He said "no" to it', "plain"]),  # as spreadsheets quote
        (['"two\nlines"', "plain"], ["two\nlines", "plain"]),
        (['"No."', '"Yes," she said.'], ['"No."', '"Yes," she said.']),  # as files of the field hold it
        (['"No."', "plain"], ['"No."', "plain"]),
        (['"He said ""no"" to it"', '"Yes," she said.'], ['"He said ""no"" to it"', '"Yes," she said.']),
    ],
)
def test_cells_tell_whether_a_tsv_has_quotes(tmp_path: Path, cells: list[str], read: list[str]) -> None:
    path = put(tmp_path / "t.tsv", "doc\tsource\n" + "".join(f"a\t{cell}\n" for cell in [*cells, "end"]))
    assert [row[1] for row in values(path)] == [*read, "end"]


def test_crlf_does_not_stick_to_the_last_cell(tmp_path: Path) -> None:
    assert values(put(tmp_path / "x.tsv", "doc\tsource\r\na\tb\r\nc\td")) == [["a", "b"], ["c", "d"]]


def test_empty_columns_at_the_end_are_no_columns(tmp_path: Path) -> None:
    rows = open_rows(put(tmp_path / "x.csv", "\ufeffdoc,source,,\na,b,,\n"))
    assert rows.header == ["doc", "source"]
    assert [row for _, row, _ in rows.rows] == [["a", "b"]]


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("doc,source\na\n", "1 cell, the header has 2", 2),
        ("doc,source\na,b\na,b,c\n", "3 cells, the header has 2", 3),
        ("doc,doc\na,b\n", "Two columns", 1),
        ("source,,,x\na,b,c,d\n", "Column 2 has no name", 1),
    ],
)
def test_ragged_tables_are_refused(tmp_path: Path, text: str, message: str, line: int) -> None:
    with pytest.raises(InputError, match=message) as caught:
        values(put(tmp_path / "x.csv", text))
    assert caught.value.where.line == line


def test_json_lines_may_differ_in_keys_and_nest_outputs(tmp_path: Path) -> None:
    path = put(tmp_path / "x.jsonl", '{"src": "a", "tgt": {"A": "b"}}\n\n{"src": "c", "refs": ["d", "e"], "n": 4}\n')
    rows = open_rows(path)
    assert rows.header == ["src", "tgt.A", "refs.0", "refs.1", "n"]
    assert [(line, row) for line, row, _ in rows.rows] == [
        (1, ["a", "b", None, None, None]),
        (3, ["c", None, "d", "e", 4]),
    ]


def test_parquet(tmp_path: Path) -> None:
    pl.DataFrame({"source": ["a", None], "n": [1, 2]}).write_parquet(tmp_path / "x.parquet")
    assert values(tmp_path / "x.parquet") == [["a", 1], [None, 2]]
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 and nothing more")
    with pytest.raises(InputError, match="Parquet"):
        open_rows(tmp_path / "bad.parquet")


def test_spreadsheets(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    page = book.active
    for row in (["doc", "source", "n"], ["1", "=x", 4], [], [date(2024, 2, 1), "y", 4.5]):
        page.append(row)
    page["B2"].data_type = "s"
    book.create_sheet("other").append(["source"])
    book.save(tmp_path / "x.xlsx")
    rows = open_rows(tmp_path / "x.xlsx")
    assert [(line, row) for line, row, _ in rows.rows] == [(2, ["1", "=x", 4]), (4, ["2024-02-01", "y", 4.5])]
    assert "1 cell is a date" in " ".join(rows.notes)
    assert "left out: other" in " ".join(rows.notes)
    assert open_rows(tmp_path / "x.xlsx", sheet="other").header == ["source"]
    with pytest.raises(InputError, match="no sheet 'more'"):
        open_rows(tmp_path / "x.xlsx", sheet="more")


def test_a_broken_spreadsheet_is_an_input_error(tmp_path: Path) -> None:
    (tmp_path / "x.xlsx").write_bytes(b"PK\x03\x04" + b"\0" * 50)
    with pytest.raises(InputError, match="spreadsheet cannot be read"):
        open_rows(tmp_path / "x.xlsx")


def test_kinds(tmp_path: Path) -> None:
    assert table_kind(tmp_path) == ""
    assert table_kind(put(tmp_path / "a", "<xml/>")) == ""
    assert table_kind(put(tmp_path / "b", "[[1]]")) == ""
    assert table_kind(put(tmp_path / "c", "a,b\n")) == "csv"


@pytest.mark.parametrize("number", ["0", "3", "²", "-1", "9" * 100_000])
def test_a_header_in_a_row_that_is_not_there_is_refused_in_few_words(tmp_path: Path, number: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text("source,target\nOne.,Eins.\n", encoding="utf-8")
    with pytest.raises(InputError, match="There is no row") as refused:
        open_rows(path, header=number)
    assert len(str(refused.value)) < 1000


HEADER = ["judge", "document", "segment", "system", "score"]

# What stands below a table or beside it is left out and said, or refused; it is never read as rows of the table


RATINGS = [[judge, "d1", segment, "X", segment % 3 + 1] for judge in ("ana", "ben") for segment in range(1, 5)]


VALUES = [(row[0], row[2], row[4]) for row in RATINGS]


def write(path: Path, rows: Sequence[Sequence[Any]]) -> Path:
    if path.suffix == ".csv":
        width = max(map(len, rows))
        with path.open("w", encoding="utf-8", newline="") as stream:
            csv.writer(stream).writerows([[*row, *[""] * (width - len(row))] for row in rows])
        return path
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(["" if cell is None else cell for cell in row] or [None])  # type: ignore[union-attr]
    book.save(path)
    return path


def answers(path: Path) -> tuple[list[tuple[str, int, Any]], str]:
    [reading] = formats.read(path)
    found = [(entry.judge, int(entry.segment), entry.value) for entry in reading.judgements]
    return found, " ".join(reading.notes)


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
@pytest.mark.parametrize(
    ("below", "note"),
    [
        ([["system", "mean", "n"], ["X", 2.5, 8], ["Y", 3, 8]], "Another table begins on line 11 (system, mean, n)"),
        ([["Summary"], ["System", "Mean"], ["X", 2.5]], "Another table begins on line 11 (System, Mean)"),
        ([["Name", "Language", "Years"], ["ana", "German", 5]], "Another table begins on line 11 (Name, Language"),
        ([["Rated in May, without the pilot."]], "What stands below the table on line 11 is left out: Rated in May"),
        ([["1 = bad"], ["5 = good"]], "is left out: 1 = bad."),
    ],
)
def test_what_is_no_table_of_ratings_is_left_out_and_said(
    tmp_path: Path, kind: str, below: list[list[Any]], note: str
) -> None:
    found, notes = answers(write(tmp_path / f"r.{kind}", [HEADER, *RATINGS, [], *below]))
    assert found == VALUES
    assert note in notes


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
@pytest.mark.parametrize("gap", [[], [[]], [[], []]])
def test_a_header_that_comes_again_is_no_row(tmp_path: Path, kind: str, gap: list[list[Any]]) -> None:
    more = [["cleo", "d2", segment, "X", 2] for segment in range(1, 4)]
    path = write(tmp_path / f"r.{kind}", [HEADER, *RATINGS, *gap, [name.upper() for name in HEADER], *more])
    found, notes = answers(path)
    assert found == [*VALUES, *(("cleo", segment, 2) for segment in range(1, 4))]
    assert f"The header comes again on line {10 + len(gap)}" in notes


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
def test_a_second_table_of_ratings_is_refused(tmp_path: Path, kind: str) -> None:
    second = [["score", "rater", "segment", "document"], [3, "cleo", 1, "d2"], [4, "dae", 1, "d2"]]
    path = write(tmp_path / f"r.{kind}", [HEADER, *RATINGS, [], *second])
    with pytest.raises(InputError, match="A second table begins on this line \\(score, rater, segment"):
        formats.read(path)


def test_rows_that_leave_a_column_empty_from_an_empty_row_on_are_refused(tmp_path: Path) -> None:
    texts = [["d1", "Hello there.", "Hallo."], ["d1", "Good bye.", "Tschüs."]]
    path = write(tmp_path / "t.csv", [["document", "source", "target"], *texts, [], ["Zed", "Anna"], ["Yot", "Ben"]])
    with pytest.raises(InputError, match="leave 'target' empty \\(Zed, Anna\\)") as error:
        formats.read(path)
    assert "delete the empty row" in error.value.next_step


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
@pytest.mark.parametrize(
    "more",
    [
        [["cleo", "d2", 1, "X", 3], ["cleo", "d2", 2, "X", 1]],
        [["ana", "d2", 1, "X", ""], ["ana", "d2", 2, "X", ""]],
        [["cleo", "d2", 1, "X", "n/a"], ["cleo", "d2", 2, "X", 1]],
    ],
    ids=["another judge", "without scores", "a score that is missing"],
)
def test_sections_with_an_empty_row_between_are_one_table(tmp_path: Path, kind: str, more: list[list[Any]]) -> None:
    found, notes = answers(write(tmp_path / f"r.{kind}", [HEADER, *RATINGS, [], *more]))
    assert [(judge, segment) for judge, segment, _ in found] == [(row[0], row[2]) for row in [*RATINGS, *more]]
    assert "left out:" not in notes and "Another table" not in notes


def test_texts_without_a_translation_at_the_end_are_rows(tmp_path: Path) -> None:
    texts = [["d1", "Hello there.", "Hallo."], ["d1", "Good bye.", "Tschüs."]]
    more = [["d2", "It is not translated yet.", ""], ["d2", "Nor is this.", ""]]
    [reading] = formats.read(write(tmp_path / "t.csv", [["document", "source", "target"], *texts, [], *more]))
    assert [segment.source for document in reading.documents for segment in document] == [
        "Hello there.", "Good bye.", "It is not translated yet.", "Nor is this.",
    ]  # fmt: skip


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
def test_tables_side_by_side_are_refused(tmp_path: Path, kind: str) -> None:
    beside = [["Name", "Country"], ["ana", "Austria"], ["ben", "Belgium"]]
    rows = [[*row, "", *(beside[at] if at < len(beside) else [])] for at, row in enumerate([HEADER, *RATINGS])]
    with pytest.raises(InputError, match=r"side by side: judge, .*; Name, Country"):
        formats.read(write(tmp_path / f"r.{kind}", rows))


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
def test_an_empty_column_within_a_table_parts_nothing(tmp_path: Path, kind: str) -> None:
    rows = [[*row[:4], "", row[4], word] for row, word in zip([HEADER, *RATINGS], ["note", *"abcdefgh"], strict=True)]
    assert answers(write(tmp_path / f"r.{kind}", rows))[0] == VALUES


def test_a_spacer_is_no_border_where_only_one_column_is_shorter() -> None:
    rows = [["1", "", "x"], ["2", "", ""]]
    refuse_table_beside(Path("x"), ["segment", "", "remark"], rows, 1)
    with pytest.raises(InputError, match="side by side"):
        refuse_table_beside(Path("x"), ["segment", "", "segment"], rows, 1)
    with pytest.raises(InputError, match="side by side"):
        refuse_table_beside(Path("x"), ["segment", "", "a", "b"], [[*row, row[-1]] for row in rows], 1)


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
def test_the_rows_that_qualtrics_writes_below_the_header_are_left_out(tmp_path: Path, kind: str) -> None:
    words = ["Who are you?", "document", "segment", "system", "How good is it?"]
    ids = [json.dumps({"ImportId": f"QID{at}"}) for at in range(5)]
    found, notes = answers(write(tmp_path / f"q.{kind}", [HEADER, words, ids, *RATINGS]))
    assert found == VALUES
    assert "Lines 2 to 3 are words and ids of Qualtrics" in notes


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
def test_a_survey_with_a_row_for_each_respondent_is_refused_by_name(tmp_path: Path, kind: str) -> None:
    names = ["StartDate", "ResponseId", "Q1_1", "Q1_2", "Q2_1"]
    ids = [json.dumps({"ImportId": name}) for name in names]
    rows = [names, names, ids, *[["2026-01-01", f"R_{at}", 3, 4, 5] for at in range(4)]]
    with pytest.raises(InputError, match="an export of Qualtrics with a row for each respondent"):
        formats.read(write(tmp_path / f"q.{kind}", rows))


def test_long_tables_are_not_remembered_whole() -> None:
    notes: list[str] = []
    extent = Extent(Path("x"), ["segment", "score"], notes)
    rows = [(at, [str(at), at % 5], {}) for at in range(2, 6000)]
    assert list(extent.rows(rows)) == rows
    assert max(map(len, extent._values)) == 2000
    assert notes == []


def test_a_sentence_alone_below_two_columns_is_not_translated_yet(tmp_path: Path) -> None:
    rows = [["source", "target"], ["Hello there.", "Hallo."], ["Good bye.", "Tschüs."], [], ["Not translated yet"]]
    [reading] = formats.read(write(tmp_path / "t.csv", rows))
    assert [segment.source for segment in reading.documents[0]] == ["Hello there.", "Good bye.", "Not translated yet"]


def test_a_table_of_words_below_one_of_words_is_known_by_its_header(tmp_path: Path) -> None:
    texts = [["d1", "Hello there.", "Hallo."], ["d1", "Good bye.", "Tschüs."]]
    below = [["judge", "system", "language"], ["ana", "X", "German"], ["ben", "Y", "German"]]
    [reading] = formats.read(write(tmp_path / "t.csv", [["document", "source", "target"], *texts, [], *below]))
    assert [document.id for document in reading.documents] == ["d1"]
    assert "Another table begins on line 5 (judge, system, language)" in " ".join(reading.notes)


def test_answers_in_words_that_are_missing_after_an_empty_row_are_rows(tmp_path: Path) -> None:
    header = ["judge", "segment", "system", "label"]
    first = [[judge, f"s{at}", "X", label] for judge in ("ana", "ben") for at, label in enumerate(("good", "bad"))]
    more = [["ana", "s8", "X", ""], ["ana", "s9", "X", ""]]
    [reading] = formats.read(write(tmp_path / "r.csv", [header, *first, [], *more]))
    assert len(reading.judgements) == 6


ITEM = ["document", "segment"]
SCORED = [["d", 1, 1, 2, 3, 4], ["d", 2, 2, 3, 4, 5], ["e", 1, 3, 4, 5, 1]]
BY_JUDGE = {("Anna", "fluency"): 2, ("Anna", "adequacy"): 3, ("Ben", "fluency"): 4, ("Ben", "adequacy"): 5}
GROUPED = {
    "names below": ([["", "", "Anna", "", "Ben", ""], [*ITEM, *["Fluency", "Adequacy"] * 2]], BY_JUDGE),
    "names above": ([[*ITEM, "Anna", "", "Ben", ""], ["", "", *["Fluency", "Adequacy"] * 2]], BY_JUDGE),
    "item named": ([["Item", "", "Anna", "", "Ben", ""], [*ITEM, *["Fluency", "Adequacy"] * 2]], BY_JUDGE),
    "a title": (
        [["Our study", *[""] * 5], ["", "", "Anna", "", "Ben", ""], [*ITEM, *["Fluency", "Adequacy"] * 2]],
        BY_JUDGE,
    ),
    "judges below": (
        [["", "", "Fluency", "", "Adequacy", ""], [*ITEM, *["Judge 1", "Judge 2"] * 2]],
        {
            ("Judge 1", "fluency"): 2,
            ("Judge 2", "fluency"): 3,
            ("Judge 1", "adequacy"): 4,
            ("Judge 2", "adequacy"): 5,
        },
    ),
}


@pytest.mark.parametrize("kind", ["csv", "xlsx", "merged"])
@pytest.mark.parametrize("layout", GROUPED)
def test_two_heading_rows_are_read_as_one(tmp_path: Path, layout: str, kind: str) -> None:
    header, columns = GROUPED[layout]
    if kind == "csv":
        path = write(tmp_path / "t.csv", [*header, *SCORED])
    else:
        path = tmp_path / "t.xlsx"
        book = openpyxl.Workbook()
        page = book.create_sheet("ratings", 0)
        for row in [*header, *SCORED]:
            page.append([cell if cell != "" else None for cell in row])
        top = len(header) - 1
        for area in ["A{}:B{}", "C{}:D{}", "E{}:F{}"] if kind == "merged" else []:
            if layout != "names above" or area[0] != "A":
                page.merge_cells(area.format(top, top))
        book.save(path)
    [reading] = formats.read(path)
    expected = {
        (judge, question, str(document), str(segment)): row[at]
        for (judge, question), at in columns.items()
        for row in SCORED
        for document, segment in [row[:2]]
    }
    assert {(j.judge, j.question, j.document, j.segment): j.value for j in reading.judgements} == expected


@pytest.mark.parametrize(
    "rows",
    [
        [["item", "Ann", "", "Ben", ""], ["1", "good", "bad", "good", "bad"], ["2", "bad", "bad", "good", "good"]],
        [["", "Ann", "", "Ben", ""], ["item", "Fluency", "", "Fluency", ""], ["1", "3", "4", "5", "4"]],
    ],
    ids=["answers", "names missing"],
)
def test_rows_that_may_be_answers_or_lack_names_are_no_heading_rows(tmp_path: Path, rows: list[list[str]]) -> None:
    with pytest.raises(InputError) as refusal:
        formats.read(write(tmp_path / "t.csv", rows))
    assert refusal.value.code in ("nameless_column", "ragged")


def test_the_refusal_of_a_column_without_a_name_says_what_becomes_of_two_heading_rows(tmp_path: Path) -> None:
    header = [["", "Ann", "", "Ben", ""], ["item", "Fluency", "Adequacy", "Fluency", "Style"]]
    with pytest.raises(InputError) as refusal:
        formats.read(write(tmp_path / "t.csv", [*header, ["1", "3", "4", "5", "4"], ["2", "4", "4", "5", "4"]]))
    assert refusal.value.code == "nameless_column" and "such as Judge 1 Fluency" in refusal.value.next_step

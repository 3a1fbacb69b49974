from __future__ import annotations

from datetime import date
from pathlib import Path

import openpyxl
import polars as pl
import pytest

from lanner.errors import InputError
from lanner.formats.parsing.tables import guess_delimiter, open_rows, table_kind


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

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanner.corpus import sheet
from lanner.errors import InputError

ROWS = [
    {"document": "007", "row": "7.10", "source": "@user =1 – 한국어 😀"},
    {"document": "2024-03-01", "row": "7.1.2", "source": "'tis\nso", "note": "1,000"},
]


@pytest.mark.parametrize(
    "cell",
    [
        "7.10",
        "7.1.2",
        "007",
        "3/4",
        "1,000",
        "=1",
        "@a",
        "- so",
        "+1",
        "12:30",
        "TRUE",
        "50 %",
        "1e5",
        "12-Mar",
        "2024-03-01",
    ],
)
def test_what_a_spreadsheet_would_change_is_guarded(cell: str) -> None:
    assert sheet.guarded(cell) == f"'{cell}"


@pytest.mark.parametrize(
    "cell", ["", "It rained.", "3 gulls cried.", "24/7 they cry.", "1.The tide", "'tis", "e5", "trueish"]
)
def test_other_cells_are_left_alone(cell: str) -> None:
    assert sheet.guarded(cell) == cell


@given(st.text())
def test_back_and_forth(cell: str) -> None:
    assert sheet.bare(sheet.guarded(cell), cell) == cell


def test_a_table_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    sheet.save(path, lambda: ROWS, ("row",))
    assert path.read_bytes().startswith(b"\xef\xbb\xbfrow,document")
    back = sheet.load(path, ("document", "row"))
    assert [(row["document"], row["row"]) for row in back] == [("007", "7.10"), ("2024-03-01", "7.1.2")]
    assert [sheet.bare(row["note"]) for row in back] == ["", "1,000"]
    assert back[1]["source"] == "'tis\nso"


@pytest.mark.parametrize("mark", [";", "\t"])
def test_other_delimiters_and_line_ends(tmp_path: Path, mark: str) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(f"document{mark}row{mark}action\r\nd{mark}'7.10{mark}accept\r\n".encode())
    assert sheet.load(path, ("row",)) == [{"document": "d", "row": "7.10", "action": "accept"}]


def test_workbooks(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl", reason="the extra 'xlsx' is not installed")
    book = openpyxl.Workbook()
    book.active.append(["document", "row", "action"])
    book.active.append(["d", "'7.10", None])
    book.active.append([None, None, None])
    book.save(tmp_path / "t.xlsx")
    assert sheet.load(tmp_path / "t.xlsx", ("row",)) == [{"document": "d", "row": "7.10", "action": ""}]
    (tmp_path / "t.xlsx").write_bytes(b"PK\x03\x04nothing")
    with pytest.raises(InputError, match="cannot be read"):
        sheet.load(tmp_path / "t.xlsx")


def test_what_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(b"row\n\xff\xfe")
    for name in ("t.csv", "none.csv"):
        with pytest.raises(InputError, match="cannot be read"):
            sheet.load(tmp_path / name)

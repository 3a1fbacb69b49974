"""Sheets of a workbook: values as they were written, and files that would fill the memory refused."""

from __future__ import annotations

import struct
import zipfile
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from lanner.errors import InputError
from lanner.formats.parsing import textfile, workbooks
from lanner.formats.parsing.workbooks import Area, as_written, open_workbook


def book(path: Path, cells: dict[str, Any], merged: str = "") -> Path:
    written = openpyxl.Workbook()
    page = written.active
    for place, value in cells.items():
        page[place] = value
    if merged:
        page.merge_cells(merged)
    written.save(path)
    return path


def test_values_stand_where_they_were_written(tmp_path: Path) -> None:
    moments = [date(2024, 2, 1), datetime(2024, 2, 1, 3, 4), time(3, 4), timedelta(hours=30)]
    cells = {"B2": 1, "C2": 1.5, "D2": "  a \n b", "E2": True}
    cells |= dict(zip(("B4", "C4", "D4", "E4"), moments, strict=True))
    (sheet,) = open_workbook(book(tmp_path / "x.xlsx", cells, "B6:C7")).sheets
    rows = list(sheet.rows())
    assert rows[1] == [None, 1, 1.5, "  a \n b", True]
    assert isinstance(rows[1][1], int), "a number without a fraction is no 1.0"
    assert [as_written(cell) for cell in rows[3][1:]] == [
        "2024-02-01",
        "2024-02-01T03:04:00",
        "03:04:00",
        "1 day, 6:00:00",
    ]
    assert sheet.merged_cells == (Area(6, 2, 3, 7),)


def test_chart_sheets_are_no_tables(tmp_path: Path) -> None:
    written = openpyxl.Workbook()
    written.active["A1"] = "source"
    written.create_chartsheet("picture")
    written.save(tmp_path / "x.xlsx")
    assert [sheet.title for sheet in open_workbook(tmp_path / "x.xlsx").sheets] == ["Sheet"]


def test_errors_of_the_spreadsheet_are_counted(tmp_path: Path) -> None:
    opened = open_workbook(book(tmp_path / "x.xlsx", {"A1": "source", "A2": "#N/A", "B2": "#DIV/0!", "C2": "text"}))
    assert list(opened.sheets[0].rows())[1] == [None, None, "text"]
    assert "2 cells hold an error" in " ".join(opened.notes)


def test_ids_with_too_many_digits_are_said(tmp_path: Path) -> None:
    path = book(tmp_path / "x.xlsx", {"A1": "source", "A2": 12345})
    rewrite(path, "xl/worksheets/sheet1.xml", lambda xml: xml.replace(b"12345", b"12345678901234567890"))
    assert "1 number has more digits" in " ".join(open_workbook(path).notes)


def rewrite(path: Path, name: str, change: Any) -> None:
    with zipfile.ZipFile(path) as archive:
        entries = {entry: archive.read(entry) for entry in archive.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for entry, content in entries.items():
            archive.writestr(entry, change(content) if entry == name else content)


@pytest.mark.parametrize("place", ["XFD1048576", "AAA900000"])
def test_one_cell_far_out_does_not_fill_the_memory(tmp_path: Path, place: str) -> None:
    with pytest.raises(InputError, match="too large to be read at once") as caught:
        open_workbook(book(tmp_path / "x.xlsx", {"A1": "source", place: "far"}))
    assert "CSV" in str(caught.value.next_step)


def test_a_cell_in_the_last_row_of_a_narrow_table_is_read(tmp_path: Path) -> None:
    path = book(tmp_path / "x.xlsx", {"A1": "source", "B1048576": "far"})
    assert open_workbook(path).sheets[0]._cells.total_height > 1_000_000


def test_a_bomb_is_refused_whatever_size_it_states(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(textfile, "EXPANSION_FREE", 1_000_000)
    path = book(tmp_path / "x.xlsx", {"A1": "source"})
    rewrite(path, "xl/worksheets/sheet1.xml", lambda xml: xml + b" " * 5_000_000)
    with pytest.raises(InputError, match="unpacks to more"):
        open_workbook(path)
    content = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        entry = archive.getinfo("xl/worksheets/sheet1.xml")
    stated = struct.pack("<I", entry.file_size)
    assert stated in content
    path.write_bytes(bytes(content).replace(stated, struct.pack("<I", 1000)))
    with pytest.raises(InputError, match="unpacks to more"):
        open_workbook(path)


def test_progress_of_rows_is_reported(tmp_path: Path) -> None:
    path = book(tmp_path / "x.xlsx", {f"A{n}": f"text {n}" for n in range(1, 3001)})
    sizes: list[int] = []
    with textfile.watched(sizes.append):
        assert len(list(open_workbook(path).sheets[0].rows())) == 3000
    assert len(sizes) == 3000 // workbooks._ROWS_AT_A_TIME
    assert sum(sizes) == pytest.approx(path.stat().st_size, rel=0.01)


@pytest.mark.parametrize("content", [b"PK\x03\x04" + b"\0" * 50, b"PK\x03\x04", b"nothing"])
def test_what_is_no_workbook_is_an_input_error(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.xlsx").write_bytes(content)
    with pytest.raises(InputError, match="spreadsheet cannot be read"):
        open_workbook(tmp_path / "x.xlsx")


def test_an_archive_without_a_workbook_is_an_input_error(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.xlsx", "w") as archive:
        archive.writestr("a.txt", "nothing")
    with pytest.raises(InputError, match="spreadsheet"):
        open_workbook(tmp_path / "x.xlsx")


_ODS = (
    '<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" office:version="1.2"><office:body>'
    '<office:spreadsheet><table:table table:name="S">{rows}</table:table></office:spreadsheet></office:body>'
    "</office:document-content>"
)


def open_document(path: Path, rows: str) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("content.xml", _ODS.format(rows=rows))
        archive.writestr("META-INF/manifest.xml", "<manifest/>")
    return path


def ods_cell(kind: str, value: float, repeated: int = 1) -> str:
    times = f' table:number-columns-repeated="{repeated}"' if repeated > 1 else ""
    attributes = f'{times} office:value-type="{kind}" office:value="{value}"'
    return f"<table:table-cell{attributes}><text:p>x</text:p></table:table-cell>"


def test_cells_of_an_open_document_are_read_as_shown_in_percent(tmp_path: Path) -> None:
    """In a row that stands for two, after a cell that stands for two, and nowhere else."""
    plain = f"<table:table-row>{ods_cell('float', 0.5, 4)}</table:table-row>"
    cells = ods_cell("float", 0.25, 2) + ods_cell("percentage", 0.55) + ods_cell("percentage", 0.1)
    rows = f'{plain}<table:table-row table:number-rows-repeated="2">{cells}</table:table-row>{plain}'
    workbook = open_workbook(open_document(tmp_path / "x.ods", rows))
    assert list(workbook.sheets[0].rows()) == [[0.5] * 4, [0.25, 0.25, 55, 10], [0.25, 0.25, 55, 10], [0.5] * 4]
    assert workbook.notes == ("Cells shown in percent are read as shown: 0.55 as 55.",)


def test_percentages_without_end_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workbooks, "PERCENTAGES_AT_MOST", 5)
    path = open_document(tmp_path / "x.ods", f"<table:table-row>{ods_cell('percentage', 0.5, 6)}</table:table-row>")
    with pytest.raises(InputError, match="Too many cells are shown in percent"):
        open_workbook(path)

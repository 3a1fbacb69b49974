"""The sheets of a workbook (xlsx, ods) as rows of values.

The rows come from a compiled reader, which takes seconds for half a million of them. It lays a sheet out as a full
rectangle in memory, so a workbook is measured first: one cell far out, or a few kilobytes that unpack to gigabytes,
are refused before anything is laid out.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

from lanner.errors import MissingExtraError
from lanner.formats.parsing import textfile

CELLS_AT_MOST = 30_000_000
"""Cells of the rectangle that a sheet fills, empty ones among them: about one gigabyte."""
_WRITTEN_OUT = 1e21
"""Whole numbers up to here are written out."""
_ROWS_AT_A_TIME = 1000
_CELL = re.compile(rb"""\sr=["']([A-Za-z]{1,4})([0-9]{1,9})["']""")
_REPEATED = re.compile(
    rb"""<table:table-(row|cell)\b[^>]{0,300}:number-(?:rows|columns)-repeated=["']([0-9]{1,9})["'][^>]{0,300}(?<!/)>"""
)
"""Rows and cells with content that stand for many, in an OpenDocument spreadsheet."""
_ERROR = re.compile(rb"""\st=["']e["']""")
_LONG_NUMBER = re.compile(rb"<v>[0-9]{16,40}</v>")
_OVERLAP = 60
"""Bytes of a chunk that are looked at again with the next one."""
_SAVE_AGAIN = "Save it as xlsx or CSV."


@dataclass(frozen=True, slots=True)
class Area:
    """Merged cells, counted from 1."""

    top: int
    left: int
    right: int
    bottom: int


@dataclass(frozen=True, slots=True)
class Workbook:
    """The sheets of a file, and what is odd about their cells."""

    sheets: tuple[Sheet, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sheet:
    """One sheet: its title, its merged cells and its rows."""

    title: str
    merged: tuple[Area, ...]
    _cells: Any
    _bytes: int
    """How much of the file it stands for, for a bar that shows how far a long reading is."""

    def rows(self) -> Iterator[list[Any]]:
        """Every row from the first one of the sheet on; an empty cell is None."""
        share = self._bytes / max(1, self._cells.total_height)
        empty_columns = [None] * (self._cells.start or (0, 0))[1]
        for number, row in enumerate(self._cells.iter_rows(), 1):
            if number % _ROWS_AT_A_TIME == 0:
                textfile.report_progress(int(share * _ROWS_AT_A_TIME))
            yield [*empty_columns, *(_value(cell) for cell in row)]


def open_workbook(path: Path, title: str = "") -> Workbook:
    """A workbook with its sheets, or with the one of this title."""
    try:
        from python_calamine import CalamineError, CalamineWorkbook, SheetTypeEnum
    except ImportError as error:
        raise MissingExtraError("Reading spreadsheets", "xlsx") from error
    errors, long_numbers = _inspect(path)
    try:
        with CalamineWorkbook.from_path(path) as book:
            titles = [sheet.name for sheet in book.sheets_metadata if sheet.typ == SheetTypeEnum.WorkSheet]
            if title and title not in titles:
                textfile.failed(path, f"There is no sheet {title!r}.", next_step=f"Sheets: {', '.join(titles)}.")
            pages = [book.get_sheet_by_name(name) for name in ([title] if title else titles)]
    except (CalamineError, OSError, ValueError) as error:
        textfile.failed(path, f"The spreadsheet cannot be read: {error}.", next_step=_SAVE_AGAIN)
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # how compiled code ends on what it did not foresee
            raise
        textfile.failed(path, "The spreadsheet is damaged.", next_step=_SAVE_AGAIN)
    height = max(1, sum(page.total_height for page in pages))
    size = path.stat().st_size
    sheets = (Sheet(page.name, _areas(page), page, size * page.total_height // height) for page in pages)
    notes = []
    if errors:
        notes.append(f"{errors} cells hold an error of the spreadsheet, such as #N/A, and are read as empty.")
    if long_numbers:
        notes.append(f"{long_numbers} numbers have more digits than a spreadsheet keeps: write ids as text.")
    return Workbook(tuple(sheets), tuple(notes))


def _areas(page: Any) -> tuple[Area, ...]:
    ranges = page.merged_cell_ranges or ()
    return tuple(Area(top + 1, left + 1, right + 1, bottom + 1) for (top, left), (bottom, right) in ranges)


def _value(cell: Any) -> Any:
    if cell == "":
        return None
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < _WRITTEN_OUT:
        return int(cell)
    return cell


def as_written(value: Any) -> Any:
    """A date or a time as text; anything else as it is."""
    if isinstance(value, datetime) and value.time() == time():
        return value.date().isoformat()
    if isinstance(value, timedelta):
        return str(value)
    return value.isoformat() if isinstance(value, date | datetime | time) else value


def _inspect(path: Path) -> tuple[int, int]:
    """How many cells hold an error, and how many a number that is too long. What would fill the memory is refused; the
    sizes that a file states about itself are not relied on."""
    limit = max(textfile.EXPANSION_FREE, textfile.EXPANSION_LIMIT * path.stat().st_size)
    unpacked = errors = long_numbers = 0
    try:
        with zipfile.ZipFile(path) as archive:
            for entry in archive.infolist():
                columns, last_row, tail = 0, 0, b""
                repeats = {b"row": 1, b"cell": 1}
                for chunk in _unpacked(path, entry):
                    unpacked += len(chunk)
                    if unpacked > limit:
                        raise textfile.too_large(path, limit)
                    if entry.filename == "content.xml":  # of an OpenDocument spreadsheet
                        for kind, times in _REPEATED.findall(tail + chunk):
                            repeats[kind] = max(repeats[kind], int(times))
                        tail = chunk[-600:]
                    if not entry.filename.startswith("xl/worksheets/"):
                        continue
                    data = tail + chunk
                    if references := _CELL.findall(data):
                        columns = max(columns, *(_column(letters) for letters in {name for name, _ in references}))
                        last_row = max(last_row, *(int(digits) for digits in {digits for _, digits in references}))
                    errors += len(_ERROR.findall(data)) - len(_ERROR.findall(tail))
                    long_numbers += len(_LONG_NUMBER.findall(data)) - len(_LONG_NUMBER.findall(tail))
                    tail = data[-_OVERLAP:]
                if entry.filename == "content.xml":
                    columns, last_row = repeats[b"cell"], repeats[b"row"]
                if columns * last_row > CELLS_AT_MOST:
                    textfile.failed(
                        path,
                        f"A sheet reaches to column {columns:,} and row {last_row:,}, too large to be read at once.",
                        next_step="Delete what stands far from the table, or save it as CSV.",
                        code="too_wide",
                    )
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, ValueError) as error:
        textfile.failed(path, f"The spreadsheet cannot be read: {error}.", next_step=_SAVE_AGAIN)
    return errors, long_numbers


def _unpacked(path: Path, entry: zipfile.ZipInfo) -> Iterator[bytes]:
    """What an entry of an archive really unpacks to, whatever size it states."""
    with path.open("rb") as file:
        file.seek(entry.header_offset + 26)
        name_and_extra = int.from_bytes(file.read(2), "little") + int.from_bytes(file.read(2), "little")
        file.seek(name_and_extra, 1)
        left = entry.compress_size
        unpack = zlib.decompressobj(-zlib.MAX_WBITS)
        while left > 0 and not unpack.eof and (data := file.read(min(left, textfile.MIB))):
            left -= len(data)
            if entry.compress_type == zipfile.ZIP_STORED:
                yield data
                continue
            while data and not unpack.eof:
                yield unpack.decompress(data, textfile.MIB)
                data = unpack.unconsumed_tail


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters.upper():
        number = number * 26 + letter - 64
    return number

"""The sheets of a workbook (xlsx, ods) as rows of values, and the tables of a document (docx, HTML) as rows of texts.

The rows come from a compiled reader, which takes seconds for half a million of them. It lays a sheet out as a full
rectangle in memory, so a workbook is measured first: one cell far out, or a few kilobytes that unpack to gigabytes,
are refused before anything is laid out.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import IO, Any

from lxml import etree

from lanner.errors import MissingExtraError
from lanner.formats.parsing import textfile
from lanner.formats.parsing.xml import SAFELY
from lanner.model.messages import in_number

CELLS_AT_MOST = 30_000_000
"""Cells of the rectangle that a sheet fills, empty ones among them: about one gigabyte."""
PERCENTAGES_AT_MOST = 2_000_000
"""Cells of a sheet shown in percent, each of which is remembered."""
_WRITTEN_OUT = 1e21
"""Whole numbers up to here are written out."""
_ROWS_AT_A_TIME = 1000
_CELL = re.compile(rb"""\sr=["']([A-Za-z]{1,4})([0-9]{1,9})["']""")
_REPEATED = re.compile(
    rb"""<table:table-(row|cell)\b[^>]{0,300}:number-(?:rows|columns)-repeated=["']([0-9]{1,9})["'][^>]{0,300}(?<!/)>"""
)
"""Rows and cells with content that stand for many, in an OpenDocument spreadsheet."""
_STYLED_CELL = re.compile(rb"""<c\sr=["']([A-Za-z]{1,4})([0-9]{1,9})["'][^<>]{0,40}?\ss=["']([0-9]{1,6})["']""")
_ODDITIES = {
    (
        "{n} cell holds an error of the spreadsheet, such as #N/A, and is read as empty.",
        "{n} cells hold an error of the spreadsheet, such as #N/A, and are read as empty.",
    ): re.compile(rb"""\st=["']e["']"""),
    (
        "{n} number has more digits than a spreadsheet keeps: write ids as text.",
        "{n} numbers have more digits than a spreadsheet keeps: write ids as text.",
    ): re.compile(rb"<v>[0-9]{16,40}</v>"),
    (
        "{n} cell holds a formula without its value and is read as empty: open the file in a spreadsheet and save it.",
        "{n} cells hold formulas without their values and are read as empty: open the file in a spreadsheet and save "
        "it.",
    ): re.compile(
        rb"""<c\s(?:(?!\st=["']str)[^<>]){0,80}>\s?<f[^<>]{0,80}>[^<>]{0,300}</f>\s?(?:<v>\s?</v>|<v\s?/>)?\s?</c>"""
    ),
    (
        "{n} hidden row is read like the others.",
        "{n} hidden rows are read like the others.",
    ): re.compile(rb"""<row\s[^<>]{0,200}?\shidden=["'](?:1|true)["']"""),
}
"""What may be odd about cells and rows: what is said of one and of several, and how it looks in the file."""
_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_OVERLAP = 600
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
    merged_cells: tuple[Area, ...]
    percentages: frozenset[tuple[int, int]]
    """Cells shown in percent, by row and column from 1: 0.55 in them is read as 55, as it is in a CSV file."""
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
            values = [*empty_columns, *(_value(cell) for cell in row)]
            if self.percentages:
                for at, value in enumerate(values, 1):
                    if isinstance(value, int | float) and (number, at) in self.percentages:
                        values[at - 1] = _value(round(value * 100.0, 10))
            yield values


def open_workbook(path: Path, title: str = "") -> Workbook:
    """A workbook with its sheets, or with the one of this title."""
    try:
        from python_calamine import CalamineError, CalamineWorkbook, SheetTypeEnum, SheetVisibleEnum
    except ImportError as error:
        raise MissingExtraError("Reading spreadsheets", "xlsx") from error
    oddities = _inspect(path)
    try:
        with CalamineWorkbook.from_path(path) as book:
            worksheets = [sheet for sheet in book.sheets_metadata if sheet.typ == SheetTypeEnum.WorkSheet]
            titles = [sheet.name for sheet in worksheets]
            if title and title not in titles:
                textfile.failed(path, f"There is no sheet {title!r}.", next_step=f"Sheets: {', '.join(titles)}.")
            visible = [sheet.name for sheet in worksheets if sheet.visible == SheetVisibleEnum.Visible]
            pages = [book.get_sheet_by_name(name) for name in ([title] if title else visible or titles)]
    except (CalamineError, OSError, ValueError) as error:
        textfile.failed(path, f"The spreadsheet cannot be read: {error}.", next_step=_SAVE_AGAIN)
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # how compiled code ends on what it did not foresee
            raise
        textfile.failed(path, "The spreadsheet is damaged.", next_step=_SAVE_AGAIN)
    height = max(1, sum(page.total_height for page in pages))
    size = path.stat().st_size
    percentages = _percentages(path)
    sheets = tuple(
        Sheet(
            page.name,
            _areas(page),
            percentages.get(page.name, frozenset()),
            page,
            size * page.total_height // height,
        )
        for page in pages
    )
    notes = []
    if any(sheet.percentages for sheet in sheets):
        notes.append("Cells shown in percent are read as shown: 0.55 as 55.")
    if hidden_sheets := [name for name in titles if name not in visible] if visible and not title else []:
        notes.append(f"Hidden sheets are left out: {', '.join(hidden_sheets)}. --option sheet=NAME reads one.")
    notes += [in_number(oddities[sentences], *sentences) for sentences in _ODDITIES if oddities[sentences]]
    return Workbook(sheets, tuple(notes))


def _percentages(path: Path) -> dict[str, frozenset[tuple[int, int]]]:
    """The cells of each sheet that the workbook shows in percent, which the reader of values does not tell."""
    try:
        with zipfile.ZipFile(path) as archive:
            if "content.xml" in archive.namelist():
                with archive.open("content.xml") as file:
                    return {title: frozenset(cells) for title, cells in _shown_in_percent(path, file)}
            if "xl/styles.xml" not in archive.namelist():
                return {}
            styles = _percent_styles(etree.fromstring(archive.read("xl/styles.xml"), etree.XMLParser(**SAFELY)))
            if not styles:
                return {}
            cells = {}
            for title, entry in _sheet_files(archive).items():
                with archive.open(entry) as file:
                    cells[title] = frozenset(_cells_with(styles, file))
            return cells
    except (KeyError, zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, etree.XMLSyntaxError):
        return {}  # the reader of values says what is wrong with the file


def _shown_in_percent(path: Path, file: IO[bytes]) -> Iterator[tuple[str, set[tuple[int, int]]]]:
    """The sheets of an OpenDocument spreadsheet, each with its cells that are shown in percent. An element may stand
    for many equal cells or rows."""
    cells: set[tuple[int, int]] = set()
    row = column = 0
    for event, element in etree.iterparse(file, events=("start", "end"), **SAFELY):
        kind = etree.QName(element).localname
        if event == "start" and kind == "table":
            cells, row = set(), 0
        elif event == "start" and kind == "table-row":
            column = 0
        elif event == "end" and kind in ("table-cell", "covered-table-cell"):
            times = _repeats(element, "columns")
            if element.get(f"{_OFFICE}value-type") == "percentage":
                own_row = element.getparent()
                rows = range(row + 1, row + 1 + (1 if own_row is None else _repeats(own_row, "rows")))
                if len(cells) + len(rows) * times > PERCENTAGES_AT_MOST:
                    textfile.failed(path, "Too many cells are shown in percent to be read.", next_step=_SAVE_AGAIN)
                cells |= {(number, at) for number in rows for at in range(column + 1, column + 1 + times)}
            column += times
        elif event == "end" and kind == "table-row":
            row += _repeats(element, "rows")
            element.clear()
        elif event == "end" and kind == "table":
            yield element.get(f"{_TABLE}name", ""), cells


def _repeats(element: etree._Element, kind: str) -> int:
    return int(element.get(f"{_TABLE}number-{kind}-repeated", "1"))


def _percent_styles(root: etree._Element) -> set[bytes]:
    """The numbers of the cell styles whose number format is a percentage."""
    formats = {entry.get("numFmtId") for entry in root.iter("{*}numFmt") if "%" in entry.get("formatCode", "")}
    formats |= {"9", "10"}  # 0% and 0.00%, which every spreadsheet has
    styles = root.find("{*}cellXfs")
    entries = [] if styles is None else list(styles.iter("{*}xf"))
    return {str(at).encode() for at, entry in enumerate(entries) if entry.get("numFmtId") in formats}


def _sheet_files(archive: zipfile.ZipFile) -> dict[str, str]:
    """The file of each sheet by its title."""
    links = etree.fromstring(archive.read("xl/_rels/workbook.xml.rels"), etree.XMLParser(**SAFELY))
    targets = {entry.get("Id"): entry.get("Target", "") for entry in links.iter("{*}Relationship")}
    book = etree.fromstring(archive.read("xl/workbook.xml"), etree.XMLParser(**SAFELY))
    files = {}
    for sheet in book.iter("{*}sheet"):
        key = next((value for name, value in sheet.attrib.items() if str(name).endswith("}id")), "")
        target = targets.get(key, "")
        files[sheet.get("name", "")] = target.removeprefix("/") if target.startswith("/") else f"xl/{target}"
    return files


def _cells_with(styles: set[bytes], file: IO[bytes]) -> Iterator[tuple[int, int]]:
    tail = b""
    while chunk := file.read(textfile.MIB):
        data = tail + chunk
        end = data.rfind(b"<c ")
        tail = data[end:] if end >= 0 else b""
        for letters, digits, style in _STYLED_CELL.findall(data if end < 0 else data[:end]):
            if style in styles:
                yield int(digits), _column(letters)
    for letters, digits, style in _STYLED_CELL.findall(tail):
        if style in styles:
            yield int(digits), _column(letters)


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


def _inspect(path: Path) -> Counter[tuple[str, str]]:
    """How often something is odd about cells and rows. What would fill the memory is refused; the sizes that a file
    states about itself are not relied on."""
    limit = textfile.expansion_limit(path)
    unpacked_size = 0
    oddities: Counter[tuple[str, str]] = Counter()
    try:
        with zipfile.ZipFile(path) as archive:
            for entry in archive.infolist():
                columns, last_row, tail = 0, 0, b""
                repeats = {b"row": 1, b"cell": 1}
                for chunk in _unpack(path, entry):
                    unpacked_size += len(chunk)
                    if unpacked_size > limit:
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
                    for sentences, pattern in _ODDITIES.items():
                        oddities[sentences] += len(pattern.findall(data)) - len(pattern.findall(tail))
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
    return oddities


def _unpack(path: Path, entry: zipfile.ZipInfo) -> Iterator[bytes]:
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


# Tables in text documents, as CAT tools export them for review

_DOCX = "word/document.xml"
_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


def is_docx(path: Path) -> bool:
    """Whether an archive is a document of Word."""
    try:
        with zipfile.ZipFile(path) as archive:
            return _DOCX in archive.namelist()
    except (zipfile.BadZipFile, OSError):
        return False


def word_tables(path: Path) -> list[list[list[str]]]:
    """The cells' text, table by table; what was deleted in revision is not there, what was inserted is."""
    limit = textfile.expansion_limit(path)
    try:
        with zipfile.ZipFile(path) as archive, archive.open(_DOCX) as stream:
            data = stream.read(limit + 1)
        if len(data) > limit:
            raise textfile.too_large(path, limit)
        root = etree.fromstring(data, etree.XMLParser(**SAFELY))
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, etree.XMLSyntaxError) as error:
        textfile.failed(path, f"The document cannot be read: {error}.", next_step="Save it as docx again, or as CSV.")
    return [
        [[_cell_text(cell) for cell in row.iterfind(f"{_WORD}tc")] for row in table.iterfind(f"{_WORD}tr")]
        for table in root.iter(f"{_WORD}tbl")
    ]


HTML_TABLE = re.compile(r"<(?:table|tr)[\s>]", re.I)
"""How a table begins in a page."""


def html_tables(path: Path) -> list[list[list[str]]]:
    """The tables of a page, or of a `.xls` file that is one in truth, as some tools export."""
    with textfile.opened(path) as stream:
        data = stream.read()
    parser = etree.HTMLParser(no_network=True, huge_tree=False, encoding="utf-8")
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        textfile.failed(path, f"The page cannot be read: {error}.", next_step="Save the table as CSV.")
    tables = [] if root is None else [table for table in root.iter("table") if table.find(".//table") is None]
    return [
        [["".join(cell.itertext()).strip() for cell in row.iter("th", "td")] for row in table.iter("tr")]
        for table in tables
    ]


def _cell_text(cell: Any) -> str:
    marks = {f"{_WORD}t": None, f"{_WORD}tab": "\t", f"{_WORD}br": "\n"}
    paragraphs = [
        "".join((part.text or "") if marks[part.tag] is None else str(marks[part.tag]) for part in p.iter(*marks))
        for p in cell.iterfind(f"{_WORD}p")
    ]
    return "\n".join(paragraphs).strip()

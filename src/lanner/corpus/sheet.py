"""A table on its way through a spreadsheet program and back, unharmed.

Spreadsheets run "=…" and "@name" as formulas, turn the row 7.10 into 7.1 and 3/4 into a date, take UTF-8 without a mark
for something else, and save with semicolons in half of Europe. So such cells carry an apostrophe, the file a byte order
mark, and reading takes any of the delimiters, or an xlsx file.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from lanner.errors import InputError, MissingExtraError, Where

_MARK = "'"
_TAKEN = re.compile(
    r"[=+\-@\t\r]|[\d.,:/%$€£\s-]+$|\d+[./-][\w./:-]+$|\d+e\d+$|(?:true|false|wahr|falsch|vrai|faux)$", re.IGNORECASE
)
"""What a spreadsheet takes for a formula, a number, a date or a truth value."""
_ZIP = b"PK\x03\x04"
_DELIMITERS = ",;\t"


def guarded(cell: str) -> str:
    """The cell as a spreadsheet leaves it alone."""
    return _MARK + cell if cell and _TAKEN.match(cell) else cell


def bare(cell: str, own: str = "") -> str:
    """The cell without the apostrophe that kept it; `own` is the text it had, which may begin with one itself."""
    kept = cell[:1] == _MARK and bool(_TAKEN.match(cell[1:])) and own[:2] != cell[:2]
    return cell[1:] if kept else cell


def save(path: Path, lines: Callable[[], Iterable[Mapping[str, str]]], first: Iterable[str] = ()) -> None:
    """Write a table as CSV, whole or not at all. `lines` is gone through twice: for the columns, then for the rows, so
    that a long table needs no memory."""
    columns = list(dict.fromkeys((*first, *(column for line in lines() for column in line))))
    part = path.with_name(f".{path.name}.part")
    try:
        with part.open("w", encoding="utf-8-sig", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(columns)
            for line in lines():
                writer.writerow([guarded(line.get(column, "")) for column in columns])
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def load(path: Path, ids: Iterable[str] = ()) -> list[dict[str, str]]:
    """The rows of a table that a person saved, as CSV or xlsx. Cells of the columns `ids` lose their apostrophe; what
    other cells had before is known to whoever asks."""
    try:
        with path.open("rb") as file:
            packed = file.read(4) == _ZIP
        rows = _workbook(path) if packed else _delimited(path)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(
            f"The corrected list cannot be read: {error}.", where=Where(path), next_step="Save it as CSV UTF-8 or xlsx."
        ) from error
    for row in rows:
        row.update({column: bare(row[column]) for column in ids if column in row})
    return rows


def _delimited(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        header = file.readline()
        file.seek(0)
        delimiter = max(_DELIMITERS, key=header.count)
        reader = csv.DictReader(file, delimiter=delimiter)
        return [{str(column): cell or "" for column, cell in row.items() if column is not None} for row in reader]


def _workbook(path: Path) -> list[dict[str, str]]:
    try:
        import openpyxl
    except ImportError as error:
        raise MissingExtraError("Reading spreadsheets", "xlsx") from error
    try:
        book: Any = openpyxl.load_workbook(path, data_only=True)
    except Exception as error:  # the library raises whatever its parsers raise
        raise InputError(f"The spreadsheet cannot be read: {error}.", where=Where(path)) from error
    lines = book.worksheets[0].iter_rows(values_only=True)
    header = ["" if cell is None else str(cell) for cell in next(lines, ())]
    rows = (dict(zip(header, ("" if cell is None else str(cell) for cell in line), strict=False)) for line in lines)
    return [row for row in rows if any(row.values())]

"""Rows of a table, whatever file it lies in: CSV, TSV, JSON lines, a JSON list, Parquet or a spreadsheet."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time
from itertools import chain, islice
from pathlib import Path
from typing import Any

import polars as pl

from lanner.errors import InputError, MissingExtraError, Where
from lanner.formats.parsing import textfile
from lanner.model.cells import bare

_DELIMITERS = "\t,;|"
_SAMPLE = 1000
_BATCH = 20_000
_OURS = ({"absent", "document_meta", "segment_meta"}, {"judge", "judge_kind", "stage", "question", "answered_at"})
"""Columns of tables that we wrote (texts, judgements): only there is an apostrophe before a formula not the text's."""


@dataclass(slots=True)
class Rows:
    """The header, the rows as (line, values, what the header does not have), and what was noticed on the way."""

    header: list[str]
    rows: Iterable[tuple[int, Sequence[Any], dict[str, Any]]]
    notes: list[str] = field(default_factory=list)
    typed: bool = False
    """Whether an empty cell differs from an empty text."""


def kind_of(path: Path) -> str:
    """csv, jsonl, json, parquet or xlsx, by content; "" if it is no table."""
    if not path.is_file():
        return ""
    start = textfile.magic(path)
    if start == b"PAR1":
        return "parquet"
    if textfile.is_zip(path):
        return "xlsx"
    text = textfile.head(path).lstrip()
    if text.startswith("{"):
        return "jsonl"
    if text.startswith("["):
        return "json" if re.match(r"\[\s*\{", text) else ""
    return "csv" if text and not text.startswith("<") else ""


def open_rows(path: Path, *, delimiter: str = "", quotes: str = "", sheet: str = "") -> Rows:
    """The rows of a table file."""
    match kind_of(path):
        case "csv":
            return _delimited(path, delimiter, quotes)
        case "jsonl":
            return _objects(path, textfile.json_lines(path))
        case "json":
            return _objects(path, enumerate(_listed(path), 1))
        case "parquet":
            return _parquet(path)
        case "xlsx":
            return _spreadsheet(path, sheet)
        case _:
            raise InputError(
                "This is no table.", where=Where(path), next_step="Tables are CSV, TSV, JSON lines, Parquet and xlsx."
            )


def guess_delimiter(path: Path) -> str:
    """The delimiter that the header line has most of; a tab wins a draw."""
    first = textfile.head(path).partition("\n")[0]
    return max(_DELIMITERS, key=first.count)


def _delimited(path: Path, delimiter: str, quotes: str) -> Rows:
    mark = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";"}.get(delimiter, delimiter) or guess_delimiter(path)
    notes = []
    quoted = quotes == "yes" or (quotes != "no" and mark != "\t")
    if mark == "\t" and not quotes:
        # Files of the field hold bare quotation marks, spreadsheets quote: the header tells which it is.
        quoted = textfile.head(path).startswith('"')
        notes.append(f"Quotation marks are {'removed around cells' if quoted else 'text'} (quotes=yes or no).")
    rows = textfile.rows(path, mark, quoted)
    _, header = next(rows, (1, []))
    header = _checked_header(path, [name.removesuffix("\r").strip() for name in header])
    width = len(header)
    ours = any(marks <= set(header) for marks in _OURS)

    def checked() -> Iterator[tuple[int, Sequence[Any], dict[str, Any]]]:
        for line, row in rows:
            if len(row) != width:
                if len(row) < width or any(cell.strip() for cell in row[width:]):
                    textfile.failed(
                        path,
                        f"This row has {len(row)} cells, the header has {width}.",
                        line,
                        "Check quotation marks and delimiters, or say quotes=yes or quotes=no.",
                        code="ragged",
                        cells=len(row),
                        width=width,
                    )
                row = row[:width]  # noqa: PLW2901 - empty cells beyond the header are no content
            if not quoted and row[-1].endswith("\r"):
                row[-1] = row[-1][:-1]
            yield line, [bare(cell) for cell in row] if ours else row, {}

    return Rows(header, checked(), notes)


def _checked_header(path: Path, header: list[str]) -> list[str]:
    while header and not header[-1]:
        header.pop()
    if not header:
        textfile.failed(path, "The table has no header.", 1, "The first row must name the columns.", code="no_header")
    for position, name in enumerate(header, 1):
        if not name:
            said = f"Column {position} has no name."
            textfile.failed(path, said, 1, "Name every column in the first row.", code="nameless_column", n=position)
        if header.index(name) < position - 1:
            said = f"Two columns are called {name!r}."
            textfile.failed(path, said, 1, "Rename one of them.", code="column_twice", name=name)
    return header


def _listed(path: Path) -> list[Any]:
    value = textfile.json_whole(path)
    if not isinstance(value, list):
        textfile.failed(path, "A list of objects was expected.")
    return value


def _objects(path: Path, values: Iterable[tuple[int, Any]]) -> Rows:
    """Rows from JSON objects; one level of nesting becomes columns such as `outputs.GPT-4`."""

    def flat() -> Iterator[tuple[int, dict[str, Any]]]:
        for line, value in values:
            if not isinstance(value, dict):
                textfile.failed(path, "Each row must be a JSON object.", line)
            yield line, _flattened(value)

    entries = flat()
    sample = list(islice(entries, _SAMPLE))
    header = _checked_header(path, list(dict.fromkeys(key for _, entry in sample for key in entry)))
    known = set(header)

    def checked() -> Iterator[tuple[int, Sequence[Any], dict[str, Any]]]:
        for line, entry in chain(sample, entries):
            yield line, [entry.get(name) for name in header], {k: v for k, v in entry.items() if k not in known}

    return Rows(header, checked(), typed=True)


_NESTED = re.compile(r"^(outputs?|systems?|hyps?|tgt|targets?|translations?|ref(erence)?s?)$", re.I)


def _flattened(value: dict[str, Any]) -> dict[str, Any]:
    if not any(isinstance(part, dict | list) and _NESTED.match(key) for key, part in value.items()):
        return value
    flat: dict[str, Any] = {}
    for key, part in value.items():
        if isinstance(part, dict) and _NESTED.match(key):
            flat |= {f"{key}.{name}": text for name, text in part.items()}
        elif isinstance(part, list) and _NESTED.match(key):
            flat |= {f"{key}.{position}": text for position, text in enumerate(part)}
        else:
            flat[key] = part
    return flat


def _parquet(path: Path) -> Rows:
    try:
        lazy = pl.scan_parquet(path)
        header = lazy.collect_schema().names()
        total = lazy.select(pl.len()).collect().item()
    except (pl.exceptions.PolarsError, OSError) as error:
        textfile.failed(path, f"The Parquet file cannot be read: {error}.")

    def batches() -> Iterator[tuple[int, Sequence[Any], dict[str, Any]]]:
        for begin in range(0, total, _BATCH):
            try:
                frame = lazy.slice(begin, _BATCH).collect()
            except (pl.exceptions.PolarsError, OSError) as error:
                textfile.failed(path, f"The Parquet file is damaged: {error}.", begin + 1)
            for number, row in enumerate(frame.iter_rows(), begin + 1):
                yield number, row, {}

    return Rows(_checked_header(path, header), batches(), typed=True)


def _spreadsheet(path: Path, sheet: str) -> Rows:
    try:
        import openpyxl
    except ImportError as error:
        raise MissingExtraError("Reading spreadsheets", "xlsx") from error
    notes: list[str] = []
    try:
        with path.open("rb") as file:
            book = openpyxl.load_workbook(file, read_only=False, data_only=True)
    except Exception as error:  # the library raises whatever its parsers raise
        textfile.failed(path, f"The spreadsheet cannot be read: {error}.")
    if sheet and sheet not in book.sheetnames:
        textfile.failed(path, f"There is no sheet {sheet!r}.", next_step=f"Sheets: {', '.join(book.sheetnames)}.")
    page = book[sheet] if sheet else book.worksheets[0]
    if len(book.sheetnames) > 1 and not sheet:
        notes.append(f"Read sheet {page.title!r} of {', '.join(book.sheetnames)} (sheet=NAME for another).")
    rows = page.iter_rows(values_only=True)
    header = _checked_header(path, ["" if cell is None else str(cell).strip() for cell in next(rows, ())])
    width = len(header)
    dates = sum(isinstance(cell, date | time) for row in page.iter_rows(min_row=2, values_only=True) for cell in row)
    if dates:
        notes.append(f"{dates} cells are dates: a spreadsheet may have made them from other text.")

    def checked() -> Iterator[tuple[int, Sequence[Any], dict[str, Any]]]:
        for line, row in enumerate(rows, 2):
            if any(cell is not None for cell in row[width:]):
                textfile.failed(path, "A cell lies under no column name.", line)
            cells = [_cell(value) for value in row[:width]]
            if any(cell is not None for cell in cells):
                yield line, cells + [None] * (width - len(cells)), {}

    return Rows(header, checked(), notes)


def _cell(value: Any) -> Any:
    return value.isoformat() if isinstance(value, date | datetime | time) else value

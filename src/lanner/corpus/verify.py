"""Doubtful rows as a table that a person corrects in any spreadsheet, and the table read back as edits.

Every doubtful row is shown with all rows of its segment, since the text it lacks is next to it. A person may write
`accept` or `merge` (with the row below) in the column `action`, put the mark ‖ into each text where a row is to be
split, or move words from one cell to the next. Nothing can get lost: each text of a segment must come
back with the same characters in the same order.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from lanner.corpus.edits import Edit, apply_to_document, join_rows, parent
from lanner.corpus.rows import SOURCE, Doubt, texts
from lanner.corpus.split import borders, solid
from lanner.errors import InputError, MissingExtraError, Where, did_you_mean
from lanner.model import Document, Segment

MARK = "‖"
FIXED = ("document", "row", "doubt", "action")
_ACTIONS = ("", "accept", "merge")


def table(documents: Iterable[Document], doubts: Iterable[Doubt]) -> Iterator[dict[str, str]]:
    """The rows to look at, in document order; `doubt` names the texts in question with their confidence."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for doubt in doubts:
        reasons.setdefault((doubt.document, doubt.segment), []).append(f"{doubt.column} {doubt.confidence:.2f}")
    for document in documents:
        for _, group in groupby(document.segments, parent):
            rows = list(group)
            if any((document.id, row.id) in reasons for row in rows):
                for row in rows:
                    why = "; ".join(reasons.get((document.id, row.id), ()))
                    yield {"document": document.id, "row": row.id, "doubt": why, "action": "", **texts(row)}


def edits(
    documents: Mapping[str, Document], table: Sequence[Mapping[str, str]], *, by: str = "", when: str = ""
) -> list[Edit]:
    """What a person changed in the table, as edits in the order in which they must be made."""
    edits: list[Edit] = []
    numbered_rows = list(enumerate(table, start=2))  # line 1 of a spreadsheet is its header
    for name, lines in groupby(numbered_rows, lambda line: line[1].get("document", "")):
        rows = list(lines)
        if name not in documents:
            raise _mistake(rows[0][0], f"There is no document {name!r}.", did_you_mean(name, documents))
        document = documents[name]
        segments = {segment.id: segment for segment in document.segments}
        rows = [(line, _plain(cells, segments.get(cells.get("row", "")))) for line, cells in rows]
        for line, cells in rows:
            if cells.get("row", "") not in segments:
                hint = "Rows are removed with the action 'merge' and added with the mark " + MARK + "."
                raise _mistake(line, f"There is no row {cells.get('row', '')!r} in {name!r}.", hint)
        parents = [parent(segments[cells["row"]]) for _, cells in rows]
        for whole, group in groupby(zip(parents, rows, strict=True), lambda pair: pair[0]):
            current = [segment for segment in document.segments if parent(segment) == whole]
            edits += _group(document, current, [row for _, row in group])
    return [Edit(e.kind, e.document, e.segment, e.at, by, when) for e in edits]


def _plain(cells: Mapping[str, str], row: Segment | None) -> Mapping[str, str]:
    """The cells without the apostrophe that keeps a spreadsheet from taking "@name" or "3/4" for something else."""
    own = texts(row) if row else {}
    return {column: unguard(cell or "", own.get(column, "")) for column, cell in cells.items() if column is not None}


def _group(
    document: Document, current: Sequence[Segment], lines: Sequence[tuple[int, Mapping[str, str]]]
) -> Iterator[Edit]:
    """The edits of one segment's rows: shifts first, then splits, then merges from the bottom up."""
    if [row.id for row in current] != [cells["row"] for _, cells in lines]:
        raise _mistake(
            lines[0][0],
            f"The rows of segment {parent(current[0])!r} are not all here, or not in order.",
            "Keep every row of a segment; merge rows with the action 'merge'.",
        )
    for line, cells in lines:
        if cells.get("action", "").strip().lower() not in _ACTIONS:
            raise _mistake(line, f"Unknown action {cells['action']!r}.", did_you_mean(cells["action"], _ACTIONS[1:]))
    shifts = [edit for column in texts(current[0]) for edit in _shifts(document, current, lines, column)]
    yield from shifts
    rows_by_id = {row.id: row for row in apply_to_document(document, shifts).segments}
    merges, acceptances = [], []
    for line, cells in lines:
        name = cells["row"]
        at = {
            column: _offset(text, cells[column])
            for column, text in texts(rows_by_id[name]).items()
            if MARK in cells[column]
        }
        if at:
            if SOURCE not in at:
                raise _mistake(
                    line, f"The source of row {name!r} has no {MARK}.", "Mark the place in the source as well."
                )
            yield Edit("split", document.id, name, at)
        action = cells.get("action", "").strip().lower()
        if action == "merge":
            merges.append(Edit("merge", document.id, f"{name}.2" if at else name))
        elif action == "accept":
            acceptances.append(Edit("accept", document.id, name))
    yield from reversed(merges)
    yield from acceptances


def _shifts(
    document: Document, current: Sequence[Segment], lines: Sequence[tuple[int, Mapping[str, str]]], column: str
) -> Iterator[Edit]:
    """Moves of the borders of one text. A border that goes right is moved after those to its right, one that goes left
    after those to its left, so that none jumps over another."""
    before = [texts(row)[column] for row in current]
    after = [cells.get(column, "").replace(MARK, "") for _, cells in lines]
    _same_characters(before, after, lines, column)
    old, new = borders(before), borders(after)
    right = [k for k in range(len(old)) if new[k] > old[k]]
    left = [k for k in range(len(old)) if new[k] < old[k]]
    rows = list(current)
    for k in [*reversed(right), *left]:
        pair = join_rows(document, rows[k], rows[k + 1])[column]
        start = solid("".join(texts(row)[column] for row in rows[:k]))
        edit = Edit("shift", document.id, rows[k].id, {column: _after_solid(pair, new[k] - start)})
        part = Document(document.id, tuple(rows), document.source_language, document.target_language)
        rows = list(apply_to_document(part, [edit]).segments)
        yield edit


def _same_characters(
    before: Sequence[str], after: Sequence[str], lines: Sequence[tuple[int, Mapping[str, str]]], column: str
) -> None:
    was, now = "".join("".join(before).split()), "".join("".join(after).split())
    if was == now:
        return
    at = next((i for i, (a, b) in enumerate(zip(was, now, strict=False)) if a != b), min(len(was), len(now)))
    ends = [*borders(after), len(now)]
    row = next((row for row, end in enumerate(ends) if at < end), len(ends) - 1)
    raise _mistake(
        lines[row][0],
        f"The text of {column!r} changed: {was[at : at + 12]!r} became {now[at : at + 12]!r}.",
        "Move words between rows, but do not add, remove or correct any.",
    )


def _after_solid(text: str, count: int) -> int:
    """The offset after that many characters that are not white space."""
    number = 0
    for offset, letter in enumerate(text):
        if number == count:
            return offset
        number += not letter.isspace()
    return len(text)


def _offset(text: str, cell: str) -> int:
    return _after_solid(text, solid(cell.partition(MARK)[0]))


def _mistake(line: int, what: str, next_step: str) -> InputError:
    return InputError(what, where=Where(line=line), next_step=next_step)


# A table on its way through a spreadsheet program and back, unharmed.
# Spreadsheets run "=…" and "@name" as formulas, turn the row 7.10 into 7.1 and 3/4 into a date, take UTF-8 without a
# mark for something else, and save with semicolons in half of Europe. So such cells carry an apostrophe, the file a
# byte order mark, and reading takes any of the delimiters, or an xlsx file.


_MARK = "'"
_TAKEN = re.compile(
    r"[=+\-@\t\r]|[\d.,:/%$€£\s-]+$|\d+[./-][\w./:-]+$|\d+e\d+$|(?:true|false|wahr|falsch|vrai|faux)$", re.IGNORECASE
)
"""What a spreadsheet takes for a formula, a number, a date or a truth value."""
_ZIP = b"PK\x03\x04"
_DELIMITERS = ",;\t"


def guard(cell: str) -> str:
    """The cell as a spreadsheet leaves it alone."""
    return _MARK + cell if cell and _TAKEN.match(cell) else cell


def unguard(cell: str, own: str = "") -> str:
    """The cell without the apostrophe that kept it; `own` is the text it had, which may begin with one itself."""
    is_own = cell[:1] == _MARK and bool(_TAKEN.match(cell[1:])) and own[:2] != cell[:2]
    return cell[1:] if is_own else cell


def save(path: Path, lines: Callable[[], Iterable[Mapping[str, str]]]) -> None:
    """Write the table for a spreadsheet, whole or not at all. `lines` is gone through twice: for the columns, then for
    the rows, so that a long table needs no memory."""
    columns = list(dict.fromkeys((*FIXED, *(column for line in lines() for column in line))))
    part = path.with_name(f".{path.name}.part")
    try:
        with part.open("w", encoding="utf-8-sig", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(columns)
            for line in lines():
                writer.writerow([guard(line.get(column, "")) for column in columns])
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def load(path: Path) -> list[dict[str, str]]:
    """A table that a person corrected, as CSV or xlsx. The columns of every table lose their apostrophes; what the
    texts had before is known to whoever asks."""
    try:
        with path.open("rb") as file:
            packed = file.read(4) == _ZIP
        rows = _workbook(path) if packed else _read_delimited(path)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(
            f"The corrected list cannot be read: {error}.", where=Where(path), next_step="Save it as CSV UTF-8 or xlsx."
        ) from error
    for row in rows:
        row.update({column: unguard(row[column]) for column in FIXED if column in row})
    return rows


def _read_delimited(path: Path) -> list[dict[str, str]]:
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

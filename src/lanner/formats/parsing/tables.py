"""Rows of a table, whatever file it lies in: CSV, TSV, JSON lines, JSON, Parquet or a spreadsheet.

The header need not be the first row: titles and remarks above it are left out, and said.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time
from itertools import chain, islice, pairwise, takewhile
from pathlib import Path
from typing import Any, NamedTuple

from lanner.errors import InputError, Where
from lanner.formats.parsing import textfile
from lanner.formats.parsing.columns import column_map
from lanner.formats.parsing.headings import (
    ITEM_ROLES,
    fold,
    header_score,
    names_remark,
    names_text_or_role,
    over_columns,
    role_named,
)
from lanner.formats.parsing.map_draft import SHEET
from lanner.formats.parsing.records import flatten, records
from lanner.formats.parsing.textfile import ReadingNote, bare
from lanner.formats.parsing.values import is_missing, is_numeric
from lanner.formats.parsing.workbooks import (
    HTML_TABLE,
    Area,
    Sheet,
    as_written,
    html_tables,
    is_docx,
    open_workbook,
    word_tables,
)
from lanner.model.messages import in_number, plural

_DELIMITERS = "\t,;|"
_BARS = "|||"
"""What stands between a sentence and its translation in bitexts of aligners."""
_LOOKED_AT = 1000
_SEARCHED = 40
"""A header is searched for in so many rows."""
_DEEPEST_HEADER = 3
_DEEPEST_PIVOT = 4
_BATCH = 20_000
_OURS = ({"absent", "document_meta", "segment_meta"}, {"judge", "judge_kind", "stage", "question", "answered_at"})
"""Columns of tables that we wrote (texts, judgements): only there is an apostrophe before a formula not the text's."""


_SAMPLE, _LARGEST_SAMPLE, _LONG_SAMPLE, _COMPARED = 200, 10_000, 20_000, 640_000
"""How many rows are looked at before guesses. In a narrow table they reach the second judge although the answers of the
first stand above; in a wide one they are fewer, as every two columns are compared: rows times columns squared."""
Row = tuple[int, Sequence[Any], dict[str, Any]]


@dataclass(slots=True)
class TableRows:
    """The header, the rows as (line, values, what the header does not have), and what was noticed on the way."""

    header: list[str]
    rows: Iterable[Row]
    notes: list[str] = field(default_factory=list)
    typed: bool = False
    """Whether an empty cell differs from an empty text."""
    line: int = 1
    """Where the header stands."""
    decimal_comma: bool = False
    """Whether numbers have a decimal comma, as where a semicolon stands between cells."""
    sample: list[Sequence[Any]] = field(default_factory=list)
    """The values of the first rows, for guesses by content."""

    extents: Sequence[Extent] = ()
    """How far the table reaches, where other things may stand around it; known once rows have been read."""

    @property
    def is_survey(self) -> bool:
        """Whether it is an export of Qualtrics."""
        return any(extent.is_survey for extent in self.extents)

    def turned(self, header: list[str], rows: Iterable[Row], note: str) -> TableRows:
        """The same table with other rows and columns. Its notes are one list with these, which grows as rows come."""
        self.notes.append(note)
        return replace(self, header=header, rows=rows, sample=[]).with_sample()

    def with_sample(self, *, is_long: bool = False) -> TableRows:
        """The same with its first rows looked at; they still come with the others."""
        if self.sample and not is_long:
            return self
        entries = iter(self.rows)
        first = list(islice(entries, _LONG_SAMPLE if is_long else _sample_size(len(self.header))))
        self.sample = [values for _, values, _ in first]
        self.rows = chain(first, entries)
        return self


def _sample_size(columns: int) -> int:
    return max(_SAMPLE, min(_LARGEST_SAMPLE, _COMPARED // columns**2 if columns else _LARGEST_SAMPLE))


def table_kind(path: Path) -> str:
    """csv, jsonl, json, parquet, xlsx, docx or html, by content; "" if it is no table."""
    if not path.is_file():
        return ""
    start = textfile.magic(path)
    if start == b"PAR1":
        return "parquet"
    if textfile.is_zip(path):
        return "docx" if is_docx(path) else "xlsx"
    text = textfile.head(path).lstrip("\ufeff \r\n\t")
    if text.startswith("{"):
        return "jsonl"
    if text.startswith("["):
        return "json" if re.match(r"\[\s*\{", text) else ""
    if text.startswith("<"):
        return "html" if HTML_TABLE.search(text) else ""
    return "csv" if text else ""


def open_rows(path: Path, *, delimiter: str = "", quotes: str = "", sheet: str = "", header: str = "") -> TableRows:
    """The rows of a table file. `header` is the number of the row that names the columns, where it is not to be found
    by itself."""
    match table_kind(path):
        case "csv":
            return _read_delimited(path, delimiter, quotes, header).with_sample()
        case "jsonl":
            return _objects(path, is_list=False).with_sample()
        case "json":
            return _objects(path, is_list=True).with_sample()
        case "parquet":
            return _parquet(path).with_sample()
        case "xlsx":
            return _spreadsheet(path, sheet, header).with_sample()
        case "docx":
            return _document_tables(path, word_tables(path)).with_sample()
        case "html":
            return _document_tables(path, html_tables(path)).with_sample()
        case _:
            raise InputError(
                "This is no table." if path.stat().st_size else "The file is empty.",
                code="no_table",
                where=Where(path),
                next_step="Tables are CSV, TSV, JSON lines, Parquet, xlsx, ods, docx and HTML.",
            )


def first_rows(path: Path, count: int, *, delimiter: str = "") -> list[tuple[int, list[str]]]:
    """The first rows as they stand with their lines, those above the header among them; empty where each row names its
    own columns."""
    rows: Iterable[tuple[int, Sequence[Any]]]
    match table_kind(path):
        case "csv":
            rows = islice(textfile.rows(path, _mark(path, delimiter), True), count)
        case "xlsx":
            pages, _ = _pages(path, "")
            page = next((page for page in pages if page.score > 1), None) or _main_page(pages)
            rows = enumerate(islice(page.first, count), 1)
        case _:
            return []
    return [(line, ["" if cell is None else str(cell).strip() for cell in row]) for line, row in rows]


# How far a table reaches on its sheet: other tables below it or beside it, and rows that are none of its own
#
# People put a summary, a legend or a list of judges under their ratings. Read as rows of the table they would be judges
# and scores that never were.


_LONGEST_NAME = 60
_BLOCK = 50
"""Rows after an empty one that are looked at to tell what they are."""
_FEWEST = 2
"""Rows of a table before one can say what its columns hold."""
_REMEMBERED = 2000
"""So many rows say what the columns hold."""
_SURVEY_MARK = '{"ImportId"'
"""How Qualtrics begins each cell of the third row of an export."""


class Extent:
    """The rows of one table. What was left out is added to `notes` as the rows are read."""

    def __init__(self, path: Path, header: Sequence[str], notes: list[str]) -> None:
        self.path, self.header, self.notes = path, header, notes
        self.names = [name.casefold() for name in header]
        self.is_survey = False
        self._rows = 0
        self._value_counts = [0] * len(header)
        self._values: list[set[str]] = [set() for _ in header]

    def rows(self, rows: Iterable[Row]) -> Iterator[Row]:
        """The rows that belong to the table. A second table that could be read as well is refused: nobody knows which
        one is meant, and half of what a file holds is worse than nothing."""
        waiting = deque[Row]()
        entries = iter(rows)
        previous = 0
        header_lines: list[int] = []
        for line, values, extra in self._without_survey_rows(_chain_rows(waiting, entries)):
            gap = previous > 0 and line > previous + 1
            previous = line
            if self._is_header(values):
                header_lines.append(line)
                continue
            if not any(not is_missing(value) for value in values):
                previous = line - 1  # an empty row: what follows begins after a gap
                yield line, values, extra
                continue
            if gap and self._rows >= _FEWEST:
                block = [(line, values, extra), *_block(waiting, entries, line)]
                if self._leaves_out(block):
                    break
                waiting.extendleft(reversed(block[1:]))
            self._remember(values)
            yield line, values, extra
        if header_lines:
            self.notes.append(
                f"The header comes again on line {', '.join(map(str, header_lines[:5]))} and is left out."
            )

    def _without_survey_rows(self, rows: Iterator[Row]) -> Iterator[Row]:
        """Without the words of the questions and the ids that Qualtrics writes below the header."""
        first = [row for _, row in zip(range(2), rows, strict=False)]
        for at, (line, values, _) in enumerate(first):
            marks = [str(value).lstrip().startswith(_SURVEY_MARK) for value in values if not is_missing(value)]
            if marks and sum(marks) * 2 > len(marks):
                self.is_survey = True
                self.notes.append(f"Lines {first[0][0]} to {line} are words and ids of Qualtrics and are left out.")
                first = first[at + 1 :]
                break
        yield from first
        yield from rows

    def _is_header(self, values: Sequence[Any]) -> bool:
        return bool(values) and str(values[0]).strip().casefold() == self.names[0] and _names(values) == self.names

    def _remember(self, values: Sequence[Any]) -> None:
        if self._rows >= _REMEMBERED:
            return
        filled = [(at, str(value)) for at, value in enumerate(values) if not is_missing(value)]
        if len(filled) < 2:  # a remark, a total
            return
        self._rows += 1
        for at, text in filled:
            self._value_counts[at] += 1
            self._values[at].add(text)

    def _leaves_out(self, block: Sequence[Row]) -> bool:
        """Whether rows after an empty one are no rows of this table; then it is said what they are."""
        line = block[0][0]
        cells = [[value for value in values if not is_missing(value)] for _, values, _ in block]
        always = sum(count == self._rows for count in self._value_counts)
        if always >= 3 and all(len(row) == 1 for row in cells) and not self._is_known(block[0][1]):
            self.notes.append(
                f"What stands below the table on line {line} is left out: {_excerpt(cells[0]).rstrip('.')}."
            )
            return True
        at = 1 if len(cells[0]) == 1 and len(block) > 1 else 0
        names, rest = block[at][1], [values for _, values, _ in block[at + 1 :]]
        if not rest or not self._may_be_header(names):
            return False
        excerpt = _excerpt(cells[at])
        if header_score(names) >= 2 or self._differs(names, rest):
            self._refuse_data(line, names, rest)
            self.notes.append(f"Another table begins on line {line} ({excerpt}) and is left out.")
            return True
        empty = [
            at for at, count in enumerate(self._value_counts) if count == self._rows and _is_empty(at, (names, *rest))
        ]
        if empty:
            textfile.failed(
                self.path,
                f"After an empty row, rows begin that leave {self.header[empty[0]]!r} empty ({excerpt}).",
                line,
                "If they are another table, put it in a file or a sheet of its own; otherwise delete the empty row.",
            )
        return False

    def _is_known(self, values: Sequence[Any]) -> bool:
        """Whether one of the values stands in the same column above."""
        return any(str(value) in column_values for value, column_values in zip(values, self._values, strict=False))

    def _may_be_header(self, values: Sequence[Any]) -> bool:
        names = [str(value).strip() for value in values if not is_missing(value)]
        return (
            len(names) > 1
            and len(set(names)) == len(names)
            and not any(
                is_numeric(name) or len(name) > _LONGEST_NAME or name.endswith((".", "!", "?")) for name in names
            )
            and not self._is_known(values)
        )

    def _differs(self, names: Sequence[Any], rest: Sequence[Sequence[Any]]) -> bool:
        """Whether words stand where the table has numbers, or numbers below a word where it has words."""
        for at, count in enumerate(self._value_counts):
            if at >= len(names) or is_missing(names[at]) or not count:
                continue
            above = set(map(is_numeric, self._values[at]))
            below = [row[at] for row in rest if at < len(row) and not is_missing(row[at])]
            if above == {True} or (above == {False} and below and all(map(is_numeric, below))):
                return True
        return False

    def _refuse_data(self, line: int, names: Sequence[Any], rest: Sequence[Sequence[Any]]) -> None:
        width = max((at for at, name in enumerate(names, 1) if not is_missing(name)), default=0)
        header = [str(name).strip() for name in names[:width]]
        try:
            column_map(header, sample=[row[:width] for row in rest])
        except (InputError, ValueError):
            return
        textfile.failed(
            self.path,
            f"A second table begins on this line ({_excerpt(header)}).",
            line,
            "Put each table in a file or a sheet of its own.",
        )


def refuse_table_beside(path: Path, names: Sequence[str], rows: Sequence[Sequence[Any]], line: int) -> None:
    """The error where an empty column parts a header in two and the two parts do not go together: names come twice, or
    one part has fewer rows than the other. A column that is left empty for the eye parts nothing."""
    for at, name in enumerate(names):
        parts = [each for each in names[:at] if each], [each for each in names[at + 1 :] if each]
        if name or not all(parts) or not _is_empty(at, rows):
            continue
        lengths = [_length(row[:at] for row in rows), _length(row[at + 1 :] for row in rows)]
        if (lengths[0] != lengths[1] and len(parts[1]) > 1) or not set(parts[0]).isdisjoint(parts[1]):
            textfile.failed(
                path,
                f"Two tables stand side by side: {_excerpt(parts[0])}; {_excerpt(parts[1])}.",
                line,
                "Put each in a file or a sheet of its own; if they are one, delete the empty column between them.",
            )


def _chain_rows(waiting: deque[Row], entries: Iterator[Row]) -> Iterator[Row]:
    while True:
        row = waiting.popleft() if waiting else next(entries, None)
        if row is None:
            return
        yield row


def _block(waiting: deque[Row], entries: Iterator[Row], line: int) -> Iterator[Row]:
    """The rows that follow without a gap, up to a number; the first of those after it is put back."""
    for _ in range(_BLOCK):
        row = waiting.popleft() if waiting else next(entries, None)
        if row is None:
            return
        if row[0] > line + 1 or all(is_missing(value) for value in row[1]):
            waiting.appendleft(row)
            return
        line = row[0]
        yield row


def _names(values: Sequence[Any]) -> list[str]:
    return ["" if value is None else str(value).strip().casefold() for value in values]


def _is_empty(at: int, rows: Iterable[Sequence[Any]]) -> bool:
    return all(at >= len(row) or is_missing(row[at]) for row in rows)


def _length(rows: Iterable[Sequence[Any]]) -> int:
    """The number of the last row that holds anything."""
    return max((at for at, row in enumerate(rows, 1) if not all(map(is_missing, row))), default=0)


def _excerpt(cells: Iterable[Any]) -> str:
    words = ", ".join(str(cell).strip() for cell in cells if not is_missing(cell))
    return words if len(words) <= _LONGEST_NAME else f"{words[:_LONGEST_NAME].rstrip()} …"


# Headers


class _Header(NamedTuple):
    position: int
    """Where it is among the rows; -1 where the table has none and the names are ours."""
    names: list[str]
    notes: tuple[str, ...] = ()
    depth: int = 1
    """How many rows it takes."""


def _find_header(path: Path, rows: Sequence[Sequence[Any]], number: str = "") -> _Header:
    """The header among the first rows of a table: the row with this number; else the first row, unless it names nothing
    known and a later one does, or it is a title that stands alone above a wider table."""
    texts = [["" if cell is None else str(cell).strip() for cell in row] for row in rows]
    if number:
        return _numbered_header(path, texts, number)
    counts = [sum(map(bool, row)) for row in texts]
    scores = [header_score(row) for row in texts]
    first = next((at for at, count in enumerate(counts) if count), 0)
    # what stands above a header is narrower than the table
    wider = [at for at in range(len(texts)) if at <= first or counts[at] > max(counts[:at])]
    best = max(wider, key=lambda at: (scores[at], -at), default=0)
    position = first
    if texts and scores[best] > max(1, scores[first]):
        position = best
    elif texts and scores[first] == 0 and counts[first] == 1 and max(counts) > 1:
        position = next(at for at, count in enumerate(counts) if count > 1)
    if texts and scores[best] == 0 and (names := _names_without_header(texts[first:])):
        note = ReadingNote(
            f"The table has no header: its columns are taken for {', '.join(names)}.", "--columns changes that."
        )
        return _Header(first - 1, names, (note,))
    names = texts[position] if texts else []
    if below := _headings_of_survey(texts[position : position + 2]):
        names, _ = _named_columns(below)
        return _Header(position + 1, names, ("The two header rows of SurveyMonkey are read as one.",), 2)
    if grouped := _grouped_headings(texts[position:]):
        names = _checked_header(path, _tidy(grouped), position + 1)
        joined = next(name for name in names if name not in (*texts[position], *texts[position + 1]))
        return _Header(position + 1, names, (f"The two heading rows are read as one, such as {joined!r}.",), 2)
    names = _up_to_last(names)
    refuse_table_beside(path, names, [row[: len(names)] for row in texts[position + 1 :]], position + 1)
    names, notes = _named_columns(names if any(marks <= set(names) for marks in _OURS) else _tidy(names))
    return _Header(position, _checked_header(path, names, position + 1), notes)


def _up_to_last(cells: Sequence[str]) -> list[str]:
    """The cells of a row up to the last that holds anything."""
    return list(cells[: max((at for at, cell in enumerate(cells, 1) if cell), default=0)])


def _grouped_headings(rows: Sequence[Sequence[str]]) -> list[str]:
    """The two header rows of a table whose columns stand in groups, as one: a name that comes again under each of
    several headings is joined with the heading above it, any other stands alone. None of other tables, as where rows
    below hold the same words, so that these are answers."""
    if len(rows) < 3:
        return []
    below = _up_to_last(rows[1])
    above = [*rows[0], *[""] * (len(below) - len(rows[0]))]
    headings: list[str] = []
    for heading in above[: len(below)]:
        headings.append(heading or (headings[-1] if headings else ""))
    again = {name for name, times in Counter(filter(None, below)).items() if times > 1}
    groups: dict[str, list[str]] = {}
    for heading, name in zip(headings, below, strict=True):
        if name in again:
            groups.setdefault(heading, []).append(name)
    parts = list(groups.values())
    are_groups = len(parts) > 1 < len(parts[0]) and all(part == parts[0] for part in parts) and "" not in groups
    are_answers = any(is_numeric(name) or any(name in row for row in rows[2:]) for name in again)
    if not are_groups or are_answers or any(above[len(below) :]):
        return []
    return [
        over_columns(heading, name) if name in again else name or own
        for heading, name, own in zip(headings, below, above, strict=False)
    ]


class _Levels(NamedTuple):
    """The heading rows of a pivot as pandas writes it, with a row for each level of its columns."""

    about: list[str]
    names: list[str]
    columns: list[tuple[str, ...]]

    def header(self) -> list[str]:
        """What the table is called as a list of its numbers. A level without a name is that of what was asked."""
        return [*self.about, *(name or "question" for name in self.names), "score" if all(self.names) else "answer"]

    def rows(self, path: Path, rows: Iterable[tuple[int, Sequence[Any]]]) -> Iterator[Row]:
        """A row for each number of the pivot."""
        for line, cells in rows:
            about, values = cells[: len(self.about)], cells[len(self.about) :]
            if not all(map(is_missing, values[len(self.columns) :])):
                width = len(self.about) + len(self.columns)
                what = f"This row has {plural(len(cells), 'cell')}, the headings have {width}."
                textfile.failed(path, what, line, code="ragged", cells=len(cells), width=width)
            for levels, value in zip(self.columns, map(as_written, values), strict=False):
                if not is_missing(value):
                    yield line, [*about, *levels, value], {}


def _levels_of_pivot(rows: Sequence[Sequence[Any]]) -> _Levels | None:
    """The headings of a pivot: a row for each level, whose name stands over the index, and then a row that names the
    index alone, as `segment,system,,,`. None of other tables."""
    texts = [["" if cell is None else str(cell).strip() for cell in row] for row in rows[: _DEEPEST_PIVOT + 1]]
    for depth in range(2, len(texts)):
        index = list(takewhile(bool, texts[depth]))
        names = [list(filter(None, row[: len(index)])) for row in texts[:depth]]
        columns = [_spread_alone(row[len(index) :]) for row in texts[:depth]]
        is_named = any(map(names_text_or_role, index)) and any(names) and all(len(name) < 2 for name in names)
        is_full = all(map(all, columns)) and {len(row) for row in columns} == {len(columns[0])} != {0}
        if is_named and is_full and not any(texts[depth][len(index) :]):
            return _Levels(index, ["".join(name) for name in names], list(zip(*columns, strict=True)))
    return None


def _spread_alone(cells: list[str]) -> list[str]:
    """What stands alone in a row, as the one heading that is merged over all columns, in each of its cells."""
    return [cells[0]] * len(cells) if cells and cells[0] and not any(cells[1:]) else cells


def _read_pivot(path: Path, levels: _Levels, rows: Iterable[tuple[int, Sequence[Any]]], notes: list[str]) -> TableRows:
    depth = len(levels.names)
    header = _checked_header(path, levels.header())
    notes.append(f"The headings in {depth + 1} rows are those of a pivot: each of its numbers is read as a row.")
    return TableRows(header, levels.rows(path, islice(rows, depth + 1, None)), notes, line=depth + 1)


_OPEN_ENDED = ("", "response", "open-ended response")


def _headings_of_survey(rows: Sequence[Sequence[str]]) -> list[str]:
    """The two header rows of SurveyMonkey as one: a question over several columns, and what each asks about in
    brackets. None of other tables."""
    if len(rows) < 2 or not {"Respondent ID", "Collector ID"} <= set(rows[0]):
        return []
    names: list[str] = []
    question = ""
    below = [*rows[1], *[""] * (len(rows[0]) - len(rows[1]))]
    for heading, part in zip(rows[0], below, strict=False):
        question = heading or question
        names.append(question if part.casefold() in _OPEN_ENDED else f"{question} [{part}]")
    return names


def _tidy(names: Sequence[str]) -> list[str]:
    """Names of columns on one line."""
    return [" ".join(name.split()) for name in names]


def _names_without_header(rows: Sequence[Sequence[str]]) -> list[str]:
    """Names for the columns of a table that begins with its texts: sentences in the first row as in the others, after
    at most one column of numbers. None are given where the first row may be a header."""
    first = _up_to_last(rows[0])
    leading = int(bool(first) and first[0].isdigit())
    texts = first[leading:]
    if len(texts) not in (2, 3) or len(rows) < 2 or not all(_is_sentence(text) for text in texts):
        return []
    return ["segment"] * leading + ["source", "target", "target 2"][: len(texts)]


def _is_sentence(text: str) -> bool:
    """Whether a cell is a sentence rather than the name of a column."""
    return bool(re.search(r"[.!?…。！？।؟]['\"»”’」』)]*$", text)) and len(text) > 3 and not text.endswith("no.")


def _named_columns(names: Sequence[str]) -> tuple[list[str], tuple[str, ...]]:
    """A header in which every column has a name of its own: a column without one, as an index that a program wrote
    along, is called by its number, and of two remarks or dates of one name the second is numbered."""
    nameless = [position for position, name in enumerate(names, 1) if not name]
    if len(nameless) * 2 >= len(names):
        return list(names), ()
    result: list[str] = []
    notes = []
    for position, name in enumerate(names, 1):
        unique = name or f"column {position}"
        if not name:
            notes.append(f"Column {position} has no name and is called {unique!r}.")
        elif name in result and header_score([name]) == 0:
            unique = f"{name} ({result.count(name) + 1})"
            while unique in names or unique in result:
                unique += "'"
            notes.append(f"Two columns are called {name!r}; the one in column {position} is called {unique!r}.")
        result.append(unique)
    return result, tuple(notes)


def _numbered_header(path: Path, texts: Sequence[list[str]], number: str) -> _Header:
    if not number.isdecimal() or len(number) > 9 or not 1 <= int(number) <= len(texts):
        message = f"There is no row {number[:20]!r} among the first {len(texts)}."
        textfile.failed(path, message, next_step="Name the row that holds the names of the columns by its number.")
    names = _up_to_last(texts[int(number) - 1])
    return _Header(int(number) - 1, _checked_header(path, names, int(number)))


def _checked_header(path: Path, header: list[str], line: int = 1) -> list[str]:
    if not header:
        step = "The first row must name the columns."
        textfile.failed(path, "The table has no header.", line, step, code="no_header")
    for position, name in enumerate(header, 1):
        if not name:
            message = f"Column {position} has no name."
            textfile.failed(
                path,
                message,
                line,
                "Name every column in the first row. Headings in two rows become one, such as Judge 1 Fluency.",
                code="nameless_column",
                n=position,
            )
        if header.index(name) < position - 1:
            message = f"Two columns are called {name!r}."
            step = f"Call each after what it is about, such as '{name} A' and '{name} B' for the systems A and B."
            textfile.failed(path, message, line, step, code="column_twice", name=name)
    return header


def _skipped_note(rows: Sequence[Sequence[Any]], position: int, line: int) -> list[str]:
    """That rows above the header were left out, with what they say."""
    above = [str(cell).strip() for row in rows[: max(position, 0)] for cell in row if cell not in (None, "")]
    above = [text for text in above if not text.startswith("sep=")]  # how Excel is told the delimiter
    if not above:
        return []
    words = "; ".join(above)
    excerpt = words if len(words) <= 60 else f"{words[:60].rstrip()} …"
    return [f"The header is on line {line}; what stands above it is left out: {excerpt}"]


# Delimited text


def guess_delimiter(path: Path) -> str:
    """The delimiter by which a line shows the best header, else the one that the first line has most of."""
    head = textfile.head(path).lstrip("\ufeff")
    lines = [line for line in head.splitlines()[:_SEARCHED] if line.strip()]
    best, delimiter = (0, 0), ""
    for mark in _DELIMITERS:
        rows = [_split(line, mark) for line in lines if mark in line and len(line) < 10_000]
        if head.startswith('"'):  # a header in quotation marks may have line breaks in its names
            rows += _quoted_rows(head, mark)
        for row in rows:
            score = (header_score(row), len(row))
            if score[0] > 1 and score > best:
                best, delimiter = score, mark
    first = lines[0] if lines else ""
    return delimiter or max(_DELIMITERS, key=first.count)


def _quoted_rows(text: str, mark: str) -> list[list[str]]:
    """The first rows of a text whose cells are in quotation marks, over line breaks."""
    try:
        rows = list(islice(csv.reader(io.StringIO(text), delimiter=mark), _SEARCHED))
    except csv.Error:
        return []
    return [row for row in rows if len(row) > 1 and sum(map(len, row)) < 10_000]


def _has_bars(text: str) -> bool:
    """Whether each line has as many `|||` as the first, and some."""
    counts = {line.count(_BARS) for line in text.splitlines()[:_SEARCHED] if line.strip()}
    return len(counts) == 1 and counts != {0}


def _between_bars(path: Path) -> Iterator[tuple[int, list[str]]]:
    for number, line in enumerate(textfile.lines(path), 1):
        if line.strip():
            yield number, [cell.strip() for cell in line.split(_BARS)]


def _split(line: str, mark: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=mark), [])
    except csv.Error:
        return line.split(mark)


def _mark(path: Path, delimiter: str) -> str:
    """The character that stands between cells: the one that is named, or else the one that is found."""
    mark = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";"}.get(delimiter, delimiter) or guess_delimiter(path)
    if len(mark) != 1:
        textfile.failed(path, f"The delimiter {delimiter!r} is not one character.", next_step="Write for instance ;")
    return mark


_RULE = re.compile(r":?-{2,}:?")


def _without_frame(rows: Iterable[tuple[int, list[str]]]) -> Iterator[tuple[int, list[str]]]:
    """Rows of a table as Markdown draws it, without the bars at both ends and the rule below the header; rows of other
    tables as they are."""
    for line, row in rows:
        framed = len(row) > 2 and not row[0].strip() and not row[-1].strip()
        cells = [cell.strip() for cell in row[1:-1]] if framed else row
        if not all(_RULE.fullmatch(cell.strip()) for cell in cells):
            yield line, cells


def _has_quoted_cells(text: str) -> bool:
    """Whether the beginning of a tab-separated file has cells in quotation marks. Files of the field hold bare ones;
    programs quote all cells, the header too, or those alone that hold a line break or a mark, which they double."""
    if text.startswith('"'):
        return True
    lines = [line.split("\t") for line in text.splitlines()]
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter="\t", strict=True))
    except csv.Error:
        return False
    # the last ones may go on behind this beginning
    widths, quoted_widths = ({len(cells) for cells in table[:-1] if any(cells)} for table in (lines, rows))
    if len(widths) > 1:
        return len(quoted_widths) == 1
    begun = [cell for cells in lines for cell in cells if cell.startswith('"')]
    doubled = [cell[1:-1].count('""') for cell in begun if _QUOTED.fullmatch(cell)]
    return len(doubled) == len(begun) and any(pairs and pairs % 2 == 0 for pairs in doubled)


_QUOTED = re.compile('"(?:[^"]|"")*"')


def _read_delimited(path: Path, delimiter: str, quotes: str, number: str = "") -> TableRows:
    has_bars = not delimiter and _has_bars(textfile.head(path))
    mark = "" if has_bars else _mark(path, delimiter)
    notes = []
    has_quotes = quotes == "yes" or (quotes != "no" and mark != "\t")
    if mark == "\t" and not quotes:
        has_quotes = _has_quoted_cells(textfile.head(path).lstrip("\ufeff"))
        notes.append(f"Quotation marks are {'removed around cells' if has_quotes else 'text'} (quotes=yes or no).")
    rows = _between_bars(path) if has_bars else textfile.rows(path, mark, has_quotes)
    if mark == "|":
        rows = _without_frame(rows)
    first = list(islice(rows, _SEARCHED))
    if not number and (levels := _levels_of_pivot([row for _, row in first])):
        return _read_pivot(path, levels, chain(first, rows), notes)
    place = next((str(at) for at, (line, _) in enumerate(first, 1) if str(line) == number), number)
    position = _find_header(path, [[*row[:-1], row[-1].removesuffix("\r")] for _, row in first], place)
    header, line = position.names, first[max(position.position, 0)][0] if first else 1
    notes += [*_skipped_note([row for _, row in first], position.position - position.depth + 1, line), *position.notes]
    width = len(header)
    ours = any(marks <= set(header) for marks in _OURS)

    def checked() -> Iterator[Row]:
        for line, row in chain(first[position.position + 1 :], rows):
            if len(row) != width:
                if len(row) < width or any(cell.strip() for cell in row[width:]):
                    if not any(cell.strip() for cell in row):
                        continue
                    textfile.failed(
                        path,
                        f"This row has {plural(len(row), 'cell')}, the header has {width}.",
                        line,
                        "Check quotation marks and delimiters, or say quotes=yes or quotes=no.",
                        code="ragged",
                        cells=len(row),
                        width=width,
                    )
                row = row[:width]  # noqa: PLW2901 - empty cells beyond the header are no content
            if not has_quotes and row[-1].endswith("\r"):
                row[-1] = row[-1][:-1]
            yield line, [bare(cell) for cell in row] if ours else row, {}

    extent = Extent(path, header, notes)
    return TableRows(header, extent.rows(checked()), notes, line=line, decimal_comma=mark == ";", extents=[extent])


# JSON


def _objects(path: Path, *, is_list: bool) -> TableRows:
    """Rows from JSON objects; one level of nesting becomes columns such as `outputs.GPT-4`."""
    return _rows_of_objects(path, records(path, is_list=is_list))


def _rows_of_objects(path: Path, entries: Iterator[tuple[int, dict[str, Any]]]) -> TableRows:
    sample = list(islice(entries, _LOOKED_AT))
    header = _checked_header(path, list(dict.fromkeys(key for _, entry in sample for key in entry)))
    names = set(header)

    def checked() -> Iterator[Row]:
        for line, entry in chain(sample, entries):
            yield line, [entry.get(name) for name in header], {k: v for k, v in entry.items() if k not in names}

    return TableRows(header, checked(), typed=True)


# Parquet


def _parquet(path: Path) -> TableRows:
    import polars as pl  # loaded where it is needed: most tables are read without it

    try:
        lazy = pl.scan_parquet(path)
        schema = lazy.collect_schema()
        total = lazy.select(pl.len()).collect().item()
    except (pl.exceptions.PolarsError, OSError) as error:
        textfile.failed(path, f"The Parquet file cannot be read: {error}.")

    def batches() -> Iterator[Row]:
        for begin in range(0, total, _BATCH):
            try:
                frame = lazy.slice(begin, _BATCH).collect()
            except (pl.exceptions.PolarsError, OSError) as error:
                textfile.failed(path, f"The Parquet file is damaged: {error}.", begin + 1)
            for number, row in enumerate(frame.iter_rows(), begin + 1):
                yield number, row, {}

    header = _checked_header(path, schema.names())
    if any(isinstance(kind, pl.Struct) for kind in schema.dtypes()):  # as JSON has objects in objects
        objects = ((number, flatten(dict(zip(header, row, strict=True)))) for number, row, _ in batches())
        return _rows_of_objects(path, objects)
    return TableRows(header, batches(), typed=True)


# Spreadsheets


def _pages(path: Path, title: str, number: str = "") -> tuple[list[_Page], tuple[str, ...]]:
    """The sheets of a workbook that hold anything, and what is odd about it."""
    book = open_workbook(path, title)
    pages = [_Page(path, sheet, number) for sheet in book.sheets]
    pages = [page for page in pages if page.first] or pages
    if not pages or not pages[0].first:
        textfile.failed(path, "The spreadsheet is empty.", code="no_header")
    return pages, book.notes


def _spreadsheet(path: Path, sheet: str, number: str = "") -> TableRows:
    pages, odd = _pages(path, sheet, number)
    if not number and len(pages) == 1 and (levels := pages[0].levels):
        return _read_pivot(path, levels, enumerate(pages[0].cells(), 1), [*odd])
    main = next((page for page in pages if page.score > 1), None) or _main_page(pages)
    if main.error is not None:
        raise main.error
    sheets = [page for page in pages if page.has_columns_of(main)]
    left = [page.title for page in pages if page not in sheets]
    notes = [*odd, *(note for page in sheets for note in page.notes)]
    several = len(sheets) > 1
    if left:
        read = ", ".join(page.title for page in sheets)
        notes.append(
            ReadingNote(f"Read sheet {read}; left out: {', '.join(left)}.", "--option sheet=NAME reads another.")
        )
    elif several:
        notes.append(f"Read the sheets {', '.join(page.title for page in sheets)}, which have the same columns.")
    header = list(sheets[0].header.names)
    for page in sheets:
        header += [name for name in page.header.names if fold(name) not in map(fold, header)]
    if several and SHEET not in header:
        header = [*header, SHEET]

    def in_order(page: _Page, cells: Sequence[Any]) -> list[Any]:
        """The cells of a row below the headings of all sheets, with the title of its own."""
        by_name = {SHEET: page.title} if several else {}
        by_name |= dict(zip(map(fold, page.header.names), cells, strict=False))
        return [by_name.get(fold(name)) for name in header] if several else list(cells)

    extents = [Extent(path, page.header.names, notes) for page in sheets]

    def rows() -> Iterator[Row]:
        for page, extent in zip(sheets, extents, strict=True):
            for line, cells, _ in extent.rows(page.rows()):
                yield line, in_order(page, cells), {}
        if n := sum(page.dates for page in sheets):
            one = "{n} cell is a date: a spreadsheet may have made it from other text."
            notes.append(in_number(n, one, "{n} cells are dates: a spreadsheet may have made them from other text."))

    result = TableRows(header, rows(), notes, line=sheets[0].header.position + 1, extents=extents)
    if several:  # the beginning of each sheet: what the sheets stand for shows only in several
        size = max(_SEARCHED, _sample_size(len(header)) // len(sheets))
        beginnings = [(page, islice(Extent(path, page.header.names, []).rows(page.rows()), size)) for page in sheets]
        result.sample = [in_order(page, cells) for page, entries in beginnings for _, cells, _ in entries]
    return result


def _main_page(pages: Sequence[_Page]) -> _Page:
    """The sheet with the texts, where no header has known names: the first that can be understood by its content,
    else the one with most cells."""
    for page in pages:
        try:
            column_map(page.header.names, sample=[cells for _, cells, _ in islice(page.rows(), _SEARCHED)])
        except InputError:
            continue
        return page
    return max(pages, key=lambda page: sum(cell is not None for row in page.first for cell in row))


class _Page:
    """One sheet: its header, what lies above it, and its rows with merged cells filled in."""

    def __init__(self, path: Path, sheet: Sheet, number: str = "") -> None:
        self.path, self.sheet, self.title = path, sheet, sheet.title
        first = list(islice(self.cells(), _SEARCHED))
        self.levels = _levels_of_pivot(first)
        first = self._with_joined_headings(first)
        while first and not any(cell is not None for cell in first[-1]):
            first.pop()
        self.first = first
        self.notes: list[str] = []
        self.score = 0
        self.dates = 0
        """How many cells a spreadsheet may have made dates, once all rows have been read."""
        self.header = _Header(0, [])
        self.error: InputError | None = None
        if first:
            try:
                self.header = _find_header(path, first, number)
            except InputError as error:  # a cover sheet need not be a table
                self.error = error
                return
            self.score = header_score(self.header.names)
            above = self.header.position - self.deep - self.header.depth + 2
            self.notes = _skipped_note(first, above, self.header.position + 1)
            self.notes += self.header.notes

    deep = 1
    """How many rows the header has."""

    def _with_joined_headings(self, rows: list[list[Any]]) -> list[list[Any]]:
        """The first rows, where headings over several columns are joined with the names below them."""
        for line, (above, below) in enumerate(pairwise(rows), 1):
            wide = [
                area for area in self.sheet.merged_cells if area.top == area.bottom == line and area.right > area.left
            ]
            wide = [area for area in wide if self._is_header_area(area.left, area.right, above)]
            wide = [area for area in wide if area.left <= len(above) and above[area.left - 1] is not None]
            names = [cell for area in wide for cell in below[area.left - 1 : area.right] if cell is not None]
            if not wide or not names or not all(isinstance(name, str) for name in names):
                continue
            headings = list(above) + [None] * (len(below) - len(above))
            for at, name in enumerate(below):
                is_below = any(area.left <= at + 1 <= area.right for area in wide)
                is_item = below.count(name) == 1 and role_named(str(name)) in ITEM_ROLES
                if name is not None and is_below and not is_item:
                    headings[at] = over_columns(str(headings[at]).strip(), str(name).strip())
                elif name is not None and (is_below or headings[at] is None):
                    headings[at] = name
            self.deep += 1
            joined = [*rows[: line - 1], [None] * len(headings), headings, *rows[line + 1 :]]
            return self._with_joined_headings(joined) if self.deep < _DEEPEST_HEADER else joined
        return rows

    def has_columns_of(self, other: _Page) -> bool:
        """Whether two sheets are parts of one table: their headings are the same, however they are written, but for
        remarks that one of them has alone."""
        if self.error is not None or self.header.names == other.header.names:
            return self.error is None
        own, others = ({fold(name): name for name in page.header.names} for page in (self, other))
        is_unique = len(own) == len(self.header.names) and len(others) == len(other.header.names)
        differing = [name for key, name in (own | others).items() if (key in own) != (key in others)]
        return is_unique and all(map(names_remark, differing)) and len(differing) < len(own)

    def cells(self) -> Iterator[list[Any]]:
        """All rows of the sheet; a cell merged with the one above or to the left has that one's value."""
        down: dict[int, tuple[int, Any]] = {}
        starts: dict[int, list[Area]] = {}
        for area in self.sheet.merged_cells:
            starts.setdefault(area.top, []).append(area)
        for number, cells in enumerate(self.sheet.rows(), 1):
            if starts:
                for column, (last, value) in list(down.items()):
                    if number > last:
                        del down[column]
                    elif column <= len(cells) and cells[column - 1] is None:
                        cells[column - 1] = value
                for area in starts.get(number, ()):
                    left, right = area.left, area.right
                    value = cells[left - 1] if left <= len(cells) else None
                    if area.bottom > number and left == right:
                        down[left] = (area.bottom, value)
                    if right > left and area.bottom == number and self._is_header_area(left, right, cells):
                        cells[left - 1 : right] = [value] * (min(right, len(cells)) - left + 1)
            yield cells

    @staticmethod
    def _is_header_area(left: int, right: int, cells: Sequence[Any]) -> bool:
        """Whether a wide cell is one of several in its row: a title alone over the table is not spread out."""
        return any(cell is not None for at, cell in enumerate(cells, 1) if not left <= at <= right)

    def rows(self) -> Iterator[Row]:
        names = self.header.names
        width = len(names)
        self.dates = 0
        doubtful = [at for at, name in enumerate(names) if role_named(name) != "answered_at"]
        for line, row in enumerate(self.cells(), 1):
            if line <= self.header.position + 1:
                continue
            self.dates += sum(_may_have_been_text(row[at]) for at in doubtful if at < len(row))
            if any(cell is not None for cell in row[width:]):
                at = next(at for at, cell in enumerate(row[width:], width + 1) if cell is not None)
                textfile.failed(
                    self.path,
                    f"The cell {str(row[at - 1])[:40]!r} in column {at} lies under no column name.",
                    line,
                    "Name the column, or move what is no part of the table to a sheet of its own.",
                    item=f"sheet {self.title}",
                )
            cells = [as_written(value) for value in row[:width]]
            if any(cell is not None for cell in cells):
                yield line, cells + [None] * (width - len(cells)), {}


def _may_have_been_text(cell: Any) -> bool:
    """Whether a cell is a day or a time alone, as spreadsheets make of `1-2` and `1:30`."""
    is_moment = isinstance(cell, datetime) and cell.time() != time()
    return isinstance(cell, date | time) and not is_moment


# Tables in text documents


def _document_tables(path: Path, tables: Sequence[list[list[str]]]) -> TableRows:
    """The rows of the tables of a document that have the same columns."""
    tables = [rows for rows in tables if len(rows) > 1]
    if not tables:
        step = "Copy the texts into a table (columns segment, source, target), one row for each sentence."
        textfile.failed(path, "There is no table in this document.", next_step=step, code="no_rows")
    main = max(tables, key=lambda rows: (header_score(rows[0]), len(rows)))
    header = _find_header(path, main[:_SEARCHED])
    same = [rows for rows in tables if rows is main or rows[0] == main[0]]
    lines = [
        (line, (row + [""] * len(header.names))[: len(header.names)])
        for rows in same
        for line, row in enumerate(rows[header.position + 1 :], header.position + 2)
    ]
    notes = [*_skipped_note(main, header.position - header.depth + 1, header.position + 1), *header.notes]
    if left := len(tables) - len(same):
        notes.append(
            in_number(
                left,
                "{n} other table of the document has other columns and is left out.",
                "{n} other tables of the document have other columns and are left out.",
            )
        )
    full_rows = [(line, row, dict[str, Any]()) for line, row in lines if any(row)]
    return TableRows(header.names, full_rows, notes, line=header.position + 1)

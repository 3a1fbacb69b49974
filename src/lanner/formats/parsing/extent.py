"""How far a table reaches on its sheet: other tables below it or beside it, and rows that are none of its own.

People put a summary, a legend or a list of judges under their ratings. Read as rows of the table they would be judges
and scores that never were.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from lanner.errors import InputError
from lanner.formats.parsing import textfile
from lanner.formats.parsing.columns import column_map, header_score
from lanner.formats.parsing.values import is_missing, is_numeric

Row = tuple[int, Sequence[Any], dict[str, Any]]
_LONGEST_NAME = 60
_LOOKED_AT = 50
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
        self._numbers = [0] * len(header)
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
        if self._rows >= _REMEMBERED or sum(not is_missing(value) for value in values) < 2:  # a remark, a total
            return
        self._rows += 1
        for at, value in enumerate(values[: len(self.header)]):
            if not is_missing(value):
                self._value_counts[at] += 1
                self._numbers[at] += is_numeric(value)
                self._values[at].add(str(value))

    def _leaves_out(self, block: Sequence[Row]) -> bool:
        """Whether rows after an empty one are no rows of this table; then it is said what they are."""
        line = block[0][0]
        cells = [[value for value in values if not is_missing(value)] for _, values, _ in block]
        always = sum(count == self._rows for count in self._value_counts)
        if always >= 3 and all(len(row) == 1 for row in cells) and not self._is_known(block[0][1]):
            self.notes.append(f"What stands below the table on line {line} is left out: {_excerpt(cells[0])}.")
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
            below = [row[at] for row in rest if at < len(row) and not is_missing(row[at])]
            if self._numbers[at] == count or (not self._numbers[at] and below and all(map(is_numeric, below))):
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
    for _ in range(_LOOKED_AT):
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

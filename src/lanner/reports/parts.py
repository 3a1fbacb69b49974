"""What a report is made of, before it is HTML or LaTeX: sections of paragraphs, tables and figures."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from lanner.formats.parsing.values import guarded
from lanner.model import Json
from lanner.reports.references import Reference


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table: which field of a row, its heading, and how quiet it is (an interval is `quiet`)."""

    key: str
    heading: str
    quiet: bool = False
    text: bool = False
    span: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table with a caption that states the finding. `rows` hold what is printed, `data` the full numbers.

    A row with the key "group" alone is a group heading; one with "total": True is set off below.
    """

    id: str
    caption: str
    columns: Sequence[Column]
    rows: Sequence[Mapping[str, Json]]
    data: Sequence[Mapping[str, Json]] = ()
    signature: str = ""
    folded: bool = False
    """Whether it is looked up rather than read: a report keeps it for the appendix."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawing with a caption that states the finding, how to read the marks, and n."""

    id: str
    caption: str
    svg: str
    data: Sequence[Mapping[str, Json]] = ()
    signature: str = ""
    folded: bool = False


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Running text; `strong` parts are marked by ** as in Markdown, nothing else is."""

    text: str


@dataclass(frozen=True, slots=True)
class Quotes:
    """Sentences in their context with who said what: the most disputed ones, or comments."""

    id: str
    caption: str
    entries: Sequence[Mapping[str, Json]]
    folded: bool = False


Block = Paragraph | Table | Figure | Quotes


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the report that stands in the contents. Its `findings` open the report, after its `caveats`; in the
    `appendix` stands what is looked up rather than read. What can be `pasted` into a paper has a button to copy it."""

    id: str
    title: str
    blocks: Sequence[Block]
    findings: Sequence[str] = ()
    appendix: bool = False
    caveats: Sequence[str] = ()
    pasted: bool = False


@dataclass(frozen=True, slots=True)
class Report:
    """A whole report. `findings` are sentences computed from the numbers; they open it."""

    title: str
    kicker: str
    byline: str
    findings: Sequence[str]
    sections: Sequence[Section]
    language: str = "en"
    notes: Sequence[str] = field(default_factory=tuple)
    caveats: Sequence[str] = ()
    """What to know before the findings are read."""
    references: Sequence[Reference] = ()

    @property
    def tables(self) -> list[Table]:
        return [block for section in self.sections for block in section.blocks if isinstance(block, Table)]

    @property
    def figures(self) -> list[Figure]:
        return [block for section in self.sections for block in section.blocks if isinstance(block, Figure)]


def csv_text(rows: Sequence[Mapping[str, Json]]) -> str:
    """Rows as CSV. Text that a spreadsheet would run as a formula is given an apostrophe in front."""
    columns = list(dict.fromkeys(key for row in rows for key in row))
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_cell(row.get(column)) for column in columns] for row in rows)
    return buffer.getvalue()


def _cell(value: Json) -> Json:
    if isinstance(value, list | dict | tuple):
        value = json.dumps(value, ensure_ascii=False)
    elif isinstance(value, datetime):  # one format for all, so that a spreadsheet reads the column as times
        value = value.isoformat(sep=" ", timespec="microseconds")
    return guarded(value) if isinstance(value, str) else value

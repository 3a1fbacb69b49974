"""A segment under review as plain data: its rows in context, every text beside the others, what is in doubt marked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lanner.corpus.columns import language, texts
from lanner.corpus.edits import parent
from lanner.corpus.review import Place, Review
from lanner.corpus.split import joiner
from lanner.figures.typeset import shortened
from lanner.model import Document, Segment, languages

AROUND = 2
"""Rows of the neighbouring segments that are shown for context, on each side."""
LETTERS = 90
FEW = 4
"""So many outputs fit beside each other; with more, those that are sure are shown on request."""


@dataclass(frozen=True, slots=True)
class Column:
    """One text of all rows. `unspaced` scripts are cut between letters, others between words."""

    key: str
    name: str
    kind: str
    language: str
    direction: str
    unspaced: bool


@dataclass(frozen=True, slots=True)
class Cell:
    """A text of a row; `sure` is its confidence where that is too low."""

    column: Column
    text: str
    sure: float | None


@dataclass(frozen=True, slots=True)
class Row:
    """A row; `own` ones belong to the segment under review, the others are context. `last` has no row to merge with."""

    id: str
    cells: tuple[Cell, ...]
    own: bool
    last: bool
    doubtful: bool
    judged: bool


@dataclass(frozen=True, slots=True)
class Line:
    """A segment in the list of all."""

    number: int
    text: str
    language: str
    open: bool


@dataclass(frozen=True, slots=True)
class Group:
    """What the page shows at once. `hidden` counts the outputs that are not in doubt and not shown."""

    at: int
    of: int
    left: int
    document: str
    title: str
    domain: str
    note: str
    segment: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    row: str
    hidden: int
    everything: bool
    foldable: bool
    edits: int

    @property
    def width(self) -> int:
        """Columns of the table, the row's number included."""
        return len(self.columns) + 1


def group(review: Review, at: int, row: str = "", *, everything: bool = False) -> Group:
    """The segment of that number, with `row` (else the first in doubt) as the one to act on."""
    place = review.places[at]
    document = review.document(place.document)
    rows = review.rows(place)
    columns = _columns(document, rows, _wanted(review, place), everything)
    open_rows = [found.id for found in rows if review.unsure(document.id, found)]
    names = [found.id for found in rows]
    return Group(
        at=at,
        of=len(review.places),
        left=len(review.open),
        document=document.id,
        title=document.title or document.id,
        domain=document.domain,
        note=document.note,
        segment=place.parent,
        columns=columns,
        rows=tuple(_rows(review, document, rows, columns)),
        row=row if row in names else (open_rows or names)[0],
        hidden=len(texts(rows[0])) - len(columns),
        everything=everything,
        foldable=len(rows[0].outputs) > FEW,
        edits=len(review.edits),
    )


def lines(review: Review) -> list[Line]:
    """All segments under review."""
    still = set(review.open)
    made = []
    for number, place in enumerate(review.places):
        document = review.document(place.document)
        source = " ".join(row.source for row in review.rows(place))
        made.append(Line(number, shortened(source, LETTERS), document.source_language, number in still))
    return made


def _wanted(review: Review, place: Place) -> set[str]:
    """The texts that were in doubt anywhere in a segment; they stay in view when they are settled."""
    original = review.documents[place.document]
    rows = {row.id for row in original.segments if parent(row) == place.parent}
    return {doubt.column for doubt in review.doubts if doubt.document == place.document and doubt.segment in rows}


def _columns(document: Document, rows: Sequence[Segment], wanted: set[str], everything: bool) -> tuple[Column, ...]:
    made = []
    found = list(texts(rows[0]))
    everything = everything or sum(key.startswith("output:") for key in found) <= FEW
    for key in found:
        kind, _, name = key.partition(":")
        if kind == "output" and key not in wanted and not everything:
            continue
        code = language(document, key)
        direction = "auto" if code == "und" else languages.direction(code)
        said = {"source": "Source", "reference": "Reference" if name in ("", "reference") else f"Reference {name}"}
        made.append(Column(key, said.get(kind, name), kind, code, direction, not joiner(code)))
    return tuple(made)


def _rows(review: Review, document: Document, own: Sequence[Segment], columns: Sequence[Column]) -> list[Row]:
    segments = list(document.segments)
    first, last = segments.index(own[0]), segments.index(own[-1])
    shown = segments[max(0, first - AROUND) : last + 1 + AROUND]
    names = {row.id for row in own}
    made = []
    for row in shown:
        unsure = review.unsure(document.id, row) if row.id in names else {}
        found = texts(row)
        cells = tuple(Cell(column, found.get(column.key, ""), unsure.get(column.key)) for column in columns)
        is_own = row.id in names
        made.append(Row(row.id, cells, is_own, row.id == own[-1].id, bool(unsure), row.judged))
    return made

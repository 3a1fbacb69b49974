"""Going through doubtful rows one segment after another: what is open, what was done, and the way back.

A review holds the documents as the split left them, the doubts, and the edits made so far. Every action is a list of
edits, so that it can be logged as it happens, undone as a whole, and applied again by somebody else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from lanner.corpus.columns import language, texts
from lanner.corpus.edits import Edit, edited, joined, parent
from lanner.corpus.rows import DOUBTFUL, Doubt
from lanner.corpus.split import joiner
from lanner.errors import InputError, Where
from lanner.model import Document, Segment

_WORD = re.compile(r"\S+\s*")
_CLAUSE = re.compile(r".+?(?:[.!?…。！？｡।॥؟۔,;:，、；：،؛]+[\"'”’»」』）)\]]*\s*|$)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Place:
    """A segment with something in doubt: the document, and the segment its rows were cut from."""

    document: str
    parent: str


@dataclass(slots=True)
class Review:
    """The documents under review. `places` are the segments to look at, in order; they stay the same to the end."""

    documents: dict[str, Document]
    doubts: Sequence[Doubt]
    actions: list[list[Edit]] = field(default_factory=list)
    places: tuple[Place, ...] = ()
    _now: dict[str, Document] = field(default_factory=dict)
    _unsure: dict[tuple[str, str], dict[str, float]] = field(default_factory=dict)

    @classmethod
    def of(cls, documents: Iterable[Document], doubts: Sequence[Doubt], edits: Iterable[Edit] = ()) -> Review:
        """A review of the documents that have doubts, with edits of an earlier session."""
        ids = {doubt.document for doubt in doubts}
        review = cls({document.id: document for document in documents if document.id in ids}, doubts)
        review._now = dict(review.documents)
        for doubt in doubts:
            review._unsure.setdefault((doubt.document, doubt.segment), {})[doubt.column] = doubt.confidence
        places = (
            Place(document.id, whole)
            for document in review.documents.values()
            for whole, rows in groupby(document.segments, parent)
            if any((document.id, row.id) in review._unsure for row in rows)
        )
        review.places = tuple(dict.fromkeys(places))
        for edit in edits:
            review.do([edit])
        return review

    @property
    def edits(self) -> list[Edit]:
        """Everything done and not undone, in order."""
        return [edit for action in self.actions for edit in action]

    def document(self, name: str) -> Document:
        """A document with the edits made so far."""
        if name not in self._now:
            raise InputError(f"There is no document {name!r} to look at.")
        return self._now[name]

    def rows(self, place: Place) -> list[Segment]:
        """The rows of a segment as they are now."""
        return [row for row in self.document(place.document).segments if parent(row) == place.parent]

    def unsure(self, document: str, row: Segment) -> dict[str, float]:
        """The texts of a row that are in doubt still, with their confidence."""
        return self._unsure.get((document, row.id), {}) if DOUBTFUL in row.flags else {}

    @property
    def open(self) -> list[int]:
        """The numbers of the segments that are not settled yet."""
        doubtful = {
            Place(name, parent(row))
            for name, document in self._now.items()
            for row in document.segments
            if DOUBTFUL in row.flags
        }
        return [number for number, place in enumerate(self.places) if place in doubtful]

    def do(self, edits: Sequence[Edit]) -> None:
        """Make these edits, all or none of them, as one action."""
        documents: dict[str, Document] = {}
        for edit in edits:
            before = documents.get(edit.document) or self.document(edit.document)
            documents[edit.document] = edited(before, [edit])
        self._now |= documents
        self.actions.append(list(edits))

    def undo(self) -> list[Edit]:
        """Take the last action back; the edits that it was, none if there is nothing to take back."""
        if not self.actions:
            return []
        action = self.actions.pop()
        for name in {edit.document for edit in action}:
            self._now[name] = edited(self.documents[name], [edit for edit in self.edits if edit.document == name])
        return action

    def acceptance(self, place: Place, row: str = "") -> list[Edit]:
        """The edits that accept a row as it is, or everything in doubt of a segment."""
        rows = [r for r in self.rows(place) if (r.id == row if row else DOUBTFUL in r.flags)]
        return [Edit("accept", place.document, candidate.id) for candidate in rows]

    def shift(self, place: Place, row: str, column: str, step: int, *, coarse: bool = False) -> Edit:
        """The edit that moves the border below a row in one text by a word (or a clause): to the right, so that the
        row gains what the next begins with, or to the left."""
        document, rows = self.document(place.document), self.rows(place)
        at = next((n for n, candidate in enumerate(rows) if candidate.id == row), len(rows))
        if at + 1 >= len(rows):
            raise InputError(
                "There is no row below this one in its segment.",
                where=Where(item=f"{place.document} {row}"),
                next_step="The border of a segment is known to be right; borders inside it can be moved.",
            )
        if column not in texts(rows[at]):
            raise InputError(f"There is no text {column!r}.", where=Where(item=f"{place.document} {row}"))
        whole = joined(document, rows[at], rows[at + 1])[column]
        offset = _next_place(whole, len(texts(rows[at])[column]), step, language(document, column), coarse)
        return Edit("shift", place.document, row, {column: offset})


def cuts(text: str, code: str) -> list[int]:
    """Where a text can be cut by hand: before every word, before every letter where a script writes no spaces."""
    if joiner(code):
        return [match.start() for match in _WORD.finditer(text)][1:]
    return [n for n in range(1, len(text)) if not text[n].isspace()]


def _next_place(text: str, offset: int, step: int, code: str, coarse: bool) -> int:
    inner = [match.end() for match in _CLAUSE.finditer(text) if match[0]] if coarse else cuts(text, code)
    places = sorted({0, *inner, len(text)})
    if step > 0:
        after = len(text) - len(text[offset:].lstrip())  # the white space at the border is no step of its own
        return next((place for place in places if place > after), len(text))
    before = len(text[:offset].rstrip())
    return next((place for place in reversed(places) if place < before), 0)

"""Going through doubtful rows one segment after another: what is open, what was done, and the way back.

A review holds the documents as the split left them, the doubts, and the edits made so far. Every action is a list of
edits, so that it can be logged as it happens, undone as a whole, and applied again by somebody else.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any

from lanner.corpus.edits import Edit, append_to_log, apply_to_document, join_rows, parent, suggest_split, undo_in_log
from lanner.corpus.rows import DOUBTFUL, SOURCE, Doubt, language, texts
from lanner.corpus.split import joiner
from lanner.errors import InputError, Where
from lanner.model import Document, Segment

_WORD = re.compile(r"\S+\s*")
_CLAUSE = re.compile(r".+?(?:[.!?…。！？｡।॥؟۔,;:，、；：،؛]+[\"'”’»」』）)\]]*\s*|$)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class DoubtfulSegment:
    """A segment with something in doubt: the document, and the segment its rows were cut from."""

    document: str
    parent: str


@dataclass(slots=True)
class Review:
    """The documents under review. `places` are the segments to look at, in order; they stay the same to the end."""

    documents: dict[str, Document]
    doubts: Sequence[Doubt]
    actions: list[list[Edit]] = field(default_factory=list)
    places: tuple[DoubtfulSegment, ...] = ()
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
            DoubtfulSegment(document.id, whole)
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

    def rows(self, place: DoubtfulSegment) -> list[Segment]:
        """The rows of a segment as they are now."""
        return [row for row in self.document(place.document).segments if parent(row) == place.parent]

    def unsure(self, document: str, row: Segment) -> dict[str, float]:
        """The texts of a row that are in doubt still, with their confidence."""
        return self._unsure.get((document, row.id), {}) if DOUBTFUL in row.flags else {}

    @property
    def open(self) -> list[int]:
        """The numbers of the segments that are not settled yet."""
        doubtful = {
            DoubtfulSegment(name, parent(row))
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
            documents[edit.document] = apply_to_document(before, [edit])
        self._now |= documents
        self.actions.append(list(edits))

    def undo(self) -> list[Edit]:
        """Take the last action back and return its edits; none if there is nothing to take back."""
        if not self.actions:
            return []
        action = self.actions.pop()
        for name in {edit.document for edit in action}:
            self._now[name] = apply_to_document(
                self.documents[name], [edit for edit in self.edits if edit.document == name]
            )
        return action

    def acceptance(self, place: DoubtfulSegment, row: str = "") -> list[Edit]:
        """The edits that accept a row as it is, or everything in doubt of a segment."""
        rows = [r for r in self.rows(place) if (r.id == row if row else DOUBTFUL in r.flags)]
        return [Edit("accept", place.document, candidate.id) for candidate in rows]

    def shift(self, place: DoubtfulSegment, row: str, column: str, step: int, *, coarse: bool = False) -> Edit:
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
        whole = join_rows(document, rows[at], rows[at + 1])[column]
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


# One person going through doubtful rows: what a request asks for becomes edits, logged before it is answered.


@dataclass(frozen=True, slots=True)
class ReviewStep:
    """Where an action leads: the segment and row to show next, and what to say about it."""

    at: int
    row: str
    said: str


@dataclass(slots=True)
class ReviewSession:
    """A review with its log. `finish` takes the edits and says where to go on, or what was written."""

    review: Review
    title: str
    finish: Callable[[list[Edit]], str]
    log: Path | None = None
    by: str = ""
    _turn: threading.Lock = field(default_factory=threading.Lock)

    def first(self) -> int:
        """The segment to begin with: the first that is open, else the first."""
        return next(iter(self.review.open), 0)

    def act(self, request: Mapping[str, Any]) -> ReviewStep:
        """Do what a page asks. Two tabs take turns; what cannot be done is refused and changes nothing."""
        with self._turn:
            at, do = _number(request, "at"), request.get("do")
            place, row = self.place(at), str(request.get("row", ""))
            match do:
                case "look":
                    return ReviewStep(at, row, "")
                case "accept":
                    return self._accept_and_go_on(at, place, row, self.review.acceptance(place, row))
                case "accept_all":
                    return self._accept_and_go_on(at, place, "", self.review.acceptance(place))
                case "merge":
                    self._do([Edit("merge", place.document, row)])
                    return ReviewStep(at, row, f"Merged row {row} with the row below.")
                case "split":
                    self._do([Edit("split", place.document, row, _offsets(request.get("cut")))])
                    return ReviewStep(at, f"{row}.1", f"Split row {row}.")
                case "shift":
                    column, step = str(request.get("column", SOURCE)), _number(request, "step")
                    self._do([self.review.shift(place, row, column, step, coarse=bool(request.get("coarse")))])
                    return ReviewStep(at, row, f"Moved {'from' if step > 0 else 'to'} the row below.")
                case "undo":
                    return self._undo(at, row)
            raise InputError(f"Nothing is known about {do!r}.")

    def place(self, at: int) -> DoubtfulSegment:
        """The segment of that number."""
        if not 0 <= at < len(self.review.places):
            raise InputError(f"There is no segment {at + 1} to look at.")
        return self.review.places[at]

    def suggestion(self, request: Mapping[str, Any]) -> dict[str, int]:
        """Where the other texts of a row are best cut if its source is cut at an offset."""
        place, name, offset = self.place(_number(request, "at")), request.get("row"), _number(request, "offset")
        row = next((segment for segment in self.review.rows(place) if segment.id == name), None)
        if row is None or not 0 < offset < len(row.source):
            raise InputError(f"Row {name!r} cannot be cut there.")
        return suggest_split(self.review.document(place.document), row, offset)

    def _accept_and_go_on(self, at: int, place: DoubtfulSegment, row: str, edits: Sequence[Edit]) -> ReviewStep:
        """Accept, and go on to the next row in doubt of this segment, else to the next open segment."""
        if edits:
            self._do(edits)
        left = [segment.id for segment in self.review.rows(place) if self.review.unsure(place.document, segment)]
        message = f"Accepted row {row}." if row else "Accepted."
        if left and row:
            return ReviewStep(at, left[0], message)
        still = self.review.open
        following = next((number for number in still if number > at), next(iter(still), at))
        return ReviewStep(following, "", message)

    def _undo(self, at: int, row: str) -> ReviewStep:
        last_edits = self.review.undo()
        if not last_edits:
            return ReviewStep(at, row, "Nothing to undo.")
        if self.log:
            undo_in_log(self.log, len(last_edits), self.by, _now())
        numbers = {place: number for number, place in enumerate(self.review.places)}
        document = self.review.document(last_edits[0].document)
        names = {segment.id: segment for segment in document.segments}
        back = names.get(last_edits[0].segment)
        if back:
            at = numbers.get(DoubtfulSegment(document.id, parent(back)), at)
        return ReviewStep(at, last_edits[0].segment, f"Undone: {last_edits[0].kind}.")

    def _do(self, edits: Sequence[Edit]) -> None:
        own_edits = [replace(edit, by=self.by, when=_now()) for edit in edits]
        self.review.do(own_edits)
        if self.log:
            append_to_log(self.log, own_edits)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _number(request: Mapping[str, Any], name: str) -> int:
    value = request.get(name)
    if not isinstance(value, int) or isinstance(value, bool):
        raise InputError(f"{name!r} must be a whole number.")
    return value


def _offsets(offsets: Any) -> dict[str, int]:
    if not isinstance(offsets, dict) or not all(type(value) is int for value in offsets.values()):
        raise InputError("'cut' must say an offset for each text.")
    return {str(name): value for name, value in offsets.items()}

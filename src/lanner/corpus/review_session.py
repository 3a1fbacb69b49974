"""One person going through doubtful rows: what a request asks for becomes edits, logged before it is answered."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lanner.corpus import edit_log
from lanner.corpus.columns import SOURCE
from lanner.corpus.edits import Edit, suggest_split
from lanner.corpus.review import Place, Review
from lanner.errors import InputError


@dataclass(frozen=True, slots=True)
class Step:
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

    def act(self, asked: Mapping[str, Any]) -> Step:
        """Do what a page asks. Two tabs take turns; what cannot be done is refused and changes nothing."""
        with self._turn:
            at, do = _number(asked, "at"), asked.get("do")
            place, row = self.place(at), str(asked.get("row", ""))
            match do:
                case "look":
                    return Step(at, row, "")
                case "accept":
                    return self._accepted(at, place, row, self.review.acceptance(place, row))
                case "accept_all":
                    return self._accepted(at, place, "", self.review.acceptance(place))
                case "merge":
                    self._do([Edit("merge", place.document, row)])
                    return Step(at, row, f"Merged row {row} with the row below.")
                case "split":
                    self._do([Edit("split", place.document, row, _offsets(asked.get("cut")))])
                    return Step(at, f"{row}.1", f"Split row {row}.")
                case "shift":
                    column, step = str(asked.get("column", SOURCE)), _number(asked, "step")
                    self._do([self.review.shift(place, row, column, step, coarse=bool(asked.get("coarse")))])
                    return Step(at, row, f"Moved {'from' if step > 0 else 'to'} the row below.")
                case "undo":
                    return self._undone(at, row)
            raise InputError(f"Nothing is known about {do!r}.")

    def place(self, at: int) -> Place:
        """The segment of that number."""
        if not 0 <= at < len(self.review.places):
            raise InputError(f"There is no segment {at + 1} to look at.")
        return self.review.places[at]

    def suggestion(self, asked: Mapping[str, Any]) -> dict[str, int]:
        """Where the other texts of a row are best cut if its source is cut at an offset."""
        place, name, offset = self.place(_number(asked, "at")), asked.get("row"), _number(asked, "offset")
        row = next((found for found in self.review.rows(place) if found.id == name), None)
        if row is None or not 0 < offset < len(row.source):
            raise InputError(f"Row {name!r} cannot be cut there.")
        return suggest_split(self.review.document(place.document), row, offset)

    def _accepted(self, at: int, place: Place, row: str, edits: Sequence[Edit]) -> Step:
        """On to the next row in doubt of this segment, else to the next open segment."""
        if edits:
            self._do(edits)
        left = [found.id for found in self.review.rows(place) if self.review.unsure(place.document, found)]
        said = f"Accepted row {row}." if row else "Accepted."
        if left and row:
            return Step(at, left[0], said)
        still = self.review.open
        following = next((number for number in still if number > at), next(iter(still), at))
        return Step(following, "", said)

    def _undone(self, at: int, row: str) -> Step:
        gone = self.review.undo()
        if not gone:
            return Step(at, row, "Nothing to undo.")
        if self.log:
            edit_log.undo(self.log, len(gone), self.by, _now())
        numbers = {place: number for number, place in enumerate(self.review.places)}
        document = self.review.document(gone[0].document)
        names = {found.id: found for found in document.segments}
        back = names.get(gone[0].segment)
        place = Place(document.id, str(back.meta.get("parent", back.id))) if back else None
        return Step(numbers.get(place, at) if place else at, gone[0].segment, f"Undone: {gone[0].kind}.")

    def _do(self, edits: Sequence[Edit]) -> None:
        signed = [replace(edit, by=self.by, when=_now()) for edit in edits]
        self.review.do(signed)
        if self.log:
            edit_log.append(self.log, signed)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _number(asked: Mapping[str, Any], name: str) -> int:
    value = asked.get(name)
    if not isinstance(value, int) or isinstance(value, bool):
        raise InputError(f"{name!r} must be a whole number.")
    return value


def _offsets(given: Any) -> dict[str, int]:
    if not isinstance(given, dict) or not all(type(value) is int for value in given.values()):
        raise InputError("'cut' must say an offset for each text.")
    return {str(name): value for name, value in given.items()}

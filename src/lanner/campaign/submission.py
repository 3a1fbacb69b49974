"""Answers on their way in, and what became of them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal

from lanner.errors import CampaignError
from lanner.model import Item, Json


@dataclass(frozen=True, slots=True)
class Submission:
    """Answers to questions about one item of a task. `elapsed` and `active` are the seconds spent on the item so far.
    `base` names the judgement each answer replaces as the client knows it (None: there was none); left out, no
    conflict is looked for. `judge`, where given, must be the task's: the id, the seat's number, or the numbers of all
    the seats of whoever asks."""

    task: int
    item: int
    answers: Mapping[str, Json]
    id: str
    elapsed: float | None = None
    active: float | None = None
    answered_at: datetime | None = None
    base: Mapping[str, int | None] | None = None
    judge: str | int | tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Conflict:
    """Another client had answered in between. Its answer is in the history, the later one counts."""

    question: str
    id: int
    value: Json


@dataclass(frozen=True, slots=True)
class Saved:
    """What a save came to: the judgement of each question, what is still open about the item, what others had said,
    and the item it was about. `answers` are those that were sent; each of them is on disk."""

    ids: Mapping[str, int]
    open: tuple[str, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    repeated: bool = False
    item: Item | None = None
    answers: Mapping[str, Json] = field(default_factory=dict)

    @property
    def done(self) -> bool:
        return not self.open

    @property
    def digests(self) -> dict[str, str]:
        """The digest of each answer as it was sent. A client forgets an answer only when it is named here."""
        return {question: digest(value) for question, value in self.answers.items()}


class ReusedError(CampaignError):
    """An id that already stands for other answers. Nothing of the second submission was stored.

    `stored` are the answers that the id stands for, where they are this judge's and about this item: the judgement's
    id and its value. `digests` names those of the second submission that are among them.
    """

    def __init__(
        self,
        submission: str,
        *,
        stored: Mapping[str, tuple[int, Json]] | None = None,
        answers: Mapping[str, Json] | None = None,
    ) -> None:
        super().__init__(
            f"The submission {submission!r} was used before, for other answers.",
            code="reused",
            next_step="Nothing was stored. Send these answers under an id of their own, for instance a random UUID.",
        )
        self.stored = dict(stored or {})
        self.digests = {question: digest(value) for question, value in (answers or {}).items()}


def digest(value: Json) -> str:
    """SHA-256 of an answer as canonical JSON (RFC 8785), which every language can compute."""
    return hashlib.sha256(_canonical(value).encode("utf-8", "surrogatepass")).hexdigest()


_encode = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode


def _is_plain(value: Json) -> bool:
    """Whether Python's own JSON is canonical already: nothing with a decimal point, no key beyond ASCII."""
    if isinstance(value, dict):
        return all(key.isascii() and _is_plain(part) for key, part in value.items())
    if isinstance(value, list):
        return all(map(_is_plain, value))
    return type(value) is not float and (type(value) is not int or abs(value) <= 2**53)


def _canonical(value: Json) -> str:
    if _is_plain(value):
        return _encode(value)
    if isinstance(value, dict):
        ordered = sorted(value.items(), key=lambda entry: entry[0].encode("utf-16-be", "surrogatepass"))
        return "{" + ",".join(f"{_canonical(key)}:{_canonical(part)}" for key, part in ordered) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(_canonical, value)) + "]"
    if isinstance(value, float) or (type(value) is int and abs(value) > 2**53):
        return _number(float(value))
    return _encode(value)


def _number(value: float) -> str:
    """A number as ECMAScript writes it."""
    if value == 0:
        return "0"
    if 1e-6 <= abs(value) < 1e21:
        return format(Decimal(repr(value)), "f").removesuffix(".0")
    mantissa, _, exponent = repr(value).partition("e")
    return f"{mantissa.removesuffix('.0')}e{int(exponent):+d}"

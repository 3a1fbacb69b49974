"""Answers on their way in, and what became of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

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
    and the item it was about."""

    ids: Mapping[str, int]
    open: tuple[str, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    repeated: bool = False
    item: Item | None = None

    @property
    def done(self) -> bool:
        return not self.open


def reused(given: Submission) -> CampaignError:
    """The error for an id that already stands for other answers."""
    return CampaignError(
        f"The submission {given.id!r} was used before, for other answers.",
        code="reused",
        next_step="Give every submission an id of its own, for instance a random UUID.",
    )

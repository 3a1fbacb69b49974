"""What judges write to the organiser about a document: entries of the campaign's log that the live page shows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from lanner.campaign.clock import now
from lanner.errors import CampaignError, InputError
from lanner.model import Json
from lanner.store import Event, Store

KIND = "judge_message"
LONGEST = 2000


@dataclass(frozen=True, slots=True)
class Message:
    """One message: when, from which seat, about which task and document."""

    at: datetime
    seat: int
    task: int
    document: str
    text: str


def send_message(store: Store, task: int, text: str, *, at: datetime | None = None) -> None:
    """Keep a message of a task's judge to the organiser."""
    words = text.strip()
    if not words or len(words) > LONGEST:
        raise InputError(f"A message has 1 to {LONGEST} characters.", code="bad_message")
    with store.writing() as tx:
        entry = tx.tasks.assigned(task)
        if entry is None or entry.judge is None:
            raise CampaignError("There is no such task.", code="unknown_task")
        document = next((item.document for item in entry.task.items if item.document), "")
        detail: dict[str, Json] = {"seat": entry.judge, "task": task, "document": document, "text": words}
        tx.events.add(KIND, at or now(), campaign=entry.campaign, **detail)


def messages_in(events: Iterable[Event]) -> list[Message]:
    """The messages among a campaign's events, newest first."""
    return [
        Message(
            event.at,
            int(event.detail["seat"]),
            int(event.detail["task"]),
            str(event.detail["document"]),
            str(event.detail["text"]),
        )
        for event in events
        if event.kind == KIND
    ][::-1]

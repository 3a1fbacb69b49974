"""Notes to the guidelines, written while a campaign runs: numbered, dated, shown to every judge from then on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from lanner import campaign as campaigns
from lanner.model import Json
from lanner.store import Store

SETTING = "guideline_notes"


@dataclass(frozen=True, slots=True)
class Note:
    """One addition, in force since `at`."""

    number: int
    text: str
    at: str

    def __str__(self) -> str:
        return f"{self.at[:10]} ({self.number}): {self.text}"


def notes(settings: Mapping[str, Json]) -> list[Note]:
    """The notes of a campaign, oldest first."""
    given = settings.get(SETTING)
    entries = [entry for entry in given if isinstance(entry, dict)] if isinstance(given, list) else []
    return [Note(at, str(entry.get("text", "")), str(entry.get("at", ""))) for at, entry in enumerate(entries, 1)]


def add(store: Store, campaign: int, text: str, *, account: int | None, at: datetime) -> Note:
    """Add a note. Earlier ones stay as they are: what judges were told when must remain known."""
    settings = campaigns.get(store, campaign).settings
    entries = [*(settings.get(SETTING) or []), {"text": text, "at": at.isoformat(timespec="seconds"), "by": account}]
    campaigns.configure(store, campaign, settings={SETTING: entries}, account=account, at=at)
    return notes({SETTING: entries})[-1]


def with_notes(guidelines: str, settings: Mapping[str, Json]) -> str:
    """The guidelines with all notes below them."""
    return "\n\n".join([guidelines, *map(str, notes(settings))]).strip()

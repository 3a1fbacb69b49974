from __future__ import annotations

from datetime import UTC, datetime

from lanner import campaign
from lanner.campaign import guidelines
from lanner.store import Store
from web_clients import open_campaign


def test_notes_are_numbered_dated_and_never_changed(store: Store) -> None:
    open_campaign(store)
    for day, text in ((1, "First."), (2, "Second.")):
        guidelines.add(store, 1, text, account=None, at=datetime(2026, 11, day, tzinfo=UTC))
    settings = campaign.get(store, 1).settings
    assert [(note.number, note.text, note.at[:10]) for note in guidelines.notes(settings)] == [
        (1, "First.", "2026-11-01"),
        (2, "Second.", "2026-11-02"),
    ]
    assert guidelines.with_notes("Read.", settings) == "Read.\n\n2026-11-01 (1): First.\n\n2026-11-02 (2): Second."


def test_no_notes_and_odd_settings() -> None:
    assert guidelines.notes({}) == []
    assert guidelines.notes({"guideline_notes": "text"}) == []
    assert guidelines.with_notes("Read.", {}) == "Read."

from __future__ import annotations

from contextlib import AbstractContextManager
from datetime import UTC, datetime

import pytest

from campaign_parts import NOW, first_task, opened, save
from lanner import campaign
from lanner.campaign import adjudication
from lanner.errors import AnswerError, CampaignError
from lanner.model import JudgeKind
from lanner.store import Store, Transaction
from web_clients import open_campaign


def test_what_is_agreed_is_a_judge_of_its_own_with_an_event(store: Store) -> None:
    opened(store, "falcon")
    assert campaign.settle(store, "first", ("d0", "0", ()), {"context": "local"}, note="Said.", at=NOW) == ("context",)
    kinds = {judge.id: judge.kind for judge in campaign.judges(store, "first")}
    [kept] = campaign.judgements(store, "first")
    assert (kinds[kept.judge], kept.value, kept.origin) == (JudgeKind.ADJUDICATED, "local", "adjudicated in a meeting")
    event = campaign.events(store, "first")[-1]
    assert (event.kind, event.detail["note"], event.detail["questions"]) == ("settled", "Said.", ["context"])


def test_a_note_alone_is_kept_without_an_answer(store: Store) -> None:
    opened(store, "falcon")
    assert campaign.settle(store, "first", ("d0", "0", ()), {}, note="Ask the client.") == ()
    assert campaign.judgements(store, "first") == []
    assert campaign.events(store, "first")[-1].detail["note"] == "Ask the client."


def test_what_is_not_asked_or_not_allowed_is_refused(store: Store) -> None:
    opened(store, "falcon")
    with pytest.raises(CampaignError, match="does not ask"):
        campaign.settle(store, "first", ("d0", "0", ()), {"contekst": "local"})
    with pytest.raises(AnswerError):
        campaign.settle(store, "first", ("d0", "0", ()), {"context": "lokal"})
    assert campaign.judgements(store, "first") == []


def test_an_answer_is_taken_over_as_it_is(store: Store) -> None:
    opened(store, "falcon")
    task = first_task(store)
    save(store, task)
    item = task.items[0]
    [given] = [j for j in campaign.judgements(store, "first") if j.question == "context"]
    unit = (item.document, item.segment, given.systems)
    assert campaign.answer_of(store, "first", unit, given.judge, "context") == given.value
    with pytest.raises(CampaignError, match="has not answered"):
        campaign.answer_of(store, "first", unit, "nobody", "context")


def test_notes_are_numbered_dated_and_never_changed(store: Store) -> None:
    open_campaign(store)
    for day, text in ((1, "First."), (2, "Second.")):
        adjudication.add(store, 1, text, account=None, at=datetime(2026, 11, day, tzinfo=UTC))
    settings = campaign.get(store, 1).settings
    assert [(note.number, note.text, note.at[:10]) for note in adjudication.notes(settings)] == [
        (1, "First.", "2026-11-01"),
        (2, "Second.", "2026-11-02"),
    ]
    assert adjudication.with_notes("Read.", settings) == "Read.\n\n2026-11-01 (1): First.\n\n2026-11-02 (2): Second."


def test_notes_of_two_organisers_at_once_are_both_kept(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    number = opened(store, "falcon").id
    write = store.writing

    def write_after_another() -> AbstractContextManager[Transaction]:
        monkeypatch.undo()
        adjudication.add(store, number, "Theirs.", account=None, at=NOW)
        return write()

    monkeypatch.setattr(store, "writing", write_after_another)
    assert adjudication.add(store, number, "Mine.", account=None, at=NOW).number == 2
    kept = adjudication.notes(campaign.get(store, number).settings)
    assert [note.text for note in kept] == ["Theirs.", "Mine."]


def test_no_notes_and_odd_settings() -> None:
    assert adjudication.notes({}) == []
    assert adjudication.notes({"guideline_notes": "text"}) == []
    assert adjudication.with_notes("Read.", {}) == "Read."

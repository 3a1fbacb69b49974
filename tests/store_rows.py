"""A campaign written row by row, for tests of the store alone: what `lanner.campaign` does is tested there."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

from lanner.model import Campaign, CampaignState, Document, Item, Judge, Protocol, Segment, Task
from lanner.store import NewAnswer, Store
from lanner.store.backup import run_checks

PROTOCOL = Protocol.model_validate(
    {
        "name": "mine",
        "version": "1",
        "stage": [
            {"id": "s", "unit": "document", "object": "source", "question": [{"id": "q", "kind": "text"}]},
        ],
    }
)
NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def document(key: str, sentences: int = 3, **more: Any) -> Document:
    segments = (
        Segment(str(n), f"Sentence {n} of {key}.", {"alder": f"A{n}", "birch": f"B{n}"}) for n in range(sentences)
    )
    return Document(key, tuple(segments), "en", "de", **more)


def fill(store: Store, name: str = "first") -> SimpleNamespace:
    """A campaign with two documents, two judges and a task each; its row numbers by name."""
    with store.writing() as tx:
        row = Campaign(0, name, "First", "mine", "abc", CampaignState.OPEN, seed=3, created_at=NOW, opened_at=NOW)
        campaign = tx.campaigns.add(row, PROTOCOL, "def", systems=["alder", "birch"])
        tx.documents.add(campaign, [Document("", ())], start=-1)
        tx.documents.add(campaign, [document("one", domain="news"), document("two", domain="talk")])
        tx.judges.add(campaign, [Judge("ana", name="Ana"), Judge("bo", attributes={"native": "ko"})], NOW)
        judges = {participant.judge.id: participant.number for participant in tx.judges.all(campaign)}
        documents = tx.documents.numbers(campaign)
        items = tuple(Item("one", str(n), ("alder",)) for n in range(3))
        tx.tasks.add(campaign, [Task(0, judge, "page", items) for judge in judges], judges, documents, NOW)
        tasks = {found.task.judge: found.task.id for found in tx.tasks.of_campaign(campaign)}
    return SimpleNamespace(campaign=campaign, judges=judges, documents=documents, tasks=tasks)


def answer(filled: SimpleNamespace, id_: int, **changed: Any) -> NewAnswer:
    row: dict[str, Any] = {
        "id": id_, "campaign": filled.campaign, "judge": filled.judges["ana"], "task": filled.tasks["ana"],
        "document": filled.documents["one"], "segment": "0", "stage": "s", "question": "q", "systems": '["alder"]',
        "role": "main", "revision": 1, "supersedes": None, "base": None, "value": "3", "flags": None,
        "submission": f"submission-{id_}", "part": 0, "elapsed": 9.0, "active": 7.5, "answered_at": None,
        "received_at": 1_772_366_400_000_000, "origin": "",
    }  # fmt: skip
    return NewAnswer(**{**row, **changed})


class _TakenBackError(Exception):
    pass


def found_behind_our_back(store: Store, *statements: str) -> dict[str, tuple[str, ...]]:
    """What the checks of a store find wrong while somebody has changed it without its locks; then it is as before."""
    found: dict[str, tuple[str, ...]] = {}
    with suppress(_TakenBackError), store.deleting() as tx:
        connection = tx.judgements._connection
        run = connection.exec_driver_sql
        if store.kind == "sqlite":
            trigger = run("SELECT sql FROM sqlite_master WHERE name = 'judgement_append_only'").scalar_one()
            around = "DROP TRIGGER judgement_append_only", trigger
        else:
            around = "ALTER TABLE judgement DISABLE TRIGGER ALL", "ALTER TABLE judgement ENABLE TRIGGER ALL"
        for statement in (around[0], *statements, around[1]):
            run(statement)
        found = {finding.check: finding.problems for finding in run_checks(connection) if finding.problems}
        raise _TakenBackError
    return found

from __future__ import annotations

from types import SimpleNamespace

import pytest

from campaign_parts import opened, save
from lanner import campaign
from lanner.store import Store
from lanner.store.backup import verify
from store_rows import answer


@pytest.fixture
def whole(store: Store) -> Store:
    """A real campaign with a revision in it."""
    opened(store)
    task = campaign.next_task(store, "first", "ana")
    assert task is not None
    save(store, task, 0, {"sentence": 3})
    save(store, task, 0, {"sentence": 4})
    return store


def problems(store: Store) -> dict[str, tuple[str, ...]]:
    return {found.check: found.problems for found in verify(store) if found.problems}


def test_a_sound_store_is_found_sound(whole: Store) -> None:
    assert problems(whole) == {}


BREAKS = {
    "UPDATE campaign SET corpus_hash = 'x'": "protocols and texts as frozen",
    "UPDATE campaign SET protocol = '{'": "protocols and texts as frozen",
    "UPDATE campaign SET protocol_hash = 'other'": "protocols and texts as frozen",
    "DELETE FROM judgement WHERE revision = 1": "chains of revisions",
    "UPDATE judgement SET value = '{'": "answers can be read",
    "UPDATE judgement SET part = 3 WHERE revision = 2": "whole saves",
    "UPDATE judgement SET segment = '2' WHERE revision = 1": "chains of revisions",
    "UPDATE judgement SET judge = 2": "one campaign each",
    "UPDATE judgement SET document = 999": "references",
    "UPDATE judgement SET supersedes = NULL": "chains of revisions",
    "DELETE FROM lanner_migration WHERE number = 2": "steps and locks",
}


@pytest.mark.parametrize("sql", BREAKS)
def test_what_was_broken_behind_our_back_is_found(whole: Store, sql: str) -> None:
    with whole.filling() as connection:
        run = connection.exec_driver_sql
        if whole.kind == "sqlite":
            run("ROLLBACK")
            run("PRAGMA foreign_keys = OFF")
            run("DROP TRIGGER judgement_append_only")
            run("BEGIN")
        else:
            run("ALTER TABLE judgement DISABLE TRIGGER ALL")
            for name in ("judge", "document", "supersedes"):
                run(f"ALTER TABLE judgement DROP CONSTRAINT IF EXISTS judgement_{name}_fkey")
        run(sql)
    found = problems(whole)
    assert BREAKS[sql] in found, found


def test_a_lock_that_is_gone_is_told(whole: Store) -> None:
    with whole.filling() as connection:
        on = "" if whole.kind == "sqlite" else " ON judgement"
        connection.exec_driver_sql(f"DROP TRIGGER judgement_append_only{on}")
    assert "judgements could be changed" in problems(whole)["steps and locks"][0]


def test_many_problems_are_cut_short(whole: Store) -> None:
    with whole.writing() as tx:
        seat = tx.judges.all(1)[0].number
        document = tx.documents.numbers(1)["d0"]
        filled = SimpleNamespace(campaign=1, judges={"ana": seat}, tasks={"ana": None}, documents={"one": document})
        tx.judgements.add([answer(filled, 100 + n, question=f"x{n}", value="{") for n in range(40)])
    told = problems(whole)["answers can be read"]
    assert len(told) == 21
    assert told[-1] == "and more"

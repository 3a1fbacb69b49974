from __future__ import annotations

import os
import sqlite3
import threading
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pytest
from sqlalchemy import select, update

from campaign_parts import first_task, opened, save
from lanner import campaign
from lanner.errors import StoreError
from lanner.store import Store, schema
from lanner.store.backup import (
    TABLES,
    backup,
    contents,
    copies,
    copy_rows,
    name_at,
    prune,
    restore,
    verify,
    verify_file,
)
from lanner.store.judgements import digests_of
from store_rows import answer, fill, found_behind_our_back


def answers(store: Store) -> list[tuple[object, ...]]:
    return [(j.id, j.judge, j.question, j.value, j.submission, j.received_at) for j in campaign.history(store, "first")]


def test_there_and_back_on_both_databases(store: Store, tmp_path: Path) -> None:
    opened(store)
    for item in range(3):
        save(store, first_task(store), item)
    secret = campaign.invitations.issue(store, "first", "ana")
    made = backup(store, tmp_path / "copies" / "one.sqlite")
    assert made.contents["judgement"].rows == len(answers(store))
    assert [found.problems for found in verify_file(made.path)] == [()] * 10
    restore(made.path, tmp_path / "again.sqlite")
    with Store.open(tmp_path / "again.sqlite") as again:
        assert answers(again) == answers(store)
        participant = campaign.invitations.lookup(again, secret)
        assert participant and participant.judge.id == "ana"
        save(again, first_task(again), 0)
        assert [found.problems for found in verify(again)] == [()] * 10


def test_a_backup_goes_into_either_database(tmp_path: Path, postgres_url: str) -> None:
    with Store.open(tmp_path / "lanner.sqlite") as store:
        opened(store)
        save(store, first_task(store))
        made = backup(store, tmp_path / "one.sqlite")
        before = answers(store)
    restore(made.path, postgres_url)
    with Store.open(postgres_url) as moved:
        assert answers(moved) == before
        save(moved, first_task(moved), 1)
        with pytest.raises(StoreError, match="not empty"):
            restore(made.path, postgres_url)


def test_while_judges_save_it_holds_one_moment(store: Store, tmp_path: Path) -> None:
    """Saves go on during the copy; the copy has whole saves, and every one acknowledged before it began."""
    opened(store)
    task, acknowledged, stop = first_task(store), [], threading.Event()

    def judge() -> None:
        while not stop.is_set():
            saved = save(store, task, len(acknowledged) % 3)
            acknowledged.append(max(saved.ids.values()))

    judging = threading.Thread(target=judge)
    judging.start()
    try:
        while len(acknowledged) < 5:
            threading.Event().wait(0.01)
        known = set(acknowledged)
        made = backup(store, tmp_path / "one.sqlite")
    finally:
        stop.set()
        judging.join()
    restore(made.path, tmp_path / "again.sqlite")
    with Store.open(tmp_path / "again.sqlite") as again:
        assert known <= {row[0] for row in answers(again)}
        assert not any(found.problems for found in verify(again))


def test_nothing_is_overwritten(store: Store, tmp_path: Path) -> None:
    opened(store)
    made = backup(store, tmp_path / "one.sqlite")
    with pytest.raises(StoreError, match="already"):
        backup(store, made.path)
    with pytest.raises(StoreError, match="no such copy"):
        restore(tmp_path / "none.sqlite", tmp_path / "new.sqlite")


def test_a_disk_without_room_for_the_copy_is_named_and_nothing_is_left(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(store)

    def full(_: object, path: Path) -> None:
        path.with_name(f"{path.name}-journal").write_text("SQLite's own")
        raise sqlite3.OperationalError("database or disk is full")

    (tmp_path / "copies").mkdir()
    killed = [tmp_path / "copies" / f".{day}.sqlite.unfinished-7-wal" for day in ("yesterday", "today")]
    for path in killed:
        path.write_text("half")
    os.utime(killed[0], (0, 0))
    monkeypatch.setattr("lanner.store.backup._copy", full)
    with pytest.raises(StoreError, match="disk is full") as refused:
        backup(store, tmp_path / "copies" / "one.sqlite")
    assert str(refused.value.where) == str(tmp_path / "copies" / "one.sqlite")
    assert list((tmp_path / "copies").iterdir()) == killed[1:]


def test_what_a_process_of_the_same_number_left_stands_in_nobodys_way(store: Store, tmp_path: Path) -> None:
    """In a container every backup is process 1, say."""
    opened(store)
    left = tmp_path / f".nightly.sqlite.unfinished-{os.getpid()}"
    left.write_text("half")
    assert backup(store, tmp_path / "nightly.sqlite").path.exists()
    assert left.exists(), "it may be another's, who is still at it"


def test_the_copy_signs_nobody_in_and_forgets_the_erased(store: Store, tmp_path: Path) -> None:
    opened(store)
    save(store, first_task(store), 0, {"comment": "unforgettable words"})
    with store.writing() as tx:
        tx.sessions.add("the hash of a token", datetime(2030, 1, 1, tzinfo=UTC), datetime.now(UTC), judge=1)
    campaign.withdraw(store, "first", "ana")
    path = backup(store, tmp_path / "one.sqlite").path
    content = path.read_bytes()
    assert b"the hash of a token" not in content
    assert b"unforgettable words" not in content


def test_a_damaged_copy_is_refused_with_words(tmp_path: Path) -> None:
    with Store.open(tmp_path / "lanner.sqlite") as store:
        opened(store)
        for item in range(3):
            save(store, first_task(store), item)
        path = backup(store, tmp_path / "one.sqlite").path
    whole = path.read_bytes()
    path.write_bytes(whole[:-8192] + bytes(8192))
    with pytest.raises(StoreError, match="damaged"):
        restore(path, tmp_path / "new.sqlite")
    path.write_bytes(whole[:9000])
    with pytest.raises(StoreError):
        restore(path, tmp_path / "newer.sqlite")
    with pytest.raises(StoreError):
        verify_file(tmp_path / "nowhere.sqlite")


def test_the_file_of_a_killed_server_is_restored_with_what_lies_in_its_journal(tmp_path: Path) -> None:
    with Store.open(tmp_path / "lanner.sqlite") as store:
        opened(store)
        save(store, first_task(store))
        (tmp_path / "killed").mkdir()
        for path in (tmp_path / "lanner.sqlite", tmp_path / "lanner.sqlite-wal"):
            (tmp_path / "killed" / path.name).write_bytes(path.read_bytes())
        expected = answers(store)
    restore(tmp_path / "killed" / "lanner.sqlite", tmp_path / "again.sqlite")
    with Store.open(tmp_path / "again.sqlite", create=False) as again:
        assert answers(again) == expected != []


def test_a_store_that_is_broken_already_is_copied_and_told(tmp_path: Path) -> None:
    with Store.open(tmp_path / "lanner.sqlite") as store:
        opened(store)
        save(store, first_task(store))
        with store.filling() as connection:
            connection.exec_driver_sql("UPDATE campaign SET corpus_hash = 'x'")
        made = backup(store, tmp_path / "one.sqlite")
    told = ("protocols and texts as frozen: the texts of first are not those it was made with",)
    assert made.problems == told
    assert restore(made.path, tmp_path / "new.sqlite").problems == told


def test_verifying_a_file_changes_no_byte_of_it_and_writes_none_beside_it(tmp_path: Path) -> None:
    """Whether it is a backup or a store that nobody uses: the folder may be one where nothing can be written."""
    with Store.open(tmp_path / "lanner.sqlite") as store:
        opened(store)
        backup(store, tmp_path / "one.sqlite")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    for name in ("one.sqlite", "lanner.sqlite"):
        assert [found.problems for found in verify_file(tmp_path / name)] == [()] * 10
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_full_folder_of_copies_is_pruned(tmp_path: Path) -> None:
    for day in range(1, 6):
        (tmp_path / name_at(datetime(2026, 3, day, 12, tzinfo=UTC))).touch()
    (tmp_path / "mine.sqlite").touch()
    assert [path.name for path in prune(tmp_path, 2)] == [f"lanner-2026030{day}T120000Z.sqlite" for day in (1, 2, 3)]
    assert len(copies(tmp_path)) == 2
    assert prune(tmp_path, 0) == []
    assert (tmp_path / "mine.sqlite").exists()


def test_the_store_is_left_as_it_was(store: Store, tmp_path: Path) -> None:
    opened(store)
    with store.snapshot() as connection:
        before = contents(connection)
    backup(store, tmp_path / "one.sqlite")
    with store.snapshot() as connection:
        assert contents(connection) == before


# All rows from one database to another, of either kind. The tables hold plain types only, so that a row means the same


def test_rows_and_numbers_come_along_from_either_database(store: Store, tmp_path: Path) -> None:
    filled = fill(store)
    gone = fill(store, "second")
    with store.writing() as tx:
        tx.judgements.add([answer(filled, n, segment=str(n % 3), revision=1 + n // 3) for n in range(1, 3)])
        tx.campaigns.remove(gone.campaign)
    with Store.open(tmp_path / "copy.sqlite") as copy:
        with store.snapshot() as read, copy.filling() as written:
            copy_rows(read, written)
            assert contents(written) == contents(read)
            assert contents(read)["judgement"].rows == 2
        again = fill(copy, "third")
        assert again.campaign > gone.campaign, "a number that was given once is not given again"
        assert not set(again.judges.values()) & set(gone.judges.values())


def test_into_either_database(store: Store, tmp_path: Path) -> None:
    with Store.open(tmp_path / "source.sqlite") as source:
        filled = fill(source)
        with source.writing() as tx:
            tx.judgements.add(
                [answer(filled, n, question=f"q{n}", value='"NUL \\u0000 and 😀"') for n in range(1, 300)]
            )
        with source.snapshot() as read, store.filling() as written:
            copy_rows(read, written)
            assert contents(written) == contents(read)
    with store.writing() as tx:
        assert list(tx.judgements.reserve(2, [filled.campaign])) == [300, 301]


def test_one_changed_letter_changes_the_digest(store: Store) -> None:
    filled = fill(store)
    with store.writing() as tx:
        tx.judgements.add([answer(filled, 1)])
    with store.snapshot() as connection:
        before = contents(connection)
    with store.writing() as tx:
        tx.judgements.withdraw(filled.judges["ana"])
        tx.judgements.add([answer(filled, 2, value="4")])
    with store.snapshot() as connection:
        after = contents(connection)
    assert {name for name in before if before[name] != after[name]} == {"judgement", "chain", "withdrawn"}


def test_sessions_are_left_behind() -> None:
    assert "session" not in {table.name for table in TABLES}


# Whether a store is whole


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
    "UPDATE campaign SET protocol_name = 'esa'": "protocols and texts as frozen",
    "UPDATE campaign SET protocol_version = '0'": "protocols and texts as frozen",
    "UPDATE document SET key = 'd7' WHERE key = 'd1'": "protocols and texts as frozen",
    "UPDATE document SET domain = 'talk' WHERE key = 'd0'": "protocols and texts as frozen",
    "UPDATE document SET source_language = 'ko'": "protocols and texts as frozen",
    "UPDATE document SET target_language = 'ko'": "protocols and texts as frozen",
    "UPDATE document SET segments = segments + 1 WHERE key = 'd1'": "protocols and texts as frozen",
    "DELETE FROM judgement WHERE revision = 1": "chains of revisions",
    "UPDATE judgement SET value = '{'": "answers can be read",
    "UPDATE judgement SET part = 3 WHERE revision = 2": "whole saves",
    "UPDATE judgement SET segment = '2' WHERE revision = 1": "chains of revisions",
    "UPDATE judgement SET judge = 2": "one campaign each",
    "UPDATE judgement SET document = 999": "references",
    "UPDATE judgement SET supersedes = NULL": "chains of revisions",
    "DELETE FROM lanner_migration WHERE number = 2": "steps and locks",
}


def test_what_was_broken_behind_our_back_is_found(whole: Store) -> None:
    found = {sql: found_behind_our_back(whole, sql) for sql in BREAKS}
    assert {sql: checks for sql, checks in found.items() if BREAKS[sql] not in checks} == {}
    assert problems(whole) == {}, "each was taken back"


def test_texts_that_changed_places_are_found(whole: Store) -> None:
    """Judgements refer to rows: with the texts of two rows swapped, each answer is about another text."""
    texts = schema.document
    with whole.filling() as connection:
        rows = connection.execute(select(texts).where(texts.c.key != "").order_by(texts.c.id)).mappings().all()
        connection.exec_driver_sql("UPDATE document SET key = 'moved' WHERE key = 'd0'")
        for row, other in zip(reversed(rows), rows, strict=True):
            moved = {name: value for name, value in other.items() if name != "id"}
            connection.execute(update(texts).where(texts.c.id == row["id"]).values(**moved))
    assert problems(whole) == {"protocols and texts as frozen": ("texts of first have changed places",)}


def test_an_answer_deleted_as_if_its_judge_had_withdrawn_is_found(whole: Store) -> None:
    """The chain holds where the digest of a deleted row is kept, which anybody can compute."""
    save(whole, first_task(whole), 1)
    campaign.withdraw(whole, "first", "bo")
    with whole.snapshot() as connection:
        (number, row_hash) = list(digests_of(connection, campaign.get(whole, "first").id))[-1]
    found = found_behind_our_back(
        whole,
        f"INSERT INTO withdrawn (id, campaign, digest) SELECT id, campaign, '{row_hash}' FROM judgement"
        f" WHERE id = {number}",
        f"DELETE FROM judgement WHERE id = {number}",
    )
    assert found["withdrawals as logged"] == ("first: 1 judgements are gone as withdrawn, but 0 by the log",)
    assert "judgements as committed" not in found
    assert problems(whole) == {}
    campaign.withdraw(whole, "first", "ana")
    assert problems(whole) == {}, "what the log says may be gone"


def test_a_lock_that_is_gone_is_told(whole: Store) -> None:
    with whole.filling() as connection:
        on = "" if whole.kind == "sqlite" else " ON judgement"
        connection.exec_driver_sql(f"DROP TRIGGER judgement_append_only{on}")
    assert "judgements could be changed" in problems(whole)["steps and locks"][0]


@pytest.mark.postgres
def test_a_lock_of_another_store_in_the_same_database_is_none_of_this_one(postgres_url: str) -> None:
    schema = postgres_url.rpartition("%3D")[2]
    with Store.open(postgres_url) as first, first.filling() as connection:
        connection.exec_driver_sql(f"CREATE SCHEMA {schema}b")
    with Store.open(f"{postgres_url}b"), Store.open(postgres_url) as store:
        assert problems(store) == {}
        with store.filling() as connection:
            connection.exec_driver_sql("DROP TRIGGER judgement_append_only ON judgement")
        assert "judgements could be changed" in problems(store)["steps and locks"][0]


def test_many_problems_are_cut_short(whole: Store) -> None:
    with whole.writing() as tx:
        participant = tx.judges.all(1)[0].number
        document = tx.documents.numbers(1)["d0"]
        filled = SimpleNamespace(
            campaign=1, judges={"ana": participant}, tasks={"ana": None}, documents={"one": document}
        )
        tx.judgements.add([answer(filled, 100 + n, question=f"x{n}", value="{") for n in range(40)])
    told = problems(whole)["answers can be read"]
    assert len(told) == 21
    assert told[-1] == "and more"

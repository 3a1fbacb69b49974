from __future__ import annotations

import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest

from campaign_parts import first_task, opened, save
from lanner import campaign
from lanner.errors import StoreError
from lanner.store import Store
from lanner.store.backup import backup, copies, name_at, prune, restore, verify, verify_file
from lanner.store.transfer import contents


def answers(store: Store) -> list[tuple[object, ...]]:
    return [(j.id, j.judge, j.question, j.value, j.submission, j.received_at) for j in campaign.history(store, "first")]


def test_there_and_back_on_both_databases(store: Store, tmp_path: Path) -> None:
    opened(store)
    for item in range(3):
        save(store, first_task(store), item)
    secret = campaign.invitations.issue(store, "first", "ana")
    made = backup(store, tmp_path / "copies" / "one.sqlite")
    assert made.contents["judgement"].rows == len(answers(store))
    assert [found.problems for found in verify_file(made.path)] == [()] * 9
    restore(made.path, tmp_path / "again.sqlite")
    with Store.open(tmp_path / "again.sqlite") as again:
        assert answers(again) == answers(store)
        seat = campaign.invitations.lookup(again, secret)
        assert seat and seat.judge.id == "ana"
        save(again, first_task(again), 0)
        assert [found.problems for found in verify(again)] == [()] * 9


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


def test_verifying_a_file_changes_no_byte_of_it(tmp_path: Path) -> None:
    with Store.open(tmp_path / "lanner.sqlite") as store:
        opened(store)
        path = backup(store, tmp_path / "one.sqlite").path
    before = path.read_bytes()
    verify_file(path)
    assert path.read_bytes() == before
    assert sorted(entry.name for entry in tmp_path.glob("one*")) == ["one.sqlite"]


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

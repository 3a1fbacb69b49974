from __future__ import annotations

from pathlib import Path

from lanner.store import Store
from lanner.store.transfer import TABLES, contents, copy_rows
from store_rows import answer, fill


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

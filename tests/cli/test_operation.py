from __future__ import annotations

import socket
from pathlib import Path

from campaign_parts import opened
from cli.command import Command
from lanner.store import Store


def test_a_taken_port_says_which_to_take(lanner: Command) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        ran = lanner("serve", "--port", port)
    assert ran.code == 2
    assert f"--port {port + 1}" in ran.err


def test_a_copy_appears_in_the_folder_and_old_ones_go(lanner: Command, tmp_path: Path) -> None:
    with Store.open(tmp_path / "lanner.sqlite") as store:
        opened(store)
    old = tmp_path / "safe" / "lanner-20200101T000000Z.sqlite"
    old.parent.mkdir()
    old.touch()
    ran = lanner("backup", "--folder", "safe", "--keep", 1, "--json")
    assert ran.code == 0, ran.err
    (row,) = ran.envelope["rows"]
    assert row["deleted"] == [str(Path("safe") / old.name)]
    assert [path.name for path in old.parent.iterdir()] == [Path(row["file"]).name]
    assert row["bytes"] == Path(row["file"]).stat().st_size
    assert lanner("backup", "--out", row["file"]).code == 2
    assert "the same as the store" in lanner("backup", "--out", "mine.sqlite").out


def test_where_there_is_no_store_nothing_is_made(lanner: Command, tmp_path: Path) -> None:
    assert lanner("backup").code == 2
    assert list(tmp_path.iterdir()) == []


def test_a_backup_becomes_a_store_again(lanner: Command, tmp_path: Path) -> None:
    with Store.open(tmp_path / "lanner.sqlite") as store:
        opened(store)
    assert lanner("backup", "--out", "copy.sqlite").code == 0
    ran = lanner("restore", "copy.sqlite", "--store", "new.sqlite")
    assert ran.code == 0, ran.err
    assert "the same as in the backup" in ran.out
    assert "first" in lanner("campaign", "list", "--store", "new.sqlite").out
    again = lanner("restore", "copy.sqlite", "--store", "new.sqlite")
    assert again.code == 2
    assert "not empty" in again.err


def test_a_whole_store_and_a_damaged_one(lanner: Command, tmp_path: Path) -> None:
    with Store.open(tmp_path / "lanner.sqlite") as store:
        opened(store)
        assert lanner("backup", "--out", "copy.sqlite").code == 0
        ran = lanner("verify", "--json")
        assert ran.code == 0
        assert {row["found"] for row in ran.envelope["rows"]} == {"whole"}
        with store.filling() as connection:
            connection.exec_driver_sql("UPDATE campaign SET corpus_hash = 'x'")
    ran = lanner("verify")
    assert ran.code == 5
    assert "1 of 9 checks" in ran.err
    assert "not those it was made with" in ran.out
    assert lanner("verify", "copy.sqlite").code == 0

from __future__ import annotations

from pathlib import Path

from campaign_parts import opened
from cli.command import Command
from lanner.store import Store


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

from __future__ import annotations

import shutil
import sqlite3
from collections import namedtuple
from pathlib import Path

import pytest

from campaign_parts import opened
from cli.command import Command
from lanner.store import Store

Usage = namedtuple("Usage", "total used free")


def test_what_is_here_and_how_to_get_the_rest(lanner: Command, tmp_path: Path) -> None:
    ran = lanner("doctor")
    assert ran.code == 0
    for word in ("Lanner", "Python", "SQLite", "GB free", "Extra postgres", "Nothing is wrong"):
        assert word in ran.out
    assert list(tmp_path.iterdir()) == []  # looking makes no store
    rows = lanner("doctor", "--json").envelope["rows"]
    assert {row["check"] for row in rows} >= {"Lanner", "Python", "System", "Database", "Disk", "Browser"}
    assert all(row["next"] for row in rows if row["state"] != "fine")


def test_a_store_that_is_not_ours_and_a_full_disk_are_wrong(
    lanner: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with sqlite3.connect(tmp_path / "other.sqlite") as other:
        other.execute("CREATE TABLE cakes (name TEXT)")
    other.close()
    ran = lanner("doctor", "--store", "other.sqlite")
    assert ran.code == 2
    assert "some other program" in ran.out
    assert "Database" in ran.err
    monkeypatch.setattr(shutil, "disk_usage", lambda _place: Usage(10, 10, 0))
    assert "Make room" in lanner("doctor").err


def test_a_store_and_a_server_that_does_not_answer(lanner: Command, tmp_path: Path) -> None:
    with Store.open(tmp_path / "lanner.sqlite") as store:
        opened(store)
    rows = {row["check"]: row for row in lanner("doctor", "--json").envelope["rows"]}
    assert "lanner.sqlite" in rows["Database"]["found"]
    ran = lanner("doctor", "--store", "postgresql://nobody@127.0.0.1:1/none?connect_timeout=2")
    assert ran.code == 2
    assert "✗ Database" in ran.out

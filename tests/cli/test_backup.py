from __future__ import annotations

from pathlib import Path

from campaign_parts import opened
from cli.command import Command
from lanner.store import Store


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

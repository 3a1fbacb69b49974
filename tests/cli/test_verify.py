from __future__ import annotations

from pathlib import Path

from campaign_parts import opened
from cli.command import Command
from lanner.store import Store


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

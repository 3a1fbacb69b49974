from __future__ import annotations

import asyncio
import os
from pathlib import Path

from campaign_parts import opened
from lanner.store import Store
from lanner.store.backup import copies, verify_file
from lanner.web.backups import ScheduledBackups


def test_a_copy_is_made_when_it_is_due_and_not_before(store: Store, tmp_path: Path) -> None:
    opened(store)
    keeper = ScheduledBackups(store.address, tmp_path / "copies", hours=1, keep=2)
    assert keeper.is_due()
    assert asyncio.run(keeper.back_up())
    (copy,) = copies(tmp_path / "copies")
    assert not any(found.problems for found in verify_file(copy))
    assert not keeper.is_due()
    os.utime(copy, (0, 0))
    assert keeper.is_due()


def test_what_fails_is_told_and_leaves_nothing(store: Store, tmp_path: Path, caplog) -> None:
    (tmp_path / "copies").write_text("a file where the folder should be")
    keeper = ScheduledBackups(store.address, tmp_path / "copies", hours=1, keep=2)
    assert not asyncio.run(keeper.back_up())
    assert "no backup" in caplog.text
    assert (tmp_path / "copies").read_text().startswith("a file")


def test_it_runs_with_the_server_and_ends_with_it(store: Store, tmp_path: Path) -> None:
    async def run() -> None:
        keeper = ScheduledBackups(store.address, tmp_path / "copies", hours=1, keep=2)
        keeper.begin()
        while not copies(tmp_path / "copies"):
            await asyncio.sleep(0.01)
        await keeper.close()
        idle = ScheduledBackups(store.address, tmp_path / "none", hours=0, keep=2)
        idle.begin()
        await idle.close()
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(run())
    assert len(copies(tmp_path / "copies")) == 1
    assert not (tmp_path / "none").exists()

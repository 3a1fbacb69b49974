from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from campaign_parts import opened
from lanner import campaign
from lanner.errors import CampaignError
from lanner.store import Store
from lanner.store.backup import copies, verify_file
from lanner.web import commands
from lanner.web.app import create_app
from lanner.web.commands import Runs, ScheduledBackups, _last, _summary
from lanner.web.site import ServerSettings
from stub_server import Stub, running
from web_clients import open_campaign, sign_in


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


def test_a_folder_that_is_away_for_a_moment_ends_no_backups(
    store: Store, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    away = iter((True, True))

    def look(folder: Path) -> list[Path]:
        if next(away, False):
            raise PermissionError("the disk is away")
        return copies(folder)

    async def run() -> None:
        keeper = ScheduledBackups(store.address, tmp_path / "copies", hours=1, keep=2)
        keeper.begin()
        while not copies(tmp_path / "copies"):
            await asyncio.sleep(0.01)
            assert keeper._running is not None and not keeper._running.done()
        await keeper.close()

    monkeypatch.setattr(commands, "copies", look)
    monkeypatch.setattr(commands, "_AGAIN_AFTER", 0.0)
    asyncio.run(run())
    assert "no backup: the disk is away" in caplog.text


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


def test_a_model_judges_from_the_page(store: Store) -> None:
    open_campaign(store, protocol="sqm")
    with running(Stub()) as url:
        app = create_app(store, settings=ServerSettings(processes=False, model_servers=(url,)))
        with TestClient(app, follow_redirects=False) as client:
            token = sign_in(client, store)
            form = {"token": token, "do": "start", "model": "m", "base_url": url}
            unlimited = client.post("/campaigns/trial/models", data=form)
            assert unlimited.status_code == 422
            assert "Set a limit" in unlimited.text
            assert client.post("/campaigns/trial/models", data={**form, "limit": "4"}).status_code == 303
            run = client.app.state.site.runs.of(campaign.get(store, "trial").id)
            client.portal.call(asyncio.wait_for, run.watching, 60)
            assert not run.failed, run.message
            assert "items 4" in run.message
            page = client.get("/campaigns/trial/models").text
            assert "The last run has ended" in page
            assert "4 of 12" in page
    assert len({j.segment for j in campaign.judgements(store, "trial") if j.judge == "m"}) > 0


async def _stopped(address: str) -> None:
    runs = Runs(address)
    run = await runs.start(1, ["http.server", "--bind", "127.0.0.1", "0"])
    with pytest.raises(CampaignError, match="already"):
        await runs.start(1, ["http.server"])
    assert run.running
    await runs.close()
    assert not run.running


def test_what_runs_ends_with_the_server_and_not_twice_at_once(tmp_path: Path) -> None:
    asyncio.run(_stopped(str(tmp_path / "x.sqlite")))


def test_what_a_run_came_to_is_told_in_a_line() -> None:
    assert _summary('{"rows": [{"items": 4, "missing": 0, "cost": 0.5}]}') == "items 4, cost 0.5"
    assert _summary("no json") == ""
    assert _last("a\nb\n\nc\nd\n") == "b c d"

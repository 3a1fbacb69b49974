from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from lanner.errors import CampaignError, LannerError
from lanner.store import Store
from lanner.web.worker import SIZE, WorkerPool, WorkerProcess, pack
from web_clients import open_campaign


def test_a_process_of_its_own_makes_pictures_and_is_begun_again_when_it_dies(store: Store) -> None:
    open_campaign(store)

    async def work() -> None:
        maker = WorkerProcess(store.address)
        try:
            first = await maker.ask("snapshot", 1, "")
            assert first.people == ("J1", "J2")
            process = maker._process
            assert process is not None
            assert os.getpriority(os.PRIO_PROCESS, process.pid) >= 10  # those who judge come first
            if sys.platform == "linux":
                assert last_to_go(os.getpid()) < last_to_go(process.pid), "without memory this ends before the server"
            if store.kind == "postgresql":  # dies alike, whatever it reads from
                return
            process.kill()
            await process.wait()
            again = await maker.ask("snapshot", 1, "sentence")
            assert again.main == "sentence"
            with pytest.raises(CampaignError):
                await maker.ask("snapshot", 99, "")
            assert maker._process is not None and maker._process.pid != process.pid
            maker._ask = always_dies  # type: ignore[method-assign]
            with pytest.raises(LannerError, match="lack of memory"):
                await maker.ask("snapshot", 1, "")
        finally:
            await maker.close()

    asyncio.run(work())


async def always_dies(_request: object) -> None:
    raise asyncio.IncompleteReadError(b"", 8)


def last_to_go(process: int) -> int:
    """How soon Linux ends a process when there is no memory left: the larger, the sooner."""
    return int(Path(f"/proc/{process}/oom_score_adj").read_text())


def test_what_goes_over_a_pipe_says_how_long_it_is() -> None:
    sent = pack({"a": 1})
    assert SIZE.unpack(sent[: SIZE.size]) == (len(sent) - SIZE.size,)


class Held:
    """A worker whose jobs end when they are let go."""

    is_started = True

    def __init__(self) -> None:
        self.running: list[str] = []
        self.release = asyncio.Event()

    async def ask(self, job: str, *_arguments: object) -> str:
        self.running.append(job)
        await self.release.wait()
        return job

    async def close(self) -> None:
        pass


def test_large_reports_hold_up_no_plan_and_no_export(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[Held] = []

    def held(*_arguments: object, **_options: object) -> Held:
        started.append(Held())
        return started[-1]

    monkeypatch.setattr("lanner.web.worker.worker", held)

    async def work() -> None:
        pool = WorkerPool(store, process=True, size=2)
        jobs = ["report", "report", "report", "plan", "export", "verify"]
        tasks = [asyncio.create_task(pool.ask(job)) for job in jobs]
        for _ in range(20):
            await asyncio.sleep(0)
        running = sorted(job for entry in started for job in entry.running)
        assert running == ["export", "plan", "report", "report", "verify"], "the third report waits for a report"
        for entry in started:
            entry.release.set()
        assert await asyncio.gather(*tasks) == jobs
        assert await pool.ask("plan") == "plan"
        assert len(started) == 5, "a worker that is idle is used again"
        await pool.close()

    asyncio.run(work())


def test_a_worker_that_is_warm_takes_the_first_job_and_ends_with_the_server(store: Store) -> None:
    async def work() -> None:
        pool = WorkerPool(store, process=True)
        pool.warm("diagnosis")
        pool.warm("decided")  # of the same kind
        with pytest.raises(LannerError):
            await pool.ask("diagnosis", 99, "", "")
        assert len(pool._workers) == 1
        pool.warm("export")
        await asyncio.sleep(0)  # it has begun to start
        await pool.close()
        assert not any(entry.is_started for entry in pool._workers)

    asyncio.run(work())

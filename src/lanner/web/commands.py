"""Commands of ours that the server runs in processes of their own, so that nobody who judges waits for them: backups by
the clock, and model judges that were started from a page.

To models the server lends its key and its way to the network, so whoever operates it says which model servers may be
asked (`lanner serve --model-server`); an owner says which model, and how much it may cost. What was answered is on disk
when a run ends, however it ends, and the next one goes on from there.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from lanner.errors import CampaignError
from lanner.store.backup import copies
from lanner.web.speech import say
from lanner.web.worker import lower_priority

log = logging.getLogger("lanner.web")
_LOOKS_EACH = 60.0
_AGAIN_AFTER = 600.0
_WAIT = 10.0


async def _start(address: str, *command: str, new_session: bool = False) -> asyncio.subprocess.Process:
    """A module of ours as a process, with the store at this address."""
    environment = {**os.environ, "LANNER_STORE": address}  # not on the command line, where others could read it
    pipe = asyncio.subprocess.PIPE
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        *command,
        env=environment,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=pipe,
        stderr=pipe,
        start_new_session=new_session,
    )


class ScheduledBackups:
    """Sees to it that the newest copy in a folder is never much older than `hours`. Several servers may share a folder:
    each looks at what is there before it begins."""

    def __init__(self, address: str, folder: Path, *, hours: float, keep: int) -> None:
        self._address = address
        self._folder = folder
        self._hours = hours
        self._keep = keep
        self._running: asyncio.Task[None] | None = None
        self._process: asyncio.subprocess.Process | None = None

    def begin(self) -> None:
        if self._hours > 0 and self._running is None:
            self._running = asyncio.create_task(self._run())

    def age(self) -> float:
        """Seconds since the newest copy; infinite where there is none."""
        files = copies(self._folder)
        return time.time() - files[-1].stat().st_mtime if files else float("inf")

    def is_due(self) -> bool:
        return self.age() >= self._hours * 3600

    async def back_up(self) -> bool:
        """Make a copy now; whether that went well."""
        options = ("--folder", str(self._folder), "--keep", str(self._keep))
        self._process = await _start(self._address, "lanner", "backup", *options)
        lower_priority(self._process.pid)
        _, output = await self._process.communicate()
        well = self._process.returncode == 0
        log.info("a backup was made") if well else log.error("no backup: %s", output.decode(errors="replace").strip())
        return well

    async def _run(self) -> None:
        while True:
            try:
                well = not self.is_due() or await self.back_up()
            except OSError as error:  # a folder that is away, or no process to be had: neither ends the backups
                log.error("no backup: %s", error)
                well = False
            await asyncio.sleep(_LOOKS_EACH if well else _AGAIN_AFTER)

    async def close(self) -> None:
        """End; a copy that is not finished leaves no file."""
        if self._running is not None:
            self._running.cancel()
            with suppress(asyncio.CancelledError):
                await self._running
        if self._process is not None and self._process.returncode is None:
            self._process.terminate()
            await self._process.wait()


@dataclass(slots=True)
class Run:
    """One run: when it began, what was asked, and how it ended."""

    command: tuple[str, ...]
    began: datetime
    process: asyncio.subprocess.Process
    message: str = ""
    failed: bool = False
    watching: asyncio.Task[None] | None = field(default=None, repr=False)

    @property
    def running(self) -> bool:
        return self.process.returncode is None


class Runs:
    """The last run of each campaign since the server was started."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._runs: dict[int, Run] = {}

    def of(self, campaign: int) -> Run | None:
        return self._runs.get(campaign)

    async def start(self, campaign: int, command: Sequence[str]) -> Run:
        """Begin, unless one is under way."""
        live = self._runs.get(campaign)
        if live is not None and live.running:
            raise CampaignError(
                say("Models are judging here already."), code="running", next_step=say("Wait, or stop them.")
            )
        process = await _start(self._address, *command, "--json", new_session=True)
        run = self._runs[campaign] = Run(tuple(command), datetime.now(UTC), process)
        run.watching = asyncio.create_task(_watch(run))
        return run

    async def stop(self, campaign: int) -> None:
        """As Ctrl+C does: what was answered stays."""
        run = self._runs.get(campaign)
        if run is not None and run.running:
            with suppress(ProcessLookupError):
                run.process.send_signal(signal.SIGINT)

    async def close(self) -> None:
        """End what runs; it goes on from where it was when it is started again."""
        for number in self._runs:
            await self.stop(number)
        watching = [run.watching for run in self._runs.values() if run.watching]
        if watching:
            _, left = await asyncio.wait(watching, timeout=_WAIT)
            for run in self._runs.values():
                if run.watching in left and run.running:
                    run.process.kill()


async def _watch(run: Run) -> None:
    output, problem = await run.process.communicate()
    run.failed = run.process.returncode not in (0, 130)
    run.message = _last(problem.decode(errors="replace")) if run.failed else _summary(output.decode(errors="replace"))


def _last(text: str) -> str:
    """What the command said was wrong, without anything before it."""
    lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
    return " ".join(lines[-3:])[:500]


def _summary(text: str) -> str:
    """Items, replies, tokens and cost, from the command's own words."""
    with suppress(ValueError, LookupError, TypeError):
        row = json.loads(text)["rows"][0]
        return ", ".join(f"{name} {value}" for name, value in row.items() if value)
    return ""

"""Backups by the clock: while the server runs, a copy is made every so many hours in a process of its own, so that
nobody who judges waits for it."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import time
from contextlib import suppress
from pathlib import Path

from lanner.store.backup import copies
from lanner.web.worker import lower_priority

log = logging.getLogger("lanner.web")
_LOOKS_EACH = 60.0
_AGAIN_AFTER = 600.0


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
        command = (sys.executable, "-m", "lanner", "backup", "--folder", str(self._folder), "--keep", str(self._keep))
        environment = {**os.environ, "LANNER_STORE": self._address}  # not on the command line, where others could read
        pipe = asyncio.subprocess.PIPE
        self._process = await asyncio.create_subprocess_exec(*command, env=environment, stdout=pipe, stderr=pipe)
        lower_priority(self._process.pid)
        _, output = await self._process.communicate()
        well = self._process.returncode == 0
        log.info("a backup was made") if well else log.error("no backup: %s", output.decode(errors="replace").strip())
        return well

    async def _run(self) -> None:
        while True:
            pause = _LOOKS_EACH
            if self.is_due() and not await self.back_up():
                pause = _AGAIN_AFTER
            await asyncio.sleep(pause)

    async def close(self) -> None:
        """End; a copy that is not finished leaves no file."""
        if self._running is not None:
            self._running.cancel()
            with suppress(asyncio.CancelledError):
                await self._running
        if self._process is not None and self._process.returncode is None:
            self._process.terminate()
            await self._process.wait()

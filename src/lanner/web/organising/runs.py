"""Model judges that were started from a page: `lanner judge` in a process of its own, one per campaign.

The server lends its key and its way to the network, so whoever operates it says which model servers may be asked
(`lanner serve --model-server`); an owner says which model, and how much it may cost. What was answered is on disk when
a run ends, however it ends, and the next one goes on from there.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime

from lanner.errors import CampaignError
from lanner.web.speech import say

_WAIT = 10.0


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
        environment = {**os.environ, "LANNER_STORE": self._address}  # not on the command line, where others could read
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            *command,
            "--json",
            env=environment,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=pipe,
            stderr=pipe,
            start_new_session=True,
        )
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

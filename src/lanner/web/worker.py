"""Work that takes long is done away from the server, so that it never stands in the way of saving.

A worker is a process that runs jobs of `lanner.web.jobs`, one at a time. Server and process speak in pickled messages
over pipes: the address of the store first, then jobs and results. A worker is started when it is first asked for
something, and again if it dies. Live numbers have a worker of their own; reports, exports and uploads share a pool, so
that one large report holds up nobody's page.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import struct
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from importlib import import_module
from typing import Any, Protocol

from lanner.store import Store
from lanner.web.page.speech import language

SIZE = struct.Struct(">Q")
"""The length of a message, in front of it."""


class Worker(Protocol):
    """Runs jobs one at a time."""

    @property
    def is_started(self) -> bool: ...

    async def ask(self, job: str, *arguments: Any) -> Any: ...

    async def close(self) -> None: ...


def worker(store: Store, *, process: bool) -> Worker:
    """A worker in a process of its own, or in a thread of this one."""
    return WorkerProcess(store.address) if process else WorkerThread(store)


class WorkerThread:
    """Jobs in a thread: for tests, and where a second process is not wanted."""

    is_started = True

    def __init__(self, store: Store) -> None:
        # The jobs load statistics, which a server that has worker processes never needs.
        self._jobs = import_module("lanner.web.jobs").Jobs(store)
        self._thread = ThreadPoolExecutor(1, "lanner-worker")

    async def ask(self, job: str, *arguments: Any) -> Any:
        """The result of a job."""
        work = getattr(self._jobs, job)
        return await asyncio.get_running_loop().run_in_executor(self._thread, copy_context().run, work, *arguments)

    async def close(self) -> None:
        self._thread.shutdown(wait=False, cancel_futures=True)


class WorkerProcess:
    """Jobs in a process, in the reader's language. A process that died is started again, once per job."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._process: asyncio.subprocess.Process | None = None
        self._turn = asyncio.Lock()

    @property
    def is_started(self) -> bool:
        """Whether the process is there; starting takes it a second or two."""
        return self._process is not None

    async def ask(self, job: str, *arguments: Any) -> Any:
        """The result of a job, or the error it met."""
        async with self._turn:
            try:
                result = await self._ask((language(), job, *arguments))
            except (asyncio.IncompleteReadError, ConnectionError):
                await self.close()
                result = await self._ask((language(), job, *arguments))
        if isinstance(result, Exception):
            raise result
        return result

    async def _ask(self, request: tuple[Any, ...]) -> Any:
        process = self._process
        if process is None or process.returncode is not None:
            process = self._process = await self._start()
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(packed(request))
        await process.stdin.drain()
        (size,) = SIZE.unpack(await process.stdout.readexactly(SIZE.size))
        return pickle.loads(await process.stdout.readexactly(size))

    async def _start(self) -> asyncio.subprocess.Process:
        pipe = asyncio.subprocess.PIPE
        command = (sys.executable, "-m", "lanner.web.jobs")
        process = await asyncio.create_subprocess_exec(
            *command, stdin=pipe, stdout=pipe, limit=2**24, preexec_fn=_lower_priority
        )
        assert process.stdin is not None
        process.stdin.write(packed(self._address))  # not on the command line, where others could read a password
        return process

    async def close(self) -> None:
        """End it. It holds nothing that could be lost."""
        process, self._process = self._process, None
        if process is not None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.communicate()  # also closes the pipes


class WorkerPool:
    """Several workers for jobs that may take long. An idle one is taken first; others start when they are needed."""

    def __init__(self, store: Store, *, process: bool, size: int = 2) -> None:
        self._workers = [worker(store, process=process) for _ in range(size if process else 1)]
        self._waiting = [0] * len(self._workers)

    async def ask(self, job: str, *arguments: Any) -> Any:
        """The result of a job, from the worker with the fewest jobs before it."""
        chosen = self._waiting.index(min(self._waiting))
        self._waiting[chosen] += 1
        try:
            return await self._workers[chosen].ask(job, *arguments)
        finally:
            self._waiting[chosen] -= 1

    async def close(self) -> None:
        await asyncio.gather(*(entry.close() for entry in self._workers))


def _lower_priority() -> None:
    # those who judge come first, and whoever waits for a page: also while this one loads what it needs
    if hasattr(os, "nice"):  # not on Windows
        os.nice(10)


def packed(value: object) -> bytes:
    """A value as it goes over a pipe: its length, then itself."""
    content = pickle.dumps(value)
    return SIZE.pack(len(content)) + content

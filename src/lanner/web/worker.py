"""Work that takes long is done away from the server, so that it never stands in the way of saving.

A worker is a process that runs jobs of `lanner.web.jobs`, one at a time. Server and process speak in pickled messages
over pipes: the address of the store first, then jobs and results. A worker is started when it is first asked for
something, and again if it dies. Live numbers have a worker of their own; reports, files, checks and pages have a few
each, so that one large report holds up nobody's plan or export.
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
from pathlib import Path
from typing import Any, Protocol

from lanner.errors import LannerError
from lanner.store import Store
from lanner.web.speech import language, say

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
        """The result of a job, as a process would return it: what cannot go over a pipe fails here too."""
        work = getattr(self._jobs, job)
        run = asyncio.get_running_loop().run_in_executor
        return pickle.loads(pickle.dumps(await run(self._thread, copy_context().run, work, *arguments)))

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
                result = await self._ask_twice((language(), job, *arguments))
            except BaseException:
                await self.close()  # a result that comes later would be taken for that of the next job
                raise
        if isinstance(result, Exception):
            raise result
        return result

    async def _ask_twice(self, request: tuple[Any, ...]) -> Any:
        for _ in range(2):
            try:
                return await self._ask(request)
            except (asyncio.IncompleteReadError, ConnectionError):
                await self.close()
        raise LannerError(
            say("This was begun twice and stopped both times, probably for lack of memory."),
            next_step=say("Try it with less, or ask whoever runs the server."),
        )

    async def _ask(self, request: tuple[Any, ...]) -> Any:
        process = self._process
        if process is None or process.returncode is not None:
            process = self._process = await self._start()
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(pack(request))
        await process.stdin.drain()
        (size,) = SIZE.unpack(await process.stdout.readexactly(SIZE.size))
        return pickle.loads(await process.stdout.readexactly(size))

    async def _start(self) -> asyncio.subprocess.Process:
        pipe = asyncio.subprocess.PIPE
        command = (sys.executable, "-m", "lanner.web.jobs")
        process = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe, limit=2**24)
        lower_priority(process.pid)
        assert process.stdin is not None
        process.stdin.write(pack(self._address))  # not on the command line, where others could read a password
        return process

    async def close(self) -> None:
        """End it. It holds nothing that could be lost."""
        process, self._process = self._process, None
        if process is not None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.communicate()  # also closes the pipes


KINDS = {
    "report": "reports",
    "agreement": "reports",
    "diagnosis": "reports",
    "decided": "reports",
    "training": "reports",
    "guidelines": "reports",
    "calibrate": "files",
    "export": "files",
    "import_file": "files",
    "remove": "files",
    "verify": "checks",
}
"""Which jobs wait for each other. Everything else (texts read in, plans, looks at a file) is part of a page that
somebody is waiting for, and has workers of its own."""
PAGES = "pages"


class WorkerPool:
    """Workers for jobs that may take long, some for each kind: a large report holds up other reports at most, and no
    plan, upload or export. Workers start when they are needed; one that is idle is taken first."""

    def __init__(self, store: Store, *, process: bool, size: int = 2) -> None:
        self._store, self._process = store, process
        self._size = size if process else 1
        self._idle: dict[str, list[Worker]] = {}
        self._turns: dict[str, asyncio.Semaphore] = {}
        self._workers: list[Worker] = []
        self._warming: dict[str, asyncio.Task[Any]] = {}

    def warm(self, job: str) -> None:
        """Someone will probably ask for this job soon: its first worker starts, which takes some seconds."""
        kind = KINDS.get(job, PAGES)
        if kind not in self._idle and kind not in self._warming:
            self._warming[kind] = task = asyncio.create_task(self._ask(kind, "ready"))
            task.add_done_callback(lambda task: task.cancelled() or task.exception())

    async def ask(self, job: str, *arguments: Any) -> Any:
        """The result of a job, as soon as a worker of its kind is free."""
        kind = KINDS.get(job, PAGES)
        if warming := self._warming.get(kind):
            await asyncio.wait([warming])  # and not a second worker beside the one that starts
        return await self._ask(kind, job, *arguments)

    async def _ask(self, kind: str, job: str, *arguments: Any) -> Any:
        idle = self._idle.setdefault(kind, [])
        async with self._turns.setdefault(kind, asyncio.Semaphore(self._size)):
            process = idle.pop() if idle else self._add()
            try:
                return await process.ask(job, *arguments)
            finally:
                idle.append(process)

    def _add(self) -> Worker:
        self._workers.append(worker(self._store, process=self._process))
        return self._workers[-1]

    async def close(self) -> None:
        for task in self._warming.values():
            task.cancel()
        await asyncio.gather(*self._warming.values(), *(e.close() for e in self._workers), return_exceptions=True)


def lower_priority(process: int) -> None:
    """Those who judge come before this process of ours, also while it loads what it needs. Said from outside: a process
    that says it of itself before it begins is started by a copy of the whole server, which holds up saves. Where the
    memory of the machine runs out, it is this process that ends, not the server."""
    with suppress(OSError):  # Linux alone has it
        Path(f"/proc/{process}/oom_score_adj").write_text("800", encoding="ascii")
    if hasattr(os, "setpriority"):  # not on Windows
        with suppress(ProcessLookupError):
            os.setpriority(os.PRIO_PROCESS, process, 10)


def pack(value: object) -> bytes:
    """A value as it goes over a pipe: its length, then itself."""
    content = pickle.dumps(value)
    return SIZE.pack(len(content)) + content

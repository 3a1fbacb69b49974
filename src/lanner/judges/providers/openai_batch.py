"""OpenAI's batch interface: many questions in one file, answered within a day at half the price.

To the rest it is a provider like any other: `ask` returns when the answer is there. Questions that come within a moment
of each other go into one file. Each carries its name (what it is about, the attempt), and the server keeps the files:
a run that was killed finds its batches there and waits for their answers instead of asking, and paying, again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from pydantic_core import from_json, to_json

from lanner.errors import LannerError
from lanner.judges.providers import Call, Endpoint, OverloadedError, RefusedError, Reply, UnanswerableError
from lanner.judges.providers.openai_compatible import Connection, require
from lanner.model import Json

__all__ = ["Batches", "connect", "require"]
MARK = "lanner"
_MOST, _LARGEST = 50_000, 150_000_000  # questions and bytes in one file, by the interface's own limits
_GATHERING = 2.0  # seconds without a new question until a file is sent
_BETWEEN = 20.0  # seconds between two looks at a batch
_OVER = {"completed", "failed", "expired", "cancelled"}


def connect(endpoint: Endpoint) -> Batches:
    """A connection to the server's batches."""
    return Batches(endpoint)


class Batches:
    """Questions of one run, gathered into batches."""

    at_once = _MOST

    def __init__(self, endpoint: Endpoint, *, gathering: float = _GATHERING, between: float = _BETWEEN) -> None:
        self._plain = Connection(endpoint)
        self._gathering, self._between = gathering, between
        self._waiting: dict[str, tuple[bytes, asyncio.Future[Reply]]] = {}
        self._sent: dict[str, asyncio.Future[Reply]] = {}
        self._known: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def models(self) -> list[str]:
        """Names the server says it has."""
        return await self._plain.models()

    async def close(self) -> None:
        """Stop waiting; batches that are under way stay on the server, to be found by the next run."""
        for task in (*self._tasks, *((self._known,) if self._known else ())):
            task.cancel()
        await self._plain.close()

    async def ask(self, call: Call) -> Reply:
        """One reply, once the batch that the question is in has been answered."""
        if not call.name:
            raise LannerError("A question without a name cannot be part of a batch.")
        if self._known is None:
            self._known = asyncio.create_task(self._find_earlier())
        await asyncio.shield(self._known)
        if call.name in self._sent:
            return await asyncio.shield(self._sent.pop(call.name))
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Reply] = loop.create_future()
        body = await self._plain.body(call)
        line = to_json({"custom_id": call.name, "method": "POST", "url": "/v1/chat/completions", "body": body})
        self._waiting[call.name] = (line, future)
        if self._timer is not None:
            self._timer.cancel()
        self._timer = loop.call_later(self._gathering, self._send)
        if len(self._waiting) >= _MOST:
            self._send()
        return await future

    def _send(self) -> None:
        """Hand over what has gathered, in as many files as it takes."""
        waiting, self._waiting = self._waiting, {}
        part: dict[str, tuple[bytes, asyncio.Future[Reply]]] = {}
        size = 0
        for name, entry in waiting.items():
            if part and size + len(entry[0]) > _LARGEST:
                self._start(part)
                part, size = {}, 0
            part[name] = entry
            size += len(entry[0]) + 1
        if part:
            self._start(part)

    def _start(self, part: Mapping[str, tuple[bytes, asyncio.Future[Reply]]]) -> None:
        futures = {name: future for name, (_, future) in part.items()}
        content = b"\n".join(line for line, _ in part.values()) + b"\n"
        self._keep(self._guarded(self._ordered(content, futures), futures))

    def _keep(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _guarded(self, work: Any, futures: Mapping[str, asyncio.Future[Reply]]) -> None:
        """Whatever goes wrong is heard of by all who wait."""
        try:
            await work
            problem: Exception = OverloadedError("the batch came back without this question")
        except (OverloadedError, RefusedError, UnanswerableError) as error:
            problem = error
        for future in futures.values():
            if not future.done():
                future.set_exception(problem)
                future.exception()  # nobody may be waiting any more

    async def _ordered(self, content: bytes, futures: Mapping[str, asyncio.Future[Reply]]) -> None:
        file = await self._plain.upload(content)
        wanted = {"input_file_id": file, "endpoint": "/v1/chat/completions", "completion_window": "24h",
                  "metadata": {"made_by": MARK}}  # fmt: skip
        batch = await self._plain.json("POST", "/batches", wanted)
        await self._await(batch, futures)

    async def _await(self, batch: Mapping[str, Json], futures: Mapping[str, asyncio.Future[Reply]]) -> None:
        while batch.get("status") not in _OVER:
            await asyncio.sleep(self._between)
            batch = await self._plain.json("GET", f"/batches/{batch['id']}")
        for file in ("output_file_id", "error_file_id"):
            if batch.get(file):
                for row in _rows(await self._plain.content(str(batch[file]))):
                    self._settle(row, futures)
        if batch.get("status") != "completed":
            raise OverloadedError(f"the batch {batch.get('id')} is {batch.get('status')}")

    def _settle(self, row: Mapping[str, Json], futures: Mapping[str, asyncio.Future[Reply]]) -> None:
        future = futures.get(str(row.get("custom_id")))
        if future is None or future.done():
            return
        response = row.get("response") or {}
        status = int(response.get("status_code") or 0)
        try:
            content = to_json(response.get("body") or row.get("error") or {})
            if status == 400 and self._plain.learns(content):
                raise OverloadedError("asked in a way that the server does not know")
            if status != 200:
                raise self._plain.failure(status, content)
            future.set_result(self._plain.read(content, 0.0, "batch"))
        except (OverloadedError, RefusedError, UnanswerableError) as error:
            future.set_exception(error)
            future.exception()

    async def _find_earlier(self) -> None:
        """Batches of ours that a run before this one sent: their questions are not asked again."""
        try:
            listed = await self._plain.json("GET", "/batches?limit=100")
        except UnanswerableError:  # a server that keeps no list
            return
        loop = asyncio.get_running_loop()
        for batch in listed.get("data") or ():
            ours = (batch.get("metadata") or {}).get("made_by") == MARK
            if not ours or batch.get("status") in ("failed", "cancelled", "cancelling", "expired"):
                continue
            asked = _rows(await self._plain.content(str(batch["input_file_id"])))
            names = [str(row.get("custom_id")) for row in asked]
            futures: dict[str, asyncio.Future[Reply]] = {name: loop.create_future() for name in names}
            self._sent |= {name: future for name, future in futures.items() if name not in self._sent}
            self._keep(self._guarded(self._await(batch, futures), futures))


def _rows(content: bytes) -> list[Mapping[str, Json]]:
    return [from_json(line) for line in content.splitlines() if line.strip()]

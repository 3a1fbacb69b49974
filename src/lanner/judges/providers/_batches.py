"""Batch interfaces: many questions at once, answered within a day at half the price.

To the rest a batch is a provider like any other: `ask` returns when the answer is there. Questions that come within a
moment of each other go into one batch. Each carries its name (what it is about, the attempt), and the server keeps the
batches: a run that was killed finds its own there and waits for their answers instead of asking, and paying, again.
"""

from __future__ import annotations

import asyncio
import re
from collections import defaultdict
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Self, TypeVar
from urllib.parse import quote

from pydantic_core import from_json, to_json

from lanner.errors import LannerError
from lanner.judges.providers import (
    Call,
    Endpoint,
    OverloadedError,
    RefusedError,
    Reply,
    UnanswerableError,
    UnreadableError,
)
from lanner.judges.providers._http import NOT_UNDERSTOOD, Connection
from lanner.model import Json

MARK = "lanner"
GATHERING = 2.0  # seconds without a new question until a batch is sent
BETWEEN = 20.0  # seconds between two looks at a batch
PATIENCE = 90  # looks in a row that may fail: a batch that was paid for is not given up for a line that is cut
PAGES = 20  # of a hundred batches each: what is older is over and no longer kept
_SENT_AGAIN = re.compile("~|_t")
_STRANGE = (ValueError, KeyError, IndexError, TypeError, AttributeError)
_T = TypeVar("_T")

Batch = Mapping[str, Any]
Futures = Mapping[str, "asyncio.Future[Reply]"]


@dataclass(frozen=True, slots=True)
class Question:
    """A question that waits to be sent: its name, its model, its request and the size of that in bytes."""

    name: str
    model: str
    body: Mapping[str, Json]
    size: int
    future: asyncio.Future[Reply]


@dataclass(frozen=True, slots=True)
class BatchResult:
    """What came of one question: its name, an HTTP status and the reply or error as the server wrote it."""

    name: str
    status: int
    content: Json


class _TooLongError(Exception):
    """A question whose limit on length is too large for it alone, as it may be asked."""

    def __init__(self, shorter: Call) -> None:
        super().__init__(shorter.name)
        self.shorter = shorter


class Batches:
    """Questions of one run, gathered into batches. An interface says how they are sent, looked at and read."""

    interface: type[Connection]
    """How the same server is asked one question at a time."""
    most = 50_000
    """Questions in one batch, by the interface's own limit."""
    largest = 150_000_000
    """Bytes in one batch."""
    after = "after"
    """What the list of batches calls the last one of the page before."""

    def __init__(self, connection: Connection, *, gathering: float = GATHERING, between: float = BETWEEN) -> None:
        self.connection = connection
        self.at_once = self.most
        self._gathering, self._between = gathering, between
        self._waiting: dict[str, Question] = {}
        self._earlier: dict[str, dict[str, asyncio.Future[Reply]]] = defaultdict(dict)
        self._sent: dict[str, tuple[Call, Mapping[str, Json]]] = {}
        self._searches: dict[str, asyncio.Task[None]] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    @classmethod
    def connect(cls, endpoint: Endpoint) -> Self:
        """A connection to the server's batches."""
        return cls(cls.interface(endpoint))

    @classmethod
    def require(cls, endpoint: Endpoint) -> None:
        """Refuse what would hinder a connection."""
        cls.interface.require(endpoint)

    async def create(self, questions: Sequence[Question]) -> Batch:
        """Hand over a batch."""
        raise NotImplementedError

    async def look(self, batch: Batch) -> Batch:
        """The batch as it stands now."""
        raise NotImplementedError

    def is_over(self, batch: Batch) -> bool:
        """Whether nothing more will come of it."""
        raise NotImplementedError

    async def results(self, batch: Batch) -> Sequence[BatchResult]:
        """The outcomes of the questions of a batch that is over."""
        raise NotImplementedError

    def problem(self, batch: Batch) -> str:
        """Why a batch that is over lacks answers; "" where each question has its own outcome."""
        return "" if self.is_over(batch) else "the batch is under way"

    async def earlier(self, run: str) -> Sequence[tuple[Batch, Sequence[str]]]:
        """Batches that an earlier run sent, with the names of their questions. `run` begins the names of this one."""
        raise NotImplementedError

    async def list_batches(self, path: str) -> list[Batch]:
        """The batches that the server lists, the newest first, page by page."""
        batches: list[Batch] = []
        after = ""
        for _ in range(PAGES):
            page = await self.connection.json("GET", f"{path}?limit=100{after}")
            entries = page.get("data") or ()
            batches += entries
            if not (page.get("has_more") and entries):
                break
            after = f"&{self.after}={quote(str(page.get('last_id') or entries[-1]['id']), safe='')}"
        return batches

    def name_of(self, call: Call) -> str:
        """The name of a question, as the interface allows it."""
        return call.name

    async def models(self) -> list[str]:
        """Names the server says it has."""
        return await self.connection.models()

    async def close(self) -> None:
        """Stop waiting; batches that are under way stay on the server, to be found by the next run."""
        for task in (*self._tasks, *self._searches.values()):
            task.cancel()
        await self.connection.close()

    async def ask(self, call: Call) -> Reply:
        """One reply, once the batch that the question is in has been answered. A limit on length that is too large for
        this one question is lowered for it alone."""
        if not call.name:
            raise LannerError("A question without a name cannot be part of a batch.")
        name = self.name_of(call)
        await self._search_earlier(_run_of(name))
        if earlier := self._earlier[_first_name(name)]:  # the latest first: an answer was the end of it
            return await asyncio.shield(earlier.pop(next(iter(earlier))))
        asked = call
        while True:
            try:
                return await self._gather(asked)
            except _TooLongError as error:
                asked = error.shorter._replace(name=f"{call.name}~{error.shorter.max_tokens}")

    async def _gather(self, call: Call) -> Reply:
        """The reply to a question that goes into the next batch."""
        name = self.name_of(call)
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Reply] = loop.create_future()
        body = await self.connection.body(call)
        self._sent[name] = call, body
        self._waiting[name] = Question(name, call.model, body, len(to_json(body)) + 200, future)
        if self._timer is not None:
            self._timer.cancel()
        self._timer = loop.call_later(self._gathering, self._send)
        if len(self._waiting) >= self.most:
            self._send()
        return await future

    async def _search_earlier(self, run: str) -> None:
        """Look once for batches that a judge sent before. After a failure the next question searches again."""
        search = self._searches.get(run)
        if search is None or (search.done() and (search.cancelled() or search.exception())):
            search = self._searches[run] = asyncio.create_task(self._find_earlier(run))
        await asyncio.shield(search)

    def _send(self) -> None:
        """Hand over what has gathered, in as many batches as it takes: one for each model of a judge, since each judge
        looks for its own, none too large."""
        waiting, self._waiting = self._waiting, {}
        groups: dict[tuple[str, str], list[Question]] = {}
        for question in waiting.values():
            groups.setdefault((question.model, _run_of(question.name)), []).append(question)
        for questions in groups.values():
            part: list[Question] = []
            size = 0
            for question in questions:
                if part and size + question.size > self.largest:
                    self._start(part)
                    part, size = [], 0
                part.append(question)
                size += question.size
            self._start(part)

    def _start(self, questions: Sequence[Question]) -> None:
        futures = {question.name: question.future for question in questions}

        async def work() -> None:
            try:
                batch = await self.create(questions)
            except OverloadedError:  # perhaps it was taken all the same: whoever asks again looks for it first
                self._searches.clear()
                raise
            await self._await(batch, futures)

        self._keep(self._report_failures(work(), futures))

    def _keep(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _report_failures(self, work: Coroutine[Any, Any, None], futures: Futures) -> None:
        """Do the work, and raise whatever goes wrong in every future that is still waiting."""
        try:
            await work
            problem: Exception = OverloadedError("the batch came back without this question")
        except (OverloadedError, RefusedError, UnanswerableError) as error:
            problem = error
        except _STRANGE as error:
            problem = RefusedError(
                f"The server's batch interface does not answer as it is documented ({type(error).__name__}: {error}).",
                next_step="Leave out --set batch=true, or check --base-url.",
            )
        for future in futures.values():
            if not future.done():
                future.set_exception(problem)
                future.exception()  # nobody may be waiting any more

    async def over(self, batch: Batch) -> Batch:
        """A batch as it stands when nothing more will come of it."""
        while not self.is_over(batch):
            await asyncio.sleep(self._between)
            batch = await self.look(batch)
        return batch

    async def _await(self, batch: Batch, futures: Futures) -> None:
        while not self.is_over(batch):
            await asyncio.sleep(self._between)
            batch = await self._patiently(self.look, batch)
        for result in await self._patiently(self.results, batch):
            self._settle(result, futures)
        if problem := self.problem(batch):
            raise OverloadedError(problem)

    async def _patiently(self, step: Callable[[Batch], Awaitable[_T]], batch: Batch) -> _T:
        """Repeat a step until the server answers. If it does not for long, the questions stay open and the next run
        finds the batch: sent again, it would be paid again."""
        for failures in range(PATIENCE):
            try:
                return await step(batch)
            except OverloadedError as error:
                problem = error
                await asyncio.sleep(max(self._between, min(error.retry_after or 0.0, 600.0)) if failures else 0.0)
        raise UnanswerableError(f"a batch is under way, and the server says nothing about it: {problem}", final=False)

    def _settle(self, result: BatchResult, futures: Futures) -> None:
        future = futures.get(result.name)
        if future is None or future.done():
            return
        content = to_json(result.content)
        sent = self._sent.pop(result.name, None)  # unknown where an earlier run asked: then this one asks again
        try:
            if result.status in NOT_UNDERSTOOD:
                if sent is None or self.connection.learns(*sent, content):
                    raise OverloadedError("asked in a way that the server does not know")
                if shorter := self.connection.shorten(sent[0], content):
                    raise _TooLongError(shorter)
            if result.status != 200:
                raise self.connection.failure(result.status, content)
            future.set_result(self.connection.read(content, 0.0, "batch", sent and self.connection.settings(sent[1])))
        except (OverloadedError, RefusedError, UnanswerableError, UnreadableError, _TooLongError) as error:
            future.set_exception(error)
            future.exception()

    async def _find_earlier(self, run: str) -> None:
        """Wait for the batches that an earlier run of this judge sent, so that their questions are not asked again."""
        try:
            batches = await self.earlier(run)
        except UnanswerableError:  # a server that keeps no list
            return
        loop = asyncio.get_running_loop()
        for batch, names in batches:
            futures: dict[str, asyncio.Future[Reply]] = {name: loop.create_future() for name in names}
            for name, future in futures.items():
                self._earlier[_first_name(name)].setdefault(name, future)
            self._keep(self._report_failures(self._await(batch, futures), futures))


def _run_of(name: str) -> str:
    """The beginning of a question's name: whose it is."""
    return name[:17]


def added_at(run: str) -> datetime:
    """When the judge was added whose questions begin so: no batch that is older is its own."""
    return datetime.fromtimestamp(int(run[:8], 16), UTC)


def _first_name(name: str) -> str:
    """A question's name as it was when it was first sent: sent again it has more behind it."""
    return _SENT_AGAIN.split(name)[0]


def rows(content: bytes) -> list[Mapping[str, Json]]:
    """A file of JSON lines. What cannot be read is left out: its question came back without an answer."""
    entries: list[Mapping[str, Json]] = []
    for line in content.split(b"\n"):
        try:
            entry = from_json(line) if line.strip() else None
        except ValueError:
            continue
        if isinstance(entry, dict):
            entries.append(entry)
    return entries

"""The writing side of a run: replies into the ledger, then answers through the campaign's door, many in one commit.

Everything goes through one thread in the order it came. What is handed in while a commit is on its way to the disk
goes into the next one, so that the disk's pace bounds the size of a commit and not the number of replies. Ledger rows
are committed before the answers made of them, or with them: after a crash, answers are made again from the ledger and
nobody is asked twice.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from lanner import campaign
from lanner.campaign import Saved, Submission, UnfinishedError
from lanner.campaign.submit import save_all
from lanner.campaign.tasks import finish_in
from lanner.errors import LannerError
from lanner.store import Assigned, NewEntry, Store, Transaction

_LINGER = 0.05  # seconds to wait for company before a commit


@dataclass(slots=True)
class _Batch:
    entries: list[NewEntry] = field(default_factory=list)
    given: list[tuple[Submission, asyncio.Future[Saved | LannerError]]] = field(default_factory=list)
    finished: list[tuple[Assigned, asyncio.Future[None]]] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.entries or self.given or self.finished)


class Writer:
    """Open it as a context; leaving it writes what is left."""

    def __init__(self, store: Store, *, linger: float | None = None) -> None:
        self._store = store
        self._linger = _LINGER if linger is None else linger
        self._batch = _Batch()
        self._due = asyncio.Event()
        self._writer: asyncio.Task[None] | None = None
        self._problem: BaseException | None = None
        self._closing = False

    async def __aenter__(self) -> Writer:
        self._writer = asyncio.create_task(self._write())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._closing = True
        self._due.set()
        if self._writer is not None:
            await asyncio.shield(self._writer)
        if self._problem is not None:
            raise self._problem

    def record(self, entry: NewEntry) -> None:
        """Hand in a ledger row. It is on disk before any answer that is handed in later."""
        self._refuse()
        self._batch.entries.append(entry)
        self._due.set()

    async def submit(self, submission: Submission) -> Saved | LannerError:
        """Hand in answers and wait until they are on disk, or refused."""
        self._refuse()
        future: asyncio.Future[Saved | LannerError] = asyncio.get_running_loop().create_future()
        self._batch.given.append((submission, future))
        self._due.set()
        return await future

    async def finish(self, task: Assigned) -> None:
        """Finish a task, if nothing is missing in it."""
        self._refuse()
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._batch.finished.append((task, future))
        self._due.set()
        await future

    def _refuse(self) -> None:
        if self._problem is not None:
            raise self._problem

    async def _write(self) -> None:
        while True:
            await self._due.wait()
            if not self._closing:
                await asyncio.sleep(self._linger)
            self._due.clear()
            batch, self._batch = self._batch, _Batch()
            if batch:
                try:
                    results = await asyncio.to_thread(self._commit, batch)
                except BaseException as problem:
                    self._problem = problem
                    self._fail(batch, problem)
                    self._fail(self._batch, problem)
                    return
                for (_, future), result in zip(batch.given, results, strict=True):
                    _settle(future, result)
                for _, finished in batch.finished:
                    _settle(finished, None)
            if self._closing and not self._batch:
                return

    def _commit(self, batch: _Batch) -> list[Saved | LannerError]:
        submissions = [submission for submission, _ in batch.given]
        tasks = [task for task, _ in batch.finished]
        steps: tuple[tuple[list[NewEntry], list[Submission], list[Assigned]], ...]
        try:
            return self._save(batch.entries, submissions, tasks)
        except LannerError:  # one of them cannot be written: the replies are paid for, and answers come before the end
            steps = ((batch.entries, [], []), ([], submissions, []), ([], [], tasks))
            return [result for step in steps for result in self._save(*step)]

    def _save(
        self, entries: list[NewEntry], submissions: list[Submission], tasks: list[Assigned]
    ) -> list[Saved | LannerError]:
        """Write all of these in one transaction, or nothing."""
        now = campaign.now()

        def work(tx: Transaction) -> list[Saved | LannerError]:
            if entries:
                tx.ledger.add(entries)
            results = save_all(self._store, tx, submissions, now) if submissions else []
            for task in tasks:
                with suppress(UnfinishedError):
                    finish_in(self._store, tx, task.task.id, now, known=task, takes_nothing_back=True)
            return [*results]

        return self._store.write(work) if entries or submissions or tasks else []

    def _fail(self, batch: _Batch, problem: BaseException) -> None:
        futures: list[asyncio.Future[Saved | LannerError] | asyncio.Future[None]] = [f for _, f in batch.given]
        for future in (*futures, *(future for _, future in batch.finished)):
            if not future.done():
                future.set_exception(problem)


def _settle(future: asyncio.Future[Any], result: Any) -> None:
    if not future.done():
        future.set_result(result)

"""Answers on their way to disk: those that arrive while others are being written are written together, in one
transaction. Nobody waits longer for it, and a busy server asks the disk far less often."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Executor
from datetime import UTC, datetime

from lanner import campaign
from lanner.campaign import Saved, Submission
from lanner.errors import LannerError, StoreError
from lanner.store import CollisionError, Store

MOST = 100
"""Submissions in one transaction: enough to share the disk, few enough to answer soon."""
TROUBLED = 90.0
"""Seconds after which a failure to save is old news: where nobody saves, nobody knows whether it would work again. A
judging page that waits tries once in 75 seconds at the longest."""
Outcome = Saved | LannerError


class Intake:
    """One writer for all saves of this server."""

    def __init__(self, store: Store, writers: Executor) -> None:
        self._store = store
        self._writers = writers
        self._waiting: deque[tuple[Submission, asyncio.Future[tuple[Outcome, datetime]]]] = deque()
        self._writing: asyncio.Task[None] | None = None
        self._failure: tuple[float, str] | None = None
        self.batches = 0
        self.failures = 0

    @property
    def waiting(self) -> int:
        """Submissions that wait for the disk."""
        return len(self._waiting)

    @property
    def trouble(self) -> str:
        """Why nothing can be saved at the moment, in words; empty when all is well."""
        if self._failure is None or time.monotonic() - self._failure[0] > TROUBLED:
            return ""
        return self._failure[1]

    async def submit(self, submission: Submission) -> tuple[Saved, datetime]:
        """What the save came to and when it arrived; it is on disk then. What is refused is raised."""
        waits: asyncio.Future[tuple[Outcome, datetime]] = asyncio.get_running_loop().create_future()
        self._waiting.append((submission, waits))
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write())
        outcome, arrival = await waits
        if isinstance(outcome, LannerError):
            raise outcome
        return outcome, arrival

    async def _write(self) -> None:
        loop = asyncio.get_running_loop()
        while self._waiting:
            batch = [self._waiting.popleft() for _ in range(min(MOST, len(self._waiting)))]
            arrival = datetime.now(UTC)
            submissions = [submission for submission, _ in batch]
            outcomes: Sequence[Outcome | BaseException]
            try:
                outcomes = await loop.run_in_executor(self._writers, self._store_all, submissions, arrival)
            except BaseException as error:
                outcomes = [error] * len(batch)
            for (_, waits), outcome in zip(batch, outcomes, strict=True):
                if waits.done():  # whoever sent it has gone; it is stored all the same
                    continue
                if isinstance(outcome, BaseException) and not isinstance(outcome, LannerError):
                    waits.set_exception(outcome)
                else:
                    waits.set_result((outcome, arrival))

    def _store_all(self, submissions: Sequence[Submission], arrival: datetime) -> Sequence[Outcome]:
        self.batches += 1
        try:
            outcomes = campaign.submit_many(self._store, submissions, at=arrival)
            self._failure = None
            return outcomes
        except CollisionError:  # one of them stands in the way of all: each by itself
            return [self._store_one(submission, arrival) for submission in submissions]
        except LannerError as error:
            if isinstance(error, StoreError):
                self.failures += 1
                self._failure = (time.monotonic(), f"{error.what} {error.next_step}".strip())
            return [error] * len(submissions)

    def _store_one(self, submission: Submission, arrival: datetime) -> Outcome:
        try:
            (outcome,) = campaign.submit_many(self._store, [submission], at=arrival)
        except LannerError as error:
            return error
        return outcome

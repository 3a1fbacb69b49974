"""Keeps the numbers of live pages fresh at no cost to saving.

A save adds one to a counter and that is all. Whoever looks at a live page is subscribed; while there is someone, the
store is asked twice a second for its newest judgement, and snapshots are computed by a worker, one at a time and never
more often than they take.
"""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Coroutine, Hashable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from lanner.errors import StoreError
from lanner.monitor.snapshot import Snapshot
from lanner.monitor.status import LONGEST_SHOWN
from lanner.store import Store
from lanner.web.worker import worker

LOOKS_A_SECOND = 2
SHOWN_SECONDS = 0.8
"""For how long drawn panels are shown to everybody who asks."""
SETTLED_SECONDS = LONGEST_SHOWN + 1.0
"""When nothing has changed for so long, pages are told once more: the last answer may have come while numbers of a
moment before were shown, and no later one would bring it to them."""
MOST_PANELS = 200
State = tuple[int, int, int, int]
PanelsKey = tuple[int, str, str, Hashable]
"""The campaign, the question, the language with the path that links begin with, and the version: panels that were drawn
before an organiser changed something are shown to nobody after it."""


@dataclass(frozen=True, slots=True)
class Panels:
    """The panels of a live page as they are sent, and of when the numbers on them are."""

    body: bytes
    packed: bytes
    """The same, compressed."""
    made_at: str


class SharedPanels:
    """The panels drawn last. All who have the same page open hear of news at the same moment and ask at once: they are
    drawn for the first, and the others wait for those."""

    def __init__(self) -> None:
        self._drawn: dict[PanelsKey, tuple[float, Panels]] = {}
        self._drawing: dict[PanelsKey, asyncio.Task[Panels]] = {}

    async def get(self, key: PanelsKey, draw: Callable[[], Coroutine[Any, Any, Panels]]) -> Panels:
        """The panels under this key: those that are new enough, those being drawn, or new ones."""
        until, panels = self._drawn.get(key, (0.0, None))
        if panels is not None and time.monotonic() < until:
            return panels
        drawing = self._drawing.get(key)
        if drawing is None:
            drawing = self._drawing[key] = asyncio.create_task(self._draw(key, draw))
        return await asyncio.shield(drawing)  # whoever asked first may go away: the others still wait

    async def _draw(self, key: PanelsKey, draw: Callable[[], Coroutine[Any, Any, Panels]]) -> Panels:
        try:
            panels = await draw()
        finally:
            del self._drawing[key]
        if len(self._drawn) >= MOST_PANELS:
            self._drawn.clear()
        self._drawn[key] = (time.monotonic() + SHOWN_SECONDS, panels)
        return panels


@dataclass(slots=True)
class WatchedCampaign:
    """A campaign someone is looking at. `number` counts its news."""

    stamp: State | None = None
    number: int = 0
    lookers: int = 0
    told_last: float | None = None
    """When to tell of the last change once more, by a clock that nobody sets."""
    _waiting: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def tell(self) -> None:
        """There is something new."""
        async with self._waiting:
            self.number += 1
            self._waiting.notify_all()

    async def news(self, number: int) -> None:
        """Return when there is something newer than what was seen."""
        async with self._waiting:
            await self._waiting.wait_for(lambda: self.number != number)


class LiveUpdates:
    """Snapshots for pages, and news for those who wait. With `process` they are computed in a process of their own."""

    def __init__(self, store: Store, *, process: bool = True) -> None:
        self._store = store
        self._worker = worker(store, process=process)
        self._watched: dict[int, WatchedCampaign] = {}
        self._known: dict[tuple[int, str], Snapshot] = {}
        self._states: dict[tuple[int, str], State] = {}
        self._making: dict[tuple[int, str], asyncio.Task[Snapshot]] = {}
        self._reading: defaultdict[int, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._next: dict[int, asyncio.Task[State]] = {}
        self._rested: dict[int, float] = {}
        self._took: dict[int, float] = {}
        self._looking: asyncio.Task[None] | None = None
        self._warming: asyncio.Task[Any] | None = None
        self.closing = asyncio.Event()
        self.panels = SharedPanels()

    def newest(self, campaign: int) -> State:
        """A state that changes with whatever is worth showing: the newest judgement, the organisers' changes, the log
        (judges added or left out, settled answers), and the tasks, which may be assigned without an entry there."""
        with self._store.reading() as tx:
            changes = tx.campaigns.version(campaign), tx.events.last(campaign), tx.tasks.count(campaign)
            return tx.judgements.last(campaign), *changes

    async def state(self, campaign: int) -> State:
        """The newest of a campaign, read after this was asked for. All who have its page open ask at once: they wait
        for one reading, which on PostgreSQL takes as long as a save."""
        if campaign not in self._next:
            self._next[campaign] = asyncio.create_task(self._read(campaign))
        return await asyncio.shield(self._next[campaign])

    async def _read(self, campaign: int) -> State:
        async with self._reading[campaign]:
            del self._next[campaign]  # whoever asks from now on may have changed something: theirs is a later reading
            return await asyncio.to_thread(self.newest, campaign)

    async def version(self, campaign: int, *questions: str) -> Hashable:
        """What changes with whatever an organiser does, and with new numbers on these questions; not with every answer,
        which come by the hundred."""
        snapshots = [self._known.get((campaign, question)) for question in questions]
        _, *changes = await self.state(campaign)
        return (*changes, *(entry.made_at if entry else None for entry in snapshots))

    def warm(self) -> None:
        """Someone will ask soon: let the worker start, which takes a second or two."""
        if self._warming is None:
            self._warming = asyncio.create_task(self._worker.ask("ready"))
            self._warming.add_done_callback(lambda task: task.cancelled() or task.exception())

    async def snapshot(self, campaign: int, question: str = "", *, wait: float = 0.3) -> Snapshot | None:
        """The newest snapshot. One that is older than the newest judgement is shown all the same if making a new one
        takes longer than `wait`: numbers that are a little old beat a page that does not come. None if there is none
        yet."""
        key = (campaign, question)
        entry = self._known.get(key)
        state = await self.state(campaign)
        if entry is not None and self._states.get(key) == state:
            return entry
        if entry is None or time.monotonic() >= self._rested.get(campaign, 0.0):
            making = self._making.get(key)
            if making is None:
                making = self._making[key] = asyncio.create_task(self._make(key))
            if not self._worker.is_started:
                return entry  # nothing will be there in time
            if entry is not None and self._took.get(campaign, 0.0) > wait:
                return entry  # nor here, as the last time; news come when it is made
            with suppress(TimeoutError):
                return await asyncio.wait_for(asyncio.shield(making), wait)
        return entry

    async def _make(self, key: tuple[int, str]) -> Snapshot:
        began = time.monotonic()
        state = await self.state(key[0])  # before the numbers: what comes meanwhile is news
        try:
            snapshot = await self._compute_snapshot(*key)
            self._known[key], self._states[key] = snapshot, state
            # A snapshot that took long is not computed anew at once: the machine belongs to those who judge.
            took = self._took[key[0]] = time.monotonic() - began
            self._rested[key[0]] = time.monotonic() + 2 * took
            watch = self._watched.get(key[0])
            if watch is not None:
                await watch.tell()
            return snapshot
        finally:
            self._making.pop(key, None)

    async def _compute_snapshot(self, campaign: int, question: str) -> Snapshot:
        snapshot = await self.ask("snapshot", campaign, question)
        assert isinstance(snapshot, Snapshot)
        return snapshot

    async def draw(self, campaign: int, main: str, question: str, root: str) -> Panels:
        """The panels of a live page with the newest numbers that are there in time. The worker draws them: in threads
        of the server, adding up what judges have done and writing the page would take turns with saves."""
        for question_id in dict.fromkeys((main, question)):
            await self.snapshot(campaign, question_id)
        panels = await self.ask("panels", campaign, main, question, root)
        assert isinstance(panels, Panels)
        return panels

    async def ask(self, job: str, *arguments: Any) -> Any:
        """Anything else about live numbers: the worker that computes them has them at hand."""
        return await self._worker.ask(job, *arguments)

    @asynccontextmanager
    async def looking(self, campaign: int) -> AsyncIterator[WatchedCampaign]:
        """While someone looks at a campaign."""
        watch = self._watched.setdefault(campaign, WatchedCampaign())
        watch.lookers += 1
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look())
        try:
            yield watch
        finally:
            watch.lookers -= 1
            if not watch.lookers:
                self._watched.pop(campaign, None)

    async def _look(self) -> None:
        while self._watched and not self.closing.is_set():
            for campaign, watch in list(self._watched.items()):
                with suppress(StoreError):  # a database that is away for a moment is asked again
                    stamp = await self.state(campaign)
                    moment = time.monotonic()
                    if watch.stamp is not None and stamp != watch.stamp:
                        watch.told_last = moment + SETTLED_SECONDS
                        await watch.tell()
                    elif watch.told_last is not None and moment >= max(
                        watch.told_last, self._rested.get(campaign, 0.0)
                    ):
                        watch.told_last = None
                        await watch.tell()
                    watch.stamp = stamp
            with suppress(TimeoutError):
                await asyncio.wait_for(self.closing.wait(), 1 / LOOKS_A_SECOND)

    async def send_home(self) -> None:
        """End every stream, so that the server can."""
        self.closing.set()
        for watch in list(self._watched.values()):
            await watch.tell()

    async def close(self) -> None:
        """End what is under way, and the worker."""
        self.closing.set()
        running = [*self._making.values(), *(task for task in (self._looking, self._warming) if task)]
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        await self._worker.close()

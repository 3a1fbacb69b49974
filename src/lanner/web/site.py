"""What all handlers share: the store, the settings, the templates, and the threads that talk to the database; and what
is asked about the server itself: whether it is alive, whether it can do its work, its numbers."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TypeVar

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from lanner.campaign import SaveQueue
from lanner.errors import StoreError
from lanner.store import Store, Transaction
from lanner.web.access import LOOK_AGAIN_SECONDS, Owners, SessionCache
from lanner.web.commands import Runs, ScheduledBackups
from lanner.web.drafting.uploads import Uploads
from lanner.web.judging.practice import PracticeRounds
from lanner.web.middleware import BOUNDS, RequestCounts, Throttle
from lanner.web.rendering import Assets, environment
from lanner.web.updates import LiveUpdates
from lanner.web.webhooks import WebhookSender
from lanner.web.worker import WorkerPool

T = TypeVar("T")
log = logging.getLogger("lanner.web")
_CHECK_SECONDS = 6 * 3600.0
READERS = 4
_NO_TASK = 2**62


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """How a server is run.

    `setup_code` makes the first account; `entry_code` signs its bearer in as `entry_account` as long as the server
    runs (for demonstrations on one's own machine). `watched` reads templates and static files anew each time.
    `processes` lets workers compute live numbers and reports in processes of their own. Copies of deleted campaigns go
    to `backups`, or beside the store; so do copies of the whole store every `backup_hours`, of which `backup_keep`
    stay. Webhooks reach this machine's own network only with `tell_inside`. An owner may let models of `model_servers`
    judge from a page; of no others, since the server lends its key and its way to the network. Links begin with
    `public_url`; where there is none, with the address that the organiser's browser used. Pages of the origins in
    `framed_by` (a notebook's) may show this server's in a frame.
    """

    setup_code: str = ""
    entry_code: str = ""
    entry_account: str = ""
    watched: bool = False
    sign_in_bytes: int = 16 * 1024
    answer_bytes: int = 256 * 1024
    form_bytes: int = 1024 * 1024
    upload_bytes: int = 64 * 1024 * 1024
    idle_seconds: int = 180
    saves_per_second: float = 100.0
    save_burst: int = 2000
    processes: bool = True
    backups: Path | None = None
    backup_hours: float = 0.0
    backup_keep: int = 14
    tell_inside: bool = False
    model_servers: tuple[str, ...] = ()
    public_url: str = ""
    framed_by: tuple[str, ...] = ()


class Site:
    """One running app. Reads share a few threads. Saves have threads of their own (one on SQLite, which takes one
    transaction at a time), so that no organiser's change, however much it computes, stands before them."""

    def __init__(self, store: Store, settings: ServerSettings) -> None:
        self.store = store
        self.settings = settings
        self.assets = Assets(watched=settings.watched)
        self.templates = environment(watched=settings.watched)
        self.sessions = SessionCache(store)
        self.saves = 0
        self.practice_rounds = PracticeRounds()
        self.owners = Owners(store)
        self.uploads = Uploads()
        self.live = LiveUpdates(store, process=settings.processes)
        self.files = WorkerPool(store, process=settings.processes)
        self.sign_ins = Throttle(burst=8, seconds=15)
        self.addresses = Throttle(burst=40, seconds=3)
        self.savers = Throttle(burst=settings.save_burst, seconds=1 / settings.saves_per_second)
        beside = Path(store.place).parent if store.kind == "sqlite" else Path.cwd()
        self.backups = settings.backups or beside / "lanner-backups"
        self._readers = ThreadPoolExecutor(READERS, "lanner-read")
        self._checking: list[asyncio.Task[None]] = []
        self._hashers = ThreadPoolExecutor(1, "lanner-hash")
        self._savers = ThreadPoolExecutor(1 if store.kind == "sqlite" else 8, "lanner-save")
        self._writers = ThreadPoolExecutor(2, "lanner-write")
        self.intake = SaveQueue(store, self._savers)
        self.request_counts = RequestCounts()
        self.scheduled_backups = ScheduledBackups(
            store.address, self.backups, hours=settings.backup_hours, keep=settings.backup_keep
        )
        self.copying = asyncio.Lock()
        self.runs = Runs(store.address)
        self.webhook_sender = WebhookSender(store, inside=settings.tell_inside)

    @property
    def trouble(self) -> str:
        """Why nothing can be saved at the moment; empty while all is well."""
        return self.intake.trouble

    async def read(self, work: Callable[[], T]) -> T:
        """Run something that reads, or computes for a while, without holding up others, in the reader's language."""
        return await _run(self._readers, work)

    async def query(self, ask: Callable[[Transaction], T]) -> T:
        """Ask the database something, likewise."""

        def work() -> T:
            with self.store.reading() as tx:
                return ask(tx)

        return await self.read(work)

    async def run_slow(self, work: Callable[[], T]) -> T:
        """Run something slow on purpose, such as the hashing of a password: one at a time, beside reads and saves."""
        return await _run(self._hashers, work)

    async def write(self, work: Callable[[], T]) -> T:
        """Run something that writes. When it returns, it is on disk."""
        return await _run(self._writers, work)

    def begin(self) -> None:
        """Start what runs beside: backups by the clock, messages to addresses outside."""
        self.scheduled_backups.begin()
        self._checking = [asyncio.create_task(work) for work in (self._check_pages(), self._check_sessions())]
        self.webhook_sender.begin()

    async def warm_up(self) -> None:
        """Open the connections that saves need and have their statements planned: the first judges would wait for it.
        A database that is away says so when it is needed."""
        with suppress(StoreError):
            await asyncio.gather(*(self.read(self._ask_nothing) for _ in range(READERS)))

    def _ask_nothing(self) -> None:
        self.sessions.find("")
        self.owners.find(0)
        with self.store.reading() as tx:
            tx.tasks.places([(_NO_TASK, 0, "")])
            tx.judgements.heads_of([(0, 0, "", "", "", "", "")])

    async def _check_sessions(self) -> None:
        """See whether those who judge are still signed in, without their saves waiting for it."""
        while True:
            await asyncio.sleep(LOOK_AGAIN_SECONDS)
            with suppress(StoreError):  # then each is asked about when they come
                await self.read(self.sessions.look_again)

    async def _check_pages(self) -> None:
        """Look for damage at the start and four times a day: a file that is damaged is read, not written."""
        while True:
            try:
                if damage := await self.read(self.store.check_pages):
                    log.error("store: %s", damage)
            except StoreError as problem:
                log.error("store: %s", problem.what)
            await asyncio.sleep(_CHECK_SECONDS)

    async def close(self) -> None:
        """Finish what was begun."""
        for checking in self._checking:
            checking.cancel()
        await asyncio.gather(*self._checking, return_exceptions=True)
        await self.scheduled_backups.close()
        await self.webhook_sender.close()
        await self.runs.close()
        await self.live.close()
        await self.files.close()
        self.uploads.close()
        for threads in (self._savers, self._writers, self._readers, self._hashers):
            threads.shutdown(wait=True)


async def _run(threads: ThreadPoolExecutor, work: Callable[[], T]) -> T:
    """Run something in a thread, in the reader's language."""
    return await asyncio.get_running_loop().run_in_executor(threads, copy_context().run, work)


async def alive(_request: Request) -> Response:
    """The process answers."""
    return PlainTextResponse("ok")


async def ready(request: Request) -> Response:
    """The database answers too, takes what is saved, and the server is not about to end."""
    site: Site = request.app.state.site
    if site.live.closing.is_set():
        return PlainTextResponse("ending", 503)
    if site.store.damage:
        return PlainTextResponse("the store is damaged, nothing is saved", 503)
    if site.intake.trouble:
        return PlainTextResponse("nothing can be saved at the moment", 503)
    try:
        await site.query(lambda tx: tx.accounts.count_owners())
    except StoreError:
        return PlainTextResponse("the database does not answer", 503)
    return PlainTextResponse("ready")


def memory() -> int:
    """Bytes of memory this process holds now."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:  # no such file outside Linux: the most it ever held
        try:
            resource = import_module("resource")
        except ImportError:  # Windows has none, and the figure is then left at nothing
            return 0
        return int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)


async def metrics(request: Request) -> Response:
    """The server's own numbers, in the text format of Prometheus."""
    site = request.app.state.site
    totals: RequestCounts = site.request_counts
    lines = ["# TYPE lanner_requests_total counter"]
    for (what, status), count in sorted(totals.requests.items()):
        lines.append(f'lanner_requests_total{{what="{what}",status="{status}"}} {count}')
    lines.append("# TYPE lanner_request_seconds histogram")
    for what, counts in sorted(totals.slower.items()):
        total = 0
        for bound, count in zip((*map(str, BOUNDS), "+Inf"), counts, strict=True):
            total += count
            lines.append(f'lanner_request_seconds_bucket{{what="{what}",le="{bound}"}} {total}')
        lines.append(f'lanner_request_seconds_sum{{what="{what}"}} {totals.seconds[what]:.6f}')
        lines.append(f'lanner_request_seconds_count{{what="{what}"}} {total}')
    single = {
        "lanner_requests_running": ("gauge", totals.running),
        "lanner_saves_total": ("counter", site.saves),
        "lanner_saves_waiting": ("gauge", site.intake.waiting),
        "lanner_save_batches_total": ("counter", site.intake.batches),
        "lanner_save_failures_total": ("counter", site.intake.failures),
        "lanner_saving_works": ("gauge", int(not site.intake.trouble)),
        "lanner_backup_age_seconds": ("gauge", round(site.scheduled_backups.age(), 1)),
        "process_cpu_seconds_total": ("counter", round(time.process_time(), 3)),
        "process_resident_memory_bytes": ("gauge", memory()),
    }
    for name, (kind, value) in single.items():
        lines += [f"# TYPE {name} {kind}", f"{name} {value}"]
    return PlainTextResponse("\n".join(lines) + "\n")

"""The engine `ray`: workers on the machines of a Ray cluster, one on each unless more are wanted.

Plain tasks and not Ray Data: a document's judging has effects (questions that cost money, rows in the ledger), so it
must not be repeated by lineage or run twice at once, and a scheduler decides who gets a dead worker's documents: it
reads in the ledger what is left of them and of the money. Ray starts processes, says which are gone, and carries small
objects. An engine may lose any worker at any moment; whoever gets its documents next asks only the rest.
"""

from __future__ import annotations

import asyncio
import importlib
import socket
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field, replace
from math import ceil
from typing import Any

from lanner import __version__, campaign
from lanner.errors import LannerError, MissingExtraError
from lanner.judges.plan import Limits, Plan, Totals, require_at_least
from lanner.judges.providers import RefusedError
from lanner.judges.run import Report, divide, judge_numbers, participant, run, sizes
from lanner.store import Store
from lanner.store.claims import claim_documents, refuse_unshared, running_judges


@dataclass(frozen=True, slots=True)
class WorkerJob:
    """What all workers of a run share. Keys are not in it: each machine has them in its own environment."""

    place: str
    campaign: int
    plans: tuple[Plan, ...]
    version: str = __version__


@dataclass(frozen=True, slots=True)
class WorkerPart:
    """Whole documents for one worker, about how many items are open in them, and how far it may go."""

    number: int
    documents: tuple[str, ...]
    items: int
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True, slots=True)
class PartOutcome:
    """How a worker's part ended. `held` are documents that another worker has. A problem travels as words: errors of
    all kinds do not survive the way between processes."""

    totals: Totals
    held: tuple[str, ...] = ()
    problem: str = ""
    next_step: str = ""
    refused: bool = False


def judge_part(job: WorkerJob, part: WorkerPart, report: Report | None = None) -> PartOutcome:
    """Judge what is open in these documents, except where another worker is at it."""
    if job.version != __version__:
        what = f"This machine has Lanner {__version__}, the one that began the run {job.version}."
        return PartOutcome(Totals(), problem=what, next_step="Install the same version on all machines.")
    seen = Totals()

    def note(totals: Totals) -> None:
        nonlocal seen
        seen = totals
        if report:
            report(totals)

    try:
        with Store.open(job.place, create=False) as store, claim_documents(store, job.campaign, part.documents) as mine:
            documents = [document for document in part.documents if document in mine]
            totals = _judge(store, job, documents, part.limits, note) if documents else Totals()
        return PartOutcome(totals, tuple(document for document in part.documents if document not in mine))
    except LannerError as problem:
        return PartOutcome(seen, (), problem.what, problem.next_step, isinstance(problem, RefusedError))


def _judge(store: Store, job: WorkerJob, documents: Sequence[str], limits: Limits, report: Report) -> Totals:
    return asyncio.run(run(store, job.campaign, job.plans, documents=documents, limits=limits, report=report))


_ROUNDS = 4  # parts for each worker: so many that the last ones end together, so few that each runs at full pace
_DOCUMENTS = 64  # in a part at most: each is a lock in the database, which has some thousands
_WORTHWHILE = 10  # a part is worth a worker's start if it fills its line so often
_DEATHS = 5  # over the same documents without an answer in between


@dataclass(slots=True)
class ClusterSummary:
    """How the work was done: parts handed out, workers that died over theirs, machines that had to stop."""

    parts: int = 0
    deaths: int = 0
    machines: int = 0
    stopped: dict[str, str] = field(default_factory=dict)


class Scheduler:
    """One run. `workers` is how many will work at once; rates are shared among so many and no more."""

    def __init__(self, store: Store, reference: str | int, plans: Sequence[Plan], limits: Limits, workers: int) -> None:
        self._store, self._plans, self._limits = store, plans, limits
        self._workers = max(1, workers)
        self.campaign = campaign.get(store, reference).id
        open_ = sizes(store, self.campaign, plans)
        self._items = sum(open_.values())
        self._before = self._spent()
        self._next = 0
        self._waiting = self._parts(open_)
        self._given: dict[int, WorkerPart] = {}
        self._held: list[str] = []
        self._short: list[str] = []
        self._deaths: dict[str, int] = {}
        self._settled = 0
        self._progress = False
        self._sum = Totals()
        self._stopped = ""
        self.summary = ClusterSummary()

    def next(self) -> WorkerPart | None:
        """The next part, with what it may ask and cost; None while there is none to give."""
        if not self._waiting or self._stopped:
            return None
        limits = self._limits
        if limits.items is not None:
            left = limits.items - self._settled - sum(part.limits.items or 0 for part in self._given.values())
            if left <= 0:
                return None
            limits = replace(limits, items=min(left, self._waiting[0].items))
        limits = replace(limits, rpm=self._share(limits.rpm), tpm=self._share(limits.tpm))
        if limits.max_cost is not None:
            limits = replace(limits, max_cost=self._allowance(limits.max_cost))
        part = replace(self._waiting.pop(0), limits=limits)
        self._given[part.number] = part
        self.summary.parts += 1
        return part

    def done(self, part: WorkerPart, outcome: PartOutcome) -> None:
        """A worker has come to an end: of its part, of its money, or of what its machine can do."""
        del self._given[part.number]
        self._sum.add(replace(outcome.totals, stopped="", is_out_of_money=False, open=0))
        self._settled += outcome.totals.settled
        if outcome.totals.calls:
            self._progress = True
            for document in part.documents:
                self._deaths.pop(document, None)
        if outcome.refused:
            raise LannerError(outcome.problem, next_step=outcome.next_step)
        if outcome.problem:
            self._again(part.documents)
        elif outcome.totals.is_out_of_money:
            self._short += part.documents
        elif outcome.totals.stopped and self._sum.items:  # texts that get no answer, among others that do
            self._again(part.documents)
        elif outcome.totals.stopped:
            self._stopped = outcome.totals.stopped
        else:
            self._held += outcome.held

    def died(self, part: WorkerPart, seen: Totals) -> None:
        """A worker is gone. What it had answered is in the ledger; the rest of its documents is for others."""
        del self._given[part.number]
        self.summary.deaths += 1
        self._sum.add(replace(seen, stopped="", is_out_of_money=False, open=0))
        left = self._open(part.documents)
        count = part.items - sum(left.values())
        self._settled += count
        for document in left:
            self._deaths[document] = 0 if count else self._deaths.get(document, 0) + 1
        worst = max(self._deaths.values(), default=0)
        if worst >= _DEATHS:
            names = [document for document, number in self._deaths.items() if number == worst]
            raise LannerError(
                f"Workers died {worst} times over the same documents, without an answer: {', '.join(names[:5])}.",
                next_step="Look at the workers' logs and memory; what was answered is kept.",
            )
        self._again(tuple(left))

    @property
    def finished(self) -> bool:
        """Whether nothing is left to hand out or to wait for. Call it while nobody works."""
        if self._limits.items is not None and self._settled >= self._limits.items:
            return True
        if self._waiting or self._stopped:
            return bool(self._stopped)
        if self._held:
            held, self._held = self._open(self._held), []
            self._waiting = self._parts(held)
            return not held
        if self._short and self._progress:  # what some left over may be enough for others
            short, self._short, self._progress = self._open(self._short), [], False
            self._waiting = self._parts(short)
            return not short
        if self._short:
            self._stopped = f"the next question could cost more than the limit of {self._limits.max_cost:g}"
        return True

    def so_far(self, under_way: Sequence[Totals] = ()) -> Totals:
        """What the run has come to, as far as it is heard of."""
        whole = Totals()
        for part in (self._sum, *under_way):
            whole.add(replace(part, open=0))
        whole.open = self._items if self._limits.items is None else min(self._items, self._limits.items)
        return whole

    def reckoned(self) -> Totals:
        """What the run came to in the end. After deaths, items, replies, tokens and cost are those in the database."""
        whole = self.so_far()
        whole.stopped = self._stopped
        if self.summary.deaths:
            *counts, whole.cost = (now - then for now, then in zip(self._spent(), self._before, strict=True))
            whole.calls, whole.tokens_in, whole.tokens_out = map(int, counts)
            whole.items = self._items - sum(sizes(self._store, self.campaign, self._plans).values())
        return whole

    def _parts(self, open_: dict[str, int]) -> list[WorkerPart]:
        if not open_:
            return []
        weights = {document: max(1, number) for document, number in open_.items()}  # some have only to be finished
        total = sum(weights.values())
        large = max(total / (self._workers * _ROUNDS), self._limits.in_flight * _WORTHWHILE)
        groups = divide(weights, max(ceil(total / large), ceil(len(open_) / _DOCUMENTS), self._workers))
        return [self._part(group, open_) for group in groups]

    def _part(self, documents: Iterable[str], open_: Mapping[str, int]) -> WorkerPart:
        number, self._next = self._next, self._next + 1
        names = tuple(documents)
        return WorkerPart(number, names, sum(open_[document] for document in names))

    def _again(self, documents: Sequence[str]) -> None:
        open_ = self._open(documents)
        if open_:
            self._waiting.append(self._part(open_, open_))

    def _open(self, documents: Sequence[str]) -> dict[str, int]:
        names = set(documents)
        return {d: n for d, n in sizes(self._store, self.campaign, self._plans).items() if d in names}

    def _share(self, rate: float | None) -> float | None:
        return None if rate is None else rate / self._workers

    def _allowance(self, most: float) -> float:
        """A part's share of the money that is neither spent nor put aside for others."""
        spent = self._spent()[3] - self._before[3]
        aside = sum(part.limits.max_cost or 0.0 for part in self._given.values())
        waiting = sum(part.items for part in self._waiting)
        return max(0.0, most - spent - aside) * (self._waiting[0].items / waiting if waiting else 1.0)

    def _spent(self) -> list[float]:
        """Replies, tokens sent, tokens received and cost so far, of all these judges."""
        with self._store.reading() as tx:
            judges = [tx.judges.find(self.campaign, plan.judge) for plan in self._plans]
            rows = [tx.ledger.spent(judge.number) for judge in judges if judge]
        return [sum(column) for column in zip((0.0, 0.0, 0.0, 0.0), *(row[:4] for row in rows), strict=True)]


_TICK = 0.5
_PATIENCE = 10.0  # seconds for the cluster's first machine to take a call
_REST = 3.0  # seconds in which a machine gets nothing new after a worker died on it


class Board:
    """Where workers write how far they are; an actor, so that it can be heard on all machines."""

    def __init__(self) -> None:
        self._totals: dict[int, Totals] = {}

    def put(self, part: int, totals: Totals) -> None:
        self._totals[part] = totals

    def all(self) -> dict[int, Totals]:
        return self._totals


def work(job: WorkerJob, part: WorkerPart, board: Any) -> PartOutcome:
    """What runs on a machine of the cluster."""
    return judge_part(job, part, lambda totals: board.put.remote(part.number, totals))


def run_on_ray(
    store: Store,
    reference: str | int,
    plans: Sequence[Plan],
    *,
    limits: Limits | None = None,
    report: Report | None = None,
    address: str = "",
    per_machine: int = 1,
) -> tuple[Totals, ClusterSummary]:
    """Let these judges answer what is open, on the machines of a Ray cluster. `limits.in_flight` is each worker's own;
    all other limits are the whole run's."""
    require_at_least(1, workers=per_machine)
    refuse_unshared(store)
    target = participant(store, reference, plans)
    job = WorkerJob(store.address, target.id, tuple(plans))
    # Ray tells of deaths on standard output, where the result is to stand alone.
    claim = running_judges(store, judge_numbers(store, target.id, plans))
    with claim, redirect_stdout(sys.stderr), _connect(address) as ray:
        return _Engine(ray, store, job, limits or Limits(), per_machine=per_machine, report=report).run()


@contextmanager
def _connect(address: str) -> Iterator[Any]:
    try:
        ray = importlib.import_module("ray")
        importlib.import_module("ray.util.scheduling_strategies")
    except ModuleNotFoundError:
        raise MissingExtraError("--set engine=ray", "ray") from None
    if ray.is_initialized():
        yield ray
        return
    try:
        host, _, port = address.rpartition(":")
        if port.isdigit() and "/" not in host:  # Ray itself would try for minutes
            socket.create_connection((host, int(port)), _PATIENCE).close()
        ray.init(address=address or "auto", log_to_driver=False, logging_level="ERROR")
    except (OSError, ValueError, RuntimeError) as problem:
        words = str(problem).strip().splitlines()
        raise LannerError(
            f"There is no Ray cluster at {address or 'the usual place'}: {words[0] if words else 'no answer'}",
            next_step="Start one (ray start --head), or say where it is with --set ray_address=HOST:PORT.",
        ) from None
    try:
        yield ray
    finally:
        ray.shutdown()


class _Engine:
    """Keeps every machine of the cluster at work until the scheduler has nothing left. Machines may come and go."""

    def __init__(
        self, ray: Any, store: Store, job: WorkerJob, limits: Limits, *, per_machine: int, report: Report | None
    ) -> None:
        self._ray, self._per_machine, self._report = ray, per_machine, report
        self._out: dict[str, str] = {}
        self._next_step = ""
        self._resting: dict[str, float] = {}
        self._running: dict[Any, tuple[WorkerPart, str]] = {}
        self._seen: set[str] = set()
        machines = self._machines()
        self._most = len(machines) * per_machine if limits.rpm or limits.tpm else None
        self._scheduler = Scheduler(store, job.campaign, job.plans, limits, len(machines) * per_machine)
        self._job = ray.put(job)
        here = self._at(ray.get_runtime_context().get_node_id())
        self._board = ray.remote(Board).options(num_cpus=0, scheduling_strategy=here).remote()
        self._work = ray.remote(work)

    def run(self) -> tuple[Totals, ClusterSummary]:
        scheduler = self._scheduler
        while True:
            self._hand_out()
            if self._running:
                ready, _ = self._ray.wait(list(self._running), num_returns=1, timeout=_TICK)
                for reference in ready:
                    self._settle(reference)
            elif scheduler.finished:
                break
            else:  # documents that another worker holds, or machines that rest
                time.sleep(_TICK)
            if self._report:
                self._report(scheduler.so_far(list(self._under_way().values())))
        totals = scheduler.reckoned()
        if self._report:
            self._report(totals)
        scheduler.summary.machines = len(self._seen)
        scheduler.summary.stopped = self._out
        return totals, scheduler.summary

    def _hand_out(self) -> None:
        machines = self._machines()
        if not machines and not self._running:
            self._give_up()
        busy = [machine for _, machine in self._running.values()]
        now = time.monotonic()
        for machine in machines * self._per_machine:
            if self._most is not None and len(busy) >= self._most:
                return
            if busy.count(machine) >= self._per_machine or self._resting.get(machine, 0.0) > now:
                continue
            part = self._scheduler.next()
            if part is None:
                return
            options = {
                "num_cpus": 1,
                "max_retries": 0,
                "scheduling_strategy": self._at(machine),
                "name": "lanner judge",
            }
            self._running[self._work.options(**options).remote(self._job, part, self._board)] = (part, machine)
            self._seen.add(machine)
            busy.append(machine)

    def _settle(self, reference: Any) -> None:
        part, machine = self._running[reference]
        errors = self._ray.exceptions
        try:
            outcome: PartOutcome = self._ray.get(reference)
        except errors.RayTaskError as problem:  # a bug of ours, with its traceback
            raise problem.as_instanceof_cause() from None
        except errors.RayError:
            self._resting[machine] = time.monotonic() + _REST
            totals = self._under_way().get(part.number, Totals())
            del self._running[reference]
            self._scheduler.died(part, totals)
            return
        del self._running[reference]
        if outcome.problem:
            self._out[machine] = outcome.problem
            self._next_step = outcome.next_step
        self._scheduler.done(part, outcome)

    def _under_way(self) -> dict[int, Totals]:
        parts = {part.number for part, _ in self._running.values()}
        totals: dict[int, Totals] = self._ray.get(self._board.all.remote())
        return {number: totals for number, totals in totals.items() if number in parts}

    def _machines(self) -> list[str]:
        nodes = self._ray.nodes()
        able = [node["NodeID"] for node in nodes if node["Alive"] and node["Resources"].get("CPU", 0) >= 1]
        return [node for node in able if node not in self._out]

    def _at(self, machine: str) -> Any:
        strategies = self._ray.util.scheduling_strategies
        return strategies.NodeAffinitySchedulingStrategy(machine, soft=False)

    def _give_up(self) -> None:
        if self._out:
            raise LannerError(next(reversed(self._out.values())), next_step=self._next_step)
        raise LannerError(
            "No machine of the Ray cluster has a free processor to offer.", next_step="Add one: ray start --address …"
        )

"""The engine `ray`: workers on the machines of a Ray cluster, one on each unless more are wanted.

Plain tasks and not Ray Data: a document's judging has effects (questions that cost money, rows in the ledger), so it
must not be repeated by lineage or run twice at once, and who gets a dead worker's documents is for the foreman to say,
who reads in the ledger what is left of them and of the money. Ray starts processes, says which are gone, and carries
small objects.
"""

from __future__ import annotations

import importlib
import socket
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from typing import Any

from lanner.errors import LannerError, MissingExtraError
from lanner.judges.engines.foreman import Crew, Foreman
from lanner.judges.engines.worker import Job, Outcome, Part, judge_part
from lanner.judges.plan import Limits, Plan, Totals
from lanner.judges.run import Report, seat
from lanner.store import Store
from lanner.store.claims import refuse_unshared

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


def work(job: Job, part: Part, board: Any) -> Outcome:
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
) -> tuple[Totals, Crew]:
    """Let these judges answer what is open, on the machines of a Ray cluster. `limits.in_flight` is each worker's own;
    all other limits are the whole run's."""
    refuse_unshared(store)
    found = seat(store, reference, plans)
    job = Job(store.address, found.id, tuple(plans))
    # Ray tells of deaths on standard output, where the result is to stand alone.
    with redirect_stdout(sys.stderr), _connected(address) as ray:
        return _Engine(ray, store, job, limits or Limits(), per_machine=per_machine, report=report).run()


@contextmanager
def _connected(address: str) -> Iterator[Any]:
    try:
        ray = importlib.import_module("ray")
        importlib.import_module("ray.util.scheduling_strategies")
    except ModuleNotFoundError:
        raise MissingExtraError("--engine ray", "ray") from None
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
            next_step="Start one (ray start --head), or say where it is with --ray-address HOST:PORT.",
        ) from None
    try:
        yield ray
    finally:
        ray.shutdown()


class _Engine:
    """Keeps every machine of the cluster at work until the foreman has nothing left. Machines may come and go."""

    def __init__(
        self, ray: Any, store: Store, job: Job, limits: Limits, *, per_machine: int, report: Report | None
    ) -> None:
        self._ray, self._per_machine, self._report = ray, per_machine, report
        self._out: dict[str, str] = {}
        self._next_step = ""
        self._resting: dict[str, float] = {}
        self._running: dict[Any, tuple[Part, str]] = {}
        self._seen: set[str] = set()
        machines = self._machines()
        self._most = len(machines) * per_machine if limits.rpm or limits.tpm else None
        self._foreman = Foreman(store, job.campaign, job.plans, limits, len(machines) * per_machine)
        self._job = ray.put(job)
        here = self._at(ray.get_runtime_context().get_node_id())
        self._board = ray.remote(Board).options(num_cpus=0, scheduling_strategy=here).remote()
        self._work = ray.remote(work)

    def run(self) -> tuple[Totals, Crew]:
        foreman = self._foreman
        while True:
            self._hand_out()
            if self._running:
                ready, _ = self._ray.wait(list(self._running), num_returns=1, timeout=_TICK)
                for reference in ready:
                    self._settle(reference)
            elif foreman.finished:
                break
            else:  # documents that another worker holds, or machines that rest
                time.sleep(_TICK)
            if self._report:
                self._report(foreman.so_far(list(self._under_way().values())))
        totals = foreman.reckoned()
        if self._report:
            self._report(totals)
        foreman.crew.machines = len(self._seen)
        foreman.crew.stopped = self._out
        return totals, foreman.crew

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
            part = self._foreman.next()
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
            outcome: Outcome = self._ray.get(reference)
        except errors.RayTaskError as problem:  # a bug of ours, with its traceback
            raise problem.as_instanceof_cause() from None
        except errors.RayError:
            self._resting[machine] = time.monotonic() + _REST
            seen = self._under_way().get(part.number, Totals())
            del self._running[reference]
            self._foreman.died(part, seen)
            return
        del self._running[reference]
        if outcome.problem:
            self._out[machine] = outcome.problem
            self._next_step = outcome.next_step
        self._foreman.done(part, outcome)

    def _under_way(self) -> dict[int, Totals]:
        parts = {part.number for part, _ in self._running.values()}
        found: dict[int, Totals] = self._ray.get(self._board.all.remote())
        return {number: totals for number, totals in found.items() if number in parts}

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

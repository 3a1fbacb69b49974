"""One worker's part of a run, in a process of its own on whatever machine: everything comes in its arguments."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from lanner import __version__
from lanner.errors import LannerError
from lanner.judges.plan import Limits, Plan, Totals
from lanner.judges.providers import RefusedError
from lanner.judges.run import Report, run
from lanner.store import Store
from lanner.store.claims import claimed


@dataclass(frozen=True, slots=True)
class Job:
    """What all workers of a run share. Keys are not in it: each machine has them in its own environment."""

    place: str
    campaign: int
    plans: tuple[Plan, ...]
    version: str = __version__


@dataclass(frozen=True, slots=True)
class Part:
    """Whole documents for one worker, about how many items are open in them, and how far it may go."""

    number: int
    documents: tuple[str, ...]
    items: int
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a worker's part ended. `held` are documents that another worker has. A problem travels as words: errors of
    all kinds do not survive the way between processes."""

    totals: Totals
    held: tuple[str, ...] = ()
    problem: str = ""
    next_step: str = ""
    refused: bool = False


def judge_part(job: Job, part: Part, report: Report | None = None) -> Outcome:
    """Judge what is open in these documents, except where another worker is at it."""
    if job.version != __version__:
        what = f"This machine has Lanner {__version__}, the one that began the run {job.version}."
        return Outcome(Totals(), problem=what, next_step="Install the same version on all machines.")
    seen = Totals()

    def note(totals: Totals) -> None:
        nonlocal seen
        seen = totals
        if report:
            report(totals)

    try:
        with Store.open(job.place, create=False) as store, claimed(store, job.campaign, part.documents) as mine:
            documents = [document for document in part.documents if document in mine]
            totals = _judge(store, job, documents, part.limits, note) if documents else Totals()
        return Outcome(totals, tuple(document for document in part.documents if document not in mine))
    except LannerError as problem:
        return Outcome(seen, (), problem.what, problem.next_step, isinstance(problem, RefusedError))


def _judge(store: Store, job: Job, documents: Sequence[str], limits: Limits, report: Report) -> Totals:
    return asyncio.run(run(store, job.campaign, job.plans, documents=documents, limits=limits, report=report))

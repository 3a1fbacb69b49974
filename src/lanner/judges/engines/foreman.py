"""Who does what next: divides open documents into parts, hands them out within the run's limits, takes back those of
workers that died, and reckons up. It knows no engine; the ledger tells it what the dead had done.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil

from lanner import campaign
from lanner.errors import LannerError
from lanner.judges.engines.worker import Outcome, Part
from lanner.judges.plan import Limits, Plan, Totals
from lanner.judges.run import divided, sizes
from lanner.store import Store

_ROUNDS = 4  # parts for each worker: so many that the last ones end together, so few that each runs at full pace
_DOCUMENTS = 64  # in a part at most: each is a lock in the database, which has some thousands
_WORTHWHILE = 10  # a part is worth a worker's start if it fills its line so often
_DEATHS = 5  # over the same documents without an answer in between


@dataclass(slots=True)
class Crew:
    """How the work was done: parts handed out, workers that died over theirs, machines that had to stop."""

    parts: int = 0
    deaths: int = 0
    machines: int = 0
    stopped: dict[str, str] = field(default_factory=dict)


class Foreman:
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
        self._given: dict[int, Part] = {}
        self._held: list[str] = []
        self._short: list[str] = []
        self._deaths: dict[str, int] = {}
        self._settled = 0
        self._progress = False
        self._sum = Totals()
        self._stopped = ""
        self.crew = Crew()

    def next(self) -> Part | None:
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
        self.crew.parts += 1
        return part

    def done(self, part: Part, outcome: Outcome) -> None:
        """A worker has come to an end: of its part, of its money, or of what its machine can do."""
        del self._given[part.number]
        self._sum.add(replace(outcome.totals, stopped="", open=0))
        self._settled += outcome.totals.settled
        if outcome.totals.calls:
            self._progress = True
            for document in part.documents:
                self._deaths.pop(document, None)
        if outcome.refused:
            raise LannerError(outcome.problem, next_step=outcome.next_step)
        if outcome.problem:
            self._again(part.documents)
        elif outcome.totals.stopped:
            self._short += part.documents
        else:
            self._held += outcome.held

    def died(self, part: Part, seen: Totals) -> None:
        """A worker is gone. What it had answered is in the ledger; the rest of its documents is for others."""
        del self._given[part.number]
        self.crew.deaths += 1
        self._sum.add(replace(seen, stopped="", open=0))
        left = self._open(part.documents)
        done = part.items - sum(left.values())
        self._settled += done
        for document in left:
            self._deaths[document] = 0 if done else self._deaths.get(document, 0) + 1
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
        if self.crew.deaths:
            calls, tokens_in, tokens_out, cost = (
                now - then for now, then in zip(self._spent(), self._before, strict=True)
            )
            whole.items = self._items - sum(sizes(self._store, self.campaign, self._plans).values())
            whole.calls, whole.tokens_in, whole.tokens_out, whole.cost = (
                int(calls),
                int(tokens_in),
                int(tokens_out),
                cost,
            )
        return whole

    def _parts(self, open_: dict[str, int]) -> list[Part]:
        if not open_:
            return []
        weights = {document: max(1, number) for document, number in open_.items()}  # some have only to be finished
        total = sum(weights.values())
        large = max(total / (self._workers * _ROUNDS), self._limits.in_flight * _WORTHWHILE)
        groups = divided(weights, max(ceil(total / large), ceil(len(open_) / _DOCUMENTS), self._workers))
        return [self._part(group, open_) for group in groups]

    def _part(self, documents: Iterable[str], open_: Mapping[str, int]) -> Part:
        number, self._next = self._next, self._next + 1
        names = tuple(documents)
        return Part(number, names, sum(open_[document] for document in names))

    def _again(self, documents: Sequence[str]) -> None:
        open_ = self._open(documents)
        if open_:
            self._waiting.append(self._part(open_, open_))

    def _open(self, documents: Sequence[str]) -> dict[str, int]:
        wanted = set(documents)
        return {d: n for d, n in sizes(self._store, self.campaign, self._plans).items() if d in wanted}

    def _share(self, rate: float | None) -> float | None:
        return None if rate is None else rate / self._workers

    def _allowance(self, most: float) -> float:
        """A part's share of the money that is neither spent nor put aside for others."""
        spent = self._spent()[3] - self._before[3]
        aside = sum(part.limits.max_cost or 0.0 for part in self._given.values())
        waiting = sum(part.items for part in self._waiting)
        return max(0.0, most - spent - aside) * (self._waiting[0].items / waiting if waiting else 1.0)

    def _spent(self) -> tuple[float, float, float, float]:
        found = (0.0, 0.0, 0.0, 0.0)
        with self._store.reading() as tx:
            for plan in self._plans:
                judge = tx.judges.find(self.campaign, plan.judge)
                if judge:
                    rows = tx.ledger.spent(judge.number)
                    found = (found[0] + rows[0], found[1] + rows[1], found[2] + rows[2], found[3] + rows[3])
        return found

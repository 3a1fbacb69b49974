"""Adaptive campaigns: a document is drawn when a judge asks for work and nothing drawn is free.

Each draw is an entry in the log with its probability, and so is each look with the weights that the next draws go by.
What is drawn next follows from the log and the campaign's seed alone; nothing else is kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

import numpy as np

from lanner.campaign.cache import Reference, find
from lanner.campaign.clock import now
from lanner.designs.adaptive import NAME, control_of, tasks_of
from lanner.errors import CampaignError, InputError
from lanner.model import Campaign, Document, Json, Protocol, Unit
from lanner.protocols.ranking import ranking_options, ranking_plans
from lanner.store import Event, Store, Transaction

if TYPE_CHECKING:  # statistics are loaded when an adaptive campaign is met: servers without one start without them
    from lanner.stats.allocation import Allocation
    from lanner.stats.goals import Goal

DRAWN, LOOKED = "document_drawn", "look_taken"
CONTROL_EVERY = 10
"""With controls asked for, every so many draws bring one more task with a spoiled sentence."""


@dataclass
class Drawing:
    """An adaptive campaign as its log tells it."""

    documents: tuple[Document, ...]
    protocol: Protocol
    options: Mapping[str, Json]
    allocation: Allocation
    numbers: dict[str, int]
    """The row of each document in the store."""
    assigned: int = 0
    """Judgements that have been handed out: items of all draws, once for each judge."""
    last: int = 0
    looks: dict[int, datetime] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._place = {document.id: at for at, document in enumerate(self.documents)}

    @property
    def budget(self) -> int:
        return int(self.options.get("budget") or 0)

    @property
    def ended(self) -> bool:
        """Whether nothing more will be drawn."""
        spent = bool(self.budget) and self.assigned >= self.budget
        return spent or self.allocation.next_draw() is None

    def read(self, events: Sequence[Event]) -> None:
        """Take up what the log has brought since."""
        from lanner.stats.allocation import Draw
        from lanner.stats.goals import Standing, State

        systems = self.allocation.systems
        for event in events:
            detail = event.detail
            self.last = event.id
            if event.kind == DRAWN:
                shown = tuple(systems.index(name) for name in detail["systems"])
                self.allocation.add(
                    Draw(int(detail["number"]), self._place[detail["document"]], float(detail["probability"]), shown)
                )
                self.assigned += int(detail["judgements"])
            elif event.kind == LOOKED:
                standing = Standing(
                    int(detail["look"]),
                    self.allocation.standing.pairs,
                    tuple(State(state) for state in detail["states"]),
                    tuple(int(winner) for winner in detail["winners"]),
                    tuple(int(system) for system in detail["active"]),
                    bool(detail["enough"]),
                )
                self.allocation.renew(standing, weights=np.array(detail["weights"], dtype=float))
                self.looks[standing.look] = event.at


def goal_of(options: Mapping[str, Json], systems: Sequence[str]) -> Goal:
    """The goal that a campaign's options state, checked."""
    from lanner.stats.goals import Goal, parse_goal

    goal = parse_goal(str(options.get("goal") or "rank"), systems)
    return Goal(
        goal.kind, goal.first, goal.second, goal.margin, goal.half_width, goal.minimum,
        of_complete=bool(options.get("these_documents", False)),
    )  # fmt: skip


def score_of(protocol: Protocol) -> tuple[str, float]:
    """The score that systems are ranked by, and 1 or −1: whether more of it is better."""
    plan = next(iter(ranking_plans(protocol)), None)
    if plan is None and not protocol.scores:
        raise InputError(f"{protocol.name} has no score to rank systems by.", code="no_score")
    of = plan.of if plan else protocol.scores[0].id
    options = ranking_options(protocol, of, plan.options if plan else {})
    return of, -1.0 if options.get("direction") == "lower_is_better" else 1.0


def drawing(store: Store, tx: Transaction, campaign: Campaign) -> Drawing:
    """The campaign's draws up to now. Only what is new is read again."""

    def make() -> Drawing:
        from lanner.stats.allocation import Allocation

        plan = tx.campaigns.plan(campaign.id)
        protocol = Protocol.model_validate_json(tx.campaigns.protocol(campaign.id))
        documents = tuple(tx.documents.all(campaign.id))
        systems = tuple(plan["systems"])
        sizes = document_sizes(documents, protocol)
        allocation = Allocation(goal_of(plan["options"], systems), systems, sizes, seed=campaign.seed)
        return Drawing(documents, protocol, plan["options"], allocation, tx.documents.numbers(campaign.id))

    if campaign.design != NAME:
        raise CampaignError(f"{campaign.name} is not adaptive.", code="not_adaptive")
    kept: Drawing = store.facts.get(("drawing", campaign.id, tx.campaigns.corpus_hash(campaign.id)), make)
    kept.read(tx.events.of(campaign.id, kinds=(DRAWN, LOOKED), after=kept.last))
    return kept


def document_sizes(documents: Sequence[Document], protocol: Protocol) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """How many judgements of one system each document takes: its judged segments, or one for the whole."""
    units = {stage.unit for stage in protocol.stages if stage.unit is not Unit.JUDGE}
    whole = units == {Unit.DOCUMENT}
    return np.array([1.0 if whole else float(max(1, sum(s.judged for s in d))) for d in documents])


def state(store: Store, campaign: Reference) -> Drawing:
    """An adaptive campaign's draws and standing, for those who look at it."""
    with store.reading() as tx:
        return drawing(store, tx, find(tx, campaign))


def finished_share(store: Store, campaign: Reference) -> float:
    """The share of the documents that have been drawn and wholly judged."""
    with store.reading() as tx:
        found = find(tx, campaign)
        return tx.tasks.finished_documents(found.id) / max(1, len(drawing(store, tx, found).documents))


def take_task(store: Store, campaign: Campaign, seat: int, *, at: datetime | None = None) -> int | None:
    """A free task for this judge: one that is drawn already, else one of a document drawn now."""

    def work(tx: Transaction) -> int | None:
        tx.campaigns.lock(campaign.id)
        task = tx.tasks.claim(campaign.id, seat)
        if task is None and _draw(store, tx, campaign, at or now()):
            task = tx.tasks.claim(campaign.id, seat)
        return task

    return store.write(work)


def _draw(store: Store, tx: Transaction, campaign: Campaign, at: datetime) -> bool:
    own = drawing(store, tx, campaign)
    draw = own.allocation.next_draw()
    if draw is None or (own.budget and own.assigned >= own.budget):
        return False
    document = own.documents[draw.document]
    systems = [own.allocation.systems[place] for place in draw.systems]
    rng = np.random.default_rng([campaign.seed, 26, draw.number])
    judges = int(own.options.get("judges_per_document") or 1)
    judges += int(rng.random() < float(own.options.get("overlap") or 0.0))
    tasks = tasks_of(document, systems, own.protocol, judges, rng=rng)
    judgements = sum(len(task.items) for task in tasks)
    controls = campaign.settings.get("controls") or {}
    kind = next((name for name in ("shuffled", "swapped", "degraded") if controls.get(name)), "")
    if kind and draw.number % CONTROL_EVERY == CONTROL_EVERY - 1:
        control = control_of(tasks, own.documents, own.protocol, kind, rng=rng)
        tasks += [control] if control else []
    tx.tasks.add(campaign.id, tasks, {}, own.numbers, at)
    tx.events.add(
        DRAWN, at, campaign=campaign.id, number=draw.number, document=document.id, probability=draw.probability,
        systems=systems, judges=judges, judgements=judgements,
    )  # fmt: skip
    return True


def log_look(store: Store, campaign: Reference, allocation: Allocation, *, at: datetime | None = None) -> bool:
    """Put a look into the log: what it settled, and the weights of the next draws. False where somebody else has taken
    the same look meanwhile."""
    standing = allocation.standing

    def work(tx: Transaction) -> bool:
        found = find(tx, campaign)
        tx.campaigns.lock(found.id)
        if drawing(store, tx, found).allocation.standing.look >= standing.look:
            return False
        tx.events.add(
            LOOKED, at or now(), campaign=found.id, look=standing.look, states=[str(one) for one in standing.states],
            winners=list(standing.winners), active=list(standing.active), enough=standing.enough,
            weights=[round(float(weight), 6) for weight in allocation.weights],
        )  # fmt: skip
        return True

    return store.write(work)


def is_running(tx: Transaction, campaign: Campaign) -> bool:
    """Whether an adaptive campaign will draw more: without a free task it is not finished for that."""
    if campaign.design != NAME:
        return False
    events = tx.events.of(campaign.id, kinds=(DRAWN, LOOKED))
    looks = [event for event in events if event.kind == LOOKED]
    if looks and looks[-1].detail["enough"]:
        return False
    draws = [event for event in events if event.kind == DRAWN]
    budget = int(tx.campaigns.plan(campaign.id)["options"].get("budget") or 0)
    spent = sum(int(event.detail["judgements"]) for event in draws)
    return len(draws) < len(tx.documents.numbers(campaign.id)) - 1 and not (budget and spent >= budget)

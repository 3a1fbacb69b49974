"""Adaptive campaigns: a document is drawn when a judge asks for work and nothing drawn is free.

Each draw is an entry in the log with its probability, and so is each look with the weights that the next draws go by.
What is drawn next follows from the log and the campaign's seed alone; nothing else is kept.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from lanner.campaign.states import Reference, awaits_rest, lock
from lanner.designs.adaptive import NAME, DocumentInWork, control_of, document_for, most_in_work, tasks_of
from lanner.errors import CampaignError, InputError, did_you_mean
from lanner.model import JUDGE_GROUPS, Campaign, CampaignState, Document, Json, Judge, Protocol, Unit
from lanner.protocols.derived import ranking_options, ranking_plans
from lanner.store import JUDGE_ITSELF, JUDGE_REPLACED, Event, Store, Transaction
from lanner.store.campaigns import CAMPAIGN_FINISHED
from lanner.store.rows import now

if TYPE_CHECKING:  # statistics are loaded when an adaptive campaign is met: servers without one start without them
    from lanner.stats.allocation import Allocation
    from lanner.stats.goals import Goal, GoalStanding

DRAWN, LOOKED, LEFT, TEAMED = "document_drawn", "look_taken", "pair_left_open", "team_formed"
STANDING = (DRAWN, LOOKED, LEFT)
"""Events that tell where a campaign stands."""
_READING = Lock()
"""Held while what all threads share of a campaign's log is brought up to date."""
PAUSE = timedelta(minutes=15)
"""For so long a document waits for a judge who has finished one of its tasks and not asked for the next."""
CONTROL_EVERY = 10
"""With controls asked for, every so many draws bring one more task with a spoiled sentence."""


@dataclass
class AdaptiveDraws:
    """The state of an adaptive campaign, read from its log."""

    documents: tuple[Document, ...]
    protocol: Protocol
    options: Mapping[str, Json]
    allocation: Allocation
    numbers: dict[str, int]
    """The row of each document in the store."""
    judges: dict[int, int] = field(default_factory=dict)
    """How many judges each drawn document is for, by its row."""
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
    def everything(self) -> int:
        """Judgements of the complete campaign: all documents with all systems that the goal is about."""
        from lanner.stats.goals import start

        shown = len(start(self.allocation.goal, self.allocation.systems).active)
        judges = int(self.options.get("judges_per_document") or 1) + float(self.options.get("overlap") or 0.0)
        return round(float(self.allocation.sizes.sum()) * shown * judges)

    @property
    def ended(self) -> bool:
        """Whether nothing more will be drawn."""
        spent = bool(self.budget) and self.assigned >= self.budget
        return spent or self.allocation.next_draw() is None

    def read(self, events: Sequence[Event]) -> None:
        """Apply new entries of the log. Several threads may have read the same entries: each is applied once."""
        with _READING:
            for event in events:
                if event.id > self.last:
                    self._apply(event)
                    self.last = event.id

    def _apply(self, event: Event) -> None:
        from lanner.stats.allocation import Draw
        from lanner.stats.goals import GoalStanding, State

        systems, detail = self.allocation.systems, event.detail
        if event.kind == DRAWN:
            places = tuple(systems.index(name) for name in detail["systems"])
            self.allocation.add(
                Draw(int(detail["number"]), self._place[detail["document"]], float(detail["probability"]), places)
            )
            self.judges[self.numbers[detail["document"]]] = int(detail["judges"])
            self.assigned += int(detail["judgements"])
        elif event.kind in (LOOKED, LEFT):
            standing = GoalStanding(
                int(detail["look"]),
                self.allocation.standing.pairs,
                tuple(State(state) for state in detail["states"]),
                tuple(int(winner) for winner in detail["winners"]),
                tuple(int(system) for system in detail["active"]),
                bool(detail["enough"]),
            )
            if event.kind == LEFT:
                self.allocation.standing = standing
            else:
                self.allocation.renew(standing, weights=np.array(detail["weights"], dtype=float))
                self.looks[standing.look] = event.at


def goal_of(options: Mapping[str, Json], systems: Sequence[str]) -> Goal:
    """The goal that a campaign's options state, checked."""
    from lanner.stats.goals import parse_goal

    goal = parse_goal(str(options.get("goal") or "rank"), systems)
    return replace(goal, of_complete=bool(options.get("these_documents", False)))


def score_of(protocol: Protocol) -> tuple[str, float]:
    """The score that systems are ranked by, and 1 or −1: whether more of it is better."""
    plan = next(iter(ranking_plans(protocol)), None)
    if plan is None and not protocol.scores:
        raise InputError(f"{protocol.name} has no score to rank systems by.", code="no_score")
    of = plan.of if plan else protocol.scores[0].id
    options = ranking_options(protocol, of, plan.options if plan else {})
    return of, -1.0 if options.get("direction") == "lower_is_better" else 1.0


@dataclass(slots=True)
class _CachedDrawing:
    """The cached draws of a campaign with the version they belong to: a draft may still change."""

    entry: tuple[int, AdaptiveDraws] | None = None


def drawing(tx: Transaction, campaign: Campaign) -> AdaptiveDraws:
    """The campaign's draws up to now. Only what is new is read again."""
    if campaign.design != NAME:
        step = "Adaptive campaigns are made with: lanner new --goal …"
        raise CampaignError(f"{campaign.name} is not adaptive.", code="not_adaptive", next_step=step)
    kept: _CachedDrawing = tx.cache.get(("drawing", campaign.id), _CachedDrawing)
    version = tx.campaigns.version(campaign.id)
    if kept.entry is not None and kept.entry[0] == version:
        drawing = kept.entry[1]
    else:
        drawing = _before_first_draw(tx, campaign)
        kept.entry = (version, drawing)
    drawing.read(tx.events.of(campaign.id, kinds=STANDING, after=drawing.last))
    return drawing


def _before_first_draw(tx: Transaction, campaign: Campaign) -> AdaptiveDraws:
    """The state of a campaign before its first draw."""
    from lanner.stats.allocation import Allocation

    plan = tx.campaigns.plan(campaign.id)
    protocol = tx.campaigns.protocol(campaign.id)
    in_round = _calibration(campaign, drawn_documents(tx, campaign.id))
    documents = tuple(document for document in tx.documents.all(campaign.id) if document.id not in in_round)
    systems = tuple(plan["systems"])
    sizes = document_sizes(documents, protocol)
    allocation = Allocation(goal_of(plan["options"], systems), systems, sizes, seed=campaign.seed)
    return AdaptiveDraws(documents, protocol, plan["options"], allocation, tx.documents.numbers(campaign.id))


def _calibration(campaign: Campaign, drawn: Collection[str]) -> set[str]:
    """Documents of the calibration round, which everybody judges: they are not drawn, unless an earlier version did."""
    return set(campaign.settings.get("calibration") or ()) - {*drawn}


def document_sizes(documents: Sequence[Document], protocol: Protocol) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """How many judgements of one system each document takes: its judged segments, or one for the whole."""
    units = {stage.unit for stage in protocol.stages if stage.unit is not Unit.JUDGE}
    whole = units == {Unit.DOCUMENT}
    return np.array([1.0 if whole else float(max(1, sum(s.judged for s in d))) for d in documents])


def state(store: Store, campaign: Reference) -> AdaptiveDraws:
    """An adaptive campaign's draws and standing, for those who look at it."""
    with store.reading() as tx:
        return drawing(tx, tx.campaigns.get(campaign))


def finished_share(store: Store, campaign: Reference) -> float:
    """The share of the documents that have been drawn and all of whose outputs somebody has judged."""
    with store.reading() as tx:
        entry = tx.campaigns.get(campaign)
        own = drawing(tx, entry)
        outputs = tx.progress.finished_outputs(entry.id)
        finished = [
            outputs.get(own.numbers[own.documents[draw.document].id], 0) >= len(draw.systems)
            for draw in own.allocation.draws
        ]
        return sum(finished) / max(1, len(own.documents))


def has_open_texts(store: Store, campaign: Reference) -> bool:
    """Whether texts that were handed out, or are free, still have to be judged by somebody."""
    with store.reading() as tx:
        return tx.progress.any_texts_open(tx.campaigns.get(campaign).id)


def take_task(store: Store, campaign: Campaign, participant: int, *, at: datetime | None = None) -> int | None:
    """A free task for this judge: one of a document that is drawn already, else of one drawn now
    (`lanner.designs.adaptive.document_for`)."""

    moment = at or now()

    def work(tx: Transaction) -> int | None:
        if lock(tx, campaign.id).state is not CampaignState.OPEN:  # it was stopped since it was looked at
            return None
        if awaits_rest(tx, campaign):
            return None
        own = drawing(tx, campaign)
        free = tx.tasks.free_documents(campaign.id, participant, moment - PAUSE)
        in_work = {
            document: DocumentInWork(judges, any(judges.values()), own.judges[document])
            for document, judges in free.items()
        }
        document = document_for(participant, in_work, most=most_in_work(len(own.documents)))
        if document is None:
            document = _draw(tx, campaign, participant, moment)
        if document is None:
            document = document_for(participant, in_work, most=0)
        if document is None:
            return None
        return tx.tasks.claim(campaign.id, participant, document) or tx.tasks.next_of(participant)  # or of the team

    return store.write(work)


def _draw(tx: Transaction, campaign: Campaign, participant: int, at: datetime) -> int | None:
    """Draw a document, add its tasks and return its row; None where nothing more is drawn."""
    own = drawing(tx, campaign)
    draw = own.allocation.next_draw()
    if draw is None or (own.budget and own.assigned >= own.budget):
        return None
    document = own.documents[draw.document]
    systems = [own.allocation.systems[place] for place in draw.systems]
    rng = np.random.default_rng([campaign.seed, 26, draw.number])
    number = int(own.options.get("judges_per_document") or 1)
    number += int(rng.random() < float(own.options.get("overlap") or 0.0))
    participants = {}
    if own.options.get("teams"):
        participants = _team(tx, campaign, participant, number, at)
        if not participants:
            return None
    tasks = tasks_of(document, systems, own.protocol, list(participants) or [""] * number, rng=rng)
    judgements = sum(len(task.items) for task in tasks)
    controls = campaign.settings.get("controls") or {}
    kind = next((name for name in ("shuffled", "swapped", "degraded") if controls.get(name)), "")
    if kind and draw.number % CONTROL_EVERY == CONTROL_EVERY - 1:
        control = control_of(tasks, own.documents, own.protocol, kind, rng=rng)
        tasks += [control] if control else []
    tx.tasks.add(campaign.id, tasks, participants, own.numbers, at)
    tx.events.add(
        DRAWN,
        at,
        campaign=campaign.id,
        number=draw.number,
        document=document.id,
        probability=draw.probability,
        systems=systems,
        judges=number,
        judgements=judgements,
    )
    return own.numbers[document.id]


def _team(tx: Transaction, campaign: Campaign, participant: int, size: int, at: datetime) -> dict[str, int]:
    """The team of this judge, with their rows; none where too few have no team yet. Teams are formed as judges ask for
    work, of the judge who asks and the next who have none; the log says who is together."""
    teams: list[list[int]] = []
    left_judges: set[int] = set()
    for event in tx.events.of(campaign.id, kinds=(TEAMED, JUDGE_REPLACED)):
        if event.kind == TEAMED:
            teams.append([int(number) for number in event.detail["seats"]])
        else:
            leaving = int(event.detail["seat"])
            coming = int(event.detail.get("coming", leaving))
            left_judges.add(leaving)
            teams = [[coming if number == leaving else number for number in team] for team in teams]
    everyone = [entry for entry in tx.judges.all(campaign.id) if entry.judge.kind in JUDGE_GROUPS["people"]]
    people = {entry.number: entry.judge.id for entry in everyone}
    own = next((team for team in teams if participant in team), None)
    if own is None:
        members = left_judges | {number for team in teams for number in team}
        members |= {participant, *tx.events.left_out(campaign.id), *tx.progress.who_only_came_with_files(campaign.id)}
        others = [entry.number for entry in everyone if entry.number not in members and entry.revoked_at is None]
        if len(others) < size - 1:
            return {}
        own = [participant, *others[: size - 1]]
        tx.events.add(TEAMED, at, campaign=campaign.id, seats=own)
    return {people[number]: number for number in own if number in people}


def log_look(store: Store, campaign: Reference, allocation: Allocation, *, at: datetime | None = None) -> bool:
    """Write a look into the log, with what it settled and the weights of the next draws. False where somebody else has
    taken the same look meanwhile, or left a pair open that this look still counted: the look is then taken again."""
    from lanner.stats.goals import State

    standing = allocation.standing

    def work(tx: Transaction) -> bool:
        entry = lock(tx, campaign)
        logged = drawing(tx, entry).allocation.standing
        is_left_since = any(
            then is State.LEFT and state is not State.LEFT
            for then, state in zip(logged.states, standing.states, strict=True)
        )
        if logged.look >= standing.look or is_left_since:
            return False
        weights = [round(float(weight), 6) for weight in allocation.weights]
        moment = at or now()
        with announcing_end(tx, entry, moment):
            tx.events.add(LOOKED, moment, campaign=entry.id, weights=weights, **_detail(standing))
        return True

    return store.write(work)


def _detail(standing: GoalStanding) -> dict[str, Json]:
    """A standing as the log keeps it."""
    return {
        "look": standing.look,
        "states": [str(one) for one in standing.states],
        "winners": list(standing.winners),
        "active": list(standing.active),
        "enough": standing.enough,
    }


def leave_open(
    store: Store,
    campaign: Reference,
    first: str,
    second: str,
    *,
    account: int | None = None,
    at: datetime | None = None,
) -> None:
    """Give up deciding an open pair of systems: nothing more is judged for its sake. That cannot be taken back, since a
    system that comes back later would lack the documents in between."""
    from lanner.stats.goals import GoalKind, State
    from lanner.stats.goals import leave_open as leave

    def work(tx: Transaction) -> None:
        entry = lock(tx, campaign)
        allocation = drawing(tx, entry).allocation
        if allocation.goal.kind in (GoalKind.PRECISION, GoalKind.AGREEMENT):
            raise CampaignError(
                f"The goal {allocation.goal} is not about pairs of systems.",
                code="no_pairs",
                names={"goal": str(allocation.goal)},
                next_step="Close the campaign when it has told enough.",
            )
        standing, systems = allocation.standing, allocation.systems
        names = [{systems[one], systems[other]} for one, other in standing.pairs]
        place = names.index({first, second}) if {first, second} in names else None
        if place is None or standing.states[place] is not State.OPEN:
            unknown = next((name for name in (first, second) if name not in systems), None)
            raise CampaignError(
                f"{first[:80]} and {second[:80]} are not an open pair.",
                code="pair_not_open",
                names={"first": first[:80], "second": second[:80]},
                next_step=did_you_mean(unknown, systems) if unknown else "See which pairs are open.",
            )
        left = leave(allocation.goal, standing, place)
        pair = [systems[one] for one in standing.pairs[place]]
        moment = at or now()
        with announcing_end(tx, entry, moment):
            tx.events.add(LEFT, moment, campaign=entry.id, account=account, pair=pair, **_detail(left))

    store.write(work)


def pairs_left_open(tx: Transaction, campaign: int) -> list[tuple[str, str]]:
    """The pairs of systems that the organisers have left open."""
    events = tx.events.of(campaign, kinds=(LEFT,))
    return [(str(event.detail["pair"][0]), str(event.detail["pair"][1])) for event in events]


def count_undrawn(tx: Transaction, campaign: Campaign) -> int:
    """How many judgements may still be handed out, at most, by an adaptive campaign that is not at its end; 0 in any
    other campaign."""
    if campaign.state is CampaignState.CLOSED or not is_running(tx, campaign):
        return 0
    own = drawing(tx, campaign)
    return max(1, (own.budget or own.everything) - own.assigned)  # how many documents have one judge more is chance


def drawn_documents(tx: Transaction, campaign: int) -> dict[str, tuple[int, float]]:
    """By document of an adaptive campaign: which draw it was, 1 for the first, and the chance it had then."""
    return {
        str(event.detail["document"]): (int(event.detail["number"]) + 1, float(event.detail["probability"]))
        for event in tx.events.of(campaign, kinds=(DRAWN,))
    }


def is_running(tx: Transaction, campaign: Campaign) -> bool:
    """Whether an adaptive campaign will draw more: it is then not finished even if no task is free."""
    if campaign.design != NAME:
        return False
    events = tx.events.of(campaign.id, kinds=STANDING)
    looks = [event for event in events if event.kind != DRAWN]
    if looks and looks[-1].detail["enough"]:
        return False
    draws = [event for event in events if event.kind == DRAWN]
    budget = int(tx.campaigns.plan(campaign.id)["options"].get("budget") or 0)
    spent = sum(int(event.detail["judgements"]) for event in draws)
    in_round = _calibration(campaign, {str(event.detail["document"]) for event in draws})
    left = tx.documents.numbers(campaign.id).keys() - {JUDGE_ITSELF} - in_round
    return len(draws) < len(left) and not (budget and spent >= budget)


def is_over(tx: Transaction, campaign: Campaign) -> bool:
    """Whether nothing is left to do in a campaign, and nothing more will be drawn or assigned."""
    return not (tx.progress.any_open(campaign.id) or is_running(tx, campaign) or awaits_rest(tx, campaign))


def announce_end(tx: Transaction, campaign: Campaign, at: datetime) -> None:
    """Tell the addresses that want to know that a campaign is finished."""
    message = {"campaign": campaign.name, "finished_at": at.isoformat(timespec="milliseconds")}
    tx.webhooks.announce(campaign.id, CAMPAIGN_FINISHED, message, at)


@contextmanager
def announcing_end(
    tx: Transaction, campaign: Campaign, at: datetime, *, leaving: Judge | None = None
) -> Iterator[None]:
    """Announce the end of a campaign that is locked, where the block (a change by an organiser, or a look) ends it: no
    finished task announces it then. Where a model leaves, its run may have come after the end."""
    is_model = leaving is not None and leaving.kind not in JUDGE_GROUPS["people"]
    was_over = is_model or not tx.webhooks.all() or is_over(tx, campaign)
    yield
    if not was_over and tx.progress.any_finished(campaign.id) and is_over(tx, campaign):
        announce_end(tx, campaign, at)

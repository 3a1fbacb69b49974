"""Where a campaign stands, as plain objects: what the live page draws and `lanner campaign check` prints."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime

from lanner import campaign as campaigns
from lanner.campaign import drawing
from lanner.campaign.settings import local_time
from lanner.campaign.states import REST_ASSIGNED
from lanner.designs.expected import missed_controls
from lanner.model import EQUAL, MARKED, NOTHING, Campaign, CampaignState, Protocol
from lanner.model.alarms import Code
from lanner.model.messages import Words, message
from lanner.model.protocol import Wording
from lanner.monitor.snapshot import (
    MODELS,
    PEOPLE,
    AgreementMeasure,
    Decisions,
    JudgeProgress,
    RemainingWork,
    Snapshot,
    joint_finish,
    judge_progress,
)
from lanner.monitor.verdict import Concern, Evidence, JudgeStanding, QuestionNames, Targets, Verdict, needs, verdict
from lanner.store import Event, Participant, Store, TaskShare, Transaction

NO_SNAPSHOT = Snapshot(0, 0, datetime.min, (), (), (), "", None, {}, (), 0, {})
"""Stands in for a snapshot that is still being computed."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """How much text there is: documents and sentences by domain, in the order of the documents."""

    domains: tuple[tuple[str, int, int], ...]

    @property
    def documents(self) -> int:
        return sum(documents for _, documents, _ in self.domains)

    @property
    def sentences(self) -> int:
        return sum(sentences for _, _, sentences in self.domains)


@dataclass(frozen=True, slots=True)
class JudgeStatus:
    """One judge: how far, how fast, at what cost, how many controls missed. `days_late` is negative before the
    deadline, None where it cannot be said."""

    participant: Participant
    name: str
    progress: JudgeProgress
    days_late: int | None
    cost: float | None
    cost_in_all: float | None
    missed: int
    controls: int
    left_out: str = ""
    """Why this judge counts in no result; empty where they count."""
    without: float | None = None
    """Agreement on the main question without this judge."""
    alarms: tuple[str, ...] = ()
    """Codes of what there is to look at."""

    @property
    def is_done(self) -> bool:
        return self.progress.done >= self.progress.total

    @property
    def hours_in_all(self) -> float | None:
        """Seconds of work when all is done."""
        left = self.progress.active_left
        return None if left is None else self.progress.active + left


@dataclass(frozen=True, slots=True)
class CampaignStatus:
    """Everything about a running campaign, without words of a language but the protocol's own labels."""

    campaign: Campaign
    protocol: Protocol
    wording: Wording
    corpus: Corpus
    targets: Targets
    verdict: Verdict
    people: tuple[JudgeStatus, ...]
    to_come: RemainingWork
    models: tuple[JudgeStatus, ...]
    participants: tuple[Participant, ...]
    snapshot: Snapshot
    chosen: Snapshot
    """The snapshot whose question the comparisons of judges are about; the verdict is about the main one."""
    main: AgreementMeasure | None
    needs: tuple[Concern, ...]
    events: tuple[Event, ...]
    ready: bool

    @property
    def names(self) -> Mapping[str, str]:
        return {
            participant.judge.id: participant.judge.name or participant.judge.id for participant in self.participants
        }

    @property
    def done(self) -> int:
        return sum(judge.progress.done for judge in self.people)

    @property
    def total(self) -> int:
        """All there is to judge; at most, where an adaptive campaign may stop earlier."""
        return sum(judge.progress.total for judge in self.people) + self.to_come.items

    @property
    def cost(self) -> float | None:
        """Of all people, where it is known of each of them."""
        costs = [judge.cost for judge in self.people if judge.cost is not None]
        return sum(costs) if self.targets.hourly_rate and len(costs) == len(self.people) else None


def campaign_status(
    store: Store,
    campaign: Campaign,
    snapshot: Snapshot | None,
    now: datetime,
    *,
    chosen: Snapshot | None = None,
    language: str = "en",
) -> CampaignStatus:
    """A campaign as it stands; without a snapshot, progress only. A snapshot that names somebody who was erased,
    withdrew or was removed since is not used: nothing of them may be shown."""
    with store.reading() as tx:
        shares = _shares(tx, campaign.id)
        participants = tx.judges.all(campaign.id)
        events = tx.events.of(campaign.id)
        corpus = Corpus(tuple(tx.documents.counts(campaign.id)))
        free, undrawn = tx.progress.free_items(campaign.id), drawing.count_undrawn(tx, campaign)
    names = {participant.judge.id: participant.judge.name or participant.judge.id for participant in participants}
    snapshot, chosen = (each if each is not None and each.judges <= {*names} else None for each in (snapshot, chosen))
    protocol = campaigns.protocol(store, campaign.id)
    wording = Wording(protocol, language)
    targets = Targets.from_settings(campaign.settings)
    now = local_time(campaign.settings, now)  # and with it whatever will be finished: its day is compared with the plan
    numbers = snapshot or replace(NO_SNAPSHOT, left_out=campaigns.left_out(store, campaign.id))
    domains = tuple(domain for domain, _, _ in corpus.domains)
    progress = {entry.judge: entry for entry in judge_progress(shares, numbers.paces, now, domains)}
    judges = [
        _judge_status(participant, progress[participant.judge.id], targets, numbers)
        for participant in participants
        if participant.judge.id in progress
    ]
    people = tuple(judge for judge in judges if judge.participant.judge.kind in PEOPLE)
    main = next((measure for measure in numbers.measures if measure.main and measure.question == numbers.main), None)
    standings = [
        JudgeStanding(
            judge.participant.judge.id,
            judge.name,
            judge.progress,
            judge.days_late,
            is_revoked=judge.participant.revoked_at is not None,
        )
        for judge in people
        if judge.participant.judge.id not in numbers.left_out
    ]
    to_come = _work_to_come([judge.progress for judge in people], free, undrawn, numbers.decisions, now)
    evidence = Evidence(
        main=main,
        to_come=to_come,
        decisions=numbers.decisions,
        progress=[standing.progress for standing in standings],
        controls={judge: counts for judge, counts in numbers.controls.items() if judge not in numbers.left_out},
        alarms=numbers.alarms,
        panel=numbers.panel,
        swaps=numbers.divergence.swaps if numbers.divergence else (),
        labels=len(numbers.divergence.labels) if numbers.divergence else 0,
        fast_by_chance=numbers.fast_by_chance,
        without=numbers.without,
        leaving_out=numbers.leaving_out,
        ready=snapshot is not None,
        calibration=numbers.purpose == "calibration",
        closed=campaign.state is CampaignState.CLOSED,
        stuck=[standing.judge for standing in standings if standing.is_stuck],
        weakest=wording.option(main.question, main.weakest).label if main is not None and main.weakest else "",
    )
    labels = QuestionNames(measure_labels(numbers.measures, wording), option_labels(protocol, wording, numbers.main))
    return CampaignStatus(
        campaign=campaign,
        protocol=protocol,
        wording=wording,
        corpus=corpus,
        targets=targets,
        verdict=verdict(evidence, targets, names),
        people=people,
        to_come=to_come,
        models=tuple(judge for judge in judges if judge.participant.judge.kind in MODELS),
        participants=tuple(participants),
        snapshot=numbers,
        chosen=chosen or numbers,
        main=main,
        needs=needs(
            campaign,
            standings,
            numbers,
            targets,
            labels,
            rest_assigned=any(event.kind == REST_ASSIGNED for event in events),
        ),
        events=tuple(events),
        ready=snapshot is not None,
    )


@dataclass(slots=True)
class _CachedShares:
    """Shares that were counted, as of which state, and until when they are shown."""

    entry: tuple[tuple[int, int] | None, float, list[TaskShare]] = (None, 0.0, [])


def _shares(tx: Transaction, campaign: int) -> list[TaskShare]:
    """How far every judge is. Counting all items of a large campaign takes PostgreSQL a tenth of a second, in which
    saves are slower, so the numbers are kept for a while unless an organiser has changed something."""
    state = (tx.events.last(campaign), tx.tasks.count(campaign))  # an import is an event, a save is none
    kept: _CachedShares = tx.cache.get(("shares", campaign), _CachedShares)
    as_of, until, shares = kept.entry
    began = time.monotonic()
    if as_of == state and began < until:
        return shares
    count_imported = tx.progress.imported_domain_shares
    imported = tx.cache.get(("imported shares", campaign, *state), lambda: count_imported(campaign))
    counted = [*tx.progress.domain_shares(campaign), *imported]
    took = time.monotonic() - began
    shown = min(LONGEST_SHOWN, _REST * took) if state[1] >= _MANY_TASKS else 0.0
    kept.entry = (state, began + took + shown, counted)
    return counted


LONGEST_SHOWN = 5.0
"""Seconds for which the progress of a large campaign is shown, at most."""
_MANY_TASKS = 1000
_REST = 50  # times as long as counting took


def _work_to_come(
    people: Sequence[JudgeProgress], free: int, undrawn: int, decisions: Decisions | None, now: datetime
) -> RemainingWork:
    if not undrawn:
        return RemainingWork(free, finish=joint_finish(people, free, now)) if free else RemainingWork()
    expected = decisions.work_left[0] if decisions and decisions.work_left else None
    return RemainingWork(free + undrawn, True, expected, decisions.finish if decisions else None)


def _judge_status(
    participant: Participant, progress: JudgeProgress, targets: Targets, snapshot: Snapshot
) -> JudgeStatus:
    is_paid = participant.judge.kind in PEOPLE and not progress.has_no_times  # models are not paid by the hour
    rate = targets.hourly_rate if is_paid else None
    active, left = progress.active / 3600, progress.active_left
    misses, controls = snapshot.controls.get(participant.judge.id, (0, 0))
    return JudgeStatus(
        participant=participant,
        name=participant.judge.name or participant.judge.id,
        progress=progress,
        days_late=_days_late(progress, targets.deadline),
        cost=rate * active if rate is not None else None,
        cost_in_all=rate * (active + left / 3600) if rate is not None and left is not None else None,
        missed=misses,
        controls=controls,
        left_out=snapshot.left_out.get(participant.judge.id, ""),
        without=snapshot.without.get(participant.judge.id),
        alarms=judge_alarms(participant.judge.id, snapshot, targets),
    )


def judge_alarms(judge: str, snapshot: Snapshot, targets: Targets) -> tuple[str, ...]:
    """Codes of what there is to look at in one judge, each once."""
    counts = {judge: snapshot.controls[judge]} if judge in snapshot.controls else {}
    codes = [str(alarm.code) for alarm in missed_controls(counts, targets.control_limit)]
    codes += ["swap" for swap in (snapshot.divergence.swaps if snapshot.divergence else ()) if swap.judge == judge]
    if snapshot.panel is not None and snapshot.panel.differs and snapshot.panel.judge == judge:
        codes.append(str(Code.DIFFERS))
    codes += [str(alarm.code) for alarm in snapshot.alarms if alarm.judge == judge]
    return tuple(dict.fromkeys(codes))


def _days_late(progress: JudgeProgress, deadline: date | None) -> int | None:
    if deadline is None or progress.finish is None or progress.done >= progress.total:
        return None
    return (progress.finish.date() - deadline).days


def measure_labels(measures: Sequence[AgreementMeasure], wording: Wording) -> dict[tuple[str, str], Words]:
    """What each measure is called, by its question and row."""
    labels: dict[tuple[str, str], Words] = {}
    for measure in measures:
        question = wording.question(measure.question).label
        label: Words = wording.option(measure.question, measure.row).label if measure.row else question
        if measure.part == "marked":
            label = message("{question}: any marked", question=question)
        labels[measure.question, measure.row] = label
    return labels


class OptionLabels(dict[str, str]):
    """What to call an answer. Where outputs are ranked the answers are names of systems, which stay as they are."""

    def __init__(self, wording: Wording, question: str, *, ranked: bool, words: Mapping[str, str]) -> None:
        super().__init__(words)
        self._wording, self._question, self._ranked = wording, question, ranked

    def __missing__(self, option: str) -> str:
        return option if self._ranked else self._wording.option(self._question, option).label


ANSWER_WORDS = {MARKED: "marked", NOTHING: "nothing marked", EQUAL: "neither"}
"""Answers that no protocol names, in words."""


def option_labels(
    protocol: Protocol, wording: Wording, question: str, words: Mapping[str, str] | None = None
) -> Mapping[str, str]:
    """Labels of the answers to one question; `words` are those of answers that no protocol names."""
    is_rank = any(entry.id == question and entry.kind == "rank" for _, entry in protocol.questions)
    return OptionLabels(wording, question, ranked=is_rank, words=words or ANSWER_WORDS)

"""The numbers of running campaigns, from the store. They are kept between snapshots, so that each costs only what is
new since the last.

Nothing here knows of pages. A server asks from a process of its own, a command asks once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise
from operator import attrgetter
from statistics import median
from types import MappingProxyType
from typing import Any

import polars as pl

from lanner import campaign as campaigns
from lanner.analysis import economy as adaptive
from lanner.analysis.agreement import UNIT, without_each_judge
from lanner.analysis.alarms import panel_alarms
from lanner.analysis.economy import ANSWERED, Economy, GoalOutcome, economy
from lanner.analysis.material import from_campaign, missed_by_judge, with_help
from lanner.analysis.measures import FEWEST_ITEMS, GROUPS, CountedRows, Purpose, counted, main_question, plan_question
from lanner.analysis.scores import choice_bias, decided_pairs
from lanner.campaign import drawing
from lanner.campaign.adjudication import ADJUDICATOR, answer_of
from lanner.campaign.settings import local_time
from lanner.designs.adaptive import NAME as ADAPTIVE
from lanner.designs.expected import misses, outcomes
from lanner.model import Judge, JudgeKind, Judgement, Labels, Protocol, Question, Role, Task, Text
from lanner.monitor.agreement import divergence, list_disagreements, measures, price_of_leaving_out, unit_answers
from lanner.monitor.snapshot import (
    MODELS,
    PEOPLE,
    Comment,
    DecidedCount,
    Decisions,
    DisagreementFilter,
    DisagreementList,
    ExclusionPreview,
    JudgePace,
    RankedSystem,
    Snapshot,
    UnitAnswers,
)
from lanner.monitor.status import judge_alarms
from lanner.monitor.verdict import Targets, is_offered
from lanner.protocols.prefilled import helps_of
from lanner.stats.effort import LIMIT
from lanner.stats.frame import frame
from lanner.store import RecentCache, Store

Key = tuple[Any, ...]
_KEY_OF = attrgetter("judge", "document", "segment", "question", "role")
KEY = ["judge", "stage", "question", "document", "segment", "system", "role"]
_COMMENTS = 50
_LATE = 2000
"""PostgreSQL may show a row after one with a higher id: so many are read again. Adding twice changes nothing."""


class LiveCampaigns:
    """The campaigns of one store that somebody looks at."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._campaigns: dict[int, LiveCampaign] = {}

    def snapshot(self, campaign: int, question: str = "") -> Snapshot:
        """The campaign as it is now, with the divergence of judges on one of its questions."""
        return self._fresh(campaign).snapshot(question)

    def latest(self, campaign: int, question: str = "") -> Snapshot:
        """The snapshot that was made last, however much has been answered since; a new one where there is none."""
        live = self._campaigns.get(campaign)
        return (live and live.latest(question)) or self.snapshot(campaign, question)

    def disagreements(self, campaign: int, selection: DisagreementFilter) -> DisagreementList:
        """Where the people of a campaign disagree; in the calibration round as long as there is nothing else."""
        live = self._fresh(campaign)
        rows = live.rows(Purpose.CALIBRATION if selection.calibration else None, of="people")
        return list_disagreements(rows.table, live.settled_units(), live.protocol, selection)

    def leaving_out(self, campaign: int, judge: str, question_id: str = "") -> ExclusionPreview | None:
        """What leaving a judge out would change; None where nothing of theirs counts."""
        live = self._fresh(campaign)
        price = live.price(judge, main_question(live.protocol, question_id)) if judge in live.people else None
        return None if price is None else live.with_pairs(price)

    def answers(self, campaign: int, unit: tuple[str, str, str]) -> UnitAnswers:
        """Everything answered about one unit, in the main part and in the calibration round."""
        live = self._fresh(campaign)
        answers = unit_answers(live.table, live.protocol, unit, live.people)
        about = (unit[0], unit[1], tuple(unit[2].split("|")) if unit[2] else ())
        for _, question in live.protocol.questions:
            if isinstance(question, Labels) and question.counts:  # the table has the labels, and only their sum
                by_judge = answers.given.get(question.id, {})
                for judge in by_judge:
                    by_judge[judge] = answer_of(self._store, campaign, about, judge, question.id)
                if question.id in answers.settled:
                    agreed_answer = answer_of(self._store, campaign, about, ADJUDICATOR.id, question.id)
                    answers.settled[question.id] = agreed_answer
        return answers

    def _fresh(self, campaign: int) -> LiveCampaign:
        live = self._campaigns.get(campaign)
        judges = campaigns.judges(self._store, campaign)
        version = campaigns.get(self._store, campaign).protocol_hash
        is_same = live is not None and live.version == version and live.judges <= {judge.id for judge in judges}
        if live is None or not is_same or not live.is_in_store():
            # Someone was erased or has withdrawn: nothing of them may stay. Or a model's marks are offered since, or it
            # came back from an older copy.
            live = self._campaigns[campaign] = LiveCampaign(self._store, campaign)
        live.update(judges)
        return live


class LiveCampaign:
    """One campaign: its tidy table, grown by what is new, and the last snapshot for each question."""

    def __init__(self, store: Store, campaign: int) -> None:
        self._store = store
        self._campaign = campaign
        self.protocol = campaigns.protocol(store, campaign)
        self._documents = campaigns.documents(store, campaign)
        plan = campaigns.get(store, campaign)
        self.version = plan.protocol_hash
        self._bias = choice_bias(self._documents, {"design": plan.design})
        calibration = set(plan.settings.get("calibration") or ())
        self._main_documents = sum(document.id not in calibration for document in self._documents)
        self.table = frame([], self.protocol)
        has_marks = any(getattr(question, "prefilled", False) for _, question in self.protocol.questions)
        self._is_prefilled = has_marks and bool(helps_of(self._documents))
        self.judges: set[str] = set()
        self.people: tuple[str, ...] = ()
        self.models: tuple[str, ...] = ()
        self.stamp = 0
        self._begun: dict[str, datetime] = {}
        """When each judge first answered, revised answers counted: the table holds the latest alone."""
        self._controls: list[Task] = []
        """Tasks with control items, and of these only the control items."""
        self._control_answers: dict[Key, Judgement] = {}
        """Answers about the units that control items are about."""
        self._snapshots: dict[str, tuple[Key, Snapshot]] = {}
        """By question, the snapshot that was made last, and what it was made of."""
        self.left_out: dict[str, str] = {}
        self._is_adaptive = plan.design == ADAPTIVE
        self._decisions = RecentCache(1)
        self._decided = RecentCache(1)

    @property
    def purpose(self) -> Purpose:
        """What the answers count for: the calibration round, as long as nothing else has been judged."""
        of_documents = self.table.filter(
            (pl.col("document") != "") & (pl.col("judge_kind") != str(JudgeKind.ADJUDICATED))
        )
        roles = set(of_documents["role"].unique())
        only = str(Role.CALIBRATION) in roles and str(Role.MAIN) not in roles
        return Purpose.CALIBRATION if only else Purpose.AGREEMENT

    def rows(self, purpose: Purpose | None = None, *, of: str | Sequence[str] | None = None) -> CountedRows:
        """The rows that count, of people alone or of several groups to compare."""
        return counted(self.table, purpose or self.purpose, of=of or tuple(GROUPS), left_out=self.left_out)

    @property
    def _role(self) -> Role:
        """The items that the numbers are about: the calibration round while it lasts, main items then."""
        return Role.CALIBRATION if self.purpose is Purpose.CALIBRATION else Role.MAIN

    def settled_units(self) -> set[tuple[str, str, str]]:
        """Units about which a meeting has agreed on an answer."""
        agreed_rows = self.table.filter(pl.col("judge_kind") == str(JudgeKind.ADJUDICATED))
        units = agreed_rows.select("document", "segment", pl.col("system").str.split("|")).unique()
        return {(document, segment, "|".join(sorted(systems))) for document, segment, systems in units.iter_rows()}

    def is_in_store(self) -> bool:
        """Whether the newest answer that was read, and with it all before, is still in the store."""
        with self._store.reading() as tx:
            return not self.stamp or tx.judgements.exists(self._campaign, self.stamp)

    def update(self, judges: Sequence[Judge]) -> None:
        """Read everything that was saved or assigned since the last update."""
        self.judges = {judge.id for judge in judges}
        self.left_out = campaigns.left_out(self._store, self._campaign)
        self.people = tuple(judge.id for judge in judges if judge.kind in PEOPLE and judge.id not in self.left_out)
        self.models = tuple(judge.id for judge in judges if judge.kind in MODELS and judge.id not in self.left_out)
        late = _LATE if self._store.kind == "postgresql" else 0
        new = campaigns.judgements(self._store, self._campaign, after=max(0, self.stamp - late))
        controls = _control_tasks(self._store, self._campaign)
        if controls != self._controls:  # assigned since the last look: answers about their units count from the start
            self._controls = controls
            self._control_answers = {}
            self._watch(campaigns.judgements(self._store, self._campaign))
        if new and (new[-1].id or 0) > self.stamp:
            with self._store.reading() as tx:
                self._begun = self._begun or tx.judgements.first_answer_times(self._campaign)
            for judgement in new:
                if judgement.document and (at := judgement.answered_at):
                    self._begun[judgement.judge] = min(at, self._begun.get(judgement.judge, at))
            # Attributes of judges would make the columns differ from one addition to the next.
            plain = [Judge(judge.id, judge.kind) for judge in judges]
            table = frame(new, self.protocol, self._documents, plain)
            self.table = _with_new(self.table, with_help(table, self._documents) if self._is_prefilled else table)
            self._watch(new)
            self.stamp = new[-1].id or 0

    def snapshot(self, question_id: str = "") -> Snapshot:
        """The numbers as they are now. What does not depend on the question is computed once."""
        question = main_question(self.protocol, question_id)
        name = question.id if question else ""
        state = (self.stamp, self.people, self.models, self.left_out, self._controls)
        current = {of: snapshot for of, (made_of, snapshot) in self._snapshots.items() if made_of == state}
        standing = self._standing()
        made = current.get(name)
        if made is None:
            people = self.rows(of="people")
            whole = next(iter(current.values()), None) or self._whole(people)
            made = self._compare_judges(whole, people, question)
        elif made.decisions == standing:
            return made
        made = replace(made, decisions=standing, made_at=datetime.now(UTC))
        self._snapshots[name] = (state, made)
        return made

    def _compare_judges(self, whole: Snapshot, people: CountedRows, question: Question | None) -> Snapshot:
        """The snapshot with the numbers about judges that rest on their answers to one question."""
        everyone = self.rows()
        divergent = None
        if question is not None and not everyone.table.is_empty():
            divergent = divergence(everyone, question, self.people, self.models, self.protocol)
        found = panel_alarms(people.table, plan_question(question, self.protocol) if question is not None else None)
        without = _without(people, question, self.protocol) if found.ratings else {}
        comments, comments_in_all = self._comments()
        made = replace(
            whole,
            main=question.id if question else "",
            divergence=divergent,
            comments=comments,
            comments_in_all=comments_in_all,
            alarms=found.alarms,
            fast_by_chance=found.fast_by_chance,
            panel=found.panel,
            without=without,
            leaving_out=self.price(max(without, key=lambda judge: without[judge]), question) if without else None,
        )
        price, targets = made.leaving_out, Targets.from_settings(campaigns.get(self._store, self._campaign).settings)
        if price is not None and is_offered(price, judge_alarms(price.judge, made, targets)):
            made = replace(made, leaving_out=self.with_pairs(price))
        return made

    def _standing(self) -> Decisions | None:
        """What an adaptive campaign has decided. It changes with answers, with looks and with pairs left open, which
        are in the log."""
        if not self._is_adaptive:
            return None
        with self._store.reading() as tx:
            state = (self.stamp, tuple(self.left_out), tx.events.last(self._campaign))

        def decide() -> Decisions:
            now = local_time(campaigns.get(self._store, self._campaign).settings, datetime.now(UTC))
            return decisions(economy(self._store, self._campaign), now)

        current: Decisions = self._decisions.get(state, decide)
        return current

    def latest(self, question_id: str = "") -> Snapshot | None:
        """The snapshot of a question that was made last."""
        question = main_question(self.protocol, question_id)
        _, snapshot = self._snapshots.get(question.id if question else "", (None, None))
        return snapshot

    def price(self, judge: str, question: Question | None) -> ExclusionPreview | None:
        """What leaving a judge out would change on a question, with intervals."""
        people = self.rows(of="people")
        entry = plan_question(question, self.protocol) if question is not None else None
        if entry is None or judge not in set(people.table["judge"]):
            return None
        return price_of_leaving_out(people, entry, judge, self._documents_in_all(people))

    def with_pairs(self, price: ExclusionPreview) -> ExclusionPreview:
        """Add the pairs of systems that are decided, with and without the judge. Scores that a protocol derives are not
        in the live table, so all answers are read again, which takes as long as a snapshot. The outcome is kept until
        something changes."""
        if self.purpose is Purpose.CALIBRATION:
            return price
        judge, entry = price.judge, campaigns.get(self._store, self._campaign)
        standing = drawing.state(self._store, entry.id).allocation.standing if entry.design == ADAPTIVE else None
        state = (self.stamp, self.people, tuple(self.left_out), entry.settings.get("main_question"), standing)
        pairs_without: dict[str | None, DecidedCount | None] = self._decided.get(state, dict)  # None: with everybody
        if missing := [who for who in (None, judge) if who not in pairs_without]:
            material = from_campaign(self._store, entry.id) if standing is None else None
            for who in missing:
                if material is None:
                    pairs = adaptive.decided_pairs(self._store, entry.id, without=who)
                else:
                    pairs = decided_pairs(material, without=who)
                pairs_without[who] = None if pairs is None else DecidedCount(pairs.pairs, pairs.decided)
        return replace(price, pairs=pairs_without[None], pairs_without=pairs_without[judge])

    def _documents_in_all(self, people: CountedRows) -> int:
        """How many documents the numbers will rest on when all is judged."""
        calibration = self.purpose is Purpose.CALIBRATION
        return people.table["document"].n_unique() if calibration else self._main_documents

    def _whole(self, people: CountedRows) -> Snapshot:
        """The part of a snapshot that does not depend on the question that judges are compared on."""
        documents = self._documents_in_all(people)
        return Snapshot(
            campaign=self._campaign,
            stamp=self.stamp,
            made_at=datetime.now(UTC),
            people=self.people,
            models=self.models,
            measures=tuple(measures(people, self.protocol, documents)),
            main="",
            divergence=None,
            paces=paces(self.table.filter(pl.col("document") != ""), self._role, self._begun),
            comments=(),
            comments_in_all=0,
            controls=self._missed_controls(),
            purpose=str(self.purpose),
            left_out=dict(self.left_out),
            bias=self._bias,
        )

    def _comments(self) -> tuple[tuple[Comment, ...], int]:
        """The latest comments about texts, and how many there are."""
        texts = [question.id for _, question in self.protocol.questions if isinstance(question, Text)]
        is_comment = pl.col("question").is_in(texts) & (pl.col("text").fill_null("") != "")
        comments = self.table.filter(is_comment & (pl.col("document") != ""))
        columns = comments.select("judge", "question", *UNIT, "text", "answered_at")
        latest = columns.sort("answered_at", descending=True, nulls_last=True).head(_COMMENTS)
        return tuple(Comment(*row) for row in latest.iter_rows()), comments.height

    def _watch(self, judgements: Sequence[Judgement]) -> None:
        """Keep the answers that decide whether control items were missed."""
        units = {(task.judge, item.document, item.segment) for task in self._controls for item in task.items}
        for judgement in judgements if units else ():
            if (judgement.judge, judgement.document, judgement.segment) in units:
                self._control_answers[*_KEY_OF(judgement), judgement.systems] = judgement

    def _missed_controls(self) -> dict[str, tuple[int, int]]:
        questions = {question.id: question for _, question in self.protocol.questions}
        counts = missed_by_judge(misses(outcomes(self._controls, self._control_answers.values(), questions)))
        return {judge: (missed, answered) for judge, (missed, answered, _) in counts.items()}


def decisions(now: Economy, at: datetime) -> Decisions:
    """What an adaptive campaign has decided, as plain numbers."""
    known = [pair for pair in now.open if pair.chance is not None]
    ahead = sorted(known, key=lambda pair: -(pair.chance or 0.0)) if now.outcome is GoalOutcome.RUNNING else []
    return Decisions(
        outcome=str(now.outcome),
        states=Counter(str(pair.state) for pair in now.pairs),
        unanswered=now.unanswered,
        judgements=now.judgements,
        most=now.most,
        documents=now.documents,
        all_documents=now.all_documents,
        work_left=now.judgements_left,
        hours_each=now.hours(1),
        finish=now.finish(at),
        next_hundred=tuple(
            (pair.first, pair.second, pair.chance or 0.0, (pair.given_up or 0.0) if pair.given_up_text else 0.0)
            for pair in ahead
        ),
        ladder=_ladder(now),
    )


def _ladder(now: Economy) -> tuple[RankedSystem, ...]:
    """Systems from best to worst; nothing before all have a score."""
    if not now.pairs or any(system.value is None for system in now.systems):
        return ()
    ranks = now.rank_ranges
    between = {frozenset((pair.first, pair.second)): pair.state for pair in now.pairs}
    names = [system.system for system in now.systems]
    states = [between.get(frozenset(neighbours)) for neighbours in pairwise(names)]
    return tuple(
        RankedSystem(name, ranks[name], str(state or ""), state in ANSWERED)
        for name, state in zip(names, [*states, None], strict=True)
    )


def _without(people: CountedRows, question: Question | None, protocol: Protocol) -> dict[str, float]:
    entry = plan_question(question, protocol) if question is not None else None
    if entry is None:
        return {}
    results = without_each_judge(people, entry)
    return {
        str(result.labels["without"]): result.value
        for result in results
        if result.value is not None and result.counts.get("items", 0) >= FEWEST_ITEMS
    }


def _control_tasks(store: Store, campaign: int) -> list[Task]:
    """The tasks that have control items with an expected answer, with these items alone."""
    with store.reading() as tx:
        tasks = tx.tasks.with_role(campaign, Role.CONTROL)
    control_tasks = [
        replace(task, items=tuple(item for item in task.items if item.expected)) for task in tasks if task.judge
    ]
    return [task for task in control_tasks if task.items]


def _with_new(table: pl.DataFrame, new: pl.DataFrame) -> pl.DataFrame:
    """The table with new answers in place of those they revise."""
    if table.is_empty():
        return new
    return pl.concat([table.join(new.select(KEY).unique(), on=KEY, how="anti", maintain_order="left"), new])


# How fast each judge works, from the times kept with their answers


_PARTS = 10


def paces(
    table: pl.DataFrame, role: Role = Role.MAIN, begun: Mapping[str, datetime] = MappingProxyType({})
) -> dict[str, JudgePace]:
    """The pace of every judge, from the times kept with each answer. A repeated save counts once, at its longest.

    Active time and its first and last moment are those of everything a judge did, what has no time counted at their
    mean; how fast they are is told by the items of one `role`, as in the report: 60 over the mean seconds in each
    domain, the plain mean over domains. `begun` says when judges first answered, also where that was revised since:
    otherwise they would seem to have begun late, to work long days and to finish early.
    """
    if table.is_empty():
        return {}
    unit = ["judge", "document", "segment", "system", "role", "domain"]
    times = (
        table.group_by(unit)
        .agg(pl.coalesce("active", "elapsed").max().alias("active"), pl.col("answered_at").max().alias("at"))
        .sort("at", nulls_last=True)
    )
    seconds = pl.col("active").drop_nulls().drop_nans()
    every = times.group_by("judge", maintain_order=True).agg(
        (seconds.mean().fill_null(0.0) * pl.len()).alias("active"),
        pl.col("at").min().alias("first"),
        pl.col("at").max().alias("last"),
    )
    usable = pl.col("active").is_finite() & (pl.col("active") > 0) & (pl.col("active") <= LIMIT)
    own = times.filter((pl.col("role") == str(role)) & usable)
    by_domain = own.group_by("judge", "domain").agg((60 / pl.col("active").mean()).alias("pace"))
    speeds = dict(by_domain.group_by("judge").agg(pl.col("pace").mean()).iter_rows())
    active_seconds: dict[str, list[float]] = dict(own.group_by("judge", maintain_order=True).agg("active").iter_rows())
    return {
        str(judge): JudgePace(
            active=float(active),
            median=median(active_seconds[judge]) if judge in active_seconds else None,
            per_minute=speeds.get(judge),
            parts=_parts(active_seconds.get(judge, ())),
            first=min(filter(None, (first, begun.get(str(judge)))), default=None),
            last=last,
        )
        for judge, active, first, last in every.iter_rows()
    }


def _parts(seconds: Sequence[float]) -> tuple[float, ...]:
    """Items a minute in ten equal parts of the work so far, in the order it was done."""
    if len(seconds) < 2 * _PARTS:
        return ()
    cuts = [round(len(seconds) * part / _PARTS) for part in range(_PARTS + 1)]
    spans = [seconds[start:end] for start, end in pairwise(cuts)]
    return tuple(60 * len(span) / sum(span) if sum(span) > 0 else 0.0 for span in spans)

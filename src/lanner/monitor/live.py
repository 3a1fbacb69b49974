"""The numbers of running campaigns, from the store: kept between two snapshots, so that one costs what is new.

Nothing here knows of pages. A server asks from a process of its own, a command asks once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from operator import attrgetter
from typing import Any

import polars as pl

from lanner import campaign as campaigns
from lanner.designs.expected import misses, outcomes
from lanner.model import Choice, Grid, Judge, Judgement, Labels, Protocol, Question, Role, Scale, Task, Text
from lanner.monitor.agreement import measures
from lanner.monitor.answers import AnswerTable
from lanner.monitor.disagreements import list_disagreements, unit_answers
from lanner.monitor.divergence import divergence
from lanner.monitor.pace import paces
from lanner.monitor.snapshot import (
    COMPARED,
    MODELS,
    PEOPLE,
    Comment,
    DisagreementFilter,
    DisagreementList,
    Snapshot,
    UnitAnswers,
)
from lanner.stats.frame import frame
from lanner.store import Store

Key = tuple[Any, ...]
_KEY_OF = attrgetter("judge", "document", "segment", "question", "role")
KEY = ["judge", "stage", "question", "document", "segment", "system", "role"]
_COMMENTS = 50
_LATE = 2000
"""PostgreSQL may show a row after one with a higher id: so many are read again. Adding twice changes nothing."""


def main_question(protocol: Protocol, wanted: str = "") -> Question | None:
    """The question that agreement is judged by: the one named, else the first that two people can agree on."""
    askable = [q for _, q in protocol.questions if q.kind in COMPARED and not q.for_each]
    # Marks, ranks and counts come after what is asked outright: they are the main question where there is no other.
    first = next((q for q in askable if isinstance(q, Choice | Labels | Grid | Scale)), askable[0] if askable else None)
    return next((q for q in askable if q.id == wanted), first)


class LiveCampaigns:
    """The campaigns of one store that somebody looks at."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: dict[int, LiveCampaign] = {}

    def snapshot(self, campaign: int, question: str = "") -> Snapshot:
        """The campaign as it is now, with the divergence of judges on one of its questions."""
        return self._fresh(campaign).snapshot(question)

    def disagreements(self, campaign: int, wanted: DisagreementFilter) -> DisagreementList:
        """Where the people of a campaign disagree."""
        live = self._fresh(campaign)
        return list_disagreements(live.table, live.protocol, live.people, wanted)

    def answers(self, campaign: int, unit: tuple[str, str, str]) -> UnitAnswers:
        """Everything answered about one unit."""
        live = self._fresh(campaign)
        return unit_answers(live.table, live.protocol, unit, live.people)

    def _fresh(self, campaign: int) -> LiveCampaign:
        known = self._known.get(campaign)
        judges = campaigns.judges(self._store, campaign)
        if known is None or not known.judges <= {judge.id for judge in judges}:
            # Someone was erased or has withdrawn: nothing of them may stay.
            known = self._known[campaign] = LiveCampaign(self._store, campaign)
        known.update(judges)
        return known


class LiveCampaign:
    """One campaign: its tidy table, grown by what is new, and the last snapshot for each question."""

    def __init__(self, store: Store, campaign: int) -> None:
        self._store = store
        self._campaign = campaign
        self.protocol = campaigns.protocol(store, campaign)
        self._documents = campaigns.documents(store, campaign)
        self.table = frame([], self.protocol)
        self.judges: set[str] = set()
        self.people: tuple[str, ...] = ()
        self.models: tuple[str, ...] = ()
        self.stamp = 0
        self._controls: list[Task] = []
        """Tasks with control items, and of these only the control items."""
        self._control_answers: dict[Key, Judgement] = {}
        """Answers about the units that control items are about."""
        self._done: dict[str, Snapshot] = {}

    def update(self, judges: Sequence[Judge]) -> None:
        """Take in everything that was saved or assigned until now."""
        self.judges = {judge.id for judge in judges}
        self.people = tuple(judge.id for judge in judges if judge.kind in PEOPLE)
        self.models = tuple(judge.id for judge in judges if judge.kind in MODELS)
        late = _LATE if self._store.kind == "postgresql" else 0
        new = campaigns.judgements(self._store, self._campaign, after=max(0, self.stamp - late))
        controls = _control_tasks(self._store, self._campaign)
        if controls != self._controls:  # assigned since the last look: answers about their units count from the start
            self._controls = controls
            self._control_answers = {}
            self._done.clear()
            self._watch(campaigns.judgements(self._store, self._campaign))
        if new and (new[-1].id or 0) > self.stamp:
            # Attributes of judges would make the columns differ from one addition to the next.
            plain = [Judge(judge.id, judge.kind) for judge in judges]
            self.table = _with_new(self.table, frame(new, self.protocol, self._documents, plain))
            self._watch(new)
            self.stamp = new[-1].id or 0

    def snapshot(self, wanted: str = "") -> Snapshot:
        """The numbers as they are now. What does not depend on the question is computed once."""
        question = main_question(self.protocol, wanted)
        name = question.id if question else ""
        known = self._done.get(name)
        state = (self.stamp, self.people, self.models)
        if known is not None and (known.stamp, known.people, known.models) == state:
            return known
        judges = [*self.people, *self.models]
        answers = AnswerTable(self.table.filter((pl.col("role") == "main") & pl.col("judge").is_in(judges)))
        other = next((s for s in self._done.values() if (s.stamp, s.people, s.models) == state), None)
        comments, comments_in_all = self._comments()
        made = Snapshot(
            campaign=self._campaign,
            stamp=self.stamp,
            made_at=datetime.now(UTC),
            people=self.people,
            models=self.models,
            measures=other.measures
            if other
            else tuple(measures(answers, self.protocol, self.people, len(self._documents))),
            main=name,
            divergence=divergence(answers, question, self.people, self.models)
            if question is not None and not answers.is_empty
            else None,
            paces=other.paces if other else paces(self.table),
            comments=comments,
            comments_in_all=comments_in_all,
            controls=self._missed_controls(),
        )
        self._done[name] = made
        return made

    def _comments(self) -> tuple[tuple[Comment, ...], int]:
        """The latest, and how many there are."""
        texts = [question.id for _, question in self.protocol.questions if isinstance(question, Text)]
        written = self.table.filter(pl.col("question").is_in(texts) & (pl.col("text").fill_null("") != ""))
        columns = written.select("judge", "question", "document", "segment", "text", "answered_at")
        latest = columns.sort("answered_at", descending=True, nulls_last=True).head(_COMMENTS)
        return tuple(Comment(*row) for row in latest.iter_rows()), written.height

    def _watch(self, judgements: Sequence[Judgement]) -> None:
        """Keep the answers that decide whether control items were missed."""
        units = {(task.judge, item.document, item.segment) for task in self._controls for item in task.items}
        for judgement in judgements if units else ():
            if (judgement.judge, judgement.document, judgement.segment) in units:
                self._control_answers[*_KEY_OF(judgement), judgement.systems] = judgement

    def _missed_controls(self) -> dict[str, tuple[int, int]]:
        questions = {question.id: question for _, question in self.protocol.questions}
        counts: dict[str, tuple[int, int]] = {}
        for row in misses(outcomes(self._controls, self._control_answers.values(), questions)):
            missed, answered = counts.get(row.judge, (0, 0))
            counts[row.judge] = (missed + row.missed, answered + row.answered)
        return counts


def _control_tasks(store: Store, campaign: int) -> list[Task]:
    """Of the tasks that have any: the control items with an answer that is expected."""
    with store.reading() as tx:
        tasks = tx.tasks.with_role(campaign, Role.CONTROL)
    trimmed = [replace(task, items=tuple(item for item in task.items if item.expected)) for task in tasks if task.judge]
    return [task for task in trimmed if task.items]


def _with_new(table: pl.DataFrame, new: pl.DataFrame) -> pl.DataFrame:
    """The table with new answers; what they revise goes."""
    if table.is_empty():
        return new
    return pl.concat([table.join(new.select(KEY).unique(), on=KEY, how="anti", maintain_order="left"), new])

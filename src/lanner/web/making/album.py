"""The numbers of the live page, made away from the server's own work: in a process beside it, from the store itself.

An album keeps the tidy table of each campaign it was asked about and adds what is new, so that a picture costs what has
changed since the last one, not everything again.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from operator import attrgetter
from pathlib import Path
from typing import Any

import polars as pl

from lanner import campaign as campaigns
from lanner import formats
from lanner.designs.expected import misses, outcomes
from lanner.designs.plan import Plan
from lanner.model import (
    Choice,
    Document,
    Grid,
    Judge,
    Judgement,
    Labels,
    Protocol,
    Question,
    Role,
    Scale,
    Task,
    Text,
)
from lanner.stats.frame import frame
from lanner.store import Store
from lanner.store.backup import verify, verify_file
from lanner.store.verifying import Finding
from lanner.web.draft import texts
from lanner.web.draft.wishes import Wishes, planned
from lanner.web.making import incoming, output
from lanner.web.making.disagreement import answers, listing
from lanner.web.making.divergence import divergence
from lanner.web.making.gathered import Gathered
from lanner.web.making.measures import measures
from lanner.web.making.pacing import paces
from lanner.web.picture.told import COMPARED, MODELS, PEOPLE, Answers, Comment, Incoming, Listing, Picture, Wanted

Key = tuple[Any, ...]
_KEY_OF = attrgetter("judge", "document", "segment", "question", "role")
KEY = ["judge", "stage", "question", "document", "segment", "system", "role"]
_COMMENTS = 50
_LATE = 2000
"""PostgreSQL may show a row after one with a higher id: so many are read again. Adding twice changes nothing."""


@dataclass(slots=True)
class _Leaf:
    """What is kept of one campaign between two pictures."""

    protocol: Protocol
    documents: list[Document]
    table: pl.DataFrame
    tasks: list[Task]
    """Only those with control items, and of these only the control items."""
    judges: set[str] = field(default_factory=set)
    stamp: int = 0
    done: dict[str, Picture] = field(default_factory=dict)
    watched: dict[Key, Judgement] = field(default_factory=dict)
    """Answers about the units that control items are about."""


def main_question(protocol: Protocol, wanted: str = "") -> Question | None:
    """The question that agreement is judged by: the one named, else the first that two people can agree on."""
    askable = [q for _, q in protocol.questions if q.kind in COMPARED and not q.for_each]
    # Marks, ranks and counts come after what is asked outright: they are the main question where there is no other.
    first = next((q for q in askable if isinstance(q, Choice | Labels | Grid | Scale)), askable[0] if askable else None)
    return next((q for q in askable if q.id == wanted), first)


class Album:
    """Pictures of the campaigns of one store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._leaves: dict[int, _Leaf] = {}

    def ready(self) -> bool:
        """Everything that takes long to load is loaded."""
        return True

    def picture(self, campaign: int, question: str = "") -> Picture:
        """The campaign as it is now, with the panels on divergence for one of its questions."""
        began = time.perf_counter()
        leaf, judges = self._fresh(campaign)
        asked = main_question(leaf.protocol, question)
        name = asked.id if asked else ""
        known = leaf.done.get(name)
        people = tuple(judge.id for judge in judges if judge.kind in PEOPLE)
        models = tuple(judge.id for judge in judges if judge.kind in MODELS)
        if known is not None and (known.stamp, known.people, known.models) == (leaf.stamp, people, models):
            return known
        present = Gathered(leaf.table.filter((pl.col("role") == "main") & pl.col("judge").is_in([*people, *models])))
        other = next((made for made in leaf.done.values() if made.stamp == leaf.stamp), None)
        said = self._comments(leaf)
        made = Picture(
            campaign=campaign,
            stamp=leaf.stamp,
            made_at=datetime.now(UTC),
            seconds=time.perf_counter() - began,
            people=people,
            models=models,
            measures=other.measures if other else tuple(measures(present, leaf.protocol, people, len(leaf.documents))),
            main=name,
            apart=divergence(present, asked, people, models) if asked is not None and not present.is_empty else None,
            paces=other.paces if other else paces(leaf.table),
            comments=said[0],
            comments_in_all=said[1],
            controls=_controls(leaf),
        )
        leaf.done[name] = made
        return made

    def disagreements(self, campaign: int, wanted: Wanted) -> Listing:
        """Where the people of a campaign disagree."""
        leaf, judges = self._fresh(campaign)
        people = [judge.id for judge in judges if judge.kind in PEOPLE]
        return listing(leaf.table, leaf.protocol, people, wanted)

    def answers(self, campaign: int, unit: tuple[str, str, str]) -> Answers:
        """Everything said about one unit."""
        leaf, judges = self._fresh(campaign)
        people = [judge.id for judge in judges if judge.kind in PEOPLE]
        return answers(leaf.table, leaf.protocol, unit, people)

    def export(self, campaign: int, name: str, suffix: str, folder: str) -> str:
        """The current judgements as a file in that folder; its path."""
        return output.export(self._store, campaign, name, suffix, folder)

    def keep(self, campaign: int, path: str) -> str:
        """A complete copy of a campaign."""
        return output.keep(self._store, campaign, path)

    def report(self, campaign: int) -> str:
        """The report as one page."""
        return output.report(self._store, campaign)

    def read_texts(self, path: str, name: str, given: dict[str, str], kept: str) -> texts.Texts:
        """Texts from a file, kept as our own."""
        return texts.take_in(path, name, given, kept)

    def demo_texts(self, kept: str) -> texts.Texts:
        """The demonstration texts, kept likewise."""
        return texts.demo(kept)

    def look_in(self, campaign: int, path: str, model: str) -> Incoming:
        """What a file of answers would bring."""
        return incoming.look(self._store, campaign, path, model)

    def bring(self, campaign: int, path: str, model: str) -> campaigns.Imported:
        """The answers in a file, taken into a campaign."""
        return incoming.bring(self._store, campaign, path, model)

    def verify(self, path: str) -> list[Finding]:
        """Every check of a backup; without a path, of the store in use."""
        return verify_file(Path(path)) if path else verify(self._store)

    def plan(self, path: str, wishes: Wishes) -> Plan:
        """What a campaign with these texts and wishes would come to."""
        return planned(list(formats.read_documents(path, "native")), wishes)

    def _fresh(self, campaign: int) -> tuple[_Leaf, list[Judge]]:
        """The campaign's table with everything that was saved until now."""
        judges = campaigns.judges(self._store, campaign)
        leaf = self._leaves.get(campaign)
        present = {judge.id for judge in judges}
        if leaf is None or not leaf.judges <= present:  # someone was erased or has withdrawn: begin anew
            protocol = campaigns.protocol(self._store, campaign)
            documents = campaigns.documents(self._store, campaign)
            leaf = _Leaf(protocol, documents, frame([], protocol), _with_controls(self._store, campaign))
            self._leaves[campaign] = leaf
        leaf.judges = present
        late = _LATE if self._store.kind == "postgresql" else 0
        new = campaigns.judgements(self._store, campaign, after=max(0, leaf.stamp - late))
        if new and (new[-1].id or 0) > leaf.stamp:
            leaf.table = _added(leaf.table, self._table(leaf, new, judges))
            _watch(leaf, new)
            leaf.stamp = new[-1].id or 0
        return leaf, judges

    @staticmethod
    def _table(leaf: _Leaf, judgements: Sequence[Judgement], judges: Sequence[Judge]) -> pl.DataFrame:
        # Attributes of judges would make the columns differ from one addition to the next.
        plain = [Judge(judge.id, judge.kind) for judge in judges]
        return frame(judgements, leaf.protocol, leaf.documents, plain)

    @staticmethod
    def _comments(leaf: _Leaf) -> tuple[tuple[Comment, ...], int]:
        """The latest, and how many there are."""
        texts = [question.id for _, question in leaf.protocol.questions if isinstance(question, Text)]
        said = leaf.table.filter(pl.col("question").is_in(texts) & (pl.col("text").fill_null("") != ""))
        columns = said.select("judge", "question", "document", "segment", "text", "answered_at")
        latest = columns.sort("answered_at", descending=True, nulls_last=True).head(_COMMENTS)
        return tuple(Comment(*row) for row in latest.iter_rows()), said.height


def _with_controls(store: Store, campaign: int) -> list[Task]:
    """Of the tasks that have any: the control items with an answer that is expected."""
    with store.reading() as tx:
        every = tx.tasks.with_role(campaign, Role.CONTROL)
    trimmed = [replace(task, items=tuple(item for item in task.items if item.expected)) for task in every if task.judge]
    return [task for task in trimmed if task.items]


def _watch(leaf: _Leaf, new: Sequence[Judgement]) -> None:
    """Keep the answers that decide whether control items were missed."""
    units = {(task.judge, item.document, item.segment) for task in leaf.tasks for item in task.items}
    for judgement in new if units else ():
        if (judgement.judge, judgement.document, judgement.segment) in units:
            key = (*_KEY_OF(judgement), judgement.systems)
            leaf.watched[key] = judgement


def _controls(leaf: _Leaf) -> dict[str, tuple[int, int]]:
    questions = {question.id: question for _, question in leaf.protocol.questions}
    counted: dict[str, tuple[int, int]] = {}
    for row in misses(outcomes(leaf.tasks, leaf.watched.values(), questions)):
        missed, answered = counted.get(row.judge, (0, 0))
        counted[row.judge] = (missed + row.missed, answered + row.answered)
    return counted


def _added(table: pl.DataFrame, new: pl.DataFrame) -> pl.DataFrame:
    """The table with new answers; what they revise goes."""
    if table.is_empty():
        return new
    return pl.concat([table.join(new.select(KEY).unique(), on=KEY, how="anti", maintain_order="left"), new])

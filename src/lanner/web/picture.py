"""The numbers of the live page, made away from the server's own work: in a process beside it, from the store itself.

An album keeps the tidy table of each campaign it was asked about and adds what is new, so that a picture costs what has
changed since the last one, not everything again.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import polars as pl

from lanner import campaign as campaigns
from lanner.model import Choice, Document, Grid, Judge, JudgeKind, Judgement, Labels, Protocol, Question, Scale, Text
from lanner.stats.frame import frame
from lanner.store import Store
from lanner.web.divergence import Divergence, divergence
from lanner.web.forecast import Pace, paces
from lanner.web.measures import Measure, measures

KEY = ["judge", "stage", "question", "document", "segment", "system", "role"]
PEOPLE = (JudgeKind.PERSON, JudgeKind.SIMULATED)
MODELS = (JudgeKind.MODEL, JudgeKind.METRIC)
_COMMENTS = 50
_LATE = 2000
"""PostgreSQL may show a row after one with a higher id: so many are read again. Adding twice changes nothing."""


@dataclass(frozen=True, slots=True)
class Comment:
    """What a judge wrote about an item."""

    judge: str
    question: str
    document: str
    segment: str
    text: str
    at: datetime | None


@dataclass(frozen=True, slots=True)
class Picture:
    """Everything on the live page that takes computing. `stamp` is the newest judgement in it."""

    campaign: int
    stamp: int
    made_at: datetime
    seconds: float
    people: tuple[str, ...]
    models: tuple[str, ...]
    measures: tuple[Measure, ...]
    main: str
    apart: Divergence | None
    paces: dict[str, Pace]
    comments: tuple[Comment, ...]
    comments_in_all: int


@dataclass(slots=True)
class _Leaf:
    """What is kept of one campaign between two pictures."""

    protocol: Protocol
    documents: list[Document]
    table: pl.DataFrame
    stamp: int = 0
    done: dict[str, Picture] = field(default_factory=dict)


def main_question(protocol: Protocol, wanted: str = "") -> Question | None:
    """The question that agreement is judged by: the one named, else the first that two people can agree on."""
    askable = [q for _, q in protocol.questions if isinstance(q, Choice | Labels | Grid | Scale) and not q.for_each]
    return next((q for q in askable if q.id == wanted), askable[0] if askable else None)


class Album:
    """Pictures of the campaigns of one store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._leaves: dict[int, _Leaf] = {}

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
        main = leaf.table.filter(pl.col("role") == "main")
        other = next((made for made in leaf.done.values() if made.stamp == leaf.stamp), None)
        said = self._comments(leaf)
        made = Picture(
            campaign=campaign,
            stamp=leaf.stamp,
            made_at=datetime.now(UTC),
            seconds=time.perf_counter() - began,
            people=people,
            models=models,
            measures=other.measures if other else tuple(measures(main, leaf.protocol, people, len(leaf.documents))),
            main=name,
            apart=divergence(main, asked, people, models) if asked is not None and not main.is_empty() else None,
            paces=other.paces if other else paces(leaf.table),
            comments=tuple(said[:_COMMENTS]),
            comments_in_all=len(said),
        )
        leaf.done[name] = made
        return made

    def _fresh(self, campaign: int) -> tuple[_Leaf, list[Judge]]:
        """The campaign's table with everything that was saved until now."""
        judges = campaigns.judges(self._store, campaign)
        leaf = self._leaves.get(campaign)
        if leaf is None:
            protocol = campaigns.protocol(self._store, campaign)
            documents = campaigns.documents(self._store, campaign)
            leaf = self._leaves[campaign] = _Leaf(protocol, documents, frame([], protocol))
        late = _LATE if self._store.kind == "postgresql" else 0
        new = campaigns.judgements(self._store, campaign, after=max(0, leaf.stamp - late))
        if new and (new[-1].id or 0) > leaf.stamp:
            leaf.table = _added(leaf.table, self._table(leaf, new, judges))
            leaf.stamp = new[-1].id or 0
        return leaf, judges

    @staticmethod
    def _table(leaf: _Leaf, judgements: Sequence[Judgement], judges: Sequence[Judge]) -> pl.DataFrame:
        # Attributes of judges would make the columns differ from one addition to the next.
        plain = [Judge(judge.id, judge.kind) for judge in judges]
        return frame(judgements, leaf.protocol, leaf.documents, plain)

    @staticmethod
    def _comments(leaf: _Leaf) -> list[Comment]:
        texts = [question.id for _, question in leaf.protocol.questions if isinstance(question, Text)]
        said = leaf.table.filter(pl.col("question").is_in(texts) & (pl.col("text").fill_null("") != ""))
        rows = said.sort("answered_at", descending=True, nulls_last=True)
        columns = rows.select("judge", "question", "document", "segment", "text", "answered_at")
        return [Comment(*row) for row in columns.iter_rows()]


def _added(table: pl.DataFrame, new: pl.DataFrame) -> pl.DataFrame:
    """The table with new answers; what they revise goes."""
    if table.is_empty():
        return new
    return pl.concat([table.join(new.select(KEY).unique(), on=KEY, how="anti", maintain_order="left"), new])

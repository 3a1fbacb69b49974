"""How far a campaign is: per judge, domain and document, counted from the tasks and not from the answers, so that it
costs the same however many answers there are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from lanner.campaign import drawing
from lanner.campaign.states import Reference
from lanner.model import JUDGE_GROUPS, Campaign, Document, Judge, Judgement, Protocol
from lanner.store import JUDGE_ITSELF, ChainLink, Event, Participant, Store, TaskShare, Transaction, pseudonyms_of


@dataclass(frozen=True, slots=True)
class ProgressPart:
    """Items and how many of them are done, with the minutes spent on them. Active minutes leave pauses out."""

    name: str
    items: int = 0
    done: int = 0
    elapsed_minutes: float = 0.0
    active_minutes: float = 0.0
    saved_at: datetime | None = None
    tasks: int = 0
    finished: int = 0

    @property
    def share(self) -> float:
        return self.done / self.items if self.items else 0.0


@dataclass(frozen=True, slots=True)
class CampaignProgress:
    """What judges have been given, as a whole and in its parts. `free` are items that no judge has taken yet, `undrawn`
    those that an adaptive campaign may still draw, at most. Documents and domains count free items too."""

    whole: ProgressPart
    judges: tuple[ProgressPart, ...]
    domains: tuple[ProgressPart, ...]
    documents: tuple[ProgressPart, ...]
    pages: tuple[ProgressPart, ...]
    free: int = 0
    undrawn: int = 0
    code_names: Mapping[str, str] = field(default_factory=dict)
    """What people are called where their ids say who they are."""

    @property
    def items(self) -> int:
        """All there is to judge, whether somebody has it yet or not."""
        return self.whole.items + self.free + self.undrawn

    @property
    def share(self) -> float:
        return self.whole.done / self.items if self.items else 0.0

    @property
    def done_of_all(self) -> str:
        return f"{self.whole.done:,} of {'at most ' if self.undrawn else ''}{self.items:,}"


def progress(store: Store, campaign: Reference) -> CampaignProgress:
    """How far everyone is, as of now."""
    with store.reading() as tx:
        entry = tx.campaigns.get(campaign)
        shares = tx.progress.shares(entry.id)
        counts = tx.progress.counts(entry.id)
        undrawn = drawing.count_undrawn(tx, entry)
        code_names = pseudonyms_of(tx.judges.all(entry.id))
    own_shares = [share for share in shares if share.judge]
    texts = [share for share in shares if share.document != JUDGE_ITSELF]
    by_judge = {part.name: part for part in _parts(own_shares, lambda share: share.judge)}
    judges = tuple(
        replace(by_judge.get(judge, ProgressPart(judge)), tasks=tasks, finished=finished)
        for judge, (tasks, finished) in counts.items()
    )
    tasks, finished = sum(judge.tasks for judge in judges), sum(judge.finished for judge in judges)
    return CampaignProgress(
        whole=replace(_part("", own_shares), tasks=tasks, finished=finished),
        judges=judges,
        domains=_parts(texts, lambda share: share.domain),
        documents=_parts(texts, lambda share: share.document),
        pages=_parts(own_shares, lambda share: share.page),
        free=sum(share.items for share in shares if not share.judge),
        undrawn=undrawn,
        code_names=code_names,
    )


def _parts(shares: Iterable[TaskShare], name: Callable[[TaskShare], str]) -> tuple[ProgressPart, ...]:
    by_name: dict[str, list[TaskShare]] = {}
    for share in shares:
        by_name.setdefault(name(share), []).append(share)
    return tuple(_part(key, group) for key, group in by_name.items())


def _part(name: str, shares: Sequence[TaskShare]) -> ProgressPart:
    moments = [share.saved_at for share in shares if share.saved_at]
    return ProgressPart(
        name=name,
        items=sum(share.items for share in shares),
        done=sum(share.done for share in shares),
        elapsed_minutes=sum(share.elapsed for share in shares) / 60,
        active_minutes=sum(share.active for share in shares) / 60,
        saved_at=max(moments, default=None),
    )


# What came of a campaign: its judgements, with the texts, judges and protocol they are about, and who counts.


def get(store: Store, campaign: Reference) -> Campaign:
    """A campaign by id or name."""
    with store.reading() as tx:
        return tx.campaigns.get(campaign)


def campaigns(store: Store) -> list[Campaign]:
    """Every campaign, the newest first."""
    with store.reading() as tx:
        return tx.campaigns.all()


def protocol(store: Store, campaign: Reference) -> Protocol:
    """The protocol as it was frozen."""
    with store.reading() as tx:
        entry = tx.campaigns.get(campaign)
        frozen: Protocol = tx.cache.get(("protocol", entry.protocol_hash), lambda: tx.campaigns.protocol(entry.id))
        return frozen


def documents(store: Store, campaign: Reference) -> list[Document]:
    """The texts as they were frozen."""
    with store.reading() as tx:
        return tx.documents.all(tx.campaigns.get(campaign).id)


def judges(store: Store, campaign: Reference) -> list[Judge]:
    """Everyone who judges, in the order they were added."""
    return [participant.judge for participant in participants(store, campaign)]


def participants(store: Store, campaign: Reference) -> list[Participant]:
    """The same with what only organisers see: links and consent."""
    with store.reading() as tx:
        return tx.judges.all(tx.campaigns.get(campaign).id)


def pseudonyms(store: Store, campaign: Reference) -> dict[str, str]:
    """What people are called where their ids say who they are: the same as when an identity is erased. Models and
    metrics keep their names."""
    return pseudonyms_of(participants(store, campaign))


def left_out(store: Store, campaign: Reference) -> dict[str, str]:
    """The judges who count in no result now, each with the reason."""
    with store.reading() as tx:
        number = tx.campaigns.get(campaign).id
        participants = {entry.number: entry.judge.id for entry in tx.judges.all(number)}
        reasons = tx.events.left_out(number)
    return {participants[place]: reason for place, reason in reasons.items() if place in participants}


IMPORTED = "imported"
"""The design of a campaign whose judgements came from a file: nobody was assigned anything here."""


def still_judging(tx: Transaction, campaign: Campaign, *, named: bool = False) -> list[Judge]:
    """The people who are given work: neither models nor what a meeting agreed on, nobody whose link was revoked (they
    left, or somebody took over from them), nobody who is left out of the results. Who only came with a file of answers
    judges elsewhere, unless the campaign did so as a whole: work can be given to them where they are `named`."""
    gone = {*tx.events.left_out(campaign.id)}
    if not named and campaign.design != IMPORTED:
        gone |= tx.progress.who_only_came_with_files(campaign.id)
    return [
        entry.judge
        for entry in tx.judges.all(campaign.id)
        if entry.judge.kind in JUDGE_GROUPS["people"] and entry.revoked_at is None and entry.number not in gone
    ]


def working_judges(store: Store, campaign: Reference, *, named: bool = False) -> list[Judge]:
    """The same, from outside a transaction."""
    with store.reading() as tx:
        return still_judging(tx, tx.campaigns.get(campaign), named=named)


def chain_head(store: Store, campaign: Reference) -> ChainLink | None:
    """How many judgements were ever committed, and the hash of them all; None where nothing was answered."""
    with store.reading() as tx:
        return tx.chain.head(tx.campaigns.get(campaign).id)


def judgements(store: Store, campaign: Reference, *, after: int = 0) -> list[Judgement]:
    """The answers that hold, in the order they came; with `after` only those with a higher id."""
    with store.reading() as tx:
        return tx.judgements.current(tx.campaigns.get(campaign).id, after=after)


def history(
    store: Store,
    campaign: Reference,
    *,
    judge: str | None = None,
    document: str | None = None,
    segment: str | None = None,
    question: str | None = None,
) -> list[Judgement]:
    """Every answer ever given, the superseded ones too, in the order they came."""
    about = {"judge": judge, "document": document, "segment": segment, "question": question}
    criteria = {name: value for name, value in about.items() if value is not None}
    with store.reading() as tx:
        number = tx.campaigns.get(campaign).id
        return tx.judgements.about(number, **criteria) if criteria else tx.judgements.history(number)


def events(store: Store, campaign: Reference) -> Sequence[Event]:
    """What organisers did, oldest first."""
    with store.reading() as tx:
        return tx.events.of(tx.campaigns.get(campaign).id)

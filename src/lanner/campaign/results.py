"""What came of a campaign: its judgements, with the texts, judges and protocol they are about."""

from __future__ import annotations

from collections.abc import Sequence

from lanner.campaign.cache import Reference, find, questions_of
from lanner.model import Campaign, Document, Judge, Judgement, Protocol
from lanner.store import Event, Link, Seat, Store


def get(store: Store, campaign: Reference) -> Campaign:
    """A campaign by id or name."""
    with store.reading() as tx:
        return find(tx, campaign)


def campaigns(store: Store) -> list[Campaign]:
    """Every campaign, the newest first."""
    with store.reading() as tx:
        return tx.campaigns.all()


def protocol(store: Store, campaign: Reference) -> Protocol:
    """The protocol as it was frozen."""
    with store.reading() as tx:
        found = find(tx, campaign)
        return questions_of(store, tx, found.id, found.protocol_hash).protocol


def documents(store: Store, campaign: Reference) -> list[Document]:
    """The texts as they were frozen."""
    with store.reading() as tx:
        return tx.documents.all(find(tx, campaign).id)


def judges(store: Store, campaign: Reference) -> list[Judge]:
    """Everyone who judges, in the order they were added."""
    return [seat.judge for seat in seats(store, campaign)]


def seats(store: Store, campaign: Reference) -> list[Seat]:
    """The same with what only organisers see: links and consent."""
    with store.reading() as tx:
        return tx.judges.all(find(tx, campaign).id)


def chain_head(store: Store, campaign: Reference) -> Link | None:
    """How many judgements were ever committed, and the hash of them all; None where nothing was answered."""
    with store.reading() as tx:
        return tx.chain.head(find(tx, campaign).id)


def judgements(store: Store, campaign: Reference, *, after: int = 0) -> list[Judgement]:
    """The answers that hold, in the order they came; with `after` only those with a higher id."""
    with store.reading() as tx:
        return tx.judgements.current(find(tx, campaign).id, after=after)


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
    wanted = {name: value for name, value in about.items() if value is not None}
    with store.reading() as tx:
        number = find(tx, campaign).id
        return tx.judgements.about(number, **wanted) if wanted else tx.judgements.history(number)


def events(store: Store, campaign: Reference) -> Sequence[Event]:
    """What organisers did, oldest first."""
    with store.reading() as tx:
        return tx.events.of(find(tx, campaign).id)

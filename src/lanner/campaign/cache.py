"""What does not change while a campaign is open, read once and remembered: protocol and texts."""

from __future__ import annotations

from lanner.campaign.questions import Questions
from lanner.errors import CampaignError, did_you_mean
from lanner.model import Campaign, Document, Item, Protocol
from lanner.protocols.answers import Texts, texts_of
from lanner.store import Seat, Standing, Store, Transaction

Reference = int | str
"""A campaign by its id or its name."""


def find(tx: Transaction, reference: Reference) -> Campaign:
    """The campaign, or an error with the nearest name."""
    found = tx.campaigns.find(reference)
    if found is None:
        names = [campaign.name for campaign in tx.campaigns.all()]
        hint = did_you_mean(str(reference), names) or "There are no campaigns yet. Make one with: lanner new"
        raise CampaignError(f"There is no campaign {reference!r}.", code="unknown_campaign", next_step=hint)
    return found


def seat(tx: Transaction, campaign: Campaign, judge: str) -> Seat:
    """The judge in the campaign, or an error with the nearest name."""
    record = tx.judges.find(campaign.id, judge)
    if record is None:
        names = [seat.judge.id for seat in tx.judges.all(campaign.id)]
        raise CampaignError(
            f"{campaign.name} has no judge {judge!r}.", code="unknown_judge", next_step=did_you_mean(judge, names)
        )
    return record


def questions_of(store: Store, tx: Transaction, campaign: int, protocol_hash: str) -> Questions:
    """The campaign's protocol, ready to be answered."""

    def make() -> Questions:
        return Questions(Protocol.model_validate_json(tx.campaigns.protocol(campaign)))

    questions: Questions = store.facts.get(("protocol", protocol_hash), make)
    return questions


def no_task(task: int) -> CampaignError:
    """The error for a task nobody has."""
    return CampaignError(f"There is no task {task}.", code="unknown_task")


def document(store: Store, tx: Transaction, standing: Standing, key: str) -> Document:
    """One of the texts."""

    def make() -> Document:
        document = tx.documents.find(standing.campaign, key)
        if document is None:
            raise CampaignError(f"There is no document {key!r}.", code="unknown_document")
        return document

    found: Document = store.facts.get(("document", standing.corpus_hash, key), make)
    return found


def texts(store: Store, tx: Transaction, standing: Standing, item: Item) -> Texts | None:
    """What the judge was shown of an item."""
    return texts_of(document(store, tx, standing, item.document), item) if item.document else None

"""Practice until a stated agreement: a judge goes on to the texts once enough answers are those of the reference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from lanner.model import Campaign, Json, JudgeKind, Protocol
from lanner.protocols.worked_examples import has_examples
from lanner.store import Store, Transaction

_AGREEMENT = "practice_agreement"
"""The setting: a share above 0, at most 1. Without it nobody has to practise."""
PRACTISED = "practised"
"""The kind of event that a finished round is kept as."""


@dataclass(frozen=True, slots=True)
class Round:
    """One round of practice on a page: how many answers had a reference, how many were like it."""

    page: str
    right: int
    answers: int
    at: datetime

    @property
    def share(self) -> float:
        return self.right / self.answers if self.answers else 0.0


def required_agreement(settings: Mapping[str, Json]) -> float | None:
    """The agreement a judge must reach; None where nobody has to."""
    value = settings.get(_AGREEMENT)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) and value > 0 else None


def practised_page(protocol: Protocol, page: str) -> str:
    """The page that is practised for this one: what it was called before the protocol was asked in several contexts."""
    stages = protocol.pages.get(page, ())
    if protocol.name == protocol.base_name or not stages or not stages[0].scenario:
        return page
    return page.removesuffix(f"_{stages[0].scenario}")


def rounds(tx: Transaction, campaign: int, participant: int, protocol: Protocol, page: str) -> list[Round]:
    """The rounds a judge has finished on a page, in order. The same page in several contexts is practised once."""
    name = practised_page(protocol, page)
    return [
        Round(page, int(event.detail["right"]), int(event.detail["answers"]), event.at)
        for event in tx.events.of(campaign, kinds=[PRACTISED])
        if event.detail["seat"] == participant and practised_page(protocol, event.detail["page"]) == name
    ]


def record_round(store: Store, campaign: int, participant: int, entry: Round) -> None:
    """Keep how a round went."""
    detail: dict[str, Json] = {"seat": participant, "page": entry.page, "right": entry.right, "answers": entry.answers}
    with store.writing() as tx:
        tx.events.add(PRACTISED, entry.at, campaign=campaign, **detail)


def has_reached(rounds: Sequence[Round], required: float) -> bool:
    """Whether any round was as good as it must be."""
    return any(entry.share >= required - 1e-9 for entry in rounds)


def must_practise(tx: Transaction, campaign: Campaign, judge: int, protocol: Protocol, page: str) -> bool:
    """Whether a page opens only after practice, and this judge has not reached the agreement it takes."""
    required = required_agreement(campaign.settings)
    if required is None or not has_examples(protocol, page):
        return False
    participant = tx.judges.by_number(judge)
    if participant is None or participant.judge.kind is not JudgeKind.PERSON:
        return False
    return not has_reached(rounds(tx, campaign.id, judge, protocol, page), required)

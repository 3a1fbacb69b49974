"""Practice until a stated agreement: a judge goes on to the texts once enough answers are those of the reference.

The setting `practice_agreement` states the share of answers in one round of practice that must be as the reference has
them. The first answer to each item counts. Every finished round is kept as an event of the campaign, so that it can be
shown who practised how often and how it went; answers given in practice are kept nowhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from lanner.model import Json, Protocol
from lanner.protocols.context import page_in_any_context
from lanner.store import Store, Transaction

AGREEMENT = "practice_agreement"
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
    value = settings.get(AGREEMENT)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) and value > 0 else None


def rounds(tx: Transaction, campaign: int, seat: int, protocol: Protocol, page: str) -> list[Round]:
    """The rounds a judge has finished on a page, in order. The same page in several contexts is practised once."""
    name = page_in_any_context(protocol, page)
    return [
        Round(page, int(event.detail["right"]), int(event.detail["answers"]), event.at)
        for event in tx.events.of(campaign, kinds=[PRACTISED])
        if event.detail["seat"] == seat and page_in_any_context(protocol, event.detail["page"]) == name
    ]


def record_round(store: Store, campaign: int, seat: int, entry: Round) -> None:
    """Keep how a round went."""
    detail: dict[str, Json] = {"seat": seat, "page": entry.page, "right": entry.right, "answers": entry.answers}
    with store.writing() as tx:
        tx.events.add(PRACTISED, entry.at, campaign=campaign, **detail)


def has_reached(finished: Sequence[Round], required: float) -> bool:
    """Whether any round was as good as it must be."""
    return any(entry.share >= required - 1e-9 for entry in finished)

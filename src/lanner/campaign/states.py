"""A campaign by its id or name, and its life: draft, open, paused, closed; and the details an organiser may change
while it runs."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from lanner.errors import CampaignError, did_you_mean
from lanner.model import Campaign, CampaignState, Json
from lanner.store import Seat, Store, Transaction
from lanner.store.rows import now

_DRAFT, _OPEN, _PAUSED, _CLOSED = CampaignState


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


def open(  # noqa: A001 - `campaign.open` is what a reader expects
    store: Store, campaign: Reference, *, account: int | None = None, at: datetime | None = None
) -> Campaign:
    """Let judges begin. From now on texts, protocol and design are frozen."""
    with store.reading() as tx:
        entry = find(tx, campaign)
        if entry.state is _DRAFT and not tx.progress.counts(entry.id):
            raise CampaignError(
                f"{entry.name} has no judges yet.", code="no_judges", next_step="Add judges, then open it."
            )
    return _go(store, campaign, allowed=(_DRAFT,), state=_OPEN, event="opened", account=account, at=at)


def pause(store: Store, campaign: Reference, *, account: int | None = None, at: datetime | None = None) -> Campaign:
    """Take no answers for a while."""
    return _go(store, campaign, allowed=(_OPEN,), state=_PAUSED, event="paused", account=account, at=at)


def close(store: Store, campaign: Reference, *, account: int | None = None, at: datetime | None = None) -> Campaign:
    """Take no answers any more."""
    return _go(store, campaign, allowed=(_OPEN, _PAUSED), state=_CLOSED, event="closed", account=account, at=at)


def reopen(store: Store, campaign: Reference, *, account: int | None = None, at: datetime | None = None) -> Campaign:
    """Take answers again, after a pause or after closing."""
    return _go(store, campaign, allowed=(_PAUSED, _CLOSED), state=_OPEN, event="reopened", account=account, at=at)


def _go(
    store: Store,
    campaign: Reference,
    *,
    allowed: tuple[CampaignState, ...],
    state: CampaignState,
    event: str,
    account: int | None,
    at: datetime | None,
) -> Campaign:
    moment = at or now()
    with store.writing() as tx:
        entry = find(tx, campaign)
        tx.campaigns.lock(entry.id)
        entry = find(tx, entry.id)
        if entry.state is state:
            return entry
        if entry.state not in allowed:
            raise CampaignError(f"{entry.name} is {entry.state}, so it cannot be {event}.", code=str(entry.state))
        opened_at = moment if state is _OPEN else None
        closed_at = moment if state is _CLOSED else None
        tx.campaigns.set_state(entry.id, state, opened_at=opened_at, closed_at=closed_at)
        tx.events.add(event, moment, campaign=entry.id, account=account)
        return find(tx, entry.id)


def configure(
    store: Store,
    campaign: Reference,
    *,
    title: str | None = None,
    settings: Mapping[str, Json] | None = None,
    version: int | None = None,
    account: int | None = None,
    at: datetime | None = None,
) -> Campaign:
    """Change the title, or settings (those named; None removes one). `version` is the one the organiser had before
    them: if someone else has changed the campaign since, this is refused and nothing is lost."""
    with store.writing() as tx:
        entry = find(tx, campaign)
        tx.campaigns.lock(entry.id)
        entry = find(tx, entry.id)
        if version is not None and version != tx.campaigns.version(entry.id):
            raise CampaignError(
                f"Someone else has changed {entry.name} in the meantime.",
                code="changed",
                next_step="Look at the page again, then make your change.",
            )
        all_settings = {**entry.settings, **(settings or {})}
        values = {name: value for name, value in all_settings.items() if value is not None}
        tx.campaigns.set_details(entry.id, title=title, settings=values)
        before = {"title": entry.title, **entry.settings}
        after = {**values, "title": entry.title if title is None else title}
        changes = {
            name: [before.get(name), after.get(name)]
            for name in sorted({*before, *after})
            if before.get(name) != after.get(name)
        }
        if changes:
            tx.events.add("configured", at or now(), campaign=entry.id, account=account, changes=changes)
        return find(tx, entry.id)


def remove(
    store: Store, campaign: Reference, *, name: str, account: int | None = None, at: datetime | None = None
) -> None:
    """Delete a campaign with everything in it. Its name must be given again, to the letter."""
    with store.deleting() as tx:
        entry = find(tx, campaign)
        if name != entry.name:
            raise CampaignError(f"{name!r} is not the name of this campaign.", code="name_differs")
        tx.campaigns.remove(entry.id)
        tx.events.add("removed", at or now(), account=account, name=entry.name)

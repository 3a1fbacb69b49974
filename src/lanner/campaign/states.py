"""A campaign's life: draft, open, paused, closed; changed while it runs, archived, deleted."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from lanner.campaign.settings import check_main_question, check_names, check_settings
from lanner.errors import CampaignError, StoreError
from lanner.model import Campaign, CampaignState, Json
from lanner.store import CollisionError, Store, Transaction
from lanner.store.campaign_copies import copy_campaign, standing
from lanner.store.campaigns import REMOVED
from lanner.store.rows import now

_DRAFT, _OPEN, _PAUSED, _CLOSED = CampaignState


Reference = int | str
"""A campaign by its id or its name."""


def open(  # noqa: A001 - `campaign.open` is what a reader expects
    store: Store, campaign: Reference, *, account: int | None = None, at: datetime | None = None
) -> Campaign:
    """Let judges begin. From now on texts, protocol and design are frozen."""
    with store.reading() as tx:
        entry = tx.campaigns.get(campaign)
        if entry.state is _DRAFT and not tx.progress.counts(entry.id):
            raise CampaignError(
                f"{entry.name} has no judges yet.", code="no_judges", next_step="Add judges, then open it."
            )
    return _enter(store, campaign, allowed=(_DRAFT,), state=_OPEN, event="opened", account=account, at=at)


def pause(store: Store, campaign: Reference, *, account: int | None = None, at: datetime | None = None) -> Campaign:
    """Take no answers for a while."""
    return _enter(store, campaign, allowed=(_OPEN,), state=_PAUSED, event="paused", account=account, at=at)


def close(store: Store, campaign: Reference, *, account: int | None = None, at: datetime | None = None) -> Campaign:
    """Take no answers any more."""
    return _enter(store, campaign, allowed=(_OPEN, _PAUSED), state=_CLOSED, event="closed", account=account, at=at)


def reopen(store: Store, campaign: Reference, *, account: int | None = None, at: datetime | None = None) -> Campaign:
    """Take answers again, after a pause or after closing."""
    return _enter(store, campaign, allowed=(_PAUSED, _CLOSED), state=_OPEN, event="reopened", account=account, at=at)


def _enter(
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
        entry = lock(tx, campaign)
        if entry.state is state:
            return entry
        if entry.state not in allowed:
            raise CampaignError(f"{entry.name} is {entry.state}, so it cannot be {event}.", code=str(entry.state))
        set_state(tx, entry.id, state, event, account=account, at=moment)
        return tx.campaigns.get(entry.id)


def set_state(
    tx: Transaction, campaign: int, state: CampaignState, event: str, *, account: int | None, at: datetime
) -> None:
    """Set the state of a campaign and write it into the log."""
    opened_at = at if state is _OPEN else None
    closed_at = at if state is _CLOSED else None
    tx.campaigns.set_state(campaign, state, opened_at=opened_at, closed_at=closed_at)
    tx.events.add(event, at, campaign=campaign, account=account)


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
    check_names((name for name, value in (settings or {}).items() if value is not None), running=True)
    with store.writing() as tx:
        entry = lock(tx, campaign)
        if version is not None and version != tx.campaigns.version(entry.id):
            raise CampaignError(
                f"Someone else has changed {entry.name} in the meantime.",
                code="changed",
                next_step="Look at the page again, then make your change.",
            )
        change(tx, entry, settings or {}, title=title, account=account, at=at or now())
        return tx.campaigns.get(entry.id)


def archive(store: Store, campaign: Reference, archived: bool = True, *, account: int | None = None) -> Campaign:
    """Take a campaign out of the list, or put it back. Nothing else changes."""
    with store.writing() as tx:
        entry = lock(tx, campaign)
        change(tx, entry, {"archived": True if archived else None}, account=account, at=now())
        return tx.campaigns.get(entry.id)


def lock(tx: Transaction, reference: Reference) -> Campaign:
    """Lock a campaign until this transaction ends, and return it as it is then."""
    number = tx.campaigns.get(reference).id
    tx.campaigns.lock(number)
    return tx.campaigns.get(number)


def change(
    tx: Transaction,
    campaign: Campaign,
    settings: Mapping[str, Json],
    *,
    title: str | None = None,
    account: int | None,
    at: datetime,
) -> None:
    """Change these settings of a campaign that is locked, if they make sense, and log what is different then."""
    check_settings(settings)
    check_main_question(settings, tx.campaigns.protocol(campaign.id))
    all_settings = {**campaign.settings, **settings}
    values = {name: value for name, value in all_settings.items() if value is not None}
    tx.campaigns.set_details(campaign.id, title=title, settings=values)
    before = {"title": campaign.title, **campaign.settings}
    after = {**values, "title": campaign.title if title is None else title}
    changes = {
        name: [before.get(name), after.get(name)]
        for name in sorted({*before, *after})
        if before.get(name) != after.get(name)
    }
    if changes:
        tx.events.add("configured", at, campaign=campaign.id, account=account, changes=changes)


def remove(
    store: Store,
    campaign: Reference,
    *,
    name: str,
    copy: Path | None = None,
    account: int | None = None,
    at: datetime | None = None,
) -> None:
    """Delete a campaign with everything in it. Its name must be given again, to the letter. A `copy` is written and
    read back first; where that fails, or the campaign changes meanwhile, nothing is deleted."""
    with store.reading() as tx:
        entry = tx.campaigns.get(campaign)
    if name != entry.name:
        raise CampaignError(f"{name!r} is not the name of this campaign.", code="name_differs")
    for _ in range(_TRIES):
        copied = None if copy is None else _copy(store, entry.id, copy)
        with suppress(CollisionError), store.deleting() as tx:  # on PostgreSQL judges come in at the same moment
            tx.campaigns.lock_whole(tx.campaigns.get(entry.id).id)
            if copied is None or standing(tx.connection, entry.id) == copied:
                version = tx.campaigns.version(entry.id)
                tx.campaigns.remove(entry.id)
                tx.events.add(REMOVED, at or now(), account=account, name=entry.name, version=version)
                return
        if copy is not None:
            copy.unlink()
    raise CampaignError(
        "Judges are answering at this moment, so the copy was out of date at once. Nothing was deleted.",
        code="answered_meanwhile",
        next_step="Close or pause the campaign, then delete it.",
    )


NO_BACKUP = "no_backup"
_TRIES = 3


def _copy(store: Store, campaign: int, path: Path) -> str:
    try:
        return copy_campaign(store, campaign, path)
    except (StoreError, OSError) as error:
        raise CampaignError(
            "Nothing was deleted, because no copy could be kept first.",
            code=NO_BACKUP,
            next_step=str(error),  # it names a place on the disk, which pages leave out
        ) from error


def copy_name(campaign: Campaign) -> str:
    """What the copy of a campaign is called that is deleted now."""
    return f"{campaign.id}-{now():%Y%m%dT%H%M%SZ}.sqlite"


REST_ASSIGNED = "rest_assigned"
"""The kind of the event that what follows a calibration round was given out."""


def rest_is_assigned(tx: Transaction, campaign: int) -> bool:
    """Whether what follows a calibration round was given out."""
    return bool(tx.events.of(campaign, kinds=(REST_ASSIGNED,)))


def awaits_rest(tx: Transaction, campaign: Campaign) -> bool:
    """Whether a campaign is in its calibration round: whoever is done with it waits for what follows."""
    return bool(campaign.settings.get("calibration")) and not rest_is_assigned(tx, campaign.id)

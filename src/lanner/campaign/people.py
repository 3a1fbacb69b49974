"""What is kept about a judge, and how it goes: consent, an identity erased, answers withdrawn."""

from __future__ import annotations

from datetime import datetime

from lanner.campaign.clock import now
from lanner.campaign.knowing import Reference, find, seat
from lanner.model import Judge, JudgeKind
from lanner.store import Seat, Store, Transaction


def consent(store: Store, campaign: Reference, judge: str, version: str, *, at: datetime | None = None) -> None:
    """A judge has agreed to this version of the consent text."""
    with store.writing() as tx:
        tx.judges.set_consent(seat(tx, find(tx, campaign), judge).number, version, at or now())


def erase(
    store: Store, campaign: Reference, judge: str, *, account: int | None = None, at: datetime | None = None
) -> str:
    """Forget who a judge was and keep what they answered, under a name that says nothing. The new name."""
    moment = at or now()
    with store.writing() as tx:
        mine = seat(tx, find(tx, campaign), judge)
        name = _erase(tx, mine, moment)
        tx.events.add("judge_erased", moment, campaign=mine.campaign, account=account, seat=mine.number)
        return name


def withdraw(
    store: Store, campaign: Reference, judge: str, *, account: int | None = None, at: datetime | None = None
) -> int:
    """A judge takes back their consent: who they were and everything they answered is deleted. How many answers."""
    moment = at or now()
    with store.writing() as tx:
        mine = seat(tx, find(tx, campaign), judge)
        number = tx.judgements.withdraw(mine.number)
        tx.tasks.forget_progress(mine.number)
        _erase(tx, mine, moment)
        detail = {"seat": mine.number, "judgements": number}
        tx.events.add("judge_withdrew", moment, campaign=mine.campaign, account=account, **detail)
        return number


def pseudonyms(store: Store, campaign: Reference) -> dict[str, str]:
    """What people are called where their ids say who they are: the same as when an identity is erased. Models and
    metrics keep their names."""
    with store.reading() as tx:
        seats = tx.judges.all(find(tx, campaign).id)
    return {entry.judge.id: f"judge-{entry.number}" for entry in seats if entry.judge.kind is JudgeKind.PERSON}


def _erase(tx: Transaction, mine: Seat, at: datetime) -> str:
    name = f"judge-{mine.number}"
    tx.judges.rename(mine.number, Judge(name))
    tx.judges.revoke_link(mine.number, at)
    tx.sessions.remove_of(judge=mine.number)
    return name

"""Rows on disk, and the only SQL. `Store.open("lanner.db")`, then `with store.reading() as tx: tx.judgements...`."""

from __future__ import annotations

from lanner.store.accounts import Account, AccountRole, Session
from lanner.store.campaigns import (
    COUNTED_AGAIN,
    JUDGE_ITSELF,
    LEFT_OUT,
    Event,
    Seat,
    code_name,
    fingerprint,
    pseudonyms_of,
)
from lanner.store.judgements import Answer, Key, Link, NewAnswer, StoredPart, Unit
from lanner.store.ledger import Entry, NewEntry, Spent, Work
from lanner.store.store import CollisionError, DisconnectedError, Memo, Store, Transaction
from lanner.store.tasks import Assigned, Overview, Place, Progressed, Share, Standing

__all__ = [
    "COUNTED_AGAIN",
    "JUDGE_ITSELF",
    "LEFT_OUT",
    "Account",
    "AccountRole",
    "Answer",
    "Assigned",
    "CollisionError",
    "DisconnectedError",
    "Entry",
    "Event",
    "Key",
    "Link",
    "Memo",
    "NewAnswer",
    "NewEntry",
    "Overview",
    "Place",
    "Progressed",
    "Seat",
    "Session",
    "Share",
    "Spent",
    "Standing",
    "Store",
    "StoredPart",
    "Transaction",
    "Unit",
    "Work",
    "code_name",
    "fingerprint",
    "pseudonyms_of",
]

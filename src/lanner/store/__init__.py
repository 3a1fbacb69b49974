"""Rows on disk, and the only SQL. `Store.open("lanner.db")`, then `with store.reading() as tx: tx.judgements...`."""

from __future__ import annotations

from lanner.store.accounts import Account, AccountRole, Session
from lanner.store.campaigns import (
    COUNTED_AGAIN,
    JUDGE_ITSELF,
    JUDGE_REPLACED,
    LEFT_OUT,
    Event,
    Participant,
    code_name,
    fingerprint,
    pseudonyms_of,
)
from lanner.store.judgements import ChainLink, Key, NewAnswer, StoredAnswer, StoredPart, Unit
from lanner.store.ledger import JudgeUsage, LedgerEntry, NewEntry, UnfinishedTask
from lanner.store.progress import CampaignTotals, Overview, TaskShare
from lanner.store.store import CollisionError, DisconnectedError, RecentCache, Store, Transaction
from lanner.store.tasks import AssignedTask, SavedProgress, TaskItem, TaskStanding

__all__ = [
    "COUNTED_AGAIN",
    "JUDGE_ITSELF",
    "JUDGE_REPLACED",
    "LEFT_OUT",
    "Account",
    "AccountRole",
    "AssignedTask",
    "CampaignTotals",
    "ChainLink",
    "CollisionError",
    "DisconnectedError",
    "Event",
    "JudgeUsage",
    "Key",
    "LedgerEntry",
    "NewAnswer",
    "NewEntry",
    "Overview",
    "Participant",
    "RecentCache",
    "SavedProgress",
    "Session",
    "Store",
    "StoredAnswer",
    "StoredPart",
    "TaskItem",
    "TaskShare",
    "TaskStanding",
    "Transaction",
    "UnfinishedTask",
    "Unit",
    "code_name",
    "fingerprint",
    "pseudonyms_of",
]

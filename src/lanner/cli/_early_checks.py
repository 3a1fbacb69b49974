"""What can be said of a source before statistics and readers are loaded: loading them takes seconds, and who has
mistyped the name of a file or campaign should not wait for them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import LiteralString

from lanner.errors import CampaignError, InputError, did_you_mean

DEFAULT_STORE = "lanner.sqlite"


def refuse_missing(source: str, store_place: str) -> None:
    """The error where there is no file and no campaign of this name; nothing where that cannot be told cheaply."""
    if Path(source).exists():
        return
    if not has_store(store_place):
        raise InputError(
            f"There is no file {source!r}, and no campaigns here ({store_place} does not exist).",
            next_step="Give the path of a file, or name the database with --store.",
        )
    names = campaign_names(store_place)
    if names is not None and source not in names:
        raise InputError(f"There is no file and no campaign called {source!r}.", next_step=did_you_mean(source, names))


def refuse_unknown_campaign(name: str, store_place: str) -> None:
    """The error where there is no campaign of this name; nothing where that cannot be told cheaply."""
    names = campaign_names(store_place)
    if names is not None and name not in names and not name.isdecimal():
        hint = did_you_mean(name, names) or "There are no campaigns yet. Make one with: lanner new"
        raise CampaignError(f"There is no campaign {name!r}.", code="unknown_campaign", next_step=hint)


def has_store(place: str) -> bool:
    """Whether there is a database at this place."""
    return "://" in place or Path(place).exists()


def refuse_unknown_question(campaign: str, store_place: str, question: str) -> None:
    """The error where a campaign's protocol has nothing of this name; nothing of files, which have to be read first."""
    if Path(campaign).exists():
        return
    protocol = (_campaigns(store_place) or {}).get(campaign, "")
    if protocol:
        refuse_unasked(question, [protocol])


def refuse_unasked(question: str, protocols: Sequence[str]) -> None:
    """The error where protocols, as JSON, have nothing of this name: no question, row or score."""
    name = json.dumps(question, ensure_ascii=False).strip('"')
    if any(name in protocol for protocol in protocols):
        return
    stages = [stage for protocol in protocols for stage in json.loads(protocol).get("stage", [])]
    known = dict.fromkeys(entry["id"] for stage in stages for entry in stage.get("question", []))
    raise InputError(f"No part of this asks {question!r}.", next_step=did_you_mean(question, known))


def campaign_names(place: str) -> list[str] | None:
    """The campaigns of a store; None where it cannot be said cheaply."""
    campaigns = _campaigns(place)
    return None if campaigns is None else list(campaigns)


def _campaigns(place: str) -> dict[str, str] | None:
    """The campaigns of a store with their protocols as JSON, read without the store's own modules. None for whatever
    is damaged, locked, out of reach or no store at all: the store itself says so better."""
    rows = "SELECT name, protocol FROM campaign ORDER BY id"
    if "://" in place:
        return _from_postgresql(place, rows)
    if not Path(place).is_file():
        return None
    try:
        with closing(sqlite3.connect(f"{Path(place).resolve().as_uri()}?mode=ro", uri=True)) as connection:
            return dict(connection.execute(rows))
    except sqlite3.Error:
        return None


def _from_postgresql(url: str, rows: LiteralString) -> dict[str, str] | None:
    try:
        import psycopg
    except ImportError:
        return None
    scheme, _, rest = url.partition("://")
    try:
        with psycopg.connect(f"{scheme.partition('+')[0]}://{rest}", connect_timeout=2) as connection:
            return dict(connection.execute(rows).fetchall())
    except psycopg.Error:
        return None

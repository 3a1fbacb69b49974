"""One campaign with everything that belongs to it, in a file of its own, and the way back into a store.

Such a copy is a store itself: protocol, texts, settings, judges with their links, tasks, every answer ever given, what
models were asked, the log, and the chain of hashes, row by row as they were. Tokens, webhooks and sessions are the
server's and stay behind. Numbers are never given twice, so that a campaign comes back with those it had, and the hashes
that were published still hold.
"""

from __future__ import annotations

import hashlib
import shlex
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, Connection, Table, cast, func, or_, select

from lanner.errors import StoreError, Where
from lanner.model import Campaign
from lanner.store import schema
from lanner.store.backup import (
    TABLES,
    Content,
    carry_numbers,
    content_of,
    copy_differs,
    copy_table,
    new_file,
    open_copy,
    open_read_only,
    rows_of,
)
from lanner.store.rows import now, reserve_numbers
from lanner.store.store import Store, Transaction

_OF_THE_SERVER = (schema.token, schema.webhook, schema.delivery)
_TABLES = tuple(table for table in TABLES if table not in _OF_THE_SERVER)
_NUMBERED_ANEW = (schema.event, schema.ledger)
"""Nothing refers to these rows, and SQLite gives their numbers to others once they are deleted."""
_AS_THEY_WERE = tuple(table for table in _TABLES if table not in (*_NUMBERED_ANEW, schema.account, schema.member))


def copy_campaign(store: Store, campaign: int, path: Path) -> str:
    """Write a campaign into a new file, as of one moment and while judges go on, and read it back before it counts.
    Return its `standing` at that moment."""
    with new_file(path) as unfinished_path:
        with store.snapshot() as source:
            with Store.open(unfinished_path) as target, target.filling() as connection:
                for table in _TABLES:
                    copy_table(rows_of(source, table, _belongs(table, campaign)), connection, table)
            before, state = _contents(source, campaign, _TABLES), standing(source, campaign)
        with closing(sqlite3.connect(unfinished_path.absolute())) as plain:
            plain.execute("PRAGMA journal_mode = DELETE")  # one file, that can be read where nothing may be written
        with open_read_only(unfinished_path) as connection:
            if _contents(connection, campaign, _TABLES) != before:
                raise copy_differs(path)
    return state


def standing(connection: Connection, campaign: int) -> str:
    """A hash that changes with everything added to a campaign or changed in it; cheap, since saves wait meanwhile."""
    facts: list[Any] = [
        [tuple(row) for row in rows_of(connection, table, _belongs(table, campaign))]
        for table in (schema.campaign, schema.judge, schema.member)
    ]
    for table, sums in _FACTS:
        query = select(func.count(), *sums).select_from(table).where(_belongs(table, campaign))
        facts.append(tuple(connection.execute(query).one()))
    return hashlib.sha256(repr(facts).encode("utf-8", "surrogatepass")).hexdigest()


_t, _i = schema.task.c, schema.item.c
_FACTS: tuple[tuple[Table, tuple[Any, ...]], ...] = (
    (schema.chain, (func.max(schema.chain.c.last),)),
    (schema.withdrawn, ()),
    (schema.event, (func.max(schema.event.c.id),)),
    (schema.ledger, (func.max(schema.ledger.c.id),)),
    (schema.document, (func.sum(schema.document.c.segments),)),
    (schema.task, (func.sum(_t.judge), func.sum(_t.position), func.count(_t.finished_at), func.max(_t.finished_at))),
    (schema.item, (func.sum(_i.done), func.count(_i.saved_at), func.max(_i.saved_at))),
    (schema.item, tuple(func.sum(cast(each * 1000, BigInteger)) for each in (_i.elapsed, _i.active))),
)
"""Of each table what changes with a row that is added or changed, beside how many there are."""


def bring_back(copy: Path, name: str, place: str | Path) -> tuple[Campaign, tuple[str, ...]]:
    """Put a campaign from a copy, of it alone or of a whole store, into a store in use. Return the campaign and what
    was wrong with its rows already. Refused where the store has given its name or its numbers to others."""
    with (
        open_copy(copy) as (source, problems),
        source.reading() as read,
        Store.open(place, create=False) as target,
        target.writing() as tx,
    ):
        campaign = read.campaigns.get(name)
        _refuse_taken(read.connection, tx, campaign, copy)
        for table in _AS_THEY_WERE:
            copy_table(rows_of(read.connection, table, _belongs(table, campaign.id)), tx.connection, table)
        accounts = _accounts_of_both(read.connection, tx.connection)
        for table in (schema.member, *_NUMBERED_ANEW):
            rows = rows_of(read.connection, table, _belongs(table, campaign.id))
            copy_table(_adapt_rows(rows, table, accounts, tx), tx.connection, table)
        carry_numbers(read.connection, tx.connection)
        before, after = (_contents(each.connection, campaign.id, _AS_THEY_WERE) for each in (read, tx))
        if after != before:
            raise copy_differs(copy)
        tx.campaigns.renew(campaign.id, campaign.name)
        tx.events.add("brought_back", now(), campaign=campaign.id)
        return campaign, problems


def _belongs(table: Table, campaign: int) -> ColumnElement[bool]:
    """Which rows of a table belong to a campaign. Accounts belong to every campaign that names them."""
    if table is schema.campaign:
        return schema.campaign.c.id == campaign
    if table is schema.item:
        return schema.item.c.task.in_(select(schema.task.c.id).where(schema.task.c.campaign == campaign))
    if table is schema.account:
        named = (select(each.c.account).where(each.c.campaign == campaign) for each in (schema.member, schema.event))
        return or_(*(schema.account.c.id.in_(accounts) for accounts in named))
    return table.c.campaign == campaign


def _contents(connection: Connection, campaign: int, tables: Sequence[Table]) -> dict[str, Content]:
    return {table.name: content_of(rows_of(connection, table, _belongs(table, campaign))) for table in tables}


def _refuse_taken(source: Connection, tx: Transaction, campaign: Campaign, copy: Path) -> None:
    """Refuse a campaign whose name or rows the store has already, or of another store that gave the same numbers."""
    apart = f"Restore it into a store of its own: lanner restore {shlex.quote(str(copy))} --store NEW.sqlite"
    if tx.campaigns.is_taken(campaign.name):
        raise StoreError(
            f"There is a campaign called {campaign.name!r} here.", code="name_taken", where=Where(copy), next_step=apart
        )
    for table in _AS_THEY_WERE:
        if "id" not in table.columns:
            continue
        numbers = [row[0] for row in source.execute(select(table.c.id).where(_belongs(table, campaign.id)))]
        for start in range(0, len(numbers), _AT_ONCE):
            taken = select(table.c.id).where(table.c.id.in_(numbers[start : start + _AT_ONCE])).limit(1)
            if tx.connection.execute(taken).first():
                raise StoreError(
                    f"{campaign.name} cannot be brought back here: the store has given its numbers to others.",
                    code="numbers_taken",
                    where=Where(copy),
                    next_step=apart,
                )


_AT_ONCE = 5_000


def _accounts_of_both(source: Connection, target: Connection) -> set[int]:
    """The accounts that both stores have, by number and name."""
    query = select(schema.account.c.id, schema.account.c.name)
    here, there = ({tuple(row) for row in connection.execute(query)} for connection in (source, target))
    return {number for number, _ in here & there}


def _adapt_rows(
    rows: Iterator[Sequence[Any]], table: Table, accounts: set[int], tx: Transaction
) -> Iterator[Sequence[Any]]:
    """Rows without accounts that this store does not have, and with new numbers in tables that are numbered anew."""
    names = [column.name for column in table.columns]
    kept = [dict(zip(names, row, strict=True)) for row in rows]
    if table is schema.member:
        kept = [row for row in kept if row["account"] in accounts]
    if table is schema.event:
        kept = [row if row["account"] in accounts else {**row, "account": None} for row in kept]
    if table in _NUMBERED_ANEW:
        numbers = reserve_numbers(tx.connection, table.name, len(kept))
        kept = [{**row, "id": number} for row, number in zip(kept, numbers, strict=True)]
    return iter([tuple(row[name] for name in names) for row in kept])

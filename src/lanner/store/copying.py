"""All rows from one database to another, of either kind. The tables hold plain types only, so that a row means the same
in SQLite and PostgreSQL and its digest is the same in both."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from sqlalchemy import Connection, Table

from lanner.store import schema
from lanner.store.links import driver_of
from lanner.store.statement import Insert, Row

_BATCH = 5_000
TABLES = tuple(
    table for table in schema.metadata.sorted_tables if table.name not in (schema.migration.name, schema.session.name)
)
"""What is copied, each after those it refers to. Sessions stay behind: whoever finds a copy is signed in nowhere."""


class Content(NamedTuple):
    """What is in a table: how many rows, and a hash of them all in the order of their keys."""

    rows: int
    digest: str


def rows_of(connection: Connection, table: Table) -> Iterator[Row]:
    """Every row of a table in the order of its key, without holding all of them."""
    names = ", ".join(column.name for column in table.columns)
    order = ", ".join(column.name for column in table.primary_key.columns)
    sql = f"SELECT {names} FROM {table.name} ORDER BY {order}"
    driver = driver_of(connection)
    if connection.dialect.name == "sqlite":
        yield from driver.execute(sql)
        return
    with driver.cursor(name=f"lanner_{table.name}") as cursor:  # a named cursor stays on PostgreSQL's side
        cursor.itersize = _BATCH
        yield from cursor.execute(sql)


def contents(connection: Connection) -> dict[str, Content]:
    """What each table holds, the same for the same rows in either kind of database."""
    found = {}
    for table in TABLES:
        digest, count = hashlib.sha256(), 0
        for row in rows_of(connection, table):
            digest.update(repr(tuple(row)).encode("utf-8", "surrogatepass"))
            count += 1
        found[table.name] = Content(count, digest.hexdigest()[:16])
    return found


def copy_rows(source: Connection, target: Connection) -> None:
    """Fill the empty tables of another database, inside the transactions of both."""
    for table in TABLES:
        names = [column.name for column in table.columns]
        adding, rows = Insert(table), rows_of(source, table)
        while batch := [dict(zip(names, row, strict=True)) for row in islice(rows, _BATCH)]:
            adding.rows(target, batch)
    _carry_numbers(source, target)


def _carry_numbers(source: Connection, target: Connection) -> None:
    """Numbers that were ever given are not given again, even where their rows have been deleted since."""
    writing = driver_of(target)
    for table in TABLES:
        if "id" not in table.columns:
            continue
        last = _last(source, table.name)
        if not last:
            continue
        if target.dialect.name == "postgresql":
            writing.execute("SELECT setval(pg_get_serial_sequence(%s, 'id'), %s)", (table.name, last))
        elif writing.execute("SELECT 1 FROM sqlite_sequence WHERE name = ?", (table.name,)).fetchone():
            writing.execute("UPDATE sqlite_sequence SET seq = ? WHERE name = ?", (last, table.name))
        elif _counts_in_sqlite(table.name):
            writing.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", (table.name, last))


def _last(connection: Connection, table: str) -> int:
    driver = driver_of(connection)
    if connection.dialect.name == "postgresql":
        sequence = driver.execute("SELECT pg_get_serial_sequence(%s, 'id')", (table,)).fetchone()[0]
        last, called = driver.execute(f"SELECT last_value, is_called FROM {sequence}").fetchone()
        return int(last) if called else 0
    highest = driver.execute(f"SELECT coalesce(max(id), 0) FROM {table}").fetchone()[0]
    given = driver.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)).fetchone()
    return max(int(highest), int(given[0]) if given else 0)


def _counts_in_sqlite(table: str) -> bool:
    """Whether this table's numbers are never given twice there."""
    return table in ("campaign", "document", "judge", "task", "account", "token", "webhook", "delivery")

"""All rows from one database to another, of either kind. The tables hold plain types only, so that a row means the same
in SQLite and PostgreSQL and its digest is the same in both."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import islice
from typing import Any, NamedTuple

from sqlalchemy import Connection, Table, select, text

from lanner.store import schema
from lanner.store.rows import STREAMED, insert_rows
from lanner.store.webhooks import SEALED

_BATCH = 5_000
TABLES = tuple(
    table for table in schema.metadata.sorted_tables if table.name not in (schema.migration.name, schema.session.name)
)
"""What is copied, each after those it refers to. Sessions stay behind: whoever finds a copy is signed in nowhere."""


class Content(NamedTuple):
    """What is in a table: how many rows, and a hash of them all in the order of their keys."""

    rows: int
    digest: str


def rows_of(connection: Connection, table: Table) -> Iterator[Sequence[Any]]:
    """Every row of a table in the order of its key, without holding all of them."""
    query = select(table).order_by(*table.primary_key.columns)
    with closing(connection.execute(query, execution_options=STREAMED)) as rows:
        yield from map(_without_plain_secret, rows) if table is schema.webhook else rows


def _without_plain_secret(row: Any) -> Sequence[Any]:
    """A webhook as it may leave the store: a secret in plain text, of an earlier version, stays behind."""
    at = list(schema.webhook.columns.keys()).index("secret")
    return (*row[:at], row[at] if row[at].startswith(SEALED) else "", *row[at + 1 :])


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
        rows = rows_of(source, table)
        while batch := [dict(zip(names, row, strict=True)) for row in islice(rows, _BATCH)]:
            insert_rows(target, table, batch)
    _carry_numbers(source, target)


def _carry_numbers(source: Connection, target: Connection) -> None:
    """Numbers that were ever given are not given again, even where their rows have been deleted since."""
    for table in TABLES:
        if "id" not in table.columns or table is schema.withdrawn:
            continue
        last = _last(source, table.name)
        if not last:
            continue
        given = {"table": table.name, "last": last}
        if target.dialect.name == "postgresql":
            target.execute(text("SELECT setval(pg_get_serial_sequence(:table, 'id'), :last)"), given)
        elif target.execute(text("SELECT 1 FROM sqlite_sequence WHERE name = :table"), given).first():
            target.execute(text("UPDATE sqlite_sequence SET seq = :last WHERE name = :table"), given)
        elif _counts_in_sqlite(table.name):
            target.execute(text("INSERT INTO sqlite_sequence (name, seq) VALUES (:table, :last)"), given)


def _last(connection: Connection, table: str) -> int:
    if connection.dialect.name == "postgresql":
        sequence = connection.execute(
            text("SELECT pg_get_serial_sequence(:table, 'id')"), {"table": table}
        ).scalar_one()
        last, called = connection.execute(text(f"SELECT last_value, is_called FROM {sequence}")).one()
        return int(last) if called else 0
    highest = connection.execute(text(f"SELECT coalesce(max(id), 0) FROM {table}")).scalar_one()
    given = connection.execute(text("SELECT seq FROM sqlite_sequence WHERE name = :table"), {"table": table}).scalar()
    return max(int(highest), int(given or 0))


def _counts_in_sqlite(table: str) -> bool:
    """Whether this table's numbers are never given twice there."""
    return table in ("campaign", "document", "judge", "task", "account", "token", "webhook", "delivery", "chain")

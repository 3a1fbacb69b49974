"""What the small classes of queries share: a transaction's connection, which nobody else sees."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection

from lanner.store.links import driver_of


class Rows:
    """Queries about one kind of row, inside one transaction."""

    __slots__ = ("_connection",)

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def _reserve(self, table: str, count: int) -> Sequence[int]:
        """Ids for rows about to be added, when other rows must name them."""
        driver = driver_of(self._connection)
        if self._connection.dialect.name == "sqlite":  # safe: a writing transaction is alone
            last = driver.execute(_SQLITE_LAST.format(table=table)).fetchone()[0]
            return range(last + 1, last + 1 + count)
        return [number for (number,) in driver.execute(_POSTGRES_NEXT.format(table=table), (count,)).fetchall()]


_SQLITE_LAST = (
    "SELECT max((SELECT coalesce(max(id), 0) FROM {table}),"
    " (SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = '{table}'))"
)
_POSTGRES_NEXT = "SELECT nextval('{table}_id_seq') FROM generate_series(1, %s)"

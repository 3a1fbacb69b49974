"""Open connections, kept for the next transaction.

Taking a connection from SQLAlchemy's pool, beginning and committing by its means costs more than the work of a save.
So a connection stays with us between transactions, which are begun and ended on the driver.
"""

from __future__ import annotations

from collections import deque
from threading import BoundedSemaphore
from typing import Any

from sqlalchemy import Connection, Engine

from lanner.errors import StoreError


class Links:
    """Connections of one kind, for readers or for writers: at most `limit` at a time, the warmest first."""

    def __init__(self, engine: Engine, *, begin: str | None, limit: int, patience: float) -> None:
        self._engine = engine
        self._begin = begin
        self._idle: deque[Connection] = deque()
        self._free = BoundedSemaphore(limit)
        self._patience = patience

    def begin(self) -> Connection:
        """A connection in a new transaction. It must come back by `commit` or `roll_back`."""
        if not self._free.acquire(timeout=self._patience):
            raise StoreError("All connections to the database are in use.", next_step="Try again in a moment.")
        connection: Connection | None = None
        try:
            connection = self._idle.pop() if self._idle else self._engine.connect()
            if self._begin:
                driver_of(connection).execute(self._begin)
        except BaseException:
            if connection is not None:
                connection.close()
            self._free.release()
            raise
        return connection

    def commit(self, connection: Connection) -> None:
        """End the transaction; when this returns, what was written is on disk."""
        if connection.in_transaction():  # some statement went through SQLAlchemy, which began one in its own books
            connection.commit()
        else:
            driver_of(connection).commit()
        self._idle.append(connection)
        self._free.release()

    def roll_back(self, connection: Connection) -> None:
        """End the transaction without a trace, after whatever error."""
        try:
            if is_lost(connection):
                connection.close()
                return
            connection.rollback()  # SQLAlchemy's own books first: a commit that failed stays open in them
            driver_of(connection).rollback()
            self._idle.append(connection)
        except Exception:  # whatever is wrong with it, nobody gets it again
            connection.invalidate()
            connection.close()
        finally:
            self._free.release()

    def close(self) -> None:
        """Close those that nobody uses. The rest are closed when they come back to a store that is gone."""
        while self._idle:
            self._idle.pop().close()


def driver_of(connection: Connection) -> Any:
    """The driver's own connection under SQLAlchemy's."""
    return connection.connection.dbapi_connection


def is_lost(connection: Connection) -> bool:
    """Whether the database at the other end has gone away, which only PostgreSQL can."""
    return connection.invalidated or bool(getattr(driver_of(connection), "closed", False))

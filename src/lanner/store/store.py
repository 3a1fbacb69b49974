"""Rows on disk. Open a store, then read or write in transactions; what a transaction offers is all there is."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self, TypeVar

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as NoFreeConnection

from lanner.errors import StoreError
from lanner.store.accounts import Accounts, Sessions
from lanner.store.campaigns import Campaigns
from lanner.store.documents import Documents
from lanner.store.engine import connect, explain, inspect_file, locate
from lanner.store.events import Events
from lanner.store.judgements import Judgements
from lanner.store.judges import Judges
from lanner.store.memo import Memo
from lanner.store.migrations import applied, migrate, refuse_newer
from lanner.store.tasks import Tasks

T = TypeVar("T")
_ATTEMPTS = 5


class Transaction:
    """One transaction, by the nouns one can ask about. All of it happens, or nothing."""

    def __init__(self, connection: Connection) -> None:
        self.campaigns = Campaigns(connection)
        self.documents = Documents(connection)
        self.judges = Judges(connection)
        self.tasks = Tasks(connection)
        self.judgements = Judgements(connection)
        self.accounts = Accounts(connection)
        self.sessions = Sessions(connection)
        self.events = Events(connection)


class CollisionError(StoreError):
    """Two transactions wanted the same row at once. `Store.write` tries again by itself."""


class DisconnectedError(StoreError):
    """The database went away in the middle. Whether the work was done is not known, so only repeatable work repeats."""


class Store:
    """A database of campaigns: a SQLite file or a PostgreSQL database."""

    def __init__(self, engine: Engine, place: str) -> None:
        self.place = place
        self.facts = Memo()
        self._engine = engine
        self._writer = engine.execution_options(writes=True)
        reading = {} if self.kind == "sqlite" else {"isolation_level": "REPEATABLE READ"}
        self._reader = engine.execution_options(**reading)
        driver = engine.dialect.loaded_dbapi
        self._errors: tuple[type[Exception], ...] = (DBAPIError, NoFreeConnection, driver.Error)
        self._bugs: tuple[type[Exception], ...] = (driver.ProgrammingError, driver.NotSupportedError)
        self._collisions: tuple[type[Exception], ...] = (driver.IntegrityError,)
        if self.kind == "postgresql":
            self._collisions += (driver.errors.SerializationFailure, driver.errors.DeadlockDetected)

    @classmethod
    def open(cls, place: str | Path, *, create: bool = True) -> Self:
        """The store at a path or URL, brought up to date; a new one where there is none."""
        url = locate(place)
        shown = url.set(drivername="postgresql", query={}).render_as_string(hide_password=True)
        if url.get_backend_name() == "sqlite":
            shown = str(url.database)
            inspect_file(Path(shown), create=create)
        store = cls(connect(url), shown)
        try:
            store._bring_up_to_date()
        except BaseException:
            store.close()
            raise
        return store

    @property
    def kind(self) -> str:
        """`sqlite` or `postgresql`."""
        return self._engine.dialect.name

    def close(self) -> None:
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def reading(self) -> Iterator[Transaction]:
        """Read everything as of one moment."""
        with self._connected(self._reader) as connection:
            yield Transaction(connection)

    @contextmanager
    def writing(self) -> Iterator[Transaction]:
        """Write; what was written is on disk when the block has ended without an error."""
        with self._connected(self._writer) as connection:
            yield Transaction(connection)

    def write(self, work: Callable[[Transaction], T]) -> T:
        """Run work that may be repeated: again when another transaction got in between or the connection was lost."""
        for attempt in range(_ATTEMPTS):
            try:
                with self.writing() as transaction:
                    return work(transaction)
            except (CollisionError, DisconnectedError):
                if attempt == _ATTEMPTS - 1:
                    raise
                time.sleep(0.01 * 4**attempt)
        raise AssertionError("unreachable")

    def _bring_up_to_date(self) -> None:
        with self._connected(self._reader) as connection:
            number = applied(connection)
        refuse_newer(number, self.place)
        with self._connected(self._writer) as connection:
            migrate(connection, self.place, datetime.now(UTC))

    @contextmanager
    def _connected(self, engine: Engine) -> Iterator[Connection]:
        driver: Any = None
        try:
            with engine.connect() as connection, connection.begin():
                driver = connection.connection.dbapi_connection
                yield connection
        except self._errors as problem:
            if isinstance(_original(problem), self._bugs):
                raise
            raise self._explained(problem, driver) from problem

    def _explained(self, problem: Exception, driver: Any) -> StoreError:
        words = explain(_original(problem), self.place)
        if isinstance(_original(problem), self._collisions):
            return CollisionError(words.what, where=words.where)
        if getattr(driver, "closed", False):  # only PostgreSQL can go away
            self._engine.dispose()  # the other connections are as dead as this one
            return DisconnectedError(words.what, where=words.where, next_step="Check that the database is running.")
        return words


def _original(problem: Exception) -> BaseException:
    """What the driver said, under what SQLAlchemy made of it."""
    return problem.orig or problem if isinstance(problem, DBAPIError) else problem

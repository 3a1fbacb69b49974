"""Rows on disk. Open a store, then read or write in transactions; what a transaction offers is all there is."""

from __future__ import annotations

import os
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Any, Self, TypeVar

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from lanner.errors import StoreError, Where
from lanner.store.accounts import Accounts, Judges, Sessions, Tokens
from lanner.store.campaigns import Campaigns, Documents, Events
from lanner.store.engine import (
    BUSY_SECONDS,
    connect,
    explain,
    inspect_file,
    locate,
    postgresql_warnings,
    readers,
    sqlite_warnings,
)
from lanner.store.judgements import Chain, Judgements
from lanner.store.ledger import Ledger
from lanner.store.migrations import applied, is_last, migrate, refuse_newer
from lanner.store.rows import together
from lanner.store.tasks import Progress, Tasks
from lanner.store.webhooks import Webhooks

T = TypeVar("T")
_DAMAGED = "Keep the file for rescue, and restore the newest backup that `lanner verify BACKUP` finds whole."
_ATTEMPTS = 5


class Transaction:
    """One transaction, by the nouns one can ask about. All of it happens, or nothing."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.campaigns = Campaigns(connection)
        self.documents = Documents(connection)
        self.judges = Judges(connection)
        self.tasks = Tasks(connection)
        self.progress = Progress(connection)
        self.judgements = Judgements(connection)
        self.chain = Chain(connection)
        self.ledger = Ledger(connection)
        self.accounts = Accounts(connection)
        self.sessions = Sessions(connection)
        self.events = Events(connection)
        self.tokens = Tokens(connection)
        self.webhooks = Webhooks(connection)

    def together(self) -> AbstractContextManager[None]:
        """Send what is written within at once. Nothing may be read there."""
        return together(self._connection)


class Memo:
    """Keeps the most recently used entries. Keys are content hashes or ids that are never given twice."""

    def __init__(self, size: int = 1024) -> None:
        self._size = size
        self._kept: OrderedDict[Hashable, Any] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """What was kept under this key, else what `make` gives, kept from now on."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        value = make()
        with self._lock:
            self._kept[key] = value
            if len(self._kept) > self._size:
                self._kept.popitem(last=False)
        return value


class Turns:
    """Lets the threads of a process write one after the other, in the order in which they ask. SQLite itself lets one
    write at a time but keeps no order: who finds it busy looks again later, up to a tenth of a second later, and meets
    the next transaction of a thread that writes many. Saves waited for seconds then."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._queue: deque[Lock] = deque()  # whoever is first has theirs open

    @contextmanager
    def take(self, seconds: float) -> Iterator[None]:
        """Wait for one's turn, for so long at most."""
        mine = Lock()
        with self._lock:
            if self._queue:
                mine.acquire()
            self._queue.append(mine)
        try:
            if not mine.acquire(timeout=seconds):
                raise StoreError(
                    "Another part of the server is writing to the store and does not let go.",
                    next_step="Try again in a moment.",
                )
            yield
        finally:
            with self._lock:
                was_first = self._queue[0] is mine
                self._queue.remove(mine)
                if was_first and self._queue:
                    self._queue[0].release()


class CollisionError(StoreError):
    """Two transactions wanted the same row at once. `Store.write` tries again by itself."""


def _begin(connection: Connection, *, to_write: bool) -> None:
    """Begin a transaction. In SQLite a writer takes the lock at once: a reader that becomes a writer later can be
    refused however long it waits."""
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("BEGIN IMMEDIATE" if to_write else "BEGIN")


class DisconnectedError(StoreError):
    """The database went away in the middle. Whether the work was done is not known, so only repeatable work repeats."""


class Store:
    """A database of campaigns: a SQLite file or a PostgreSQL database."""

    def __init__(self, engine: Engine, place: str) -> None:
        self.place = place
        self.facts = Memo()
        self.damage = ""
        self._engine = engine
        self._file = Path(place) if engine.dialect.name == "sqlite" else None
        self._identity: tuple[int, int] | None = None
        self._readers = readers(engine)
        self._turns = Turns() if self._file is not None else None
        driver = engine.dialect.loaded_dbapi
        self._errors: tuple[type[Exception], ...] = (DBAPIError, driver.Error)
        self._bugs: tuple[type[Exception], ...] = (driver.ProgrammingError, driver.NotSupportedError)
        self._collisions: tuple[type[Exception], ...] = (driver.IntegrityError,)
        if self.kind == "postgresql":
            self._collisions += (driver.errors.SerializationFailure, driver.errors.DeadlockDetected)

    @classmethod
    def open(cls, place: str | Path, *, create: bool = True) -> Self:
        """The store at a path or URL, brought up to date; a new one where there is none."""
        url = locate(place)
        name = url.set(drivername="postgresql", query={}).render_as_string(hide_password=True)
        if url.get_backend_name() == "sqlite":
            name = str(url.database)
            inspect_file(Path(name), create=create)
        store = cls(connect(url), name)
        try:
            store._bring_up_to_date()
            store._identity = store._looked_up()
        except BaseException:
            store.close()
            raise
        return store

    @property
    def kind(self) -> str:
        """`sqlite` or `postgresql`."""
        return self._engine.dialect.name

    @property
    def address(self) -> str:
        """What another process opens the same store by; with its password, so not for showing."""
        return self._engine.url.render_as_string(hide_password=False)

    def close(self) -> None:
        """Close every connection, those in use as soon as their transaction ends. A store that is used again opens one
        for each transaction."""
        self._engine.pool.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def reading(self) -> Iterator[Transaction]:
        """Read everything as of one moment."""
        with self._in_transaction(to_write=False) as connection:
            yield Transaction(connection)

    @contextmanager
    def writing(self) -> Iterator[Transaction]:
        """Write; what was written is on disk when the block has ended without an error."""
        with self._in_transaction(to_write=True) as connection:
            yield Transaction(connection)

    @contextmanager
    def deleting(self) -> Iterator[Transaction]:
        """Write as above, but do not let SQLite look, for every row that goes, whether another row refers to it: it has
        no index for that and would read all judgements of all campaigns for each, while saves wait. Whoever uses this
        deletes what refers to those rows, too."""
        with self._in_transaction(to_write=True, checked=False) as connection:
            yield Transaction(connection)

    def write(self, work: Callable[[Transaction], T]) -> T:
        """Run work that may be repeated: again when another transaction got in between or the connection was lost."""
        for attempt in range(_ATTEMPTS):
            try:
                with self._in_transaction(to_write=True) as connection:
                    return work(Transaction(connection))
            except (CollisionError, DisconnectedError):
                if attempt == _ATTEMPTS - 1:
                    raise
                time.sleep(0.01 * 4**attempt)
        raise AssertionError("unreachable")

    @contextmanager
    def snapshot(self) -> Iterator[Connection]:
        """A connection that sees everything as of one moment, for copies and checks of the store."""
        with self._in_transaction(to_write=False) as connection:
            yield connection

    @contextmanager
    def filling(self) -> Iterator[Connection]:
        """A connection to write whole tables by, for the store's own use."""
        with self._in_transaction(to_write=True) as connection:
            yield connection

    def _bring_up_to_date(self) -> None:
        with self._in_transaction(to_write=False) as connection:
            number = applied(connection)
        refuse_newer(number, self.place)
        if is_last(number) and self._is_writable():
            return  # a helper process of low priority that took the lock to find nothing to do would hold up saves
        with self._in_transaction(to_write=True) as connection:
            migrate(connection, self.place, datetime.now(UTC))

    def _is_writable(self) -> bool:
        return self._file is None or all(os.access(place, os.W_OK) for place in (self._file, self._file.parent))

    @contextmanager
    def _unchecked(self) -> Iterator[Connection]:
        with self._engine.connect() as connection:
            driver: Any = connection.connection.dbapi_connection
            driver.execute("PRAGMA foreign_keys = OFF")  # cannot be said inside a transaction
            try:
                with connection.begin():
                    yield connection
            finally:
                driver.execute("PRAGMA foreign_keys = ON")

    @contextmanager
    def _in_transaction(self, *, to_write: bool, checked: bool = True) -> Iterator[Connection]:
        if self.damage and to_write:
            raise StoreError(self.damage, where=Where(file=self.place), next_step=_DAMAGED)
        turn = self._turns.take(BUSY_SECONDS) if self._turns is not None and to_write else nullcontext()
        is_sqlite = self._file is not None
        begun = (self._engine if to_write else self._readers).begin() if checked or not is_sqlite else self._unchecked()
        try:
            with turn, begun as connection:
                _begin(connection, to_write=to_write)
                yield connection
                self._refuse_another_file()
        except PoolTimeoutError as problem:
            words = "All connections to the database are in use."
            raise StoreError(words, next_step="Try again in a moment.") from problem
        except self._errors as problem:
            if isinstance(_original(problem), self._bugs):
                raise
            lost = isinstance(problem, DBAPIError) and problem.connection_invalidated
            raise self._explained(problem, lost=lost) from problem

    def _looked_up(self) -> tuple[int, int] | None:
        """Which file the store is, whatever its name; None where it is gone or there is none."""
        try:
            file_state = self._file.stat() if self._file is not None else None
        except OSError:
            return None
        return (file_state.st_dev, file_state.st_ino) if file_state else None

    def _refuse_another_file(self) -> None:
        """What is written to a file that has been deleted or replaced goes nowhere: say so instead of yes."""
        if self._identity is not None and self._looked_up() != self._identity:
            raise StoreError(
                "The store's file was deleted or replaced while it was in use, so nothing is saved.",
                where=Where(file=self.place),
                next_step="Stop the server, put the file back, and start it again.",
            )

    def durability(self) -> list[str]:
        """Why an acknowledged answer might not outlive a crash, in words; nothing, as a rule."""
        with self._in_transaction(to_write=False) as connection:
            if self._file is not None:
                return sqlite_warnings(connection, self._file)
            return postgresql_warnings(connection)

    def check_pages(self) -> str:
        """A quick look at every page of a SQLite file. What is wrong, in words; from then on nothing is written."""
        if self._file is None:
            return ""
        with self._in_transaction(to_write=False) as connection:
            answer = str(connection.exec_driver_sql("PRAGMA quick_check(1)").scalar())
        if answer != "ok":
            self.damage = f"The store is damaged, so nothing is saved: {answer}"
        return self.damage

    def _explained(self, problem: Exception, *, lost: bool) -> StoreError:
        words = explain(_original(problem), self.place)
        if self.kind == "sqlite" and "malformed" in str(_original(problem)):
            self.damage = words.what
        if isinstance(_original(problem), self._collisions):
            return CollisionError(words.what, where=words.where)
        if lost:  # only PostgreSQL can go away; SQLAlchemy makes its other connections anew, too
            return DisconnectedError(words.what, where=words.where, next_step="Check that the database is running.")
        return words


def _original(problem: Exception) -> BaseException:
    """What the driver said, under what SQLAlchemy made of it."""
    return problem.orig or problem if isinstance(problem, DBAPIError) else problem

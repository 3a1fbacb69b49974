"""Open a store, and read or write it in transactions.

Also here: which database a name means, how SQLite and PostgreSQL are set up, and their errors in words.
"""

from __future__ import annotations

import os
import re
import sqlite3
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from threading import Lock
from typing import Any, Self, TypeVar
from urllib.parse import quote

from sqlalchemy import URL, Connection, Engine, create_engine, event, func, inspect, make_url, select, text
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.pool import ConnectionPoolEntry, QueuePool

from lanner.errors import MissingExtraError, StoreError, Where, missing_store
from lanner.store import migrations
from lanner.store.accounts import Accounts, Sessions, Tokens
from lanner.store.campaigns import Campaigns, Documents, Events, Judges, Webhooks
from lanner.store.judgements import Chain, Judgements, link_hash
from lanner.store.ledger import Ledger
from lanner.store.progress import Progress
from lanner.store.rows import driver_of, now
from lanner.store.schema import migration
from lanner.store.tasks import Tasks

T = TypeVar("T")
_DAMAGED = "Keep the file for rescue, and restore the newest backup that `lanner verify BACKUP` finds whole."
_ATTEMPTS = 5
BUSY_SECONDS = 10
"""How long a save waits for another process that is writing to the same SQLite file, or for a free connection."""
CONNECTIONS = 32


class Transaction:
    """One transaction: the queries for each kind of row. All of it happens, or nothing. `cache` is the store's, for
    what never changes once read."""

    def __init__(self, connection: Connection, cache: RecentCache) -> None:
        self.connection = connection  # for the store's own use
        self.cache = cache
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

    @property
    def is_alone(self) -> bool:
        """Whether nobody else writes until this ends: SQLite admits one writer at a time, PostgreSQL many."""
        return self.connection.dialect.name == "sqlite"

    def together(self) -> AbstractContextManager[None]:
        """Send what is written within to PostgreSQL at once, with one wait for all of it. Nothing may be read there."""
        return nullcontext() if self.is_alone else driver_of(self.connection).pipeline()


class RecentCache:
    """Keeps the most recently used entries. Keys are content hashes or ids that are never given twice."""

    def __init__(self, size: int = 1024) -> None:
        self._size = size
        self._kept: OrderedDict[Hashable, Any] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """The value cached under this key, else what `make` returns, which is cached from now on."""
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


class WriteQueue:
    """Let the threads of a process write one after the other, in the order in which they ask. SQLite itself admits one
    writer at a time but keeps no order: a thread that finds it busy tries again up to a tenth of a second later and may
    meet the next transaction of a thread that writes many. Saves then waited for seconds."""

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


class DisconnectedError(StoreError):
    """The database went away in the middle. Whether the work was done is not known, so only repeatable work repeats."""


class Store:
    """A database of campaigns: a SQLite file or a PostgreSQL database."""

    def __init__(self, engine: Engine, place: str) -> None:
        self.place = place
        self.cache = RecentCache()
        self.damage = ""
        self._engine = engine
        self._file = Path(place) if engine.dialect.name == "sqlite" else None
        self._identity: tuple[int, int] | None = None
        self._readers = readers(engine)
        self._turns = WriteQueue() if self._file is not None else None
        driver = engine.dialect.loaded_dbapi
        self._driver_error: type[Exception] = driver.Error
        self._bugs: tuple[type[Exception], ...] = (driver.ProgrammingError, driver.NotSupportedError)
        self._collisions: tuple[type[Exception], ...] = (driver.IntegrityError,)
        if self.kind == "postgresql":
            self._collisions += (driver.errors.SerializationFailure, driver.errors.DeadlockDetected)

    @classmethod
    def open(cls, place: str | Path, *, create: bool = True) -> Self:
        """Open the store at a path or URL and bring it up to date. With `create`, make a new one where there is none;
        without it, a file that may not be written to can be read."""
        url = locate(place)
        name = url.set(drivername="postgresql", query={}).render_as_string(hide_password=True)
        if url.get_backend_name() == "sqlite":
            name = str(url.database)
            inspect_file(Path(name), create=create)
            if not create and not _is_writable(Path(name)):
                url = URL.create("sqlite", database=read_only(Path(name)), query={"uri": "true"})
        store = cls(connect(url), name)
        try:
            store._bring_up_to_date()
            store._identity = store._identify_file()
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
        url = self._engine.url if self._file is None else locate(self._file)
        return url.render_as_string(hide_password=False)

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
            yield Transaction(connection, self.cache)

    @contextmanager
    def writing(self) -> Iterator[Transaction]:
        """Write; what was written is on disk when the block has ended without an error."""
        with self._in_transaction(to_write=True) as connection:
            yield Transaction(connection, self.cache)

    @contextmanager
    def deleting(self) -> Iterator[Transaction]:
        """Write without SQLite's check of foreign keys. It has no index for that check and would read all judgements of
        all campaigns for each deleted row, while saves wait. The caller deletes what refers to those rows, too."""
        with self._in_transaction(to_write=True, checked=False) as connection:
            yield Transaction(connection, self.cache)

    def write(self, work: Callable[[Transaction], T]) -> T:
        """Run work that may be repeated; repeat it when another transaction got in between or the connection was
        lost."""
        for attempt in range(_ATTEMPTS):
            try:
                with self._in_transaction(to_write=True) as connection:
                    return work(Transaction(connection, self.cache))
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
            number = last_step(connection, self.place)
        is_read_only = bool(self._engine.url.query)
        if number == len(migrations.STEPS) and (is_read_only or self._file is None or _is_writable(self._file)):
            return  # a helper process of low priority that took the lock to find nothing to do would hold up saves
        with self._in_transaction(to_write=True) as connection:
            if self.kind == "postgresql":  # several servers may start at once
                connection.execute(_MIGRATION_LOCK)
            migrations.migrate(connection, last_step(connection, self.place), now())

    @contextmanager
    def _in_transaction(self, *, to_write: bool, checked: bool = True) -> Iterator[Connection]:
        if self.damage and to_write:
            raise StoreError(self.damage, where=Where(file=self.place), next_step=_DAMAGED)
        turn = self._turns.take(BUSY_SECONDS) if self._turns is not None and to_write else nullcontext()
        is_sqlite = self._file is not None
        try:
            with turn, (self._engine if to_write else self._readers).connect() as connection:
                driver = driver_of(connection)
                if is_sqlite and not checked:
                    driver.execute("PRAGMA foreign_keys = OFF")  # cannot be said inside a transaction
                try:
                    with connection.begin():
                        if is_sqlite:  # a reader that becomes a writer later can be refused however long it waits
                            driver.execute("BEGIN IMMEDIATE" if to_write else "BEGIN")
                        yield connection
                        self._refuse_another_file()
                finally:
                    if is_sqlite and not checked:
                        driver.execute("PRAGMA foreign_keys = ON")
        except PoolTimeoutError as problem:
            words = "All connections to the database are in use."
            raise StoreError(words, next_step="Try again in a moment.") from problem
        except (DBAPIError, self._driver_error) as problem:
            original = _original(problem)
            if isinstance(original, self._bugs) or not isinstance(original, self._driver_error):
                raise  # what another store's database says inside of this transaction is explained by that store
            lost = isinstance(problem, DBAPIError) and problem.connection_invalidated
            raise self._explain(problem, lost=lost) from problem

    def _identify_file(self) -> tuple[int, int] | None:
        """Device and inode of the store's file, whatever its name; None where it is gone or there is none."""
        try:
            file_state = self._file.stat() if self._file is not None else None
        except OSError:
            return None
        return (file_state.st_dev, file_state.st_ino) if file_state else None

    def _refuse_another_file(self) -> None:
        """Refuse to go on where the file was deleted or replaced: what is written to it would be lost."""
        if self._identity is not None and self._identify_file() != self._identity:
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
        """Check every page of a SQLite file quickly. Return what is wrong, in words; then nothing is written any
        more."""
        if self._file is None:
            return ""
        with self._in_transaction(to_write=False) as connection:
            answer = str(connection.exec_driver_sql("PRAGMA quick_check(1)").scalar())
        if answer != "ok":
            self.damage = f"The store is damaged, so nothing is saved: {answer}"
        return self.damage

    def _explain(self, problem: Exception, *, lost: bool) -> StoreError:
        words = explain(_original(problem), self.place)
        if self.kind == "sqlite" and "malformed" in str(_original(problem)):
            self.damage = words.what
        if isinstance(_original(problem), self._collisions):
            again = "Somebody else was changing the same at this moment. Try again."
            return CollisionError(words.what, where=words.where, next_step=again)
        if lost:  # only PostgreSQL can go away; SQLAlchemy makes its other connections anew, too
            return DisconnectedError(words.what, where=words.where, next_step="Check that the database is running.")
        return words


def _original(problem: Exception) -> BaseException:
    """The driver's own error inside SQLAlchemy's."""
    return problem.orig or problem if isinstance(problem, DBAPIError) else problem


# Opening and connecting.


_MIGRATION_LOCK = text(f"SELECT pg_advisory_xact_lock({0x1A22E2})")  # any number


def last_step(connection: Connection, place: str) -> int:
    """The number of the last step this database has had, 0 for an empty one; that of a newer Lanner is refused."""
    if not inspect(connection).has_table(migration.name):
        return 0
    number = int(connection.execute(select(func.max(migration.c.number))).scalar() or 0)
    _refuse_newer(number, place)
    return number


def _refuse_newer(number: int, place: str) -> None:
    """Refuse a database that a later version of Lanner has changed: we do not know what its rows mean."""
    if number > (known := len(migrations.STEPS)):
        raise StoreError(
            f"{place} was written by a newer version of Lanner (step {number}; this one knows {known}).",
            next_step="Nothing was changed. Use the newer version: pip install --upgrade lanner",
        )


def locate(place: str | Path) -> URL:
    """The database that a path or URL means."""
    if isinstance(place, Path) or "://" not in place:
        return URL.create("sqlite", database=str(Path(place).expanduser().absolute()))
    try:
        url = make_url(place)
    except (ArgumentError, ValueError):
        raise _no_address(place) from None
    kind = url.get_backend_name()
    if kind == "sqlite" and url.database:
        return locate(Path(url.database))
    if kind in ("postgresql", "postgres"):
        return url.set(drivername="postgresql+psycopg")
    raise StoreError(f"Lanner does not know databases of the kind {kind!r}.", next_step=_ADDRESSES)


def _no_address(what: str) -> StoreError:
    what = re.sub(r":[^:/@]*@", ":***@", what)  # a password
    return StoreError(f"{what!r} is not the address of a database.", code="bad_address", next_step=_ADDRESSES)


_ADDRESSES = "Give the path of a SQLite file, or postgresql://user:password@host/database."


class _Pool(QueuePool):
    """A pool that keeps nothing once it is disposed of: a connection that a thread still uses is closed when it is
    returned. SQLAlchemy's own pool would keep it open until the garbage collector finds it."""

    _disposed = False

    def dispose(self) -> None:
        self._disposed = True
        super().dispose()

    def _do_return_conn(self, record: ConnectionPoolEntry) -> None:
        super()._do_return_conn(record)
        if self._disposed:  # looked at last: whichever thread comes second empties the pool
            super().dispose()


def connect(url: URL) -> Engine:
    """An engine with SQLAlchemy's own pool: at most `CONNECTIONS` at a time, the warmest first."""
    options: dict[str, Any] = {
        "poolclass": _Pool,
        "pool_size": CONNECTIONS,
        "max_overflow": 0,
        "pool_timeout": BUSY_SECONDS,
        "pool_use_lifo": True,
    }
    if url.get_backend_name() == "sqlite":
        return _sqlite(url, options)
    try:
        return _postgresql(url, options)
    except ModuleNotFoundError:
        raise MissingExtraError("A PostgreSQL database", "postgres") from None


def _sqlite(url: URL, options: Mapping[str, Any]) -> Engine:
    arguments = {"timeout": BUSY_SECONDS, "check_same_thread": False}
    engine = create_engine(url, connect_args=arguments, **options)

    @event.listens_for(engine, "connect")
    def _set_up(driver: sqlite3.Connection, _record: Any) -> None:
        driver.isolation_level = None  # the store begins transactions; the driver does not guess when
        driver.create_function("link_hash", 2, link_hash, deterministic=True)
        driver.execute("PRAGMA synchronous = FULL")
        driver.execute("PRAGMA foreign_keys = ON")
        if not url.query:  # of a file that can only be read
            driver.execute("PRAGMA journal_mode = WAL")

    return engine


def _postgresql(url: URL, options: Mapping[str, Any]) -> Engine:
    engine = create_engine(url, **options)

    @event.listens_for(engine, "do_connect")
    def _connect(dialect: Any, _record: Any, arguments: Any, named: Any) -> Any:
        try:
            return dialect.connect(*arguments, **named)
        except dialect.loaded_dbapi.ProgrammingError as problem:  # an option behind the question mark
            raise _no_address(f"?{url.set(password=None).render_as_string().partition('?')[2]}") from problem

    @event.listens_for(engine, "connect")
    def _set_up(driver: Any, _record: Any) -> None:
        """Whatever the server does for others, what Lanner commits is on disk before it says so."""
        if driver.execute("SHOW synchronous_commit").fetchone()[0] == "off":
            driver.execute("SET synchronous_commit = on")
        driver.commit()

    return engine


def readers(engine: Engine) -> Engine:
    """Connections that see everything as of one moment."""
    return engine if engine.dialect.name == "sqlite" else engine.execution_options(isolation_level="REPEATABLE READ")


def inspect_file(path: Path, *, create: bool) -> None:
    """Refuse a file that is not ours or is newer than we are, before anything could write to it."""
    where = Where(file=path)
    if path.is_dir():
        raise StoreError("This is a folder.", code="bad_store", where=where, next_step="Give the path of a file.")
    if not path.exists() or path.stat().st_size == 0:
        if not create:
            raise missing_store(path)
        if not path.parent.is_dir():
            raise StoreError(
                "The folder does not exist.",
                code="unknown_folder",
                where=where,
                next_step=f"Make it: mkdir -p {path.parent}",
            )
        with suppress(OSError):  # what cannot be made here is said when it is opened
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))  # answers and names of people are nobody else's
        return
    try:
        driver = sqlite3.connect(read_only(path), uri=True, timeout=BUSY_SECONDS)
        try:
            tables = {name for (name,) in driver.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            known = migration.name in tables
            number = driver.execute(f"SELECT max(number) FROM {migration.name}").fetchone()[0] if known else 0
        finally:
            driver.close()
    except sqlite3.Error as problem:
        raise explain(problem, str(path)) from problem
    if tables and not known:
        raise StoreError("This is a SQLite file of some other program.", where=where, next_step="Give another path.")
    _refuse_newer(number or 0, str(path))


def read_only(path: Path) -> str:
    """The address by which SQLite reads a file without leaving a trace. Where there is a journal, of a server that runs
    or has crashed, it is read, too."""
    journal = Path(f"{path}-wal")
    has_journal = journal.exists() and (journal.stat().st_size or os.access(path.parent, os.W_OK))
    return f"file:{quote(str(path.absolute()))}?mode={'ro' if has_journal else 'ro&immutable=1'}"


def _is_writable(path: Path) -> bool:
    return all(os.access(place, os.W_OK) for place in (path, path.parent))


def explain(problem: BaseException, place: str) -> StoreError:
    """A driver's error as a sentence, with what to do next."""
    words = str(problem).strip()
    lower_case = words.lower()
    for sign, what, next_step in _SIGNS:
        if sign in lower_case:
            return StoreError(f"{what} ({words.splitlines()[0]})", where=Where(file=place), next_step=next_step)
    return StoreError(f"The database refused: {words or type(problem).__name__}", where=Where(file=place))


_SIGNS = (
    ("database is locked", "Another program is writing to the store and does not let go.", "Try again in a moment."),
    ("disk is full", "The disk is full, so nothing was saved.", "Make room, then try again."),
    ("no space left", "The disk is full, so nothing was saved.", "Make room, then try again."),
    ("disk i/o error", "The disk does not take what is written.", "Check the disk and the room on it."),
    ("readonly", "The store cannot be written to.", "Check who owns the file and its folder, or use a copy."),
    (
        "unable to open",
        "The store cannot be opened.",
        "Check that the folder exists and may be written to. To only read it, copy it first, with any -wal beside it.",
    ),
    ("file is not a database", "This is not a store, or it is damaged.", "Give another path, or restore a backup."),
    ("malformed", "The store is damaged.", "Restore a backup; keep the damaged file for rescue."),
    ("connection refused", "PostgreSQL does not answer.", "Check that it runs and that the address is right."),
    ("password authentication failed", "PostgreSQL does not know this user or password.", "Check the address."),
    ("does not exist", "PostgreSQL has no such database or user.", "Create it: createdb NAME"),
)


# Whether what is committed outlives a crash of the machine. Lanner asks for that at every commit; a database that was
# set up otherwise, or a file system that says yes too early, breaks the promise without anybody noticing. So it is
# said.

NETWORK_FILE_SYSTEMS = frozenset(
    {"nfs", "nfs4", "cifs", "smb2", "smb3", "smbfs", "afs", "ncpfs", "9p", "ceph", "glusterfs", "lustre", "gpfs"}
    | {"beegfs", "davfs", "webdav", "fuse.sshfs", "fuse.s3fs", "fuse.glusterfs", "fuse.rclone", "fuse.gcsfuse"}
)
_MOUNTS = Path("/proc/self/mounts")
_NEEDED = {
    "fsync": "a crash of its machine loses answers that were acknowledged, or damages the database",
    "full_page_writes": "a crash of its machine may damage the database",
    "synchronous_commit": "answers that were acknowledged are lost when it is killed",
}


def postgresql_warnings(connection: Connection) -> list[str]:
    """Warn of settings of the server with which a committed answer may be lost."""
    warnings = []
    for name, harm in _NEEDED.items():
        if str(connection.exec_driver_sql(f"SHOW {name}").scalar_one()) == "off":
            warnings.append(f"PostgreSQL runs with {name} = off: {harm}. Set {name} = on in postgresql.conf.")
    return warnings


def sqlite_warnings(connection: Connection, path: Path, mounts: Iterable[tuple[str, str]] | None = None) -> list[str]:
    """Warn of a file system or a setting with which a committed answer may be lost."""
    warnings = []
    kind = file_system_of(path, read_mounts() if mounts is None else mounts)
    if kind in NETWORK_FILE_SYSTEMS:
        warnings.append(
            f"{path.name} lies on a network file system ({kind}), where SQLite's locks and writes cannot be relied on. "
            "Keep the store on a local disk, or use PostgreSQL."
        )
    if (level := int(connection.exec_driver_sql("PRAGMA synchronous").scalar_one())) < 2:
        warnings.append(f"SQLite writes with synchronous = {level}: acknowledged answers are lost in a power cut.")
    return warnings


def read_mounts() -> list[tuple[str, str]]:
    """Every mounted folder with the kind of its file system; nothing where the system does not say (not Linux)."""
    try:
        lines = _MOUNTS.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
    fields = [line.split() for line in lines]
    # blanks in names are written as octal numbers
    return [(parts[1].replace("\\040", " "), parts[2]) for parts in fields if len(parts) > 2]


def file_system_of(path: Path, mounts: Iterable[tuple[str, str]]) -> str:
    """The kind of file system a file lies on: of the deepest mounted folder above it, the one mounted last."""
    place = path.resolve()
    kind, depth = "", -1
    for folder, name in mounts:
        parts = len(Path(folder).parts)
        if place.is_relative_to(folder) and parts >= depth:
            kind, depth = name, parts
    return kind

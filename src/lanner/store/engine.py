"""Connecting: which database a name means, how SQLite and PostgreSQL are set up, and errors in words."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError
from sqlalchemy.pool import ConnectionPoolEntry, QueuePool

from lanner.errors import MissingExtraError, StoreError, Where, missing_store
from lanner.store.migrations import refuse_newer
from lanner.store.schema import migration

BUSY_SECONDS = 10
"""How long a save waits for another process that is writing to the same SQLite file, or for a free connection."""
CONNECTIONS = 32


def locate(place: str | Path) -> URL:
    """The database that a path or URL means."""
    if isinstance(place, Path) or "://" not in place:
        return URL.create("sqlite", database=str(Path(place).expanduser().absolute()))
    try:
        url = make_url(place)
    except ArgumentError:
        raise StoreError(f"{place!r} is not the address of a database.", next_step=_ADDRESSES) from None
    kind = url.get_backend_name()
    if kind == "sqlite" and url.database:
        return locate(Path(url.database))
    if kind in ("postgresql", "postgres"):
        return url.set(drivername="postgresql+psycopg")
    raise StoreError(f"Lanner does not know databases of the kind {kind!r}.", next_step=_ADDRESSES)


_ADDRESSES = "Give the path of a SQLite file, or postgresql://user:password@host/database."


class _Pool(QueuePool):
    """Once disposed of, it keeps nothing: what a thread had borrowed meanwhile is closed when it is given back.
    SQLAlchemy's own pool would keep it open until the garbage collector finds it."""

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
        driver.isolation_level = None  # `begin` begins transactions; the driver does not guess when
        for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
            driver.execute(f"PRAGMA {pragma}")

    return engine


def _postgresql(url: URL, options: Mapping[str, Any]) -> Engine:
    engine = create_engine(url, **options)

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
        # A journal left by a crash can only be read by a connection that may write; otherwise leave no trace at all.
        journal = Path(f"{path}-wal")
        mode = "ro" if journal.exists() and journal.stat().st_size else "ro&immutable=1"
        driver = sqlite3.connect(f"file:{quote(str(path))}?mode={mode}", uri=True, timeout=BUSY_SECONDS)
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
    refuse_newer(number or 0, str(path))


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
    ("readonly", "The store cannot be written to.", "Check who owns the file and its folder."),
    ("unable to open", "The store cannot be opened.", "Check that the folder exists and may be written to."),
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
    """What the server was set up to do that breaks the promise, as its own settings say."""
    warnings = []
    for name, harm in _NEEDED.items():
        if str(connection.exec_driver_sql(f"SHOW {name}").scalar_one()) == "off":
            warnings.append(f"PostgreSQL runs with {name} = off: {harm}. Set {name} = on in postgresql.conf.")
    return warnings


def sqlite_warnings(connection: Connection, path: Path, mounts: Iterable[tuple[str, str]] | None = None) -> list[str]:
    """Where the file lies, and how it is written."""
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

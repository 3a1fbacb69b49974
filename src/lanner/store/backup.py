"""Copies of a whole store, made while it is in use, and the way back.

A copy is always one SQLite file, of whichever database it was made: it can be looked into with any tool, opened by
Lanner as it is, and restored into either kind of database. It holds everything as of one moment, except who was signed
in. It gets its name only after it has been read back and found the same as the store, so a file with that name is a
good copy.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import Connection, create_engine
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from lanner.errors import StoreError, Where
from lanner.store.checks import PAGES, Finding, findings
from lanner.store.engine import explain, inspect_file
from lanner.store.store import Store
from lanner.store.transfer import Content, contents, copy_rows
from lanner.store.webhooks import SEALED

_NAME = "lanner-{:%Y%m%dT%H%M%SZ}.sqlite"
_PATTERN = "lanner-*T*Z.sqlite"


@dataclass(frozen=True, slots=True)
class Copy:
    """A copy that was made and read back: where it is, what each table holds, and what was wrong with the store
    already (nothing, as a rule)."""

    path: Path
    contents: Mapping[str, Content]
    problems: tuple[str, ...] = ()

    @property
    def rows(self) -> int:
        return sum(content.rows for content in self.contents.values())


def backup(store: Store, path: Path) -> Copy:
    """Copy everything as of one moment into a new file, while others go on saving; read it back before it counts."""
    if path.exists():
        raise StoreError(
            "There is a file already.", code="file_taken", where=Where(file=path), next_step="Give another name."
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished_path = path.with_name(f".{path.name}.unfinished-{os.getpid()}")
    try:
        os.close(os.open(unfinished_path, os.O_CREAT | os.O_WRONLY | os.O_EXCL, 0o600))
        with store.snapshot() as source:
            before = contents(source)
            _copy(source, unfinished_path)
        with _reading(unfinished_path) as target_connection:
            problems = _told(findings(target_connection), path)
            if contents(target_connection) != before:
                raise StoreError("The copy is not the same as the store.", where=Where(file=path), next_step=_AGAIN)
        _settle(unfinished_path, path)
    except (OSError, sqlite3.Error) as problem:
        raise explain(problem, str(path)) from problem
    finally:
        unfinished_path.unlink(missing_ok=True)
    return Copy(path, before, problems)


_AGAIN = "Nothing was kept. Try again; if it stays, check the disk and run: lanner verify"


def restore(copy: Path, place: str | Path) -> Copy:
    """Fill a new store from a copy. A store that holds anything is left alone."""
    if not copy.is_file():
        raise StoreError("There is no such copy.", where=Where(file=copy), next_step="lanner backup makes one.")
    with tempfile.TemporaryDirectory(prefix="lanner-restore-") as folder:
        fresh = Path(folder) / "copy.sqlite"
        shutil.copyfile(copy, fresh)  # a copy of an older version is brought up to date beside itself
        with Store.open(fresh, create=False) as source, Store.open(place) as target:
            problems = _told(verify(source), copy)
            return Copy(copy, _fill(source, target, copy), problems)


def _fill(source: Store, target: Store, copy: Path) -> Mapping[str, Content]:
    with source.snapshot() as read, target.filling() as target_connection:
        if any(content.rows for content in contents(target_connection).values()):
            raise StoreError(
                "This store is not empty, so nothing was restored.",
                code="store_taken",
                where=Where(file=target.place),
                next_step="Name a new SQLite file or an empty PostgreSQL database with --store.",
            )
        copy_rows(read, target_connection)
        before = contents(read)
        if contents(target_connection) != before:
            raise StoreError("What was restored is not what the copy holds.", where=Where(file=copy), next_step=_AGAIN)
        return before


def verify(store: Store, expected_hash: str | None = None) -> list[Finding]:
    """Every check of a store in use, and whether a hash that was published is in one of its chains."""
    with store.snapshot() as connection:
        return list(findings(connection, expected_hash))


def verify_file(path: Path, expected_hash: str | None = None) -> list[Finding]:
    """Every check of a SQLite file, without changing a byte of it."""
    inspect_file(path, create=False)
    try:
        with _reading(path) as connection:
            return list(findings(connection, expected_hash))
    except (sqlite3.Error, DBAPIError) as problem:
        raise explain(problem, str(path)) from problem


def name_at(moment: datetime) -> str:
    """What a copy of this moment is called."""
    return _NAME.format(moment.astimezone(UTC))


def copies(folder: Path) -> list[Path]:
    """The copies in a folder, the oldest first."""
    return sorted(folder.glob(_PATTERN))


def prune(folder: Path, keep: int) -> list[Path]:
    """Delete all but the newest copies; which ones went."""
    old_copies = copies(folder)[:-keep] if keep else []
    for path in old_copies:
        path.unlink()
    return old_copies


def _copy(source: Connection, path: Path) -> None:
    """All rows into a new file: page by page where the source is SQLite too, else row by row."""
    if source.dialect.name == "sqlite":
        with closing(sqlite3.connect(path.absolute())) as file:  # a name that begins with file: is no URL
            driver: Any = source.connection.dbapi_connection
            driver.backup(file)  # inside the transaction that is open: as of that moment
            file.execute("PRAGMA journal_mode = DELETE")  # one file, that can be read where nothing may be written
            file.execute("DELETE FROM session")
            file.execute("UPDATE webhook SET secret = '' WHERE secret NOT LIKE ?", (f"{SEALED}%",))
            file.commit()
            file.execute("VACUUM")  # what was erased is not in the file either
        return
    with Store.open(path) as target, target.filling() as target_connection:
        copy_rows(source, target_connection)
    with closing(sqlite3.connect(path.absolute())) as plain:
        plain.execute("PRAGMA journal_mode = DELETE")


@contextmanager
def _reading(path: Path) -> Iterator[Connection]:
    """A file as it is, without the right to change it."""
    address = f"file:{quote(str(path.absolute()))}?mode=ro"
    engine = create_engine("sqlite://", creator=lambda: sqlite3.connect(address, uri=True), poolclass=NullPool)
    with engine.connect() as connection:
        yield connection
    engine.dispose()


def _told(found: Iterable[Finding], path: Path) -> tuple[str, ...]:
    """What is wrong with the rows; a file whose pages are damaged is refused."""
    told = []
    for finding in found:
        if finding.problems and finding.check == PAGES:
            raise StoreError(
                f"The copy is damaged: {finding.problems[0]}.", where=Where(file=path), next_step="Use another copy."
            )
        told += [f"{finding.check}: {problem}" for problem in finding.problems]
    return tuple(told)


def _settle(unfinished_path: Path, path: Path) -> None:
    """Give a finished file its name, and let the disk have both."""
    with unfinished_path.open("rb+") as file:
        os.fsync(file.fileno())
    unfinished_path.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)

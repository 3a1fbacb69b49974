"""Who is at work on what: documents among the workers of one PostgreSQL, model judges among runs.

A claim lasts as long as the connection or the open file that made it: a process that dies gives up its claims by dying,
so none is ever stale. One that was only believed dead (its line to the others is cut, its line to the database is not)
keeps them, so that nobody asks the same questions a second time.
"""

from __future__ import annotations

import importlib
import os
import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from lanner.errors import StoreError
from lanner.store.store import Store, connect, explain, locate

# A machine that lost its power says no goodbye: the database looks for it after half a minute, not after two hours.
_SET_UP = ("SET tcp_keepalives_idle = 30", "SET tcp_keepalives_interval = 10", "SET tcp_keepalives_count = 3")
_RELEASE = text("SELECT pg_advisory_unlock_all()")  # at once: the database notices a closed connection only later
_CLAIM_JUDGE = text(
    "SELECT pg_try_advisory_lock("
    "hashtextextended(current_schema() || ' lanner-run-of-judge ' || CAST(:judge AS text), 0))"
)
_CLAIM = text(
    "SELECT key FROM unnest(CAST(:keys AS text[])) AS key WHERE pg_try_advisory_lock("
    "hashtextextended(current_schema() || ' lanner judge ' || CAST(:campaign AS text) || ' ' || key, 0))"
)


def refuse_unshared(store: Store) -> None:
    """A SQLite file belongs to one machine, so others cannot work on it."""
    if store.kind != "postgresql":
        raise StoreError(
            f"{store.place} is a SQLite file, which other machines cannot share.",
            next_step="Move it to PostgreSQL: lanner backup, then lanner restore --store postgresql://…",
        )


@contextmanager
def running_judges(store: Store, judges: Mapping[str, int]) -> Iterator[None]:
    """Claim these judges, named with their numbers, for one run; refused while another run has one of them."""
    with ExitStack() as stack:
        for name, number in sorted(judges.items(), key=lambda entry: entry[1]):
            claim = _postgres_claim if store.kind == "postgresql" else _file_claim
            holder = stack.enter_context(claim(store, number))
            if holder is not None:
                raise StoreError(
                    f"The judge {name!r} is being run already{holder}.",
                    next_step="Wait until that run has ended, or stop it; then the same command goes on from there.",
                )
        yield


@contextmanager
def _claiming(store: Store) -> Iterator[Connection]:
    """A connection of its own, which holds claims until the block ends, or its process or machine does."""
    engine = connect(locate(store.address)).execution_options(isolation_level="AUTOCOMMIT")
    try:
        try:
            connection = engine.connect()
        except DBAPIError as problem:
            raise explain(problem.orig or problem, store.place) from problem
        with connection:
            for statement in _SET_UP:
                connection.execute(text(statement))
            yield connection
            connection.execute(_RELEASE)
    finally:
        engine.dispose()


@contextmanager
def _postgres_claim(store: Store, judge: int) -> Iterator[str | None]:
    """Claim a judge by an advisory lock. Yields None if it was free, else words about who has it (here unknown)."""
    with _claiming(store) as connection:
        yield None if connection.execute(_CLAIM_JUDGE, {"judge": judge}).scalar() else ""


@contextmanager
def _file_claim(store: Store, judge: int) -> Iterator[str | None]:
    """Claim a judge by a lock on a file next to the database, which the system releases when the process ends."""
    path = Path(f"{store.place}.judge-{judge}.lock")
    file = _lock(path)
    if file is None:
        holder = path.read_text(encoding="utf-8").strip() if path.exists() else ""
        yield f" ({holder})" if holder else ""
        return
    try:
        file.write(f"process {os.getpid()} on {socket.gethostname()} since {datetime.now(UTC):%Y-%m-%d %H:%M} UTC")
        file.flush()
        yield None
    finally:
        path.unlink(missing_ok=True)
        file.close()


def _lock(path: Path) -> TextIO | None:
    """Open and lock a file; None where another process has it. A file that its owner just removed is made again."""
    while True:
        file = path.open("a+", encoding="utf-8")
        try:
            if os.name == "nt":
                locking = importlib.import_module("msvcrt")
                locking.locking(file.fileno(), locking.LK_NBLCK, 1)
            else:
                locking = importlib.import_module("fcntl")
                locking.flock(file, locking.LOCK_EX | locking.LOCK_NB)
        except OSError:
            file.close()
            return None
        try:
            if os.fstat(file.fileno()).st_ino == path.stat().st_ino:
                file.truncate(0)
                return file
        except FileNotFoundError:
            pass
        file.close()


@contextmanager
def claim_documents(store: Store, campaign: int, documents: Sequence[str]) -> Iterator[frozenset[str]]:
    """Claim these documents of a campaign for as long as the block lasts; yields those that nobody else has."""
    refuse_unshared(store)
    with _claiming(store) as connection:
        rows = connection.execute(_CLAIM, {"keys": list(documents), "campaign": campaign})
        yield frozenset(row[0] for row in rows)

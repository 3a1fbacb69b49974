"""Who is at work on which document, where many processes share one PostgreSQL.

A claim lasts as long as the connection that made it: a process that dies gives its documents back by dying, and one
that was only believed dead (its line to the others is cut, its line to the database is not) keeps them, so that nobody
asks the same questions beside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from lanner.errors import StoreError
from lanner.store.engine import connect, explain, locate
from lanner.store.store import Store

# A machine that lost its power says no goodbye: the database looks for it after half a minute, not after two hours.
_SET_UP = ("SET tcp_keepalives_idle = 30", "SET tcp_keepalives_interval = 10", "SET tcp_keepalives_count = 3")
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
def claimed(store: Store, campaign: int, documents: Sequence[str]) -> Iterator[frozenset[str]]:
    """Claim these documents of a campaign for as long as the block lasts; yields those that nobody else has."""
    refuse_unshared(store)
    engine = connect(locate(store.address)).execution_options(isolation_level="AUTOCOMMIT")
    try:
        try:
            connection = engine.connect()
        except DBAPIError as problem:
            raise explain(problem.orig or problem, store.place) from problem
        with connection:
            for statement in _SET_UP:
                connection.execute(text(statement))
            rows = connection.execute(_CLAIM, {"keys": list(documents), "campaign": campaign})
            yield frozenset(row[0] for row in rows)
    finally:
        engine.dispose()

"""Whether a store is whole: what the database says of its own pages, and what must be true of the rows in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from sqlalchemy import Connection, inspect, select

from lanner.model import Protocol
from lanner.store import schema
from lanner.store.campaigns import JUDGE_ITSELF, decode, fingerprint
from lanner.store.chain import broken_links
from lanner.store.rows import loads
from lanner.store.transfer import TABLES, rows_of

PAGES = "pages of the database"
MOST = 20
"""Problems told of one check: the first ones say what is wrong, thousands say no more."""
_KEY = ("judge", "document", "segment", "stage", "question", "systems", "role")
_PRESENT = {
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'trigger' AND sql LIKE '%RAISE(ABORT%'",
    "postgresql": "SELECT tgname FROM pg_trigger WHERE tgenabled <> 'D'",
}
_TRIGGERS = ("judgement_append_only", "ledger_append_only")


class Finding(NamedTuple):
    """One check: what was looked at, and what is wrong with it (nothing, as a rule)."""

    check: str
    problems: tuple[str, ...]


def findings(connection: Connection, expected_hash: str | None = None) -> Iterator[Finding]:
    """Every check, one after the other, inside one transaction that sees everything as of one moment."""
    if expected_hash is not None:
        row = connection.execute(select(schema.chain.c.id).where(schema.chain.c.hash == expected_hash)).first()
        yield Finding("published hash", () if row else (f"{expected_hash} is in no chain of this store",))
    for name, check in CHECKS.items():
        problems: list[str] = []
        for problem in check(connection):
            problems.append(problem)
            if len(problems) == MOST:
                problems.append("and more")
                break
        yield Finding(name, tuple(problems))


def _pages(connection: Connection) -> Iterator[str]:
    """PostgreSQL has checksums of its own; for SQLite every page and index is read."""
    if connection.dialect.name == "sqlite":
        for (message,) in connection.exec_driver_sql("PRAGMA integrity_check(20)").fetchall():
            if message != "ok":
                yield str(message)


def _steps(connection: Connection) -> Iterator[str]:
    """The tables are those of this version, and the database still refuses to change a judgement."""
    had = {number for (number,) in connection.exec_driver_sql(f"SELECT number FROM {schema.migration.name}")}
    # a file of an earlier version lacks the last steps and is sound: opening it brings it up to date
    yield from (f"has not had step {number}" for number in range(1, max(had, default=0)) if number not in had)
    present = {name for (name,) in connection.exec_driver_sql(_PRESENT[connection.dialect.name]).fetchall()}
    yield from (f"the lock {name} is gone: judgements could be changed" for name in _TRIGGERS if name not in present)


def _references(connection: Connection) -> Iterator[str]:
    """Whatever a row names is there."""
    present = set(inspect(connection).get_table_names())
    for table in (table for table in (*TABLES, schema.session) if table.name in present):
        for key in sorted(table.foreign_keys, key=lambda key: key.parent.name):
            column, there = key.parent.name, key.column.table.name
            lacking = f"NOT EXISTS (SELECT 1 FROM {there} AS there WHERE there.id = here.{column})"
            sql = f"SELECT count(*) FROM {table.name} AS here WHERE here.{column} IS NOT NULL AND {lacking}"
            if number := connection.exec_driver_sql(sql).scalar_one():
                yield f"{number} rows of {table.name} name a {there} that is not there"


def _chains(connection: Connection) -> Iterator[str]:
    """Answers to one question are numbered 1, 2, 3, …, and each points at the one before it."""
    other = " OR ".join(f"before.{name} <> here.{name}" for name in _KEY)
    wrong = f"before.id IS NULL OR before.revision <> here.revision - 1 OR before.id >= here.id OR {other}"
    sql = f"""SELECT here.id, here.revision FROM judgement AS here LEFT JOIN judgement AS before
      ON before.id = here.supersedes
      WHERE (here.revision = 1 AND here.supersedes IS NOT NULL) OR here.revision < 1
      OR (here.revision > 1 AND ({wrong})) ORDER BY here.id LIMIT {MOST + 1}"""
    for number, revision in connection.exec_driver_sql(sql).fetchall():
        yield f"judgement {number} is revision {revision} of something that does not come before it"


def _whole_saves(connection: Connection) -> Iterator[str]:
    """A save is there with all its parts or not at all. Imports (without a task) may be about judges who withdrew."""
    sql = f"""SELECT campaign, submission FROM judgement WHERE task IS NOT NULL GROUP BY campaign, submission
      HAVING min(part) <> 0 OR max(part) <> count(*) - 1 OR min(received_at) <> max(received_at)
      OR min(judge) <> max(judge) LIMIT {MOST + 1}"""
    for campaign, submission in connection.exec_driver_sql(sql).fetchall():
        yield f"the save {submission} of campaign {campaign} is not whole"


def _homes(connection: Connection) -> Iterator[str]:
    """What belongs together belongs to one campaign."""
    pairs = [("judgement", "judge"), ("judgement", "document"), ("judgement", "task"), ("task", "judge")]
    for here, there in pairs:
        sql = f"""SELECT count(*) FROM {here} AS here JOIN {there} AS there ON there.id = here.{there}
          WHERE there.campaign <> here.campaign"""
        if number := connection.exec_driver_sql(sql).scalar_one():
            yield f"{number} rows of {here} belong to another campaign than their {there}"
    sql = """SELECT count(*) FROM item JOIN task ON task.id = item.task JOIN document ON document.id = item.document
      WHERE task.campaign <> document.campaign"""
    if number := connection.exec_driver_sql(sql).scalar_one():
        yield f"{number} items are about documents of another campaign"
    sql = """SELECT count(*) FROM judgement JOIN task ON task.id = judgement.task
      WHERE task.judge IS NULL OR task.judge <> judgement.judge"""
    if number := connection.exec_driver_sql(sql).scalar_one():
        yield f"{number} judgements answer a task of someone else"


def _frozen(connection: Connection) -> Iterator[str]:
    """Protocols and texts are those that the campaigns were made with."""
    rows = connection.exec_driver_sql(
        "SELECT id, name, protocol_hash, protocol, corpus_hash FROM campaign ORDER BY id"
    ).fetchall()
    sql = "SELECT key, content FROM document WHERE campaign = {} ORDER BY position"
    for number, name, protocol_hash, protocol, corpus_hash in rows:
        try:
            if Protocol.model_validate_json(protocol).hash != protocol_hash:
                yield f"the protocol of {name} is not the one it was made with"
            found = connection.exec_driver_sql(sql.format(int(number))).fetchall()
            if JUDGE_ITSELF not in {key for key, _ in found}:
                yield f"{name} lacks the place for what judges say about themselves"
            if fingerprint(decode(content) for key, content in found if key != JUDGE_ITSELF) != corpus_hash:
                yield f"the texts of {name} are not those it was made with"
        except (ValueError, TypeError, KeyError) as problem:
            yield f"protocol or texts of {name} cannot be read: {type(problem).__name__}"


def _unaltered(connection: Connection) -> Iterator[str]:
    """The judgements are those that were committed, all of them and no others."""
    if not inspect(connection).has_table(schema.chain.name):  # a file of an earlier version
        return
    names = connection.exec_driver_sql("SELECT id, name FROM campaign ORDER BY id").fetchall()
    for number, name in names:
        yield from (f"{name}: {problem}" for problem in broken_links(connection, number))


def _readable(connection: Connection) -> Iterator[str]:
    """Every answer is JSON."""
    names = [column.name for column in schema.judgement.columns]
    id_, value, systems, flags = (names.index(name) for name in ("id", "value", "systems", "flags"))
    hashes: set[str | None] = {None}
    for row in rows_of(connection, schema.judgement):
        for text in (row[value], row[systems], row[flags]):
            if text in hashes:
                continue
            try:
                loads(text)
            except (ValueError, TypeError):
                yield f"judgement {row[id_]} cannot be read"
                continue
            if text is not None and len(text) < 60 and len(hashes) < 100_000:
                hashes.add(text)


CHECKS: dict[str, Callable[[Connection], Iterator[str]]] = {
    PAGES: _pages,
    "steps and locks": _steps,
    "references": _references,
    "chains of revisions": _chains,
    "whole saves": _whole_saves,
    "one campaign each": _homes,
    "protocols and texts as frozen": _frozen,
    "answers can be read": _readable,
    "judgements as committed": _unaltered,
}

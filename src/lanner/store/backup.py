"""Copies of a whole store, made while it is in use, the way back, and whether a store is whole.

A copy is always one SQLite file, of whichever database it was made: it can be looked into with any tool, opened by
Lanner as it is, and restored into either kind of database. It holds everything as of one moment, except who was signed
in. It gets its name only after it has been read back and found the same as the store, so a file with that name is a
good copy.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import sqlite3
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice, pairwise
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Table, create_engine, inspect, select, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from lanner.errors import StoreError, Where
from lanner.model import Protocol
from lanner.store import schema
from lanner.store.campaigns import JUDGE_ITSELF, SEALED, decode, fingerprint
from lanner.store.judgements import _KEY, find_broken_links
from lanner.store.rows import STREAMED, driver_of, insert_rows, keep_number, loads
from lanner.store.store import BUSY_SECONDS, Store, explain, inspect_file, read_only

_NAME = "lanner-{:%Y%m%dT%H%M%SZ}.sqlite"
_PATTERN = "lanner-*T*Z.sqlite"
_d = schema.document.c


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
    with new_file(path) as unfinished_path:
        with store.snapshot() as source:
            before = contents(source)
            try:
                _copy(source, unfinished_path)
            except sqlite3.Error as problem:  # about the copy's disk, not the store's
                raise explain(problem, str(path)) from problem
        with open_read_only(unfinished_path) as target_connection:
            problems = _describe_problems(run_checks(target_connection), path)
            if contents(target_connection) != before:
                raise copy_differs(path)
    return Copy(path, before, problems)


@contextmanager
def new_file(path: Path) -> Iterator[Path]:
    """A file to write a copy into. It gets its name when the block has ended without an error, and lies on the disk
    then; else nothing of it is left."""
    if path.exists():
        raise StoreError(
            "There is a file already.", code="file_taken", where=Where(file=path), next_step="Give another name."
        )
    # not by the number of the process: in a container it is the same again and again
    unfinished_path = path.with_name(f".{path.name}.unfinished-{secrets.token_hex(4)}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        for left in path.parent.glob(".*.unfinished-*"):  # by a process that was killed
            with suppress(FileNotFoundError):  # another has just finished it
                if time.time() - left.stat().st_mtime > _ABANDONED_SECONDS:
                    left.unlink()
        os.close(os.open(unfinished_path, os.O_CREAT | os.O_WRONLY | os.O_EXCL, 0o600))
        yield unfinished_path
        _settle(unfinished_path, path)
    except (OSError, sqlite3.Error) as problem:
        raise explain(problem, str(path)) from problem
    finally:
        for ending in ("", "-journal", "-wal", "-shm"):  # on a full disk SQLite leaves its own beside it
            unfinished_path.with_name(f"{unfinished_path.name}{ending}").unlink(missing_ok=True)


def copy_differs(path: Path) -> StoreError:
    """The error for a copy that reads otherwise than what it is a copy of."""
    return StoreError("The copy is not the same as the store.", where=Where(file=path), next_step=_AGAIN)


_ABANDONED_SECONDS = 24 * 3600
_AGAIN = "Nothing was kept. Try again; if it stays, check the disk and run: lanner verify"


def restore(copy: Path, place: str | Path) -> Copy:
    """Fill a new store from a copy. A store that holds anything is left alone."""
    with open_copy(copy) as (source, problems), Store.open(place) as target:
        return Copy(copy, _fill(source, target, copy), problems)


@contextmanager
def open_copy(copy: Path) -> Iterator[tuple[Store, tuple[str, ...]]]:
    """Open a temporary copy of a copy, brought up to date, and say what is wrong with its rows; a damaged file is
    refused."""
    if not copy.is_file():
        raise StoreError(
            "There is no such copy.", code="unknown_store", where=Where(copy), next_step="lanner backup makes one."
        )
    inspect_file(copy, create=False)
    with tempfile.TemporaryDirectory(prefix="lanner-restore-") as folder:
        fresh = Path(folder) / "copy.sqlite"
        _read_into(fresh, copy)
        with Store.open(fresh, create=False) as source:
            yield source, _describe_problems(verify(source), copy)


def _read_into(fresh: Path, copy: Path) -> None:
    """All pages of a file into a new one, as of one moment. A store that is in use or was killed has its newest answers
    in a journal beside it (`-wal`), which a copy of the file alone would lose."""
    try:
        with (
            closing(sqlite3.connect(read_only(copy), uri=True, timeout=BUSY_SECONDS)) as source,
            closing(sqlite3.connect(fresh)) as file,
        ):
            source.backup(file)
    except sqlite3.Error as problem:
        place = fresh.parent if "is full" in str(problem) else copy
        raise explain(problem, str(place)) from problem


def _fill(source: Store, target: Store, copy: Path) -> Mapping[str, Content]:
    with source.snapshot() as read, target.filling() as target_connection:
        if any(content.rows for content in contents(target_connection).values()):
            raise StoreError(
                "This store is not empty, so nothing was restored.",
                code="store_taken",
                where=Where(file=target.place),
                next_step="Name a new SQLite file or an empty PostgreSQL database with --store, or one campaign of the "
                "copy with --campaign.",
            )
        copy_rows(read, target_connection)
        before = contents(read)
        if contents(target_connection) != before:
            raise StoreError("What was restored is not what the copy holds.", where=Where(file=copy), next_step=_AGAIN)
        return before


def verify(store: Store, expected_hash: str | None = None) -> list[StoreCheck]:
    """Every check of a store in use, and whether a hash that was published is in one of its chains."""
    with store.snapshot() as connection:
        return list(run_checks(connection, expected_hash))


def verify_file(path: Path, expected_hash: str | None = None) -> list[StoreCheck]:
    """Every check of a SQLite file, without changing a byte of it."""
    if not path.is_file():
        raise StoreError(
            "There is no such file.",
            code="unknown_store",
            where=Where(file=path),
            next_step="Give the path of a store or a backup; `lanner backup` makes one.",
        )
    inspect_file(path, create=False)
    try:
        with open_read_only(path) as connection:
            return list(run_checks(connection, expected_hash))
    except (sqlite3.Error, DBAPIError) as problem:
        raise explain(problem, str(path)) from problem


def name_at(moment: datetime) -> str:
    """What a copy of this moment is called."""
    return _NAME.format(moment.astimezone(UTC))


def copies(folder: Path) -> list[Path]:
    """The copies in a folder, the oldest first."""
    return sorted(folder.glob(_PATTERN))


def prune(folder: Path, keep: int) -> list[Path]:
    """Delete all but the newest copies, and return those deleted."""
    old_copies = copies(folder)[:-keep] if keep else []
    for path in old_copies:
        path.unlink()
    return old_copies


def _copy(source: Connection, path: Path) -> None:
    """All rows into a new file: page by page where the source is SQLite too, else row by row."""
    if source.dialect.name == "sqlite":
        with closing(sqlite3.connect(path.absolute())) as file:  # a name that begins with file: is no URL
            driver_of(source).backup(file)  # inside the transaction that is open: as of that moment
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
def open_read_only(path: Path) -> Iterator[Connection]:
    """Open a SQLite file read-only, as it is."""
    engine = create_engine("sqlite://", creator=lambda: sqlite3.connect(read_only(path), uri=True), poolclass=NullPool)
    with engine.connect() as connection:
        yield connection
    engine.dispose()


def _describe_problems(found: Iterable[StoreCheck], path: Path) -> tuple[str, ...]:
    """Say what is wrong with the rows; a file whose pages are damaged is refused."""
    lines = []
    for finding in found:
        if finding.problems and finding.check == PAGES:
            raise StoreError(
                f"The copy is damaged: {finding.problems[0]}.", where=Where(file=path), next_step="Use another copy."
            )
        lines += [f"{finding.check}: {problem}" for problem in finding.problems]
    return tuple(lines)


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


# All rows from one database to another, of either kind. The tables hold plain types only, so that a row means the same
# in SQLite and PostgreSQL and its digest is the same in both.


_BATCH = 5_000
TABLES = tuple(
    table for table in schema.metadata.sorted_tables if table.name not in (schema.migration.name, schema.session.name)
)
"""What is copied, each after those it refers to. Sessions stay behind: whoever finds a copy is signed in nowhere."""


class Content(NamedTuple):
    """What is in a table: how many rows, and a hash of them all in the order of their keys."""

    rows: int
    digest: str


def rows_of(connection: Connection, table: Table, *conditions: ColumnElement[bool]) -> Iterator[Sequence[Any]]:
    """Every row of a table that meets the conditions, in the order of its key, without holding all of them."""
    query = select(table).where(*conditions).order_by(*table.primary_key.columns)
    with closing(connection.execute(query, execution_options=STREAMED)) as rows:
        yield from map(_without_plain_secret, rows) if table is schema.webhook else rows


def _without_plain_secret(row: Any) -> Sequence[Any]:
    """A webhook as it may leave the store: a secret in plain text, of an earlier version, stays behind."""
    at = list(schema.webhook.columns.keys()).index("secret")
    return (*row[:at], row[at] if row[at].startswith(SEALED) else "", *row[at + 1 :])


def contents(connection: Connection) -> dict[str, Content]:
    """What each table holds, the same for the same rows in either kind of database."""
    return {table.name: content_of(rows_of(connection, table)) for table in TABLES}


def content_of(rows: Iterable[Sequence[Any]]) -> Content:
    """How many rows, and their hash."""
    digest, count = hashlib.sha256(), 0
    for row in rows:
        digest.update(repr(tuple(row)).encode("utf-8", "surrogatepass"))
        count += 1
    return Content(count, digest.hexdigest()[:16])


def copy_rows(source: Connection, target: Connection) -> None:
    """Fill the empty tables of another database, inside the transactions of both."""
    for table in TABLES:
        copy_table(rows_of(source, table), target, table)
    carry_numbers(source, target)


def copy_table(rows: Iterator[Sequence[Any]], target: Connection, table: Table) -> None:
    """Write rows of a table of one database into that of another."""
    names = [column.name for column in table.columns]
    while batch := [dict(zip(names, row, strict=True)) for row in islice(rows, _BATCH)]:
        insert_rows(target, table, batch)


def carry_numbers(source: Connection, target: Connection) -> None:
    """Make the target give no number that the source has ever given, even where the rows were deleted since. Where the
    target is that far, nothing is set: PostgreSQL gives numbers meanwhile, and would give those a second time."""
    for table in TABLES:
        if "id" not in table.columns or table is schema.withdrawn:
            continue
        if (last := _last(source, table.name)) > _last(target, table.name):
            keep_number(target, table.name, last)


def _last(connection: Connection, table: str) -> int:
    if connection.dialect.name == "postgresql":
        sequence = connection.execute(
            text("SELECT pg_get_serial_sequence(:table, 'id')"), {"table": table}
        ).scalar_one()
        last, called = connection.execute(text(f"SELECT last_value, is_called FROM {sequence}")).one()
        return int(last) if called else 0
    highest = connection.execute(text(f"SELECT coalesce(max(id), 0) FROM {table}")).scalar_one()
    number = connection.execute(text("SELECT seq FROM sqlite_sequence WHERE name = :table"), {"table": table}).scalar()
    return max(int(highest), int(number or 0))


# Whether a store is whole: what the database says of its own pages, and what must be true of the rows in it.


PAGES = "pages of the database"
MOST = 20
"""Problems told of one check: the first ones say what is wrong, thousands say no more."""
_PRESENT = {
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'trigger' AND sql LIKE '%RAISE(ABORT%'",
    "postgresql": "SELECT tgname FROM pg_trigger WHERE tgenabled <> 'D' AND pg_table_is_visible(tgrelid)",
}
_TRIGGERS = ("judgement_append_only", "ledger_append_only")


class StoreCheck(NamedTuple):
    """One check: what was looked at, and what is wrong with it (nothing, as a rule)."""

    check: str
    problems: tuple[str, ...]


def run_checks(connection: Connection, expected_hash: str | None = None) -> Iterator[StoreCheck]:
    """Every check, one after the other, inside one transaction that sees everything as of one moment."""
    if expected_hash is not None:
        row = connection.execute(select(schema.chain.c.id).where(schema.chain.c.hash == expected_hash)).first()
        yield StoreCheck("published hash", () if row else (f"{expected_hash} is in no chain of this store",))
    for name, check in CHECKS.items():
        problems: list[str] = []
        for problem in check(connection):
            problems.append(problem)
            if len(problems) == MOST:
                problems.append("and more")
                break
        yield StoreCheck(name, tuple(problems))


def _check_pages(connection: Connection) -> Iterator[str]:
    """PostgreSQL has checksums of its own; for SQLite every page and index is read."""
    if connection.dialect.name == "sqlite":
        for (message,) in connection.exec_driver_sql("PRAGMA integrity_check(20)").fetchall():
            if message != "ok":
                yield str(message)


def _check_steps(connection: Connection) -> Iterator[str]:
    """The tables are those of this version, and the database still refuses to change a judgement."""
    had = {number for (number,) in connection.exec_driver_sql(f"SELECT number FROM {schema.migration.name}")}
    # a file of an earlier version lacks the last steps and is sound: opening it brings it up to date
    yield from (f"has not had step {number}" for number in range(1, max(had, default=0)) if number not in had)
    present = {name for (name,) in connection.exec_driver_sql(_PRESENT[connection.dialect.name]).fetchall()}
    yield from (f"the lock {name} is gone: judgements could be changed" for name in _TRIGGERS if name not in present)


def _check_references(connection: Connection) -> Iterator[str]:
    """Whatever a row names is there."""
    present = set(inspect(connection).get_table_names())
    for table in (table for table in (*TABLES, schema.session) if table.name in present):
        for key in sorted(table.foreign_keys, key=lambda key: key.parent.name):
            column, there = key.parent.name, key.column.table.name
            lacking = f"NOT EXISTS (SELECT 1 FROM {there} AS there WHERE there.id = here.{column})"
            sql = f"SELECT count(*) FROM {table.name} AS here WHERE here.{column} IS NOT NULL AND {lacking}"
            if number := connection.exec_driver_sql(sql).scalar_one():
                yield f"{number} rows of {table.name} name a {there} that is not there"


def _check_revisions(connection: Connection) -> Iterator[str]:
    """Answers to one question are numbered 1, 2, 3, …, and each points at the one before it."""
    other = " OR ".join(f"before.{name} <> here.{name}" for name in _KEY)
    wrong = f"before.id IS NULL OR before.revision <> here.revision - 1 OR before.id >= here.id OR {other}"
    sql = f"""SELECT here.id, here.revision FROM judgement AS here LEFT JOIN judgement AS before
      ON before.id = here.supersedes
      WHERE (here.revision = 1 AND here.supersedes IS NOT NULL) OR here.revision < 1
      OR (here.revision > 1 AND ({wrong})) ORDER BY here.id LIMIT {MOST + 1}"""
    for number, revision in connection.exec_driver_sql(sql).fetchall():
        yield f"judgement {number} is revision {revision} of something that does not come before it"


def _check_whole_saves(connection: Connection) -> Iterator[str]:
    """A save is there with all its parts or not at all. Imports (without a task) may be about judges who withdrew."""
    sql = f"""SELECT campaign, submission FROM judgement WHERE task IS NOT NULL GROUP BY campaign, submission
      HAVING min(part) <> 0 OR max(part) <> count(*) - 1 OR min(received_at) <> max(received_at)
      OR min(judge) <> max(judge) LIMIT {MOST + 1}"""
    for campaign, submission in connection.exec_driver_sql(sql).fetchall():
        yield f"the save {submission} of campaign {campaign} is not whole"


def _check_campaigns(connection: Connection) -> Iterator[str]:
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


def _check_frozen(connection: Connection) -> Iterator[str]:
    """Protocols and texts are those that the campaigns were made with."""
    columns = ("id", "name", "protocol_name", "protocol_version", "protocol_hash", "protocol", "corpus_hash")
    for row in connection.exec_driver_sql(f"SELECT {', '.join(columns)} FROM campaign ORDER BY id").mappings().all():
        name = row["name"]
        try:
            protocol = Protocol.model_validate_json(row["protocol"])
            columns_say = (row["protocol_name"], row["protocol_version"], row["protocol_hash"])
            if (protocol.name, protocol.version, protocol.hash) != columns_say:
                yield f"the protocol of {name} is not the one it was made with"
            yield from _check_frozen_texts(connection, row["id"], name, row["corpus_hash"])
        except (ValueError, TypeError, KeyError) as problem:
            yield f"protocol or texts of {name} cannot be read: {type(problem).__name__}"


def _check_frozen_texts(connection: Connection, campaign: int, name: str, corpus_hash: str) -> Iterator[str]:
    """The texts are those of the hash, in the rows that judgements refer to: their ids were given in this order."""
    rows = connection.execute(select(schema.document).where(_d.campaign == campaign).order_by(_d.position)).all()
    if JUDGE_ITSELF not in {row.key for row in rows}:
        yield f"{name} lacks the place for what judges say about themselves"
    rows = [row for row in rows if row.key != JUDGE_ITSELF]
    documents = [decode(row.content) for row in rows]
    if fingerprint(documents) != corpus_hash:
        yield f"the texts of {name} are not those it was made with"
    if any(after.id < before.id for before, after in pairwise(rows)):
        yield f"texts of {name} have changed places"
    for row, document in zip(rows, documents, strict=True):
        languages = document.source_language, document.target_language
        expected = (document.id, document.domain, *languages, len(document.segments))
        if (row.key, row.domain, row.source_language, row.target_language, row.segments) != expected:
            yield f"the row of the document {document.id} of {name} says something else than its text"


def _check_withdrawals(connection: Connection) -> Iterator[str]:
    """Judgements are deleted only where a judge withdraws, and the log says how many. What was deleted before there
    were chains is in the log alone."""
    if not inspect(connection).has_table(schema.withdrawn.name):  # a file of an earlier version
        return
    logged: Counter[int] = Counter()
    events = connection.exec_driver_sql("SELECT campaign, detail FROM event WHERE kind = 'judge_withdrew'")
    for campaign, detail in events:
        logged[campaign] += loads(detail).get("judgements", 0)
    sql = """SELECT campaign.id, campaign.name, count(*) FROM campaign
      JOIN withdrawn ON withdrawn.campaign = campaign.id GROUP BY campaign.id, campaign.name ORDER BY campaign.id"""
    for number, name, deleted in connection.exec_driver_sql(sql).fetchall():
        if deleted > logged[number]:
            yield f"{name}: {deleted} judgements are gone as withdrawn, but {logged[number]} by the log"


def _check_unaltered(connection: Connection) -> Iterator[str]:
    """The judgements are those that were committed, all of them and no others."""
    if not inspect(connection).has_table(schema.chain.name):  # a file of an earlier version
        return
    names = connection.exec_driver_sql("SELECT id, name FROM campaign ORDER BY id").fetchall()
    for number, name in names:
        yield from (f"{name}: {problem}" for problem in find_broken_links(connection, number))


def _check_readable(connection: Connection) -> Iterator[str]:
    """Every answer is JSON."""
    names = [column.name for column in schema.judgement.columns]
    id_, value, systems, flags = (names.index(name) for name in ("id", "value", "systems", "flags"))
    hashes: set[str | None] = {None}
    for row in rows_of(connection, schema.judgement):
        for content in (row[value], row[systems], row[flags]):
            if content in hashes:
                continue
            try:
                loads(content)
            except (ValueError, TypeError):
                yield f"judgement {row[id_]} cannot be read"
                continue
            if content is not None and len(content) < 60 and len(hashes) < 100_000:
                hashes.add(content)


CHECKS: dict[str, Callable[[Connection], Iterator[str]]] = {
    PAGES: _check_pages,
    "steps and locks": _check_steps,
    "references": _check_references,
    "chains of revisions": _check_revisions,
    "whole saves": _check_whole_saves,
    "one campaign each": _check_campaigns,
    "protocols and texts as frozen": _check_frozen,
    "answers can be read": _check_readable,
    "judgements as committed": _check_unaltered,
    "withdrawals as logged": _check_withdrawals,
}

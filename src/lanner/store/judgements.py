"""The answers: one append-only table for people, models, metrics and imports, and a chain of hashes over those of each
campaign, in the order in which they were committed."""

from __future__ import annotations

import gc
import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import datetime
from itertools import groupby
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple, TypedDict

from sqlalchemy import Connection, Integer, bindparam, delete, func, select, text, true

from lanner.model import Json, Judgement, Role
from lanner.store import schema
from lanner.store.rows import STREAMED, Rows, dumps, fetch, insert_rows, loads, moment, parameter_table, send

_q, _d, _j = schema.judgement.c, schema.document.c, schema.judge.c
_OF_UNIT = (
    *(_q.id, _q.stage, _q.question, _q.systems, _q.role, _q.revision, _q.supersedes, _q.base),
    *(_q.value, _q.submission, _q.part, _q.received_at),
)


_READ = (
    *(_q.id, _q.judge, _q.task, _q.document, _q.segment, _q.stage, _q.question, _q.systems, _q.role, _q.supersedes),
    *(_q.value, _q.flags, _q.submission, _q.elapsed, _q.active, _q.answered_at, _q.received_at, _q.origin),
)


class StoredAnswer(NamedTuple):
    """A stored answer of one judge about one unit, as the campaign needs it when the next one comes in."""

    id: int
    stage: str
    question: str
    systems: str
    role: str
    revision: int
    supersedes: int | None
    base: int | None
    value: str
    submission: str
    part: int
    received_at: int


class StoredPart(NamedTuple):
    """One answer of a submission that is stored already. `previous` is the value that it replaced."""

    id: int
    judge: int
    task: int | None
    document: int
    segment: str
    question: str
    systems: str
    role: str
    supersedes: int | None
    base: int | None
    value: str
    flags: str | None
    previous: str | None


class NewAnswer(TypedDict):
    """A row about to be added, in the tables' plain types. `id` comes from `reserve`."""

    id: int
    campaign: int
    judge: int
    task: int | None
    document: int
    segment: str
    stage: str
    question: str
    systems: str
    role: str
    revision: int
    supersedes: int | None
    base: int | None
    value: str
    flags: str | None
    submission: str
    part: int
    elapsed: float | None
    active: float | None
    answered_at: int | None
    received_at: int
    origin: str


Unit = tuple[int, int, str]
"""A judge, a document and a segment, by their rows and its id: what answers of all pages are about together."""
Key = tuple[int, int, str, str, str, str, str]
"""Judge, document, segment, stage, question, systems, role: what an answer is about."""


def _newest(parts: Sequence[Any]) -> Any:
    """The query for the last revision under a key, whose parts are expressions. It reads the end of an index, however
    many revisions there are."""
    inner = schema.judgement.alias("newest")
    same = [inner.c[name] == part for name, part in zip(_KEY, parts, strict=True)]
    return select(inner).where(*same).order_by(inner.c.revision.desc()).limit(1)


def _heads_in_sqlite() -> Any:
    keys_table, parts = parameter_table("sqlite", "keys", _TYPES)
    newest = _newest(parts)
    number = newest.with_only_columns(newest.selected_columns.id).correlate(keys_table).scalar_subquery()
    return select(_q.judge, _q.document, *_HEAD).where(_q.id.in_(select(number).select_from(keys_table)))


def _heads_in_postgresql() -> Any:
    keys_table, parts = parameter_table("postgresql", "keys", _TYPES)
    newest = _newest(parts).lateral("newest_of")
    columns = [newest.c[column.name] for column in (_q.judge, _q.document, *_HEAD)]
    return select(*columns).select_from(keys_table.join(newest, true()))


def _current(query: Any) -> Any:
    later = schema.judgement.alias("later")
    return query.where(~select(later.c.id).where(later.c.supersedes == _q.id).exists())


_KEY = ("judge", "document", "segment", "stage", "question", "systems", "role")
_TYPES = (int, int, str, str, str, str, str)
_HEAD = (_q.segment, *_OF_UNIT)
_HEADS = {"sqlite": _heads_in_sqlite(), "postgresql": _heads_in_postgresql()}
_DOCUMENT = select(*_HEAD).where(_q.judge == bindparam("judge"), _q.document == bindparam("document")).order_by(_q.id)
_LAST = select(func.max(_q.id))
# In SQLite: the highest id that any judgement has or had, so that those of judges who withdrew are not given again, nor
# those of a campaign that was deleted: it can be brought back.
_KEPT = text("SELECT seq FROM sqlite_sequence WHERE name = 'judgement'").columns(seq=Integer)
_LAST_GIVEN = select(
    func.max(
        func.coalesce(_LAST.scalar_subquery(), 0),
        func.coalesce(select(func.max(schema.withdrawn.c.id)).scalar_subquery(), 0),
        func.coalesce(_KEPT.scalar_subquery(), 0),
    )
)
# In PostgreSQL: nobody else adds judgements to these campaigns until the transaction ends, and no id is given before
# that holds, since what is counted has to be locked first.
_RESERVED = text(
    "SELECT nextval('judgement_id_seq') FROM (SELECT count(*) FROM"
    " (SELECT id FROM campaign WHERE id = ANY(:campaigns) ORDER BY id FOR NO KEY UPDATE) AS locked) AS all_locked,"
    " generate_series(1, :count)"
)
# A chain has one row for many judgements and an index by campaign: this is asked twice a second for every live page.
_LAST_OF_CAMPAIGN = select(func.max(schema.chain.c.last)).where(schema.chain.c.campaign == bindparam("campaign"))
_HISTORY = select(*_READ).where(_q.judge.in_(select(_j.id).where(_j.campaign == bindparam("campaign"))))
_HISTORY_SINCE = select(*_READ).where(_q.id > bindparam("after"), _q.campaign == bindparam("campaign"))
_CURRENT, _CURRENT_SINCE = _current(_HISTORY), _current(_HISTORY_SINCE)
_previous = schema.judgement.alias("previous")
_PARTS = (
    select(
        *(_q.submission, _q.id, _q.judge, _q.task, _q.document, _q.segment, _q.question, _q.systems, _q.role),
        *(_q.supersedes, _q.base, _q.value, _q.flags, _previous.c.value.label("previous")),
    )
    .outerjoin(_previous, _previous.c.id == _q.supersedes)
    .where(_q.campaign == bindparam("campaign"), _q.submission.in_(bindparam("submissions", expanding=True)))
    .order_by(_q.submission, _q.part)
)


class Judgements(Rows):
    """Rows of the table `judgement`: added, read, never changed."""

    __slots__ = ()

    def reserve(self, count: int, campaigns: Iterable[int]) -> Sequence[int]:
        """Ids for rows about to be added to these campaigns. In each of them, ids are in the order of commits, so that
        whoever follows a campaign by its last id misses nothing."""
        if self._connection.dialect.name == "postgresql":
            asked = {"campaigns": sorted(campaigns), "count": count}
            return [number for (number,) in fetch(self._connection, _RESERVED, asked)]
        [(last,)] = fetch(self._connection, _LAST_GIVEN, {})
        return range(last + 1, last + 1 + count)

    def add(self, rows: Sequence[NewAnswer]) -> None:
        if rows:
            insert_rows(self._connection, schema.judgement, rows)
            Chain(self._connection).append(rows)

    def heads_of(self, keys: Collection[Key]) -> dict[Unit, list[StoredAnswer]]:
        """The current answers under these keys, by unit; a key that was never answered has none."""
        answers: dict[Unit, list[StoredAnswer]] = {}
        if keys:
            statement = _HEADS[self._connection.dialect.name]
            for row in fetch(self._connection, statement, {"keys": dumps(list(keys))}):
                answers.setdefault((row[0], row[1], row[2]), []).append(StoredAnswer._make(row[3:]))
        return answers

    def of_document(self, judge: int, document: int) -> dict[str, list[StoredAnswer]]:
        """A judge's answers about all units of a document, by segment."""
        answers: dict[str, list[StoredAnswer]] = {}
        for row in self._connection.execute(_DOCUMENT, {"judge": judge, "document": document}):
            answers.setdefault(row[0], []).append(StoredAnswer._make(row[1:]))
        return answers

    def parts(self, submissions: Collection[tuple[int, str]]) -> dict[tuple[int, str], list[StoredPart]]:
        """The answers stored under each of these ids (campaign and submission), in the order they were sent."""
        by_campaign: dict[int, list[str]] = {}
        for campaign, submission in submissions:
            by_campaign.setdefault(campaign, []).append(submission)
        parts_by_place: dict[tuple[int, str], list[StoredPart]] = {}
        for campaign, names in by_campaign.items():
            for row in self._connection.execute(_PARTS, {"campaign": campaign, "submissions": names}):
                parts_by_place.setdefault((campaign, row[0]), []).append(StoredPart._make(row[1:]))
        return parts_by_place

    def current(self, campaign: int, *, after: int = 0) -> list[Judgement]:
        """The answers that hold: those no later answer supersedes. With `after` only those of a higher id."""
        return self._judgements(campaign, _CURRENT_SINCE if after else _CURRENT, after)

    def history(self, campaign: int, *, after: int = 0) -> list[Judgement]:
        """Every answer ever given, the superseded ones too, oldest first."""
        return self._judgements(campaign, _HISTORY_SINCE if after else _HISTORY, after)

    def first_answer_times(self, campaign: int) -> dict[str, datetime]:
        """When each judge first answered about a text, whether or not they have revised that answer since."""
        own = select(_j.key, func.min(_q.answered_at)).join(schema.judge, _q.judge == _j.id)
        own = own.join(schema.document, _q.document == _d.id).where(_j.campaign == campaign, _d.key != "")
        rows = self._connection.execute(own.where(_q.answered_at.is_not(None)).group_by(_j.key))
        return {judge: moment(at) for judge, at in rows}

    def batch(self, campaign: int, after: int, limit: int, *, history: bool = False) -> list[Judgement]:
        """The first `limit` answers with a higher id than `after`, oldest first: current ones, or the whole history."""
        query = select(*_READ).where(_q.id > after, _q.campaign == campaign).order_by(_q.id).limit(limit)
        rows = self._connection.execute(query if history else _current(query))
        return _read(rows, *self._names(campaign))

    def about(self, campaign: int, **wanted: str) -> list[Judgement]:
        """The history of some answers: by the keys of judge and document, by segment, question, stage or role."""
        keys = {"judge": _j, "document": _d}
        conditions = []
        for name, value in wanted.items():
            column = schema.judgement.c[name]
            of = keys.get(name)
            numbers = select(of.id).where(of.campaign == campaign, of.key == value) if of is not None else None
            conditions.append(column == value if numbers is None else column.in_(numbers))
        if "judge" not in wanted:
            conditions.append(_q.judge.in_(select(_j.id).where(_j.campaign == campaign)))
        rows = self._connection.execute(select(*_READ).where(*conditions).order_by(_q.id))
        return _read(rows, *self._names(campaign))

    def last(self, campaign: int | None = None) -> int:
        """The newest row, of a campaign or of the whole store: a cheap way to see that something has been saved."""
        if campaign is None:
            return self._connection.execute(_LAST).scalar() or 0
        return self._connection.execute(_LAST_OF_CAMPAIGN, {"campaign": campaign}).scalar() or 0

    def exists(self, campaign: int, number: int) -> bool:
        """Whether a campaign has this row."""
        query = select(_q.id).where(_q.id == number, _q.campaign == campaign)
        return self._connection.execute(query).first() is not None

    def count(self, campaign: int) -> int:
        """How many answers were ever stored."""
        judges = select(_j.id).where(_j.campaign == campaign)
        query = select(func.count()).select_from(schema.judgement).where(_q.judge.in_(judges))
        return int(self._connection.execute(query).scalar_one())

    def has_answered(self, judge: int) -> bool:
        """Whether a judge has ever answered."""
        return self._connection.execute(select(_q.id).where(_q.judge == judge).limit(1)).first() is not None

    def head_numbers(self, keys: Collection[Key]) -> dict[Key, tuple[int, int]]:
        """The current row and its revision for each of these keys that has one."""
        return {
            (*unit, answer.stage, answer.question, answer.systems, answer.role): (answer.id, answer.revision)
            for unit, answers in self.heads_of(keys).items()
            for answer in answers
        }

    def progress_of(self, campaign: int, submission: str) -> tuple[int, datetime] | None:
        """The last part that is stored of a submission, and when its first came; None where there is none."""
        query = select(func.max(_q.part), func.min(_q.received_at))
        query = query.where(_q.campaign == campaign, _q.submission == submission)
        part, received_at = self._connection.execute(query).one()
        return None if part is None else (part, moment(received_at))

    def withdraw(self, judge: int) -> int:
        """Delete all answers of a judge who withdraws, and return how many there were."""
        Chain(self._connection).withdraw(judge)
        return self._connection.execute(delete(schema.judgement).where(_q.judge == judge)).rowcount

    def _judgements(self, campaign: int, statement: Any, after: int) -> list[Judgement]:
        names = self._names(campaign)
        values = {"campaign": campaign, "after": after}
        judgements = _read(self._connection.execute(statement, values, execution_options=STREAMED), *names)
        judgements.sort(key=attrgetter("id"))
        return judgements

    def _names(self, campaign: int) -> tuple[dict[int, str], dict[int, str]]:
        """The keys of judges and documents by their rows."""
        run = self._connection.execute
        judges = {row.id: row.key for row in run(select(_j.id, _j.key).where(_j.campaign == campaign))}
        return judges, {row.id: row.key for row in run(select(_d.id, _d.key).where(_d.campaign == campaign))}


@contextmanager
def _garbage_collection_paused() -> Iterator[None]:
    """Pause garbage collection while a million objects are made that all stay: each collection would take longer and
    find nothing."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _read(rows: Iterable[Any], judges: dict[int, str], documents: dict[int, str]) -> list[Judgement]:
    """Make judgements of rows. The same few texts come again and again, so each is parsed once. This is one plain loop
    because a million rows go through it."""
    tuples: dict[str | None, tuple[str, ...]] = {None: ()}
    scalars: dict[str, Json] = {}
    roles = {role.value: role for role in Role}
    judgements: list[Judgement] = []
    add = judgements.append
    # answers of one save share their moments
    answered, received, answered_then, received_then = None, None, None, None
    with _garbage_collection_paused():
        for (
            id_, judge, task, document, segment, stage, question, systems, role, supersedes, text, flags,
            submission, elapsed, active, answered_at, received_at, origin,
        ) in rows:  # fmt: skip
            if systems not in tuples:
                tuples[systems] = tuple(loads(systems))
            if flags not in tuples:
                tuples[flags] = tuple(loads(flags))
            if text in scalars:
                value = scalars[text]
            else:
                value = loads(text)
                if len(text) < 40 and not isinstance(value, list | dict):  # what could be changed is never shared
                    scalars[text] = value
            if received_at != received or answered_at != answered:
                answered, received = answered_at, received_at
                answered_then, received_then = moment(answered_at), moment(received_at)
            add(
                Judgement(
                    judges[judge], stage, question, documents[document], segment, tuples[systems], value, roles[role],
                    submission, tuples[flags], elapsed, active, answered_then, received_then, task, origin,
                    id_, supersedes,
                )
            )  # fmt: skip
    return judgements


# The chain of hashes
#
# Every transaction that adds judgements adds one link: the hash of the link before it and of its own rows. Whoever
# changes, adds or deletes a judgement behind Lanner's back breaks the chain at that link, and whoever also makes the
# later links anew ends in another hash than the one that was published. Answers of a judge who withdraws are deleted;
# the digests of their rows stay, so that the chain can still be followed.


MIGRATED = "migrated"
"""The note of a link over everything that was there before there were chains."""
_COLUMNS = (
    *("id", "campaign", "judge", "task", "document", "segment", "stage", "question", "systems", "role", "revision"),
    *("supersedes", "base", "value", "flags", "submission", "part", "elapsed", "active", "answered_at", "received_at"),
    "origin",
)
"""What a digest is made of, in this order for ever: a column that is added later is not part of it."""
_TIMES = (_COLUMNS.index("elapsed"), _COLUMNS.index("active"))
_values, _place, _campaign_of = itemgetter(*_COLUMNS), itemgetter("campaign", "id"), itemgetter("campaign")
_encode = json.JSONEncoder(separators=(",", ":")).encode
_k, _w = schema.chain.c, schema.withdrawn.c
# By `last`, which the index of the chain is sorted by; it grows with every link of a campaign, as `id` does.
_NEWEST_LINK = (
    select(_k.last, _k.rows, _k.hash, _k.at, _k.note)
    .where(_k.campaign == bindparam("campaign"))
    .order_by(_k.last.desc())
    .limit(1)
)
# The database itself reads the link before and hashes it with the digests, so that a save need not wait for the one to
# send the other; SQLite by the function that `store` gives it. Nobody else adds a link to this campaign meanwhile:
# on PostgreSQL `reserve` has locked it.
_HASHES = {
    "sqlite": "link_hash(coalesce({hash}, ''), :digests)",
    "postgresql": "encode(sha256(convert_to(coalesce({hash}, '') || :digests, 'UTF8')), 'hex')",
}
_BEFORE = "(SELECT {} FROM chain WHERE campaign = :campaign ORDER BY last DESC LIMIT 1)"
_ADD = {
    dialect: text(
        "INSERT INTO chain (campaign, last, rows, hash, at, note) VALUES (:campaign, :last,"
        f" coalesce({_BEFORE.format('rows')}, 0) + :added, {hash_.format(hash=_BEFORE.format('hash'))}, :at, '')"
    )
    for dialect, hash_ in _HASHES.items()
}
_ROWS = select(*(_q[name] for name in _COLUMNS))


class ChainLink(NamedTuple):
    """The chain up to a moment: the last judgement it covers, how many there are, and the hash of them all."""

    last: int
    judgements: int
    hash: str
    at: datetime
    note: str = ""


class Chain(Rows):
    """Rows of the table `chain`."""

    __slots__ = ()

    def append(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Add a link for each campaign that these rows belong to."""
        links = []
        for campaign, new_rows in groupby(sorted(rows, key=_place), key=_campaign_of):
            own = list(new_rows)
            links.append(
                {
                    "campaign": campaign,
                    "last": own[-1]["id"],
                    "added": len(own),
                    "digests": "".join(map(row_digest, own)),
                    "at": max(row["received_at"] for row in own),
                }
            )
        send(self._connection, _ADD[self._connection.dialect.name], links)

    def head(self, campaign: int) -> ChainLink | None:
        """The newest link; None where nothing was ever answered. Costs the same however long the chain is."""
        for last, judgements, hash_, at, note in fetch(self._connection, _NEWEST_LINK, {"campaign": campaign}):
            return ChainLink(last, judgements, hash_, moment(at), note)
        return None

    def of(self, campaign: int) -> list[ChainLink]:
        """Every link, the oldest first."""
        columns = (_k.last, _k.rows, _k.hash, _k.at, _k.note)
        rows = self._connection.execute(select(*columns).where(_k.campaign == campaign).order_by(_k.id))
        return [ChainLink(last, number, hash_, moment(at), note) for last, number, hash_, at, note in rows]

    def withdraw(self, judge: int) -> None:
        """Keep the digests of a judge's rows, which are about to be deleted."""
        query = _ROWS.where(_q.judge == judge)
        rows = self._connection.execute(query).mappings().all()
        if rows:
            digests = [{"id": row["id"], "campaign": row["campaign"], "digest": row_digest(row)} for row in rows]
            self._connection.execute(schema.withdrawn.insert(), digests)


def row_digest(row: Mapping[Any, Any]) -> str:
    """SHA-256 of everything in a row, the same in either kind of database."""
    values = [*_values(row)]
    for at in _TIMES:
        if values[at] is not None:
            values[at] = float(values[at])
    return hashlib.sha256(_encode(values).encode()).hexdigest()


def link_hash(before: str, digests: str) -> str:
    """The hash of a link: of the link before it, and of the digests of its rows in the order of their ids."""
    return hashlib.sha256((before + digests).encode()).hexdigest()


def digests_of(connection: Connection, campaign: int) -> Iterator[tuple[int, str]]:
    """Id and digest of every judgement of a campaign that there ever was, in the order of the ids."""
    withdrawn = connection.execute(select(_w.id, _w.digest).where(_w.campaign == campaign))
    withdrawals = {number: digest for number, digest in withdrawn}  # noqa: C416 - rows are no pairs to a type checker
    left = sorted(withdrawals)
    query = _ROWS.where(_q.campaign == campaign).order_by(_q.id)
    rows = connection.execute(query, execution_options=STREAMED)
    with closing(rows):
        for row in rows.mappings():
            while left and left[0] < row["id"]:
                number = left.pop(0)
                yield number, withdrawals[number]
            yield row["id"], row_digest(row)
    yield from ((number, withdrawals[number]) for number in left)


def find_broken_links(connection: Connection, campaign: int) -> Iterator[str]:
    """What is wrong with the chain of a campaign, from the first link that does not fit its rows."""
    links = Chain(connection).of(campaign)
    digests = digests_of(connection, campaign)
    current = next(digests, None)
    before, number = "", 0
    for at, link in enumerate(links):
        own = []
        while current is not None and current[0] <= link.last:
            own.append(current[1])
            current = next(digests, None)
        number += len(own)
        if number != link.judgements:
            difference = link.judgements - number
            words = f"{difference} missing" if difference > 0 else f"{-difference} too many"
            yield f"judgements up to {link.last}, committed {link.at:%Y-%m-%d %H:%M:%S}: {words}"
            return
        if link_hash(before, "".join(own)) != link.hash:
            first = links[at - 1].last + 1 if at else 1
            yield f"judgements {first} to {link.last}, committed {link.at:%Y-%m-%d %H:%M:%S}, are not those committed"
            return
        before = link.hash
    if current is not None:
        yield f"judgement {current[0]} was not added by Lanner: the chain ends before it"


def begin_chains(connection: Connection, now: int) -> None:
    """Begin a chain over the judgements of every campaign, in stores from before there were chains."""
    campaigns = connection.execute(select(_q.campaign).distinct().order_by(_q.campaign)).scalars().all()
    for campaign in campaigns:
        digests = list(digests_of(connection, campaign))
        link = {"campaign": campaign, "last": digests[-1][0], "rows": len(digests), "at": now, "note": MIGRATED}
        hash_ = link_hash("", "".join(digest for _, digest in digests))
        connection.execute(schema.chain.insert(), {**link, "hash": hash_})

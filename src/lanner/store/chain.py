"""A chain of hashes over the judgements of each campaign, in the order in which they were committed.

Every transaction that adds judgements adds one link: the hash of the link before it and of its own rows. Whoever
changes, adds or deletes a judgement behind Lanner's back breaks the chain at that link, and whoever also makes the
later links anew ends in another hash than the one that was published. Answers of a judge who withdraws are deleted; the
digests of their rows stay, so that the chain can still be followed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import datetime
from itertools import groupby
from typing import Any, NamedTuple

from sqlalchemy import Connection, bindparam, select, text

from lanner.store import schema
from lanner.store.rows import STREAMED, Rows, moment, send

MIGRATED = "migrated"
"""The note of a link over everything that was there before there were chains."""
_COLUMNS = (
    *("id", "campaign", "judge", "task", "document", "segment", "stage", "question", "systems", "role", "revision"),
    *("supersedes", "base", "value", "flags", "submission", "part", "elapsed", "active", "answered_at", "received_at"),
    "origin",
)
"""What a digest is made of, in this order for ever: a column that is added later is not part of it."""
_TIMES = (_COLUMNS.index("elapsed"), _COLUMNS.index("active"))
_encode = json.JSONEncoder(separators=(",", ":")).encode
_k, _q, _w = schema.chain.c, schema.judgement.c, schema.withdrawn.c
# By `last`, which the index of the chain is sorted by; it grows with every link of a campaign, as `id` does.
_HEAD = (
    select(_k.last, _k.rows, _k.hash, _k.at, _k.note)
    .where(_k.campaign == bindparam("campaign"))
    .order_by(_k.last.desc())
    .limit(1)
)
_ADD = schema.chain.insert()
# PostgreSQL reads the link before and hashes by itself, as `link_hash` does: a save need not wait for the one to send
# the other. `reserve` has locked the campaign, so that this is the newest link.
_ADD_AFTER_HEAD = text(
    "INSERT INTO chain (campaign, last, rows, hash, at, note) SELECT CAST(:campaign AS bigint), :last,"
    " coalesce(head.rows, 0) + :added,"
    " encode(sha256(convert_to(coalesce(head.hash, '') || :digests, 'UTF8')), 'hex'), :at, ''"
    " FROM (SELECT 1) AS one LEFT JOIN"
    " (SELECT rows, hash FROM chain WHERE campaign = :campaign ORDER BY last DESC LIMIT 1) AS head ON true"
)
_ROWS = select(*(_q[name] for name in _COLUMNS))


class Link(NamedTuple):
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
        is_sqlite = self._connection.dialect.name == "sqlite"
        links = []
        for campaign, new_rows in groupby(sorted(rows, key=_place), key=lambda row: row["campaign"]):
            own = list(new_rows)
            link = {"campaign": campaign, "last": own[-1]["id"], "at": max(row["received_at"] for row in own)}
            digests = map(row_digest, own)
            if is_sqlite:
                head = self._connection.execute(_HEAD, {"campaign": campaign}).first()
                before, count = (head.hash, head.rows) if head else ("", 0)
                links.append(link | {"rows": count + len(own), "hash": link_hash(before, digests), "note": ""})
            else:
                links.append(link | {"added": len(own), "digests": "".join(digests)})
        send(self._connection, _ADD if is_sqlite else _ADD_AFTER_HEAD, links)

    def head(self, campaign: int) -> Link | None:
        """The newest link; None where nothing was ever answered. Costs the same however long the chain is."""
        row = self._connection.execute(_HEAD, {"campaign": campaign}).first()
        return Link(row.last, row.rows, row.hash, moment(row.at), row.note) if row else None

    def of(self, campaign: int) -> list[Link]:
        """Every link, the oldest first."""
        columns = (_k.last, _k.rows, _k.hash, _k.at, _k.note)
        rows = self._connection.execute(select(*columns).where(_k.campaign == campaign).order_by(_k.id))
        return [Link(last, number, hash_, moment(at), note) for last, number, hash_, at, note in rows]

    def withdraw(self, judge: int) -> None:
        """Keep the digests of a judge's rows, which are about to be deleted."""
        query = _ROWS.where(_q.judge == judge)
        rows = self._connection.execute(query).mappings().all()
        if rows:
            digests = [{"id": row["id"], "campaign": row["campaign"], "digest": row_digest(row)} for row in rows]
            self._connection.execute(schema.withdrawn.insert(), digests)


def _place(row: Mapping[str, Any]) -> tuple[int, int]:
    return row["campaign"], row["id"]


def row_digest(row: Mapping[Any, Any]) -> str:
    """SHA-256 of everything in a row, the same in either kind of database."""
    values = [row[name] for name in _COLUMNS]
    for at in _TIMES:
        if values[at] is not None:
            values[at] = float(values[at])
    return hashlib.sha256(_encode(values).encode()).hexdigest()


def link_hash(before: str, digests: Iterable[str]) -> str:
    """The hash of a link: of the link before it, and of its rows in the order of their ids."""
    hashed = hashlib.sha256(before.encode())
    for digest in digests:
        hashed.update(digest.encode())
    return hashed.hexdigest()


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


def broken_links(connection: Connection, campaign: int) -> Iterator[str]:
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
        if link_hash(before, own) != link.hash:
            first = links[at - 1].last + 1 if at else 1
            yield f"judgements {first} to {link.last}, committed {link.at:%Y-%m-%d %H:%M:%S}, are not those committed"
            return
        before = link.hash
    if current is not None:
        yield f"judgement {current[0]} was not added by Lanner: the chain ends before it"


def begin_chains(connection: Connection, now: int) -> None:
    """Chain everything that is there, campaign by campaign: for stores from before there were chains."""
    campaigns = connection.execute(select(_q.campaign).distinct().order_by(_q.campaign)).scalars().all()
    for campaign in campaigns:
        digests = list(digests_of(connection, campaign))
        link = {"campaign": campaign, "last": digests[-1][0], "rows": len(digests), "at": now, "note": MIGRATED}
        hash_ = link_hash("", (digest for _, digest in digests))
        connection.execute(schema.chain.insert(), {**link, "hash": hash_})

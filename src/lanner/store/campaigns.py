"""Campaigns: what was asked, of which texts and judges, by which design, in which state; what happened, and who is told
of it."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields
from datetime import datetime, timedelta
from itertools import chain, count
from typing import Any

from sqlalchemy import bindparam, delete, func, or_, select, text, update

from lanner.errors import CampaignError, did_you_mean
from lanner.model import Campaign, CampaignState, Document, Json, Judge, JudgeKind, Protocol, Segment
from lanner.store import schema
from lanner.store.rows import Rows, dumps, keep_number, loads, micros, moment

_c = schema.campaign.c
_LISTED = [column for column in schema.campaign.c if column.name != "protocol"]
_BY_ID = select(*_LISTED).where(_c.id == bindparam("reference"))
_LOCKED = select(_c.id).where(_c.id == bindparam("reference")).with_for_update(key_share=True)
_CORPUS_HASH = select(_c.corpus_hash).where(_c.id == bindparam("reference"))
_BY_NAME = select(*_LISTED).where(_c.name == bindparam("reference"))
_HOLD_NAME = text(
    "SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || ' campaign name ' || CAST(:name AS text), 0))"
)


class Campaigns(Rows):
    """Rows of the table `campaign`."""

    __slots__ = ()

    def add(self, campaign: Campaign, protocol: Protocol, corpus_hash: str, **plan: Json) -> int:
        """Store a new campaign and return its number. `plan` holds the design's options and the systems."""
        row = {
            "name": unicodedata.normalize("NFC", campaign.name),
            "title": campaign.title,
            "protocol_name": campaign.protocol_name,
            "protocol_version": protocol.version,
            "protocol_hash": campaign.protocol_hash,
            "protocol": protocol.model_dump_json(by_alias=True),
            "corpus_hash": corpus_hash,
            "design": campaign.design,
            "options": dumps(plan.get("options", {})),
            "systems": dumps(plan.get("systems", [])),
            "seed": campaign.seed,
            "settings": dumps(campaign.settings),
            "state": str(campaign.state),
            "version": 1,
            "created_at": micros(campaign.created_at),
            "opened_at": micros(campaign.opened_at),
            "closed_at": None,
        }
        number: int = self._connection.execute(schema.campaign.insert().returning(_c.id), row).scalar_one()
        return number

    def find(self, reference: int | str) -> Campaign | None:
        """The campaign of an id or a name, composed or not: macOS decomposes the letters of file names."""
        query = _BY_ID if isinstance(reference, int) else _BY_NAME
        row = self._connection.execute(query, {"reference": reference}).mappings().first()
        if row is None and isinstance(reference, str):
            composed = unicodedata.normalize("NFC", reference)
            return self.find(composed) if composed != reference else None
        return _campaign(row) if row else None

    def is_taken(self, name: str) -> bool:
        """Whether a campaign has this name. Until the transaction ends nobody else takes it: PostgreSQL lets others
        write meanwhile, and they would find it free, too."""
        if self._connection.dialect.name == "postgresql":
            self._connection.execute(_HOLD_NAME, {"name": name})
        return self.find(name) is not None

    def get(self, reference: int | str) -> Campaign:
        """The campaign of an id or a name, or an error with the nearest name."""
        campaign = self.find(reference)
        if campaign is None:
            names = [campaign.name for campaign in self.all()]
            hint = did_you_mean(str(reference), names) or "There are no campaigns yet. Make one with: lanner new"
            raise CampaignError(f"There is no campaign {reference!r}.", code="unknown_campaign", next_step=hint)
        return campaign

    def all(self) -> list[Campaign]:
        """Every campaign, the newest first."""
        rows = self._connection.execute(select(*_LISTED).order_by(_c.id.desc())).mappings()
        return [_campaign(row) for row in rows]

    def of_account(self, account: int) -> list[Campaign]:
        """The campaigns an organiser or viewer belongs to, the newest first."""
        mine = select(schema.member.c.campaign).where(schema.member.c.account == account)
        rows = self._connection.execute(select(*_LISTED).where(_c.id.in_(mine)).order_by(_c.id.desc())).mappings()
        return [_campaign(row) for row in rows]

    def protocol(self, campaign: int) -> Protocol:
        """The protocol as it was frozen."""
        text = self._connection.execute(select(_c.protocol).where(_c.id == campaign)).scalar_one()
        return Protocol.model_validate_json(text)

    def corpus_hash(self, campaign: int) -> str:
        return str(self._connection.execute(_CORPUS_HASH, {"reference": campaign}).scalar_one())

    def plan(self, campaign: int) -> dict[str, Json]:
        """What the design was given beside documents and judges: its options and the systems."""
        row = self._connection.execute(select(_c.options, _c.systems).where(_c.id == campaign)).one()
        return {"options": loads(row.options), "systems": loads(row.systems)}

    def version(self, campaign: int) -> int:
        """Counts the organisers' changes, so that two of them do not overwrite each other."""
        return int(self._connection.execute(select(_c.version).where(_c.id == campaign)).scalar_one())

    def renew(self, campaign: int, name: str) -> None:
        """Give a campaign that was brought back a version that it never had here: what a server remembers of it may be
        about other rows."""
        query = select(schema.event.c.detail).where(schema.event.c.kind == REMOVED)
        removed = [loads(detail) for detail in self._connection.scalars(query)]
        versions = [int(detail.get("version", 0)) for detail in removed if detail["name"] == name]
        statement = update(schema.campaign).where(_c.id == campaign)
        version = max([self.version(campaign), *versions]) + 1
        self._connection.execute(statement.values(version=version))

    def lock(self, campaign: int) -> None:
        """Let no one else change this campaign until the transaction ends. Saves of judges go on meanwhile."""
        self._connection.execute(_LOCKED, {"reference": campaign}).scalar_one()

    def lock_all(self, campaigns: Iterable[int]) -> dict[int, CampaignState]:
        """Lock several campaigns, in the same order for everybody, and return the state of each after that wait."""
        query = select(_c.id, _c.state).where(_c.id.in_(campaigns)).order_by(_c.id).with_for_update(key_share=True)
        return {number: CampaignState(state) for number, state in self._connection.execute(query)}

    def lock_whole(self, campaign: int) -> None:
        """Let nothing at all be added to this campaign until the transaction ends. Saves lock a task and then the
        campaign, so that is the order."""
        own_tasks = select(schema.task.c.id).where(schema.task.c.campaign == campaign).order_by(schema.task.c.id)
        self._connection.execute(own_tasks.with_for_update()).all()
        self._connection.execute(select(_c.id).where(_c.id == campaign).with_for_update()).scalar_one()

    def set_state(
        self,
        campaign: int,
        state: CampaignState,
        *,
        opened_at: datetime | None = None,
        closed_at: datetime | None = None,
    ) -> None:
        values: dict[str, Any] = {"state": str(state), "closed_at": micros(closed_at)}
        if opened_at is not None:
            values["opened_at"] = func.coalesce(_c.opened_at, micros(opened_at))
        self._change(campaign, values)

    def set_details(
        self, campaign: int, *, title: str | None = None, settings: Mapping[str, Json] | None = None
    ) -> None:
        values: dict[str, Any] = {} if title is None else {"title": title}
        if settings is not None:
            values["settings"] = dumps(dict(settings))
        self._change(campaign, values)

    def redefine(
        self, campaign: int, protocol: Protocol, corpus_hash: str, *, design: str, seed: int, **plan: Json
    ) -> None:
        """Replace what a draft is made of."""
        protocol_columns = {
            "protocol_name": protocol.name,
            "protocol_version": protocol.version,
            "protocol_hash": protocol.hash,
            "protocol": protocol.model_dump_json(by_alias=True),
        }
        plan_columns = {name: dumps(value) for name, value in plan.items()}
        self._change(
            campaign, {**protocol_columns, "corpus_hash": corpus_hash, "design": design, "seed": seed, **plan_columns}
        )

    def _change(self, campaign: int, values: dict[str, Any]) -> None:
        statement = update(schema.campaign).where(_c.id == campaign).values(**values, version=_c.version + 1)
        self._connection.execute(statement)

    def any_answered(self, campaign: int) -> bool:
        """Whether anything was answered in it, or asked of a model."""
        judges = select(schema.judge.c.id).where(schema.judge.c.campaign == campaign)
        rows = (select(table.c.id).where(table.c.judge.in_(judges)) for table in (schema.judgement, schema.ledger))
        return any(self._connection.execute(query.limit(1)).first() for query in rows)

    def remove(self, campaign: int) -> None:
        """Delete a campaign and everything that belongs to it. There is no way back but a copy."""
        run = self._connection.execute
        if self._connection.dialect.name == "sqlite":  # PostgreSQL gives no number twice
            last = [run(select(func.max(table.c.id))).scalar() or 0 for table in (schema.judgement, schema.withdrawn)]
            keep_number(self._connection, schema.judgement.name, max(last))
        judges = select(schema.judge.c.id).where(schema.judge.c.campaign == campaign)
        tasks = select(schema.task.c.id).where(schema.task.c.campaign == campaign)
        run(delete(schema.session).where(schema.session.c.judge.in_(judges)))
        run(delete(schema.judgement).where(schema.judgement.c.judge.in_(judges)))
        run(delete(schema.ledger).where(schema.ledger.c.judge.in_(judges)))
        run(delete(schema.item).where(schema.item.c.task.in_(tasks)))
        hooks = select(schema.webhook.c.id).where(schema.webhook.c.campaign == campaign)
        run(delete(schema.delivery).where(schema.delivery.c.webhook.in_(hooks)))
        outside, kept = (schema.token, schema.webhook), (schema.chain, schema.withdrawn)
        for table in (*kept, schema.task, schema.judge, schema.document, schema.member, schema.event, *outside):
            run(delete(table).where(table.c.campaign == campaign))
        run(delete(schema.campaign).where(_c.id == campaign))


def _campaign(row: Mapping[Any, Any]) -> Campaign:
    return Campaign(
        id=row["id"],
        name=row["name"],
        title=row["title"],
        protocol_name=row["protocol_name"],
        protocol_hash=row["protocol_hash"],
        state=CampaignState(row["state"]),
        seed=row["seed"],
        design=row["design"],
        settings=loads(row["settings"]),
        created_at=moment(row["created_at"]),
        opened_at=moment(row["opened_at"]),
    )


# What organisers did, when: opened, paused, added judges, imported.

_e = schema.event.c
LEFT_OUT, COUNTED_AGAIN, JUDGE_REPLACED = "judge_left_out", "judge_counted_again", "judge_replaced"
"""Kinds of events: that a judge is left out is part of what was done with a campaign, and can be undone."""
REMOVED = "removed"
"""The kind of the event that a campaign was deleted."""


@dataclass(frozen=True, slots=True)
class Event:
    """One entry of a campaign's log."""

    id: int
    campaign: int | None
    account: int | None
    at: datetime
    kind: str
    detail: Mapping[str, Json]


class Events(Rows):
    """Rows of the table `event`."""

    __slots__ = ()

    def add(
        self, kind: str, now: datetime, *, campaign: int | None = None, account: int | None = None, **detail: Json
    ) -> None:
        row = {"campaign": campaign, "account": account, "at": micros(now), "kind": kind, "detail": dumps(detail)}
        self._connection.execute(schema.event.insert(), row)

    def remove_of_judge(self, kind: str, campaign: int, participant: int) -> None:
        """Delete a campaign's entries of a kind that a judge caused."""
        rows = self._connection.execute(
            select(_e.id, _e.detail).where((_e.campaign == campaign) & (_e.kind == kind))
        ).all()
        ids = [row.id for row in rows if loads(row.detail).get("seat") == participant]
        if ids:
            self._connection.execute(schema.event.delete().where(_e.id.in_(ids)))

    def last(self, campaign: int) -> int:
        """The id of a campaign's newest entry, 0 where there is none."""
        newest = select(func.max(_e.id)).where(_e.campaign == campaign)
        return int(self._connection.execute(newest).scalar() or 0)

    def of(self, campaign: int, *, kinds: Sequence[str] = (), after: int = 0) -> list[Event]:
        """A campaign's log, oldest first; only entries of these kinds, or later than one."""
        query = select(schema.event).where(_e.campaign == campaign, _e.id > after)
        rows = self._connection.execute((query.where(_e.kind.in_(kinds)) if kinds else query).order_by(_e.id))
        return [Event(r.id, r.campaign, r.account, moment(r.at), r.kind, loads(r.detail)) for r in rows]

    def left_out(self, campaign: int | None) -> dict[int, str]:
        """Why judges (of any campaign, for None) count in no result now, by the number of their participant."""
        query = select(_e.kind, _e.detail).where(_e.kind.in_((LEFT_OUT, COUNTED_AGAIN))).order_by(_e.id)
        reasons: dict[int, str] = {}
        for kind, text_ in self._connection.execute(
            query if campaign is None else query.where(_e.campaign == campaign)
        ):
            detail = loads(text_)
            if kind == LEFT_OUT:
                reasons[int(detail["seat"])] = str(detail["reason"])
            else:
                reasons.pop(int(detail["seat"]), None)
        return reasons


# The texts of a campaign, one row per document, frozen when the campaign opens.

_d = schema.document.c
_FIND = select(_d.content).where(_d.campaign == bindparam("campaign"), _d.key == bindparam("key"))
JUDGE_ITSELF = ""
"""The key of the document that questionnaires are about: no text, so that a key is never half empty."""


class Documents(Rows):
    """Rows of the table `document`."""

    __slots__ = ()

    def add(self, campaign: int, documents: Sequence[Document], *, start: int = 0) -> None:
        rows = [
            {
                "campaign": campaign,
                "position": position,
                "key": document.id,
                "domain": document.domain,
                "source_language": document.source_language,
                "target_language": document.target_language,
                "segments": len(document.segments),
                "content": encode(document),
            }
            for position, document in enumerate(documents, start)
        ]
        self._connection.execute(schema.document.insert(), rows)

    def all(self, campaign: int) -> list[Document]:
        """In the order they were given."""
        return self.batch(campaign, 0, None)

    def batch(self, campaign: int, start: int, limit: int | None) -> list[Document]:
        """At most `limit` documents in the order they were given, from place `start` on."""
        query = select(_d.content).where(_d.campaign == campaign, _d.key != JUDGE_ITSELF).order_by(_d.position)
        return [decode(content) for (content,) in self._connection.execute(query.offset(start).limit(limit))]

    def counts(self, campaign: int) -> list[tuple[str, int, int]]:
        """Domains in order of appearance, each with how many documents and segments it has."""
        query = select(_d.domain, func.count(), func.sum(_d.segments))
        query = query.where(_d.campaign == campaign, _d.key != JUDGE_ITSELF).group_by(_d.domain)
        rows = self._connection.execute(query.order_by(func.min(_d.position)))
        return [(domain, documents, int(segments)) for domain, documents, segments in rows]

    def find(self, campaign: int, key: str) -> Document | None:
        content = self._connection.execute(_FIND, {"campaign": campaign, "key": key}).scalar()
        return decode(content) if content is not None else None

    def number(self, campaign: int, key: str) -> int | None:
        """The row of one document, or of the questionnaires."""
        query = select(_d.id).where(_d.campaign == campaign, _d.key == key)
        return self._connection.execute(query).scalar()

    def numbers(self, campaign: int) -> dict[str, int]:
        """The row of each document by its key, that of questionnaires included."""
        rows = self._connection.execute(select(_d.key, _d.id).where(_d.campaign == campaign).order_by(_d.position))
        return {row.key: row.id for row in rows}

    def replace_contents(self, campaign: int, documents: Iterable[Document]) -> None:
        """Store documents anew in the rows they have. Only before a person has judged them."""
        for document in documents:
            own = update(schema.document).where(_d.campaign == campaign, _d.key == document.id)
            self._connection.execute(own.values(content=encode(document)))

    def remove_all(self, campaign: int) -> None:
        """Only for drafts: once answered, texts stay as they were."""
        self._connection.execute(delete(schema.document).where(_d.campaign == campaign))


def encode(document: Document) -> str:
    """A document as JSON, without fields that have their default."""
    return dumps(
        {**_non_defaults(document, "segments"), "segments": [_non_defaults(segment) for segment in document.segments]}
    )


def decode(content: str) -> Document:
    """What `encode` was given."""
    fields_by_name = loads(content)
    segments = tuple(_segment(entry) for entry in fields_by_name.pop("segments"))
    return Document(segments=segments, **fields_by_name)


def fingerprint(documents: Iterable[Document]) -> str:
    """Twelve digits that change whenever a text changes."""
    digest = hashlib.sha256()
    for document in documents:
        digest.update(encode(document).encode() + b"\n")
    return digest.hexdigest()[:12]


def _segment(entry: Mapping[str, Json]) -> Segment:
    return Segment(**{**entry, "flags": tuple(entry.get("flags", ()))})


def _non_defaults(value: Document | Segment, *left_out: str) -> dict[str, Any]:
    fields_by_name = {field.name: getattr(value, field.name) for field in fields(value) if field.name not in left_out}
    defaults = {field.name: _default(field) for field in fields(value)}
    return {name: given for name, given in fields_by_name.items() if given != defaults[name]}


def _default(field: Field[Any]) -> Any:
    if field.default_factory is not MISSING:
        return field.default_factory()
    return field.default


# Who judges in a campaign, and the secret links they come by.


_judge = schema.judge.c
_NUMBERED = select(schema.judge).where(_judge.id == bindparam("number"))


@dataclass(frozen=True, slots=True)
class Participant:
    """A judge in a campaign: who, where, whether their link still works, what they consented to."""

    number: int
    campaign: int
    judge: Judge
    has_link: bool = False
    revoked_at: datetime | None = None
    consent: str | None = None
    consented_at: datetime | None = None
    link_issued_at: datetime | None = None
    added_at: datetime | None = None


def code_name(participant: Participant, participants: Iterable[Participant]) -> str:
    """What a judge is called where nobody should know who it is, and for good once their identity is erased:
    `judge-7`, or `judge-7-2` where that is the id of another of the campaign's `participants`."""
    return _code_name(participant, {other.judge.id for other in participants})


def pseudonyms_of(participants: Sequence[Participant]) -> dict[str, str]:
    """The code names of a campaign's people by their ids. Models and metrics keep their names."""
    ids = {participant.judge.id for participant in participants}
    return {
        participant.judge.id: _code_name(participant, ids)
        for participant in participants
        if participant.judge.kind is JudgeKind.PERSON
    }


def _code_name(participant: Participant, ids: Collection[str]) -> str:
    name = f"judge-{participant.number}"
    names = chain([name], (f"{name}-{number}" for number in count(2)))
    return next(name for name in names if name == participant.judge.id or name not in ids)


class Judges(Rows):
    """Rows of the table `judge`. `number` is the row, `key` the id that people gave."""

    __slots__ = ()

    def add(self, campaign: int, judges: Sequence[Judge], now: datetime) -> None:
        if not judges:
            return
        last = self._connection.execute(select(func.max(_judge.position)).where(_judge.campaign == campaign)).scalar()
        rows = [
            {
                "campaign": campaign,
                "position": position,
                "key": judge.id,
                "kind": str(judge.kind),
                "name": judge.name,
                "attributes": dumps(dict(judge.attributes)),
                "added_at": micros(now),
            }
            for position, judge in enumerate(judges, 0 if last is None else last + 1)
        ]
        self._connection.execute(schema.judge.insert(), rows)

    def all(self, campaign: int) -> list[Participant]:
        """In the order they were added."""
        rows = self._connection.execute(
            select(schema.judge).where(_judge.campaign == campaign).order_by(_judge.position)
        )
        return [_participant(row) for row in rows]

    def find(self, campaign: int, key: str) -> Participant | None:
        row = self._connection.execute(
            select(schema.judge).where(_judge.campaign == campaign, _judge.key == key)
        ).first()
        return _participant(row) if row else None

    def get(self, campaign: Campaign, key: str) -> Participant:
        """The judge in the campaign, or an error with the nearest name."""
        participant = self.find(campaign.id, key)
        if participant is None:
            names = [other.judge.id for other in self.all(campaign.id)]
            raise CampaignError(
                f"{campaign.name} has no judge {key!r}.", code="unknown_judge", next_step=did_you_mean(key, names)
            )
        return participant

    def by_number(self, number: int) -> Participant | None:
        row = self._connection.execute(_NUMBERED, {"number": number}).first()
        return _participant(row) if row else None

    def by_link(self, link_hash: str) -> Participant | None:
        """The judge whose link this is, unless it was revoked."""
        query = select(schema.judge).where(_judge.link_hash == link_hash, _judge.revoked_at.is_(None))
        row = self._connection.execute(query).first()
        return _participant(row) if row else None

    def set_link(self, number: int, link_hash: str, now: datetime) -> None:
        """A new link; the one before it stops working."""
        self._change(number, link_hash=link_hash, link_issued_at=micros(now), revoked_at=None)

    def revoke_link(self, number: int, now: datetime) -> None:
        self._change(number, revoked_at=micros(now))

    def set_consent(self, number: int, version: str | None, now: datetime) -> None:
        """What somebody has agreed to, and when; None takes that back."""
        self._change(number, consent=version, consented_at=micros(now) if version is not None else None)

    def rename(self, number: int, judge: Judge) -> None:
        """Other id, name and attributes for the same person: this is how an identity is erased."""
        self._change(number, key=judge.id, name=judge.name, attributes=dumps(dict(judge.attributes)))

    def remove(self, number: int) -> None:
        """Delete a judge whom nothing refers to any more."""
        self._connection.execute(delete(schema.judge).where(_judge.id == number))

    def _change(self, number: int, **values: Any) -> None:
        self._connection.execute(update(schema.judge).where(_judge.id == number).values(**values))


def _participant(row: Any) -> Participant:
    judge = Judge(id=row.key, kind=JudgeKind(row.kind), name=row.name, attributes=loads(row.attributes))
    return Participant(
        number=row.id,
        campaign=row.campaign,
        judge=judge,
        has_link=row.link_hash is not None,
        revoked_at=moment(row.revoked_at),
        consent=row.consent,
        consented_at=moment(row.consented_at),
        link_issued_at=moment(row.link_issued_at),
        added_at=moment(row.added_at),
    )


# Webhooks: addresses that are told of events, and the messages that wait to be delivered.
#
# A message is written in the transaction in which the event happened, so it is delivered at least once, however often
# the server is killed. Several servers share the work: whoever takes a delivery postpones when it is due next.

_hook, _delivery = schema.webhook.c, schema.delivery.c
_HOOKS = select(schema.webhook).where(_hook.removed_at.is_(None)).order_by(_hook.id)
SEALED = "sealed:"
"""How a secret begins that only the server's key opens. No other leaves the store in a backup."""


@dataclass(frozen=True, slots=True)
class Webhook:
    """An address, the secret its messages are signed with (sealed with the server's key), and which events it is told
    (of one campaign or of all)."""

    id: int
    campaign: int | None
    url: str
    secret: str
    events: tuple[str, ...]
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Delivery:
    """One message to one address."""

    id: int
    webhook: Webhook
    event: str
    body: str
    attempts: int


TASK_FINISHED, CAMPAIGN_FINISHED = "task.finished", "campaign.finished"
"""What addresses are told of."""


class Webhooks(Rows):
    """Rows of the tables `webhook` and `delivery`."""

    __slots__ = ()

    def add(self, url: str, secret: str, events: Sequence[str], now: datetime, *, campaign: int | None = None) -> int:
        row = {"url": url, "secret": secret, "events": dumps(list(events)), "campaign": campaign}
        adding = schema.webhook.insert().returning(_hook.id)
        number: int = self._connection.execute(adding, {**row, "created_at": micros(now)}).scalar_one()
        return number

    def all(self) -> list[Webhook]:
        """Those in use, the oldest first."""
        return [_webhook(row) for row in self._connection.execute(_HOOKS)]

    def set_secret(self, number: int, secret: str) -> None:
        self._connection.execute(update(schema.webhook).where(_hook.id == number).values(secret=secret))

    def remove(self, number: int, now: datetime) -> bool:
        """Send nothing more to this address. Return whether it was in use."""
        self._connection.execute(
            update(schema.delivery).where(_delivery.webhook == number).values(due_at=None, body="")
        )
        removal = update(schema.webhook).where(_hook.id == number, _hook.removed_at.is_(None))
        return self._connection.execute(removal.values(removed_at=micros(now), secret="")).rowcount > 0

    def announce(self, campaign: int, event: str, body: Mapping[str, Json], now: datetime) -> None:
        """Queue a message for every address that wants this event, in the caller's transaction."""
        mine = or_(_hook.campaign.is_(None), _hook.campaign == campaign)
        query = select(schema.webhook).where(_hook.removed_at.is_(None), mine)
        rows = [
            {
                "webhook": webhook.id,
                "event": event,
                "body": dumps({"event": event, **body}),
                "attempts": 0,
                "due_at": micros(now),
                "problem": "",
            }
            for webhook in map(_webhook, self._connection.execute(query))
            if event in webhook.events
        ]
        if rows:
            self._connection.execute(schema.delivery.insert(), rows)

    def take(self, now: datetime, lease: timedelta) -> Delivery | None:
        """The next message that is due. Nobody else takes it until the lease is over."""
        due = (
            select(_delivery.id)
            .where(_delivery.due_at <= micros(now))
            .order_by(_delivery.due_at, _delivery.id)
            .limit(1)
        )
        number = self._connection.execute(due.with_for_update(skip_locked=True)).scalar()
        if number is None:
            return None
        later = {"due_at": micros(now + lease), "attempts": _delivery.attempts + 1}
        self._connection.execute(update(schema.delivery).where(_delivery.id == number).values(**later))
        row = self._connection.execute(select(schema.delivery).where(_delivery.id == number)).one()
        webhook = self._connection.execute(select(schema.webhook).where(_hook.id == row.webhook)).one()
        return Delivery(number, _webhook(webhook), row.event, row.body, row.attempts)

    def mark_delivered(self, number: int, now: datetime) -> None:
        """Mark a message as delivered and drop its body."""
        self._change(number, due_at=None, delivered_at=micros(now), problem="", body="")

    def mark_failed(self, number: int, problem: str, again: datetime | None) -> None:
        """Store what went wrong and when to try again. None: never, and the body is dropped."""
        self._change(number, due_at=micros(again), problem=problem, **({"body": ""} if again is None else {}))

    def rename_judge(self, campaign: int, before: str, after: str) -> None:
        """Call a judge of a campaign by another id in every message that has not arrived."""
        name = self._connection.execute(select(_c.name).where(_c.id == campaign)).scalar_one()
        for number, body in self._connection.execute(select(_delivery.id, _delivery.body).where(_delivery.body != "")):
            message = loads(body)
            if (message.get("campaign"), message.get("judge")) == (name, before):
                self._change(number, body=dumps({**message, "judge": after}))

    def waiting(self) -> list[tuple[str, int, str]]:
        """What has not been delivered: the event, how often it was tried, what went wrong last."""
        query = (
            select(_delivery.event, _delivery.attempts, _delivery.problem)
            .where(_delivery.delivered_at.is_(None))
            .order_by(_delivery.id)
        )
        return [(row.event, row.attempts, row.problem) for row in self._connection.execute(query)]

    def _change(self, number: int, **values: object) -> None:
        self._connection.execute(update(schema.delivery).where(_delivery.id == number).values(**values))


def _webhook(row: Any) -> Webhook:
    return Webhook(row.id, row.campaign, row.url, row.secret, tuple(loads(row.events)), moment(row.created_at))

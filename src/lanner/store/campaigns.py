"""Campaigns: what was asked, of which texts, by which design, and in which state."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, delete, func, select, update

from lanner.model import Campaign, CampaignState, Json, Protocol
from lanner.store import schema
from lanner.store.rows import Rows, dumps, loads, micros, moment

_c = schema.campaign.c
_LISTED = [column for column in schema.campaign.c if column.name != "protocol"]
_BY_ID = select(*_LISTED).where(_c.id == bindparam("reference"))
_LOCKED = select(_c.id).where(_c.id == bindparam("reference")).with_for_update(key_share=True)
_CORPUS_HASH = select(_c.corpus_hash).where(_c.id == bindparam("reference"))
_BY_NAME = select(*_LISTED).where(_c.name == bindparam("reference"))


class Campaigns(Rows):
    """Rows of the table `campaign`."""

    __slots__ = ()

    def add(self, campaign: Campaign, protocol: Protocol, corpus_hash: str, **plan: Json) -> int:
        """Store a new campaign; `plan` holds the design's options and the systems. Its number."""
        row = {
            "name": campaign.name,
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
        """By id or by name."""
        wanted = _BY_ID if isinstance(reference, int) else _BY_NAME
        row = self._connection.execute(wanted, {"reference": reference}).mappings().first()
        return _campaign(row) if row else None

    def all(self) -> list[Campaign]:
        """Every campaign, the newest first."""
        rows = self._connection.execute(select(*_LISTED).order_by(_c.id.desc())).mappings()
        return [_campaign(row) for row in rows]

    def of_account(self, account: int) -> list[Campaign]:
        """The campaigns an organiser or viewer belongs to, the newest first."""
        mine = select(schema.member.c.campaign).where(schema.member.c.account == account)
        rows = self._connection.execute(select(*_LISTED).where(_c.id.in_(mine)).order_by(_c.id.desc())).mappings()
        return [_campaign(row) for row in rows]

    def protocol(self, campaign: int) -> str:
        """The frozen protocol, as JSON."""
        return str(self._connection.execute(select(_c.protocol).where(_c.id == campaign)).scalar_one())

    def corpus_hash(self, campaign: int) -> str:
        return str(self._connection.execute(_CORPUS_HASH, {"reference": campaign}).scalar_one())

    def plan(self, campaign: int) -> dict[str, Json]:
        """What the design was given beside documents and judges: its options and the systems."""
        row = self._connection.execute(select(_c.options, _c.systems).where(_c.id == campaign)).one()
        return {"options": loads(row.options), "systems": loads(row.systems)}

    def version(self, campaign: int) -> int:
        """Counts the organisers' changes, so that two of them do not overwrite each other."""
        return int(self._connection.execute(select(_c.version).where(_c.id == campaign)).scalar_one())

    def lock(self, campaign: int) -> None:
        """Let no one else change this campaign until the transaction ends. Saves of judges go on meanwhile."""
        self._connection.execute(_LOCKED, {"reference": campaign}).scalar_one()

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
        asked = {
            "protocol_name": protocol.name,
            "protocol_version": protocol.version,
            "protocol_hash": protocol.hash,
            "protocol": protocol.model_dump_json(by_alias=True),
        }
        planned = {name: dumps(value) for name, value in plan.items()}
        self._change(campaign, {**asked, "corpus_hash": corpus_hash, "design": design, "seed": seed, **planned})

    def _change(self, campaign: int, values: dict[str, Any]) -> None:
        changed = update(schema.campaign).where(_c.id == campaign).values(**values, version=_c.version + 1)
        self._connection.execute(changed)

    def remove(self, campaign: int) -> None:
        """Delete a campaign and everything that belongs to it. There is no way back but a backup."""
        run = self._connection.execute
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

"""The texts of a campaign, one row per document, frozen when the campaign opens."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, Field, fields
from typing import Any

from sqlalchemy import delete, func, select, update

from lanner.model import Document, Json, Segment
from lanner.store import schema
from lanner.store.rows import Rows, dumps, loads

_d = schema.document.c
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
        wanted = select(_d.content).where(_d.campaign == campaign, _d.key != JUDGE_ITSELF).order_by(_d.position)
        return [decode(content) for (content,) in self._connection.execute(wanted)]

    def some(self, campaign: int, start: int, limit: int) -> list[Document]:
        """So many in the order they were given, after leaving some out."""
        wanted = select(_d.content).where(_d.campaign == campaign, _d.key != JUDGE_ITSELF).order_by(_d.position)
        return [decode(content) for (content,) in self._connection.execute(wanted.offset(start).limit(limit))]

    def counts(self, campaign: int) -> list[tuple[str, int, int]]:
        """Domains in order of appearance, each with how many documents and segments it has."""
        wanted = select(_d.domain, func.count(), func.sum(_d.segments))
        wanted = wanted.where(_d.campaign == campaign, _d.key != JUDGE_ITSELF).group_by(_d.domain)
        rows = self._connection.execute(wanted.order_by(func.min(_d.position)))
        return [(domain, documents, int(segments)) for domain, documents, segments in rows]

    def find(self, campaign: int, key: str) -> Document | None:
        wanted = select(_d.content).where(_d.campaign == campaign, _d.key == key)
        content = self._connection.execute(wanted).scalar()
        return decode(content) if content is not None else None

    def number(self, campaign: int, key: str) -> int | None:
        """The row of one document, or of the questionnaires."""
        wanted = select(_d.id).where(_d.campaign == campaign, _d.key == key)
        return self._connection.execute(wanted).scalar()

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
    """A document as JSON, without what is as it would be anyway."""
    return dumps({**_told(document, "segments"), "segments": [_told(segment) for segment in document.segments]})


def decode(content: str) -> Document:
    """What `encode` was given."""
    told = loads(content)
    segments = tuple(_segment(entry) for entry in told.pop("segments"))
    return Document(segments=segments, **told)


def fingerprint(documents: Iterable[Document]) -> str:
    """Twelve digits that change whenever a text changes."""
    digest = hashlib.sha256()
    for document in documents:
        digest.update(encode(document).encode() + b"\n")
    return digest.hexdigest()[:12]


def _segment(entry: Mapping[str, Json]) -> Segment:
    return Segment(**{**entry, "flags": tuple(entry.get("flags", ()))})


def _told(value: Document | Segment, *left_out: str) -> dict[str, Any]:
    told = {field.name: getattr(value, field.name) for field in fields(value) if field.name not in left_out}
    defaults = {field.name: _default(field) for field in fields(value)}
    return {name: given for name, given in told.items() if given != defaults[name]}


def _default(field: Field[Any]) -> Any:
    if field.default_factory is not MISSING:
        return field.default_factory()
    return field.default

"""What reading a file gives: documents, judges and judgements that belong together, with notes for the person."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from lanner.model import Document, Judge, Judgement


@dataclass(frozen=True, slots=True)
class Reading:
    """One part of what a file or folder holds.

    `protocol` names the protocol that the judgements answer; their labels are as the file spells them, since
    `lanner.protocols` resolves aliases and checks rules. `notes` are sentences worth showing: guesses and oddities.
    """

    name: str
    documents: tuple[Document, ...]
    judges: tuple[Judge, ...] = ()
    judgements: tuple[Judgement, ...] = ()
    protocol: str = ""
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class TextStream:
    """What a file holds that has texts and no judgements: its documents come one by one, so that it may be larger than
    memory. `notes` are complete when all documents have come."""

    name: str
    documents: Iterator[Document]
    notes: list[str] = field(default_factory=list)

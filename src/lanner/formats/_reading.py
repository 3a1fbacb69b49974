"""What reading a file gives: documents, judges and judgements that belong together, with notes for the person."""

from __future__ import annotations

from dataclasses import dataclass

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

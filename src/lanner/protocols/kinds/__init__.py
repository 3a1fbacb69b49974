"""The kinds of questions, one module each: everything that depends on the kind is there and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lanner.model import Question
from lanner.protocols.kinds import choice, grid, labels, number, rank, scale, spans, text
from lanner.protocols.kinds.base import Kind

KINDS: Mapping[str, Kind[Any]] = {
    "scale": scale.KIND,
    "number": number.KIND,
    "choice": choice.KIND,
    "labels": labels.KIND,
    "grid": grid.KIND,
    "spans": spans.KIND,
    "rank": rank.KIND,
    "text": text.KIND,
}


def kind_of(question: Question) -> Kind[Any]:
    """What is particular to questions of this kind."""
    return KINDS[question.kind]

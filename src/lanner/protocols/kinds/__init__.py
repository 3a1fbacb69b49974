"""The kinds of questions, one module each: everything that depends on the kind is there and nowhere else."""

from __future__ import annotations

from lanner.protocols.kinds import choice, grid, labels, number, rank, scale, spans, text
from lanner.protocols.kinds.base import KINDS, kind_of

__all__ = ["KINDS", "kind_of"]

KINDS |= {
    "scale": scale.KIND,
    "number": number.KIND,
    "choice": choice.KIND,
    "labels": labels.KIND,
    "grid": grid.KIND,
    "spans": spans.KIND,
    "rank": rank.KIND,
    "text": text.KIND,
}

"""How much disagreement goes if two labels are one: before and after, with the coefficient at the right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lanner.reports.svg import Drawing, fit
from lanner.reports.typeset import number, percent

_LEFT, _ROOM, _STEP = 150.0, 400.0, 70.0


@dataclass(frozen=True, slots=True)
class Merge:
    """Disagreements of one pair of judges: how many are between the two labels, how many in all, κ before and after."""

    pair: str
    between: int
    total: int
    before: float | None
    after: float | None


def merging(labels: tuple[str, str], merges: Sequence[Merge]) -> Drawing:
    """Stacked bars of all disagreements, with those between the two labels first, and what is left without them."""
    most = max((merge.total for merge in merges), default=1) or 1
    drawing = Drawing(f"Disagreements before and after merging {labels[0]} and {labels[1]}", 30 + _STEP * len(merges))
    drawing.text(_LEFT, 16, fit("–".join(labels), 260), "tacc")
    drawing.text(_LEFT + 10 + 7.6 * min(37, len("–".join(labels))), 16, "all other label pairs", "tm")
    drawing.text(756, 16, "κ", "tb", "end")
    for place, merge in enumerate(merges):
        y = 34 + _STEP * place
        width, rest = _ROOM * merge.between / most, _ROOM * (merge.total - merge.between) / most
        drawing.lines(0, y + 27, merge.pair, _LEFT - 8, "tb")
        drawing.rect(_LEFT, y, width, 20, "a1")
        share = percent(merge.between / merge.total, 0) if merge.total else "—"
        if width > 90:
            drawing.text(_LEFT + 8, y + 15, f"{merge.between}  ({share})", "tb")
        drawing.rect(_LEFT + width + 1.5, y, rest, 20, "a0")
        if rest > 34:
            drawing.text(_LEFT + width + 9.5, y + 15, str(merge.total - merge.between))
        drawing.text(_LEFT + width + rest + 9.5, y + 15, f"{merge.total} before")
        drawing.rect(_LEFT, y + 25, rest, 20, "a0")
        drawing.text(_LEFT + rest + 8, y + 40, f"{merge.total - merge.between} after")
        drawing.text(756, y + 15, number(merge.before), "t", "end")
        drawing.text(756, y + 40, number(merge.after), "tb", "end")
        if merge.before is not None and merge.after is not None:
            change = merge.after - merge.before
            drawing.text(708, y + 40, ("+" if change >= 0 else "") + number(change), "tm", "end")
    return drawing

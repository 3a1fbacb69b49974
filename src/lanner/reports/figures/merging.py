"""How much disagreement goes if two labels are one: before and after, with the coefficient at the right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lanner.reports.svg import WIDTH, Drawing, fit, width
from lanner.reports.typeset import number, percent

_LEAST_LEFT, _MOST_LEFT, _RIGHT, _STEP = 150.0, 230.0, 210.0, 70.0


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
    halves = [half for merge in merges for half in _halves(merge.pair)]
    left = min(_MOST_LEFT, max([_LEAST_LEFT, *(14 + 1.04 * width(half) for half in halves)]))
    room = WIDTH - _RIGHT - left
    drawing.text(left, 16, fit("–".join(labels), 260), "tacc")
    drawing.text(left + 10 + 7.6 * min(37, len("–".join(labels))), 16, "all other label pairs", "tm")
    drawing.text(756, 16, "κ", "tb", "end")
    for place, merge in enumerate(merges):
        y = 34 + _STEP * place
        part, rest = room * merge.between / most, room * (merge.total - merge.between) / most
        lines = _halves(merge.pair) if width(merge.pair) > left - 8 else [merge.pair]
        for line, words in enumerate(lines):
            at = y + 27 + 15 * (line - (len(lines) - 1) / 2)
            drawing.text(0, at, fit(words, left - 8), "tb", title=merge.pair if fit(words, left - 8) != words else "")
        drawing.rect(left, y, part, 20, "a1")
        share = percent(merge.between / merge.total, 0) if merge.total else "—"
        if part > 90:
            drawing.text(left + 8, y + 15, f"{merge.between}  ({share})", "tb")
        drawing.rect(left + part + 1.5, y, rest, 20, "a0")
        if rest > 34:
            drawing.text(left + part + 9.5, y + 15, str(merge.total - merge.between))
        drawing.text(left + part + rest + 9.5, y + 15, f"{merge.total} before")
        drawing.rect(left, y + 25, rest, 20, "a0")
        drawing.text(left + rest + 8, y + 40, f"{merge.total - merge.between} after")
        drawing.text(756, y + 15, number(merge.before), "t", "end")
        drawing.text(756, y + 40, number(merge.after), "tb", "end")
        if merge.before is not None and merge.after is not None:
            change = merge.after - merge.before
            drawing.text(708, y + 40, ("+" if change >= 0 else "") + number(change), "tm", "end")
    return drawing


def _halves(pair: str) -> list[str]:
    """The two judges of a pair, each on its line."""
    first, dash, second = pair.partition(" – ")
    return [f"{first} –", second] if dash else [pair]

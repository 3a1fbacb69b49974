"""Stacked bars, one row each, on one zero: what part of a whole is what. Counts stand on the bar where they fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lanner.reports.svg import WIDTH, Drawing, fit

_LEFT, _ROOM, _STEP, _TOP = 210.0, 380.0, 38.0, 30.0


@dataclass(frozen=True, slots=True)
class Bar:
    """`parts` are (style, size, words); the words stand above, once for each style. `note` stands at the right."""

    label: str
    parts: Sequence[tuple[str, float, str]]
    note: str = ""


def bars(label: str, rows: Sequence[Bar], *, most: float | None = None) -> Drawing:
    """All bars share one scale; `most` is its end, else the largest sum."""
    end = most or max((sum(size for _, size, _ in row.parts) for row in rows), default=1.0) or 1.0
    drawn = {(style, words) for row in rows for style, size, words in row.parts if words and size}
    known = dict.fromkeys((style, words) for row in rows for style, _, words in row.parts)
    named = [part for part in known if part in drawn]  # in the order in which rows name their parts, empty ones too
    top = _TOP if named else 6.0
    drawing = Drawing(label, top + _STEP * len(rows) + 6)
    x = _LEFT
    for style, words in named:
        drawing.rect(x, 6, 12, 12, style)
        drawing.text(x + 17, 16, words, "tm")
        x += 34 + 7 * len(words)
    for place, row in enumerate(rows):
        y, at = top + _STEP * place, _LEFT
        drawing.lines(0, y + 18, row.label, _LEFT - 12, "tb")
        for style, size, words in row.parts:
            width = _ROOM * size / end
            drawing.rect(at, y, width, 26, style, f"{row.label}, {words or 'part'}: {size:g}")
            if words and width > 26 and float(size).is_integer():
                drawing.text(at + 7, y + 18, f"{size:,.0f}", "ts")
            at += width
        drawing.text(_LEFT + _ROOM + 12, y + 18, fit(row.note, WIDTH - _LEFT - _ROOM - 12, 6.6))
    return drawing

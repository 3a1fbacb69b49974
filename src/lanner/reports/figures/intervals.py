"""Estimates with their intervals, one row each: agreement per question, scores per system."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lanner.reports.figures.axis import axis
from lanner.reports.svg import WIDTH, Drawing
from lanner.reports.typeset import number

_LEFT, _RIGHT, _STEP, _TOP = 200.0, 560.0, 30.0, 26.0


@dataclass(frozen=True, slots=True)
class Row:
    """One estimate. `note` stands at the right (n, rank range); `hollow` marks models; `rule` draws a line above."""

    label: str
    value: float | None
    low: float | None = None
    high: float | None = None
    note: str = ""
    hollow: bool = False
    rule: bool = False


def intervals(
    label: str, rows: Sequence[Row], *, bounded: bool = True, digits: int = 2, minimum: float | None = None
) -> Drawing:
    """Dots with 95 % bars on one axis, the number beside each. `minimum` is a dashed line: what was planned."""
    height = _TOP + _STEP * len(rows)
    drawing = Drawing(label, height + 26)
    ends = [value for row in rows for value in (row.value, row.low, row.high) if value is not None]
    include = 0.0 if bounded else None
    scale = axis([*ends, *([minimum] if minimum is not None else [])], _LEFT, _RIGHT, include=include)
    scale.draw(drawing, _TOP - 10, height, bounded=bounded)
    if minimum is not None:
        x = scale.place(minimum)
        drawing.line(x, _TOP - 14, x, height, "min")
        drawing.text(x, _TOP - 16, "planned", "tm", "middle")
    for place, row in enumerate(rows):
        y = _TOP + _STEP * place + 10
        if row.rule:
            drawing.line(0, y - 15, WIDTH, y - 15, "ax")
        drawing.lines(0, y + 4, row.label, _LEFT - 6, "t" if row.hollow else "tb")
        if row.value is None:
            drawing.text(_LEFT, y + 4, "not defined", "tm")
        else:
            if row.low is not None and row.high is not None:
                drawing.line(scale.place(row.low), y, scale.place(row.high), y, "fi b")
            title = f"{row.label}: {row.value:.4f}"
            drawing.circle(scale.place(row.value), y, 5, "fo" if row.hollow else "fk2", title)
            text = number(row.value, digits, bounded=bounded)
            if row.low is not None and row.high is not None:
                ends_text = (number(end, digits, bounded=bounded) for end in (row.low, row.high))
                text += " [" + ", ".join(ends_text) + "]"
            drawing.text(_RIGHT + 16, y + 4, text, "tb")
        drawing.text(WIDTH, y + 4, row.note, "tm", "end")
    return drawing

"""Which side is preferred: bars centred on the ties, percentages and counts on them, the sign test at the right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lanner.reports.svg import WIDTH, Drawing
from lanner.reports.typeset import p_value, percent

_CENTRE, _HALF, _STEP = 380.0, 236.0, 42.0


@dataclass(frozen=True, slots=True)
class Preference:
    """Counts for one condition: the left side, ties, the right side, and the test of right against left."""

    group: str
    label: str
    left: int
    ties: int
    right: int
    p: float | None = None


def preference(rows: Sequence[Preference], left: str, right: str) -> Drawing:
    """Diverging bars; bold p where it is below .05."""
    most = max((max(row.left, row.right) + row.ties / 2 for row in rows), default=1) or 1
    scale = _HALF / most
    groups = len({row.group for row in rows if row.group})
    drawing = Drawing(f"Preferences for {left} or {right}, with ties", 30 + _STEP * len(rows) + 22 * groups + 10)
    drawing.text(_CENTRE - 44, 16, f"◀ {left} preferred", "tb", "end")
    drawing.text(_CENTRE, 16, "tie", "tm", "middle")
    drawing.text(_CENTRE + 44, 16, f"{right} preferred ▶", "tb")
    drawing.text(WIDTH, 16, "sign test, ties dropped", "tm", "end")
    y, shown = 30.0, ""
    for row in rows:
        if row.group and row.group != shown:
            shown = row.group
            drawing.text(0, y + 18, row.group, "tb")
            y += 22
        _bar(drawing, y, row, scale)
        y += _STEP
    return drawing


def _bar(drawing: Drawing, y: float, row: Preference, scale: float) -> None:
    n = row.left + row.ties + row.right or 1
    tie = row.ties * scale
    first, last = _CENTRE - tie / 2 - 1.5 - row.left * scale, _CENTRE + tie / 2 + 1.5
    drawing.lines(0, y + 18, row.label, 132)
    drawing.rect(first, y, row.left * scale, 28, "pmt", f"{row.left} of {n}")
    drawing.rect(_CENTRE - tie / 2, y, tie, 28, "a0", f"{row.ties} ties of {n}")
    drawing.rect(last, y, row.right * scale, 28, "phu", f"{row.right} of {n}")
    if row.left * scale > 70:
        drawing.text(first + 8, y + 19, percent(row.left / n, 0), "tb")
    drawing.text(_CENTRE - tie / 2 - 8, y + 19, str(row.left), "ts", "end")
    drawing.text(_CENTRE, y + 19, str(row.ties), "ts", "middle")
    if row.right * scale > 70:
        drawing.text(last + 8, y + 19, percent(row.right / n, 0), "tb")
    drawing.text(last + row.right * scale - 8, y + 19, str(row.right), "ts", "end")
    strong = row.p is not None and row.p < 0.05
    drawing.text(WIDTH, y + 13, p_value(row.p), "tb" if strong else "t", "end")
    drawing.text(WIDTH, y + 29, f"{row.right} of {row.left + row.right}", "tm", "end")

"""How many: bars of counts with the number on the bar, the mode darker, the mean as a triangle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lanner.reports.figures.names import told_apart
from lanner.reports.svg import WIDTH, Drawing

_TALL, _BASE = 110.0, 158.0


def histogram(panels: Sequence[tuple[str, Mapping[int, int]]], what: str) -> Drawing:
    """One panel per judge, from count to how often; all share the same values and the same height."""
    values = sorted({value for _, counts in panels for value in counts})
    span = range(values[0], values[-1] + 1) if values else range(0)
    most = max((number for _, counts in panels for number in counts.values()), default=1) or 1
    across = min(2, len(panels)) or 1
    panel_width = WIDTH / across
    rows = -(-len(panels) // across)
    drawing = Drawing(f"How many {what}", 196.0 * max(1, rows))
    bar = min(54.0, (panel_width - 50) / max(1, len(span)))
    names = told_apart([name for name, _ in panels], 120)
    for place, (name, counts) in enumerate(zip(names, (counts for _, counts in panels), strict=True)):
        left, top = 20 + panel_width * (place % across), 196.0 * (place // across)
        n = sum(counts.values())
        mean = sum(value * number for value, number in counts.items()) / n if n else 0.0
        drawing.text(left, top + 16, name, "tb")
        drawing.text(left + min(130, 10 + 8 * len(name)), top + 16, f"mean {mean:.2f}, n {n}", "tm")
        mode = max(counts, key=lambda value: (counts[value], -value)) if counts else None
        for column, value in enumerate(span):
            number = counts.get(value, 0)
            x, height = left + bar * column, _TALL * number / most
            drawing.rect(x, top + _BASE - height, bar - 8, height, "a1" if value == mode else "a0")
            style = "tb" if value == mode else "t"
            drawing.text(x + (bar - 8) / 2, top + _BASE - height - 6, str(number), style, "middle")
            drawing.text(x + (bar - 8) / 2, top + _BASE + 18, str(value), "t", "middle")
        drawing.line(left - 4, top + _BASE, left + bar * len(span), top + _BASE, "ax")
        if span:
            drawing.triangle(left + bar * (mean - span[0]) + (bar - 8) / 2, top + _BASE + 1, 4, "fk")
        drawing.text(left, top + _BASE + 34, what, "tm")
    return drawing

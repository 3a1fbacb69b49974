"""A quantity along another: score along the document, stability along the number of judges. Each line is labelled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lanner.figures.drawing import WIDTH, Drawing, axis, wrap

_LEFT, _RIGHT, _TOP, _TALL = 52.0, 520.0, 16.0, 210.0
_STYLES = ("c0", "c1", "c2", "c3")
_NEAR = 19.0
_SIDE = WIDTH - _RIGHT - 34


@dataclass(frozen=True, slots=True)
class Curve:
    """Points (x, y) from left to right; `band` holds (low, high) for each point where there is an interval."""

    label: str
    points: Sequence[tuple[float, float]]
    band: Sequence[tuple[float, float] | None] = ()


def curves(label: str, rows: Sequence[Curve], across: str, *, top: float | None = None) -> Drawing:
    """Lines on shared axes, told apart by dash as well as by colour; labels stand at their ends and never overlap."""
    drawing = Drawing(label, _TOP + _TALL + 44)
    points = [point for row in rows for point in row.points]
    ends = [end for row in rows for pair in row.band if pair for end in pair]
    wide = axis([x for x, _ in points], _LEFT, _RIGHT, ticks=6, include=None)
    high = axis([*(y for _, y in points), *ends, *([top] if top is not None else [])], 0, _TALL, ticks=4, include=None)

    def level(value: float) -> float:
        return _TOP + _TALL - high.place(value)

    for tick in high.ticks:
        drawing.line(_LEFT, level(tick), _RIGHT, level(tick), "gr")
        drawing.text(_LEFT - 8, level(tick) + 4, _tick(tick, bounded=top == 1.0), "tm", "end")
    whole = all(float(x).is_integer() for x, _ in points)
    for tick in wide.ticks:
        if float(tick).is_integer() or not whole:
            drawing.text(wide.place(tick), _TOP + _TALL + 18, f"{tick:g}", "tm", "middle")
    drawing.text((_LEFT + _RIGHT) / 2, _TOP + _TALL + 38, across, "tm", "middle")
    for place, row in enumerate(rows):
        style = _STYLES[place % len(_STYLES)]
        for (x, _), pair in zip(row.points, row.band, strict=False):
            if pair:
                drawing.line(wide.place(x), level(pair[0]), wide.place(x), level(pair[1]), f"bd {style}")
        drawing.trace([(wide.place(x), level(y)) for x, y in row.points], f"cv {style}")
        for x, y in row.points:
            drawing.circle(wide.place(x), level(y), 3, f"cd {style}", f"{row.label}, {x:g}: {y:.3f}")
    for row, y in _apart([(row, level(row.points[-1][1])) for row in rows if row.points]):
        style = _STYLES[list(rows).index(row) % len(_STYLES)]
        drawing.line(_RIGHT + 8, y - 4, _RIGHT + 28, y - 4, f"cv {style}")
        drawing.lines(_RIGHT + 34, y, row.label, _SIDE)
    return drawing


def _tick(value: float, *, bounded: bool) -> str:
    text = f"{abs(value):.2f}".rstrip("0").rstrip(".")
    text = text.removeprefix("0") if bounded and text.startswith("0.") else text
    return f"−{text}" if value < 0 and text.strip("0.") else text


def _apart(labels: Sequence[tuple[Curve, float]]) -> list[tuple[Curve, float]]:
    """Labels from top to bottom, pushed down where two would touch."""
    placed: list[tuple[Curve, float]] = []
    for row, y in sorted(labels, key=lambda label: label[1]):
        tall = len(wrap(row.label, _SIDE)) - 1
        least = placed[-1][1] + _NEAR + 7 * (tall + len(wrap(placed[-1][0].label, _SIDE)) - 1) if placed else 0.0
        at = max(y + 4, least)
        placed.append((row, at))
    return placed

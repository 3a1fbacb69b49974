"""Figures of fine scales, such as 0 to 100: how each judge uses them, and who scores higher than the others.

Functions take finished numbers and give SVG; nothing here computes a statistic.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from lanner.reports.svg import Drawing
from lanner.reports.typeset import count as thousands
from lanner.web.page.speech import say
from lanner.web.picture.naming import beside, put


@dataclass(frozen=True, slots=True)
class Spread:
    """How one judge uses a fine scale: the middle, the middle half, and the share of answers in equal bands."""

    middle: float
    low: float
    high: float
    bands: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Leaning:
    """How much higher one judge scores than the others on the same texts, with its interval over documents."""

    judge: str
    value: float
    low: float | None
    high: float | None
    items: int
    signature: str = ""


def distributions(judges: Sequence[tuple[str, bool, Spread]], bounds: tuple[float, float], caption: str) -> Markup:
    """How each judge uses a fine scale: answers in bands as small bars, below them the middle half and the middle."""
    left, shown = beside(name for name, _, _ in judges)
    width, tall, y = 402.0, 46.0, 4.0
    low, high = bounds
    drawing = Drawing(say("How the answers of each judge lie on the scale, {what}", what=caption), 0, width)
    top = max((share for _, _, spread in judges for share in spread.bands), default=1) or 1
    right = width - 46

    def x(value: float) -> float:
        return left + (right - left) * (value - low) / ((high - low) or 1)

    bottom = y + (tall + 8) * len(judges)
    for tick in range(5):
        at = low + (high - low) * tick / 4
        drawing.line(x(at), y, x(at), bottom, "gr")
        drawing.text(x(at), bottom + 14, f"{at:g}", "tm", "middle")
    drawing.text(width, 10, say("median"), "tm", "end")
    for row, (name, model, spread) in enumerate(judges):
        base = y + (tall + 8) * row + tall - 10
        title = say(
            "{name}: median {middle}, middle half {low} to {high}",
            name=name, middle=f"{spread.middle:g}", low=f"{spread.low:g}", high=f"{spread.high:g}",
        )  # fmt: skip
        put(drawing, (0, base - 8), (shown[row], name), "t" if model else "tb", "start")
        step = (right - left) / max(1, len(spread.bands))
        for band, share in enumerate(spread.bands):
            if share > 0:
                size = max(1.0, (tall - 14) * share / top)
                begin = low + (high - low) * band / len(spread.bands)
                end = low + (high - low) * (band + 1) / len(spread.bands)
                drawing.rect(
                    left + step * band + 0.5, base - size, step - 1, size, "pm" if model else "pd",
                    title=f"{name} {begin:g}–{end:g}: {100 * share:.1f} %", rx=1,
                )  # fmt: skip
        drawing.rect(x(spread.low), base + 3, max(2.0, x(spread.high) - x(spread.low)), 5, "ci", title=title, rx=2)
        drawing.circle(x(spread.middle), base + 5.5, 3.5, "pt0", title=title)
        drawing.text(width, base, f"{spread.middle:g}", "t" if model else "tb", "end")
    drawing.text(left, bottom + 32, caption, "tm")
    drawing.height = bottom + 38
    return Markup(str(drawing))  # the drawing escapes every word it is given


def leanings(rows: Sequence[tuple[str, Leaning]]) -> Markup:
    """Who scores higher or lower than the others on the same texts: a dot with its interval, zero in the middle."""
    left, shown = beside(name for name, _ in rows)
    width, right = 402.0, 330.0
    bottom = 22.0 + 34 * len(rows)
    drawing = Drawing(say("How much higher each judge scores than the others"), bottom + 6, width)
    reach = max([0.1, *(abs(end) for _, row in rows for end in (row.value, row.low, row.high) if end is not None)])
    zero = (left + right) / 2

    def x(value: float) -> float:
        return zero + (right - left) / 2 * value / reach

    drawing.line(zero, 16, zero, bottom, "base")
    drawing.text(zero, 11, say("like the others"), "tm", "middle")
    for at, (name, row) in enumerate(rows):
        y = 38.0 + 34 * at
        put(drawing, (0, y + 4), (shown[at], name), "tb" if at == 0 else "t", "start")
        if row.low is not None and row.high is not None:
            drawing.rect(x(row.low), y - 6, x(row.high) - x(row.low), 12, "ci", rx=3)
        words = f"{row.value:+.1f}".replace("-", "−")
        drawing.circle(x(row.value), y, 4.5, "pt0", title=f"{name} {words}, n {thousands(row.items)}")
        drawing.text(width, y + 4, words, "tb" if at == 0 else "t", "end")
    return Markup(str(drawing))  # the drawing escapes every word it is given

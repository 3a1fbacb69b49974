"""What a score is made of: coefficients with intervals, hollow before and filled after a block is added; R² beside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lanner.reports.figures.axis import Axis, axis
from lanner.reports.figures.names import told_apart
from lanner.reports.svg import WIDTH, Drawing
from lanner.reports.typeset import number

_LEFT, _SIDE, _STEP, _TOP = 168.0, 622.0, 27.0, 66.0


@dataclass(frozen=True, slots=True)
class Effect:
    """One coefficient with its interval; `p` marks those that differ from zero."""

    value: float
    low: float
    high: float
    p: float | None = None


@dataclass(frozen=True, slots=True)
class Panel:
    """One judge: effects of the first model and of the full one, and the share of variance each block explains."""

    title: str
    note: str
    first: Mapping[str, Effect]
    full: Mapping[str, Effect]
    r_squared: Sequence[tuple[str, float]]


def forest(
    terms: Sequence[tuple[str, str, str]],
    panels: Sequence[Panel],
    unit: str,
    models: tuple[str, str] = ("first block only", "with all blocks"),
) -> Drawing:
    """`terms` are (id, words, group) from top to bottom, `models` what hollow and filled marks stand for. All panels
    share one axis."""
    effects = [e for panel in panels for effects in (panel.first, panel.full) for e in effects.values()]
    width = (_SIDE - _LEFT - 20 * len(panels)) / max(1, len(panels))
    bottom = _TOP + _STEP * len(terms) + 8
    drawing = Drawing("Coefficients with 95 percent intervals, and R squared", max(bottom + 44, 90 + 120 * len(panels)))
    drawing.circle(_LEFT + 4, 32, 3.6, "fo")
    drawing.text(_LEFT + 14, 36, models[0], "tm")
    right = _LEFT + 34 + max(98.0, 7.0 * len(models[0]))
    drawing.circle(right, 32, 4, "fk")
    drawing.text(right + 10, 36, models[1], "tm")
    names = told_apart([panel.title for panel in panels], min(90.0, width - 46))
    for place, panel in enumerate(panels):
        left = _LEFT + place * (width + 20)
        scale = axis([end for e in effects for end in (e.low, e.high)], left, left + width)
        drawing.text(left, 16, names[place], "tb")
        drawing.text(left + 10 + 8 * len(names[place]), 16, panel.note, "tm")
        scale.draw(drawing, _TOP - 14, bottom)
        for row, (term, words, group) in enumerate(terms):
            y = _TOP + _STEP * row
            if before := panel.first.get(term):
                _effect(drawing, scale, before, y - 4, "fi o", "fo", words)
            if after := panel.full.get(term):
                line, dot = (f"fi {group}", f"g-{group}") if group else ("fi b", "fk")
                _effect(drawing, scale, after, y + 4, line, dot, words)
                if after.p is not None and after.p < 0.05:
                    drawing.text(scale.place(after.high) + 4, y + 9, "*", "tb")
    for row, (_, words, group) in enumerate(terms):
        y = _TOP + _STEP * row
        drawing.lines(12, y + 4, words, _LEFT - 20, "t" if group else "tb")
        if group:
            drawing.rect(0, y - _STEP / 2, 3, _STEP, f"g-{group}", rx=0)
    drawing.text(_LEFT, bottom + 34, unit, "tm")
    _explained(drawing, panels)
    return drawing


def _effect(drawing: Drawing, scale: Axis, effect: Effect, y: float, line: str, dot: str, words: str) -> None:
    drawing.line(scale.place(effect.low), y, scale.place(effect.high), y, line)
    title = f"{words}: {effect.value:.3f} [{effect.low:.3f}, {effect.high:.3f}]"
    drawing.circle(scale.place(effect.value), y, 3.8, dot, title)


def _explained(drawing: Drawing, panels: Sequence[Panel]) -> None:
    drawing.text(_SIDE, 16, "R², share explained", "tb")
    y, room = 44.0, WIDTH - _SIDE - 4
    for title, panel in zip(told_apart([panel.title for panel in panels], room, 8.2), panels, strict=True):
        drawing.text(_SIDE, y, title, "tb")
        y += 8
        for place, (name, share) in enumerate(panel.r_squared):
            drawing.rect(_SIDE, y, room, 16, "trk")
            drawing.rect(_SIDE, y, room * share, 16, "a1" if place == len(panel.r_squared) - 1 else "a0")
            drawing.text(_SIDE + room * share + 5, y + 13, number(share, 2), "tb")
            drawing.text(_SIDE, y + 29, name, "tm")
            y += 36
        y += 18

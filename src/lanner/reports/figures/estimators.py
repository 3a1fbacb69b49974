"""The same coefficients estimated several ways, side by side: what changes is the interval, seldom the estimate."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from lanner.reports.figures.axis import Axis, axis
from lanner.reports.figures.forest import Effect
from lanner.reports.figures.names import told_apart
from lanner.reports.svg import WIDTH, Drawing, width

_LEFT, _STEP, _TOP, _GAP = 168.0, 34.0, 62.0, 9.0


@dataclass(frozen=True, slots=True)
class Estimator:
    """One way of estimating, with its coefficients by term."""

    name: str
    effects: Mapping[str, Effect]


@dataclass(frozen=True, slots=True)
class Group:
    """One judge, or all together, with the estimators in the same order everywhere."""

    title: str
    note: str
    estimators: Sequence[Estimator]


def estimators(terms: Sequence[tuple[str, str, str]], groups: Sequence[Group], unit: str) -> Drawing:
    """`terms` are (id, words, group) from top to bottom; at most three estimators, told apart by shape as well."""
    every = [e for group in groups for one in group.estimators for e in one.effects.values()]
    room = (WIDTH - _LEFT - 20 * len(groups)) / max(1, len(groups))
    bottom = _TOP + _STEP * len(terms)
    drawing = Drawing("Coefficients with 95 percent intervals, estimated in several ways", bottom + 44)
    if groups and len(groups[0].estimators) > 1:
        _legend(drawing, [one.name for one in groups[0].estimators])
    titles = told_apart([group.title for group in groups], room - 60)
    for place, group in enumerate(groups):
        left = _LEFT + place * (room + 20)
        scale = axis([end for e in every for end in (e.low, e.high)], left, left + room)
        title = titles[place]
        drawing.text(left, 40, title, "tb")
        drawing.text(left + width(title, 8) + 8, 40, group.note, "tm")
        scale.draw(drawing, _TOP - 12, bottom)
        for row, (term, words, _) in enumerate(terms):
            for at, one in enumerate(group.estimators):
                if effect := one.effects.get(term):
                    y = _TOP + _STEP * row + 3 + _GAP * (at - (len(group.estimators) - 1) / 2)
                    _mark(
                        drawing,
                        scale,
                        effect,
                        y,
                        at if len(group.estimators) > 1 else 1,
                        f"{group.title}, {words}, {one.name}",
                    )
    for row, (_, words, group_id) in enumerate(terms):
        y = _TOP + _STEP * row
        drawing.lines(12, y + 7, words, _LEFT - 20, "t" if group_id else "tb")
        if group_id:
            drawing.rect(0, y - _STEP / 2 + 3, 3, _STEP, f"g-{group_id}", rx=0)
    drawing.text(_LEFT, bottom + 36, unit, "tm")
    return drawing


def _mark(drawing: Drawing, scale: Axis, effect: Effect, y: float, at: int, title: str) -> None:
    drawing.line(scale.place(effect.low), y, scale.place(effect.high), y, "fi o" if at != 1 else "fi b")
    shape, style = _shape(drawing, at)
    numbers = f"{title}: {effect.value:.3f} [{effect.low:.3f}, {effect.high:.3f}]"
    shape(scale.place(effect.value), y, 3.6, style, numbers)


def _shape(drawing: Drawing, at: int) -> tuple[Callable[[float, float, float, str, str], None], str]:
    if at == 2:
        return drawing.diamond, "dm"
    return drawing.circle, ("fo", "fk2")[at]


def _legend(drawing: Drawing, names: Sequence[str]) -> None:
    x = _LEFT
    for at, name in enumerate(names):
        shape, style = _shape(drawing, at)
        shape(x + 4, 12, 3.8, style, "")
        drawing.text(x + 14, 16, name, "tm")
        x += 34 + width(name)

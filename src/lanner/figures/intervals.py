"""Estimates with their intervals: one row each, coefficients before and after a block, several ways of estimating, or
along a line."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from lanner.figures.drawing import WIDTH, Axis, Drawing, axis, fit, told_apart, width, wrap
from lanner.figures.typeset import number

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


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference of two systems with its interval: whether it is "decided", "within" a margin or "open", and the
    words for it."""

    label: str
    value: float
    low: float | None
    high: float | None
    state: str
    words: str


def differences(label: str, rows: Sequence[Difference], margin: float | None = None) -> Drawing:
    """One row for each pair, all on one axis around zero, with the margin that was set as a zone. Filled marks are
    decided, hollow ones are not."""
    step, top = 22.0, 34.0
    bottom = top + step * len(rows)
    drawing = Drawing(label, bottom + 26)
    ends = [end for row in rows for end in (row.value, row.low, row.high) if end is not None]
    scale = axis([*ends, *((-margin, margin) if margin else ())], _LEFT - 20, _RIGHT - 40)
    if margin:
        left, right = scale.place(-margin), scale.place(margin)
        drawing.rect(left, top - 8, right - left, bottom - top + 8, "zone")
        drawing.text((left + right) / 2, top - 14, f"margin ±{margin:g}", "tb", "middle")
    scale.draw(drawing, top - 8, bottom)
    for place, row in enumerate(rows):
        y = top + step * place + 8
        style = "t" if row.state == "decided" else "tb"
        drawing.text(_LEFT - 34, y + 4, fit(row.label, _LEFT - 40), style, "end", title=row.label)
        text = number(row.value, 2, bounded=False)
        if row.low is not None and row.high is not None:
            drawing.line(
                scale.place(row.low), y, scale.place(row.high), y, "fi b" if row.state == "decided" else "fi o"
            )
            text += f" [{number(row.low, 2, bounded=False)}, {number(row.high, 2, bounded=False)}]"
        dot = "fk2" if row.state == "decided" else "fo"
        drawing.circle(scale.place(row.value), y, 4.5, dot, f"{row.label}: {text}, {row.words}")
        drawing.text(_RIGHT - 24, y + 4, text, style)
        drawing.text(WIDTH, y + 4, row.words, "tm" if row.state == "decided" else "tb", "end")
    return drawing


_LEFT_FOREST, _SIDE, _STEP_FOREST, _TOP_FOREST = 168.0, 622.0, 27.0, 66.0


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
    width = (_SIDE - _LEFT_FOREST - 20 * len(panels)) / max(1, len(panels))
    bottom = _TOP_FOREST + _STEP_FOREST * len(terms) + 8
    drawing = Drawing("Coefficients with 95 percent intervals, and R squared", max(bottom + 44, 90 + 120 * len(panels)))
    drawing.circle(_LEFT_FOREST + 4, 32, 3.6, "fo")
    drawing.text(_LEFT_FOREST + 14, 36, models[0], "tm")
    right = _LEFT_FOREST + 34 + max(98.0, 7.0 * len(models[0]))
    drawing.circle(right, 32, 4, "fk")
    drawing.text(right + 10, 36, models[1], "tm")
    names = told_apart([panel.title for panel in panels], min(90.0, width - 46))
    for place, panel in enumerate(panels):
        left = _LEFT_FOREST + place * (width + 20)
        scale = axis([end for e in effects for end in (e.low, e.high)], left, left + width)
        drawing.text(left, 16, names[place], "tb")
        drawing.text(left + 10 + 8 * len(names[place]), 16, panel.note, "tm")
        scale.draw(drawing, _TOP_FOREST - 14, bottom)
        for row, (term, words, group) in enumerate(terms):
            y = _TOP_FOREST + _STEP_FOREST * row
            if before := panel.first.get(term):
                _effect(drawing, scale, before, y - 4, "fi o", "fo", words)
            if after := panel.full.get(term):
                line, dot = (f"fi {group}", f"g-{group}") if group else ("fi b", "fk")
                _effect(drawing, scale, after, y + 4, line, dot, words)
                if after.p is not None and after.p < 0.05:
                    drawing.text(scale.place(after.high) + 4, y + 9, "*", "tb")
    for row, (_, words, group) in enumerate(terms):
        y = _TOP_FOREST + _STEP_FOREST * row
        drawing.lines(12, y + 4, words, _LEFT_FOREST - 20, "t" if group else "tb")
        if group:
            drawing.rect(0, y - _STEP_FOREST / 2, 3, _STEP_FOREST, f"g-{group}", rx=0)
    drawing.text(_LEFT_FOREST, bottom + 34, unit, "tm")
    _draw_r_squared(drawing, panels)
    return drawing


def _effect(drawing: Drawing, scale: Axis, effect: Effect, y: float, line: str, dot: str, words: str) -> None:
    drawing.line(scale.place(effect.low), y, scale.place(effect.high), y, line)
    title = f"{words}: {effect.value:.3f} [{effect.low:.3f}, {effect.high:.3f}]"
    drawing.circle(scale.place(effect.value), y, 3.8, dot, title)


def _draw_r_squared(drawing: Drawing, panels: Sequence[Panel]) -> None:
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


_LEFT_ESTIMATORS, _STEP_ESTIMATORS, _TOP_ESTIMATORS, _GAP = 168.0, 34.0, 62.0, 9.0


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
    room = (WIDTH - _LEFT_ESTIMATORS - 20 * len(groups)) / max(1, len(groups))
    bottom = _TOP_ESTIMATORS + _STEP_ESTIMATORS * len(terms)
    drawing = Drawing("Coefficients with 95 percent intervals, estimated in several ways", bottom + 44)
    if groups and len(groups[0].estimators) > 1:
        _legend(drawing, [one.name for one in groups[0].estimators])
    titles = told_apart([group.title for group in groups], room - 60)
    for place, group in enumerate(groups):
        left = _LEFT_ESTIMATORS + place * (room + 20)
        scale = axis([end for e in every for end in (e.low, e.high)], left, left + room)
        title = titles[place]
        drawing.text(left, 40, title, "tb")
        drawing.text(left + width(title, 8) + 8, 40, group.note, "tm")
        scale.draw(drawing, _TOP_ESTIMATORS - 12, bottom)
        for row, (term, words, _) in enumerate(terms):
            for at, one in enumerate(group.estimators):
                if effect := one.effects.get(term):
                    y = _TOP_ESTIMATORS + _STEP_ESTIMATORS * row + 3 + _GAP * (at - (len(group.estimators) - 1) / 2)
                    _mark(
                        drawing,
                        scale,
                        effect,
                        y,
                        at if len(group.estimators) > 1 else 1,
                        f"{group.title}, {words}, {one.name}",
                    )
    for row, (_, words, group_id) in enumerate(terms):
        y = _TOP_ESTIMATORS + _STEP_ESTIMATORS * row
        drawing.lines(12, y + 7, words, _LEFT_ESTIMATORS - 20, "t" if group_id else "tb")
        if group_id:
            drawing.rect(0, y - _STEP_ESTIMATORS / 2 + 3, 3, _STEP_ESTIMATORS, f"g-{group_id}", rx=0)
    drawing.text(_LEFT_ESTIMATORS, bottom + 36, unit, "tm")
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
    x = _LEFT_ESTIMATORS
    for at, name in enumerate(names):
        shape, style = _shape(drawing, at)
        shape(x + 4, 12, 3.8, style, "")
        drawing.text(x + 14, 16, name, "tm")
        x += 34 + width(name)


# A quantity along another: score along the document, stability along the number of judges. Each line is labelled.

_CURVES_LEFT, _CURVES_RIGHT, _CURVES_TOP, _CURVES_TALL = 52.0, 520.0, 16.0, 210.0
_STYLES = ("c0", "c1", "c2", "c3")
_NEAR = 19.0
_LABEL_WIDTH = WIDTH - _CURVES_RIGHT - 34


@dataclass(frozen=True, slots=True)
class Curve:
    """Points (x, y) from left to right; `band` holds (low, high) for each point where there is an interval."""

    label: str
    points: Sequence[tuple[float, float]]
    band: Sequence[tuple[float, float] | None] = ()


def curves(label: str, rows: Sequence[Curve], across: str, *, top: float | None = None) -> Drawing:
    """Lines on shared axes, told apart by dash as well as by colour; labels stand at their ends and never overlap."""
    drawing = Drawing(label, _CURVES_TOP + _CURVES_TALL + 44)
    points = [point for row in rows for point in row.points]
    ends = [end for row in rows for pair in row.band if pair for end in pair]
    wide = axis([x for x, _ in points], _CURVES_LEFT, _CURVES_RIGHT, ticks=6, include=None)
    high = axis(
        [*(y for _, y in points), *ends, *([top] if top is not None else [])], 0, _CURVES_TALL, ticks=4, include=None
    )

    def level(value: float) -> float:
        return _CURVES_TOP + _CURVES_TALL - high.place(value)

    for tick in high.ticks:
        drawing.line(_CURVES_LEFT, level(tick), _CURVES_RIGHT, level(tick), "gr")
        drawing.text(_CURVES_LEFT - 8, level(tick) + 4, _tick(tick, bounded=top == 1.0), "tm", "end")
    whole = all(float(x).is_integer() for x, _ in points)
    for tick in wide.ticks:
        if float(tick).is_integer() or not whole:
            drawing.text(wide.place(tick), _CURVES_TOP + _CURVES_TALL + 18, f"{tick:g}", "tm", "middle")
    drawing.text((_CURVES_LEFT + _CURVES_RIGHT) / 2, _CURVES_TOP + _CURVES_TALL + 38, across, "tm", "middle")
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
        drawing.line(_CURVES_RIGHT + 8, y - 4, _CURVES_RIGHT + 28, y - 4, f"cv {style}")
        drawing.lines(_CURVES_RIGHT + 34, y, row.label, _LABEL_WIDTH)
    return drawing


def _tick(value: float, *, bounded: bool) -> str:
    text = f"{abs(value):.2f}".rstrip("0").rstrip(".")
    text = text.removeprefix("0") if bounded and text.startswith("0.") else text
    return f"−{text}" if value < 0 and text.strip("0.") else text


def _apart(labels: Sequence[tuple[Curve, float]]) -> list[tuple[Curve, float]]:
    """Labels from top to bottom, pushed down where two would touch."""
    positions: list[tuple[Curve, float]] = []
    for row, y in sorted(labels, key=lambda label: label[1]):
        tall = len(wrap(row.label, _LABEL_WIDTH)) - 1
        least = (
            positions[-1][1] + _NEAR + 7 * (tall + len(wrap(positions[-1][0].label, _LABEL_WIDTH)) - 1)
            if positions
            else 0.0
        )
        at = max(y + 4, least)
        positions.append((row, at))
    return positions

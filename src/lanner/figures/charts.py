"""Charts: estimates with their intervals, one row each, before and after a block or along a line; counts, shares, rates
and preferences as bars and dots; judges against judges and labels against labels as matrices."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lanner.figures.drawing import (
    LETTER,
    LINE,
    WIDTH,
    Axis,
    Drawing,
    axis,
    fit,
    fit_names,
    put_name,
    shade,
    told_apart,
    width,
)
from lanner.model.messages import estimate, number, p_value, percent

_LEFT_INTERVALS, _RIGHT_INTERVALS, _STEP_INTERVALS, _TOP_INTERVALS = 200.0, 560.0, 30.0, 26.0


@dataclass(frozen=True, slots=True)
class EstimateRow:
    """One estimate. `note` stands at the right (n, rank range); `hollow` marks models; `rule` draws a line above."""

    label: str
    value: float | None
    low: float | None = None
    high: float | None = None
    note: str = ""
    hollow: bool = False
    rule: bool = False


def intervals(
    label: str, rows: Sequence[EstimateRow], *, bounded: bool = True, digits: int = 2, minimum: float | None = None
) -> Drawing:
    """Dots with 95 % bars on one axis, the number beside each. `minimum` is a dashed line: what was planned."""
    height = _TOP_INTERVALS + _STEP_INTERVALS * len(rows)
    drawing = Drawing(label, height + 26)
    ends = [value for row in rows for value in (row.value, row.low, row.high) if value is not None]
    include = 0.0 if bounded else None
    scale = axis(
        [*ends, *([minimum] if minimum is not None else [])], _LEFT_INTERVALS, _RIGHT_INTERVALS, include=include
    )
    scale.draw(drawing, _TOP_INTERVALS - 10, height, bounded=bounded)
    labels = fit_names([row.label for row in rows], _LEFT_INTERVALS - 6, 2)
    if minimum is not None:
        x = scale.place(minimum)
        drawing.line(x, _TOP_INTERVALS - 14, x, height, "min")
        drawing.text(x, _TOP_INTERVALS - 16, "planned", "tm", "middle")
    for place, row in enumerate(rows):
        y = _TOP_INTERVALS + _STEP_INTERVALS * place + 10
        if row.rule:
            drawing.line(0, y - 15, WIDTH, y - 15, "ax")
        put_name(drawing, (0, y + 4), (labels[place], row.label), "t" if row.hollow else "tb", "start")
        if row.value is None:
            drawing.text(_LEFT_INTERVALS, y + 4, "not defined", "tm")
        else:
            if row.low is not None and row.high is not None:
                drawing.line(scale.place(row.low), y, scale.place(row.high), y, "fi b")
            title = f"{row.label}: {row.value:.4f}"
            drawing.circle(scale.place(row.value), y, 5, "fo" if row.hollow else "fk2", title)
            text = estimate(row.value, row.low, row.high, digits, bounded=bounded)
            drawing.text(_RIGHT_INTERVALS + 16, y + 4, text, "tb")
        drawing.text(WIDTH, y + 4, row.note, "tm", "end")
    return drawing


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference of two systems, one less the other, with its interval: whether it is "decided", "within" a margin
    or "open", and the words for it."""

    system: str
    other: str
    value: float
    low: float | None
    high: float | None
    state: str
    words: str


def differences(label: str, rows: Sequence[Difference], margin: float | None = None) -> Drawing:
    """One row for each pair, all on one axis around zero, with the margin that was set as a zone. Filled marks are
    decided, hollow ones are not."""
    room = _LEFT_INTERVALS - 40
    on_a_line = all(width(f"{row.system} − {row.other}", LETTER) <= room for row in rows)
    systems = list(dict.fromkeys(name for row in rows for name in (row.system, row.other)))
    names = dict(zip(systems, fit_names(systems, room - 2 * LETTER, 1), strict=True))
    step, top = (22.0 if on_a_line else 34.0), 34.0
    bottom = top + step * len(rows)
    drawing = Drawing(label, bottom + 26)
    ends = [end for row in rows for end in (row.value, row.low, row.high) if end is not None]
    scale = axis([*ends, *((-margin, margin) if margin else ())], _LEFT_INTERVALS - 20, _RIGHT_INTERVALS - 40)
    if margin:
        left, right = scale.place(-margin), scale.place(margin)
        drawing.rect(left, top - 8, right - left, bottom - top + 8, "zone")
        drawing.text((left + right) / 2, top - 14, f"margin ±{margin:.12g}", "tb", "middle")
    scale.draw(drawing, top - 8, bottom)
    for place, row in enumerate(rows):
        y = top + step * place + 8
        decided = row.state == "decided"
        style, line, dot, words_style = ("t", "fi b", "fk2", "tm") if decided else ("tb", "fi o", "fo", "tb")
        pair = f"{row.system} − {row.other}"
        lines = [pair] if on_a_line else [f"{names[row.system][0]} −", names[row.other][0]]
        put_name(drawing, (_LEFT_INTERVALS - 34, y + 4), (lines, pair), style, "end")
        text = estimate(row.value, row.low, row.high, 2, bounded=False)
        if row.low is not None and row.high is not None:
            drawing.line(scale.place(row.low), y, scale.place(row.high), y, line)
        drawing.circle(scale.place(row.value), y, 4.5, dot, f"{pair}: {text}, {row.words}")
        drawing.text(_RIGHT_INTERVALS - 24, y + 4, text, style)
        drawing.text(WIDTH, y + 4, row.words, words_style, "end")
    return drawing


_LEFT_FOREST, _SIDE, _STEP_FOREST, _TOP_FOREST = 168.0, 622.0, 27.0, 66.0


@dataclass(frozen=True, slots=True)
class Effect:
    """One coefficient with its interval; `p` marks those that differ from zero."""

    value: float
    low: float
    high: float
    p: float | None = None


def effects_of(rows: Iterable[Mapping[str, Any]]) -> dict[str, Effect]:
    """The coefficients of a model by their terms; the intercept is none."""
    return {
        str(row["term"]): Effect(row["value"], row["low"], row["high"], row["p"])
        for row in rows
        if row["low"] is not None and row["term"] != "intercept"
    }


@dataclass(frozen=True, slots=True)
class ModelPanel:
    """One judge: effects of the first model and of the full one, and the share of variance each block explains."""

    title: str
    note: str
    first: Mapping[str, Effect]
    full: Mapping[str, Effect]
    r_squared: Sequence[tuple[str, float]]


def forest(
    terms: Sequence[tuple[str, str, str]],
    panels: Sequence[ModelPanel],
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


def _draw_r_squared(drawing: Drawing, panels: Sequence[ModelPanel]) -> None:
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


_LEFT_ESTIMATORS, _STEP_ESTIMATORS, _TOP_ESTIMATORS, _GAP_ESTIMATORS = 168.0, 34.0, 62.0, 9.0


@dataclass(frozen=True, slots=True)
class Estimator:
    """One way of estimating, with its coefficients by term."""

    name: str
    effects: Mapping[str, Effect]


@dataclass(frozen=True, slots=True)
class EstimateGroup:
    """One judge, or all together, with the estimators in the same order everywhere."""

    title: str
    note: str
    estimators: Sequence[Estimator]


def estimators(terms: Sequence[tuple[str, str, str]], groups: Sequence[EstimateGroup], unit: str) -> Drawing:
    """`terms` are (id, words, group) from top to bottom; at most three estimators, told apart by shape as well."""
    every = [e for group in groups for one in group.estimators for e in one.effects.values()]
    room = (WIDTH - _LEFT_ESTIMATORS - 20 * len(groups)) / max(1, len(groups))
    bottom = _TOP_ESTIMATORS + _STEP_ESTIMATORS * len(terms)
    drawing = Drawing("Coefficients with 95 percent intervals, estimated in several ways", bottom + 44)
    if groups and len(groups[0].estimators) > 1:
        _estimator_legend(drawing, [one.name for one in groups[0].estimators])
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
                    y = (
                        _TOP_ESTIMATORS
                        + _STEP_ESTIMATORS * row
                        + 3
                        + _GAP_ESTIMATORS * (at - (len(group.estimators) - 1) / 2)
                    )
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


def _estimator_legend(drawing: Drawing, names: Sequence[str]) -> None:
    x = _LEFT_ESTIMATORS
    for at, name in enumerate(names):
        shape, style = _shape(drawing, at)
        shape(x + 4, 12, 3.8, style, "")
        drawing.text(x + 14, 16, name, "tm")
        x += 34 + width(name)


# A quantity along another: score along the document, stability along the number of judges. Each line is labelled.

_CURVES_LEFT, _CURVES_RIGHT, _CURVES_TOP, _CURVES_TALL = 52.0, 520.0, 16.0, 210.0
_STYLES = tuple(f"c{at}" for at in range(9))
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
    drawn = [(row, _STYLES[place % len(_STYLES)]) for place, row in enumerate(rows) if row.points]
    for at, lines, y in _apart([row.label for row, _ in drawn], [level(row.points[-1][1]) for row, _ in drawn]):
        row, style = drawn[at]
        drawing.line(_CURVES_RIGHT + 8, y - 4, _CURVES_RIGHT + 28, y - 4, f"cv {style}")
        put_name(drawing, (_CURVES_RIGHT + 34, y), (lines, row.label), "t", "start")
        drawing.height = max(drawing.height, y + LINE)
    return drawing


def _tick(value: float, *, bounded: bool) -> str:
    text = f"{abs(value):.2f}".rstrip("0").rstrip(".")
    text = text.removeprefix("0") if bounded and text.startswith("0.") else text
    return f"−{text}" if value < 0 and text.strip("0.") else text


def _apart(labels: Sequence[str], heights: Sequence[float]) -> list[tuple[int, list[str], float]]:
    """Labels from top to bottom: which, its lines and its height, pushed down where two would touch."""
    positions: list[tuple[int, list[str], float]] = []
    label_lines = fit_names(labels, _LABEL_WIDTH, 2)
    for at in sorted(range(len(labels)), key=lambda at: heights[at]):
        y, lines = heights[at] + 4, label_lines[at]
        if positions:
            _, above, before = positions[-1]
            y = max(y, before + _NEAR + LINE / 2 * (len(lines) + len(above) - 2))
        positions.append((at, lines, y))
    return positions


_LEFT_BARS, _ROOM_BARS, _STEP_BARS, _TOP_BARS = 210.0, 380.0, 38.0, 30.0


@dataclass(frozen=True, slots=True)
class Bar:
    """`parts` are (style, size, words); the words stand above, once for each style. `note` stands at the right."""

    label: str
    parts: Sequence[tuple[str, float, str]]
    note: str = ""


def bars(label: str, rows: Sequence[Bar], *, most: float | None = None) -> Drawing:
    """All bars share one scale; `most` is its end, else the largest sum."""
    end = most or max((sum(size for _, size, _ in row.parts) for row in rows), default=1.0) or 1.0
    styles = {(style, words) for row in rows for style, size, words in row.parts if words and size}
    parts = dict.fromkeys((style, words) for row in rows for style, _, words in row.parts)
    order = [part for part in parts if part in styles]  # in the order in which rows name their parts, empty ones too
    top = _TOP_BARS if order else 6.0
    drawing = Drawing(label, top + _STEP_BARS * len(rows) + 6)
    names = fit_names([row.label for row in rows], _LEFT_BARS - 12, 2)
    x = _LEFT_BARS
    for style, words in order:
        drawing.rect(x, 6, 12, 12, style)
        drawing.text(x + 17, 16, words, "tm")
        x += 34 + 7 * len(words)
    for place, row in enumerate(rows):
        y, at = top + _STEP_BARS * place, _LEFT_BARS
        put_name(drawing, (0, y + 18), (names[place], row.label), "tb", "start")
        for style, size, words in row.parts:
            width = _ROOM_BARS * size / end
            amount = f"{size:.0f}" if float(size).is_integer() else f"{size:.3g}"
            drawing.rect(at, y, width, 26, style, f"{row.label}, {words or 'part'}: {amount}")
            if words and width > 26 and float(size).is_integer():
                drawing.text(at + 7, y + 18, f"{size:,.0f}", "ts")
            at += width
        drawing.text(_LEFT_BARS + _ROOM_BARS + 12, y + 18, fit(row.note, WIDTH - _LEFT_BARS - _ROOM_BARS - 12, 6.6))
    return drawing


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


_LEFT_SHARES, _GAP_SHARES, _STEP_SHARES, _TOP_SHARES = 172.0, 20.0, 27.0, 54.0


@dataclass(frozen=True, slots=True)
class DomainPanel:
    """One domain: n items and, for each judge, the share of items with each label."""

    title: str
    n: int
    shares: Mapping[str, Mapping[str, float]]

    def of(self, label: str, judges: Sequence[str], names: Mapping[str, str]) -> list[tuple[str, float]]:
        """How often these judges used a label, by the judges' names."""
        return [(names.get(j, j), self.shares[j].get(label, 0.0)) for j in judges if j in self.shares]


def shares(
    labels: Sequence[tuple[str, str, str]],
    panels: Sequence[DomainPanel],
    people: Sequence[str],
    models: Sequence[str] = (),
    names: Mapping[str, str] | None = None,
) -> Drawing:
    """Dot rows. `labels` are (id, words, group); a group's rows stand together in its colour. At most four panels.
    Judges are given by id, as in the panels; `names` says what they are called."""
    panels, display_names = panels[:4], names or {}
    rows, y = [], _TOP_SHARES + 12.0
    for place, (name, words, group) in enumerate(labels):
        if place and group != labels[place - 1][2]:
            y += 10
        rows.append((name, words, group, y))
        y += _STEP_SHARES
    width = (WIDTH - _LEFT_SHARES - _GAP_SHARES * (len(panels) - 1)) / max(1, len(panels)) - 8
    drawing = Drawing("Share of items on which each label was used, per domain and judge", y + 22)
    _legend(drawing, *([display_names.get(judge, judge) for judge in judges] for judges in (people, models)))
    titles = fit_names([panel.title for panel in panels], width - 50, 1)
    for place, panel in enumerate(panels):
        x = _LEFT_SHARES + place * (width + _GAP_SHARES)
        put_name(drawing, (x, 44), (titles[place], panel.title), "tb", "start")
        drawing.text(x + width, 44, f"n {panel.n}", "tm", "end")
        for share, words in ((0.0, "0"), (0.5, "50 %"), (1.0, "100")):
            drawing.line(x + share * width, _TOP_SHARES, x + share * width, y, "gr")
            drawing.text(x + share * width, y + 16, words, "tm", "middle" if share else "start")
        for name, words, group, row_y in rows:
            below, above = row_y + (4 if models else 0), row_y - (5 if models else 0)
            own = panel.of(name, models, display_names), panel.of(name, people, display_names)
            _dots(drawing, x, width, below, f"{words}, {panel.title}", own[0], "dm", "rm")
            _dots(drawing, x, width, above, f"{words}, {panel.title}", own[1], f"g-{group}", f"rg-{group}")
    for place, (_, words, group, row_y) in enumerate(rows):
        drawing.lines(12, row_y + 4, words, _LEFT_SHARES - 24)
        if group:
            first = place == 0 or rows[place - 1][2] != group
            drawing.rect(
                0,
                row_y - (12 if first else _STEP_SHARES - 12),
                3,
                _STEP_SHARES - 4 if first else _STEP_SHARES,
                f"g-{group}",
                rx=0,
            )
    return drawing


def _dots(
    drawing: Drawing,
    x: float,
    width: float,
    y: float,
    about: str,
    judge_shares: Sequence[tuple[str, float]],
    style: str,
    line: str,
) -> None:
    if not judge_shares:
        return
    values = [share for _, share in judge_shares]
    if len(judge_shares) > 1:
        drawing.line(x + min(values) * width, y, x + max(values) * width, y, line)
    for judge, share in judge_shares:
        title = f"{judge}, {about}: {100 * share:.1f} %"
        (drawing.diamond if style == "dm" else drawing.circle)(x + share * width, y, 3.8, style, title)


def _legend(drawing: Drawing, people: Sequence[str], models: Sequence[str]) -> None:
    if people:
        drawing.circle(_LEFT_SHARES + 6, 9, 4, "fk")
        drawing.text(_LEFT_SHARES + 16, 13, _who("people", people, 280), "tm")
    if models:
        drawing.diamond(_LEFT_SHARES + 316, 9, 4, "dm")
        drawing.text(_LEFT_SHARES + 326, 13, _who("models", models, 250), "tm")


def _who(kind: str, names: Sequence[str], pixels: float) -> str:
    """Who the marks stand for: by name where there is room, else how many there are."""
    text = f"{kind} ({', '.join(names)})"
    return text if fit(text, pixels) == text else f"{len(names)} {kind}"


_STEP_THROUGHPUT, _TOP_THROUGHPUT = 54.0, 30.0
_ROW, _HEAD, _NAMES = 24.0, 30.0, 230.0


def throughput(
    domains: Sequence[str], rates: Mapping[str, Mapping[str, float]], unit: str = "sentences a minute"
) -> Drawing:
    """`rates` are per judge and domain. Labels alternate above and below, so that near marks stay readable; where
    they still would touch, each judge has a row."""
    left = min(170.0, 20 + 7.4 * max(map(len, domains), default=1))
    bottom = _TOP_THROUGHPUT + _STEP_THROUGHPUT * len(domains)
    drawing = Drawing("Sentences per minute per judge and domain", bottom + 42)
    values = [rate for per_domain in rates.values() for rate in per_domain.values()]
    scale = axis(values, left, WIDTH - 30, ticks=6)
    if not all(_room_for(scale, _in_domain(rates, domain)) for domain in domains):
        return _by_row(domains, rates, unit)
    scale.draw(drawing, _TOP_THROUGHPUT - 8, bottom)
    titles = fit_names(domains, left - 12, 2)
    for row, domain in enumerate(domains):
        y = _TOP_THROUGHPUT + _STEP_THROUGHPUT * row + 26
        put_name(drawing, (left - 10, y + 4), (titles[row], domain), "t", "end")
        rates_here = _in_domain(rates, domain)
        if len(rates_here) > 1:
            drawing.line(scale.place(rates_here[0][0]), y, scale.place(rates_here[-1][0]), y, "rm")
        for place, (rate, judge) in enumerate(rates_here):
            x = scale.place(rate)
            drawing.circle(x, y, 5, "fk2", f"{judge}, {domain}: {rate:.2f}")
            drawing.text(x, y + (-10 if place % 2 == 0 else 20), f"{judge} {rate:.1f}", "ts", "middle")
    drawing.text(left, bottom + 34, unit, "tm")
    return drawing


def _in_domain(rates: Mapping[str, Mapping[str, float]], domain: str) -> list[tuple[float, str]]:
    """The judges of a domain with their rates, slowest first."""
    return sorted((rate[domain], judge) for judge, rate in rates.items() if domain in rate)


def _room_for(scale: Axis, values: Sequence[tuple[float, str]]) -> bool:
    """Whether all labels fit into the drawing and none touches the next on its side of the line."""
    halves = [(scale.place(rate), width(f"{judge} {rate:.1f}", 6.6) / 2) for rate, judge in values]
    inside = all(x - half >= 0 and x + half <= WIDTH for x, half in halves)
    return inside and all(
        after[0] - before[0] > before[1] + after[1] for before, after in zip(halves, halves[2:], strict=False)
    )


def _by_row(domains: Sequence[str], rates: Mapping[str, Mapping[str, float]], unit: str) -> Drawing:
    """A row for each judge under the name of the domain, the number at its end."""
    rates_here = [(domain, _in_domain(rates, domain)) for domain in domains]
    bottom = _TOP_THROUGHPUT + sum(_HEAD + _ROW * len(rows) for _, rows in rates_here)
    drawing = Drawing("Sentences per minute per judge and domain", bottom + 42)
    values = [rate for per_domain in rates.values() for rate in per_domain.values()]
    scale = axis(values, _NAMES, WIDTH - 70, ticks=5)
    scale.draw(drawing, _TOP_THROUGHPUT - 8, bottom)
    judges = list(dict.fromkeys(judge for _, rows in rates_here for _, judge in rows))
    names = dict(zip(judges, fit_names(judges, _NAMES - 22, 1), strict=True))
    y = _TOP_THROUGHPUT
    titles = fit_names(domains, _NAMES - 10, 1)
    for title, (domain, rows) in zip(titles, rates_here, strict=True):
        put_name(drawing, (0, y + 14), (title, domain), "tb", "start")
        y += _HEAD
        for rate, judge in rows:
            put_name(drawing, (12, y + 8), (names[judge], judge), "t", "start")
            drawing.line(_NAMES, y + 4, scale.place(rate), y + 4, "rm")
            drawing.circle(scale.place(rate), y + 4, 5, "fk2", f"{judge}, {domain}: {rate:.2f}")
            drawing.text(WIDTH - 20, y + 8, f"{rate:.1f}", "tb", "end")
            y += _ROW
    drawing.text(_NAMES, bottom + 34, unit, "tm")
    return drawing


_CENTRE, _HALF, _STEP_PREFERENCE = 380.0, 236.0, 42.0


@dataclass(frozen=True, slots=True)
class Preference:
    """Counts for one condition: the left side, ties, the right side, and the test of right against left."""

    group: str
    label: str
    left: int
    ties: int
    right: int
    p: float | None = None


def preference(rows: Sequence[Preference], left: str, right: str, test: str = "sign test, ties dropped") -> Drawing:
    """Diverging bars; bold p where it is below .05. `test` is what p comes from."""
    most = max((max(row.left, row.right) + row.ties / 2 for row in rows), default=1) or 1
    scale = _HALF / most
    groups = len({row.group for row in rows if row.group})
    drawing = Drawing(
        f"Preferences for {left} or {right}, with ties", 30 + _STEP_PREFERENCE * len(rows) + 22 * groups + 10
    )
    drawing.text(_CENTRE - 44, 16, f"◀ {left} preferred", "tb", "end")
    drawing.text(_CENTRE, 16, "tie", "tm", "middle")
    drawing.text(_CENTRE + 44, 16, f"{right} preferred ▶", "tb")
    drawing.text(WIDTH, 16, test, "tm", "end")
    y, label = 30.0, ""
    for row in rows:
        if row.group and row.group != label:
            label = row.group
            drawing.text(0, y + 18, row.group, "tb")
            y += 22
        _bar(drawing, y, row, scale)
        y += _STEP_PREFERENCE
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


# Matrices: judges against judges, labels against labels, and what merging two labels would do.

_ROW_HEAT_MAP, _TOP_HEAT_MAP, _MOST_CELL, _MOST_LEFT = 46.0, 30.0, 88.0, 230.0


@dataclass(frozen=True, slots=True)
class Pair:
    """Agreement of two judges on the items both judged."""

    value: float | None
    low: float | None = None
    high: float | None = None
    same: float | None = None
    n: int = 0


def heat_map(
    judges: Sequence[str],
    people: int,
    pairs: Mapping[tuple[str, str], Pair],
    coefficient: str = "κ",
    other: str = "% same",
) -> Drawing:
    """A lower-triangle heat map. `judges` lists people first, `people` of them; their block is framed, the block of
    people with models dashed. Cells print n where it differs between pairs. Where names are wider than the columns,
    judges are numbered."""
    has_numbers = any(width(judge) > _room(judges) for judge in judges)
    names = [f"{place}  {judge}" for place, judge in enumerate(judges, start=1)] if has_numbers else list(judges)
    left = _left(names)
    cell = min(_MOST_CELL, (WIDTH - left - 130) / max(1, len(judges)))
    same_n = len({pair.n for pair in pairs.values() if pair.value is not None}) <= 1
    drawing = Drawing(
        f"Pairwise agreement, {coefficient} below the diagonal", _TOP_HEAT_MAP + _ROW_HEAT_MAP * len(judges) + 8
    )
    for row, judge in enumerate(judges):
        style = "tb" if row < people else "t"
        middle = left + cell * (row + 0.5)
        drawing.text(middle, 18, str(row + 1) if has_numbers else judge, style, "middle")
        drawing.lines(left - 12, _TOP_HEAT_MAP + _ROW_HEAT_MAP * row + 27, names[row], left - 12, style, "end")
        drawing.line(
            middle - 7,
            _TOP_HEAT_MAP + _ROW_HEAT_MAP * row + 23,
            middle + 7,
            _TOP_HEAT_MAP + _ROW_HEAT_MAP * row + 23,
            "gr",
        )
        for column in range(row):
            pair = pairs.get((judges[column], judge)) or pairs.get((judge, judges[column]))
            _cell(
                drawing,
                left + cell * column,
                _TOP_HEAT_MAP + _ROW_HEAT_MAP * row,
                cell,
                pair,
                judges[column],
                judge,
                coefficient,
                same_n,
            )
            if pair and pair.same is not None:
                centre = left + cell * (row + 0.5)
                drawing.text(
                    centre, _TOP_HEAT_MAP + _ROW_HEAT_MAP * column + 28, _above(pair.same, other), "tm", "middle"
                )
    _frames(drawing, left, cell, len(judges), people)
    x = left + cell * len(judges) + 14
    if any(pair.same is not None for pair in pairs.values()):
        drawing.text(x, 44, f"above: {'% identical' if other.startswith('%') else other}", "tm")
    _sides(drawing, x, judges, people, pairs, coefficient)
    return drawing


def _above(value: float, other: str) -> str:
    return percent(value) if other.startswith("%") else number(value, 2)


def _left(names: Sequence[str]) -> float:
    return min(_MOST_LEFT, 24 + 1.03 * max((width(name) for name in names), default=7.0))


def _room(judges: Sequence[str]) -> float:
    """How wide a column would be if it had the judge's name above it."""
    return min(_MOST_CELL, (WIDTH - _left(judges) - 130) / max(1, len(judges)))


def _cell(
    drawing: Drawing,
    x: float,
    y: float,
    cell: float,
    pair: Pair | None,
    one: str,
    other: str,
    coefficient: str,
    same_n: bool,
) -> None:
    if pair is None or pair.value is None:
        drawing.text(x + cell / 2, y + 28, "—", "tm", "middle")
        return
    title = f"{one}–{other} {coefficient} {pair.value:.4f}, n {pair.n}"
    drawing.rect(x + 1, y + 1, cell - 2, _ROW_HEAT_MAP - 2, shade(max(0.0, pair.value) * 1.7), title)
    centre = x + cell / 2
    drawing.text(centre, y + 20, number(pair.value), "tb", "middle")
    below = f"{number(pair.low, 2)} to {number(pair.high, 2)}" if pair.low is not None and cell > 70 else ""
    if not same_n:
        below = f"n {pair.n}"
    drawing.text(centre, y + 36, below, "ts", "middle")


def _frames(drawing: Drawing, left: float, cell: float, judges: int, people: int) -> None:
    if people > 1:
        drawing.rect(left, _TOP_HEAT_MAP, cell * people, _ROW_HEAT_MAP * people, "frame")
    if 0 < people < judges:
        drawing.rect(
            left, _TOP_HEAT_MAP + _ROW_HEAT_MAP * people, cell * people, _ROW_HEAT_MAP * (judges - people), "frame d"
        )


def _sides(
    drawing: Drawing,
    x: float,
    judges: Sequence[str],
    people: int,
    pairs: Mapping[tuple[str, str], Pair],
    coefficient: str,
) -> None:
    persons = set(judges[:people])
    blocks = {"people": 2, "people – models": 1, "models": 0}
    y = 84.0
    for name, members in blocks.items():
        values = [
            pair.value
            for (one, other), pair in pairs.items()
            if pair.value is not None and (one in persons) + (other in persons) == members
        ]
        if values:
            low, high = number(min(values), 2), number(max(values), 2)
            drawing.text(x, y, name, "tb")
            drawing.text(x, y + 18, f"{coefficient} {low}" + (f" to {high}" if len(values) > 1 else ""))
            y += 48


_ROW_CONFUSION, _FEW = 36.0, 10


def confusion(labels: Sequence[str], one: str, other: str, counts: Sequence[Sequence[int]]) -> Drawing:
    """The confusion matrix of two judges. Rows with fewer than ten items are left unshaded."""
    left = min(210.0, 16 + 1.06 * max(map(width, (*labels, f"{one} chose")), default=7.0))
    cell = min(84.0, (WIDTH - left - 70) / max(1, len(labels)))
    drawing = Drawing(f"Confusion matrix of {one} and {other}", 60 + _ROW_CONFUSION * len(labels) + 34)
    drawing.text(left + cell * len(labels) / 2, 14, f"{other} chose", "tb", "middle")
    drawing.lines(left - 10, 36, f"{one} chose", left - 12, "tb", "end")
    drawing.text(left + cell * len(labels) + 10, 36, "all", "tm")
    for row, label in enumerate(labels):
        drawing.lines(left + cell * (row + 0.5), 36, label, cell - 2, "tm", "middle")
        y = 52 + _ROW_CONFUSION * row
        drawing.lines(left - 10, y + 23, label, left - 12, "t", "end")
        total = sum(counts[row])
        for column, items in enumerate(counts[row]):
            x = left + cell * column
            share = items / total if total >= _FEW else 0.0
            title = f"{one} {label}, {other} {labels[column]}: {items}"
            drawing.rect(x + 1, y + 1, cell - 2, _ROW_CONFUSION - 2, shade(share), title)
            if items:
                drawing.text(x + cell / 2, y + 23, str(items), "tb" if row == column else "t", "middle")
            if row == column:
                drawing.rect(x + 1, y + 1, cell - 2, _ROW_CONFUSION - 2, "diag")
        drawing.text(left + cell * len(labels) + 10, y + 23, str(total), "tm")
    n = sum(map(sum, counts))
    same = sum(counts[place][place] for place in range(len(labels)))
    share_same = percent(same / n) if n else "—"
    drawing.text(left, 52 + _ROW_CONFUSION * len(labels) + 24, f"{same} of {n} on the diagonal ({share_same})")
    return drawing


_LEAST_LEFT_MERGING, _MOST_LEFT_MERGING, _RIGHT_MERGING, _STEP_MERGING = 150.0, 230.0, 210.0, 70.0


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
    drawing = Drawing(
        f"Disagreements before and after merging {labels[0]} and {labels[1]}", 30 + _STEP_MERGING * len(merges)
    )
    halves = [half for merge in merges for half in _halves(merge.pair)]
    left = min(_MOST_LEFT_MERGING, max([_LEAST_LEFT_MERGING, *(14 + 1.04 * width(half) for half in halves)]))
    room = WIDTH - _RIGHT_MERGING - left
    drawing.text(left, 16, fit("–".join(labels), 260), "tacc")
    drawing.text(left + 10 + 7.6 * min(37, len("–".join(labels))), 16, "all other label pairs", "tm")
    drawing.text(756, 16, "κ", "tb", "end")
    for place, merge in enumerate(merges):
        y = 34 + _STEP_MERGING * place
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

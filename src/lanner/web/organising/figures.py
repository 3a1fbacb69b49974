"""The figures of the live page, drawn on the server. What each one answers and must not claim: docs/organising.md.

Functions take finished numbers and give SVG; nothing here computes a statistic.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from markupsafe import Markup

from lanner.figures.drawing import LETTER, LINE, Axis, Drawing, axis, fit, fit_names, put_name
from lanner.figures.drawing import width as width_of
from lanner.model.messages import count as thousands
from lanner.model.messages import from_to, leading, number
from lanner.monitor.snapshot import JudgeSeverity, PairAgreement, Spread
from lanner.web.speech import apart, comma, say

MARKS = {"above": ("✓", "tgood"), "across": ("△", "twarn"), "below": ("✕", "tbad"), "": ("", "tm")}


def _markup(drawing: Drawing) -> Markup:
    return Markup(str(drawing))  # the drawing escapes every word it is given


def _of(name: str, count: int, whole: int) -> str:
    return f"{name}: {say('{n} of {all}', n=thousands(count), all=thousands(whole))}"


def progress_bar(name: str, parts: Sequence[tuple[str, int, int]], width: float = 180) -> Markup:
    """One bar split by domain in proportion to its size, the done part filled. `parts`: domain, done, all."""
    total = sum(whole for _, _, whole in parts)
    drawing = Drawing(_of(name, sum(count for _, count, _ in parts), total), 16, width)
    if not total:
        return _markup(drawing)
    room = width - 2 * (len(parts) - 1) - 1
    x = 0.0
    for domain, count, whole in parts:
        size = room * whole / total
        title = _of(domain or say("all"), count, whole)
        drawing.rect(x, 3, size, 9, "pt", title=title)
        if whole and count:
            drawing.rect(x, 3, size * count / whole, 9, "pd", title=title)
        x += size + 2
    return _markup(drawing)


def model_bar(name: str, share: float, width: float = 180) -> Markup:
    """How far a model is: thinner and grey, since nobody waits for it."""
    drawing = Drawing(f"{name}: {100 * share:.0f} %", 14, width)
    drawing.rect(0, 3, width - 1, 6, "pt")
    drawing.rect(0, 3, (width - 1) * share, 6, "pm")
    return _markup(drawing)


def load_bar(
    judge: str, loads: tuple[float, float], mean: float, *, fair: float, longest: float, width: float = 140
) -> Markup:
    """The work of a judge who is planned for, calibration and the rest, with a line at the mean of all and a dashed one
    at what is still fair. `longest` is the load at the end of the bar."""
    calibration, rest = loads
    scale = (width - 2) / longest if longest else 0.0
    drawing = Drawing(judge, 16, width)
    drawing.rect(0, 3, width - 1, 9, "pt")
    drawing.rect(0, 3, calibration * scale, 9, "ci")
    drawing.rect(calibration * scale, 3, rest * scale, 9, "pw" if calibration + rest > fair else "pd")
    drawing.line(mean * scale, 0, mean * scale, 15, "ax")
    drawing.line(fair * scale, 0, fair * scale, 15, "min")
    return _markup(drawing)


def size_curve(points: Sequence[tuple[int, float]], now: int, width: float = 300) -> Markup:
    """The smallest difference that four of five campaigns would show, by the number of documents; `now` are those of
    the plan."""
    left, right, top, bottom = 34.0, width - 12, 10.0, 92.0
    across = axis([documents for documents, _ in points], left, right)
    up = axis([value for _, value in points], bottom, top, ticks=3)
    places = [(across.place(documents), up.place(value)) for documents, value in points]
    data_text = ", ".join(f"{documents}: {value:.2g}" for documents, value in points)
    drawing = Drawing(f"{say('Smallest difference seen, by the number of documents')}: {data_text}", 122, width)
    for tick in up.ticks:
        drawing.line(left, up.place(tick), right, up.place(tick), "gr")
        drawing.text(left - 5, up.place(tick) + 4, f"{tick:g}", "tm", "end")
    for tick in across.ticks:
        drawing.text(across.place(tick), bottom + 14, f"{tick:g}", "tm", "middle")
    drawing.trace(places, "sp")
    for (documents, value), place in zip(points, places, strict=True):
        drawing.circle(*place, 4 if documents == now else 2.5, "spd", f"{documents}: {value:.2g}")
        if documents == now:
            drawing.text(place[0] + 7, place[1] - 5, f"{value:.2g}", "tb")
    drawing.text((left + right) / 2, bottom + 27, say("documents"), "tm", "middle")
    return _markup(drawing)


@dataclass(frozen=True, slots=True)
class NarrowingScale:
    """What two figures of narrowing intervals share: the judgements at the right end, the difference in the middle,
    and the widest half interval."""

    judgements: int
    difference: float
    widest: float


def narrowing(
    name: str,
    points: Sequence[tuple[int, float]],
    scale: NarrowingScale,
    *,
    end: int,
    ends: tuple[float, float] | None = None,
) -> Markup:
    """How the interval of a difference narrows along the judgements: half its width at each of `points`, a line where
    the campaign ends, and with `ends` the range that nine in ten end in. What comes after the end is pale: there some
    campaigns are over, and others go on."""
    left, right, top, bottom = 34.0, 350.0, 8.0, 142.0
    middle = scale.difference
    low, high = min(0.0, middle - scale.widest), max(0.0, middle + scale.widest)
    data_text = ", ".join(f"{thousands(n)}: ±{width:.2g}" for n, width in points)
    drawing = Drawing(f"{name}. {say('Half the interval by the number of judgements')}: {data_text}", 164, 360)

    def x(n: float) -> float:
        return left + (right - left) * n / (scale.judgements or 1)

    def y(value: float) -> float:
        return bottom - (bottom - top) * (value - low) / ((high - low) or 1)

    for tick in axis([low, high], 0, 1, ticks=6).ticks:
        if low <= tick <= high:
            drawing.line(left, y(tick), right, y(tick), "ax0" if abs(tick) < 1e-9 else "gr")
            words = f"{abs(tick):g}" if abs(tick) > 1e-9 else "0"
            drawing.text(left - 5, y(tick) + 4, f"−{words}" if tick < -1e-9 else words, "tm", "end")
    if ends is not None:
        drawing.rect(x(ends[0]), top, x(ends[1]) - x(ends[0]), bottom - top, "zone")
    for part, style in ((_points_until(points, end), "band"), (_points_until(points, end, after=True), "band later")):
        if len(part) > 1:
            upper, lower = ([(x(n), y(middle + side * width)) for n, width in part] for side in (1, -1))
            drawing.area([*upper, *reversed(lower)], style)
    drawing.line(x(points[0][0]), y(middle), x(end), y(middle), "middle")
    for n, width in points:
        for edge in (middle + width, middle - width):
            drawing.circle(x(n), y(edge), 1.8, "spd", f"{thousands(n)}: ±{width:.2g}")
    drawing.line(x(end), top, x(end), bottom, "stop")
    last = points[-1][1]
    drawing.text(right - 6, y(middle + last) - 7, f"±{last:.2g}", "tb", "end")
    at_the_right = x(end) > right - 40
    drawing.text(
        right if at_the_right else x(end), bottom + 16, thousands(end), "tb", "end" if at_the_right else "middle"
    )
    if not at_the_right and x(end) < right - 70:
        drawing.text(right, bottom + 16, thousands(scale.judgements), "tm", "end")
    drawing.text(left, bottom + 16, "0", "tm", "middle")
    return _markup(drawing)


def _points_until(points: Sequence[tuple[int, float]], end: int, *, after: bool = False) -> list[tuple[float, float]]:
    """The part of a line through points up to an end, or after it; at the end itself between its neighbours."""
    part: list[tuple[float, float]] = [(n, width) for n, width in points if (n > end if after else n <= end)]
    before, later = ([point for point in points if (point[0] > end) is side] for side in (False, True))
    if before and later and before[-1][0] < end:
        (x, y), (u, v) = before[-1], later[0]
        cut = (float(end), y + (v - y) * (end - x) / (u - x))
    elif before:
        cut = (float(before[-1][0]), before[-1][1])
    else:
        return part
    return [cut, *part] if after else [*part, cut]


def sparkline(values: Sequence[float], label: str) -> Markup:
    """Pace over equal parts of the work so far."""
    drawing = Drawing(f"{label}: {', '.join(f'{value:.1f}' for value in values)}", 22, 60)
    top = max(values, default=0) or 1
    step = 54 / max(len(values) - 1, 1)
    points = [(3 + step * at, 19 - 16 * value / top) for at, value in enumerate(values)]
    for one, other in pairwise(points):
        drawing.line(*one, *other, "sp")
    if points:
        drawing.circle(*points[-1], 2.5, "spd")
    return _markup(drawing)


@dataclass(frozen=True, slots=True)
class AgreementRow:
    """One question's agreement: now with its interval, and the interval expected when all is in."""

    label: str
    value: float | None
    low: float | None = None
    high: float | None = None
    expected_low: float | None = None
    expected_high: float | None = None
    group: str = ""
    main: bool = True
    heading: str = ""

    def verdict(self, minimum: float) -> str:
        """Judged by where the interval lies, never by the dot."""
        if self.low is None or self.high is None:
            return ""
        if self.low >= minimum:
            return "above"
        return "below" if self.high < minimum else "across"


def agreement(rows: Sequence[AgreementRow], minimum: float, statistic: str = "α") -> Markup:
    """Dot, wide pale bar for 95 % now, bracket for what to expect at the end, dashed line for the planned minimum."""
    left, right, top = 160.0, 376.0, 22.0
    lowest = min([0.0, *(row.low for row in rows if row.low is not None)])
    start = 0.0 if lowest >= 0 else -0.2 if lowest >= -0.2 else -1.0
    heights = [(30 if row.main else 22) + (24 if row.heading else 0) for row in rows]
    bottom = top + sum(heights) + 8
    drawing = Drawing(
        say("{what} per question with its 95 % interval now and at completion", what=statistic), bottom + 26, 492
    )

    def x(value: float) -> float:
        return left + (right - left) * (max(value, start) - start) / (1 - start)

    ticks = [0, 0.2, 0.4, 0.6, 0.8, 1.0] if start > -1 else [-1, -0.5, 0, 0.5, 1.0]
    for tick in ticks:
        drawing.line(x(tick), top, x(tick), bottom, "gr")
        drawing.text(x(tick), bottom + 15, number(tick, 1) if tick else "0", "tm", "middle")
    drawing.line(x(minimum), 14, x(minimum), bottom, "min")
    planned, head = say("planned minimum {value}", value=number(minimum, 2)), say("{what}, 95 % now", what=statistic)
    room = 492 - width_of(head, LETTER) - 8 - width_of(planned, LETTER) / 2
    drawing.text(min(x(minimum), room), 10, planned, "tw", "middle")
    drawing.text(492, 10, head, "tm", "end")
    y = top
    for row, height in zip(rows, heights, strict=True):
        if row.heading:
            drawing.text(0, y + 20, row.heading, "tm")
        _agreement_row(drawing, row, y + height - (14 if row.main else 11), x, minimum)
        y += height
    return _markup(drawing)


def _agreement_row(drawing: Drawing, row: AgreementRow, y: float, x: Callable[[float], float], minimum: float) -> None:
    half = 7 if row.main else 5
    css = "tb" if row.main else "t"
    if row.group:
        drawing.rect(8, y - 6, 3, 12, f"g-{row.group}", rx=1)
    if row.main:
        drawing.lines(0, y + 4, row.label, 150, css)
    else:
        drawing.text(18, y + 4, fit(row.label, 138, 6.3), css, title=row.label)
    if row.value is None:
        drawing.text(492, y + 4, say("not yet"), "tm", "end")
        return
    if row.low is not None and row.high is not None:
        drawing.rect(x(row.low), y - half, x(row.high) - x(row.low), 2 * half, "ci", rx=3)
        drawing.text(492, y + 4, f"[{number(row.low, 2)}, {number(row.high, 2)}]", "tm", "end")
    if row.expected_low is not None and row.expected_high is not None:
        drawing.line(x(row.expected_low), y, x(row.expected_high), y, "cif")
        for end in (row.expected_low, row.expected_high):
            drawing.line(x(end), y - 4, x(end), y + 4, "cif")
    drawing.circle(x(row.value), y, 4.5 if row.main else 3.5, "pt0")
    mark, tone = MARKS[row.verdict(minimum)]
    drawing.text(388, y + 4, mark, tone)
    drawing.text(405, y + 4, number(row.value, 2), css)


def one_judge_or_one_question(
    main: AgreementRow,
    parts: Sequence[tuple[str, float, str]],
    without: Sequence[tuple[str, float]],
    named_judge: str,
    minimum: float,
) -> Markup:
    """On one axis: agreement with its interval, its parts, and what it is without each judge, so that one can read off
    whether one judge or one part lowers it. `parts` are label, value and group; `named_judge` is the one to name."""
    assert main.value is not None
    left, right, width = 118.0, 470.0, 490.0
    values = [main.value, minimum, *(value for _, value, _ in parts), *(value for _, value in without)]
    values += [end for end in (main.low, main.high) if end is not None]
    scale = axis(values, left, right, ticks=6, include=None)
    lanes = [40.0, *([96.0] if parts else []), *([96.0 + 58.0 * bool(parts)] if without else [])]
    bottom = lanes[-1] + 30
    title = say("Agreement, its parts, and without each judge")
    drawing = Drawing(f"{title}: {number(main.value, 2)}", bottom + 20, width)
    scale.draw(drawing, 22, bottom, bounded=True)
    drawing.line(scale.place(minimum), 18, scale.place(minimum), bottom, "min")
    _label(drawing, say("planned minimum {value}", value=number(minimum, 2)), (scale.place(minimum), 12), scale, "tw")
    _mean_lane(drawing, main, scale, lanes[0])
    if parts:
        _parts_lane(drawing, parts, scale, lanes[1])
    if without:
        _judges_lane(drawing, without, named_judge, scale, lanes[-1])
    return _markup(drawing)


def _mean_lane(drawing: Drawing, main: AgreementRow, scale: Axis, y: float) -> None:
    drawing.lines(0, y + 4, say("now"), 112, "tb")
    x, text = scale.place(main.value or 0.0), number(main.value, 2)
    start = end = x
    if main.low is not None and main.high is not None:
        start, end = scale.place(main.low), scale.place(main.high)
        drawing.rect(start, y - 6, end - start, 12, "ci", rx=3)
        text += f" [{number(main.low, 2)}, {number(main.high, 2)}]"
    drawing.circle(x, y, 5.5, "pt0", text)
    needed = width_of(text, LETTER) + 10
    if start - scale.left > needed:
        drawing.text(start - 8, y + 4, text, "tb over", "end")
    elif drawing.width - end > needed:
        drawing.text(end + 8, y + 4, text, "tb over")
    else:
        _label(drawing, text, (x, y - 10), scale)


def _parts_lane(drawing: Drawing, parts: Sequence[tuple[str, float, str]], scale: Axis, y: float) -> None:
    drawing.lines(0, y + 4, say("Its {n} parts", n=len(parts)), 112, "tb")
    parts_by_value = sorted(parts, key=lambda part: part[1])
    places = _stack([scale.place(value) for _, value, _ in parts_by_value])
    for (label, value, group), (x, up) in zip(parts_by_value, places, strict=True):
        drawing.circle(x, y - up, 4, f"g-{group}" if group else "pt0", f"{label}: {number(value, 2)}")
    if len(leading(parts, lambda part: -part[1])) > 1:  # no weakest one
        return
    label, value, _ = parts_by_value[0]
    words = say("weakest: {part} {value}", part=fit(label, 190, LETTER), value=number(value, 2))
    at = places[0][0]
    _label(drawing, words, (at, y - 14 - max(up for _, up in places)), scale)


def _judges_lane(
    drawing: Drawing, without: Sequence[tuple[str, float]], named_judge: str, scale: Axis, y: float
) -> None:
    drawing.lines(0, y + 4, say("Without one judge"), 112, "tb")
    others = sorted((pair for pair in without if pair[0] != named_judge), key=lambda pair: pair[1])
    places = _stack([scale.place(value) for _, value in others])
    for (name, value), (x, up) in zip(others, places, strict=True):
        drawing.circle(x, y - up, 3.5, "fo", say("without {name}: {value}", name=name, value=number(value, 2)))
    top = max([0.0, *(up for _, up in places)])
    for name, value in without:
        if name == named_judge:
            words = say("without {name}: {value}", name=fit(name, 150, LETTER), value=number(value, 2))
            drawing.circle(scale.place(value), y, 5, "pw", words)
            _label(drawing, words, (scale.place(value), y - 14 - top), scale)
    if others:
        ends = (number(others[0][1], 2), number(others[-1][1], 2))
        words = say("without another: {low} to {high}", low=ends[0], high=ends[1])
        if len(others) == 1:
            words = say("without {name}: {value}", name=fit(others[0][0], 150, LETTER), value=ends[0])
        _label(drawing, words, ((places[0][0] + places[-1][0]) / 2, y + 19), scale, "tm")


def _label(drawing: Drawing, words: str, place: tuple[float, float], scale: Axis, css: str = "tb") -> None:
    """Words centred on a point, moved so that they stay on the axis; a line that they cross is seen beside them."""
    (x, y), half = place, width_of(words, LETTER) / 2
    drawing.text(min(max(x, scale.left + half - 8), scale.right + 18 - half), y, words, f"{css} over", "middle")


def _stack(places: Sequence[float], apart: float = 8.0, most: int = 4) -> list[tuple[float, float]]:
    """Points from left to right, each with how far it is moved up so that it does not cover one before."""
    points: list[tuple[float, float]] = []
    for x in places:
        heights = {up for other, up in points if x - other < apart}
        free = next((apart * step for step in range(most) if apart * step not in heights), 0.0)
        points.append((x, free))
    return points


def heat_map(
    judges: Sequence[tuple[str, bool]], cells: Mapping[tuple[int, int], PairAgreement], notes: Sequence[str]
) -> Markup:
    """Lower triangle, one hue. `judges`: name and whether a model, people first; people's block is framed."""
    names = [name for name, _ in judges]
    longest = max((len(word) for name in names for word in name.split()), default=0)
    wide, tall = min(92.0, max(66.0, LETTER * longest + 10)), 50.0
    left = min(140.0, max(61.0, 16 + LETTER * max(map(len, names), default=0)))
    across, down = fit_names(names, wide - 6, 4), fit_names(names, left - 14, 3)
    top = 11.0 + LINE * max(map(len, across), default=1)
    size = len(judges)
    people = sum(not model for _, model in judges)
    bottom = top + tall * size + 4
    drawing = Drawing(say("Agreement of each pair of judges"), bottom + 18 * len(notes), left + wide * max(size, 4) + 4)
    for at, (name, model) in enumerate(judges):
        css = "t" if model else "tb"
        put_name(drawing, (left + wide * at + wide / 2 - 1, top / 2 + 1), (across[at], name), css, "middle")
        put_name(drawing, (left - 11, top + tall * at + 28), (down[at], name), css, "end")
        for other in range(at):
            place = (left + wide * other, top + tall * at, wide - 2)
            _heat_cell(drawing, judges, cells.get((other, at)), (other, at), place)
        drawing.rect(left + wide * at, top + tall * at, wide - 2, 48, "hd", rx=3)
    if people > 1:
        drawing.rect(left - 2, top - 2, wide * people + 2, tall * people + 2, "frame", rx=5)
    if 0 < people < size:
        drawing.rect(left - 2, top + tall * people - 2, wide * people + 2, tall * (size - people) + 2, "frame d", rx=5)
    for at, words in enumerate(notes):
        drawing.text(left, bottom + 14 + 18 * at, words, "tb" if at == 0 else "tm")
    return _markup(drawing)


def _heat_cell(
    drawing: Drawing,
    judges: Sequence[tuple[str, bool]],
    cell: PairAgreement | None,
    pair: tuple[int, int],
    place: tuple[float, float, float],
) -> None:
    x, y, wide = place
    middle = x + wide / 2
    if cell is None or cell.value is None:
        drawing.rect(x, y, wide, 48, "hd", rx=3)
        drawing.text(middle, y + 28, f"n {thousands(cell.n)}" if cell and cell.n else say("none"), "tm2", "middle")
        return
    interval = f" [{cell.low:.2f}, {cell.high:.2f}]" if cell.low is not None and cell.high is not None else ""
    same = say(", {n} % same", n=f"{100 * cell.same:.1f}") if cell.same is not None else ""
    title = f"{judges[pair[0]][0]}–{judges[pair[1]][0]}: {cell.value:.3f}{interval}{same}, n {thousands(cell.n)}"
    shade = min(9, max(0, int(cell.value * 18 if cell.value < 0.5 else 9)))
    drawing.rect(x, y, wide, 48, f"h{shade}", rx=3, title=title)
    drawing.text(middle, y + 22, number(cell.value, 2), "tb", "middle")
    drawing.text(middle, y + 38, f"n {thousands(cell.n)}", "tm2", "middle")


def ramp(count: int) -> list[str]:
    """Classes from light to dark; the last of five or more stands out in another hue, unlike the first."""
    if count >= 5:
        return [*(f"r{round(1 + 8 * at / max(count - 2, 1))}" for at in range(count - 1)), "r-apart"]
    return [f"r{round(1 + 8 * at / max(count - 1, 1))}" for at in range(count)]


def label_shares(
    options: Sequence[tuple[str, str]], judges: Sequence[tuple[str, bool, Sequence[float]]], caption: str
) -> Markup:
    """Stacked 100 % bars. `options`: label and class, `judges`: name, whether a model, share of each option."""
    left, labels = room_for_names(name for name, _, _ in judges)
    width, x, y = 402.0, left, 13.0
    drawing = Drawing(say("Share of each answer per judge, {what}", what=caption), 0, width)
    for label, css in options:
        entry_width = 26 + width_of(label, LETTER)
        if x + entry_width > width and x > left:
            x, y = left, y + 18
        drawing.rect(x, y - 9, 10, 10, css)
        drawing.text(x + 14, y, label, "tm")
        x += entry_width
    y += 17
    met_model = False
    for row, (name, model, shares) in enumerate(judges):
        if model and not met_model:
            drawing.line(0, y - 4, width, y - 4, "gr")
            met_model, y = True, y + 6
        put_name(drawing, (0, y + 19), (labels[row], name), "t" if model else "tb", "start")
        at = left
        for (label, css), share in zip(options, shares, strict=True):
            size = (width - 2 - left) * share
            if share > 0:
                drawing.rect(
                    at, y, size - 1.5 if size > 3 else size, 28, css, title=f"{name} {label} {100 * share:.1f} %"
                )
                if size > 24:
                    drawing.text(at + size / 2, y + 19, f"{100 * share:.0f}", f"t on-{css}", "middle")
            at += size
        y += 44
    drawing.text(left, y + 6, caption, "tm")
    drawing.height = y + 12
    return _markup(drawing)


def odd_one_out(all_agree: int, alone: Sequence[tuple[str, int]], none_alike: int, otherwise_split: int = 0) -> Markup:
    """One bar over the shared units: all agree, each judge alone (most often first), otherwise split, none alike."""
    split = say("split")
    parts = [(say("all agree"), all_agree, "o0")]
    for at, (name, count) in enumerate(alone):
        parts.append((say("{name} alone", name=name) if at == 0 else name, count, "o1" if at == 0 else "o2"))
    parts += [(split, otherwise_split, "o3"), (say("none alike"), none_alike, "o3")]
    total = sum(count for _, count, _ in parts)
    parts_drawn = [part for part in parts if part[1]]
    room = 402 - 2 * (len(parts_drawn) - 1)
    sizes = [room * count / total for _, count, _ in parts_drawn]
    words: list[list[str]] = []
    x = last = 0.0  # names stand above their parts where they do not run into the one before
    for (name, _, css), size in zip(parts_drawn, sizes, strict=True):
        room_for = max(118.0, size) if css == "o1" else size if css == "o2" and size > 34 else 0.0
        lines = fit_names([name], room_for, 3)[0] if room_for else []
        if css == "o2" and any(len(word) > room_for / LETTER for word in name.split()):
            lines = []  # a name in pieces is read as several; the tooltip has it whole
        half = max([0.0, *(width_of(line, LETTER) / 2 for line in lines)])
        fits = x + size / 2 - half >= last
        words.append(lines if fits else [])
        last = x + size / 2 + half + 4 if fits and lines else last
        x += size + 2
    bar = 8 + LINE * max([1, *map(len, words)])
    drawing = Drawing(
        say("Of {n}: {what}", n=total, what=comma().join(f"{apart(name)} {count}" for name, count, _ in parts)),
        bar + 58,
        402,
    )
    x = 0.0
    for (name, count, css), size, lines in zip(parts_drawn, sizes, words, strict=True):
        drawing.rect(x, bar, size, 30, css, title=f"{name}: {count}")
        if size > 7 * len(str(count)) + 4:
            drawing.text(x + size / 2, bar + 20, str(count), "tb", "middle")
        if css == "o3":
            left = name == split and none_alike
            drawing.text(402 - 76 if left else 402, bar + 46, name, "tm", "end")
        elif css == "o0":
            drawing.text(0, bar + 46, name, "tm")
        elif lines:
            middle = bar - 8 - LINE * (len(lines) - 1) / 2
            half = max(width_of(line, LETTER) / 2 for line in lines)
            centre = min(max(x + size / 2, half), 402 - half)  # the name of a small part at the edge stays inside
            put_name(drawing, (centre, middle), (lines, name), "tb" if css == "o1" else "tm", "middle")
        x += size + 2
    return _markup(drawing)


def merging(now: float, pairs: Sequence[tuple[str, float]]) -> Markup:
    """Change of agreement when two labels count as one, largest first, losses hollow."""
    drawing = Drawing(say("Agreement after counting two labels as one"), 28 + 24 * len(pairs), 402)
    reach = max([0.01, *(abs(change) for _, change in pairs)])
    loss = any(change < 0 for _, change in pairs)
    zero, room = (265.0, 84.0) if loss else (180.0, 170.0)

    def x(change: float) -> float:
        return zero + room * change / reach

    drawing.line(zero, 16, zero, 22 + 24 * len(pairs), "base")
    drawing.text(zero, 11, f"α nominal · {say('now {value}', value=number(now, 3))}", "tm", "middle")
    for at, (label, change) in enumerate(pairs):
        y = 32 + 24 * at
        less = change < 0
        drawing.text(0, y + 4, fit(label, 182), "tb" if at == 0 else "t")
        drawing.line(zero, y, x(change), y, "lol n" if less else "lol")
        drawing.circle(x(change), y, 5, "ptn" if less else "pt0")
        words = number(change, 3) if less else f"+{number(change, 3)}"
        drawing.text(402, y + 4, words, "tb" if at == 0 else "tm", "end")
    return _markup(drawing)


def distance(value: float) -> Markup:
    """How far apart the answers to one item are, from 0 to 1."""
    drawing = Drawing(say("distance {value}", value=f"{value:.2f}"), 8, 60)
    drawing.rect(0, 2, 60, 4, "pt")
    drawing.rect(0, 2, 60 * min(value, 1), 4, "pd")
    return _markup(drawing)


def distributions(judges: Sequence[tuple[str, bool, Spread]], bounds: tuple[float, float], caption: str) -> Markup:
    """How each judge uses a fine scale: answers in bands as small bars, below them the middle half and the middle."""
    left, labels = room_for_names(name for name, _, _ in judges)
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
            name=name,
            middle=f"{spread.middle:g}",
            low=f"{spread.low:g}",
            high=f"{spread.high:g}",
        )
        put_name(drawing, (0, base - 8), (labels[row], name), "t" if model else "tb", "start")
        step = (right - left) / max(1, len(spread.bands))
        for band, share in enumerate(spread.bands):
            if share > 0:
                size = max(1.0, (tall - 14) * share / top)
                begin = low + (high - low) * band / len(spread.bands)
                end = low + (high - low) * (band + 1) / len(spread.bands)
                drawing.rect(
                    left + step * band + 0.5,
                    base - size,
                    step - 1,
                    size,
                    "pm" if model else "pd",
                    title=f"{name} {begin:g}–{end:g}: {100 * share:.1f} %",
                    rx=1,
                )
        drawing.rect(x(spread.low), base + 3, max(2.0, x(spread.high) - x(spread.low)), 5, "ci", title=title, rx=2)
        drawing.circle(x(spread.middle), base + 5.5, 3.5, "pt0", title=title)
        drawing.text(width, base, f"{spread.middle:g}", "t" if model else "tb", "end")
    drawing.text(left, bottom + 32, caption, "tm")
    drawing.height = bottom + 38
    return _markup(drawing)


def leanings(rows: Sequence[tuple[str, JudgeSeverity]]) -> Markup:
    """Who scores higher or lower than the others on the same texts: a dot with its interval, zero in the middle."""
    left, labels = room_for_names(name for name, _ in rows)
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
        put_name(drawing, (0, y + 4), (labels[at], name), "tb" if at == 0 else "t", "start")
        if row.low is not None and row.high is not None:
            drawing.rect(x(row.low), y - 6, x(row.high) - x(row.low), 12, "ci", rx=3)
        words = f"{row.value:+.1f}".replace("-", "−")
        drawing.circle(x(row.value), y, 4.5, "pt0", title=f"{name} {words}, n {thousands(row.items)}")
        drawing.text(width, y + 4, words, "tb" if at == 0 else "t", "end")
    return _markup(drawing)


def room_for_names(names: Iterable[str]) -> tuple[float, list[list[str]]]:
    """Room for names beside rows, and the names as they fit there."""
    all_names = list(names)
    left = min(118.0, max(60.0, 8 + LETTER * max(map(len, all_names), default=0)))
    return left, fit_names(all_names, left - 4, 2)


@dataclass(frozen=True, slots=True)
class LadderStep:
    """One system of a ladder: its ranks from and to, and what is known between it and the next, in words."""

    system: str
    ranks: tuple[int, int]
    state: str
    settled: bool


_RUNG, _RANKS = 38.0, (168.0, 258.0)


def ladder(rungs: Sequence[LadderStep]) -> Markup:
    """Systems from best to worst: a solid line to the next is settled, a dashed one open; bars are possible ranks."""
    last = max(2, len(rungs))
    drawing = Drawing(say("Systems from best to worst, with possible ranks"), 30 + _RUNG * len(rungs), 300)

    def place(rank: float) -> float:
        return _RANKS[0] + (_RANKS[1] - _RANKS[0]) * (rank - 1) / (last - 1)

    drawing.text(_RANKS[0] - 6, 12, say("rank, from – to"), "tm")
    for at, rung in enumerate(rungs):
        y = 34 + _RUNG * at
        if at + 1 < len(rungs):
            drawing.line(8, y + 7, 8, y + _RUNG - 7, "settled" if rung.settled else "unsettled")
            drawing.text(22, y + _RUNG / 2 + 4, fit(rung.state, 276, 6.5), "tm", title=rung.state)
        drawing.text(22, y + 4, fit(rung.system, 134), "tb", title=rung.system)
        drawing.circle(8, y, 6, "fk2")
        low, high = rung.ranks
        drawing.rect(place(low) - 6, y - 6, place(high) - place(low) + 12, 12, "pm", rx=6)
        drawing.text(298, y + 4, from_to(low, high), "tb", "end")
    return _markup(drawing)


def course(points: Sequence[tuple[float, float, float]], pairs: int, *, tells_given_up: bool) -> Markup:
    """The open pairs expected to be decided, along the judgements to come, and above them, dashed, those that will be
    given up. Points are judgements, pairs decided, pairs given up."""
    drawing = Drawing(say("Open pairs expected to be decided, along the judgements to come"), 190, 300)
    across = axis([x for x, _, _ in points], 34, 276, ticks=3)
    up = axis([*(found + lost for _, found, lost in points), float(pairs)], 0, 130, ticks=3)
    for tick in up.ticks:
        drawing.line(34, 145 - up.place(tick), 276, 145 - up.place(tick), "gr")
        drawing.text(26, 149 - up.place(tick), f"{tick:g}", "tm", "end")
    for tick in across.ticks:
        drawing.text(across.place(tick), 163, thousands(round(tick)), "tm", "middle")
    drawing.text(155, 183, say("judgements to come"), "tm", "middle")
    if tells_given_up:
        drawing.trace([(across.place(x), 145 - up.place(found + lost)) for x, found, lost in points], "course given-up")
    drawing.trace([(across.place(x), 145 - up.place(found)) for x, found, _ in points], "course")
    for x, y, _ in points[1:]:
        drawing.circle(across.place(x), 145 - up.place(y), 2.5, "fk2", f"{x:.0f}: {y:.1f}")
    return _markup(drawing)

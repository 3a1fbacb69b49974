"""Counts, shares, rates and preferences as bars and dots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lanner.figures.drawing import WIDTH, Axis, Drawing, axis, fit, told_apart, width
from lanner.figures.typeset import p_value, percent

_LEFT, _ROOM, _STEP, _TOP = 210.0, 380.0, 38.0, 30.0


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
    top = _TOP if order else 6.0
    drawing = Drawing(label, top + _STEP * len(rows) + 6)
    x = _LEFT
    for style, words in order:
        drawing.rect(x, 6, 12, 12, style)
        drawing.text(x + 17, 16, words, "tm")
        x += 34 + 7 * len(words)
    for place, row in enumerate(rows):
        y, at = top + _STEP * place, _LEFT
        drawing.lines(0, y + 18, row.label, _LEFT - 12, "tb")
        for style, size, words in row.parts:
            width = _ROOM * size / end
            drawing.rect(at, y, width, 26, style, f"{row.label}, {words or 'part'}: {size:g}")
            if words and width > 26 and float(size).is_integer():
                drawing.text(at + 7, y + 18, f"{size:,.0f}", "ts")
            at += width
        drawing.text(_LEFT + _ROOM + 12, y + 18, fit(row.note, WIDTH - _LEFT - _ROOM - 12, 6.6))
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


_LEFT_SHARES, _GAP, _STEP_SHARES, _TOP_SHARES = 172.0, 20.0, 27.0, 54.0


@dataclass(frozen=True, slots=True)
class Panel:
    """One domain: n items and, for each judge, the share of items with each label."""

    title: str
    n: int
    shares: Mapping[str, Mapping[str, float]]

    def of(self, label: str, judges: Sequence[str], names: Mapping[str, str]) -> list[tuple[str, float]]:
        """How often these judges used a label, by the judges' names."""
        return [(names.get(j, j), self.shares[j].get(label, 0.0)) for j in judges if j in self.shares]


def shares(
    labels: Sequence[tuple[str, str, str]],
    panels: Sequence[Panel],
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
    width = (WIDTH - _LEFT_SHARES - _GAP * (len(panels) - 1)) / max(1, len(panels)) - 8
    drawing = Drawing("Share of items on which each label was used, per domain and judge", y + 22)
    _legend(drawing, *([display_names.get(judge, judge) for judge in judges] for judges in (people, models)))
    for number, panel in enumerate(panels):
        x = _LEFT_SHARES + number * (width + _GAP)
        drawing.text(x, 44, fit(panel.title, width - 50), "tb")
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
    for row, domain in enumerate(domains):
        y = _TOP_THROUGHPUT + _STEP_THROUGHPUT * row + 26
        drawing.text(left - 10, y + 4, fit(domain, left - 12), "t", "end")
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
    y = _TOP_THROUGHPUT
    for domain, rows in rates_here:
        drawing.text(0, y + 14, fit(domain, _NAMES - 10), "tb")
        y += _HEAD
        for rate, judge in rows:
            drawing.text(12, y + 8, fit(judge, _NAMES - 22), "t", title=judge)
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


def preference(rows: Sequence[Preference], left: str, right: str) -> Drawing:
    """Diverging bars; bold p where it is below .05."""
    most = max((max(row.left, row.right) + row.ties / 2 for row in rows), default=1) or 1
    scale = _HALF / most
    groups = len({row.group for row in rows if row.group})
    drawing = Drawing(
        f"Preferences for {left} or {right}, with ties", 30 + _STEP_PREFERENCE * len(rows) + 22 * groups + 10
    )
    drawing.text(_CENTRE - 44, 16, f"◀ {left} preferred", "tb", "end")
    drawing.text(_CENTRE, 16, "tie", "tm", "middle")
    drawing.text(_CENTRE + 44, 16, f"{right} preferred ▶", "tb")
    drawing.text(WIDTH, 16, "sign test, ties dropped", "tm", "end")
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

"""One picture of what each system should improve: aspects down, domains across, in each cell how often an aspect
matters and how well every system handles it. A long bar with a filled mark far to the bad side is what to improve
first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lanner.figures.drawing import Axis, Drawing, axis
from lanner.figures.typeset import number, percent, shortened

_LABELS, _PANEL, _GAP, _LINE, _HEAD = 186.0, 312.0, 24.0, 15.0, 66.0
_BAR, _MARKS_FROM, _MARKS_TO = 72.0, 100.0, 240.0
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_FEW, _LONGEST_NAME, _MOST_LETTERS = 3, 24, 4
MOST_SYSTEMS = 16
"""More systems than this do not fit into a cell."""


def letter(place: int) -> str:
    """What the system at this place is called inside the picture; "" where the picture has no room for it."""
    return _LETTERS[place] if place < MOST_SYSTEMS else ""


@dataclass(frozen=True, slots=True)
class Mark:
    """One system in one cell; `below` are the systems that do better after correction, `weak` that it is filled."""

    value: float
    low: float | None = None
    high: float | None = None
    below: tuple[str, ...] = ()
    weak: bool = False


@dataclass(frozen=True, slots=True)
class Entry:
    """One cell: how often the aspect matters, on how many judgements the marks rest, and a mark for each system that
    has enough of them. On a page `href` leads to the sentences behind it, and the `chosen` one is framed."""

    often: float
    n: int
    marks: Mapping[str, Mark]
    href: str = ""
    chosen: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """An aspect with its cells by domain. `group` is an id for its colour, `heading` is printed where it changes."""

    label: str
    cells: Mapping[str, Entry]
    group: str = ""
    heading: str = ""


@dataclass(frozen=True, slots=True)
class Words:
    """The headings over the two numbers of a cell, and what stands where too few judged."""

    often: str
    well: str
    few: str


def diagnosis(
    label: str,
    lines: Sequence[Line],
    systems: Sequence[str],
    domains: Mapping[str, str],
    words: Words,
    *,
    ends: tuple[float, float] | None,
) -> Drawing:
    """The picture. `domains` map a name to what is printed at its right (sentences, documents)."""
    room = _LINE * max(2, len(systems)) + 14
    headings = sum(_begins_group(lines, at) for at in range(len(lines)))
    width = _LABELS + (_PANEL + _GAP) * len(domains)
    # a few systems are named at the left of the headings, many above them
    columns = 1 if len(systems) <= _FEW else int(width // _LABELS)
    per_column = -(-len(systems) // columns)
    head = 0.0 if columns == 1 else 17.0 * per_column + 14
    top = head + _HEAD
    drawing = Drawing(label, top + room * len(lines) + 20 * headings + 26, width)
    for place, system in enumerate(systems):
        left, down = _LABELS * (place // per_column), 17 * (place % per_column)
        _shape(drawing, place, left + 8, 12 + down, filled=True)
        drawing.text(left + 20, 16 + down, f"{letter(place)}  {shortened(system, _LONGEST_NAME)}", "t")
    values = [
        end
        for line in lines
        for entry in line.cells.values()
        for mark in entry.marks.values()
        for end in (mark.value, mark.low, mark.high)
        if end is not None
    ]
    for column, (domain, note) in enumerate(domains.items()):
        left = _LABELS + (_PANEL + _GAP) * column
        scale = _scale(left, ends, values)
        _heading(drawing, left, domain, note, words, scale, head, drawing.height)
        y = top
        for at, line in enumerate(lines):
            if _begins_group(lines, at):
                if column == 0:
                    drawing.text(14, y + 14, line.heading.upper(), "tb")
                y += 20
            if column == 0:
                drawing.rect(0, y, 4, room - 4, f"g-{line.group}" if line.group else "h7")
                drawing.lines(14, y + room / 2, line.label, _LABELS - 24, "t")
            entry = line.cells.get(domain)
            if entry is not None:
                if entry.chosen:
                    drawing.rect(left - 6, y - 6, _PANEL + 8, room - 2, "cell-now", rx=4)
                with drawing.link(entry.href, f"{line.label}, {domain}"):
                    _cell(drawing, left, y, room, entry, systems, scale, line, words.few)
            y += room
    return drawing


def _begins_group(lines: Sequence[Line], at: int) -> bool:
    return bool(lines[at].heading) and (at == 0 or lines[at].heading != lines[at - 1].heading)


def _scale(left: float, ends: tuple[float, float] | None, values: Sequence[float]) -> Axis:
    start, stop = left + _MARKS_FROM, left + _MARKS_TO
    if ends is not None:
        return Axis(ends[0], ends[1], start, stop, 1.0)
    return axis(values or [0.0, 1.0], start, stop, include=0.0)


def _heading(
    drawing: Drawing, left: float, domain: str, note: str, words: Words, scale: Axis, head: float, height: float
) -> None:
    drawing.text(left, head + 16, domain, "tb")
    drawing.text(left + _PANEL, head + 16, note, "tm", "end")
    drawing.line(left, head + 24, left + _PANEL, head + 24, "gr")
    drawing.text(left, head + 42, words.often, "tm")
    drawing.text(left + _MARKS_FROM - 14, head + 42, words.well, "tm")
    for tick in scale.ticks:
        x = scale.place(tick)
        drawing.line(x, head + _HEAD, x, height - 22, "gr")
        drawing.text(x, height - 6, f"{tick:g}", "tm", "middle")
    drawing.text(left, height - 6, "0", "tm")
    drawing.text(left + _BAR, height - 6, "100 %", "tm", "end")


def _cell(
    drawing: Drawing,
    left: float,
    y: float,
    room: float,
    entry: Entry,
    systems: Sequence[str],
    scale: Axis,
    line: Line,
    few: str,
) -> None:
    drawing.rect(left, y, _BAR, 11, "h0")
    bar = f"g-{line.group}" if line.group else "h7"
    drawing.rect(left, y, _BAR * entry.often, 11, bar, f"{line.label}: {percent(entry.often, 0)}")
    drawing.text(left, y + 25, percent(entry.often, 0), "tb")
    drawing.text(left + _BAR, y + 25, f"n {entry.n}", "tm", "end")
    if not entry.marks:
        drawing.text(left + _MARKS_FROM, y + room / 2, few, "tm")
    for place, system in enumerate(systems):
        mark = entry.marks.get(system)
        if mark is None:
            continue
        at = y + 5 + _LINE * place
        drawing.text(left + _MARKS_FROM - 14, at + 4, letter(place), "tb" if mark.weak else "tm")
        if mark.low is not None and mark.high is not None:
            drawing.line(scale.place(mark.low), at, scale.place(mark.high), at, "fi b")
        _shape(drawing, place, scale.place(mark.value), at, filled=mark.weak)
        better = [letter(systems.index(name)) for name in mark.below if name in systems]
        if len(better) > _MOST_LETTERS:
            better = [*better[: _MOST_LETTERS - 1], f"+{len(better) - _MOST_LETTERS + 1}"]
        text = number(mark.value, 2, bounded=False) + (f"  < {' '.join(better)}" if better else "")
        drawing.text(left + _MARKS_TO + 8, at + 4, text, "tb" if mark.weak else "tm")


def _shape(drawing: Drawing, place: int, x: float, y: float, *, filled: bool) -> None:
    style = "fk2" if filled else "fo"
    kind = place % 4
    if kind == 0:
        drawing.circle(x, y, 4.4, style)
    elif kind == 1:
        drawing.rect(x - 4, y - 4, 8, 8, style, rx=0)
    elif kind == 2:
        drawing.triangle(x, y - 5, 5, style)
    else:
        drawing.diamond(x, y, 5, style)

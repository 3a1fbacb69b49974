"""Judges against judges and labels against labels: heat maps, confusion matrices, what merging two labels would do.

One picture shows what each system should improve: aspects down, domains across, in each cell how often an aspect
matters and how well every system handles it. A long bar with a filled mark far to the bad side is what to improve
first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lanner.figures.drawing import WIDTH, Axis, Drawing, axis, fit, shade, width
from lanner.figures.typeset import number, percent, shortened

_ROW, _TOP, _MOST_CELL, _MOST_LEFT = 46.0, 30.0, 88.0, 230.0


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
    drawing = Drawing(f"Pairwise agreement, {coefficient} below the diagonal", _TOP + _ROW * len(judges) + 8)
    for row, judge in enumerate(judges):
        style = "tb" if row < people else "t"
        middle = left + cell * (row + 0.5)
        drawing.text(middle, 18, str(row + 1) if has_numbers else judge, style, "middle")
        drawing.lines(left - 12, _TOP + _ROW * row + 27, names[row], left - 12, style, "end")
        drawing.line(middle - 7, _TOP + _ROW * row + 23, middle + 7, _TOP + _ROW * row + 23, "gr")
        for column in range(row):
            pair = pairs.get((judges[column], judge)) or pairs.get((judge, judges[column]))
            _cell(
                drawing, left + cell * column, _TOP + _ROW * row, cell, pair, judges[column], judge, coefficient, same_n
            )
            if pair and pair.same is not None:
                centre = left + cell * (row + 0.5)
                drawing.text(centre, _TOP + _ROW * column + 28, _above(pair.same, other), "tm", "middle")
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
    drawing.rect(x + 1, y + 1, cell - 2, _ROW - 2, shade(max(0.0, pair.value) * 1.7), title)
    centre = x + cell / 2
    drawing.text(centre, y + 20, number(pair.value), "tb", "middle")
    below = f"{number(pair.low, 2)} to {number(pair.high, 2)}" if pair.low is not None and cell > 70 else ""
    if not same_n:
        below = f"n {pair.n}"
    drawing.text(centre, y + 36, below, "ts", "middle")


def _frames(drawing: Drawing, left: float, cell: float, judges: int, people: int) -> None:
    if people > 1:
        drawing.rect(left, _TOP, cell * people, _ROW * people, "frame")
    if 0 < people < judges:
        drawing.rect(left, _TOP + _ROW * people, cell * people, _ROW * (judges - people), "frame d")


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


_LEAST_LEFT, _MOST_LEFT_MERGING, _RIGHT, _STEP = 150.0, 230.0, 210.0, 70.0


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
    drawing = Drawing(f"Disagreements before and after merging {labels[0]} and {labels[1]}", 30 + _STEP * len(merges))
    halves = [half for merge in merges for half in _halves(merge.pair)]
    left = min(_MOST_LEFT_MERGING, max([_LEAST_LEFT, *(14 + 1.04 * width(half) for half in halves)]))
    room = WIDTH - _RIGHT - left
    drawing.text(left, 16, fit("–".join(labels), 260), "tacc")
    drawing.text(left + 10 + 7.6 * min(37, len("–".join(labels))), 16, "all other label pairs", "tm")
    drawing.text(756, 16, "κ", "tb", "end")
    for place, merge in enumerate(merges):
        y = 34 + _STEP * place
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


# What each system should improve


_LABELS, _PANEL, _GAP, _LINE, _HEAD = 186.0, 312.0, 24.0, 15.0, 66.0
_BAR, _MARKS_FROM, _MARKS_TO = 72.0, 100.0, 240.0
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_FEW_SYSTEMS, _LONGEST_NAME, _MOST_LETTERS = 3, 24, 4
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
    columns = 1 if len(systems) <= _FEW_SYSTEMS else int(width // _LABELS)
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
                    _diagnosis_cell(drawing, left, y, room, entry, systems, scale, line, words.few)
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


def _diagnosis_cell(
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

"""Who agrees with whom: the coefficient and its interval below the diagonal, the share of identical answers above."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lanner.reports.svg import WIDTH, Drawing, shade, width
from lanner.reports.typeset import number, percent

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
    numbered = any(width(judge) > _room(judges) for judge in judges)
    names = [f"{place}  {judge}" for place, judge in enumerate(judges, start=1)] if numbered else list(judges)
    left = _left(names)
    cell = min(_MOST_CELL, (WIDTH - left - 130) / max(1, len(judges)))
    same_n = len({pair.n for pair in pairs.values() if pair.value is not None}) <= 1
    drawing = Drawing(f"Pairwise agreement, {coefficient} below the diagonal", _TOP + _ROW * len(judges) + 8)
    for row, judge in enumerate(judges):
        style = "tb" if row < people else "t"
        middle = left + cell * (row + 0.5)
        drawing.text(middle, 18, str(row + 1) if numbered else judge, style, "middle")
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
    for name, wanted in blocks.items():
        values = [
            pair.value for (one, other), pair in pairs.items()
            if pair.value is not None and (one in persons) + (other in persons) == wanted
        ]  # fmt: skip
        if values:
            low, high = number(min(values), 2), number(max(values), 2)
            drawing.text(x, y, name, "tb")
            drawing.text(x, y + 18, f"{coefficient} {low}" + (f" to {high}" if len(values) > 1 else ""))
            y += 48

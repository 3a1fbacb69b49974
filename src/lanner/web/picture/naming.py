"""Names of judges in figures: told apart in little room, whole on hover."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import takewhile

from lanner.reports.svg import Anchor, Drawing

LETTER = 7.2
"""About the width of a bold letter."""
LINE = 14


def called(names: Sequence[str], width: float, lines: int) -> list[list[str]]:
    """Names in so much room: whole where they fit on so many lines, broken between words, then between letters. What
    is longer loses its middle, or whatever is not needed to tell it from the others."""
    shown = [_broken(name, _room(name, width), lines) for name in names]
    told = ["".join(lines_) for lines_ in shown]
    twins = [at for at, words in enumerate(told) if told.count(words) > 1]
    if len({names[at] for at in twins}) > 1:
        differs = sum(
            1 for _ in takewhile(lambda same: len(set(same)) == 1, zip(*(names[at] for at in twins), strict=False))
        )
        for at in twins:
            room = _room(names[at], width)
            rest = names[at][differs : differs + room * (lines - 1) or room // 2]
            shown[at] = _fitted(names[at][:differs], rest, room, lines)
    return shown


def _room(name: str, width: float) -> int:
    """How many letters of this name's script fit on a line."""
    letter = 12.0 if any(ord(letter) > 0x2E80 for letter in name) else LETTER
    return max(4, int(width / letter))


def _broken(name: str, room: int, lines: int) -> list[str]:
    whole = _wrapped(name, room)
    return whole if len(whole) <= lines else _fitted(name, name[-3:].lstrip(), room, lines)


def _fitted(name: str, end: str, room: int, lines: int) -> list[str]:
    """As much of a name's beginning as fits before its end."""
    for size in range(room * lines - len(end) - 1, 0, -1):
        shown = _wrapped(f"{name[:size].rstrip()}…{end}", room)
        if len(shown) <= lines:
            return shown
    return [f"…{end}"[:room]]


def _wrapped(words: str, room: int) -> list[str]:
    found: list[str] = []
    for word in words.split():
        if found and len(found[-1]) + 1 + len(word) <= room:
            found[-1] += f" {word}"
        else:
            found += [word[at : at + room] for at in range(0, len(word), room)]
    return found or [words]


def put(
    drawing: Drawing, place: tuple[float, float], words: tuple[Sequence[str], str], style: str, anchor: Anchor
) -> None:
    """A name around a height; the whole of it in a tooltip."""
    (x, y), (shown, whole) = place, words
    for at, line in enumerate(shown):
        drawing.text(x, y + LINE * (at - (len(shown) - 1) / 2), line, style, anchor, title=whole)


def beside(names: Iterable[str]) -> tuple[float, list[list[str]]]:
    """Room for names beside rows, and the names as they fit there."""
    given = list(names)
    left = min(118.0, max(60.0, 8 + LETTER * max(map(len, given), default=0)))
    return left, called(given, left - 4, 2)

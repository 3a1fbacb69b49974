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
    room = max(4, int(width / LETTER))
    shown = [_broken(name, room, lines) for name in names]
    told = ["".join(lines_) for lines_ in shown]
    twins = [at for at, words in enumerate(told) if told.count(words) > 1]
    if len({names[at] for at in twins}) > 1:
        differs = sum(
            1 for _ in takewhile(lambda same: len(set(same)) == 1, zip(*(names[at] for at in twins), strict=False))
        )
        for at in twins:
            shown[at] = _letters(_around(names[at], differs, room * lines), room)
    return shown


def _broken(name: str, room: int, lines: int) -> list[str]:
    found: list[str] = []
    for word in name.split():
        if found and len(found[-1]) + 1 + len(word) <= room:
            found[-1] += f" {word}"
        else:
            found += _letters(word, room)
    if len(found) <= lines:
        return found or [name]
    return _letters(f"{name[: room * lines - 5].rstrip()}…{name[-3:].lstrip()}", room)


def _letters(words: str, room: int) -> list[str]:
    return [words[at : at + room] for at in range(0, len(words), room)]


def _around(name: str, place: int, whole: int) -> str:
    """The beginning of a name, and what stands where it begins to differ."""
    begin = max(2, whole // 3)
    rest = name[place : place + whole - begin - 2]
    end = "" if place + len(rest) >= len(name) else "…"
    return f"{name[:begin].rstrip()}…{rest.strip()}{end}"


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

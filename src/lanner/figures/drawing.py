"""Drawings as SVG by hand: lines, text that fits, axes with round ticks, names that can be told apart."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from typing import Literal

Anchor = Literal["start", "middle", "end"]
WIDTH = 760.0


class Drawing:
    """Collects shapes. Coordinates are pixels at 760 wide, one text column of the report."""

    def __init__(self, label: str, height: float, width: float = WIDTH) -> None:
        self._parts: list[str] = []
        self.label, self.height, self.width = label, height, width

    def text(self, x: float, y: float, words: str, style: str = "t", anchor: Anchor = "start", title: str = "") -> None:
        where = "" if anchor == "start" else f' text-anchor="{anchor}"'
        more = f"<title>{escape(title)}</title>" if title else ""
        self._parts.append(f'<text x="{x:.1f}" y="{y:.1f}" class="{style}"{where}>{escape(words)}{more}</text>')

    def lines(self, x: float, y: float, words: str, pixels: float, style: str = "t", anchor: Anchor = "start") -> None:
        """Words around the height y, on two lines where one is too short; whole in a tooltip where they are cut."""
        lines = wrap(words, pixels)
        for place, line in enumerate(lines):
            self.text(x, y + 14 * (place - (len(lines) - 1) / 2), line, style, anchor)
        if " ".join(lines) != words:
            self._parts[-1] = self._parts[-1].replace("</text>", f"<title>{escape(words)}</title></text>")

    def rect(self, x: float, y: float, width: float, height: float, style: str, title: str = "", rx: float = 2) -> None:
        shape = f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width, 0):.1f}" height="{max(height, 0):.1f}" rx="{rx:g}" '
        shape += f'class="{style}"'
        self._parts.append(f"{shape}><title>{escape(title)}</title></rect>" if title else f"{shape}/>")

    def line(self, x1: float, y1: float, x2: float, y2: float, style: str) -> None:
        self._parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{style}"/>')

    def circle(self, x: float, y: float, radius: float, style: str, title: str = "") -> None:
        shape = f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}" class="{style}"'
        self._parts.append(f"{shape}><title>{escape(title)}</title></circle>" if title else f"{shape}/>")

    def diamond(self, x: float, y: float, radius: float, style: str, title: str = "") -> None:
        path = f"M{x:.1f} {y - radius:.1f}L{x + radius:.1f} {y:.1f}L{x:.1f} {y + radius:.1f}L{x - radius:.1f} {y:.1f}Z"
        self._path(path, style, title)

    def triangle(self, x: float, y: float, radius: float, style: str) -> None:
        """Pointing up, its tip at (x, y)."""
        base = y + 1.8 * radius
        self._path(f"M{x:.1f} {y:.1f}L{x + radius:.1f} {base:.1f}L{x - radius:.1f} {base:.1f}Z", style)

    @contextmanager
    def link(self, address: str, name: str) -> Iterator[None]:
        """What is drawn inside is a link; without an address it is only drawn."""
        if address:
            self._parts.append(f'<a href="{escape(address, quote=True)}" aria-label="{escape(name, quote=True)}">')
        yield
        if address:
            self._parts.append("</a>")

    def trace(self, points: Sequence[tuple[float, float]], style: str) -> None:
        """A line through points."""
        self._path("M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points), style)

    def area(self, points: Sequence[tuple[float, float]], style: str) -> None:
        """The surface inside points."""
        self._path("M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points) + "Z", style)

    def _path(self, path: str, style: str, title: str = "") -> None:
        shape = f'<path d="{path}" class="{style}"'
        self._parts.append(f"{shape}><title>{escape(title)}</title></path>" if title else f"{shape}/>")

    def __str__(self) -> str:
        size = f'viewBox="0 0 {self.width:g} {self.height:g}" width="{self.width:g}" height="{self.height:g}"'
        label = escape(self.label, quote=True)
        return f'<svg {size} role="img" aria-label="{label}">\n' + "\n".join(self._parts) + "\n</svg>"


def shade(share: float) -> str:
    """The class of a cell's tint for a value between 0 and 1; ten steps, light enough for ink on top."""
    return f"h{min(9, max(0, int(share * 10)))}"


def fit(words: str, pixels: float, per_character: float = 7.0) -> str:
    """The words, cut with an ellipsis where they would not fit. Wide scripts count double."""
    room = pixels / per_character
    width = 0.0
    for place, character in enumerate(words):
        width += 2 if ord(character) > 0x2E80 else 1
        if width > room:
            return words[: max(1, place - 1)].rstrip() + "…"
    return words


def wrap(words: str, pixels: float, per_character: float = 7.0) -> list[str]:
    """The words on one line or two, broken at a space; what does not fit even so ends with an ellipsis."""
    if fit(words, pixels, per_character) == words:
        return [words]
    parts = words.split(" ")
    fitting = [n for n in range(1, len(parts)) if width(" ".join(parts[:n]), per_character) <= pixels]
    length = max(fitting, default=1)
    rest = " ".join(parts[length:])
    first = fit(" ".join(parts[:length]), pixels, per_character)
    return [first, fit(rest, pixels, per_character)] if rest else [first]


def width(words: str, per_character: float = 7.0) -> float:
    """About how many pixels the words take."""
    return per_character * sum(2 if ord(character) > 0x2E80 else 1 for character in words)


def standalone(svg: str, css: str) -> str:
    """The same drawing as a file of its own, with its colours inside."""
    head, _, rest = svg.partition(">")
    return f'{head} xmlns="http://www.w3.org/2000/svg"><style>{css}</style>{rest}'


_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


@dataclass(frozen=True, slots=True)
class Axis:
    """Maps values from `low` to `high` onto pixels from `left` to `right`."""

    low: float
    high: float
    left: float
    right: float
    step: float

    def place(self, value: float) -> float:
        """The pixel of a value, kept inside the axis."""
        share = (value - self.low) / (self.high - self.low)
        return self.left + min(1.0, max(0.0, share)) * (self.right - self.left)

    @property
    def ticks(self) -> list[float]:
        number = round((self.high - self.low) / self.step)
        return [self.low + self.step * place for place in range(number + 1)]

    def draw(self, drawing: Drawing, top: float, bottom: float, *, unit: str = "", bounded: bool = False) -> None:
        """Grid lines with their numbers below; the line at zero stands out. `bounded` numbers have no leading zero."""
        digits = next((n for n in range(6) if abs(round(self.step, n) - self.step) < 1e-9), 6)
        for tick in self.ticks:
            x = self.place(tick)
            drawing.line(x, top, x, bottom, "ax0" if abs(tick) < 1e-9 and self.low < 0 else "gr")
            text = f"{abs(tick):.{digits}f}{unit}" if abs(tick) > 1e-9 else "0"
            text = text.removeprefix("0") if bounded and text.startswith("0.") else text
            drawing.text(x, bottom + 16, f"−{text}" if tick < -1e-9 else text, "tm", "middle")


def axis(values: Iterable[float], left: float, right: float, *, ticks: int = 4, include: float | None = 0.0) -> Axis:
    """An axis with round ends that holds all values, and `include` if given."""
    finite = [value for value in values if math.isfinite(value)]
    if include is not None:
        finite.append(include)
    low, high = (min(finite), max(finite)) if finite else (0.0, 1.0)
    if high - low < 1e-9:
        low, high = low - 0.5, high + 0.5
    rough = (high - low) / ticks
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in _STEPS if power * factor >= rough - 1e-12)
    return Axis(math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step, left, right, step)


def told_apart(names: Sequence[str], pixels: float, per_character: float = 7.6) -> list[str]:
    """The names, without as many of the first words that all share as it takes to fit; cut only where that is not
    enough."""
    labels = list(names)
    while len(labels) > 1 and any(width(name, per_character) > pixels for name in labels):
        firsts = {name.partition(" ")[0] for name in labels}
        if len(firsts) > 1 or not all(name.partition(" ")[2] for name in labels):
            break
        labels = [name.partition(" ")[2] for name in labels]
    return [fit(name, pixels, per_character) for name in labels]

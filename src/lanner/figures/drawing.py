"""Drawings as SVG by hand: lines, text that fits, axes with round ticks, names that can be told apart.

Figures that leave the report are written as SVG for an editor with every colour worked out, PDF and PNG drawn from it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from importlib import import_module
from importlib.util import find_spec
from itertools import takewhile
from typing import Any, Literal

import numpy as np

from lanner.errors import LannerError

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
    return [lines[0] for lines in fit_names(labels, pixels * LETTER / per_character, 1)]


LETTER = 7.2
"""About the width of a bold letter."""
LINE = 14


def fit_names(names: Sequence[str], width: float, lines: int) -> list[list[str]]:
    """Names in so much room: whole where they fit on so many lines, broken between words, then between letters. What
    is longer loses its middle, or whatever is not needed to tell it from the others."""
    name_lines = [_broken(name, _room(name, width), lines) for name in names]
    for differs in (_first_difference, _last_difference):
        titles = ["".join(lines_) for lines_ in name_lines]
        for title in {title for title in titles if titles.count(title) > 1}:
            twins = [at for at, words in enumerate(titles) if words == title]
            alike = {names[at] for at in twins}
            for at in twins if len(alike) > 1 else ():
                start, room = differs(names[at], alike), _room(names[at], width)
                rest = names[at][start : start + (room * (lines - 1) or room // 2)]
                name_lines[at] = _fit_before(names[at][:start], rest, room, lines)
    return name_lines


def _first_difference(_name: str, alike: Collection[str]) -> int:
    """How many letters all of these names begin with."""
    return _shared(alike)


def _last_difference(name: str, alike: Collection[str]) -> int:
    """How many letters a name begins with that the most similar of the others begins with too."""
    return max(_shared((name, other)) for other in alike if other != name)


def _shared(names: Collection[str]) -> int:
    return sum(1 for _ in takewhile(lambda letters: len(set(letters)) == 1, zip(*names, strict=False)))


def _room(name: str, width: float) -> int:
    """How many letters of this name's script fit on a line."""
    letter = 12.0 if any(ord(letter) > 0x2E80 for letter in name) else LETTER
    return max(4, int(width / letter))


def _broken(name: str, room: int, lines: int) -> list[str]:
    whole = _wrap_words(name, room)
    last = re.split(r"[\s_/.-]", name)[-1]
    end = last if 0 < len(last) <= room // 2 else name[-3:].lstrip()
    return whole if len(whole) <= lines else _fit_before(name, end, room, lines)


def _fit_before(name: str, end: str, room: int, lines: int) -> list[str]:
    """As much of a name's beginning as fits before its end."""
    for size in range(room * lines - len(end) - 1, 0, -1):
        name_lines = _wrap_words(f"{name[:size].rstrip()}…{end}", room)
        if len(name_lines) <= lines:
            return name_lines
    return [f"…{end}"[:room]]


def _wrap_words(words: str, room: int) -> list[str]:
    lines: list[str] = []
    for word in words.split():
        if lines and len(lines[-1]) + 1 + len(word) <= room:
            lines[-1] += f" {word}"
        else:
            lines += [word[at : at + room] for at in range(0, len(word), room)]
    return lines or [words]


def put_name(
    drawing: Drawing, place: tuple[float, float], words: tuple[Sequence[str], str], style: str, anchor: Anchor
) -> None:
    """A name around a height; the whole of it in a tooltip where it is cut."""
    (x, y), (name_lines, whole) = place, words
    title = whole if any("…" in line for line in name_lines) else ""
    for at, line in enumerate(name_lines):
        drawing.text(x, y + LINE * (at - (len(name_lines) - 1) / 2), line, style, anchor, title)


# Figures that leave the report


# The style sheet with every colour worked out, for figures that leave the report: SVG in an editor, PDF, PNG.
#
# The report's own sheet says `var(--accent)` and `color-mix(in oklab, …)`, which browsers know and few other programs
# do. Here the variables of the light palette are filled in and mixtures computed, and only rules that concern a drawing
# are kept.

_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
_VARIABLE = re.compile(r"var\((--[\w-]+)\)")
_MIX = re.compile(r"color-mix\(in oklab, (#[0-9a-f]{3,6}) ([\d.]+)%, (#[0-9a-f]{3,6})\)")
_NOT_DRAWN = (".kick", ".by", ".toc", ".ci", ".pp", ".sig", ".quote")
_PROPERTIES = ("fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "font", "font-size", "font-weight")
_FONTS = '"Noto Sans", "Noto Sans CJK KR", "Noto Sans KR", "Noto Sans Arabic", "DejaVu Sans", sans-serif'
# Ottosson's matrices between linear sRGB and oklab (public domain)
_TO_LMS = np.array(
    [[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566],
     [0.0883024619, 0.2817188376, 0.6299787005]]
)  # fmt: skip
_TO_LAB = np.array(
    [[0.2104542553, 0.7936177850, -0.0040720468], [1.9779984951, -2.4285922050, 0.4505937099],
     [0.0259040371, 0.7827717662, -0.8086757660]]
)  # fmt: skip


def plain(css: str) -> str:
    """The rules for drawings with plain colours, light palette."""
    light, _, _ = _without_comments(css).partition("@media (prefers-color-scheme: dark)")
    variables = dict(re.findall(r"(--[\w-]+):\s*([^;}]+)", light))
    variables |= {
        name: value for name, value in re.findall(r"(--[\w-]+):\s*([^;}]+)", _top(css)) if name not in variables
    }
    rules = []
    for selector, body in _RULE.findall(_top(css)):
        names = [one.strip() for one in selector.split(",")]
        classes = [name.removeprefix("svg ") for name in names if name.startswith((".", "svg ", "[class^="))]
        classes = [name for name in classes if " " not in name and ":" not in name and name not in _NOT_DRAWN]
        declarations = "; ".join(_declarations(body, variables))
        if classes and declarations:
            rules.append(f"{', '.join(classes)} {{ {declarations} }}")
    return "\n".join(rules)


def _without_comments(css: str) -> str:
    return re.sub(r"/\*.*?\*/", "", css, flags=re.DOTALL)


def _top(css: str) -> str:
    """The sheet without what stands inside @media and @page."""
    text, parts, depth, at = _without_comments(css), [], 0, 0
    while at < len(text):
        if depth == 0 and text[at] == "@":
            depth, at = 1, text.index("{", at) + 1
            while depth:
                depth += {"{": 1, "}": -1}.get(text[at], 0)
                at += 1
            continue
        parts.append(text[at])
        at += 1
    return "".join(parts)


def _declarations(body: str, variables: Mapping[str, str]) -> list[str]:
    parts = []
    for declaration in body.split(";"):
        name, _, value = (part.strip() for part in declaration.partition(":"))
        if name not in _PROPERTIES:
            continue
        while _VARIABLE.search(value):
            value = _VARIABLE.sub(lambda match: variables.get(match[1], "currentColor").strip(), value)
        value = _MIX.sub(lambda match: mix(match[1], float(match[2]) / 100, match[3]), value)
        if name == "font":
            size = next((word for word in value.split() if word.endswith("px")), "13px")
            parts += [f"font-size: {size}", f"font-family: {_FONTS}"]
        else:  # fonts on disk come in regular and bold, seldom between
            parts.append(f"{name}: {'bold' if name == 'font-weight' and value > '600' else value}")
    return parts


def mix(first: str, share: float, second: str) -> str:
    """So much of the first colour with the second, mixed in oklab as browsers do."""
    one, two = (_oklab(colour) for colour in (first, second))
    lms = np.linalg.solve(_TO_LAB, share * one + (1 - share) * two) ** 3
    linear = np.clip(np.linalg.solve(_TO_LMS, lms), 0, 1)
    channels = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    return "#" + "".join(f"{round(float(channel) * 255):02x}" for channel in channels)


def _oklab(colour: str) -> np.ndarray:
    digits = colour.removeprefix("#")
    digits = "".join(2 * digit for digit in digits) if len(digits) == 3 else digits
    channels = np.array([int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)])
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return np.asarray(_TO_LAB @ np.cbrt(_TO_LMS @ linear))


# Figures as PDF and PNG, drawn from the same SVG by the same program, so that all three look alike.

_SCALE = 3.0  # 2,280 pixels for one text column: 300 dots per inch at 193 mm, more at the usual 154 mm
_INK_ON_WHITE = '<rect width="100%" height="100%" fill="#ffffff"/>'


def pdf(svg: str) -> bytes:
    """One page of the size of the drawing; text stays text, with its fonts inside."""
    return bytes(_renderer().svg_to_pdf(svg))


def png(svg: str, scale: float = _SCALE) -> bytes:
    """The drawing on white, for slides and word processors."""
    head, mark, rest = svg.partition("</style>")
    return bytes(_renderer().svg_to_png(f"{head}{mark}{_INK_ON_WHITE}{rest}", scale=scale))


def available() -> bool:
    """Whether PDF and PNG can be made here; SVG always can."""
    return find_spec("vl_convert") is not None


def _renderer() -> Any:
    """Loaded when the first picture is made: a server that only lists judges never needs it."""
    try:
        return import_module("vl_convert")
    except ImportError as error:
        raise LannerError(
            "PDF and PNG figures need the package vl-convert-python.",
            next_step='Install it with `pip install "lanner[figures]"`, or ask for SVG.',
        ) from error

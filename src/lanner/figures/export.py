"""Figures that leave the report: SVG for an editor with every colour worked out, PDF and PNG drawn from it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from lanner.errors import LannerError

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

"""Figures as PDF and PNG, drawn from the same SVG by the same program, so that all three look alike."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from lanner.errors import LannerError

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

from __future__ import annotations

import re
import struct
import sys
import zlib

import pytest

from lanner.errors import LannerError
from lanner.figures.drawing import Drawing, standalone
from lanner.figures.export import mix, pdf, plain, png
from lanner.reports import html


def test_mixing_as_browsers_do() -> None:
    assert mix("#1f5c86", 1.0, "#ffffff") == "#1f5c86"
    assert mix("#1f5c86", 0.0, "#fff") == "#ffffff"
    assert mix("#000", 0.5, "#fff") == "#636363"  # what Chromium computes for color-mix(in oklab, #000 50%, #fff)


def test_no_variable_and_no_mixture_is_left() -> None:
    made = plain(html.style())
    assert "var(" not in made
    assert "color-mix" not in made
    assert "currentColor" not in made
    assert re.search(r"^\.h9 \{ fill: #[0-9a-f]{6} \}", made, re.MULTILINE)


def test_every_class_of_a_drawing_keeps_its_rule() -> None:
    sheet = html.style()
    made = plain(html.style())
    for name in ("a0", "phu", "pmt", "fi.b", "cv.c3", "g-field", "dm", "tm"):
        assert f".{name}" in sheet
        assert re.search(rf"\.{re.escape(name)}\b", made)


def drawing() -> str:
    made = Drawing("A figure", 40)
    made.rect(0, 0, 760, 40, "h9")
    made.text(10, 25, "정보 밀도 κ .50", "tb")
    return standalone(str(made), plain(html.style()))


def test_a_png_has_the_size_and_the_colour_of_the_figure() -> None:
    made = png(drawing(), scale=1)
    assert made[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", made[16:24]) == (760, 40)
    at, data = 8, b""
    while at < len(made):
        (size,) = struct.unpack(">I", made[at : at + 4])
        data += made[at + 8 : at + 8 + size] if made[at + 4 : at + 8] == b"IDAT" else b""
        at += 12 + size
    assert b"\x84\xa3\xbc\xff" in zlib.decompress(data)  # the darkest tint, opaque


def test_a_pdf_holds_its_fonts() -> None:
    made = pdf(drawing())
    assert made.startswith(b"%PDF-")
    assert b"FontFile" in made


def test_a_missing_renderer_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(LannerError, match="vl-convert-python"):
        pdf(drawing())

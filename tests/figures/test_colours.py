import re

from lanner.figures.colours import mix, plain
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

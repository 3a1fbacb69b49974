from __future__ import annotations

import re
import struct
import sys
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from lanner.errors import LannerError
from lanner.figures.drawing import (
    LETTER,
    Drawing,
    axis,
    fit,
    fit_names,
    mix,
    pdf,
    plain,
    png,
    put_name,
    shade,
    standalone,
    told_apart,
)
from lanner.reports import rendering
from reports.drawings import words


def test_words_are_escaped() -> None:
    drawing = Drawing('A "label" <b>', 20)
    drawing.text(1, 2, "<script>alert(1)</script> & more")
    drawing.rect(0, 0, 5, 5, "a0", title="x < y")
    root = etree.fromstring(str(drawing).encode())
    assert [child.tag for child in root] == ["text", "rect"]
    assert root[0].text == "<script>alert(1)</script> & more"


def test_a_standalone_figure_carries_its_colours() -> None:
    text = standalone(str(Drawing("x", 10)), ":root { --ink: #000 }")
    assert etree.fromstring(text.encode()).tag == "{http://www.w3.org/2000/svg}svg"
    assert "--ink" in text


def test_shade_has_ten_steps() -> None:
    assert [shade(value) for value in (-1, 0, 0.55, 1, 7)] == ["h0", "h0", "h5", "h9", "h9"]


def test_fit_counts_wide_scripts_double() -> None:
    assert fit("short", 100) == "short"
    assert fit("a very long label indeed", 70).endswith("…")
    assert len(fit("정보 밀도와 생각의 전개", 70)) < len(fit("information density and", 70))


@given(st.lists(st.floats(-1e6, 1e6), min_size=1))
def test_the_axis_holds_every_value_and_has_few_round_ticks(values: list[float]) -> None:
    scale = axis(values, 100, 500)
    assert scale.low <= min(values) + 1e-6 * scale.step
    assert scale.high >= max(values) - 1e-6 * scale.step
    assert 2 <= len(scale.ticks) <= 8
    assert all(100 <= scale.place(value) <= 500 for value in values)


def test_round_ends() -> None:
    scale = axis([0.13, 0.87], 0, 100)
    assert (scale.low, scale.high, scale.step) == (0.0, 1.0, 0.25)


def test_ticks_are_written_as_they_are() -> None:
    drawing = Drawing("ticks", 50)
    axis([0.13, 0.87], 0, 100).draw(drawing, 0, 10)
    assert words(drawing) == ["0", "0.25", "0.50", "0.75", "1.00"]
    bounded = Drawing("ticks", 50)
    axis([-0.4, 0.2], 0, 100).draw(bounded, 0, 10, bounded=True)
    assert words(bounded) == ["−.4", "−.2", "0", ".2"]


def test_all_values_equal() -> None:
    scale = axis([3.0, 3.0], 0, 100, include=None)
    assert scale.low < 3.0 < scale.high


def test_shared_words_go_before_anything_is_cut() -> None:
    names = ["Simulated annotator 1", "Simulated annotator 2"]
    assert told_apart(names, 400) == names
    assert told_apart(names, 90) == ["annotator 1", "annotator 2"]
    assert told_apart(names, 30) == ["1", "2"]


def test_names_that_share_nothing_are_cut() -> None:
    assert told_apart(["Anna Lindqvist-Bergman", "J2"], 80) == ["Anna L…man", "J2"]
    assert told_apart(["Simulated annotator 1"], 90) == ["Simulated…1"]


@given(st.data())
def test_names_are_told_apart_however_many_begin_or_end_alike(data: st.DataObject) -> None:
    firsts, lasts = (
        ("", "A translation system of ", "نظام الترجمة الآلية "),
        ("", "-final-checkpoint", " 번역 시스템의 최종판"),
    )
    kinds = [f"{at}-of-the-second-kind-{other}" for at in range(4) for other in range(4)]
    every = [first + kind + last for first in firsts for kind in kinds for last in lasts]
    names = data.draw(st.lists(st.sampled_from(every), unique=True, min_size=1))
    assert len(set(joined(fit_names(names, data.draw(st.integers(90, 300)), data.draw(st.integers(1, 3)))))) == len(
        names
    )


def joined(shown: list[list[str]]) -> list[str]:
    return ["".join(lines) for lines in shown]


def test_names_wrap_before_they_are_cut() -> None:
    assert fit_names(["Simulated 1", "J2"], 9 * LETTER, 2) == [["Simulated", "1"], ["J2"]]
    assert fit_names(["Maximiliane"], 6 * LETTER, 2) == [["Maximi", "liane"]]


def test_names_that_are_cut_are_still_told_apart() -> None:
    alike = [f"A professional translator of legal texts, number {at} of the second group" for at in range(12)]
    shown = fit_names(alike, 8 * LETTER, 3)
    assert len(set(joined(shown))) == 12
    assert all(len(lines) <= 3 for lines in shown)
    assert all("…" in words for words in joined(shown))


def test_a_cut_name_is_whole_in_its_tooltip() -> None:
    drawing = Drawing("names", 40)
    put_name(drawing, (0, 20), (["A…", "z"], "A to <z>"), "t", "start")
    assert str(drawing).count("<title>A to &lt;z&gt;</title>") == 2


def test_mixing_as_browsers_do() -> None:
    assert mix("#1f5c86", 1.0, "#ffffff") == "#1f5c86"
    assert mix("#1f5c86", 0.0, "#fff") == "#ffffff"
    assert mix("#000", 0.5, "#fff") == "#636363"  # what Chromium computes for color-mix(in oklab, #000 50%, #fff)


def test_no_variable_and_no_mixture_is_left() -> None:
    made = plain(rendering.style())
    assert "var(" not in made
    assert "color-mix" not in made
    assert "currentColor" not in made
    assert re.search(r"^\.h9 \{ fill: #[0-9a-f]{6} \}", made, re.MULTILINE)


def test_every_class_of_a_drawing_keeps_its_rule() -> None:
    sheet = rendering.style()
    made = plain(rendering.style())
    for name in ("a0", "phu", "pmt", "fi.b", "cv.c3", "g-field", "dm", "tm"):
        assert f".{name}" in sheet
        assert re.search(rf"\.{re.escape(name)}\b", made)


def drawing() -> str:
    made = Drawing("A figure", 40)
    made.rect(0, 0, 760, 40, "h9")
    made.text(10, 25, "정보 밀도 κ .50", "tb")
    return standalone(str(made), plain(rendering.style()))


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

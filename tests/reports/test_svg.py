from lxml import etree

from lanner.reports.svg import Drawing, fit, shade, standalone


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

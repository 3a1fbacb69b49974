from lanner.reports.figures.bars import Bar, bars
from reports.drawings import inside, marks, words


def test_widths_are_in_proportion_and_styles_are_named_once() -> None:
    parts = [(30, 10), (10, 30)]
    rows = [Bar(f"b{a}", (("a1", a, "told apart"), ("trk", b, "not"))) for a, b in parts]
    drawing = bars("x", rows)
    wide = [float(bar["width"]) for bar in marks(drawing, "rect") if bar["height"] == "26.0"]
    assert wide == [285.0, 95.0, 95.0, 285.0]
    assert words(drawing).count("told apart") == 1
    assert "30" in words(drawing)
    assert inside(drawing)


def test_the_legend_keeps_the_order_of_the_parts_though_the_first_bar_lacks_one() -> None:
    rows = [
        Bar("first", (("a1", 0, "Local"), ("a2", 3, "Global"))),
        Bar("second", (("a1", 2, "Local"), ("a2", 0, "Global"), ("a3", 0, "Nobody's"))),
    ]
    named = [word for word in words(bars("x", rows)) if word in {"Local", "Global", "Nobody's"}]
    assert named == ["Local", "Global"]

from lanner.reports.figures.histogram import histogram
from reports.drawings import inside, marks, words


def test_counts_mode_and_mean() -> None:
    drawing = histogram([("J2", {1: 25, 2: 95, 3: 115, 4: 47, 5: 15, 6: 1})], "skills on one sentence")
    found = words(drawing)
    assert "mean 2.78, n 298" in found
    assert len(marks(drawing, "rect", "a1")) == 1
    assert inside(drawing)


def test_a_value_between_that_nobody_gave_is_shown_as_zero() -> None:
    assert words(histogram([("J", {1: 2, 3: 2})], "skills")).count("0") == 1


def test_no_data() -> None:
    assert "mean 0.00, n 0" in words(histogram([("J", {})], "skills"))

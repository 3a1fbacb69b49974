from lanner.reports.figures.preference import Preference, preference
from reports.drawings import inside, marks, words


def test_counts_percentages_and_the_test() -> None:
    rows = [
        Preference("Adequacy", "sentences", 103, 19, 86, 0.244),
        Preference("Adequacy", "documents", 74, 22, 104, 0.0294),
    ]
    drawing = preference(rows, "machine", "human")
    found = words(drawing)
    assert {"50 %", "103", "19", "p = .244", "86 of 189", "p = .029", "104 of 178"} <= set(found)
    assert found.count("Adequacy") == 1
    assert inside(drawing)


def test_ties_are_drawn_though_the_test_drops_them() -> None:
    drawing = preference([Preference("", "x", 1, 8, 1, 1.0)], "a", "b")
    widths = [float(mark["width"]) for mark in marks(drawing, "rect")]
    assert widths[1] > widths[0]

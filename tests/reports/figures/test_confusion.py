from lanner.reports.figures.confusion import confusion
from reports.drawings import inside, marks, words


def test_counts_totals_and_the_diagonal() -> None:
    drawing = confusion(["Sentence", "Local"], "J2", "J3", [[373, 84], [49, 118]])
    found = words(drawing)
    assert {"373", "84", "49", "118", "457", "167"} <= set(found)
    assert "491 of 624 on the diagonal (78.7 %)" in found
    assert len(marks(drawing, "rect", "diag")) == 2
    assert inside(drawing)


def test_rows_with_few_items_are_not_shaded() -> None:
    drawing = confusion(["a", "b"], "x", "y", [[2, 7], [0, 20]])
    shades = [mark["class"] for mark in marks(drawing, "rect") if mark["class"].startswith("h")]
    assert shades == ["h0", "h0", "h0", "h9"]


def test_nothing_shared() -> None:
    assert "0 of 0 on the diagonal (—)" in words(confusion(["a", "b"], "x", "y", [[0, 0], [0, 0]]))

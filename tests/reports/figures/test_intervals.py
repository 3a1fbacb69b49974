from lanner.reports.figures.intervals import Row, intervals
from reports.drawings import inside, marks, words


def test_every_estimate_has_its_number_and_interval_beside_it() -> None:
    rows = [Row("skills", 0.42, 0.37, 0.46, "n 809"), Row("sentence", None, note="n 0"), Row("o3", 0.2, hollow=True)]
    drawing = intervals("Agreement", rows, minimum=0.4)
    found = words(drawing)
    assert {".42 [.37, .46]", "not defined", "n 809", "planned"} <= set(found)
    assert len(marks(drawing, "circle", "fo")) == 1
    assert inside(drawing)


def test_scores_keep_their_leading_digits() -> None:
    assert "7.25 [6.90, 7.60]" in words(intervals("Scores", [Row("oak", 7.25, 6.9, 7.6)], bounded=False))

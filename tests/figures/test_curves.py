from itertools import pairwise

from lanner.figures.curves import Curve, curves
from reports.drawings import inside, marks


def test_labels_at_the_ends_never_overlap() -> None:
    rows = [Curve(f"line {n}", [(1, 0.5), (2, 0.9 + n / 1000)]) for n in range(4)]
    drawing = curves("x", rows, "judges", top=1.0)
    at = sorted(float(text["y"]) for text in marks(drawing, "text", "t") if float(text["x"]) > 530)
    assert len(at) == 4
    assert all(b - a >= 15 for a, b in pairwise(at))
    assert inside(drawing)


def test_higher_values_stand_higher_and_intervals_are_drawn() -> None:
    drawing = curves("x", [Curve("a", [(1, 0.2), (2, 0.8)], [(0.1, 0.3), None])], "judges")
    dots = [float(dot["cy"]) for dot in marks(drawing, "circle")]
    assert dots[0] > dots[1]
    assert len(marks(drawing, "line", "bd")) == 1

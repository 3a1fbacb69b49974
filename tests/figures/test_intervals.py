from __future__ import annotations

from itertools import pairwise

from lanner.figures.intervals import Curve, Effect, Estimator, Group, Panel, Row, curves, estimators, forest, intervals
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


TERMS = [("sentence", "Sentence score", ""), ("style", "Style and register", "tenor")]


def test_hollow_before_filled_after_and_explained_variance() -> None:
    panel = Panel(
        "J2",
        "n 298",
        first={"style": Effect(0.5, 0.2, 0.8)},
        full={"sentence": Effect(1.43, 1.22, 1.63, 0.0001), "style": Effect(0.1, -0.1, 0.3, 0.4)},
        r_squared=[("skills", 0.12), ("both", 0.47)],
    )
    drawing = forest(TERMS, [panel, panel], "points of the holistic score")
    found = words(drawing)
    assert found.count(".47") == 2
    assert found.count("*") == 2  # the sentence score in both panels
    assert len(marks(drawing, "circle", "fo")) == 3
    assert inside(drawing)


TERMS_ESTIMATORS = [("sentence", "Sentence score", ""), ("style", "Style and register", "tenor")]


def test_each_way_has_its_own_shape() -> None:
    effects = {"sentence": Effect(1.4, 1.2, 1.6), "style": Effect(0.1, -0.1, 0.3)}
    group = Group("J2", "n 298", [Estimator(name, effects) for name in ("OLS", "clustered", "mixed")])
    drawing = estimators(TERMS_ESTIMATORS, [group, group], "points")
    assert len(marks(drawing, "circle", "fo")) == 4 + 1  # and one in the legend
    assert len(marks(drawing, "circle", "fk2")) == 4 + 1
    assert len(marks(drawing, "path", "dm")) == 4 + 1
    assert {"OLS", "clustered", "mixed"} <= set(words(drawing))
    assert inside(drawing)


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

from lanner.reports.figures.estimators import Estimator, Group, estimators
from lanner.reports.figures.forest import Effect
from reports.drawings import inside, marks, words

TERMS = [("sentence", "Sentence score", ""), ("style", "Style and register", "tenor")]


def test_each_way_has_its_own_shape() -> None:
    effects = {"sentence": Effect(1.4, 1.2, 1.6), "style": Effect(0.1, -0.1, 0.3)}
    group = Group("J2", "n 298", [Estimator(name, effects) for name in ("OLS", "clustered", "mixed")])
    drawing = estimators(TERMS, [group, group], "points")
    assert len(marks(drawing, "circle", "fo")) == 4 + 1  # and one in the legend
    assert len(marks(drawing, "circle", "fk2")) == 4 + 1
    assert len(marks(drawing, "path", "dm")) == 4 + 1
    assert {"OLS", "clustered", "mixed"} <= set(words(drawing))
    assert inside(drawing)

from lanner.reports.figures.forest import Effect, Panel, forest
from reports.drawings import inside, marks, words

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

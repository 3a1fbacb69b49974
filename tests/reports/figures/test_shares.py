from lanner.reports.figures.shares import Panel, shares
from reports.drawings import inside, marks, words

LABELS = [("density", "Information density", "field"), ("style", "Style and register", "tenor")]


def test_a_dot_for_every_person_and_a_diamond_for_every_model() -> None:
    panel = Panel("News", 233, {"J1": {"density": 0.2, "style": 0.5}, "J2": {"density": 0.3}, "o3": {"style": 0.9}})
    drawing = shares(LABELS, [panel], ["J1", "J2"], ["o3"])
    assert len(marks(drawing, "circle", "g-field")) == 2
    assert len(marks(drawing, "path", "dm")) == 3  # two labels and the legend
    assert "n 233" in words(drawing)
    assert inside(drawing)


def test_a_label_never_used_stands_at_zero() -> None:
    drawing = shares(LABELS, [Panel("News", 10, {"J1": {"style": 0.5}})], ["J1"])
    assert [mark["cx"] for mark in marks(drawing, "circle", "g-field")] == ["172.0"]


def test_many_names_are_counted_not_cut() -> None:
    judges = [f"Simulated annotator {n}" for n in range(4)]
    panel = Panel("news", 9, {judge: {"l": 0.4} for judge in judges})
    assert "4 people" in words(shares([("l", "Local", "")], [panel], judges))

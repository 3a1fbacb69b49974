from lanner.reports.figures.throughput import throughput
from reports.drawings import inside, marks, words


def test_every_judge_is_labelled_in_every_domain_they_judged() -> None:
    drawing = throughput(["News", "Social"], {"J1": {"News": 1.2, "Social": 2.1}, "J2": {"News": 2.2}})
    found = words(drawing)
    assert {"J1 1.2", "J2 2.2", "J1 2.1"} <= set(found)
    assert inside(drawing)


def test_names_that_would_touch_have_a_row_each() -> None:
    judges = {f"Annotator number {n}": {"news": 1.0 + 0.1 * n, "social": 2.0} for n in range(3)}
    drawing = throughput(["news", "social"], judges)
    assert inside(drawing)
    assert words(drawing).count("Annotator number 0Annotator number 0") == 2  # name and tooltip, once in each domain
    assert len(marks(drawing, "circle")) == 6

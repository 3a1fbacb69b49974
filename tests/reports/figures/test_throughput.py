from lanner.reports.figures.throughput import throughput
from reports.drawings import inside, words


def test_every_judge_is_labelled_in_every_domain_they_judged() -> None:
    drawing = throughput(["News", "Social"], {"J1": {"News": 1.2, "Social": 2.1}, "J2": {"News": 2.2}})
    found = words(drawing)
    assert {"J1 1.2", "J2 2.2", "J1 2.1"} <= set(found)
    assert inside(drawing)

from lanner import protocols
from lanner.model import Choice, Labels, Option, Scale, Text
from lanner.reports.coefficients import all_coefficients, coefficients


def test_the_kind_of_a_question_decides() -> None:
    choice = Choice(id="c", options=(Option(id="a"), Option(id="b")))
    assert [found.name for found in coefficients(choice)] == ["kappa", "percent", "alpha", "gwet"]
    assert next(iter(coefficients(choice))).options["labels"] == ["a", "b"]
    assert next(iter(coefficients(Scale(id="s", min=1, max=4)))).options == {"level": "ordinal"}
    assert next(iter(coefficients(Scale(id="s", min=0, max=100)))).options == {"level": "interval"}
    counted = Labels(id="l", options=(Option(id="a"), Option(id="b")), counts=True)
    assert [found.options.get("value") for found in coefficients(counted)] == [("score",)] * 2
    assert not list(coefficients(Text(id="t")))


def test_a_grid_is_compared_row_by_row_and_as_a_set() -> None:
    found = [c for q, c in all_coefficients(protocols.load("h_falcon")) if q.id == "skills"]
    assert len([c for c in found if c.row]) == 9
    assert {c.question for c in found if not c.row} == {"skills_chosen"}

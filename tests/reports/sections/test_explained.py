from lanner.reports.parts import Figure
from lanner.reports.sections.explained import section
from reports.test_view import view


def test_the_models_of_the_analysis_plan() -> None:
    made = section(view("h_falcon"))
    assert made is not None
    [figure] = made.blocks
    assert isinstance(figure, Figure)
    assert figure.id == "explained-holistic"
    terms = {row["term"] for row in figure.data}
    assert {"sentence", "skills.style_register"} <= terms
    assert "alone explain" in made.findings[0]


def test_a_protocol_without_such_a_model() -> None:
    assert section(view("falcon")) is None

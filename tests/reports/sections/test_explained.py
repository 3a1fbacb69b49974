from lanner.reports.parts import Figure, Table
from lanner.reports.sections.explained import details, section
from reports.test_view import view


def test_the_models_of_the_analysis_plan() -> None:
    made = section(view("h_falcon"))
    assert made is not None
    figure, blocks = made.blocks
    in_detail = details(view("h_falcon"))
    assert in_detail is not None
    *ways, paper = in_detail.blocks
    assert isinstance(figure, Figure)
    assert isinstance(blocks, Table)
    assert figure.id == "explained-holistic"
    assert [(row["judge"], row["step"]) for row in blocks.rows][:2] == [
        ("Judge 0", "skills"), ("Judge 0", "skills + sentence"),
    ]  # fmt: skip
    assert "F(" in str(blocks.rows[1]["f"])
    assert [way.id for way in ways] == ["three-ways-holistic", "coefficients-holistic"]  # type: ignore[union-attr]
    assert "b = " in paper.text  # type: ignore[union-attr]
    terms = {row["term"] for row in figure.data}
    assert {"sentence", "skills.style_register"} <= terms
    assert "alone explain" in made.findings[0]


def test_a_protocol_without_such_a_model() -> None:
    assert section(view("falcon")) is None

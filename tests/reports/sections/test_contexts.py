from lanner.reports.parts import Figure
from lanner.reports.sections.contexts import section
from reports.test_view import view


def test_issues_and_spans_of_the_survey() -> None:
    made = section(view("context_survey"))
    assert made is not None
    figures = {block.id: block for block in made.blocks if isinstance(block, Figure)}
    assert {"context-issue_shares-reasons", "context-spans-resolved_by"} <= set(figures)
    assert "What hinders translation most is" in figures["context-issue_shares-reasons"].caption
    assert any("What settles a sentence" in said for said in made.findings)
    assert all(figure.data and figure.signature for figure in figures.values())


def test_nothing_where_the_plan_asks_for_nothing() -> None:
    assert section(view("falcon")) is None

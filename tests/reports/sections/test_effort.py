from dataclasses import replace

from lanner.reports.parts import Figure
from lanner.reports.sections.effort import section
from reports.test_view import view


def test_items_a_minute_by_judge_and_domain() -> None:
    made = section(view("h_falcon"))
    assert made is not None
    [figure] = made.blocks
    assert isinstance(figure, Figure)
    assert {(row["judge"], row["domain"]) for row in figure.data} >= {("j0", "all"), ("j0", "news"), ("j2", "social")}


def test_many_judges_have_a_row_each() -> None:
    made = section(view("da", judges=8))
    assert made is not None
    [figure] = made.blocks
    assert isinstance(figure, Figure)
    assert figure.svg.count("<circle") == 8
    assert "items a minute" in made.findings[0]


def test_no_times_were_kept() -> None:
    made = view("h_falcon")
    bare = tuple(replace(judgement, active_seconds=None) for judgement in made.material.judgements)
    assert section(replace(made, material=replace(made.material, judgements=bare))) is None

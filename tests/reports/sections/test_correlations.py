from dataclasses import replace

from lanner.reports.parts import Table
from lanner.reports.sections.correlations import section
from reports.test_view import view


def test_scales_and_scores_between_every_two_judges() -> None:
    made = section(view("h_falcon"))
    assert made is not None
    [table] = made.blocks
    assert isinstance(table, Table)
    assert {row["what"] for row in table.rows} >= {"Sentence score", "Holistic score", "Skill sum"}
    assert len([row for row in table.rows if row["what"] == "Holistic score"]) == 3
    assert all(row["n"] == 48 for row in table.rows)


def test_judges_who_share_nothing_are_not_listed() -> None:
    made = view("h_falcon", judges=2)
    places = {"j0": "d0", "j1": "d1"}
    apart = tuple(j for j in made.material.judgements if j.document == places[j.judge])
    assert section(replace(made, material=replace(made.material, judgements=apart))) is None


def test_one_judge_has_nobody_to_go_along_with() -> None:
    assert section(view("h_falcon", judges=1)) is None

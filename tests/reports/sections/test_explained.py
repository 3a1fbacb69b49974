from __future__ import annotations

from dataclasses import replace

from lanner.reports.parts import Figure, Table
from lanner.reports.sections.systems import WAYS, coefficients, correlated_judges, explained, three_ways
from lanner.stats.regression import regress
from reports.test_view import view


def test_the_models_of_the_analysis_plan() -> None:
    made = explained(view("h_falcon"))
    assert made is not None
    figure, blocks = made.blocks
    in_detail = coefficients(view("h_falcon"))
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


def test_what_all_blocks_explain_is_that_of_the_last_step() -> None:
    seen = view("h_falcon")
    (planned,) = (one for one in seen.protocol.analyses if one.statistic == "regression.blocks")
    three = planned.model_copy(update={"options": {"blocks": ["skill_sum", "skill_count", "sentence"]}})
    made = explained(replace(seen, protocol=seen.protocol.model_copy(update={"analyses": (three,)})))
    assert made is not None
    table = made.blocks[1]
    assert isinstance(table, Table)
    last = [row for row in table.data if row["step"] == "skill_sum + skill_count + sentence"]
    assert len(last) == 3 and len(table.data) == 9
    whole, added = (
        " to ".join(f"{100 * end:.0f}" for end in (min(ends), max(ends)))
        for ends in ([row[key] for row in last] for key in ("r2", "added"))
    )
    assert f"together with the skill count and sentence score {whole} %." in made.findings[0]
    assert f"The last block adds {added} % of the variance." in table.caption


def test_a_protocol_without_such_a_model() -> None:
    assert explained(view("falcon")) is None


def test_three_estimates_of_every_coefficient() -> None:
    made = view("h_falcon")
    terms = [("sentence", "Sentence score", ""), ("skills.style_register", "Style", "tenor")]
    clustered = regress(made.wide, "holistic", ["skills", "sentence"], by=("judge",)).rows
    figure, table = three_ways(made, "holistic", ["skills", "sentence"], ["j0", "j1"], terms, clustered)
    assert isinstance(figure, Figure) and isinstance(table, Table)
    row = next(row for row in table.data if row["term"] == "sentence")
    assert all(row[f"{way}_low"] < row[f"{way}_value"] < row[f"{way}_high"] for way in WAYS)
    assert row["OLS_value"] == row["clustered_value"]  # only the uncertainty differs
    assert row["OLS_error"] != row["clustered_error"]
    assert "would be called significant in one way" in figure.caption
    assert [column.span for column in table.columns].count("OLS") == 3


def test_nothing_to_estimate() -> None:
    assert three_ways(view("h_falcon"), "holistic", ["sentence"], [], [], []) == []


def test_scales_and_scores_between_every_two_judges() -> None:
    made = correlated_judges(view("h_falcon"))
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
    assert correlated_judges(replace(made, material=replace(made.material, judgements=apart))) is None


def test_one_judge_has_nobody_to_go_along_with() -> None:
    assert correlated_judges(view("h_falcon", judges=1)) is None

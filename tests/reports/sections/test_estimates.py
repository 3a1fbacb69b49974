from lanner.reports.parts import Figure, Table
from lanner.reports.sections.estimates import WAYS, three_ways
from lanner.stats.regression import regress
from reports.test_view import view


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

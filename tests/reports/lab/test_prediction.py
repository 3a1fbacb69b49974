import pytest

from lanner.reports.lab.prediction import holistic, prediction
from lanner.reports.lab.sides import sides
from reports.lab.worlds import lab, parity, scores
from reports.world import material


def test_blocks_of_a_plan_are_read_judge_by_judge() -> None:
    found = prediction(lab(material("falcon"), material("h_falcon")))
    own = [row["r2"] for row in found.data if row["side"] == "H-FALCON" and row["who"] == "Judge 0"]
    assert len(own) == 2
    assert own == sorted(own)


def test_one_protocol_predicts_the_holistic_score_of_the_other() -> None:
    found = prediction(lab(scores(title="a", gap=10, spread=0), scores(title="b", gap=20, spread=0)))
    [row] = found.data
    assert (row["side"], row["r2"]) == ("b", pytest.approx(1.0))


def test_no_holistic_score() -> None:
    assert prediction(lab(parity())).missing == "no side asks for a holistic score."
    assert holistic(sides([("p", parity())])[0]) is None

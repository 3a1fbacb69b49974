from __future__ import annotations

import pytest

from lanner.errors import InputError
from lanner.model import Analysis, Protocol
from lanner.protocols import load
from lanner.protocols.ranking import ranking_options, ranking_plans


def _with_scale(direction: str) -> Protocol:
    protocol = load("da")
    [stage] = protocol.stages
    score, *others = stage.questions
    questions = (score.model_copy(update={"direction": direction}), *others)
    return protocol.model_copy(update={"stages": (stage.model_copy(update={"questions": questions}),)})


def test_a_plan_names_what_is_ranked() -> None:
    assert [entry.of for entry in ranking_plans(load("da"))] == ["score"]
    assert ranking_plans(None) == []


def test_a_penalty_says_itself_that_less_is_better() -> None:
    assert ranking_options(load("mqm"), "penalty", {})["direction"] == "lower_is_better"


def test_a_scale_says_which_end_is_better_and_a_plan_may_say_otherwise() -> None:
    assert "direction" not in ranking_options(load("da"), "score", {})
    lower = _with_scale("lower_is_better")
    assert ranking_options(lower, "score", {})["direction"] == "lower_is_better"
    assert ranking_options(lower, "points", {})["direction"] == "lower_is_better"
    plan = Analysis(statistic="ranking.systems", of="score", options={"direction": "higher_is_better"})
    assert ranking_options(lower, "score", plan.options)["direction"] == "higher_is_better"
    with pytest.raises(InputError, match="Neither end"):
        ranking_options(_with_scale("neutral"), "score", {})

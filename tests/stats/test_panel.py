from __future__ import annotations

import numpy as np
import pytest

from lanner.errors import StatisticError
from lanner.stats.panel import panel

LABELS = {
    "judge": ["p", "p", "q", "q", "m", "m"],
    "judge_kind": ["person"] * 4 + ["model"] * 2,
    "document": ["d"] * 6,
    "segment": ["1", "2"] * 3,
}


def test_people_and_models_are_told_apart_by_kind_or_by_name():
    found = panel({**LABELS, "label": list("abaaab")})
    assert (found.people, found.models, found.alike) == (("p", "q"), ("m",), "same")
    named = panel({**LABELS, "label": list("abaaab")}, models=["q"], people=["p"])
    assert (named.people, named.models) == (("p",), ("q",))


@pytest.mark.parametrize(
    ("column", "answers", "alike", "expected"),
    [
        ("label", list("abaaab"), "same", [1.0, 1.0]),
        ("score", [1.0, 2.0, 1.0, 5.0, 3.0, 2.0], "distance", [-4.0, 0.0]),
        ("labels", [["a"], [], ["b"], [], ["a", "b"], []], "jaccard", [0.5, 1.0]),
    ],
)
def test_closeness_of_the_model_to_the_first_person(column, answers, alike, expected):
    found = panel({**LABELS, column: answers})
    assert found.alike == alike
    assert found.closeness(found.of("p"), found.of("m")).tolist() == pytest.approx(expected)


def test_numbers_are_missing_where_nobody_answered():
    found = panel({**LABELS, "score": [1.0, 2.0, 3.0, None, 5.0, 6.0]})
    assert found.numbers("q").tolist() == pytest.approx([3.0, np.nan], nan_ok=True)


def test_an_unknown_judge_gets_a_suggestion():
    with pytest.raises(StatisticError, match="There is no judge 'z'"):
        panel({**LABELS, "label": list("abaaab")}, models=["z"])

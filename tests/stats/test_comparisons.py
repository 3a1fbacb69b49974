from __future__ import annotations

import pytest

from lanner.errors import StatisticError
from lanner.stats.comparisons import comparisons

FORMS = {
    "ranks": {"ranks": [[1, 2], [2, 1], [1, 1]], "system": ["x|y", "x|y", "y|x"]},
    "sides": {"label": ["a", "b", "tie"], "system": ["x|y", "x|y", "y|x"]},
    "named": {"label": ["x", "y", "tie"]},
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_answer_gives_the_same_comparisons(form):
    table, _ = comparisons({"judge": ["j"] * 3, "document": ["d"] * 3, "segment": ["1", "2", "3"], **FORMS[form]})
    assert table.select("one", "two", "won").rows() == [("x", "y", 1), ("x", "y", -1), ("x", "y", 0)]


def test_the_order_shown_is_turned_and_kept():
    table, _ = comparisons({"judge": ["j"], "document": ["d"], "label": ["a"], "system": ["y|x"]})
    assert table.select("one", "two", "won", "shown_first").rows() == [("x", "y", -1, 1)]


def test_ranks_of_three_make_three_pairs():
    table, _ = comparisons({"judge": ["j"], "document": ["d"], "ranks": [[2, 1, 1]], "system": ["x|y|z"]})
    assert table.select("one", "two", "won").rows() == [("x", "y", -1), ("x", "z", -1), ("y", "z", 0)]


def test_names_of_sides_can_be_given():
    data = {"judge": ["j"] * 2, "document": ["d"] * 2, "label": ["oben", "gleich"], "system": ["x|y"] * 2}
    table, _ = comparisons(data, sides=("oben", "unten"), tie="gleich")
    assert table["won"].to_list() == [1, 0]


def test_comparisons_without_an_answer_are_left_out_and_counted():
    data = {"judge": ["j"] * 3, "document": ["d"] * 3, "label": ["x", None, "y"]}
    table, notes = comparisons(data)
    assert len(table) == 2
    assert "1 comparisons have no answer" in " ".join(notes)


def test_control_items_are_left_out_unless_asked_for():
    data = {"judge": ["j"] * 2, "document": ["d"] * 2, "label": ["x", "y"], "role": ["main", "control"]}
    assert len(comparisons(data)[0]) == 1
    assert len(comparisons(data, roles=("control",))[0]) == 1


def test_an_unknown_question_gets_a_suggestion():
    data = {"judge": ["j"], "document": ["d"], "label": ["x"], "question": ["better"]}
    with pytest.raises(StatisticError, match="better"):
        comparisons(data, "beter")


def test_answers_may_name_the_better_of_the_two_shown():
    systems, labels = ["x|y", "y|x", "x|y"], ["y", "y", "tie"]
    table, _ = comparisons({"judge": ["j"] * 3, "document": ["1", "2", "3"], "system": systems, "label": labels})
    assert table["won"].to_list() == [-1, -1, 0]
    assert table["shown_first"].to_list() == [-1, 1, 0]
    with pytest.raises(StatisticError, match="which side"):
        comparisons({"judge": ["j"] * 3, "document": ["1", "2", "3"], "system": systems, "label": ["y", "z", "tie"]})

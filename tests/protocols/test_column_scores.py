from random import Random

from hypothesis import given
from hypothesis import strategies as st

from lanner.model import Protocol
from lanner.protocols.column_scores import scores_of
from lanner.protocols.scoring import scores

PROTOCOL = Protocol.model_validate(
    {
        "name": "demo",
        "version": "1",
        "stage": [
            {
                "id": "main",
                "unit": "sentence_in_context",
                "object": "output",
                "question": [
                    {"id": "whole", "kind": "scale", "min": 0, "max": 100},
                    {
                        "id": "skills",
                        "kind": "grid",
                        "preselected": "none",
                        "rows": [{"id": "a", "group": "x"}, {"id": "b", "group": "x"}, {"id": "c", "group": "y"}],
                        "options": [
                            {"id": "none", "value": 0},
                            {"id": "low", "value": 0.1},
                            {"id": "high", "value": 3},
                        ],
                    },
                ],
            }
        ],
        "score": [
            {"id": "given", "rule": "value", "question": "whole"},
            {"id": "sum", "rule": "grid_sum", "question": "skills"},
            {"id": "sum_x", "rule": "grid_sum", "question": "skills", "options": {"group": "x"}},
            {"id": "count", "rule": "grid_count", "question": "skills"},
            {"id": "mean", "rule": "grid_mean", "question": "skills"},
            {"id": "sure", "rule": "grid_sum", "question": "skills", "when": {"question": "whole", "at_least": 50}},
        ],
    }
)
LEVELS = st.sampled_from([None, "none", "low", "high", "unheard of"])
GRIDS = st.none() | st.dictionaries(st.sampled_from("abc"), LEVELS) | st.just("not a grid")
WHOLES = st.none() | st.integers(0, 100) | st.just("seventy")


@given(st.lists(st.tuples(WHOLES, GRIDS), max_size=8))
def test_columns_hold_what_the_rules_say_item_by_item(items: list[tuple[object, object]]) -> None:
    answers = {"whole": [whole for whole, _ in items], "skills": [grid for _, grid in items]}
    columns = scores_of(PROTOCOL, answers, len(items))
    for place, (whole, grid) in enumerate(items):
        alone = scores(PROTOCOL, {"whole": whole, "skills": grid})
        assert {name: column[place] for name, column in columns.items()} == alone


def test_sums_are_added_in_the_order_of_the_rows() -> None:
    dice = Random(1)
    grids = [{row: dice.choice(["none", "low", "high"]) for row in "abc"} for _ in range(200)]
    columns = scores_of(PROTOCOL, {"skills": grids}, len(grids))
    assert columns["sum"] == [scores(PROTOCOL, {"skills": grid})["sum"] for grid in grids]


def test_questions_that_nobody_answered_have_no_scores() -> None:
    assert set(map(tuple, scores_of(PROTOCOL, {}, 2).values())) == {(None, None)}

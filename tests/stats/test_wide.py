""""""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from lanner.errors import StatisticError
from lanner.model import Interval, Result
from lanner.stats.wide import check_columns, combine_results, groups, labelled, undefined, units, wide

TABLE = pl.DataFrame({"domain": ["news", "art", "news"], "x": [1, 2, 3]})


def test_groups_come_in_the_order_of_their_names():
    assert [(labels, part["x"].to_list()) for labels, part in groups(TABLE, ["domain"])] == [
        ({"domain": "art"}, [2]),
        ({"domain": "news"}, [1, 3]),
    ]


def test_no_columns_make_one_group_without_a_name():
    [(labels, part)] = groups(TABLE, [])
    assert labels == {}
    assert len(part) == 3


def test_a_column_that_is_not_there_gets_a_suggestion():
    with pytest.raises(StatisticError, match="domain"):
        check_columns(TABLE, ["domian"])


def test_several_results_become_the_rows_of_one():
    first = labelled(Result("r", 0.5, Interval(0.1, 0.9), notes=("few",)), {"judge": "a"})
    second = labelled(Result("r", None), {"judge": "b"})
    whole = combine_results("all", [first, second], ("note",))
    assert (whole.name, whole.value, whole.low) == ("all", 0.5, 0.1)
    assert [row["judge"] for row in whole.rows] == ["a", "b"]
    assert whole.notes == ("note", "few")


def test_what_is_undefined_says_why_and_how_it_would_have_been_made():
    result = undefined("κ", "nobody answered.", counts={"items": 0})
    assert result.value is None
    assert result.notes == ("Undefined: nobody answered.",)
    assert "κ" in str(result.signature)


def tidy_rows(*rows):
    names = ("judge", "document", "segment", "stage", "question", "row", "score", "label")
    return pl.DataFrame([dict(zip(names, row, strict=True)) for row in rows], infer_schema_length=None)


GRID = tidy_rows(
    ("a", "d", "1", "s", "skills", "x", 3.0, "high"),
    ("a", "d", "1", "s", "skills", "y", 0.0, "none"),
    ("a", "d", "1", "s", "holistic", "", 7.0, None),
    ("b", "d", "1", "s", "skills", "x", 1.0, "low"),
    ("b", "d", "1", "s", "level", "", None, "local"),
)


def test_one_row_per_judge_and_item_one_column_per_measure():
    table = wide(GRID)
    assert table.table.height == 2
    assert set(table.measures) == {"skills.x", "skills.y", "holistic", "level"}
    assert table.table.row(0, named=True)["skills.x"] == 3.0
    assert table.table.row(1, named=True)["level"] == "local"


def test_summaries_over_a_grid_need_all_its_rows():
    table = wide(GRID).with_measures(["sum(skills)", "mean(skills)", "count(skills)"]).table
    assert table.select("sum(skills)", "mean(skills)", "count(skills)").row(0) == (3.0, 1.5, 1.0)
    assert table.select("sum(skills)", "mean(skills)", "count(skills)").row(1) == (None, None, None)


def test_a_question_asked_in_two_stages_is_named_with_its_stage():
    data = tidy_rows(("a", "d", "1", "rs", "adequacy", "", 4.0, None), ("a", "d", "1", "sc", "adequacy", "", 2.0, None))
    assert set(wide(data).measures) == {"rs/adequacy", "sc/adequacy"}


def test_of_two_answers_the_latest_counts_and_is_noted():
    data = tidy_rows(("a", "d", "1", "s", "q", "", 1.0, None), ("a", "d", "1", "s", "q", "", 4.0, None))
    table = wide(data)
    assert table.table["q"].to_list() == [4.0]
    assert "1 answer was given again" in table.notes[0]


def test_control_items_are_left_out():
    data = GRID.with_columns(role=pl.Series(["main", "main", "control", "main", "main"]))
    assert "holistic" not in wide(data).measures


def test_a_wide_table_stays_as_it_is():
    table = wide({"judge": ["a", "b"], "item": ["1", "2"], "score_a": [1.0, 2.0]})
    assert table.measures == ["score_a"]
    assert "every item counts as a document" in table.notes[0]


def test_units_are_numbered_by_name_not_by_order_of_appearance():
    table = pl.DataFrame({"document": ["b", "a", "b"], "segment": ["1", "1", "1"], "judge": ["x", "y", "x"]})
    index, count = units(table, "document")
    assert index.tolist() == [1, 0, 1]
    assert count == 2
    assert units(table, "item")[1] == 2
    assert np.array_equal(units(table, "judge")[0], [0, 1, 0])


def test_a_misspelt_measure_gets_a_suggestion():
    with pytest.raises(StatisticError, match="holistic"):
        wide(GRID).with_measures(["holistik"])
    assert wide(GRID).expand(["skills"]) == ["skills.x", "skills.y"]


def test_rows_and_columns_come_in_the_order_of_the_answers_and_none_are_mixed_up():
    rng = np.random.default_rng(0)
    rows = [
        (
            f"j{rng.integers(4)}",
            f"d{rng.integers(9)}",
            f"s{rng.integers(9)}",
            "x",
            f"q{rng.integers(3)}",
            "",
            float(i),
            None,
        )
        for i in range(400)
    ]
    table = wide(tidy_rows(*rows)).table
    expected: dict = {}
    for judge, document, segment, _, question, _, score, _ in rows:
        expected.setdefault((judge, document, segment), {})[question] = score
    assert table.select("judge", "document", "segment").rows() == list(expected)
    for (_, values), row in zip(expected.items(), table.iter_rows(named=True), strict=True):
        assert {q: row[q] for q in ("q0", "q1", "q2") if row[q] is not None} == values

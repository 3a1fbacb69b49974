from __future__ import annotations

import polars as pl
import pytest

from lanner.errors import StatisticError
from lanner.model import Interval, Result
from lanner.stats.tables import check_columns, gathered, groups, labelled, undefined

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
    whole = gathered("all", [first, second], ("note",))
    assert (whole.name, whole.value, whole.low) == ("all", 0.5, 0.1)
    assert [row["judge"] for row in whole.rows] == ["a", "b"]
    assert whole.notes == ("note", "few")


def test_what_is_undefined_says_why_and_how_it_would_have_been_made():
    result = undefined("κ", "nobody answered.", counts={"items": 0})
    assert result.value is None
    assert result.notes == ("Undefined: nobody answered.",)
    assert "κ" in str(result.signature)

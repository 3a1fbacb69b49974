"""Grids, row by row."""

from __future__ import annotations

import pytest

from lanner.model import Grid, Option
from lanner.protocols.answers import combine
from lanner.protocols.kinds.grid import KIND

ROWS = (Option(id="one", aliases=("First",)), Option(id="two"))
GRADES = tuple(Option(id=name, value=value) for value, name in enumerate(("low", "medium", "high")))
GRID = Grid(id="q", rows=ROWS, options=GRADES)


def test_each_row_is_combined_by_itself() -> None:
    votes = [{"one": "low", "two": "high"}, {"one": "low", "two": "medium"}, {"one": "high", "two": "medium"}]
    assert combine(GRID, votes) == {"one": "low", "two": "medium"}


def test_a_row_that_some_left_out_is_combined_over_the_others() -> None:
    assert combine(GRID, [{"one": "low"}, {"one": "low", "two": "high"}]) == {"one": "low", "two": "high"}
    assert combine(GRID, [{"one": "low"}, {"one": "low"}]) == {"one": "low"}


def test_rows_and_options_by_other_names() -> None:
    assert KIND.replace_aliases(GRID, {"first": "HIGH", "two": "low"}) == ({"one": "high", "two": "low"}, 2)
    assert KIND.replace_aliases(GRID, ["one"]) == (["one"], 0)


def test_likeness_is_the_share_of_equal_rows_and_grades_are_ordinal() -> None:
    assert KIND.likeness(GRID, {"one": "low", "two": "low"}, {"one": "low", "two": "high"}) == pytest.approx(0.5)
    assert KIND.level(GRID) == "ordinal"
    assert KIND.level(Grid(id="q", rows=ROWS, options=(Option(id="x"), Option(id="y")))) == "nominal"

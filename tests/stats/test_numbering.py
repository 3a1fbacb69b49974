"""Numbers for names: the same groups as comparing the names themselves."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanner.stats import numbering

NAMES = st.lists(st.tuples(st.sampled_from(["", "a", "b", "ä"]), st.sampled_from(["1", "10", "2"])), min_size=1)


@given(NAMES)
def test_rows_are_numbered_as_their_names_are_ordered(rows):
    table = pl.DataFrame(rows, schema=["x", "y"], orient="row")
    index, first = numbering.by_name(table, ["x", "y"])
    known = table.unique().sort("x", "y").rows()
    assert [known[k] for k in index] == rows
    assert [rows[k] for k in first] == known
    assert list(first) == [rows.index(row) for row in known]


@given(NAMES)
def test_in_order_follows_first_appearance(rows):
    table = pl.DataFrame(rows, schema=["x", "y"], orient="row")
    index, first = numbering.in_order(numbering.of_rows(table, ["x", "y"]))
    known = list(dict.fromkeys(rows))
    assert [known[k] for k in index] == rows
    assert [rows[k] for k in first] == known


def test_long_runs_are_looked_at_once_and_give_the_same_numbers():
    column = pl.Series([name for name in "bacab" for _ in range(400)])
    names = sorted(set(column))
    assert [names[k] for k in numbering.positions(column, names)] == column.to_list()
    numbers = numbering.codes(column)
    assert len(set(zip(numbers.tolist(), column, strict=True))) == 3


@given(st.lists(st.one_of(st.integers(-50, 50), st.floats(-5, 5, allow_nan=False)), min_size=1), st.integers(1, 1200))
def test_distinct_values_are_those_of_a_sort(values, times):
    data = np.tile(np.array(values, dtype=float), times)[:4000]
    found, index = numbering.distinct(data)
    expected, places = np.unique(data, return_inverse=True)
    assert np.array_equal(found, expected) and np.array_equal(index, places.reshape(-1))


def test_numbers_that_would_grow_too_large_are_renumbered():
    wide = np.array([2**40, 0, 2**40, 5], dtype=np.int64)
    made = numbering.joined([wide, wide, wide])
    assert np.array_equal(np.unique(made, return_inverse=True)[1].reshape(-1), [2, 0, 2, 1])


@given(st.lists(st.sampled_from(["", "a", "B", "ä", "é", "한", "😀", "~"]), min_size=1, max_size=20))
def test_short_columns_give_what_long_ones_do(names):
    short, long = pl.Series(names), pl.Series(names * numbering._SHORT)
    assert numbering.texts(short) == numbering.texts(long) == short.unique().sort().to_list()
    known = numbering.texts(short)
    assert np.array_equal(numbering.positions(short, known), numbering.positions(long, known)[: len(names)])


def test_a_text_that_is_none_of_the_names_is_an_error():
    for times in (1, numbering._SHORT):
        with pytest.raises(pl.exceptions.PolarsError, match="c"):
            numbering.positions(pl.Series(["a", "c"] * times), ["a", "b"])
    assert numbering.texts(pl.Series(["b", None, "a"])) == [None, "a", "b"]


def test_missing_names_count_as_one():
    assert len(set(numbering.codes(pl.Series(["a", None, "b", None])).tolist())) == 3


@pytest.mark.parametrize(
    ("scores", "ranks"),
    [
        ([], []),
        ([50.0, 50.0], [1, 1]),
        ([3.0, 2.0, 2.0 - 1e-13, 1.0], [1, 2, 2, 4]),
        ([1e-9, 0.9e-9], [1, 2]),
        ([1.0, 3.0], [1, 2]),
    ],
)
def test_equal_scores_share_a_rank(scores, ranks):
    assert numbering.shared_ranks(scores) == ranks

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from lanner.errors import StatisticError
from lanner.stats.terms import codes, terms

TABLE = pl.DataFrame(
    {
        "y": [1.0, 2.0, None, 4.0, 5.0],
        "x": [1.0, 3.0, 3.0, 2.0, None],
        "domain": ["news", "art", "art", "talk", "news"],
        "document": ["a", "a", "b", "b", "b"],
        "segment": ["1", "2", "1", "1", "2"],
    }
)


def test_rows_with_a_gap_are_left_out_and_text_becomes_groups():
    y, design = terms(TABLE, "y", ["x", "domain"])
    assert y.tolist() == [1.0, 2.0, 4.0]
    assert design.rows.tolist() == [0, 1, 3]
    assert design.names == ("intercept", "x", "domain=news")  # talk is determined by the rest on three rows
    assert design.matrix.tolist() == [[1, 1, 1], [1, 3, 0], [1, 2, 0]]
    assert "domain=talk" in design.notes[0]


def test_constant_and_repeated_columns_are_left_out():
    table = TABLE.with_columns(one=pl.lit(7.0), twice=pl.col("x") * 2, off=pl.col("x") + 1e6)
    _, design = terms(table, "y", ["one", "x", "twice", "off"])
    assert design.names == ("intercept", "x")


def test_tiny_and_huge_columns_are_kept():
    rng = np.random.default_rng(0)
    table = pl.DataFrame({"y": rng.normal(size=20), "a": 1e-9 * rng.normal(size=20), "b": 1e9 * rng.normal(size=20)})
    assert terms(table, "y", ["a", "b"])[1].names == ("intercept", "a", "b")


def test_levels_of_a_factor_are_numbered_by_name():
    index, names = codes(TABLE, "domain")
    assert names == ("art", "news", "talk")
    assert index.tolist() == [1, 0, 0, 2, 1]
    assert len(codes(TABLE, "item")[1]) == 4
    assert codes(TABLE, "document:domain")[1] == ("a:art", "a:news", "b:art", "b:news", "b:talk")


def test_an_unknown_column_gets_a_suggestion():
    with pytest.raises(StatisticError, match="domain"):
        terms(TABLE, "y", ["domian"])

from __future__ import annotations

import polars as pl
import pytest

from lanner.cli._plain import plain_coefficients
from lanner.errors import InputError
from lanner.stats.frame import tidy


def answers(**columns: list[object]) -> pl.DataFrame:
    n = len(next(iter(columns.values())))
    table = {
        "judge": ["a", "b"] * (n // 2),
        "document": [str(i // 2) for i in range(n)],
        "segment": ["1"] * n,
        **columns,
    }
    return tidy(pl.DataFrame(table))[0]


def test_what_the_answers_are_says_what_is_computed() -> None:
    signs = {
        "κ": answers(label=["x", "y"]),
        "α ordinal": answers(score=[1.0, 2.0]),
        "α interval": answers(score=[float(i) for i in range(40)]),
        "α Jaccard": answers(labels=[["x"], []]),
        "span F1": answers(spans=['[{"start": 0, "end": 2}]', "[]"]),
    }
    for sign, table in signs.items():
        assert next(plain_coefficients(table)).sign == sign
    with pytest.raises(InputError, match="no answers"):
        next(plain_coefficients(signs["κ"], "nothing"))

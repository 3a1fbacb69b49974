from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from lanner.stats import scatter
from lanner.stats.scatter import Scattered

PLACES = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2), st.floats(-5, 5)), max_size=12)


@settings(max_examples=50, deadline=None)
@given(PLACES)
def test_sums_are_those_of_the_table(places):
    table = np.zeros((5, 3))
    for row, column, value in places:
        table[row, column] += value
    rows, columns, values = (np.array([p[k] for p in places], dtype=t) for k, t in enumerate((int, int, float)))
    scattered = Scattered(((rows, columns, values), (np.arange(5), 1, 2.0)), 5, 3)
    table[:, 1] += 2
    group = np.array([0, 2, 2, 0, 1])
    expected = np.array([table[group == g].sum(axis=0) for g in range(4)])
    assert np.allclose(scattered.tocsr().toarray(), table)
    assert np.allclose(scattered.total(), table.sum(axis=0))
    assert np.allclose(scattered.grouped(group, 4), expected)


def test_large_sums_stay_sparse(monkeypatch):
    monkeypatch.setattr(scatter, "_HELD", 3)
    scattered = Scattered(((np.array([0, 1, 1]), np.array([0, 1, 1]), 1.0),), 3, 2)
    found = scattered.by_group(np.array([1, 0, 1]), 2)
    assert not isinstance(found, np.ndarray)
    assert found.toarray().tolist() == [[0, 2], [1, 0]]
    assert scattered.touched().tolist() == [True, True, False]

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from lanner.stats.concordance import COEFFICIENTS, Pairs
from property_examples import examples

SCIPY = {
    "pearson": lambda x, y: stats.pearsonr(x, y)[0],
    "spearman": lambda x, y: stats.spearmanr(x, y)[0],
    "kendall_b": lambda x, y: stats.kendalltau(x, y)[0],
}


def make(n: int, units: int, levels: tuple[int, int], seed: int) -> tuple[Pairs, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.integers(0, levels[0], n).astype(float)
    y = np.round(x * rng.choice([-1, 0.5, 1]) + rng.integers(0, levels[1], n)).astype(float)
    pairs = Pairs(x, y, rng.integers(0, units, n), units)
    return pairs, rng.multinomial(units, np.full(units, 1 / units), size=4).astype(float)


@settings(max_examples=examples(60), deadline=None)
@given(
    st.integers(2, 300), st.integers(1, 12), st.tuples(st.integers(1, 40), st.integers(1, 400)), st.integers(0, 2**31)
)
def test_each_resample_equals_scipy_on_the_repeated_items(n, units, levels, seed):
    pairs, weights = make(n, units, levels, seed)
    found = pairs.coefficients(weights, ("pearson", "spearman", "kendall_b"))
    for row, weight in zip(found, weights, strict=True):
        items = np.repeat(np.arange(n), weight[pairs.unit].astype(int))
        x, y = pairs.x[items], pairs.y[items]
        if len(set(x)) < 2 or len(set(y)) < 2:
            assert np.isnan(row).all()
        else:
            assert row == pytest.approx([scipy(x, y) for scipy in SCIPY.values()], abs=1e-10)


@pytest.mark.parametrize("n", [1, 63, 64, 65, 128, 129, 256, 700])
def test_discordant_pairs_are_counted_whether_or_not_they_fill_the_blocks(n):
    rng = np.random.default_rng(n)
    for x, y in ((np.arange(n), np.arange(n)[::-1]), (rng.permutation(n), rng.permutation(n) // 2)):
        pairs = Pairs(x.astype(float), y.astype(float), np.arange(n), n)
        weights = rng.integers(0, 3, (n, 5)).astype(float)
        cell_x, cell_y, incidence = pairs._cells
        drawn = incidence @ weights
        inverted = (cell_x[:, None] < cell_x) & (cell_y[:, None] > cell_y)
        assert pairs._merge.discordant(drawn) == pytest.approx(np.einsum("ib,ij,jb->b", drawn, inverted, drawn))


def test_tau_c_of_the_whole_data_is_stuarts():
    rng = np.random.default_rng(4)
    x, y = rng.integers(0, 3, 50).astype(float), rng.integers(0, 6, 50).astype(float)
    found = Pairs(x, y, np.arange(50), 50).coefficients(np.ones((1, 50)), ("kendall_c",))
    assert found[0, 0] == pytest.approx(stats.kendalltau(x, y, variant="c")[0])


def test_a_column_asked_twice_or_alone_has_the_same_numbers():
    pairs, weights = make(80, 8, (5, 5), 1)
    together = pairs.coefficients(weights)
    for column, name in enumerate(COEFFICIENTS):
        assert np.array_equal(pairs.coefficients(weights, (name,))[:, 0], together[:, column], equal_nan=True)


def test_binning_keeps_the_order_of_values():
    rng = np.random.default_rng(0)
    pairs = Pairs(rng.normal(size=5000), rng.normal(size=5000), np.arange(5000), 5000)
    coarse = pairs.coarsened(50)
    assert coarse.levels == (50, 50)
    assert stats.spearmanr(pairs.x, coarse.x)[0] > 0.999


def test_large_offsets_lose_no_digits():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=200), rng.normal(size=200)
    here = Pairs(x, y, np.arange(200), 200).coefficients(np.ones((1, 200)), ("pearson",))
    there = Pairs(x + 1e9, y * 1e-9, np.arange(200), 200).coefficients(np.ones((1, 200)), ("pearson",))
    assert there == pytest.approx(here, abs=1e-6)

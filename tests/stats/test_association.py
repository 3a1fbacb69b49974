""""""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from data_set_frames import h_falcon
from data_sets import data_dir
from lanner.errors import StatisticError
from lanner.stats.association import (
    COEFFICIENTS,
    ValuePairs,
    between_measures,
    correlate,
    correlations,
    partial,
    pulls,
    without_each,
)
from lanner.stats.resample import Resampling, jackknife_variance
from property_examples import examples


def made(seed: int, levels: int, documents: int = 40) -> ValuePairs:
    rng = np.random.default_rng(seed)
    unit = np.sort(rng.integers(0, documents, 300))
    unit[:documents] = np.arange(documents)
    x = rng.normal(size=documents)[unit] + rng.normal(size=300)
    y = 0.6 * x + rng.normal(size=300)
    if levels:
        x, y = np.round(x * levels / 4), np.round(y * levels / 6)
    return ValuePairs(x, y, unit.astype(np.intp), documents)


@pytest.mark.parametrize("levels", [2, 5, 0])
def test_pulls_are_the_derivatives_by_the_weights(levels: int) -> None:
    """Weights cannot be moved by a hair where pairs are counted, so every document is taken a thousand times."""
    pairs, many = made(1, levels), 1000.0
    before, after = np.full((1, pairs.units), many), np.full((pairs.units, pairs.units), many) + np.eye(pairs.units)
    change = (pairs.coefficients(after) - pairs.coefficients(before)) * many
    assert pulls(pairs, COEFFICIENTS) == pytest.approx(change, abs=3e-4)


@pytest.mark.parametrize("documents", [6, 41, 150])
@pytest.mark.parametrize("levels", [2, 5, 0])
def test_what_is_left_without_each_document_spreads_as_the_jackknife_says(levels: int, documents: int) -> None:
    pairs = made(2, levels, documents)
    ones = np.ones((pairs.units, pairs.units))
    value, left_out = pairs.coefficients(ones[:1])[0], pairs.coefficients(ones - np.eye(pairs.units))
    found = without_each(pairs, value, COEFFICIENTS)
    assert jackknife_variance(found) == pytest.approx(jackknife_variance(left_out), rel=0.1)


def test_pulls_add_up_to_nothing_and_come_in_the_order_asked() -> None:
    pairs = made(3, 5)
    found = pulls(pairs, COEFFICIENTS)
    assert found.sum(axis=0) == pytest.approx(0, abs=1e-12)
    assert np.array_equal(pulls(pairs, ["kendall_c", "pearson"]), found[:, [3, 0]])


def test_fine_values_are_binned_for_kendall(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = made(4, 0)
    exact = pulls(pairs, ["kendall_b"])
    monkeypatch.setattr("lanner.stats.association.GRID", 100)
    monkeypatch.setattr("lanner.stats.association.BINS", 64)
    binned = pulls(pairs, ["kendall_b"])
    assert binned.std() == pytest.approx(exact.std(), rel=0.05)


QUICK = Resampling(n=200, seed=1)


@pytest.mark.data
@pytest.mark.parametrize(
    ("measure", "recomputed", "published", "tolerance"),
    [
        ("sentence", (0.494, 0.441, 0.413), (0.494, 0.441, 0.413), 0.0005),
        ("sum(skills)", (0.499, 0.483, 0.378), (0.499, 0.483, 0.378), 0.0005),
        ("count(skills)", (0.562, 0.546, 0.486), (0.562, 0.545, 0.486), 0.001),
        ("holistic", (0.653, 0.589, 0.503), (0.650, 0.587, 0.502), 0.003),
    ],
)
def test_kim_2025_table_7(measure, recomputed, published, tolerance):
    result = correlations(h_falcon(data_dir("h-falcon")), measure, resampling=QUICK)
    values = [row["value"] for row in result.rows]
    assert values == pytest.approx(recomputed, abs=0.0005)
    assert values == pytest.approx(published, abs=tolerance + 0.0001)
    assert all(row["low"] < row["value"] < row["high"] and row["unit"] == "document" for row in result.rows)


@pytest.mark.data
def test_missing_scores_are_left_out_and_counted():
    result = correlations(h_falcon(data_dir("h-falcon")), "holistic", methods=["pearson"], resampling=QUICK)
    assert result.counts["items"] == 292
    assert result.missing == pytest.approx(6 / 298)


@settings(max_examples=examples(25), deadline=None)
@given(st.integers(0, 2**31), st.integers(5, 60), st.integers(1, 3))
def test_partial_correlation_is_that_of_the_residuals(seed, n, controls):
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(n, controls))
    x, y = rng.normal(size=n) + z.sum(axis=1), rng.normal(size=n) - z[:, 0]
    found = partial(x, y, z, methods=["pearson"], resampling=Resampling(method="none"))[0]
    design = np.column_stack([np.ones(n), z])
    rest = [v - design @ np.linalg.lstsq(design, v, rcond=None)[0] for v in (x, y)]
    if n > controls + 2:
        assert found.value == pytest.approx(stats.pearsonr(*rest)[0], abs=1e-9)


def test_kendalls_partial_is_his_formula():
    rng = np.random.default_rng(3)
    x, y, z = rng.integers(0, 5, (3, 40)).astype(float)
    xy, xz, yz = (stats.kendalltau(a, b)[0] for a, b in ((x, y), (x, z), (y, z)))
    found = partial(x, y, z[:, None], methods=["kendall_b"], resampling=QUICK)[0]
    assert found.value == pytest.approx((xy - xz * yz) / np.sqrt((1 - xz**2) * (1 - yz**2)))


def test_documents_that_agree_within_themselves_widen_the_interval():
    rng = np.random.default_rng(0)
    documents = np.repeat(np.arange(30), 20)
    x = np.repeat(rng.normal(size=30), 20) + 0.1 * rng.normal(size=600)
    y = np.repeat(rng.normal(size=30), 20) + 0.1 * rng.normal(size=600)
    wide_one = correlate(x, y, documents, methods=["pearson"])[0]
    narrow = correlate(x, y, None, methods=["pearson"])[0]
    assert wide_one.value == pytest.approx(narrow.value)
    assert (wide_one.interval.unit, narrow.interval.unit) == ("document", "item")
    assert wide_one.high - wide_one.low > 3 * (narrow.high - narrow.low)


def test_the_same_seed_gives_the_same_interval_and_another_does_not():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 100))
    first, second = (correlate(x, y, resampling=Resampling(n=100, seed=s, method="bca"))[2] for s in (5, 5))
    assert first == second
    assert correlate(x, y, resampling=Resampling(n=100, seed=6, method="bca"))[2].interval != first.interval


@pytest.mark.parametrize(
    ("x", "y", "reason"),
    [
        ([], [], "0 pairs"),
        ([1.0], [2.0], "1 pairs"),
        ([1.0, 1.0, 1.0], [1.0, 2.0, 3.0], "same value everywhere"),
        ([np.nan, np.nan], [1.0, 2.0], "0 pairs"),
    ],
)
def test_degenerate_data_have_no_value_and_a_reason(x, y, reason):
    for result in correlate(np.array(x), np.array(y)):
        assert result.value is None
        assert result.interval is None
        assert reason in result.notes[0]


def test_a_control_that_determines_x_leaves_the_partial_undefined():
    x = np.arange(20.0)
    result = partial(x, np.sin(x), x[:, None] * 2, methods=["pearson"])[0]
    assert result.value is None
    assert result.notes


def test_a_partial_correlation_names_what_is_held_constant():
    rng = np.random.default_rng(1)
    data = {"judge": ["a"] * 30, "document": [f"d{at % 6}" for at in range(30)]}
    data |= {name: rng.normal(size=30).tolist() for name in ("x", "y", "one", "two")}
    rows = between_measures(data, "x", "y", given=["one", "two"]).rows
    assert all("given one, two · " in str(row["signature"]) for row in rows)
    assert not any("given" in str(row["signature"]) for row in between_measures(data, "x", "y").rows)


def test_many_distinct_values_keep_the_exact_value_and_a_fair_width(monkeypatch):
    rng = np.random.default_rng(0)
    documents = np.repeat(np.arange(60), 30)
    x = rng.normal(size=1800)
    y = x + rng.normal(size=1800)
    exact = correlate(x, y, documents, methods=["kendall_b"], resampling=Resampling(n=500))[0]
    monkeypatch.setattr("lanner.stats.association._MANY_CELLS", 100)
    binned = correlate(x, y, documents, methods=["kendall_b"], resampling=Resampling(n=500))[0]
    assert binned.value == exact.value
    assert (binned.low, binned.high) == pytest.approx((exact.low, exact.high), abs=0.002)
    assert "bins" in binned.notes[0]


def test_measures_are_compared_within_each_group():
    frame = pl.DataFrame(
        {
            "judge": ["a"] * 8 + ["b"] * 8,
            "segment": [str(i % 4) for i in range(16)],
            "document": [str(i % 4 // 2) for i in range(16)],
            "question": (["adequacy"] * 4 + ["fluency"] * 4) * 2,
            "score": [1.0, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 4, 3, 2, 1],
        }
    )
    result = between_measures(frame, "adequacy", "fluency", by=["judge"], methods=["spearman"], resampling=QUICK)
    assert [(row["judge"], row["value"]) for row in result.rows] == [("a", 1.0), ("b", -1.0)]


def test_unknown_names_get_a_suggestion():
    frame = pl.DataFrame({"judge": ["a"], "item": ["1"], "question": ["holistic"], "score": [1.0]})
    with pytest.raises(StatisticError, match=r"holistik(.|\n)*holistic"):
        correlations(frame, "holistik")
    with pytest.raises(StatisticError, match="kendall_b"):
        correlate(np.arange(3.0), np.arange(3.0), methods=["kendal_b"])


SCIPY = {
    "pearson": lambda x, y: stats.pearsonr(x, y)[0],
    "spearman": lambda x, y: stats.spearmanr(x, y)[0],
    "kendall_b": lambda x, y: stats.kendalltau(x, y)[0],
}


def make(n: int, units: int, levels: tuple[int, int], seed: int) -> tuple[ValuePairs, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.integers(0, levels[0], n).astype(float)
    y = np.round(x * rng.choice([-1, 0.5, 1]) + rng.integers(0, levels[1], n)).astype(float)
    pairs = ValuePairs(x, y, rng.integers(0, units, n), units)
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
        pairs = ValuePairs(x.astype(float), y.astype(float), np.arange(n), n)
        weights = rng.integers(0, 3, (n, 5)).astype(float)
        cell_x, cell_y, incidence = pairs._cells
        drawn = incidence @ weights
        inverted = (cell_x[:, None] < cell_x) & (cell_y[:, None] > cell_y)
        assert pairs._merge.discordant(drawn) == pytest.approx(np.einsum("ib,ij,jb->b", drawn, inverted, drawn))


def test_tau_c_of_the_whole_data_is_stuarts():
    rng = np.random.default_rng(4)
    x, y = rng.integers(0, 3, 50).astype(float), rng.integers(0, 6, 50).astype(float)
    found = ValuePairs(x, y, np.arange(50), 50).coefficients(np.ones((1, 50)), ("kendall_c",))
    assert found[0, 0] == pytest.approx(stats.kendalltau(x, y, variant="c")[0])


def test_a_column_asked_twice_or_alone_has_the_same_numbers():
    pairs, weights = make(80, 8, (5, 5), 1)
    together = pairs.coefficients(weights)
    for column, name in enumerate(COEFFICIENTS):
        assert np.array_equal(pairs.coefficients(weights, (name,))[:, 0], together[:, column], equal_nan=True)


def test_binning_keeps_the_order_of_values():
    rng = np.random.default_rng(0)
    pairs = ValuePairs(rng.normal(size=5000), rng.normal(size=5000), np.arange(5000), 5000)
    coarse = pairs.coarsened(50)
    assert coarse.levels == (50, 50)
    assert stats.spearmanr(pairs.x, coarse.x)[0] > 0.999


def test_large_offsets_lose_no_digits():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=200), rng.normal(size=200)
    here = ValuePairs(x, y, np.arange(200), 200).coefficients(np.ones((1, 200)), ("pearson",))
    there = ValuePairs(x + 1e9, y * 1e-9, np.arange(200), 200).coefficients(np.ones((1, 200)), ("pearson",))
    assert there == pytest.approx(here, abs=1e-6)

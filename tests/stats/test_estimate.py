""""""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lanner.errors import StatisticError
from lanner.stats import estimate as estimate_module
from lanner.stats.coefficients import (
    accuracy,
    alpha,
    brennan_prediger,
    conger,
    fleiss,
    gwet,
    jaccard,
    kappa,
    macro_f1,
    micro_f1,
    pairwise,
    percent,
    scott,
    wmt,
)
from lanner.stats.estimate import SparseTable, estimate, usage
from lanner.stats.icc import icc
from lanner.stats.resample import Resampling, draws
from property_examples import examples
from rating_tables import table

PLACES = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2), st.floats(-5, 5)), max_size=12)


@settings(max_examples=examples(50), deadline=None)
@given(PLACES)
def test_sums_are_those_of_the_table(places):
    table = np.zeros((5, 3))
    for row, column, value in places:
        table[row, column] += value
    rows, columns, values = (np.array([p[k] for p in places], dtype=t) for k, t in enumerate((int, int, float)))
    scattered = SparseTable(((rows, columns, values), (np.arange(5), 1, 2.0)), 5, 3)
    table[:, 1] += 2
    group = np.array([0, 2, 2, 0, 1])
    expected = np.array([table[group == g].sum(axis=0) for g in range(4)])
    assert np.allclose(scattered.tocsr().toarray(), table)
    assert np.allclose(scattered.total(), table.sum(axis=0))
    assert np.allclose(scattered.grouped(group, 4), expected)


def test_large_sums_stay_sparse(monkeypatch):
    monkeypatch.setattr(estimate_module, "_HELD", 3)
    scattered = SparseTable(((np.array([0, 1, 1]), np.array([0, 1, 1]), 1.0),), 3, 2)
    found = scattered.by_group(np.array([1, 0, 1]), 2)
    assert not isinstance(found, np.ndarray)
    assert found.toarray().tolist() == [[0, 2], [1, 0]]
    assert scattered.touched().tolist() == [True, True, False]


STATISTICS = [
    (percent, {}), (fleiss, {}), (fleiss, {"weights": "linear"}), (gwet, {}), (brennan_prediger, {}), (conger, {}),
    (wmt, {}), (kappa, {}), (kappa, {"weights": "linear"}), (kappa, {"weights": "quadratic"}), (scott, {}),
    (alpha, {"level": "nominal"}), (alpha, {"level": "ordinal"}), (alpha, {"level": "interval"}),
    (alpha, {"level": "ratio"}), (icc, {"form": "2,1"}), (icc, {"form": "1,k"}), (icc, {"form": "3,1"}),
    (jaccard, {}), (micro_f1, {}), (macro_f1, {}), (accuracy, {}),
]  # fmt: skip


def some(seed: int = 0, judges: int = 4, items: int = 24, documents: int = 8, missing: float = 0.2) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    true = rng.integers(1, 5, items)
    given = np.clip(true + rng.integers(-1, 2, (judges, items)), 1, 4)
    gone = rng.random(given.shape) < missing
    columns = [[None if g else int(v) for v, g in zip(*row, strict=True)] for row in zip(given, gone, strict=True)]
    return table(columns, "score", documents=[f"d{i % documents}" for i in range(items)])


def again(data: pl.DataFrame, key: str, weights: dict[str, int]) -> pl.DataFrame:
    """The table with each unit as often as drawn, every copy under a name of its own."""
    parts = []
    for name, times in weights.items():
        mine = data.filter(pl.col(key) == name)
        copies = [mine.with_columns(segment=pl.col("segment") + f"x{c}") for c in range(times)]
        parts += [copy.with_columns(document=pl.col("document") + f"x{c}") for c, copy in enumerate(copies)]
    return pl.concat(parts)


@pytest.mark.parametrize("missing", [0, 0.2])
@pytest.mark.parametrize(("statistic", "options"), STATISTICS)
def test_resamples_are_the_statistic_of_resampled_documents(statistic, options, missing):
    data = some(missing=missing)
    # with holes the spread of an ICC comes from Henderson's components, moved to the REML value
    near = 0.05 if statistic is icc and missing else 1e-9
    how = Resampling(n=4, method="percentile", seed=3)
    replicates = statistic.plan(data, labels=(1, 2, 3, 4), **options).replicate(how)
    names = sorted(data["document"].unique())
    for row, weights in enumerate(np.concatenate(list(draws(len(names), how)))):
        resampled = again(data, "document", dict(zip(names, weights.astype(int).tolist(), strict=True)))
        expected = statistic.plan(resampled, labels=(1, 2, 3, 4), **options).value()[0]
        assert replicates.draws[row, 0] == pytest.approx(expected, abs=near)
    without = data.filter(pl.col("document") != names[2])
    left_out = statistic.plan(without, labels=(1, 2, 3, 4), **options).value()[0]
    assert replicates.jackknife[2, 0] == pytest.approx(left_out, abs=near)


@pytest.mark.parametrize(("statistic", "options"), STATISTICS)
def test_the_unit_matters_to_the_interval_and_not_to_the_value(statistic, options):
    data = some(items=60, documents=30)
    units = ("document", "item", "judge", "two-way")
    by = {unit: statistic(data, resampling=Resampling(unit=unit, n=300), **options) for unit in units}
    assert len({round(result.value, 12) for result in by.values()}) == 1
    for unit, result in by.items():
        assert result.interval.unit == unit
        assert result.low < result.value < result.high
    widths = {unit: result.high - result.low for unit, result in by.items()}
    assert widths["two-way"] > 0.9 * widths["document"]


def test_items_are_resampled_by_pattern_when_they_repeat_and_one_by_one_when_not():
    data = some(items=200, documents=200, judges=3, missing=0)
    how = Resampling(unit="item", n=2000)
    repeated = fleiss(data, resampling=how)
    documents = fleiss(data, resampling=Resampling(n=2000))
    assert repeated.low == pytest.approx(documents.low, abs=0.02)
    assert repeated.high == pytest.approx(documents.high, abs=0.02)


def test_the_same_seed_gives_the_same_interval_whatever_the_order_of_rows():
    data = some()
    shuffled = data.sample(fraction=1, shuffle=True, seed=5)
    how = Resampling(method="bca", n=200)
    first, second = fleiss(data, resampling=how), fleiss(shuffled, resampling=how)
    assert (first.value, first.low, first.high) == (second.value, second.low, second.high)
    other = fleiss(data, resampling=Resampling(method="bca", n=200, seed=1))
    assert (first.low, first.high) != (other.low, other.high)


def test_a_result_says_what_it_rests_on():
    data = some()
    result = fleiss(data)
    assert result.counts["documents"] == 8
    assert result.counts["judges"] == 4
    assert result.missing == pytest.approx(1 - data["score"].is_not_null().sum() / len(data))
    assert "jackknife-t 95% by document" in str(result.signature)
    assert any("Fewer than 20 documents (8)" in note for note in result.notes)
    plan = fleiss.plan(data)
    assert usage(plan)["items"] == result.counts["items"]
    assert estimate(plan, Resampling())[0].value == result.value


def test_two_judges_are_too_few_to_resample_judges():
    result = fleiss(some(judges=2), resampling=Resampling(unit="judge"))
    assert result.interval is None
    assert "must leave at least two" in result.notes[-1]


def test_a_pair_uses_its_own_documents():
    data = some(judges=3, items=240, documents=120, missing=0)
    few = data.filter((pl.col("judge") != "j2") | pl.col("document").is_in(["d1", "d2", "d3", "d4", "d5", "d6"]))
    by = {(r.labels["judge"], r.labels["other"]): r for r in pairwise(few)}
    assert by["j0", "j1"].interval.method == "jackknife-t"
    assert by["j0", "j2"].interval.method == "jackknife-t"
    assert by["j0", "j2"].counts["documents"] == 6


def test_an_option_that_does_not_exist_is_named():
    with pytest.raises(StatisticError, match="unexpected keyword argument 'level'"):
        fleiss(some(), level="ordinal")

from __future__ import annotations

from math import comb

import numpy as np
import pytest
from scipy import sparse, stats

from lanner.errors import StatisticError
from lanner.stats.outcome import outcome
from lanner.stats.resample import (
    Resampling,
    draws,
    generator,
    group_sums,
    jackknife_variance,
    replicate,
    replicate_sums,
    sign,
)


def mean_of(sums):
    return sums[:, [0]] / sums[:, [1]]


def with_ones(values):
    return np.column_stack([values, np.ones(len(values))])


def test_draws_are_multinomial_and_do_not_depend_on_the_block_size():
    how = Resampling(n=50, seed=4)
    small = np.concatenate(list(draws(7, how, cells=21)))
    large = np.concatenate(list(draws(7, how)))
    assert np.array_equal(small, large)
    assert small.shape == (50, 7)
    assert (small.sum(axis=1) == 7).all()
    by_pattern = np.concatenate(list(draws(3, how, multiplicity=np.array([5.0, 1.0, 4.0]))))
    assert (by_pattern.sum(axis=1) == 10).all()


def test_the_seed_pins_the_numbers():
    assert generator(0).integers(0, 1000, 4).tolist() == generator(0).integers(0, 1000, 4).tolist()
    assert generator(0).integers(0, 10**9) != generator(0, stream=1).integers(0, 10**9)
    first = next(draws(5, Resampling(n=2, seed=0)))
    assert first.tolist() == [[0, 2, 1, 1, 1], [4, 0, 0, 0, 1]]  # the same on any machine


def test_sums_and_weights_are_two_ways_to_say_the_same():
    values = np.random.default_rng(0).normal(size=30)
    how = Resampling(n=40, method="percentile")
    sums = with_ones(values)
    by_sums = replicate_sums(sums, mean_of, how)
    by_weights = replicate(lambda w: (w @ values / w.sum(axis=1))[:, None], 30, how)
    by_blocks = replicate_sums(sparse.csr_array(sums), mean_of, how)
    for other in (by_weights, by_blocks):
        assert np.allclose(by_sums.draws, other.draws)
        assert np.allclose(by_sums.jackknife, other.jackknife)
        assert np.allclose(by_sums.value, other.value)


def test_equal_units_may_be_counted_instead_of_repeated():
    distinct, times = np.array([1.0, 2.0, 5.0]), np.array([3.0, 4.0, 2.0])
    repeated = replicate_sums(with_ones(np.repeat(distinct, times.astype(int))), mean_of, Resampling(method="t"))
    counted = replicate_sums(with_ones(distinct), mean_of, Resampling(method="t"), multiplicity=times)
    assert counted.units == 9
    assert counted.variance() == pytest.approx(repeated.variance())
    found = [outcome(r, Resampling(method="t")).interval for r in (counted, repeated)]
    assert found[0].low == pytest.approx(found[1].low)


def test_jackknife_of_a_mean_is_the_textbook_error():
    values = np.array([2.0, 4.0, 4.0, 7.0, 9.0])
    r = replicate_sums(with_ones(values), mean_of, Resampling(method="t"))
    assert r.variance()[0] == pytest.approx(values.var(ddof=1) / 5)
    interval = outcome(r, Resampling()).interval
    expected = stats.t.interval(0.95, 4, values.mean(), stats.sem(values))
    assert (interval.low, interval.high) == pytest.approx(expected)
    assert interval.method == "jackknife-t"
    test = outcome(r, Resampling(), null=1.0)
    assert test.p == pytest.approx(stats.ttest_1samp(values, 1.0).pvalue)
    assert np.isnan(jackknife_variance(np.zeros((1, 1)))[0])


def test_group_sums():
    parts = np.array([[1.0, 10], [2, 20], [3, 30]])
    assert group_sums(parts, np.array([1, 0, 1]), 3).tolist() == [[2, 20], [4, 40], [0, 0]]


def test_signature_is_one_line_that_can_be_followed():
    values = with_ones(np.arange(130.0))
    how = Resampling(n=500, seed=7, method="bca-t")
    interval = outcome(replicate_sums(values, mean_of, how), how).interval
    line = str(sign("alpha", how, interval, protocol="demo@1", level="ordinal"))
    assert line.startswith(
        "alpha · demo@1 · level ordinal · interval bca-t 95% by document · resamples 500 · seed 7 · lanner"
    )


@pytest.mark.parametrize("wrong", [{"unit": "page"}, {"method": "magic"}, {"level": 95}, {"n": 0}])
def test_settings_are_checked(wrong):
    with pytest.raises(StatisticError):
        Resampling(**wrong)


def test_every_resample_of_three_documents_comes_up_as_often_as_it_should():
    rows, counts = np.unique(next(draws(3, Resampling(n=30_000))), axis=0, return_counts=True)
    assert len(rows) == comb(5, 2)
    assert counts[rows.tolist().index([1, 1, 1])] / 30_000 == pytest.approx(6 / 27, abs=0.01)

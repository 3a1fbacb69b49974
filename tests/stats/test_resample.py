from __future__ import annotations

from math import comb

import numpy as np
import pytest
from scipy import sparse, stats

from lanner.errors import StatisticError
from lanner.stats.resample import (
    Replicates,
    Resampling,
    crossed_outcome,
    draws,
    generator,
    group_sums,
    jackknife_variance,
    outcome,
    replicate,
    replicate_sums,
    sign,
    t_outcome,
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


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_bootstrap_intervals_against_scipy(method):
    values = np.random.default_rng(1).gamma(2, size=40)
    r = replicate_sums(with_ones(values), mean_of, Resampling(n=20_000, method=method))
    found = outcome(r, Resampling(n=20_000, method=method)).interval
    theirs = stats.bootstrap(
        (values,), np.mean, n_resamples=20_000, method=method.replace("bca", "BCa"), rng=np.random.default_rng(0)
    ).confidence_interval
    assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high), abs=0.015)


def test_widened_levels_are_wider_by_the_known_factor():
    values = np.random.default_rng(2).normal(size=25)
    r = replicate_sums(with_ones(values), mean_of, Resampling(n=20_000, method="bca"))
    plain = outcome(r, Resampling(n=20_000, method="bca")).interval
    wide = outcome(r, Resampling(n=20_000, method="bca-t")).interval
    assert wide.method == "bca-t"
    factor = np.sqrt(25 / 24) * stats.t.ppf(0.975, 24) / stats.norm.ppf(0.975)
    assert (wide.high - wide.low) / (plain.high - plain.low) == pytest.approx(factor, abs=0.02)


@pytest.mark.parametrize("method", ["percentile", "bca", "bca-t", "t"])
def test_p_and_interval_never_disagree(method):
    rng = np.random.default_rng(3)
    for shift in np.linspace(0, 1, 12):
        values = rng.gamma(1, size=24) - shift
        how = Resampling(n=1000, method=method)
        found = outcome(replicate_sums(with_ones(values), mean_of, how), how, null=0.0)
        outside = found.interval.low > 0 or found.interval.high < 0
        if abs(found.p - 0.05) > 0.01:
            assert (found.p < 0.05) == outside


def test_few_units_say_so_and_many_do_not():
    values = np.arange(19.0)
    few = outcome(replicate_sums(with_ones(values), mean_of, Resampling()), Resampling())
    assert "Fewer than 20 documents (19)" in few.notes[0]
    enough = outcome(replicate_sums(with_ones(np.arange(20.0)), mean_of, Resampling()), Resampling())
    assert enough.notes == ()
    assert enough.interval.method == "jackknife-t"
    many = outcome(replicate_sums(with_ones(np.arange(100.0)), mean_of, Resampling()), Resampling())
    assert many.interval.method == "bca-t"


def test_where_units_are_plenty_the_jackknife_gives_the_bootstraps_interval():
    values = np.random.default_rng(0).exponential(size=2001)
    auto, drawn = (
        outcome(replicate_sums(with_ones(values), mean_of, how), how, null=0.95)
        for how in (Resampling(), Resampling(n=4000, method="bca-t"))
    )
    assert auto.interval.method == "jackknife-t"
    width = drawn.interval.high - drawn.interval.low
    assert auto.interval.low == pytest.approx(drawn.interval.low, abs=0.05 * width)
    assert auto.interval.high == pytest.approx(drawn.interval.high, abs=0.05 * width)
    assert auto.p == pytest.approx(drawn.p, abs=0.02)


def test_scales_keep_the_interval_where_it_belongs():
    how = Resampling(method="t")
    assert t_outcome(0.95, 0.01, 5, how).interval.high > 1
    fisher = t_outcome(0.95, 0.01, 5, how, scale="fisher").interval
    assert -1 < fisher.low < 0.95 < fisher.high < 1
    logit = t_outcome(0.02, 0.01, 5, how, scale="logit").interval
    assert 0 < logit.low < 0.02 < logit.high < 1
    apart = t_outcome(0.9, 0.5, 1, how, scale="difference", null=0.0)
    assert -2 < apart.interval.low < 0 < 0.9 < apart.interval.high < 2
    assert apart.p > 0.05


def test_cases_without_an_interval_have_a_reason():
    how = Resampling()
    one = replicate_sums(with_ones(np.array([3.0])), mean_of, how)
    assert "only one document" in outcome(one, how).notes[0]
    same = replicate_sums(with_ones(np.full(130, 2.0)), mean_of, how)
    assert "every document says the same" in outcome(same, how).notes[0]
    same = replicate_sums(with_ones(np.full(5, 2.0)), mean_of, how)
    assert "every document says the same" in outcome(same, how).notes[0]
    value = Replicates(np.array([1.0]), np.full((10, 1), np.nan), np.full((125, 1), np.nan), 125)
    assert "undefined in most resamples" in outcome(value, how).notes[0]
    assert "without one document" in outcome(value, Resampling(method="t")).notes[0]
    assert outcome(Replicates(np.array([np.nan]), *[np.zeros((0, 1))] * 2, 0), how).interval is None
    empty = replicate_sums(np.zeros((0, 2)), lambda s: np.full((len(s), 1), np.nan), how)
    assert outcome(empty, how).interval is None


def test_some_undefined_resamples_are_left_out_and_counted():
    drawn = np.concatenate([np.linspace(0, 1, 90), np.full(10, np.nan)])[:, None]
    r = Replicates(np.array([0.5]), drawn, np.linspace(0.4, 0.6, 130)[:, None], 130)
    assert "10.0% of resamples" in outcome(r, Resampling(n=100)).notes[0]


def test_a_biased_statistic_does_not_get_an_interval_beside_its_value():
    rng = np.random.default_rng(5)
    biased = Replicates(np.array([5.0]), rng.normal(size=(400, 1)), 5 + 0.01 * rng.normal(size=(150, 1)), 150)
    found = outcome(biased, Resampling(n=400))
    assert found.interval.low < 5 < found.interval.high
    assert found.interval.method == "jackknife-t"
    assert "one side of the value" in found.notes[0]


def test_crossed_variances_add_up():
    how = Resampling(unit="two-way")
    found = crossed_outcome(0.0, (0.04, 0.01), (30, 4), how).interval
    df = 0.05**2 / (0.04**2 / 29 + 0.01**2 / 3)
    assert found.high == pytest.approx(stats.t.ppf(0.975, df) * np.sqrt(0.05))
    assert crossed_outcome(0.0, (0.04, 0.01), (1, 4), how).interval is None


def test_group_sums():
    parts = np.array([[1.0, 10], [2, 20], [3, 30]])
    assert group_sums(parts, np.array([1, 0, 1]), 3).tolist() == [[2, 20], [4, 40], [0, 0]]


def test_signature_is_one_line_that_can_be_followed():
    values = with_ones(np.arange(130.0))
    how = Resampling(n=500, seed=7)
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

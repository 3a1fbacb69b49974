import numpy as np
import pytest
from scipy import stats

from lanner.stats.bca import acceleration, inverted, quantile


@pytest.mark.parametrize("share", [0.0, 0.013, 0.5, 0.975, 1.0])
def test_quantiles_are_numpys(share: float) -> None:
    for n in (2, 7, 2000):
        ordered = np.sort(np.random.default_rng(n).normal(size=n))
        assert quantile(ordered, share) == pytest.approx(np.quantile(ordered, share), abs=1e-14)


def test_acceleration_of_a_mean_is_a_sixth_of_its_skewness_over_the_root_of_n() -> None:
    values = np.random.default_rng(0).exponential(size=200)
    left_out = (values.sum() - values) / 199
    assert acceleration(left_out, None) == pytest.approx(stats.skew(values) / (6 * np.sqrt(200)))


def test_equal_units_count_as_often_as_they_occur_and_undefined_ones_not_at_all() -> None:
    left_out, counts = np.array([1.0, 2.0, 4.0]), np.array([5.0, 2.0, 1.0])
    spelled_out = np.repeat(left_out, counts.astype(int))
    assert acceleration(left_out, counts) == pytest.approx(acceleration(spelled_out, None))
    assert acceleration(np.array([1.0, 2.0, 4.0, np.nan]), None) == acceleration(left_out, None)
    assert acceleration(np.array([np.nan]), None) == 0
    assert acceleration(np.ones(3), None) == 0


def test_p_is_twice_the_smaller_tail() -> None:
    drawn = np.sort(stats.norm.ppf((np.arange(4001) + 0.5) / 4001))
    assert inverted(drawn, 1.96, 0.0, 0.0, 1.0) == pytest.approx(0.05, abs=0.002)
    assert inverted(drawn, 0.0, 0.0, 0.0, 1.0) == pytest.approx(1.0, abs=0.002)

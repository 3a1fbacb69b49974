from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanner.stats.transforms import SCALES

INSIDE = {
    "plain": (-9, 9),
    "fisher": (-0.99, 0.99),
    "logit": (0.01, 0.99),
    "log": (0.01, 50),
    "difference": (-1.9, 1.9),
}


@pytest.mark.parametrize("scale", INSIDE)
@given(st.floats(0, 1))
def test_there_and_back_again_with_the_slope_on_the_way(scale, share):
    low, high = INSIDE[scale]
    x = low + share * (high - low)
    there, back, slope = SCALES[scale]
    assert back(there(x)) == pytest.approx(x, abs=1e-9)
    step = 1e-6 * max(1.0, abs(x))
    assert slope(x) == pytest.approx((there(x + step) - there(x - step)) / (2 * step), rel=1e-3)


def test_ends_of_the_range_stay_finite():
    for scale, end in (("fisher", 1.0), ("logit", 0.0), ("log", 0.0), ("difference", -2.0)):
        there, back, _ = SCALES[scale]
        assert back(there(end)) == pytest.approx(end, abs=1e-9)

"""Boundaries: all looks together err as often as they may, by simulated paths that know nothing of the integration."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from lanner.stats.sequential import LOOKS, boundary, nominal_levels


@pytest.mark.parametrize("of_complete", [False, True])
@pytest.mark.parametrize("level", [0.05, 0.01])
def test_all_looks_together_err_as_often_as_they_may(level: float, of_complete: bool) -> None:
    shares = np.arange(1, LOOKS + 1) / LOOKS
    times = shares[:-1] / (1 - shares[:-1]) if of_complete else shares
    rng = np.random.default_rng(7)
    steps = rng.normal(size=(200_000, len(times))) * np.sqrt(np.diff(times, prepend=0))
    p = 2 * stats.norm.sf(np.abs(np.cumsum(steps, 1)) / np.sqrt(times))
    needed = np.array([nominal_levels(level, look, of_complete=of_complete) for look in range(1, len(times) + 1)])
    spent = level * (shares[len(times) - 1] ** 2)
    assert (p <= needed).any(1).mean() == pytest.approx(spent, rel=0.06)


def test_a_single_look_needs_no_correction() -> None:
    one = np.array([1.0])
    assert boundary(np.array([0.05, 0.2]), one, one)[0] == pytest.approx([0.05, 0.2], rel=1e-6)


def test_two_looks_agree_with_a_bivariate_normal_distribution() -> None:
    shares = np.array([0.5, 1.0])
    first, second = boundary(np.array([0.05]), shares, shares)[:, 0]
    assert first == pytest.approx(0.05 / 4, rel=1e-6)
    low, high = stats.norm.isf(first / 2), stats.norm.isf(second / 2)
    both = stats.multivariate_normal([0, 0], [[1, np.sqrt(0.5)], [np.sqrt(0.5), 1]])
    inside = both.cdf([low, high], lower_limit=[-low, -high])
    assert 1 - inside == pytest.approx(0.05, rel=1e-3)


def test_levels_grow_with_looks_and_with_the_error_allowed() -> None:
    by_look = [float(nominal_levels(0.05, look)) for look in range(1, LOOKS + 1)]
    assert by_look == sorted(by_look)
    assert by_look[-1] < 0.05
    assert (np.diff(nominal_levels(np.array([0.001, 0.01, 0.05, 0.2]), 10)) > 0).all()

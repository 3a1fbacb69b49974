from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from lanner.stats.explained import Parts, shares
from lanner.stats.mixed import curvature, fit, mixed
from stats.test_mixed import DYESTUFF, YIELD, crossed


def parts(y: np.ndarray, design: np.ndarray, *factors: np.ndarray) -> Parts:
    model = fit(y, design, factors)
    sizes = model.solution.problem.sizes
    return Parts(model.variances, curvature(model), sizes, model.beta, model.covariance, design)


def test_of_one_factor_the_interval_is_the_exact_one_of_the_intraclass_correlation() -> None:
    """One-way analysis of variance: F/F₀.₉₇₅ and F/F₀.₀₂₅ give the ends (Shrout & Fleiss 1979)."""
    result = mixed(DYESTUFF, "yield", random=["judge"])
    batches, each = YIELD.shape
    between = each * YIELD.mean(axis=1).var(ddof=1)
    within = YIELD.var(axis=1, ddof=1).mean()
    ratios = between / within / stats.f.ppf([0.975, 0.025], batches - 1, batches * (each - 1))
    exact = (ratios - 1) / (ratios - 1 + each)
    assert (result.low, result.high) == pytest.approx((max(0.0, exact[0]), exact[1]), abs=0.015)
    assert not any("fixed effects" in note for note in result.notes)


def test_without_variance_between_levels_the_interval_starts_at_zero() -> None:
    rng = np.random.default_rng(0)
    found = shares(parts(rng.normal(size=200), np.ones((200, 1)), np.arange(200) % 10))
    assert found.ends is not None
    assert found.ends[0] == 0
    assert found.fixed_ends == (0, 0)


def test_a_strong_predictor_has_a_narrow_interval_near_its_share() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=2000)
    y = 3 * x + rng.normal(size=2000) + rng.normal(0, 0.5, 100)[np.arange(2000) % 100]
    found = shares(parts(y, np.column_stack([np.ones(2000), x]), np.arange(2000) % 100))
    assert found.fixed_ends is not None
    low, high = found.fixed_ends
    assert low < 9 / 10.25 < high
    assert high - low < 0.04
    assert low < found.fixed < high


def test_the_same_seed_gives_the_same_ends_and_a_higher_level_wider_ones() -> None:
    data = crossed(n=200)
    once, again, wider = (mixed(data, "score_given", ["skill"], level=level) for level in (0.95, 0.95, 0.99))
    assert once.interval == again.interval
    assert once.low is not None and once.high is not None and wider.low is not None and wider.high is not None
    assert wider.low < once.low < once.high < wider.high


def test_nothing_known_of_the_errors_gives_no_interval() -> None:
    made = Parts(np.array([1.0, 2.0]), None, [3], np.zeros(1), np.eye(1), np.ones((9, 1)))
    assert shares(made) == (0.0, pytest.approx(2 / 3), None, None)

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lanner.errors import StatisticError
from lanner.stats import reml
from lanner.stats.reml import Problem, minimise
from property_examples import examples


def draw(seed, rows, sizes, columns=2):
    rng = np.random.default_rng(seed)
    factors = [np.concatenate([np.arange(q), rng.integers(0, q, rows - q)]) for q in sizes]
    x = np.column_stack([np.ones(rows), rng.normal(size=(rows, columns - 1))])
    y = x.sum(axis=1) + sum(rng.normal(size=q)[f] for f, q in zip(factors, sizes, strict=True)) + rng.normal(size=rows)
    return y, x, factors


def brute(y, x, factors, theta, reml_too):
    """−2 log likelihood from the n × n covariance matrix itself."""
    n, p = x.shape
    v = np.eye(n) + sum(t**2 * (f[:, None] == f[None, :]) for t, f in zip(theta, factors, strict=True))
    inverse = np.linalg.inv(v)
    gram = x.T @ inverse @ x
    beta = np.linalg.solve(gram, x.T @ inverse @ y)
    rest = y - x @ beta
    free = n - p * reml_too
    variance = rest @ inverse @ rest / free
    penalty = np.linalg.slogdet(gram)[1] if reml_too else 0.0
    return np.linalg.slogdet(v)[1] + penalty + free * (np.log(2 * np.pi * variance) + 1), beta


@settings(max_examples=examples(30), deadline=None)
@given(
    st.integers(0, 2**31),
    st.lists(st.integers(2, 12), min_size=1, max_size=3),
    st.booleans(),
    st.lists(st.floats(0, 3), min_size=3, max_size=3),
)
def test_the_deviance_is_that_of_the_full_covariance_matrix(seed, sizes, restricted, theta):
    y, x, factors = draw(seed, 40, sizes)
    theta = np.array(theta[: len(sizes)])
    solution = Problem.of(y, x, factors).solve(theta)
    expected, beta = brute(y, x, factors, theta, restricted)
    assert solution.deviance(restricted) == pytest.approx(expected, rel=1e-9)
    assert solution.beta == pytest.approx(beta, rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("restricted", [True, False])
@pytest.mark.parametrize("variance", [None, 1.7])
def test_the_gradient_is_the_slope_of_the_deviance(restricted, variance):
    y, x, factors = draw(3, 60, [9, 4])
    problem, theta, step = Problem.of(y, x, factors), np.array([0.8, 0.3]), 1e-5
    slope = problem.solve(theta).gradient(restricted, variance)
    for k in range(2):
        move = step * np.eye(2)[k]
        up, down = (problem.solve(t).deviance(restricted, variance) for t in (theta + move, theta - move))
        assert slope[k] == pytest.approx((up - down) / (2 * step), rel=1e-5)


def test_factors_inside_documents_make_blocks_and_change_nothing(monkeypatch):
    rng = np.random.default_rng(0)
    item = rng.permutation(np.repeat(np.arange(30), 4))
    document, judge = item // 5, np.tile(np.arange(4), 30)
    y = rng.normal(size=30)[item] + rng.normal(size=6)[document] + rng.normal(size=4)[judge] + rng.normal(size=120)
    x, factors, theta = np.ones((120, 1)), [judge, document, item], np.array([0.5, 1.1, 0.9])
    blocked = Problem.of(y, x, factors)
    assert max(bucket.levels.shape[1] for bucket in blocked.buckets) == 8  # a document with its five items, filled up
    monkeypatch.setattr(reml, "_BLOCK", 1)
    flat = Problem.of(y, x, factors)
    first, second = blocked.solve(theta), flat.solve(theta)
    assert first.deviance(True) == pytest.approx(second.deviance(True))
    assert first.gradient(True) == pytest.approx(second.gradient(True))
    for one, other in zip(first.effects(1.0), second.effects(1.0), strict=True):
        assert one[0] == pytest.approx(other[0])
        assert one[1] == pytest.approx(other[1])


def test_effects_are_the_predictions_and_their_errors():
    """Beside Henderson's mixed model equations, solved as one matrix."""
    y, x, factors = draw(5, 50, [7, 4])
    theta, variance = np.array([0.6, 1.2]), 2.0
    z = np.column_stack([(factors[k][:, None] == np.arange(q)).astype(float) for k, q in ((0, 7), (1, 4))])
    scale = np.repeat(theta, [7, 4])
    solution = Problem.of(y, x, factors).solve(theta)
    inner = np.linalg.inv(scale[:, None] * (z.T @ z) * scale + np.eye(11))
    expected = scale * (inner @ (scale * (z.T @ (y - x @ solution.beta))))
    between = np.diag(1 / scale**2)
    equations = np.block([[x.T @ x, x.T @ z], [z.T @ x, z.T @ z + between]])
    spread = np.sqrt(variance * np.diag(np.linalg.inv(equations))[x.shape[1] :])
    found = solution.effects(variance)
    assert np.concatenate([mean for mean, _ in found]) == pytest.approx(expected)
    assert np.concatenate([error for _, error in found]) == pytest.approx(spread)


def test_the_search_finds_the_lowest_point_of_a_grid():
    y, x, factors = draw(11, 80, [10, 5])
    problem = Problem.of(y, x, factors)
    theta, good = minimise(problem, True)
    lowest = problem.solve(theta).deviance(True)
    grid = np.linspace(0, 3, 31)
    assert good
    assert lowest <= min(problem.solve(np.array([a, b])).deviance(True) for a in grid for b in grid)


def test_a_factor_without_variance_ends_at_zero():
    rng = np.random.default_rng(1)
    factor = np.repeat(np.arange(10), 10)
    y = rng.normal(size=100)
    y -= np.repeat([y[factor == k].mean() for k in range(10)], 10)  # the levels' means are all equal
    theta, _ = minimise(Problem.of(y, np.ones((100, 1)), [factor]), True)
    assert theta[0] == 0.0


def test_too_many_levels_that_all_meet_are_refused(monkeypatch):
    monkeypatch.setattr(reml, "_ACROSS", 2)
    monkeypatch.setattr(reml, "_BLOCK", 2)
    with pytest.raises(StatisticError, match="too many levels"):
        Problem.of(*draw(0, 40, [9, 8]))


def test_many_levels_that_seldom_meet_are_kept_sparse_and_change_nothing(monkeypatch):
    y, x, factors = draw(3, 260, [120, 90, 4])
    theta = np.array([0.7, 0.4, 1.2])
    full = Problem.of(y, x, factors).solve(theta)
    monkeypatch.setattr(reml, "_THIN", 2)
    assert any(not isinstance(reml._thin(reml._flat(bucket.across)), np.ndarray) for bucket in full.problem.buckets)
    thin = Problem.of(y, x, factors).solve(theta)
    assert thin.deviance(True) == pytest.approx(full.deviance(True), rel=1e-12)
    assert thin.gradient(True) == pytest.approx(full.gradient(True), rel=1e-9)
    for mine, theirs in zip(thin.effects(1.0), full.effects(1.0), strict=True):
        assert mine[0] == pytest.approx(theirs[0])
        assert mine[1] == pytest.approx(theirs[1])

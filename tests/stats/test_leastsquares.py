from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st

from lanner.stats.leastsquares import Ols
from property_examples import examples


def clustered(seed, n=60, groups=8, columns=3):
    rng = np.random.default_rng(seed)
    group = np.concatenate([np.arange(groups), rng.integers(0, groups, n - groups)])
    x = np.column_stack([np.ones(n), rng.normal(size=(n, columns - 2)), rng.normal(size=groups)[group]])
    return rng.normal(size=groups)[group] + rng.normal(size=n), x, group


@settings(max_examples=examples(25), deadline=None)
@given(st.integers(0, 2**31), st.integers(3, 12), st.integers(2, 5))
def test_statsmodels_gives_the_same_errors(seed, groups, columns):
    y, x, group = clustered(seed, 60, groups, columns)
    plain = sm.OLS(y, x).fit()
    sandwich = sm.OLS(y, x).fit(cov_type="cluster", cov_kwds={"groups": group})
    ours = Ols(y, x, errors="classical")
    assert ours.beta == pytest.approx(plain.params)
    assert ours.r_squared == pytest.approx(plain.rsquared)
    assert np.sqrt(np.diag(ours.covariance)) == pytest.approx(plain.bse)
    assert [e.interval(0.95) for e in ours.coefficients()] == [pytest.approx(pair) for pair in plain.conf_int()]
    assert np.sqrt(np.diag(Ols(y, x, group, "cr1").covariance)) == pytest.approx(sandwich.bse)
    test = ours.joint(range(1, columns))
    assert test is not None
    assert test.p == pytest.approx(float(plain.f_pvalue), abs=1e-9)


@settings(max_examples=examples(20), deadline=None)
@given(st.integers(0, 2**31))
def test_cr2_is_its_definition_with_full_matrices(seed):
    y, x, group = clustered(seed, 40, 6)
    ours = Ols(y, x, group)
    n = len(y)
    bread = np.linalg.inv(x.T @ x)
    hat = x @ bread @ x.T
    rest = np.eye(n) - hat
    parts = []
    for g in range(6):
        rows = np.flatnonzero(group == g)
        values, vectors = np.linalg.eigh(rest[np.ix_(rows, rows)])
        root = vectors @ np.diag(np.where(values > 1e-9, values, np.inf) ** -0.5) @ vectors.T
        part = np.zeros((n, x.shape[1]))
        part[rows] = root @ x[rows] @ bread
        parts.append(part)
    covariance = sum(np.outer(p.T @ (rest @ y), p.T @ (rest @ y)) for p in parts)
    assert ours.covariance == pytest.approx(covariance, abs=1e-10)
    for k, estimate in enumerate(ours.coefficients()):
        vectors = np.stack([rest @ p[:, k] for p in parts], axis=1)
        values = np.linalg.eigvalsh(vectors.T @ vectors)
        assert estimate.df == pytest.approx(values.sum() ** 2 / (values**2).sum())


def test_the_joint_test_of_one_coefficient_is_its_t_test():
    y, x, group = clustered(4, 80, 10)
    ours = Ols(y, x, group)
    test = ours.joint([1])
    assert test is not None
    assert test.p == pytest.approx(ours.coefficients()[1].p)
    assert test.df2 == pytest.approx(ours.coefficients()[1].df)


def test_many_clusters_take_the_same_degrees_of_freedom_by_the_short_way(monkeypatch):
    y, x, group = clustered(5, 200, 30)
    long = [e.df for e in Ols(y, x, group).coefficients()]
    monkeypatch.setattr("lanner.stats.leastsquares._MANY", 10)
    assert [e.df for e in Ols(y, x, group).coefficients()] == pytest.approx(long)


def test_a_cluster_that_alone_determines_a_coefficient_does_no_harm_to_the_others():
    y, x, group = clustered(6, 60, 6)
    x = np.column_stack([x, (group == 0).astype(float)])
    ours = Ols(y, x, group)
    assert np.isfinite(ours.covariance).all()
    *others, alone = ours.coefficients()
    assert alone.known_p is None
    assert any(np.isfinite(e.df) for e in others)


def test_too_few_clusters_leave_the_joint_test_open():
    y, x, group = clustered(7, 60, 4, 6)
    assert Ols(y, x, group).joint([1, 2, 3, 4, 5]) is None
    assert Ols(y, x, group).joint([]) is None


def test_a_small_sample_of_clusters_keeps_its_level():
    rng = np.random.default_rng(0)
    hits = 0
    for _ in range(400):
        group = np.repeat(np.arange(8), 10)
        x = np.column_stack([np.ones(80), rng.normal(size=8)[group]])
        y = rng.normal(size=8)[group] + rng.normal(size=80)
        hits += Ols(y, x, group).coefficients()[1].p < 0.05
    assert 0.02 < hits / 400 < 0.08


def test_what_one_document_alone_determines_has_no_error_and_no_p():
    """A domain of one document: its mean fits perfectly whatever the truth is."""
    rng = np.random.default_rng(4)
    document = np.repeat(np.arange(12), 5)
    x = np.column_stack([np.ones(60), document == 11])
    y = rng.normal(size=12)[document] + 0.1 * rng.normal(size=60)
    fit = Ols(y, x.astype(float), document)
    intercept, domain = fit.coefficients()
    assert domain.known_p is None
    assert domain.ends(0.95) == (None, None)
    assert 0 < intercept.known_p <= 1
    two = np.column_stack([np.ones(60), document >= 10]).astype(float)
    assert Ols(y, two, document).coefficients()[1].known_p is not None


def test_what_rounding_leaves_of_a_perfect_fit_is_no_precision():
    """Each system has one score and each judge a shift: residuals of 10⁻¹⁵ gave p = 10⁻⁷⁵ from four documents."""
    cluster = np.repeat(np.arange(4), 6)
    x = np.column_stack([np.ones(24), np.tile([0.0, 1.0], 12), np.tile([0.0, 0.1, 0.3], 8)])
    model = Ols(x @ np.array([0.1, 0.7, 1.3]), x, cluster)
    assert all(estimate.known_p is None and estimate.ends(0.95) == (None, None) for estimate in model.coefficients())
    assert model.joint([1, 2]) is None and model.joint([1]) is None
    [_, none, _] = Ols(x @ np.array([0.1, 0.0, 1.3]), x, cluster).coefficients()
    assert (none.value, none.error, none.p) == (0.0, 0.0, 1.0)
    noisy = Ols(x @ np.array([0.1, 0.7, 1.3]) + 1e-6 * np.random.default_rng(1).normal(size=24), x, cluster)
    assert all(estimate.error > 0 for estimate in noisy.coefficients()) and noisy.joint([1]) is not None


def test_a_perfect_fit_leaves_no_residual_and_one_perfect_coefficient_no_error():
    """A sum of rounding errors is neither a spread nor a difference: of all coefficients, and of one alone."""
    x = np.column_stack([np.ones(24), np.tile([0.0, 1.0], 12), np.tile([0.0, 0.1, 0.3], 8)])
    perfect = Ols(x @ np.array([0.1, 0.7, 1.3]), x, errors="classical")
    assert perfect.r_squared == 1 and not perfect.residuals.any() and not perfect.covariance.any()
    # both systems of a document share its shift: their difference fits perfectly, the mean does not
    shift = np.random.default_rng(3).normal(size=12).repeat(2)
    pairs = np.column_stack([np.ones(24), np.tile([0.0, 1.0], 12)])
    mean, difference = Ols(shift + 0.7 * pairs[:, 1], pairs, np.repeat(np.arange(12), 2)).coefficients()
    assert mean.known_p is not None and mean.error > 0.1
    assert difference.value == pytest.approx(0.7) and (difference.error, difference.known_p) == (0.0, None)

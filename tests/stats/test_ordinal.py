"""Cumulative link mixed models beside R's `ordinal`, and what does not depend on how the data are written."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from lanner.errors import StatisticError
from lanner.stats import ordinal
from lanner.stats.ordinal import OrdinalFit, fit_ordinal

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "facets.json").read_text(encoding="utf-8"))


def fitted(case: dict) -> OrdinalFit:
    document, judge, system, _, step = np.array(case["rows"]).T
    document, judge, system, step = (column.astype(int) - 1 for column in (document, judge, system, step))
    pairs = [np.unique(a * 3 + system, return_inverse=True)[1] for a in (document, judge)]
    return fit_ordinal(step, 5, np.eye(3)[system][:, 1:], [document, judge, *pairs])


@pytest.mark.parametrize("case", GOLDEN["cases"][:1] + GOLDEN["cases"][2:])
def test_beside_clmm(case):
    model = fitted(case)
    assert model.converged
    assert model.log_likelihood == pytest.approx(case["log_likelihood"], abs=1e-4)
    assert model.thresholds == pytest.approx(case["thresholds"], abs=2e-4)
    assert model.beta == pytest.approx(case["beta"], abs=2e-4)
    assert np.sqrt(model.variances) == pytest.approx(case["deviations"], abs=2e-4)
    errors = np.sqrt(np.diag(model.covariance))[len(model.thresholds) :]
    assert errors == pytest.approx(case["beta_error"], rel=1e-3)


def test_the_gradient_is_that_of_the_likelihood():
    rng = np.random.default_rng(2)
    step, group, x = rng.integers(0, 4, 60), rng.integers(0, 6, 60), rng.normal(size=(60, 1))
    groups = [group, rng.integers(0, 4, 60)]
    z = np.hstack([np.eye(6)[groups[0]], np.eye(4)[groups[1]]])
    model = ordinal._Model(step, 4, x, ordinal.sparse.csr_array(z), np.repeat([0, 1], [6, 4]), np.zeros(10))
    at = np.array([-1.0, 0.2, -0.1, 0.3, -0.5, 0.1])
    numeric = [(model.at(at + h).value - model.at(at - h).value) / 2e-4 for h in 1e-4 * np.eye(6)]
    assert model.at(at).gradient == pytest.approx(numeric, abs=1e-5)


def test_expected_scores_lie_on_the_scale_and_rise():
    model = OrdinalFit(np.array([-1.0, 1.0]), np.zeros(1), np.array([1.0]), np.eye(3), (), 0.0, True)
    points = np.array([1.0, 2.0, 5.0])
    values = [model.expected(points, shift) for shift in (-30.0, 0.0, 30.0)]
    assert values == pytest.approx([1.0, values[1], 5.0], abs=1e-6) and 1 < values[1] < 5


def test_too_many_levels_are_refused(monkeypatch):
    monkeypatch.setattr(ordinal, "MOST_LEVELS", 3)
    with pytest.raises(StatisticError, match="too large"):
        fit_ordinal(np.array([0, 1, 0, 1]), 2, np.zeros((4, 0)), [np.arange(4)])

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from lanner.errors import StatisticError
from lanner.stats.icc import FORMS, icc
from lanner.stats.resample import Resampling
from rating_tables import GOLDEN, golden, ratings, table

PLAIN = Resampling(method="none")
PUBLISHED = {"1,1": 0.17, "2,1": 0.29, "3,1": 0.71, "1,k": 0.44, "2,k": 0.62, "3,k": 0.91}


def test_shrout_and_fleiss_1979():
    data = table(GOLDEN["shrout_fleiss"]["ratings"], "score")
    for form, value in PUBLISHED.items():
        assert icc(data, form=form, resampling=PLAIN).value == pytest.approx(value, abs=5e-3)


@pytest.mark.parametrize(("name", "judges", "values"), golden("pingouin"))
def test_against_pingouin(name, judges, values):
    for key, expected in values.items():
        form = key.split()[1]
        assert icc(table(judges, "score"), form=form, resampling=PLAIN).value == pytest.approx(expected, abs=1e-9), form


@settings(max_examples=40, deadline=None)
@given(ratings(complete=True))
def test_variance_components_are_the_mean_squares_where_nothing_is_missing(judges):
    data = table(judges, "score")
    for form in FORMS:
        squares = icc(data, form=form, cells="complete", resampling=PLAIN).value
        components = icc(data, form=form, cells="all", resampling=PLAIN).value
        if squares is not None and components is not None and abs(squares) < 1:
            assert components == pytest.approx(squares, abs=1e-6), form


def test_variance_components_find_the_truth_behind_missing_cells():
    rng = np.random.default_rng(3)
    item, judge, noise = rng.normal(0, 2, 3000), rng.normal(0, 1, 12), rng.normal(0, 1.5, (12, 3000))
    scores = 50 + item + judge[:, None] + noise
    scores[rng.random(scores.shape) < 0.6] = np.nan
    data = table([[None if np.isnan(v) else v for v in row] for row in scores], "score")
    assert icc(data, form="3,1", resampling=PLAIN).value == pytest.approx(4 / (4 + 2.25), abs=0.02)
    spread = judge.var(ddof=1)
    assert icc(data, form="2,1", resampling=PLAIN).value == pytest.approx(4 / (4 + 2.25 + spread), abs=0.03)


def test_listwise_says_what_it_left_out():
    judges = [[1, 2, 3, None, 5], [1, 3, 3, 4, 4]]
    result = icc(table(judges, "score"), cells="complete", resampling=PLAIN)
    assert result.counts["items"] == 4
    assert "1 items that not every judge scored" in result.notes[0]
    assert "variance components" in str(icc(table(judges, "score"), resampling=PLAIN).signature)


def test_degenerate_scores_have_a_reason():
    assert "all scores are the same" in icc(table([[3, 3, 3], [3, 3, 3]], "score")).notes[0]
    assert "two judges" in icc(table([[1, 2, 3]], "score")).notes[0]
    assert icc(table([[1, None], [None, 2]], "score")).value is None
    assert icc(table([[None, None], [None, None]], "score")).value is None


def test_forms_are_six():
    with pytest.raises(StatisticError, match="no ICC form"):
        icc(table([[1, 2], [1, 2]], "score"), form="4,1")

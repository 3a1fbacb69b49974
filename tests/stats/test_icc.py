"""ICCs against published values, pingouin and lme4; judges' levels and missing cells."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from lanner.errors import StatisticError
from lanner.stats.icc import FORMS, icc
from lanner.stats.resample import Resampling
from rating_tables import GOLDEN, golden, table

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
    assert "1 item that not every judge scored" in result.notes[0]
    assert "variance components" in str(icc(table(judges, "score"), resampling=PLAIN).signature)


def test_degenerate_scores_have_a_reason():
    assert "all scores are the same" in icc(table([[3, 3, 3], [3, 3, 3]], "score")).notes[0]
    assert "two judges" in icc(table([[1, 2, 3]], "score")).notes[0]
    assert icc(table([[1, None], [None, 2]], "score")).value is None
    assert icc(table([[None, None], [None, None]], "score")).value is None


@pytest.mark.parametrize("form", ["2,1", "3,1", "2,k", "3,k"])
def test_noise_that_cannot_be_told_from_items_has_no_coefficient(form):
    """Two judges share one item; the judges' levels leave nothing over, so any split of the rest is as likely."""
    lone = table([[55, 42, 51, None], [53, None, None, 58]], "score")
    assert "share too few items" in icc(lone, form=form, resampling=PLAIN).notes[0]
    two_shared = table([[55, 42, 51, None], [53, 47, None, 58]], "score")
    assert icc(two_shared, form=form, resampling=PLAIN).value is not None
    ring = table([[55, 42, None], [53, None, 51], [None, 44, 49]], "score")
    assert icc(ring, form=form, resampling=PLAIN).value is not None


def test_forms_are_six():
    with pytest.raises(StatisticError, match="no ICC form"):
        icc(table([[1, 2], [1, 2]], "score"), form="4,1")


LME4 = json.loads((Path(__file__).parents[1] / "golden" / "icc_lme4.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", range(len(LME4["cases"])))
def test_sparse_tables_have_the_coefficients_of_lme4(case):
    """60 % of the cells missing; tests/golden/icc_lme4.R makes the file, which names the versions."""
    made = LME4["cases"][case]
    rows = [(f"d{item // 4}", str(item), f"j{judge}", value) for item, judge, value in made["cells"]]
    data = pl.DataFrame(rows, schema=["document", "segment", "judge", "score"], orient="row")
    for form, expected in zip(FORMS, made["icc"], strict=True):
        found = icc(data, form=form)
        assert found.value == pytest.approx(expected, abs=2e-4)
        if found.interval is not None:
            assert found.low <= found.value <= found.high


@pytest.mark.parametrize("form", ["3,1", "3,k"])
@pytest.mark.parametrize("missing", [1, 40, 120])
def test_a_judge_who_gives_more_to_everything_changes_no_consistency(form, missing):
    rng = np.random.default_rng(missing)
    scores = rng.normal(0, 1, 50)[:, None] + rng.normal(0, 1, (50, 4))
    scores.ravel()[rng.permutation(200)[:missing]] = np.nan
    found = []
    for shift in (0, 10, -250):
        rows = [
            (f"d{i // 5}", str(i), f"j{j}", float(value + shift * (j == 1)))
            for i, line in enumerate(scores)
            for j, value in enumerate(line)
            if not np.isnan(value)
        ]
        data = pl.DataFrame(rows, schema=["document", "segment", "judge", "score"], orient="row")
        result = icc(data, form=form)
        found.append((result.value, result.low, result.high))
    assert found[1] == pytest.approx(found[0], abs=1e-6)
    assert found[2] == pytest.approx(found[0], abs=1e-6)
    assert found[0][1] < found[0][0] < found[0][2]


def test_moments_and_likelihood_agree_where_nothing_is_missing():
    """Method III on complete cells is the analysis of variance; REML gives the same where no variance is negative."""
    rng = np.random.default_rng(5)
    scores = rng.normal(0, 2, 40)[:, None] + rng.normal(0, 1, 4) + rng.normal(0, 1, (40, 4))
    rows = [(f"d{i // 4}", str(i), f"j{j}", float(v)) for i, line in enumerate(scores) for j, v in enumerate(line)]
    data = pl.DataFrame(rows, schema=["document", "segment", "judge", "score"], orient="row")
    for form in FORMS:
        whole, parts = icc(data, form=form, cells="complete"), icc(data, form=form, cells="all")
        assert parts.value == pytest.approx(whole.value, abs=1e-5)
        assert (parts.low, parts.high) == pytest.approx((whole.low, whole.high), abs=1e-3)


def test_judges_who_share_no_items_with_others_are_compared_among_themselves():
    """Texts of two languages, each with judges of its own: how far their scores lie apart was taken for strictness."""
    rng = np.random.default_rng(5)
    scores = np.full((8, 600), np.nan)
    for judges, items in ((slice(0, 4), slice(0, 300)), (slice(4, 8), slice(300, 600))):
        scores[judges, items] = rng.normal(0, 2, 300) + rng.normal(0, 0.5, (4, 1)) + rng.normal(0, 1, (4, 300))
    rows = [[None if np.isnan(v) else v for v in row] for row in scores]
    further = [[v if v is None or judge < 4 else v + 30 for v in row] for judge, row in enumerate(rows)]
    for form in ("2,1", "3,1"):
        near, far = (icc(table(data, "score"), form=form) for data in (rows, further))
        assert far.value == pytest.approx(near.value, abs=1e-6)
        assert (far.low, far.high) == pytest.approx((near.low, near.high), abs=1e-6)
        assert far.value == pytest.approx(4 / (4 + (0.25 if form == "2,1" else 0) + 1), abs=0.05)
        assert any("2 groups that share no items" in note for note in far.notes)

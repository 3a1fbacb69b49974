"""Worked examples that others printed with their data: models, plans, questionnaires, intervals."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import published_data
from lanner.model import Interval, Result
from lanner.stats.coefficients import percent
from lanner.stats.models import alternative_annotator, calibration, prediction_powered
from lanner.stats.power import (
    Components,
    Design,
    chances,
    documents_needed,
    expected_width,
    next_judgements,
    plan,
    preference_outlook,
    preference_power,
    simulate,
)
from lanner.stats.questionnaire import averages, shares
from lanner.stats.resample import Resampling, outcome, replicate

QUICK = Resampling(n=200)


def rows_of(result: Result, **wanted: str) -> list[dict[str, Any]]:
    return [dict(row) for row in result.rows if all(row.get(name) == value for name, value in wanted.items())]


# --- models, planning, questionnaires --------------------------------------------------------------------------------


@pytest.mark.parametrize("model", published_data.LESIONS["printed"])
def test_students_and_models_on_skin_lesions(model: str) -> None:
    """Calderon et al. 2025, the notebook of their repository: winning rate and advantage probability."""
    rate, advantage = published_data.LESIONS["printed"][model]
    found = alternative_annotator(published_data.lesions(model), epsilon=0.15, unit="item", min_items=30)
    assert found.value == pytest.approx(rate, abs=5e-3)
    assert np.mean([row["advantage"] for row in found.rows]) == pytest.approx(advantage, abs=5e-3)


def test_the_calibration_error_of_torchmetrics() -> None:
    """TorchMetrics, BinaryCalibrationError: 0.2900 with two bins."""
    said = {"model": [0.25, 0.25, 0.55, 0.75, 0.75], "person": [0.0, 0.0, 1.0, 1.0, 1.0]}
    rows = [(judge, judge, str(k), v) for judge, values in said.items() for k, v in enumerate(values)]
    made = pl.DataFrame(rows, schema=["judge", "judge_kind", "segment", "score"], orient="row")
    found = calibration(made.with_columns(document=pl.col("segment")), bins=2, resampling=QUICK)
    [distance] = [row["value"] for row in found.rows if row["kind"] == "distance"]
    assert distance == pytest.approx(0.29, abs=1e-9)


def test_the_regression_estimate_of_survey_sampling() -> None:
    """Scheaffer, Mendenhall & Ott: 76 + 0.766 (52 − 46) = 80.6; 486 students took the first test, mean 52.

    A prediction-powered mean with λ = b N/(n + N) is the regression estimate of survey sampling.
    """
    n, everyone = len(published_data.AFTER), 486
    others = everyone - n
    slope = float(np.polyfit(published_data.BEFORE, published_data.AFTER, 1)[0])
    assert slope == pytest.approx(0.766, abs=5e-4)
    rest = [(everyone * 52 - sum(published_data.BEFORE)) / others] * others
    rows = [("test", "model", f"{k:03}", v) for k, v in enumerate([*map(float, published_data.BEFORE), *rest])]
    rows += [("course", "person", f"{k:03}", float(v)) for k, v in enumerate(published_data.AFTER)]
    made = pl.DataFrame(rows, schema=["judge", "judge_kind", "segment", "score"], orient="row")
    made = made.with_columns(document=pl.col("segment"), system=pl.lit("school"))
    found = prediction_powered(made, weight=slope * others / everyone)
    assert found.value == pytest.approx(80.6, abs=0.05)
    assert found.rows[0]["people"] == 76


def test_power_of_the_paired_t_test() -> None:
    """Dalgaard, Introductory Statistics with R, 8.3: sd 10 within people, difference 10, power 0.85: n = 19.97 pairs.

    Champely, pwr: 40 pairs, d = 0.5: 0.8693981.
    """
    [row] = plan(Components(residual=100.0), Design(20, 1), difference=10, power=0.85, n=4000).rows
    assert row["power"] == pytest.approx(0.85, abs=0.02)  # the permutation test comes near to the t test
    assert row["detectable"] == pytest.approx(10, abs=0.4)
    [power] = chances(Components(residual=50.0), Design(40, 1), [5], n=4000)
    assert power == pytest.approx(0.8693981, abs=0.02)


def test_clusters_cost_the_design_effect() -> None:
    """Kish 1965: sentences of a document count 1 + (m − 1)ρ times too much; 20 alike by 0.05 have 1.95."""
    alike, m, documents = 0.05, 20, 12
    parts = Components(system_item=50 * (1 - alike), system_document=50 * alike)
    now, single = Design(documents, m), Design(documents, 1)
    grown = next_judgements(parts, single, single.judgements * (m - 1), n=4000)
    [longer] = [row for row in grown.rows if row["way"] == "more sentences per document"]
    assert longer["sentences"] == now.sentences
    width = simulate(parts, single, n=4000).width
    assert m * (longer["width"] / width) ** 2 == pytest.approx(1.95, rel=0.04)


def test_a_tighter_margin_needs_the_printed_sample() -> None:
    """Cochran's formula: a share near one half ± 1 point needs 9,604 answers, ± 5 points 385."""
    poll = Result("share", 0.5, Interval(0.49, 0.51, unit="document"), counts={"documents": 9604})
    assert documents_needed(poll, 0.10).value == 385


def test_a_poll_of_a_thousand_has_a_margin_of_three_points() -> None:
    """Cochran's formula: 1,067 answers for ± 3 points. Two judges who agree on every second one are such a poll."""
    pilot = published_data.crosstab([[25, 25], [25, 25]], "yn")
    found = expected_width(percent.plan(pilot), [1067], n=60)
    assert found.value == pytest.approx(0.06, rel=0.02)


def test_power_of_a_loaded_coin() -> None:
    """Champely, vignette of pwr: heads in 75 %, 40 throws, one-sided at 0.01: 0.838; h = 0.5, 20 throws: 0.609.

    Theirs is an approximation by arcsines. Ours is that of the tests themselves, which can only reject at whole numbers
    of heads: 0.821 for the first, from the binomial. The manual of MESS prints 0.971 for 50 throws of such a coin: the
    binomial's with 32 heads as the limit. But 32 have p = 0.065; with 33 the power is 0.945. It is not used here.
    """
    tests = {row["test"]: row["power"] for row in preference_power(0.75, documents=40, level=0.98, n=4000).rows}
    assert tests["sign test"] == pytest.approx(0.8377325, abs=0.03)
    assert tests["sign test"] == pytest.approx(0.8209, abs=0.015)
    heads = float(np.sin(0.25 + np.pi / 4) ** 2)  # h = 0.5 from one half
    pilot = {"share": heads, "ties": 0.0, "items": 1, "alike": 0.0}
    assert preference_outlook(pilot, [20], n=2000).value == pytest.approx(0.6087795, abs=0.06)


def test_students_sleepers() -> None:
    """Student 1908; R's t.test of the data set sleep: mean 1.58, interval 0.7001142 to 2.4598858."""
    made = pl.DataFrame({"judge": [f"j{k}" for k in range(10)], "score": published_data.SLEEP_GAINED})
    made = made.with_columns(question=pl.lit("gain"), document=pl.lit("d"), segment=pl.lit("s"))
    found = averages(made, "gain")
    assert found.value == pytest.approx(1.58)
    assert (found.low, found.high) == pytest.approx((0.7001142, 2.4598858), abs=1e-6)


def test_four_hundred_of_893() -> None:
    """Agresti, An Introduction to Categorical Data Analysis, 1.3: 400 of 893, 0.448, interval 0.415 to 0.481."""
    made = pl.DataFrame({"judge": [f"j{k:03}" for k in range(893)], "label": ["yes"] * 400 + ["no"] * 493})
    made = made.with_columns(question=pl.lit("q"), document=pl.lit("d"), segment=pl.lit("s"))
    [row] = rows_of(shares(made, "q"), label="yes")
    assert row["share"] == pytest.approx(0.448, abs=5e-4)
    assert (row["low"], row["high"]) == pytest.approx((0.415, 0.481), abs=2e-3)


# --- intervals -------------------------------------------------------------------------------------------------------


def test_the_corrected_bootstrap_of_the_spatial_test() -> None:
    """Efron & Tibshirani 1993, p. 183: variance 171.5, 90 % BCa 115.8 to 259.6, percentile 100.8 to 233.9."""
    scores = np.array(published_data.SPATIAL, float)

    def variance(weights: np.ndarray) -> np.ndarray:
        share = weights / weights.sum(axis=1, keepdims=True)
        mean = share @ scores
        return np.asarray(share @ scores**2 - mean**2)[:, None]

    for method, ends in (("bca", (115.8, 259.6)), ("percentile", (100.8, 233.9))):
        how = Resampling(unit="item", n=20_000, level=0.90, method=method)  # type: ignore[arg-type]
        found = replicate(variance, len(scores), how)
        assert float(found.value[0]) == pytest.approx(171.5, abs=0.05)
        made = outcome(found, how).interval
        assert made is not None
        assert (made.low, made.high) == pytest.approx(ends, abs=5)  # theirs are of 2,000 resamples

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy.special import stdtrit

from lanner.stats.prediction_powered import powered_mean, prediction_powered, variance


def draw(rng, documents=60, judged=15, size=8, quality=0.9, shift=3.0):
    document = np.repeat(np.arange(documents), size)
    truth = rng.normal(size=documents)[document] + rng.normal(size=documents * size)
    y = truth + 0.5 * rng.normal(size=len(truth))
    f = quality * truth + np.sqrt(1 - quality**2) * rng.normal(size=len(truth)) + shift
    return np.where(document < judged, y, np.nan), f, document, documents


def covers(found, pull, fitted):
    spread, df = variance(pull, found.judged, fitted)
    return stdtrit(df, 0.975) * np.sqrt(spread)


@pytest.mark.parametrize("quality", [0.95, 0.5, 0.0])
def test_intervals_hold_the_truth_however_good_the_model_and_are_not_wider(quality):
    rng = np.random.default_rng(int(quality * 100))
    inside, widths, plain = 0, [], []
    for _ in range(300):
        found = powered_mean(*draw(rng, quality=quality))
        reach = covers(found, found.pull, found.tuned)
        inside += abs(found.value) <= reach
        widths.append(reach)
        plain.append(covers(found, found.plain, 0))
    assert 0.915 <= inside / 300 <= 0.985
    assert np.mean(widths) < np.mean(plain) * (0.7 if quality > 0.9 else 1.05)


def test_a_useless_model_leaves_peoples_mean_alone():
    rng = np.random.default_rng(1)
    found = powered_mean(*draw(rng, quality=0.0))
    assert found.weight < 0.5
    assert powered_mean(*draw(rng), weight=0.0).value == pytest.approx(
        powered_mean(*draw(rng), weight=0.0).people_only, abs=2
    )


def test_the_estimate_is_its_formula():
    y = np.array([1.0, 2.0, 3.0, np.nan, np.nan])
    f = np.array([1.5, 2.0, 2.5, 4.0, 6.0])
    found = powered_mean(y, f, np.arange(5), 5, weight=1.0)
    assert found.value == pytest.approx(2.0 - (2.0 - 5.0))
    assert found.people_only == 2.0
    spread, _ = variance(found.pull, found.judged)
    residual, rest = y[:3] - f[:3], f[3:]
    assert spread == pytest.approx(residual.var(ddof=1) / 3 + rest.var(ddof=1) / 2)


def table(systems=("a", "b"), judged=15, seed=2):
    rng = np.random.default_rng(seed)
    parts = []
    for place, system in enumerate(systems):
        y, f, document, _ = draw(rng, judged=judged)
        y = y + place
        f = f + place
        for judge, kind, score in (("p", "person", y), ("m", "model", f)):
            known = np.isfinite(score)
            parts.append(
                pl.DataFrame(
                    {
                        "judge": judge,
                        "judge_kind": kind,
                        "document": [f"d{d:02d}" for d in document[known]],
                        "segment": [str(i) for i in np.flatnonzero(known)],
                        "system": system,
                        "score": score[known],
                    }
                )
            )
    return pl.concat(parts)


def test_systems_are_ranked_with_narrower_intervals_than_peoples():
    result = prediction_powered(table())
    systems = [row for row in result.rows if row["kind"] == "system"]
    assert [row["system"] for row in systems] == ["b", "a"]
    for row in systems:
        assert row["high"] - row["low"] < row["people_high"] - row["people_low"]
        assert row["gain"] > 1
    pair = next(row for row in result.rows if row["kind"] == "pair")
    assert pair["low"] < 1 < pair["high"]
    assert result.interval.method == "PPI-t"
    assert result.counts["judged_documents"] == 15


def test_nothing_to_gain_is_said():
    everything = table(judged=60)
    assert "judged by the model alone" in prediction_powered(everything).notes[-1]
    people_only = everything.filter(pl.col("judge_kind") == "person")
    assert prediction_powered(people_only).value is None


def test_several_models_must_be_told_apart():
    two = pl.concat([table(), table(seed=3).filter(pl.col("judge") == "m").with_columns(judge=pl.lit("n"))])
    assert "name one" in prediction_powered(two).notes[0]
    assert prediction_powered(two, model="m").value is not None

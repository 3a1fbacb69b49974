"""Can a model replace a judge? Worlds in which the answer is known, and shares with known errors."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from lanner.stats.models import alternative_annotator
from lanner.stats.prediction_powered import prediction_powered
from lanner.stats.replacement import corrected_shares, replacement
from property_examples import rounds

COLUMNS = ["document", "segment", "judge", "judge_kind", "system", "score"]


def scored(seed: int, noise: float, *, people_on: int = 20, documents: int = 20) -> pl.DataFrame:
    """Three people and a model; people judge the first documents only."""
    rng = np.random.default_rng(seed)
    rows = []
    for d in range(documents):
        hard = rng.normal()
        for s in range(4):
            quality = hard + rng.normal()
            judges = [("model", "model", noise)]
            judges += [(name, "person", 0.7) for name in ("ann", "ben", "cem")] if d < people_on else []
            for name, kind, error in judges:
                rows.append((f"d{d:02}", str(s), name, kind, "oak", 70 + 8 * (quality + error * rng.normal())))
    return pl.DataFrame(rows, schema=COLUMNS, orient="row")


def labelled(
    seed: int, *, hits: float = 0.8, alarms: float = 0.2, documents: int = 60, judged: int = 25
) -> pl.DataFrame:
    """A label with a share of .3; a model with known errors judges all, a person some documents."""
    rng = np.random.default_rng(seed)
    rows = []
    for d in range(documents):
        share = rng.beta(3, 7)
        for s in range(8):
            bad = rng.random() < share
            says = rng.random() < (hits if bad else alarms)
            rows.append((f"d{d:02}", str(s), "model", "model", "oak", "bad" if says else "good"))
            if d < judged:
                rows.append((f"d{d:02}", str(s), "ann", "person", "oak", "bad" if bad else "good"))
    return pl.DataFrame(rows, schema=[*COLUMNS[:-1], "label"], orient="row")


def verdict(data: pl.DataFrame) -> dict:
    row = replacement(data, model="model").rows[0]
    assert row["kind"] == "verdict"
    return dict(row)


def test_a_good_model_replaces_and_a_useless_one_does_not():
    assert verdict(scored(1, 0.5))["verdict"] == "replace"
    useless = verdict(scored(1, 12.0))
    assert useless["verdict"] == "neither" and useless["winning_rate"] == 0
    middling = verdict(scored(2, 1.6, documents=40, people_on=40))
    assert middling["verdict"] == "assist" and 0.1 < middling["saves"] < 1 and not middling["saves_measured"]


def test_one_answer_holds_the_numbers_of_the_three_tests():
    data = scored(3, 0.8, people_on=10, documents=30)
    result = replacement(data, model="model")
    assert result.value == alternative_annotator(data, model="model").value
    [own] = [row for row in result.rows if row["kind"] == "system"]
    [powered] = [row for row in prediction_powered(data, model="model").rows if row["kind"] == "system"]
    assert own == powered
    assert result.rows[0]["saves"] == pytest.approx(1 - 1 / powered["gain"]) and result.rows[0]["saves_measured"]
    assert {"line", "bias", "bin", "person"} <= {row["kind"] for row in result.rows}


def test_too_few_people_leave_it_unknown():
    data = scored(1, 0.5).filter(pl.col("judge").is_in(["model", "ann"]))
    assert verdict(data)["verdict"] == "unknown"


def test_rogan_and_gladen_by_hand():
    """Of 10 items both judged 4 are bad, of which the model finds 3; it blames 1 of the 6 good, and 5 of 10 others."""
    truth = ["bad"] * 4 + ["good"] * 6
    says = ["bad"] * 3 + ["good"] + ["bad"] + ["good"] * 5
    rows = [(f"d{n}", "", "ann", "person", "oak", label) for n, label in enumerate(truth)]
    rows += [(f"d{n}", "", "model", "model", "oak", label) for n, label in enumerate([*says, *["bad", "good"] * 5])]
    data = pl.DataFrame(rows, schema=[*COLUMNS[:-1], "label"], orient="row")
    bad = next(row for row in corrected_shares(data, model="model").rows if row["label"] == "bad")
    rest = (0.5 - 1 / 6) / (3 / 4 - 1 / 6)
    assert (bad["hits"], bad["false_alarms"]) == pytest.approx((3 / 4, 1 / 6))
    assert bad["value"] == pytest.approx((4 + 10 * rest) / 20)


def test_corrected_shares_hold_the_truth_where_the_models_do_not():
    held, naive, studies = 0, 0, rounds(30, 60)
    for seed in range(studies):
        bad = next(
            row for row in corrected_shares(labelled(seed, alarms=0.35), model="model").rows if row["label"] == "bad"
        )
        held += bad["low"] <= 0.3 <= bad["high"]
        naive += abs(bad["model"] - 0.3) < (bad["high"] - bad["low"]) / 2
    assert held / studies >= 0.87  # 95 % wanted
    assert naive / studies < 0.5


def test_a_model_that_guesses_has_no_corrected_share():
    rows = corrected_shares(labelled(1, hits=0.4, alarms=0.4), model="model").rows
    assert all(row["value"] is None or row["high"] - row["low"] > 0.3 for row in rows)
    assert corrected_shares(labelled(1, judged=60), model="model").value is None
    assert verdict(labelled(1))["verdict"] == "unknown"

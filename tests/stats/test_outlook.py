from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from lanner.errors import DesignError
from lanner.stats.kappa import kappa
from lanner.stats.outlook import as_run, expected_width, preference_outlook, preference_pilot
from lanner.stats.resample import Resampling


def judged(documents: int, seed: int = 1) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    rows = []
    for d in range(documents):
        slip = rng.uniform(0, 0.6)
        for s in range(5):
            true = int(rng.integers(3))
            for judge in "ab":
                given = int(rng.integers(3)) if rng.random() < slip else true
                rows.append((judge, f"d{d:03}", f"{d}.{s}", "xyz"[given]))
    return pl.DataFrame(rows, schema=["judge", "document", "segment", "label"], orient="row")


def test_the_expected_width_is_the_width_of_such_studies():
    pilot = judged(60)
    plan = kappa.plan(pilot)
    few, many = expected_width(plan, [15, 60], n=200).rows
    own = kappa(pilot, resampling=Resampling(method="t"))
    assert many["width"] == pytest.approx(own.high - own.low, rel=0.1)
    assert few["width"] == pytest.approx(2 * many["width"], rel=0.15)
    assert many["usual_low"] < own.value < many["usual_high"]


def test_a_pilot_of_one_document_cannot_tell_and_plans_of_one_are_refused():
    one = expected_width(kappa.plan(judged(1)), [10])
    assert one.value is None
    assert "fewer than two documents" in one.notes[0]
    with pytest.raises(DesignError, match="two or more"):
        expected_width(kappa.plan(judged(5)), [1])


def test_the_design_of_a_pilot():
    design = as_run(judged(7), "")
    assert (design.documents, design.sentences, design.judges, design.overlap) == (7, 5, 2, 2)
    with pytest.raises(DesignError, match="no answers"):
        as_run(judged(2), "nothing")


def preferences(documents, alike, seed=0):
    rng = np.random.default_rng(seed)
    chance = (
        rng.beta(0.6 * (1 - alike) / alike, 0.4 * (1 - alike) / alike, documents) if alike else np.full(documents, 0.6)
    )
    rows = [
        ("j", f"d{d:03}", f"{d}.{s}", "tie" if rng.random() < 0.2 else "x" if rng.random() < chance[d] else "y")
        for d in range(documents)
        for s in range(8)
    ]
    return pl.DataFrame(rows, schema=["judge", "document", "segment", "label"], orient="row")


def test_a_pilot_gives_back_the_preferences_it_was_made_from():
    found = preference_pilot(preferences(400, 0.3), "")
    assert found["share"] == pytest.approx(0.6, abs=0.05)
    assert found["ties"] == pytest.approx(0.2, abs=0.03)
    assert found["alike"] == pytest.approx(0.3, abs=0.06)
    assert found["items"] == 8
    assert preference_pilot(preferences(400, 0), "")["alike"] < 0.05


def test_more_documents_show_a_preference_more_often():
    rows = preference_outlook({"share": 0.6, "ties": 0.1, "items": 4, "alike": 0.1}, [10, 60], n=300).rows
    assert rows[0]["power"] < rows[1]["power"]
    nothing = preference_outlook({"share": 0.6, "ties": 0.1, "items": 4, "alike": 0.1}, [30], share=0.5, n=1000)
    assert nothing.value == pytest.approx(0.05, abs=0.03)

from __future__ import annotations

import polars as pl
import pytest

from lanner.stats.counting import percent
from lanner.stats.icc import icc
from lanner.stats.kappa import kappa
from lanner.stats.overlap import jaccard
from lanner.stats.repeats import repeated, self_agreement
from lanner.stats.resample import Resampling

PLAIN = Resampling(method="none")
ROWS = [
    ("ann", "1", "main", "a", 1.0), ("ann", "1", "repeat", "a", 1.0), ("ann", "2", "main", "a", 1.0),
    ("ann", "2", "repeat", "b", 2.0), ("ann", "3", "main", "b", 2.0), ("ann", "3", "repeat", "b", 2.0),
    ("ann", "4", "main", "b", 2.0), ("bob", "1", "main", "b", 2.0), ("bob", "1", "repeat", "b", 2.0),
]  # fmt: skip
DATA = pl.DataFrame(ROWS, schema=["judge", "item", "role", "label", "score"], orient="row").with_columns(
    question=pl.lit("q"), labels=pl.concat_list("label"), document=pl.col("item")
)


def test_every_judge_against_himself():
    found = {r.labels["judge"]: r for r in self_agreement(DATA, "q", of=percent, resampling=PLAIN)}
    assert found["all"].value == pytest.approx(3 / 4)
    assert found["ann"].value == pytest.approx(2 / 3)
    assert found["bob"].value == 1
    assert (found["all"].counts["items"], found["all"].counts["judges"]) == (4, 2)
    by_hand = (3 / 4 - (2 / 4 * 1 / 4 + 2 / 4 * 3 / 4)) / (1 - 0.5)
    kappas = {r.labels["judge"]: r for r in self_agreement(DATA, "q", resampling=PLAIN)}
    assert kappas["all"].value == pytest.approx(by_hand)
    assert kappas["bob"].value is None


def test_scores_and_sets_as_well():
    both = self_agreement(DATA, "q", of=[icc, jaccard], resampling=PLAIN)
    assert [r.name for r in both] == ["icc"] * 3 + ["jaccard"] * 3
    assert both[3].value == pytest.approx(3 / 4)


def test_items_met_once_stay_out():
    table = repeated(DATA)
    assert len(table) == 8
    assert set(table["judge"]) == {"first", "again"}


def test_nothing_repeated_is_said():
    (result,) = self_agreement(DATA.filter(pl.col("role") == "main"), "q", of=kappa)
    assert result.value is None
    assert "no item was put twice" in result.notes[0]

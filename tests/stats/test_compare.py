from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from lanner.stats.alpha import alpha
from lanner.stats.compare import difference
from lanner.stats.counting import fleiss
from lanner.stats.kappa import kappa
from lanner.stats.resample import Resampling
from rated import table


def world(seed, noises, documents=30, segments=6, prefix="d"):
    """Judges with their own noise, on documents that are hard or easy for all of them alike."""
    rng = np.random.default_rng(seed)
    true = rng.integers(0, 3, documents * segments)
    hard = np.repeat(rng.beta(1, 2, documents), segments)
    judges = [
        np.where(rng.random(len(true)) < hard * noise, rng.integers(0, 3, len(true)), true).tolist() for noise in noises
    ]
    return table(judges, documents=[f"{prefix}{i // segments}" for i in range(len(true))])


def test_a_real_difference_is_found_and_the_pieces_shown():
    data = world(0, [0.1, 0.1, 1.5])
    good, bad = (kappa.plan(data, judges=["j0", other]) for other in ("j1", "j2"))
    result = difference(good, bad)
    assert result.value == pytest.approx(good.value()[0] - bad.value()[0])
    assert result.rows[0] == {"first": good.value()[0], "second": bad.value()[0]}
    assert result.low > 0
    assert result.p < 0.01
    assert result.counts["documents"] == 30
    assert "30 shared" in str(result.signature)
    back = difference(bad, good)
    assert back.value == pytest.approx(-result.value)


def test_nothing_against_itself_is_no_difference():
    plan = fleiss.plan(world(1, [0.5, 0.5]))
    result = difference(plan, plan)
    assert result.value == 0
    assert result.interval is None
    assert "every document says the same" in result.notes[-1]


def test_pairing_over_documents_narrows_the_interval():
    data = world(2, [0.8, 0.8, 0.8], documents=60)
    paired = difference(kappa.plan(data, judges=["j0", "j1"]), kappa.plan(data, judges=["j0", "j2"]))
    renamed = data.with_columns(document=pl.lit("other") + pl.col("document"))
    apart = difference(kappa.plan(data, judges=["j0", "j1"]), kappa.plan(renamed, judges=["j0", "j2"]))
    assert paired.value == pytest.approx(apart.value)
    assert paired.high - paired.low < apart.high - apart.low
    assert "none shared" in str(apart.signature)


def test_documents_of_one_side_only_count_on_that_side():
    data = world(3, [0.5, 0.5], documents=24)
    half = data.filter(pl.col("document").is_in([f"d{i}" for i in range(12)]))
    result = difference(alpha.plan(data), alpha.plan(half), resampling=Resampling(n=300))
    assert result.value == pytest.approx(alpha.plan(data).value()[0] - alpha.plan(half).value()[0])
    assert result.counts["documents"] == 24
    assert "12 shared" in str(result.signature)


def test_few_documents_take_the_jackknife():
    data = world(4, [0.2, 0.2, 1.5], documents=8)
    result = difference(kappa.plan(data, judges=["j0", "j1"]), kappa.plan(data, judges=["j0", "j2"]))
    assert result.interval.method == "jackknife-t"
    assert 0 < result.p < 1


def test_an_undefined_side_makes_an_undefined_difference():
    constant = fleiss.plan(table(["aaa", "aaa"]))
    fine = fleiss.plan(table(["aab", "aba"]))
    assert "one is undefined" in difference(fine, constant).notes[0]
    assert "both are undefined" in difference(constant, constant).notes[0]
    one = difference(fine, fleiss.plan(table(["ab", "ba"], documents=["x", "x"])))
    assert one.interval is None
    assert "at least two documents" in one.notes[-1]

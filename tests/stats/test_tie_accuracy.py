from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lanner.stats.resample import Array
from lanner.stats.tie_accuracy import calibrated, chance, cross_validated


def plain(gold: Array, scores: Array, threshold: float) -> float:
    """The definition: on each segment the share of pairs in the same order, ties included; the mean over segments."""
    shares = []
    for segment in range(gold.shape[1]):
        right = []
        for a, b in combinations(range(len(gold)), 2):
            g, m = gold[a, segment] - gold[b, segment], scores[a, segment] - scores[b, segment]
            if not np.isnan(g) and not np.isnan(m):
                verdict = 0 if abs(m) <= threshold else np.sign(m)
                right.append(verdict == np.sign(g))
        if right:
            shares.append(np.mean(right))
    return float(np.mean(shares))


def plain_best(gold: Array, scores: Array) -> float:
    candidates = {0.0} | {
        abs(x - y) for column in scores.T for x, y in combinations(column, 2) if not np.isnan(x - y)
    }  # fmt: skip
    return max(plain(gold, scores, candidate) for candidate in candidates)


@given(st.integers(0, 10_000), st.integers(2, 5), st.integers(1, 6), st.booleans(), st.booleans())
@settings(max_examples=60, deadline=None)
def test_the_threshold_is_the_best_of_all(seed: int, systems: int, segments: int, coarse: bool, holes: bool) -> None:
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, 3, (systems, segments)).astype(float)
    scores = rng.integers(0, 4, gold.shape).astype(float) if coarse else rng.normal(size=gold.shape)
    if holes:
        gold[rng.random(gold.shape) < 0.2] = np.nan
        scores[rng.random(gold.shape) < 0.2] = np.nan
    made = calibrated(gold, scores)
    if not made.known.any():
        assert np.isnan(made.accuracy)
        return
    assert made.accuracy == pytest.approx(plain_best(gold, scores))
    assert made.accuracy == pytest.approx(plain(gold, scores, made.threshold))


def test_a_perfect_scorer_and_one_that_knows_nothing() -> None:
    rng = np.random.default_rng(1)
    gold = rng.integers(0, 2, (6, 400)).astype(float)
    assert calibrated(gold, gold * 3 + 1).accuracy == 1
    ignorant = calibrated(gold, rng.normal(size=gold.shape)).accuracy
    assert ignorant == pytest.approx(chance(gold), abs=0.02)


def test_a_threshold_from_other_segments_is_not_flattered() -> None:
    rng = np.random.default_rng(2)
    gold = rng.integers(0, 4, (5, 40)).astype(float)
    scores = gold + rng.normal(0, 1, gold.shape)
    folds = np.arange(40) % 4
    held_out = cross_validated(gold, scores, folds)
    assert held_out <= calibrated(gold, scores).accuracy + 1e-12
    expected = np.mean(
        [
            plain(gold[:, folds == f], scores[:, folds == f],
                  calibrated(gold[:, folds != f], scores[:, folds != f]).threshold)
            for f in range(4)
        ]
    )  # fmt: skip
    assert held_out == pytest.approx(expected)

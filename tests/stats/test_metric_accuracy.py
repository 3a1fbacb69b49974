""""""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from lanner.stats.metric_accuracy import (
    Kind,
    PairGrid,
    SoftAccuracy,
    by_segment,
    calibrated,
    chance,
    confidences,
    correlation,
    cross_validated,
    original_confidences,
    pairwise_accuracy,
    swaps,
    weights,
)
from lanner.stats.resample import Array
from property_examples import examples


def test_every_pair_once_and_missing_stays_missing() -> None:
    found = PairGrid.of(3).differences(np.array([[1.0, np.nan], [4.0, 2.0], [9.0, 5.0]]))
    assert found[:, 0].tolist() == [-3, -8, -5]
    assert np.isnan(found[:, 1]).tolist() == [True, True, False]


def test_segments_count_alike_however_many_pairs_they_have() -> None:
    known = np.array([[True, True, False], [True, False, False]])
    assert weights(known) == pytest.approx(np.array([[0.25, 0.5, 0], [0.25, 0, 0]]))
    means = by_segment(np.array([[1.0, 3, 0], [2.0, 9, 9]]), known)
    assert means[:2].tolist() == [1.5, 3]
    assert np.isnan(means[2])


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
@settings(max_examples=examples(60), deadline=None)
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


def test_pairs_in_the_same_order() -> None:
    assert pairwise_accuracy(np.array([1.0, 2, 3]), np.array([1.0, 3, 2])) == pytest.approx(2 / 3)
    assert pairwise_accuracy(np.array([1.0, 2, np.nan]), np.array([1.0, 3, 2])) == 1


def test_confidence_is_the_share_of_swaps_above() -> None:
    """All 2⁵ swaps of two systems, counted one by one; equal outcomes count half."""
    rng = np.random.default_rng(0)
    scores = rng.integers(0, 3, (3, 5)).astype(float)
    signs = np.array(list(product([-1.0, 1.0], repeat=5)))
    made = confidences(scores, signs)
    for at, (a, b) in enumerate(combinations(range(3), 2)):
        drawn = [float(s @ (scores[a] - scores[b])) for s in signs]
        seen = float((scores[a] - scores[b]).sum())
        assert made.plain[at] == np.mean([d >= seen for d in drawn])
        assert made.mid[at] == np.mean([(d > seen) + (d == seen) / 2 for d in drawn])


def test_soft_accuracy_does_not_depend_on_the_order_of_systems_and_the_original_does() -> None:
    rng = np.random.default_rng(3)
    gold = rng.integers(0, 2, (5, 12)).astype(float)
    scores = rng.integers(0, 2, gold.shape).astype(float)
    signs = swaps(12, 400)
    made = [
        SoftAccuracy(gold[order], signs).of(scores[order])
        for order in (rng.permutation(5) for _ in range(6))
    ]  # fmt: skip
    assert len({round(soft, 9) for soft, _ in made}) == 1
    assert len({round(original, 9) for _, original in made}) > 1


def test_the_original_counts_equal_swaps_whole_and_draws_as_its_authors_do() -> None:
    """One swap at a time, from the generator and seed of the published code."""
    scores = np.random.default_rng(1).integers(0, 3, (3, 7)).astype(float)
    masks = np.random.default_rng(4).random((50, 7), dtype=np.float32).round()
    found = original_confidences(scores, 50)
    for at, (a, b) in enumerate(combinations(range(3), 2)):
        gap = scores[a] - scores[b]
        assert found[at] == np.mean([(2 * mask - 1) @ gap >= gap.sum() for mask in masks])


def test_a_scorer_as_sure_as_gold_is_right_and_a_reversed_one_wrong() -> None:
    gold = np.random.default_rng(4).normal(size=(4, 60)) + np.arange(4)[:, None]
    signs = swaps(60, 300)
    assert SoftAccuracy(gold, signs).of(2 * gold + 5)[0] == 1
    assert SoftAccuracy(gold, signs).of(-gold)[0] < 0.01


def test_cells_missing_in_different_places_stay_aligned() -> None:
    """One system is a little worse everywhere; a missing cell of each must not hide it."""
    base = np.random.default_rng(5).normal(size=80)
    scores = np.stack([base, base - 0.05])
    signs = swaps(80, 500)
    complete = confidences(scores, signs).mid[0]
    scores[0, 3], scores[1, 60] = np.nan, np.nan
    assert complete == confidences(scores, signs).mid[0] == 0
    gold = np.stack([base, base - 1])
    assert SoftAccuracy(gold, signs).of(scores)[0] == 1


TESTS = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}


@pytest.mark.parametrize("kind", ["pearson", "spearman", "kendall"])
def test_pooled_by_item_and_by_system_as_scipy_with_missing_cells(kind: Kind) -> None:
    rng = np.random.default_rng(0)
    gold = rng.integers(0, 4, (5, 12)).astype(float)
    scores = gold + rng.integers(-2, 3, gold.shape)
    gold[rng.random(gold.shape) < 0.1] = np.nan
    scores[rng.random(gold.shape) < 0.1] = np.nan
    gold[:, 3] = 2  # says nothing about its systems

    def one(x: np.ndarray, y: np.ndarray) -> float:
        known = ~np.isnan(x) & ~np.isnan(y)
        x, y = x[known], y[known]
        constant = len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0
        return float("nan") if constant else float(TESTS[kind](x, y).statistic)

    assert correlation(gold, scores, kind) == pytest.approx(one(gold.ravel(), scores.ravel()))
    by_item = np.nanmean([one(x, y) for x, y in zip(gold.T, scores.T, strict=True)])
    by_system = np.nanmean([one(x, y) for x, y in zip(gold, scores, strict=True)])
    assert correlation(gold, scores, kind, "item") == pytest.approx(by_item)
    assert correlation(gold, scores, kind, "system") == pytest.approx(by_system)


def test_nothing_to_correlate_is_undefined() -> None:
    assert np.isnan(correlation(np.ones((2, 3)), np.eye(2, 3)))

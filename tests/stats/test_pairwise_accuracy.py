from itertools import combinations, product

import numpy as np
import pytest

from lanner.stats.pairwise_accuracy import (
    SoftAccuracy,
    confidences,
    original_confidences,
    pairwise_accuracy,
    swaps,
)


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

from itertools import product

import numpy as np
import pytest

from lanner.stats.gold_correlation import correlation
from lanner.stats.pairwise_accuracy import confidences, pairwise_accuracy, swaps
from lanner.stats.resample import generator
from lanner.stats.swap_tests import (
    kendall_tests,
    pearson_tests,
    soft_accuracy_tests,
    system_accuracy_tests,
    where_whole,
)
from stats.test_scorer_comparison import scorers


def test_perm_both_is_its_definition() -> None:
    """Swap standardised scores by the same random masks, one pair and one swap at a time."""
    gold, tables = scorers(3, segments=6)
    k = 40
    found = pearson_tests(gold, tables, k=k, seed=5)

    masks = generator(5, 13).integers(0, 2, (k, gold.size)).astype(bool)
    flat = [((t - t.mean()) / t.std()).ravel() for t in tables]
    for a, b in product(range(3), repeat=2):
        if a == b:
            continue
        x, y, g = flat[a], flat[b], gold.ravel()
        seen = np.corrcoef(x, g)[0, 1] - np.corrcoef(y, g)[0, 1]
        drawn = [
            np.corrcoef(np.where(m, x, y), g)[0, 1] - np.corrcoef(np.where(m, y, x), g)[0, 1] for m in masks
        ]  # fmt: skip
        assert found[a, b] == pytest.approx((1 + np.sum(np.array(drawn) >= seen - 1e-12)) / (1 + k))


def test_system_accuracy_is_tested_by_swapping_systems() -> None:
    """The same masks, one pair of scorers and one swap at a time."""
    rng = np.random.default_rng(6)
    gold, k = rng.normal(size=7), 30
    tables = [gold + rng.normal(0, noise, 7) for noise in (0.2, 1, 3)]
    found = system_accuracy_tests(gold, tables, k=k, seed=2)
    masks = generator(2, 13).integers(0, 2, (k, 7)).astype(bool)
    flat = [(t - t.mean()) / t.std() for t in tables]
    for a, b in product(range(3), repeat=2):
        if a != b:
            x, y = flat[a], flat[b]
            seen = pairwise_accuracy(gold, x) - pairwise_accuracy(gold, y)
            drawn = [
                pairwise_accuracy(gold, np.where(m, x, y)) - pairwise_accuracy(gold, np.where(m, y, x)) for m in masks
            ]
            assert found[a, b] == pytest.approx((1 + np.sum(np.array(drawn) >= seen - 1e-12)) / (1 + k))


def test_a_better_scorer_is_shown_to_be_better() -> None:
    gold, tables = scorers(4, segments=60)
    assert correlation(gold, tables[0]) > correlation(gold, tables[2])
    assert pearson_tests(gold, tables, k=200)[0, 2] < 0.02


def by_definition(gold, tables, masks, statistic):
    """p of every ordered pair, one pair and one mask at a time."""
    flat = [(t - np.nanmean(t)) / np.nanstd(t) for t in tables]
    ps = np.ones((len(tables), len(tables)))
    for a, b in product(range(len(tables)), repeat=2):
        if a != b:
            x, y = flat[a], flat[b]
            seen = statistic(gold, x) - statistic(gold, y)
            drawn = [statistic(gold, np.where(m, x, y)) - statistic(gold, np.where(m, y, x)) for m in masks]
            ps[a, b] = (1 + np.sum(np.array(drawn) >= seen - 1e-7)) / (1 + len(masks))
    return ps


@pytest.mark.parametrize("ties", [False, True])
def test_item_kendall_is_its_definition(ties: bool) -> None:
    gold, tables = scorers(7, systems=4, segments=5)
    if ties:
        tables = [table.round() for table in tables]
    gold[:, 2] = 1.0  # a segment without an order in gold takes no part
    gold[1, 3] = np.nan
    k, rng = 30, generator(3, 13)
    masks = np.zeros((k, 4, 5), bool)
    for segment in (0, 1, 3, 4):
        masks[:, :, segment] = rng.integers(0, 2, (k, 4))

    def tau(truth, scores):
        return correlation(truth, scores, "kendall", "item")

    tables = [np.where(np.isnan(gold), np.nan, table) for table in tables]
    assert kendall_tests(gold, tables, k=k, seed=3) == pytest.approx(by_definition(gold, tables, masks, tau))


def test_soft_accuracy_is_its_definition() -> None:
    gold, tables = scorers(8, systems=4, segments=12)
    tables[1] = tables[1].round()
    k, rng, flips = 25, generator(1, 13), swaps(12, 64, 1)
    masks = [rng.integers(0, 2, (4, 12)).astype(bool) for _ in range(k)]

    def soft(truth, scores):
        return 1 - np.abs(confidences(truth, flips).mid - confidences(scores, flips).mid).mean()

    found = soft_accuracy_tests(gold, tables, k=k, signs=64, seed=1)
    assert found == pytest.approx(by_definition(gold, tables, masks, soft))


def test_a_scorer_with_gaps_does_not_change_the_others() -> None:
    gold, tables = scorers(9, segments=30)
    gappy = tables[1].copy()
    gappy[0, :20] = np.nan
    found = where_whole(gold, [tables[0], gappy, tables[2]], lambda g, t: kendall_tests(g, t, k=50))
    assert found[0, 2] == kendall_tests(gold, [tables[0], tables[2]], k=50)[0, 1]
    shared = np.where(np.isnan(gappy), np.nan, gold)
    assert found[1, 2] == kendall_tests(shared, [gappy, np.where(np.isnan(gappy), np.nan, tables[2])], k=50)[0, 1]


def test_a_scorer_that_shares_no_whole_segment_has_no_soft_test() -> None:
    gold, tables = scorers(10, segments=6)
    tables[0][0] = np.nan
    assert np.isnan(soft_accuracy_tests(gold, tables, k=5)).all()

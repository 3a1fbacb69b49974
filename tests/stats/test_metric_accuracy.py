""""""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.stats import t as student

from lanner.stats.metric_accuracy import (
    CalibratedAccuracy,
    Kind,
    PairGrid,
    SoftAccuracy,
    accuracy_test,
    accuracy_tests,
    accuracy_tests_by_document,
    by_segment,
    calibrated,
    chance,
    confidences,
    correlation,
    cross_validated,
    document_tests,
    kendall_tests,
    original_confidences,
    pairwise_accuracy,
    pearson_tests,
    pearson_without_each,
    rank_groups,
    soft_accuracy_tests,
    swaps,
    system_accuracy_tests,
    weights,
    where_whole,
    williams,
)
from lanner.stats.resample import Array, generator
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


def scorers(seed: int = 0, systems: int = 4, segments: int = 3) -> tuple[np.ndarray, list[np.ndarray]]:
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, 4, (systems, segments)).astype(float)
    return gold, [gold + rng.normal(0, noise, gold.shape) for noise in (0.3, 1.5, 4)]


def test_the_exact_test_is_all_swaps_counted() -> None:
    gold, (good, _, bad) = scorers()
    one, two = calibrated(gold, good), calibrated(gold, bad)
    gap = (one.correct.astype(int) - two.correct.astype(int))[one.known]
    gap = gap[gap != 0]
    reached = [np.dot(signs, np.abs(gap)) >= gap.sum() for signs in product([-1, 1], repeat=len(gap))]
    assert accuracy_test(one, two) == pytest.approx(np.mean(reached))


def test_segments_with_fewer_pairs_weigh_more_per_pair() -> None:
    gold, (good, _, bad) = scorers(1)
    bad[0, 0] = np.nan
    one, two = calibrated(gold, good), calibrated(gold, bad)
    both = one.known & two.known
    weight = np.broadcast_to(1 / both.sum(axis=0), both.shape)[both]
    gap = (one.correct.astype(int) - two.correct.astype(int))[both] * weight
    gap = gap[gap != 0]
    signs = np.array(list(product([-1, 1], repeat=len(gap))))
    exact = np.mean(signs @ np.abs(gap) >= gap.sum() - 1e-9)
    assert accuracy_test(one, two) == pytest.approx(exact, abs=0.015)


def test_p_of_drawn_masks_counts_the_difference_itself_among_them() -> None:
    """A perfect scorer against one that is always wrong, on so much data that no draw reaches the difference: p is one
    over the draws and one. The other way round every draw reaches it: p is 1."""
    rng = np.random.default_rng(4)
    gold = rng.permutation(240).reshape(8, 30).astype(float)
    right, wrong = gold, -gold
    for test in (pearson_tests, lambda g, tables, k: kendall_tests(g, tables, k=k)):
        ps = test(gold, [right, wrong], k=99)
        assert ps[0, 1] == pytest.approx(1 / 100, abs=1e-12)
        assert ps[1, 0] == 1
    systems = np.arange(60.0)
    ps = system_accuracy_tests(systems, [systems, -systems], k=99)
    assert (ps[0, 1], ps[1, 0]) == (pytest.approx(1 / 100, abs=1e-12), 1)
    missing = gold.copy()
    missing[0, 0] = np.nan  # segments of two sizes: their weights differ, so that swaps are drawn and not counted out
    better, worse = calibrated(gold, np.where(np.isnan(missing), np.nan, right)), calibrated(gold, wrong)
    assert accuracy_test(better, worse) == pytest.approx(1 / 20_001, abs=1e-12)


def test_p_of_drawn_documents_counts_the_difference_itself_among_them() -> None:
    """The same with whole documents swapped: no draw of 30 documents keeps them all."""
    gold = np.random.default_rng(4).permutation(240).reshape(8, 30).astype(float)
    ps = document_tests("segment_pearson", gold, [gold, -gold], np.arange(30), k=99)
    assert (ps[0, 1], ps[1, 0]) == (pytest.approx(1 / 100, abs=1e-12), 1)


def test_draws_that_reach_just_the_difference_count() -> None:
    """So few cells that the draws meet the data themselves again and again: p is near that of all 2ⁿ masks, and would
    lie an eighth or a quarter lower if they did not count."""
    gold, good, bad = np.array([[1.0, 2.0, 5.0]]), np.array([[1.0, 3.0, 4.0]]), np.array([[5.0, 1.0, 2.0]])
    one, two = (((table - table.mean()) / table.std())[0] for table in (good, bad))

    def gap(first: Array, second: Array) -> float:
        return float(np.corrcoef(first, gold[0])[0, 1] - np.corrcoef(second, gold[0])[0, 1])

    masks = [np.array(mask) for mask in product([True, False], repeat=3)]
    reached = [gap(np.where(mask, one, two), np.where(mask, two, one)) >= gap(one, two) - 1e-9 for mask in masks]
    assert pearson_tests(gold, [good, bad], k=20_000)[0, 1] == pytest.approx(np.mean(reached), abs=0.015)
    known = np.array([[True, True], [True, False]])  # two pairs in one segment, one in the other
    right = CalibratedAccuracy(1.0, 0.0, known, known, weights(known))
    wrong = CalibratedAccuracy(0.0, 0.0, known & False, known, weights(known))
    assert accuracy_test(right, wrong) == pytest.approx(1 / 8, abs=0.01), "only the data themselves reach ½ + ½ + 1"


@pytest.mark.parametrize("holes", [False, True])
def test_all_pairs_at_once_are_each_pair_alone(holes: bool) -> None:
    gold, tables = scorers(2, segments=8)
    if holes:
        tables[1][2, 3] = np.nan
    made = [calibrated(gold, table) for table in tables]
    ps = accuracy_tests(made)
    for a, b in product(range(3), repeat=2):
        assert ps[a, b] == pytest.approx(1.0 if a == b else accuracy_test(made[a], made[b]))


def test_williams_is_one_sided_and_antisymmetric() -> None:
    """t = (.5 − .3)·√(102·1.4 / (2·102/100·.74 + .16·.216)) for n = 103, r between .4."""
    p = williams(0.5, 0.3, 0.4, 103)
    assert williams(0.3, 0.5, 0.4, 103) == pytest.approx(1 - p)
    assert williams(0.4, 0.4, 0.2, 50) == pytest.approx(0.5)

    determinant = 1 - 0.25 - 0.09 - 0.16 + 2 * 0.5 * 0.3 * 0.4
    t = 0.2 * np.sqrt(102 * 1.4 / (2 * 102 / 100 * determinant + 0.4**2 * 0.6**3))
    assert p == pytest.approx(student.sf(t, 100))


def test_groups_end_where_a_member_beats_the_next() -> None:
    ps = np.ones((4, 4))
    ps[0, 2] = ps[2, 3] = 0.01
    assert rank_groups([0.9, 0.8, 0.7, 0.6], ps) == [1, 1, 2, 3]
    assert rank_groups([0.6, 0.9], np.ones((2, 2))) == [1, 1]
    assert rank_groups([0.9, 0.6], np.full((2, 2), 0.05)) == [1, 1], "significant is below 5 %"


DOCUMENT = np.repeat(np.arange(6), [3, 1, 2, 4, 1, 3])


def swapped_by_document(gold, tables, statistic):
    """All 64 swaps of six documents, one pair of scorers at a time."""
    flat = [(t - t.mean()) / t.std() for t in tables]
    ps = np.ones((len(tables), len(tables)))
    for a, b in product(range(len(tables)), repeat=2):
        if a != b:
            x, y = flat[a], flat[b]
            seen = statistic(gold, x) - statistic(gold, y)
            drawn = []
            for swap in product([False, True], repeat=6):
                mask = np.array(swap)[DOCUMENT]
                drawn.append(statistic(gold, np.where(mask, x, y)) - statistic(gold, np.where(mask, y, x)))
            ps[a, b] = np.mean(np.array(drawn) >= seen - 1e-9)
    return ps


STATISTICS = {
    "segment_pearson": lambda g, s: np.corrcoef(g.ravel(), s.ravel())[0, 1],
    "item_kendall": lambda g, s: correlation(g, s, "kendall", "item"),
    "sys_pairwise_accuracy": lambda g, s: pairwise_accuracy(g.mean(axis=1), s.mean(axis=1)),
    "sys_pearson": lambda g, s: np.corrcoef(g.mean(axis=1), s.mean(axis=1))[0, 1],
}


@pytest.mark.parametrize("name", STATISTICS)
def test_swapping_documents_is_its_definition(name: str) -> None:
    gold, tables = scorers(11, systems=5, segments=len(DOCUMENT))
    found = document_tests(name, gold, tables, DOCUMENT, k=1000)
    assert found == pytest.approx(swapped_by_document(gold, tables, STATISTICS[name]))


def test_swapping_documents_of_acc_eq_keeps_each_threshold() -> None:
    gold, tables = scorers(12, systems=4, segments=len(DOCUMENT))
    made = [calibrated(gold, table) for table in tables]
    found = accuracy_tests_by_document(made, DOCUMENT, k=1000)
    for a, b in product(range(3), repeat=2):
        if a == b:
            continue
        gap = (made[a].correct.astype(float) - made[b].correct).mean(axis=0)
        parts = np.array([gap[d == DOCUMENT].sum() for d in range(6)])
        drawn = [np.dot(signs, parts) for signs in product([-1, 1], repeat=6)]
        assert found[a, b] == pytest.approx(np.mean(np.array(drawn) >= parts.sum() - 1e-9))


def test_correlations_apart_is_a_t_test_over_documents_left_out() -> None:
    gold, tables = scorers(13, segments=len(DOCUMENT))
    found = document_tests("williams", gold, tables, DOCUMENT)
    values = []
    for table in (tables[0], tables[1]):
        whole = pearson_without_each(gold, table, DOCUMENT)
        assert whole[0] == pytest.approx(np.corrcoef(gold.ravel(), table.ravel())[0, 1])
        for d in range(6):
            kept = d != DOCUMENT
            assert whole[1 + d] == pytest.approx(np.corrcoef(gold[:, kept].ravel(), table[:, kept].ravel())[0, 1])
        values.append(whole)
    gaps = values[0] - values[1]
    error = np.sqrt(5 / 6 * ((gaps[1:] - gaps[1:].mean()) ** 2).sum())
    assert found[0, 1] == pytest.approx(student.sf(gaps[0] / error, 5))
    assert found[1, 0] == pytest.approx(1 - found[0, 1])


ALL = ("acc_eq", "spa", "sys_pairwise_accuracy", "sys_pearson", "segment_pearson", "item_kendall", "williams")


@pytest.mark.parametrize("name", ALL)
def test_undefined_is_never_significant(name: str) -> None:
    gold, tables = scorers(14, segments=len(DOCUMENT))
    constant = np.ones_like(gold)
    first, second = tables[0].copy(), tables[1].copy()
    first[:, 7:] = np.nan
    second[:, :7] = np.nan
    for pair in ([constant, tables[0]], [first, second], [np.full_like(gold, np.nan), tables[0]]):
        ps = document_tests(name, gold, pair, DOCUMENT)
        if name in ("acc_eq", "spa") and pair[0] is constant:  # ties are an order too: these are defined
            assert ps[0, 1] > 0.05
        else:
            assert np.isnan(ps[0, 1])
            assert np.isnan(ps[1, 0])
    few = np.zeros(len(DOCUMENT), int)
    few[7:] = 1
    assert np.isnan(document_tests(name, gold, tables, few)[0, 1])


@pytest.mark.parametrize("test", [pearson_tests, kendall_tests])
def test_undefined_is_never_significant_cell_by_cell(test) -> None:
    gold, tables = scorers(15, segments=20)
    assert np.isnan(test(gold, [np.ones_like(gold), tables[0]], k=50)[[0, 1], [1, 0]]).all()
    first, second = tables[0].copy(), tables[1].copy()
    first[:, 10:] = np.nan
    second[:, :10] = np.nan
    assert np.isnan(where_whole(gold, [first, second], lambda g, t: test(g, t, k=50))[0, 1])

from itertools import product

import numpy as np
import pytest
from scipy.stats import t as student

from lanner.stats.scorer_comparison import (
    accuracy_test,
    accuracy_tests,
    rank_groups,
    williams,
)
from lanner.stats.tie_accuracy import calibrated


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

import numpy as np
import pytest

from lanner.stats.item_pairs import PairGrid, by_segment, weights


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

from __future__ import annotations

import numpy as np

from lanner.stats.sets import incidence, jaccard_distance, jaccard_similarity, masi_distance, overlaps

SETS = (frozenset(), frozenset("ab"), frozenset("a"), frozenset("bc"), frozenset("d"))


def test_incidence_names_every_label_once():
    table, labels = incidence(SETS)
    assert labels == ("a", "b", "c", "d")
    assert table[1].tolist() == [1, 1, 0, 0]
    shared, size = overlaps(SETS)
    assert size.tolist() == [0, 2, 1, 2, 1]
    assert shared[1, 3] == 1


def test_distances_by_hand():
    jaccard, masi = jaccard_distance(SETS), masi_distance(SETS)
    assert np.allclose(np.diag(jaccard), 0)
    assert np.allclose(np.diag(masi), 0)
    assert jaccard[1, 2] == 0.5
    assert np.isclose(masi[1, 2], 1 - 2 / 3 * 1 / 2)
    assert np.isclose(masi[1, 3], 1 - 1 / 3 * 1 / 3)
    assert masi[1, 4] == jaccard[1, 4] == 1
    assert masi[0, 1] == jaccard[0, 1] == 1


def test_nothing_and_nothing_are_the_same():
    assert jaccard_similarity((frozenset(), frozenset())).tolist() == [[1, 1], [1, 1]]
    assert incidence(())[0].shape == (0, 0)

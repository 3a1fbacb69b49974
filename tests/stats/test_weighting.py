from __future__ import annotations

import numpy as np
import pytest

from lanner.errors import StatisticError
from lanner.stats.selection import ratings
from lanner.stats.weighting import agreement_weights, check_order, describe
from rated import table

SCALE = ratings(table([[1, 2, 5]], "score"))


def test_weights_on_the_points_of_the_scale():
    assert np.allclose(agreement_weights(SCALE, "linear"), [[1, 0.75, 0], [0.75, 1, 0.25], [0, 0.25, 1]])
    assert np.allclose(agreement_weights(SCALE, "quadratic")[0], [1, 1 - 1 / 16, 0])
    assert np.array_equal(agreement_weights(SCALE, None), np.eye(3))
    one = ratings(table([[4, 4]], "score"))
    assert agreement_weights(one, "linear").tolist() == [[1]]


@pytest.mark.parametrize(
    ("weights", "what"),
    [
        ([[1, 0], [0, 1]], "2 × 2, but there are 3 labels"),
        ([[1, 0.5, 0], [0, 1, 0], [0, 0, 1]], "symmetric"),
        ([[1, 0, 0], [0, 0.9, 0], [0, 0, 1]], "1 on the diagonal"),
        ("lineal", "Did you mean 'linear'"),
    ],
)
def test_weights_that_make_no_sense(weights, what):
    with pytest.raises(StatisticError, match=what):
        agreement_weights(SCALE, weights)


def test_order_is_asked_for_by_name():
    with pytest.raises(StatisticError, match="in the data are: a, b"):
        check_order(ratings(table([["a", "b"]])), "linear")
    assert check_order(SCALE, "linear") is None
    assert [describe(w) for w in (None, "linear", [[1]])] == ["", "linear", "given"]

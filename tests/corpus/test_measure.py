from __future__ import annotations

import pytest

from lanner.corpus.measure import Scores, borders, compare, joint_borders


def test_borders_count_characters_and_not_spaces():
    assert borders(["a b.", " c", "d"]) == borders(["ab.", "c ", "d"]) == [3, 4]
    assert borders(["whole"]) == []
    assert joint_borders([("ab", "x"), ("c", "yz")]) == [(2, 1)]


def test_scores():
    total = compare({1, 2, 3}, {2, 3, 4, 5}) + Scores()
    assert total == Scores(right=2, wrong=1, missed=2)
    assert (total.precision, total.recall, total.f1) == pytest.approx((2 / 3, 1 / 2, 4 / 7))
    assert Scores().f1 == 0.0

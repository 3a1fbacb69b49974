from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from lanner.errors import StatisticError
from lanner.stats.ratings import Patterns, Ratings
from lanner.stats.selection import ratings as select
from rated import items, ratings, table

JUDGES = [["b", "a", None, "a"], ["a", "a", "b", None], ["a", None, "b", None]]


def test_slots_fill_from_the_left_and_know_their_judges():
    rated = select(table(JUDGES))
    codes, judges, answered = rated.slots
    assert codes.tolist() == [[1, 0, 0], [0, 0, -1], [1, 1, -1], [0, -1, -1]]
    assert judges.tolist() == [[0, 1, 2], [0, 1, -1], [1, 2, -1], [0, -1, -1]]
    assert answered.tolist() == [0, 1, 2, 3]
    assert rated.missing == pytest.approx(4 / 12)
    assert rated.matrix()[2].tolist() == [-1, 1, 1]


@settings(max_examples=30, deadline=None)
@given(ratings())
def test_a_matrix_is_the_same_as_its_table(judges):
    matrix = np.array([[np.nan if v is None else v for v in row] for row in judges], dtype=float).T
    direct, tabled = Ratings.from_matrix(matrix), select(table(judges, "score"))
    assert direct.matrix()[:, sorted({int(j[1:]) for j in tabled.judges})].tolist() == tabled.matrix().tolist()
    assert direct.points.tolist() == tabled.points.tolist()


def test_a_matrix_of_places_among_labels():
    rated = Ratings.from_matrix([[0, 2], [1, np.nan]], labels=["a", "b", "c"], documents=["y", "x"], judges=["p", "q"])
    assert rated.matrix().tolist() == [[0, 2], [1, -1]]
    assert (rated.documents, rated.document.tolist()) == (("x", "y"), [1, 0])
    assert not rated.ordered
    assert rated.items["document"].to_list() == ["y", "x"]


def test_pairs_are_every_two_answers_to_an_item():
    rated = select(table(JUDGES))
    pairs = rated.pairs
    found = {
        (rated.judges[a], rated.judges[b], int(item), int(x), int(y))
        for (a, b), item, x, y in zip(pairs.who[pairs.pair], pairs.item, pairs.first, pairs.second, strict=True)
    }
    assert found == {
        ("j0", "j1", 0, 1, 0), ("j0", "j2", 0, 1, 0), ("j1", "j2", 0, 0, 0),
        ("j0", "j1", 1, 0, 0), ("j1", "j2", 2, 1, 1),
    }  # fmt: skip


@settings(max_examples=40, deadline=None)
@given(ratings())
def test_patterns_are_the_items_without_their_names(judges):
    rated = select(table(judges, "score"))
    patterns = rated.patterns
    spelled = [
        sorted(rated.points[code] for code in row if code >= 0)
        for row, times in zip(patterns.codes, patterns.count, strict=True)
        for _ in range(int(times))
    ]
    assert sorted(spelled) == sorted(sorted(item) for item in items(judges))
    assert patterns.by_document.sum(axis=0).tolist() == patterns.count.tolist()
    if len(rated.item):
        counts = patterns.label_counts(len(rated.labels))
        assert (counts.sum(axis=1) == patterns.size).all()
        unequal = 1 - np.eye(len(rated.labels))
        total = patterns.size**2 - (counts**2).sum(axis=1)
        assert np.allclose(patterns.pair_total(unequal), total)


def test_patterns_of_many_judges_take_the_long_way_to_the_same_end():
    rng = np.random.default_rng(0)
    codes = -np.sort(-rng.integers(-1, 3, (50, 4)), axis=1).astype(np.int32)
    wide = np.concatenate([codes, np.full((50, 400), -1, np.int32)], axis=1)
    places = np.arange(50, dtype=np.int32) % 5
    short, long, longest = (Patterns.of(given, places, 5, q) for given, q in ((codes, 3), (wide, 3), (wide, 30)))
    counted = [
        {tuple(row[:4]): count for row, count in zip(found.codes.tolist(), found.count, strict=True)}
        for found in (short, long, longest)
    ]
    assert counted[0] == counted[1] == counted[2]
    each = Patterns.of(codes, places, 5, 10**6)
    assert each.codes.tolist() == codes.tolist()


def test_choosing_judges_keeps_their_order():
    rated = select(table(JUDGES)).only(["j2", "j0"])
    assert rated.judges == ("j2", "j0")
    assert rated.matrix().tolist() == [[0, 1], [-1, 0], [1, -1], [-1, 0]]
    assert rated.without("j2").judges == ("j0",)
    with pytest.raises(StatisticError, match="no judge 'j9'"):
        rated.only(["j9"])

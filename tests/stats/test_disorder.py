from __future__ import annotations

import json
from functools import cache
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lanner.stats.disorder import Units, Weighing, disorder

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "gamma.json").read_text(encoding="utf-8"))
WORKED = {  # the example that the authors' own software comes with
    "Alex": [(2, 9, 1), (11, 17, 2), (24, 30, 5), (32, 36, 6), (36, 44, 6), (44, 60, 7)],
    "Paul": [(2, 9, 1), (11, 17, 3), (19, 25, 5), (32, 44, 6)],
    "Suzan": [(2, 9, 1), (11, 17, 4), (21, 27, 5), (32, 36, 6), (36, 40, 6), (40, 44, 6)],
}


def test_the_worked_example_of_three_judges():
    judges = [Units.of(spans) for spans in WORKED.values()]
    assert disorder(judges, Weighing(3, 1)) / (16 / 3) == pytest.approx(0.960625)


@pytest.mark.parametrize("case", GOLDEN)
def test_the_disorder_is_that_of_the_other_implementation(case):
    judges = [Units.of([(s, e, "abc".index(name)) for s, e, name in mine]) for mine in case["units"]]
    weighing = Weighing(case["position"], case["category"])
    mean_units = sum(map(len, judges)) / len(judges)
    assert disorder(judges, weighing) / mean_units == pytest.approx(case["disorder"], rel=1e-5)


def by_definition(judges, weighing):
    """The least disorder of all partitions of the units into unitary alignments, one by one."""
    n = len(judges)
    pairs = list(combinations(range(n), 2))
    apart = {(a, b): weighing.apart(judges[a], judges[b]) for a, b in pairs}

    def of_one(chosen):
        both = [(a, b) for a, b in pairs if chosen[a] is not None and chosen[b] is not None]
        return (sum(apart[a, b][chosen[a], chosen[b]] for a, b in both) + len(pairs) - len(both)) / len(pairs)

    @cache
    def least(left):
        first = next(((j, units[0]) for j, units in enumerate(left) if units), None)
        if first is None:
            return 0.0
        judge, unit = first
        ways = [[unit] if j == judge else [None, *left[j]] for j in range(n)]
        return min(
            of_one(chosen)
            + least(tuple(tuple(u for u in units if u != c) for units, c in zip(left, chosen, strict=True)))
            for chosen in product(*ways)
        )

    return least(tuple(tuple(range(len(one))) for one in judges))


spans_of_one = st.lists(st.tuples(st.integers(0, 12), st.integers(1, 6), st.integers(0, 1)), max_size=2)


@settings(max_examples=30, deadline=None)
@given(st.lists(spans_of_one, min_size=2, max_size=4), st.sampled_from([(1, 1), (3, 1), (1, 0), (0.5, 2)]))
def test_the_best_alignment_is_the_best_of_all(given_spans, weights):
    judges = [Units.of([(start, start + size, name) for start, size, name in mine]) for mine in given_spans]
    assert disorder(judges, Weighing(*weights)) == pytest.approx(by_definition(judges, Weighing(*weights)), abs=1e-9)


def test_many_judges_are_compared_two_by_two_on_the_same_footing():
    alone = [Units.of([(100 * at, 100 * at + 5, 0)]) for at in range(6)]
    assert disorder(alone, Weighing()) == pytest.approx(6)
    assert disorder([Units.of([(0, 5, 0)])] * 6, Weighing()) == pytest.approx(0)


def test_turning_starts_over_at_the_end_and_keeps_lengths():
    turned = Units.of([(0, 4, 0), (8, 10, 1)]).turned(5, 10)
    assert turned.start.tolist() == [5, 3]
    assert turned.end.tolist() == [9, 5]
    assert np.array_equal(turned.category, [0, 1])

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lanner.stats.kappa import pairwise
from lanner.stats.overlap import accuracy, jaccard, macro_f1, micro_f1
from lanner.stats.resample import Resampling
from rated import golden, mean, plain_pairs, same, table
from released import data_dir
from released_frames import h_falcon

PLAIN = Resampling(method="none")
SETS = st.frozensets(st.sampled_from("abcd"))


def plain_jaccard(a, b):
    return mean([1.0 if x == y else len(x & y) / len(x | y) for x, y in zip(a, b, strict=True)])


def plain_micro(a, b):
    total = sum(len(x) + len(y) for x, y in zip(a, b, strict=True))
    return 2 * sum(len(x & y) for x, y in zip(a, b, strict=True)) / total if total else math.nan


def plain_macro(a, b):
    found = []
    for label in "abcd":
        given_by = [sum(label in x for x in side) for side in (a, b)]
        if sum(given_by):
            found.append(2 * sum(label in x and label in y for x, y in zip(a, b, strict=True)) / sum(given_by))
    return mean(found)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(SETS, SETS, SETS), min_size=1, max_size=6))
def test_against_the_definitions(rows):
    judges = list(zip(*rows, strict=True))
    data = table(judges, "labels")
    for statistic, plain in ((jaccard, plain_jaccard), (micro_f1, plain_micro), (macro_f1, plain_macro)):
        assert same(statistic(data, resampling=PLAIN).value, plain_pairs(judges, plain)), statistic
    exact = plain_pairs(judges, lambda a, b: mean([x == y for x, y in zip(a, b, strict=True)]))
    assert same(accuracy(data, resampling=PLAIN).value, exact)


@pytest.mark.parametrize(("name", "judges", "values"), golden("sklearn"))
def test_single_labels_against_scikit_learn(name, judges, values):
    data = table(judges)
    for statistic in (micro_f1, macro_f1):
        for result in pairwise(data, of=statistic, resampling=PLAIN):
            key = f"{statistic.name} {result.labels['judge'][1:]} {result.labels['other'][1:]}"
            if key in values:
                assert result.value == pytest.approx(values[key]), key


def test_two_empty_sets_agree_and_f1_of_nothing_is_undefined():
    data = table([["", ""], ["", ""]], "labels")
    assert jaccard(data, resampling=PLAIN).value == 1
    for statistic in (micro_f1, macro_f1):
        assert "neither judge gave any label" in statistic(data).notes[0]


def test_an_empty_set_is_an_answer_and_a_missing_one_is_not():
    data = table([["", "a", None], ["a", "a", "b"]], "labels")
    result = jaccard(data, resampling=PLAIN)
    assert result.value == 0.5
    assert result.counts["items"] == 2
    assert result.missing == pytest.approx(1 / 6)


def test_a_grid_counts_as_the_set_of_its_rows_above_zero():
    rows = [("x", "1", "r1", "high", 3.0), ("x", "1", "r2", "none", 0.0), ("y", "1", "r1", "low", 1.0),
            ("y", "1", "r2", "low", 1.0), ("x", "2", "r1", "none", 0.0), ("y", "2", "r1", "none", 0.0)]  # fmt: skip
    names = ("judge", "item", "row", "label", "score")
    data = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    assert jaccard(data, resampling=PLAIN).value == pytest.approx((0.5 + 1) / 2)


@pytest.mark.data
def test_h_falcon_skills_of_kim_2025():
    """Two judges, 298 sentences: the skills that are not marked irrelevant overlap by .532."""
    result = jaccard(h_falcon(data_dir("h-falcon")), "skills")
    assert round(result.value, 3) == 0.532
    assert result.counts["items"] == 298
    assert result.low < result.value < result.high

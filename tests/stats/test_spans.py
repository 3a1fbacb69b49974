""""""

from __future__ import annotations

import json
import math

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data_set_frames import h_falcon
from data_sets import data_dir
from lanner.errors import InputError, StatisticError
from lanner.stats.coefficients import pairwise
from lanner.stats.resample import Resampling
from lanner.stats.spans import accuracy, jaccard, macro_f1, micro_f1, spans
from property_examples import examples
from rating_tables import golden, mean, plain_pairs, same, table

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


@settings(max_examples=examples(60), deadline=None)
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


def marked(*judges, **more):
    """judges: for each a list of items, each a list of (start, end, severity, category)."""
    rows = [(f"j{j}", f"{i}", items[i]) for j, items in enumerate(judges) for i in range(len(items))]
    names = ("start", "end", "severity", "category")
    texts = [None if v is None else json.dumps([dict(zip(names, s, strict=False)) for s in v]) for *_, v in rows]
    return pl.DataFrame({"judge": [r[0] for r in rows], "item": [r[1] for r in rows], "spans": texts})


def test_characters_by_hand():
    data = marked([[(0, 10)], [(5, 8)], []], [[(5, 15)], [], []])
    result = spans(data, resampling=PLAIN)
    assert result.value == pytest.approx(2 * 5 / (10 + 10 + 3))
    assert "In 1 of 3 comparisons" in result.notes[1]
    assert spans(data, average="items", resampling=PLAIN).value == pytest.approx((0.5 + 0 + 1) / 3)
    assert spans(data, match="touching", resampling=PLAIN).value == pytest.approx(2 / 3)
    assert spans(data, match="exact", resampling=PLAIN).value == 0


def test_severity_is_agreement_in_part():
    data = marked([[(0, 4, "major")]], [[(0, 4, "minor")]])
    assert spans(data, severities="mqm", resampling=PLAIN).value == pytest.approx(2 * 4 / (20 + 4))
    assert spans(data, severities={"major": 2, "minor": 1}, resampling=PLAIN).value == pytest.approx(2 * 4 / (8 + 4))
    with pytest.raises(StatisticError, match="No weight for the severity 'minor'"):
        spans(data, severities={"major": 5})


def test_categories_may_have_to_match():
    data = marked(
        [[(0, 4, "minor", "style"), (6, 8, "minor", "fluency")]],
        [[(0, 4, "minor", "accuracy"), (6, 8, "minor", "fluency")]],
    )
    assert spans(data, resampling=PLAIN).value == 1
    assert spans(data, categories=True, resampling=PLAIN).value == pytest.approx(4 / 12)


def test_overlapping_spans_of_one_judge_count_once():
    data = marked([[(0, 6), (3, 9)]], [[(0, 9)]])
    assert spans(data, resampling=PLAIN).value == 1


def test_marks_for_missing_text_meet_each_other():
    omission = json.dumps([{"side": "target", "missing": True}])
    data = {"judge": ["a", "b", "c"], "item": ["1"] * 3, "spans": [omission, omission, "[]"]}
    assert spans(data, judges=["a", "b"], resampling=PLAIN).value == 1
    assert spans(data, judges=["a", "c"], resampling=PLAIN).value == 0


def test_source_and_target_are_different_places():
    sides = [json.dumps([{"side": side, "start": 0, "end": 5}]) for side in ("source", "target")]
    assert spans({"judge": ["a", "b"], "item": ["1", "1"], "spans": sides}, resampling=PLAIN).value == 0


MARKS = st.lists(
    st.tuples(st.integers(0, 12), st.integers(1, 6), st.sampled_from(["minor", "major"])).map(
        lambda t: (t[0], t[0] + t[1], t[2])
    ),
    max_size=4,
)


@settings(max_examples=examples(80), deadline=None)
@given(st.lists(st.tuples(MARKS, MARKS), min_size=1, max_size=4))
def test_against_characters_one_by_one(items):
    weight = {"minor": 1, "major": 5}

    def heavy(span_list, at):
        return max((weight[s] for a, b, s in span_list if a <= at < b), default=0)

    both = sum(min(heavy(x, at), heavy(y, at)) for x, y in items for at in range(20))
    total = sum(heavy(side, at) for pair in items for side in pair for at in range(20))
    data = marked([x for x, _ in items], [y for _, y in items])
    found = spans(data, severities="mqm", resampling=PLAIN)
    if total == 0:
        assert found.value is None
        assert "neither judge marked anything" in found.notes[0]
    else:
        assert found.value == pytest.approx(2 * both / total)


def test_an_unread_item_is_not_an_empty_one():
    assert spans(marked([[(0, 3)], None], [[(0, 3)], [(1, 2)]]), resampling=PLAIN).counts["items"] == 1


def test_not_json():
    with pytest.raises(InputError, match="not JSON"):
        spans({"judge": ["a", "b"], "item": ["1", "1"], "spans": ["{", "[]"]})
    with pytest.raises(StatisticError, match="do not match by"):
        spans(marked([[]], [[]]), match="words")


def test_a_span_that_was_offered_and_removed_is_no_mark():
    data = pl.DataFrame(
        {
            "judge": ["a", "b"],
            "item": ["1", "1"],
            "spans": [
                '[{"start": 0, "end": 5}, {"start": 7, "end": 9, "origin": "removed"}]',
                '[{"start": 0, "end": 5}]',
            ],
        }
    )
    assert spans(data, resampling=PLAIN).value == 1

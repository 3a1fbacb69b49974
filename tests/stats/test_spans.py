from __future__ import annotations

import json

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lanner.errors import InputError, StatisticError
from lanner.stats.resample import Resampling
from lanner.stats.spans import spans

PLAIN = Resampling(method="none")


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


@settings(max_examples=80, deadline=None)
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

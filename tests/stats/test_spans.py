""""""

from __future__ import annotations

import json
import math
from functools import cache
from itertools import combinations, product
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data_set_frames import h_falcon
from data_sets import data_dir
from lanner.errors import InputError, StatisticError
from lanner.stats.coefficients import accuracy, jaccard, macro_f1, micro_f1, pairwise
from lanner.stats.ratings import ratings
from lanner.stats.resample import Resampling
from lanner.stats.spans import DissimilarityWeights, Units, continua, disorder, gamma, spans
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


@pytest.mark.parametrize("statistic", [spans, gamma])
def test_errors_without_a_place_have_no_agreement_on_where_they_stand(statistic):
    texts = [json.dumps([{"side": "target", "severity": "minor"}]), json.dumps([{"start": 0, "end": 5}])]
    with pytest.raises(StatisticError, match="no place in the text"):
        statistic({"judge": ["a", "b"], "item": ["1", "1"], "spans": texts}, resampling=PLAIN)


@pytest.mark.parametrize("statistic", [spans, gamma])
def test_one_error_without_a_place_leaves_out_its_answer_and_no_other(statistic):
    mark = json.dumps([{"start": 0, "end": 5}])
    unplaced = json.dumps([{"side": "target", "severity": "minor"}])
    texts = {"a": [mark, mark, "[]", mark, unplaced], "b": [mark, "[]", "[]", mark, mark], "c": [mark] * 5}

    def rows(judges, items):
        return [
            {"judge": judge, "item": str(at), "document": str(at // 2), "spans": texts[judge][at]}
            for judge in judges
            for at in range(items)
        ]

    def value(data):
        return statistic(pl.DataFrame(data), resampling=PLAIN)

    with_it, without = value(rows("ab", 5)), value(rows("ab", 4))
    assert with_it.value == without.value
    assert with_it.counts["items"] == 4
    assert any("(1 of 10)" in note for note in with_it.notes)
    texts["c"] = [unplaced, unplaced, mark, mark, "[]"]
    with_c = value(rows("abc", 5))
    assert (with_c.value, with_c.counts["items"]) == (without.value, 4), "half of what c marked has no place"


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


GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "gamma.json").read_text(encoding="utf-8"))
WORKED = {  # the example that the authors' own software comes with
    "Alex": [(2, 9, 1), (11, 17, 2), (24, 30, 5), (32, 36, 6), (36, 44, 6), (44, 60, 7)],
    "Paul": [(2, 9, 1), (11, 17, 3), (19, 25, 5), (32, 44, 6)],
    "Suzan": [(2, 9, 1), (11, 17, 4), (21, 27, 5), (32, 36, 6), (36, 40, 6), (40, 44, 6)],
}


def test_the_worked_example_of_three_judges():
    judges = [Units.of(spans) for spans in WORKED.values()]
    assert disorder(judges, DissimilarityWeights(3, 1)) / (16 / 3) == pytest.approx(0.960625)


@pytest.mark.parametrize("case", GOLDEN)
def test_the_disorder_is_that_of_the_other_implementation(case):
    judges = [Units.of([(s, e, "abc".index(name)) for s, e, name in mine]) for mine in case["units"]]
    weighing = DissimilarityWeights(case["position"], case["category"])
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


@settings(max_examples=examples(30), deadline=None)
@given(st.lists(spans_of_one, min_size=2, max_size=4), st.sampled_from([(1, 1), (3, 1), (1, 0), (0.5, 2)]))
def test_the_best_alignment_is_the_best_of_all(given_spans, weights):
    judges = [Units.of([(start, start + size, name) for start, size, name in mine]) for mine in given_spans]
    assert disorder(judges, DissimilarityWeights(*weights)) == pytest.approx(
        by_definition(judges, DissimilarityWeights(*weights)), abs=1e-9
    )


def test_many_judges_are_compared_two_by_two_on_the_same_footing():
    alone = [Units.of([(100 * at, 100 * at + 5, 0)]) for at in range(6)]
    assert disorder(alone, DissimilarityWeights()) == pytest.approx(6)
    assert disorder([Units.of([(0, 5, 0)])] * 6, DissimilarityWeights()) == pytest.approx(0)


def test_turning_starts_over_at_the_end_and_keeps_lengths():
    turned = Units.of([(0, 4, 0), (8, 10, 1)]).turned(5, 10)
    assert turned.start.tolist() == [5, 3]
    assert turned.end.tolist() == [9, 5]
    assert np.array_equal(turned.category, [0, 1])


GAMMA_PLAIN = Resampling(method="none")


def gamma_marked(judges, documents=None):
    """judges: for each a list of items, each a list of (start, end, category), or None."""
    rows = [
        {
            "judge": f"j{j}",
            "document": documents[i] if documents else f"d{i}",
            "segment": str(i),
            "spans": None
            if item is None
            else json.dumps([{"start": s, "end": e, "category": c, "severity": "major"} for s, e, c in item]),
        }
        for j, items in enumerate(judges)
        for i, item in enumerate(items)
    ]
    return pl.DataFrame(rows)


@pytest.mark.parametrize("case", GOLDEN)
def test_gamma_is_that_of_the_other_implementation_but_for_chance(case):
    data = gamma_marked([[mine] for mine in case["units"]])
    found = gamma(data, position=case["position"], category=case["category"], samples=30, resampling=GAMMA_PLAIN)
    assert found.value == pytest.approx(case["gamma"], abs=0.06)


def test_the_worked_example_lies_where_its_authors_put_it():
    alex = [(2, 9, "1"), (11, 17, "2"), (24, 30, "5"), (32, 36, "6"), (36, 44, "6"), (44, 60, "7")]
    paul = [(2, 9, "1"), (11, 17, "3"), (19, 25, "5"), (32, 44, "6")]
    suzan = [(2, 9, "1"), (11, 17, "4"), (21, 27, "5"), (32, 36, "6"), (36, 40, "6"), (40, 44, "6")]
    found = gamma(gamma_marked([[alex], [paul], [suzan]]), position=3, samples=60, resampling=GAMMA_PLAIN)
    assert 0.43 <= found.value <= 0.48


def campaign(noise, documents=12, seed=0):
    rng = np.random.default_rng(seed)
    judges = [[], []]
    for _ in range(documents * 3):
        true = [(int(s), int(s) + 8, "ab"[int(rng.integers(2))]) for s in rng.integers(0, 150, 2)]
        for mine in judges:
            moved = rng.integers(-noise, noise + 1, len(true)) if noise else [0] * len(true)
            mine.append(
                [(max(0, s + int(m)), max(0, s + int(m)) + 8, c) for (s, _, c), m in zip(true, moved, strict=True)]
            )
    return gamma_marked(judges, [f"d{i // 3}" for i in range(documents * 3)])


def test_one_for_the_same_marks_about_nothing_for_unrelated_ones():
    assert gamma(campaign(0), resampling=GAMMA_PLAIN).value == pytest.approx(1)
    near, far = (gamma(campaign(noise)) for noise in (2, 120))
    assert 0.6 < near.value < 0.99
    assert abs(far.value) < 0.2
    assert near.low < near.value < near.high
    assert near.counts["documents"] == 12
    assert near.counts["spans"] == 144


def test_the_same_seed_gives_the_same_number_and_the_signature_says_how():
    one, two = (gamma(campaign(5), seed=3) for _ in range(2))
    assert one == two
    assert "chance seed 3" in str(one.signature)
    assert gamma(campaign(5), seed=4).value == pytest.approx(one.value, abs=0.05)


def test_names_count_unless_they_are_not_asked_for():
    data = gamma_marked([[[(0, 9, "a"), (40, 49, "b")]], [[(0, 9, "b"), (40, 49, "a")]]])
    lengths = {("d0", "0"): 200}
    named = gamma(data, lengths=lengths, resampling=GAMMA_PLAIN).value
    assert named < 0.7
    assert gamma(data, by="none", lengths=lengths, resampling=GAMMA_PLAIN).value == 1
    assert gamma(data, by="severity", lengths=lengths, resampling=GAMMA_PLAIN).value == 1


def test_longer_texts_make_chance_agreement_rarer():
    data = campaign(6)
    lengths = {(f"d{i // 3}", str(i)): 2000 for i in range(36)}
    short, long = gamma(data), gamma(data, lengths=lengths)
    assert long.value > short.value
    assert any("lengths" in note for note in short.notes)
    assert not any("lengths" in note for note in long.notes)


def test_items_of_the_same_judges_in_a_document_are_one_text():
    data = gamma_marked([[[(0, 5, "a")], [(0, 3, "a")], None], [[(0, 5, "a")], [], [(1, 2, "a")]]], ["d", "d", "d"])
    (text,) = continua(ratings(data, "", value=("spans",)))
    assert [one.start.tolist() for one in text.judges] == [[0, 5], [0]]
    assert text.length == 8


@pytest.mark.parametrize(
    ("judges", "why"),
    [
        ([[[]], [[]]], "nobody marked anything"),
        ([[[(0, 3, "a")]]], "only one judge"),
        ([[[(0, 3, "a")], None], [None, [(0, 3, "a")]]], "no item was answered by two judges"),
    ],
)
def test_nothing_to_compare_is_said(judges, why):
    found = gamma(gamma_marked(judges))
    assert found.value is None
    assert why in found.notes[0]


def test_a_name_that_spans_do_not_have_is_refused():
    with pytest.raises(StatisticError, match="category"):
        gamma(campaign(0), by="categorie")

""""""

from __future__ import annotations

import json
from functools import cache
from itertools import combinations, product
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lanner.errors import StatisticError
from lanner.stats.gamma import Units, Weighing, continua, disorder, gamma
from lanner.stats.ratings import ratings
from lanner.stats.resample import Resampling
from property_examples import examples

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


@settings(max_examples=examples(30), deadline=None)
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


PLAIN = Resampling(method="none")


def marked(judges, documents=None):
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
    data = marked([[mine] for mine in case["units"]])
    found = gamma(data, position=case["position"], category=case["category"], samples=30, resampling=PLAIN)
    assert found.value == pytest.approx(case["gamma"], abs=0.06)


def test_the_worked_example_lies_where_its_authors_put_it():
    alex = [(2, 9, "1"), (11, 17, "2"), (24, 30, "5"), (32, 36, "6"), (36, 44, "6"), (44, 60, "7")]
    paul = [(2, 9, "1"), (11, 17, "3"), (19, 25, "5"), (32, 44, "6")]
    suzan = [(2, 9, "1"), (11, 17, "4"), (21, 27, "5"), (32, 36, "6"), (36, 40, "6"), (40, 44, "6")]
    found = gamma(marked([[alex], [paul], [suzan]]), position=3, samples=60, resampling=PLAIN)
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
    return marked(judges, [f"d{i // 3}" for i in range(documents * 3)])


def test_one_for_the_same_marks_about_nothing_for_unrelated_ones():
    assert gamma(campaign(0), resampling=PLAIN).value == pytest.approx(1)
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
    data = marked([[[(0, 9, "a"), (40, 49, "b")]], [[(0, 9, "b"), (40, 49, "a")]]])
    lengths = {("d0", "0"): 200}
    named = gamma(data, lengths=lengths, resampling=PLAIN).value
    assert named < 0.7
    assert gamma(data, by="none", lengths=lengths, resampling=PLAIN).value == 1
    assert gamma(data, by="severity", lengths=lengths, resampling=PLAIN).value == 1


def test_longer_texts_make_chance_agreement_rarer():
    data = campaign(6)
    lengths = {(f"d{i // 3}", str(i)): 2000 for i in range(36)}
    short, long = gamma(data), gamma(data, lengths=lengths)
    assert long.value > short.value
    assert any("lengths" in note for note in short.notes)
    assert not any("lengths" in note for note in long.notes)


def test_items_of_the_same_judges_in_a_document_are_one_text():
    data = marked([[[(0, 5, "a")], [(0, 3, "a")], None], [[(0, 5, "a")], [], [(1, 2, "a")]]], ["d", "d", "d"])
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
    found = gamma(marked(judges))
    assert found.value is None
    assert why in found.notes[0]


def test_a_name_that_spans_do_not_have_is_refused():
    with pytest.raises(StatisticError, match="category"):
        gamma(campaign(0), by="categorie")

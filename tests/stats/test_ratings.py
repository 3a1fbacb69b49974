"""What agreement is computed on: answers as integers, whoever gave them, in whichever order outputs were shown."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings

from lanner.errors import StatisticError
from lanner.stats.coefficients import (
    alpha,
    incidence,
    jaccard_distance,
    jaccard_similarity,
    kappa,
    masi_distance,
    overlaps,
    percent,
)
from lanner.stats.ratings import COUNTED, Patterns, Ratings, label_counts, pair_total, ratings
from lanner.stats.resample import Resampling
from property_examples import examples
from rating_tables import items, table
from rating_tables import ratings as any_ratings

JUDGES = [["b", "a", None, "a"], ["a", "a", "b", None], ["a", None, "b", None]]


def test_slots_fill_from_the_left_and_know_their_judges():
    rated = ratings(table(JUDGES))
    codes, judges, answered = rated.slots
    assert codes.tolist() == [[1, 0, 0], [0, 0, -1], [1, 1, -1], [0, -1, -1]]
    assert judges.tolist() == [[0, 1, 2], [0, 1, -1], [1, 2, -1], [0, -1, -1]]
    assert answered.tolist() == [0, 1, 2, 3]
    assert rated.missing == pytest.approx(4 / 12)
    assert rated.matrix()[2].tolist() == [-1, 1, 1]


@settings(max_examples=examples(30), deadline=None)
@given(any_ratings())
def test_a_matrix_is_the_same_as_its_table(judges):
    matrix = np.array([[np.nan if v is None else v for v in row] for row in judges], dtype=float).T
    direct, tabled = Ratings.from_matrix(matrix), ratings(table(judges, "score"))
    assert direct.matrix()[:, sorted({int(j[1:]) for j in tabled.judges})].tolist() == tabled.matrix().tolist()
    assert direct.points.tolist() == tabled.points.tolist()


def test_a_matrix_of_places_among_labels():
    rated = Ratings.from_matrix([[0, 2], [1, np.nan]], labels=["a", "b", "c"], documents=["y", "x"], judges=["p", "q"])
    assert rated.matrix().tolist() == [[0, 2], [1, -1]]
    assert (rated.documents, rated.document.tolist()) == (("x", "y"), [1, 0])
    assert not rated.ordered
    assert rated.items["document"].to_list() == ["y", "x"]


def test_pairs_are_every_two_answers_to_an_item():
    rated = ratings(table(JUDGES))
    pairs = rated.pairs
    found = {
        (rated.judges[a], rated.judges[b], int(item), int(x), int(y))
        for (a, b), item, x, y in zip(pairs.who[pairs.pair], pairs.item, pairs.first, pairs.second, strict=True)
    }
    assert found == {
        ("j0", "j1", 0, 1, 0), ("j0", "j2", 0, 1, 0), ("j1", "j2", 0, 0, 0),
        ("j0", "j1", 1, 0, 0), ("j1", "j2", 2, 1, 1),
    }  # fmt: skip


@settings(max_examples=examples(40), deadline=None)
@given(any_ratings())
def test_patterns_are_the_items_without_their_names(judges):
    rated = ratings(table(judges, "score"))
    patterns = rated.patterns
    spelled = [
        sorted(rated.points[code] for code in row if code >= 0)
        for row, times in zip(patterns.codes, patterns.count, strict=True)
        for _ in range(int(times))
    ]
    assert sorted(spelled) == sorted(sorted(item) for item in items(judges))
    assert patterns.by_document.sum(axis=0).tolist() == patterns.count.tolist()
    if len(rated.item):
        counts = label_counts(patterns.codes, len(rated.labels))
        assert (counts.sum(axis=1) == patterns.size).all()
        unequal = 1 - np.eye(len(rated.labels))
        total = patterns.size**2 - (counts**2).sum(axis=1)
        assert np.allclose(pair_total(patterns.codes, unequal), total)


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
    rated = ratings(table(JUDGES)).only(["j2", "j0"])
    assert rated.judges == ("j2", "j0")
    assert rated.matrix().tolist() == [[0, 1], [-1, 0], [1, -1], [-1, 0]]
    assert rated.without("j2").judges == ("j0",)
    with pytest.raises(StatisticError, match="no judge 'j9'"):
        rated.only(["j9"])


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


PLAIN = Resampling(method="none")


def asked(rows, names):
    return pl.DataFrame(rows, schema=names, orient="row")


def test_one_question_of_several_must_be_named():
    data = asked([("a", "1", "q", "x"), ("a", "1", "r", "y")], ["judge", "item", "question", "label"])
    assert ratings(data, "r").labels == ("y",)
    with pytest.raises(StatisticError, match="several questions"):
        ratings(data)
    with pytest.raises(StatisticError, match="Known: q, r"):
        ratings(data, "something")


def test_items_are_told_apart_by_stage_system_and_row():
    names = ["judge", "document", "segment", "stage", "system", "row", "label"]
    rows = [("a", "d", "1", s, y, r, "x") for s in ("rs", "sc") for y in ("m", "n") for r in ("p", "q")]
    data = asked(rows, names)
    assert ratings(data).n_items == 8
    assert ratings(data, stage="rs", system="m").n_items == 2
    assert ratings(data, row="p").n_items == 4
    assert ratings(data).documents == ("d",)
    with pytest.raises(StatisticError, match="no system 'k'"):
        ratings(data, system="k")


def test_the_latest_of_several_answers_counts_and_is_reported():
    times = [datetime(2026, 1, day, tzinfo=UTC) for day in (3, 1, 2)]
    data = pl.DataFrame({"judge": ["a"] * 3, "item": ["1"] * 3, "label": ["new", "old", "mid"], "answered_at": times})
    rated = ratings(data)
    assert rated.labels == ("new",)
    assert any("2 answers were given again" in note for note in rated.notes)
    plain = ratings(data.drop("answered_at"))
    assert plain.labels == ("mid",)


def test_only_main_items_count_unless_others_are_asked_for():
    data = asked(
        [("a", "1", "main", "x"), ("a", "2", "control", "y"), ("a", "1", "repeat", "z")],
        ["judge", "item", "role", "label"],
    )
    assert ratings(data).labels == ("x",)
    assert ratings(data, roles=["control"]).labels == ("y",)


def test_labels_come_in_the_order_given_and_strangers_are_named():
    data = table([["low", "high"], ["high", "high"]])
    rated = ratings(data, labels=["low", "mid", "high"])
    assert rated.labels == ("low", "mid", "high")
    assert rated.points.tolist() == [0, 1, 2]
    assert rated.ordered
    assert rated.explicit
    assert not ratings(data).ordered
    with pytest.raises(StatisticError, match="which is not among the labels"):
        ratings(data, labels=["lower", "high"])
    with pytest.raises(StatisticError, match="2, which is not a point"):
        ratings(table([[1, 2]], "score"), labels=[1, 3])


def test_options_with_values_bring_their_order():
    data = table([["high", "low"], ["mid", "low"]]).with_columns(
        score=pl.col("label").replace_strict({"low": 1.0, "mid": 2.0, "high": 4.0})
    )
    rated = ratings(data)
    assert rated.labels == ("low", "mid", "high")
    assert rated.points.tolist() == [1, 2, 4]
    assert rated.ordered


def test_outputs_shown_in_different_order_are_the_same_item():
    names = ["judge", "item", "system", "label"]
    data = asked(
        [("x", "1", "s|t", "a"), ("y", "1", "t|s", "b"), ("x", "2", "s|t", "tie"), ("y", "2", "s|t", "b")], names
    )
    rated = ratings(data)
    assert rated.n_items == 2
    assert rated.matrix().tolist() == [[0, 0], [2, 1]]
    named = data.with_columns(label=pl.col("label").replace({"a": "up", "b": "down"}))
    assert ratings(named, sides=("up", "down")).matrix()[0].tolist() == [2, 2]


def test_orders_are_compared_whatever_was_shown_first():
    data = pl.DataFrame(
        {"judge": ["x", "y"], "item": ["1", "1"], "system": ["s|t|u", "u|t|s"], "ranks": [[2, 1, 1], [1, 1, 2]]}
    )
    rated = ratings(data)
    assert rated.labels == ("t = u > s",)
    assert rated.n_items == 1


def test_numbers_that_are_none_are_missing():
    rated = ratings(table([[1, None], [float("nan"), 2]], "score"))
    assert len(rated.item) == 2
    assert rated.scored


def test_an_empty_set_is_not_the_set_of_an_empty_name():
    rated = ratings(table([[[], [""]], [[], []]], "labels"))
    assert rated.sets == (frozenset(), frozenset({""}))
    assert rated.code.tolist() == [0, 0, 1, 0]


def test_ratings_pass_through_and_judges_must_exist():
    rated = ratings(table([["a", "b"], ["a", "a"], ["b", "b"]]))
    assert ratings(rated) is rated
    assert kappa(rated, judges=["j0", "j2"], resampling=PLAIN).counts["judges"] == 2
    with pytest.raises(StatisticError, match="no judge 'ann'"):
        ratings(table([["a"]]), judges=["ann"])


def test_labels_that_were_counted_are_compared_as_sets_unless_numbers_are_asked_for():
    data = pl.DataFrame(
        {
            "judge": ["a", "b"] * 3,
            "document": ["1", "1", "2", "2", "3", "3"],
            "labels": [["x"], ["y"], ["x"], ["x"], ["x", "y"], ["x", "y"]],
            "score": [2.0, 2.0, 1.0, 1.0, 3.0, 2.0],  # how many errors
        }
    )
    same = percent(data)
    assert same.value == pytest.approx(2 / 3)  # of 1 the sets differ, of 3 only the number
    assert COUNTED in same.notes
    assert percent(data, value=["score"]).value == pytest.approx(2 / 3)
    assert percent(data[:4]).value == 0.5
    assert percent(data[:4], value=["score"]).value == 1
    assert alpha(data, level="interval").value == alpha(data, level="interval", value=["score"]).value
    assert kappa(data, weights="quadratic").value == kappa(data, weights="quadratic", value=["score"]).value


@pytest.mark.parametrize("other", ["model", "metric", "adjudicated"])
def test_people_are_not_pooled_with_others_unless_judges_are_named(other: str) -> None:
    people = pl.DataFrame(
        {
            "judge": ["a", "b"] * 4,
            "judge_kind": "person",
            "document": list("11223344"),
            "segment": "1",
            "label": list("xyxxyyxy"),
        }
    )
    machine = people.filter(judge="a").with_columns(judge=pl.lit("m"), judge_kind=pl.lit(other))
    pooled = alpha(pl.concat([people, machine]), resampling=PLAIN)
    assert pooled.value == alpha(people, resampling=PLAIN).value
    assert "not pooled" in " ".join(pooled.notes)
    assert "rows main items by people ·" in f"{pooled.signature} ·"
    named = alpha(pl.concat([people, machine]), judges=["a", "m"], resampling=PLAIN)
    assert named.value == 1.0
    assert "by people and" in str(named.signature)
    assert alpha(machine, resampling=PLAIN).counts["answers"] == 4, "alone they may be looked at"


@pytest.mark.parametrize(("first", "second"), [("a", "b"), ("left", "right"), ("1", "2")])
def test_two_judges_who_saw_the_outputs_in_different_orders_agree_on_the_output(first: str, second: str) -> None:
    rows = [(f"d{n}", "1", "ana", "alder|birch", "q", (first, second, "tie")[n % 3]) for n in range(9)]
    rows += [(f"d{n}", "1", "ben", "birch|alder", "q", (second, first, "tie")[n % 3]) for n in range(9)]
    names = ["document", "segment", "judge", "system", "question", "label"]
    answers = pl.DataFrame(rows, schema=names, orient="row")
    assert percent(answers, "q").value == 1
    # labels that are degrees and no sides stay as they are
    degrees = answers.with_columns(pl.col("label").replace({first: "1", second: "2", "tie": "3"}))
    assert percent(degrees, "q").value == pytest.approx(1 / 3)

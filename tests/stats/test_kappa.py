from __future__ import annotations

import csv
from functools import partial

import polars as pl
import pytest
from hypothesis import given, settings

from lanner.errors import StatisticError
from lanner.stats.alpha import alpha
from lanner.stats.counting import gwet, percent, wmt
from lanner.stats.kappa import kappa, pairwise, scott
from lanner.stats.resample import Resampling
from rated import golden, plain_cohen, plain_pairs, ratings, same, table
from released import data_dir

PLAIN = Resampling(method="none")
LABELS = (1, 2, 3, 4)
COHEN = [["y"] * 25 + ["n"] * 25, ["y"] * 20 + ["n"] * 5 + ["y"] * 10 + ["n"] * 15]


def weight(kind):
    power = {"linear": 1, "quadratic": 2}.get(kind)
    return lambda a, b: float(a == b) if power is None else 1 - (abs(a - b) / 3) ** power


def test_the_textbook_table():
    result = kappa(table(COHEN))
    assert result.value == pytest.approx(0.4)
    analytic = (0.4 - 1.96 * 0.1270, 0.4 + 1.96 * 0.1270)
    assert result.low == pytest.approx(analytic[0], abs=0.06)
    assert result.high == pytest.approx(analytic[1], abs=0.06)
    assert result.counts == {"items": 50, "judges": 2, "documents": 50, "answers": 100}
    assert scott(table(COHEN), resampling=PLAIN).value == pytest.approx(0.3939, abs=5e-5)


def test_weights_of_the_scikit_learn_example():
    data = table([[0] * 46 + [1] * 44 + [2] * 10, [0] * 50 + [1] * 40 + [2] * 10], "score")
    values = [kappa(data, weights=w, resampling=PLAIN).value for w in (None, "linear", "quadratic")]
    assert values == pytest.approx([0.9315, 0.9412, 0.9541], abs=5e-5)


def test_weights_go_by_the_points_of_the_scale_and_not_by_their_number():
    judges = [[1, 2, 5, 2, 1, 5], [2, 2, 5, 1, 1, 2]]
    by_value = kappa(table(judges, "score"), weights="quadratic", resampling=PLAIN).value
    by_place = kappa(table(judges), labels=[1, 2, 5], weights="quadratic", resampling=PLAIN).value
    assert by_value != pytest.approx(by_place)
    stated = kappa(table(judges, "score"), labels=[1, 2, 3, 4, 5], weights="quadratic", resampling=PLAIN).value
    assert stated == pytest.approx(by_value)
    given_table = [[1, 0.9375, 0], [0.9375, 1, 0.4375], [0, 0.4375, 1]]
    assert kappa(table(judges), labels=[1, 2, 5], weights=given_table, resampling=PLAIN).value == pytest.approx(
        by_value
    )


def test_weights_without_an_order_are_refused():
    with pytest.raises(StatisticError, match="need the order"):
        kappa(table(COHEN), weights="linear")


@pytest.mark.parametrize(("name", "judges", "values"), golden("sklearn"))
def test_every_pair_against_scikit_learn(name, judges, values):
    data = table(judges, "score")
    for weights in (None, "linear", "quadratic"):
        for result in pairwise(data, weights=weights, resampling=PLAIN):
            key = f"kappa {weights or 'none'} {result.labels['judge'][1:]} {result.labels['other'][1:]}"
            if key in values:
                assert same(result.value, values[key]), key


@settings(max_examples=60, deadline=None)
@given(ratings())
def test_against_the_definition(judges):
    data = table(judges, "score")
    for kind in (None, "linear", "quadratic"):
        expected = plain_pairs(judges, partial(plain_cohen, labels=LABELS, weight=weight(kind)))
        found = kappa(data, labels=LABELS, weights=kind, resampling=PLAIN).value
        assert same(found, expected), kind


def test_more_judges_give_the_mean_over_pairs():
    judges = [[1, 2, 3, 1], [1, 2, 2, 1], [1, 3, 3, 2]]
    each = pairwise(table(judges), resampling=PLAIN)
    assert [(r.labels["judge"], r.labels["other"]) for r in each] == [("j0", "j1"), ("j0", "j2"), ("j1", "j2")]
    together = kappa(table(judges), resampling=PLAIN)
    assert together.value == pytest.approx(sum(r.value for r in each) / 3)
    assert "mean over 3 pairs" in str(together.signature)


def test_pairs_without_a_value_are_left_out_of_the_mean_and_counted():
    judges = [["a", "a", "b"], ["a", "a", None], ["a", "b", "b"]]
    result = kappa(table(judges), resampling=PLAIN)
    each = {(r.labels["judge"], r.labels["other"]): r for r in pairwise(table(judges), resampling=PLAIN)}
    assert each["j0", "j1"].value is None
    assert "answered 'a' throughout" in each["j0", "j1"].notes[0]
    assert result.value == pytest.approx((each["j0", "j2"].value + each["j1", "j2"].value) / 2)
    assert any("1 of 3 pairs" in note for note in result.notes)


def test_one_constant_judge_agrees_as_chance_would():
    assert kappa(table([["a", "a", "a"], ["a", "b", "a"]]), resampling=PLAIN).value == 0


def test_any_statistic_pair_by_pair_with_its_own_counts():
    judges = [[1, 2, 2, None], [1, 2, 1, 1], [None, None, None, 2]]
    found = pairwise(table(judges), of=gwet, resampling=PLAIN)
    assert [(r.labels["judge"], r.labels["other"], r.counts["items"]) for r in found] == [
        ("j0", "j1", 3),
        ("j1", "j2", 1),
    ]


@pytest.mark.data
def test_laeubli_2018_table_3():
    """Same-label shares and the κ of WMT with symmetric directions; documents E-n and I-n are one article."""
    with (data_dir("parity") / "ratings.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if not row["exp_item_number"].startswith("U")]
    published = {
        ("fluency", "document"): (55, 0.32), ("fluency", "sentence"): (45, 0.13),
        ("adequacy", "document"): (49, 0.13), ("adequacy", "sentence"): (50, 0.14),
    }  # fmt: skip
    for (condition, unit), (share, value) in published.items():
        kept = [row for row in rows if row["condition"] == condition and row["type"] == unit]
        data = {
            "judge": [row["participant_id"] for row in kept],
            "item": [row["exp_item_number"].split("-")[1] for row in kept],
            "label": [row["rating"] for row in kept],
        }
        assert round(100 * percent(data, over="pairs", resampling=PLAIN).value) == share
        assert round(wmt(data, directions=("human", "mt"), resampling=PLAIN).value, 2) == value


def test_pairs_read_the_column_that_is_asked_for_whatever_the_statistic():
    rows = [
        {"question": "q", "document": f"d{at}", "judge": judge, "labels": labels, "score": float(len(labels))}
        for at, both in enumerate([(["x"], ["y"]), (["x"], ["x"]), (["x", "y"], ["y", "z"])])
        for judge, labels in zip("ab", both, strict=True)
    ]
    data = pl.DataFrame(rows)
    for of in (alpha, percent):
        [number] = pairwise(data, "q", of=of, value=["score"], resampling=PLAIN)
        [labels] = pairwise(data, "q", of=of, resampling=PLAIN)
        assert (number.value, labels.value) == (1, of(data, "q", resampling=PLAIN).value)
    [distance] = pairwise(data, "q", of=alpha, level="interval", resampling=PLAIN)
    assert distance.value == 1

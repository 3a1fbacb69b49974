from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lanner.errors import StatisticError
from lanner.stats.alpha import alpha
from lanner.stats.ratings import Ratings
from lanner.stats.resample import Resampling
from property_examples import examples
from rating_tables import golden, plain_alpha, ratings, same, table

PLAIN = Resampling(method="none")


def distance(level):
    def ordinal(a, b, count):
        low, high = sorted((a, b))
        return (sum(n for g, n in count.items() if low <= g <= high) - (count[a] + count[b]) / 2) ** 2 if a != b else 0

    return {
        "nominal": lambda a, b, _: float(a != b),
        "ordinal": ordinal,
        "interval": lambda a, b, _: (a - b) ** 2,
        "ratio": lambda a, b, _: ((a - b) / (a + b)) ** 2,
    }[level]


def test_krippendorff_examples():
    binary = ["0100000010", "1110010000"]
    assert alpha(table(binary), resampling=PLAIN).value == pytest.approx(0.095, abs=5e-4)
    letters = ["aabbdcccedda", "babbbccceddd"]
    assert alpha(table(letters), resampling=PLAIN).value == pytest.approx(0.69196, abs=5e-6)


@pytest.mark.parametrize(("name", "judges", "values"), golden("krippendorff"))
def test_against_krippendorff(name, judges, values):
    for key, expected in values.items():
        found = alpha(table(judges, "score"), level=key.split()[1], resampling=PLAIN)
        assert found.value == pytest.approx(expected, abs=1e-10), key


@settings(max_examples=examples(60), deadline=None)
@given(ratings())
def test_against_the_definition(judges):
    for level in ("nominal", "ordinal", "interval", "ratio"):
        found = alpha(table(judges, "score"), level=level, resampling=PLAIN).value
        assert same(found, plain_alpha(judges, distance(level))), level


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"])
def test_more_judges_than_labels(level):
    """Label by label instead of answer by answer, and the same by the definition."""
    dice = np.random.default_rng(4)
    judges = [[int(dice.integers(1, 4)) if dice.random() < 0.7 else None for _ in range(9)] for _ in range(11)]
    found = alpha(table(judges, "score"), level=level, resampling=PLAIN).value
    assert same(found, plain_alpha(judges, distance(level)))


@settings(max_examples=examples(40), deadline=None)
@given(st.lists(st.tuples(*[st.frozensets(st.sampled_from("abc"))] * 3), min_size=2, max_size=6))
def test_sets_against_the_definition(rows):
    def jaccard(a, b, _count=None):
        return 0.0 if a == b else 1 - len(a & b) / len(a | b)

    def masi(a, b, _count):
        m = 1 if a == b else 2 / 3 if a <= b or b <= a else 1 / 3 if a & b else 0
        return 0.0 if a == b else 1 - m * len(a & b) / len(a | b)

    judges = list(zip(*rows, strict=True))
    data = table(judges, "labels")
    assert same(alpha(data, resampling=PLAIN).value, plain_alpha(judges, jaccard))
    assert same(alpha(data, level="masi", resampling=PLAIN).value, plain_alpha(judges, masi))
    assert same(alpha(data, level="nominal", resampling=PLAIN).value, plain_alpha(judges, distance("nominal")))


def test_sets_of_the_study():
    data = table([["ab", "b", "c"], ["a", "b", "ac"]], "labels")
    assert alpha(data, level="masi", resampling=PLAIN).value == pytest.approx(0.454545, abs=5e-7)
    assert alpha(data, level="jaccard", resampling=PLAIN).value == pytest.approx(0.552239, abs=5e-7)


def test_two_empty_sets_agree_fully():
    assert alpha(table([["", "", "a"], ["", "", "a"]], "labels"), resampling=PLAIN).value == 1


def test_default_level_follows_the_answers():
    assert "level nominal" in str(alpha(table(["ab", "ab"]), resampling=PLAIN).signature)
    assert "level interval" in str(alpha(table([[1, 2], [1, 2]], "score"), resampling=PLAIN).signature)
    assert "level jaccard" in str(alpha(table(["ab", "ab"], "labels"), resampling=PLAIN).signature)


def test_continuous_scores_need_no_table_of_distances():
    rng = np.random.default_rng(0)
    true = rng.normal(size=1000)
    judges = [list(true + rng.normal(size=1000)) for _ in range(5)]
    result = alpha(table(judges, "score"), resampling=Resampling(n=50))
    values = np.array(judges)
    within = values.var(axis=0, ddof=1).mean()
    assert result.value == pytest.approx(1 - within / values.var(ddof=1), abs=1e-10)
    assert result.low < result.value < result.high


def test_ratio_of_too_many_values_says_so():
    judges = [[i + 0.5 for i in range(2100)], [i + 0.25 for i in range(2100)]]
    result = alpha(table(judges, "score"), level="ratio")
    assert result.value is None
    assert "too many" in result.notes[0]


def test_constant_answers_have_a_reason_at_every_level():
    for level in ("nominal", "ordinal", "interval", "ratio"):
        result = alpha(table([[0.1] * 4, [0.1] * 4], "score"), level=level)
        assert result.value is None
        assert "every answer is '0.1'" in result.notes[0]
    assert alpha(table([["ab"] * 3] * 2, "labels")).value is None


def test_levels_that_do_not_fit_are_refused():
    with pytest.raises(StatisticError, match="need the order"):
        alpha(table(["ab", "ab"]), level="ordinal")
    with pytest.raises(StatisticError, match="sets of labels"):
        alpha(table(["ab", "ab"], "labels"), level="interval")
    with pytest.raises(StatisticError, match="Did you mean 'nominal'"):
        alpha(table(["ab", "ab"]), level="nominl")
    with pytest.raises(StatisticError, match="zero or more"):
        alpha(table([[-1, 2], [1, 2]], "score"), level="ratio")


def test_labels_with_an_order_have_distances():
    judges = [["low", "high", "mid"], ["low", "mid", "mid"]]
    numbers = [[1, 3, 2], [1, 2, 2]]
    stated = alpha(table(judges), level="interval", labels=["low", "mid", "high"], resampling=PLAIN).value
    assert stated == pytest.approx(plain_alpha(numbers, distance("interval")))
    assert not math.isnan(stated)


@pytest.mark.parametrize("resampling", [Resampling(n=60, method="percentile"), Resampling(n=60, unit="item")])
def test_ordinal_by_coincidences_and_by_patterns_are_the_same(monkeypatch, resampling):
    rng = np.random.default_rng(2)
    true = rng.integers(0, 6, 300)
    given = np.clip(true[:, None] + rng.integers(-1, 2, (300, 4)), 0, 5).astype(float)
    given[rng.random(given.shape) < 0.3] = np.nan
    rated = Ratings.from_matrix(given, documents=[f"d{i // 10:02}" for i in range(300)])
    found = []
    for tables in (10**9, 0):
        monkeypatch.setattr("lanner.stats.alpha._TABLES", tables)
        found.append(alpha(rated, level="ordinal", resampling=resampling))
    assert found[0].value == pytest.approx(found[1].value, abs=1e-12)
    assert (found[0].low, found[0].high) == pytest.approx((found[1].low, found[1].high), abs=1e-9)
    assert found[0].counts == found[1].counts


def test_many_documents_are_resampled_in_groups_with_the_same_spread(monkeypatch):
    rng = np.random.default_rng(3)
    true = rng.integers(0, 6, 3000)
    given = np.clip(true[:, None] + rng.integers(-2, 3, (3000, 2)), 0, 5).astype(float)
    rated = Ratings.from_matrix(given, documents=[f"d{i:04}" for i in range(3000)])
    plain = alpha(rated, level="ordinal", resampling=Resampling(n=400))
    monkeypatch.setattr("lanner.stats.estimate._WIDE", 2)
    grouped = alpha(rated, level="ordinal", resampling=Resampling(n=400))
    assert grouped.value == pytest.approx(plain.value, abs=1e-12)
    assert grouped.high - grouped.low == pytest.approx(plain.high - plain.low, rel=0.2)
    assert any("1000 groups" in note for note in grouped.notes)

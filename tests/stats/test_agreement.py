from __future__ import annotations

import polars as pl
import pytest

from data_sets import data_dir
from falcon_labels import falcon
from lanner.errors import StatisticError
from lanner.model import Interval, Result
from lanner.stats import agreement
from lanner.stats.agreement import COEFFICIENTS, band, grouped, meaning, overview, reading, scale_of
from lanner.stats.coefficients import alpha, fleiss, kappa, percent
from lanner.stats.resample import Resampling
from rating_tables import table

PLAIN = Resampling(method="none")


def names(results):
    return [result.name for result in results]


def test_the_overview_suits_the_answers():
    labels = overview(table([list("abab"), list("abba"), list("aaab")]), resampling=PLAIN)
    assert names(labels) == ["percent", "kappa", "fleiss", "gwet", "alpha", "prevalence"]
    two = overview(table([list("abab"), list("abba")]), resampling=PLAIN)
    assert names(two) == ["percent", "kappa", "gwet", "alpha", "prevalence"]
    ordered = overview(table([list("abab"), list("abba")]), labels=["b", "a"], resampling=PLAIN)
    assert names(ordered)[-3:] == ["kappa", "kappa", "alpha"]
    scores = overview(table([[1, 2, 3], [1, 3, 3]], "score"), resampling=PLAIN)
    assert names(scores) == ["alpha", "alpha", "kappa", "icc", "icc"]
    sets = overview(table([["ab", "c"], ["a", "c"]], "labels"), resampling=PLAIN)
    assert names(sets) == ["jaccard", "micro_f1", "macro_f1", "accuracy", "alpha", "alpha"]
    marks = {"judge": ["a", "b"], "item": ["1", "1"], "spans": ['[{"start": 0, "end": 2, "severity": "minor"}]'] * 2}
    assert [r.value for r in overview(marks, resampling=PLAIN)] == [1, 1, 1]


def test_every_coefficient_goes_by_its_name():
    for name, statistic in COEFFICIENTS.items():
        assert getattr(agreement, name) is statistic
        assert statistic.name == name
        assert len(statistic.__doc__) > 80


def test_groups_are_named_in_the_labels():
    data = table([list("aabb"), list("aaba")]).with_columns(
        domain=pl.when(pl.col("segment") < "002").then(pl.lit("news")).otherwise(pl.lit("social")), question=pl.lit("q")
    )
    found = grouped([percent, kappa], data, "q", by="domain", resampling=PLAIN)
    assert [(r.labels["domain"], r.name) for r in found] == [
        ("news", "percent"), ("news", "kappa"), ("social", "percent"), ("social", "kappa"),
    ]  # fmt: skip
    assert found[0].value == 1
    assert found[2].value == 0.5
    assert found[1].value is None


def test_a_table_with_nothing_in_it_raises_nothing():
    for kind in ("label", "score", "labels"):
        nothing = table([[None, None], [None, None]], kind)
        for result in overview(nothing):
            assert result.value is None
            assert result.notes


@pytest.mark.parametrize("statistic", COEFFICIENTS.values(), ids=COEFFICIENTS)
@pytest.mark.parametrize(
    "judges",
    [[[1, 2, 3]], [[1], [1]], [[1, None], [None, 2]], [[2, 2, 2], [2, 2, 2]], [[None], [None]], [[1, 2], [2, 1]]],
    ids=["one judge", "one item", "no overlap", "constant", "nothing", "opposite"],
)
def test_hard_cases_give_a_number_or_a_reason_and_never_an_error(statistic, judges):
    data = table(judges, "score")
    if statistic.name == "spans":
        data = data.with_columns(spans=pl.when(pl.col("score").is_not_null()).then(pl.lit("[]")))
    for unit in ("document", "item", "judge", "two-way"):
        result = statistic(data, resampling=Resampling(unit=unit, n=50))
        assert result.signature is not None
        if result.value is None:
            assert result.notes[0].startswith("Undefined: ")
        else:
            assert -50 <= result.value <= 1
            assert result.interval is not None or any(n.startswith("No interval") for n in result.notes)


@pytest.mark.data
def test_the_overview_of_a_real_release_is_complete():
    data = falcon(data_dir("h-falcon"))
    for question in ("context", "skills", "spans"):
        for result in overview(data, question):
            assert result.value is not None
            assert result.low < result.value < result.high
            assert result.counts["documents"] == 38
            assert result.labels["question"] == question
    people = alpha(data, "context", judges=["J1", "J2", "J3"])
    assert people.value > alpha(data, "context").value


@pytest.mark.parametrize(
    ("value", "word"),
    [
        (-0.1, "poor"),
        (0.0, "slight"),
        (0.2, "slight"),
        (0.21, "fair"),
        (0.4995, "moderate"),
        (0.61, "substantial"),
        (1, "almost"),
    ],
)
def test_bands_of_landis_and_koch(value, word):
    assert band(value, "landis_koch").startswith(word)


def test_bands_of_krippendorff_and_an_unknown_scale():
    assert band(0.66, "krippendorff").startswith("too low")
    assert band(0.67, "krippendorff").startswith("enough for tentative")
    assert band(0.8, "krippendorff") == "reliable"
    with pytest.raises(StatisticError, match="Did you mean 'koo_li'"):
        band(0.5, "koo-li")


def test_a_reading_says_what_it_is_where_it_lies_and_what_would_change_it():
    result = Result("kappa", 0.5, Interval(0.35, 0.64), counts={"documents": 8})
    text = reading(result)
    assert text.startswith("κ 0.50: how far judges agree beyond chance")
    assert "Landis & Koch 1977" in text
    assert "moderate as it stands, but with 95% confidence between 0.35 and 0.64: from fair to substantial" in text
    assert "rises when labels that judges confuse are merged" in text
    assert "8 documents; more documents" in text
    same = reading(Result("kappa", 0.5, Interval(0.45, 0.55), counts={"documents": 80}))
    assert "all of it moderate" in same
    assert "more documents" not in same


@pytest.mark.parametrize("documents", [2, 4])
def test_a_narrow_interval_of_few_documents_is_called_neither_high_nor_low(documents):
    """As on the live page and in reports; correlations of few documents, too."""
    for name in ("alpha", "kappa", "Pearson r"):
        few = reading(Result(name, 0.9, Interval(0.88, 0.92), counts={"documents": documents}))
        assert f"{documents} documents are too few to say whether that is high or low" in few
        assert "confidence between 0.88 and 0.92" in few
        enough = reading(Result(name, 0.9, Interval(0.88, 0.92), counts={"documents": 5}))
        assert "On the scale of" in enough and "too few" not in enough


def test_shares_are_percentages_and_absent_values_have_a_reason():
    assert "Agreement 70%" in reading(Result("percent", 0.7, Interval(0.6, 0.8)))
    assert "between 60% and 80%" in reading(Result("percent", 0.7, Interval(0.6, 0.8)))
    assert "no value. Undefined: every answer" in reading(fleiss(table(["aa", "aa"])))
    assert reading(Result("something", 1.25)) == "something 1.25."


def test_every_coefficient_can_be_read():
    for name in COEFFICIENTS:
        text = reading(Result(name, 0.5, Interval(0.4, 0.6)))
        assert ":" in text, name
        assert scale_of(name) is None or "On the scale of" in text


def test_correlations_of_either_sign_and_those_that_may_be_nothing():
    assert "strong" in reading(Result("Pearson r", -0.8, Interval(-0.85, -0.72)))
    assert "no relation at all is possible" in reading(Result("Spearman ρ", 0.1, Interval(-0.2, 0.4)))


def test_the_meaning_without_the_number():
    assert meaning(Result("kappa", 0.5)).startswith("κ is how far judges agree beyond chance")
    assert meaning(Result("something", 1.0)) == ""

""""""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from data_set_frames import h_falcon
from data_sets import data_dir
from lanner.errors import StatisticError
from lanner.stats.regression import blocks, codes, compare_judges, holm, regress, terms
from lanner.stats.resample import Resampling

TABLE = pl.DataFrame(
    {
        "y": [1.0, 2.0, None, 4.0, 5.0],
        "x": [1.0, 3.0, 3.0, 2.0, None],
        "domain": ["news", "art", "art", "talk", "news"],
        "document": ["a", "a", "b", "b", "b"],
        "segment": ["1", "2", "1", "1", "2"],
    }
)


def test_rows_with_a_gap_are_left_out_and_text_becomes_groups():
    y, design = terms(TABLE, "y", ["x", "domain"])
    assert y.tolist() == [1.0, 2.0, 4.0]
    assert design.rows.tolist() == [0, 1, 3]
    assert design.names == ("intercept", "x", "domain=news")  # talk is determined by the rest on three rows
    assert design.matrix.tolist() == [[1, 1, 1], [1, 3, 0], [1, 2, 0]]
    assert "domain=talk" in design.notes[0]


def test_constant_and_repeated_columns_are_left_out():
    table = TABLE.with_columns(one=pl.lit(7.0), twice=pl.col("x") * 2, off=pl.col("x") + 1e6)
    _, design = terms(table, "y", ["one", "x", "twice", "off"])
    assert design.names == ("intercept", "x")


def test_tiny_and_huge_columns_are_kept():
    rng = np.random.default_rng(0)
    table = pl.DataFrame({"y": rng.normal(size=20), "a": 1e-9 * rng.normal(size=20), "b": 1e9 * rng.normal(size=20)})
    assert terms(table, "y", ["a", "b"])[1].names == ("intercept", "a", "b")


def test_levels_of_a_factor_are_numbered_by_name():
    index, names = codes(TABLE, "domain")
    assert names == ("art", "news", "talk")
    assert index.tolist() == [1, 0, 0, 2, 1]
    assert len(codes(TABLE, "item")[1]) == 4
    assert codes(TABLE, "document:domain")[1] == ("a:art", "a:news", "b:art", "b:news", "b:talk")


def test_an_unknown_column_gets_a_suggestion():
    with pytest.raises(StatisticError, match="domain"):
        terms(TABLE, "y", ["domian"])


QUICK = Resampling(n=200)


def two_digits(value):
    return round(value, 2)


def by_term(result, **wanted):
    return {row["term"]: row for row in result.rows if all(row[k] == v for k, v in wanted.items())}


@pytest.mark.data
class TestKim2025:
    """Table 8 and Figure 5, with J2's missing holistic scores taken as 10, as the authors' script does."""

    def frame(self):
        return h_falcon(data_dir("h-falcon"), holistic_missing=10.0)

    def test_table_8_documents_and_sentences(self):
        result = blocks(self.frame(), "holistic", ["skills", "sentence"], errors="classical", resampling=QUICK)
        found = {(row["judge"], row["step"]): row for row in result.rows}
        both = "skills + sentence"
        assert two_digits(found["J2", both]["r2"]) == 0.47
        assert two_digits(found["J2", both]["intercept"]) == 2.10
        assert two_digits(found["J3", both]["r2"]) == 0.61
        assert two_digits(found["J3", both]["intercept"]) == 2.48
        assert found["J3", "skills"]["r2"] == pytest.approx(0.0841, abs=5e-5)  # printed as .09
        assert found["J3", "skills"]["intercept"] == pytest.approx(7.752, abs=5e-4)  # printed as 7.76
        assert found["J3", both]["added"] == pytest.approx(0.6084 - 0.0841, abs=1e-4)
        assert all(row["p"] < 0.05 for row in result.rows)

    def test_table_8_documents_alone(self):
        result = regress(self.frame(), "holistic", ["skills"], by=["judge"], errors="classical", resampling=QUICK)
        assert two_digits(result.value) == 0.12
        assert two_digits(by_term(result, judge="J2")["intercept"]["value"]) == 6.46
        assert result.counts == {"items": 298, "documents": 17, "judges": 1, "predictors": 9}

    @pytest.mark.parametrize(("judge", "printed"), [("J2", (1.43, 1.22, 1.63)), ("J3", (1.65, 1.49, 1.82))])
    def test_figure_5_the_sentence_score_counts_most(self, judge, printed):
        result = regress(
            self.frame(), "holistic", ["skills", "sentence"], by=["judge"], errors="classical", resampling=QUICK
        )
        rows = by_term(result, judge=judge)
        sentence = rows["sentence"]
        assert tuple(two_digits(sentence[k]) for k in ("value", "low", "high")) == printed
        assert sentence["standardised"] == max(row["standardised"] or 0 for row in rows.values())

    def test_judges_part_on_relational_address_and_not_on_reference_consistency(self):
        rows = by_term(compare_judges(self.frame(), "holistic", ["skills"], errors="classical"))
        assert rows["skills.relational_address"]["low"] > 0
        assert rows["skills.reference_consistency"]["low"] < 0 < rows["skills.reference_consistency"]["high"]


def made(seed=0, n=120, documents=12):
    rng = np.random.default_rng(seed)
    document = rng.integers(0, documents, n)
    x, z = rng.normal(size=(2, n))
    return pl.DataFrame(
        {
            "judge": np.where(np.arange(n) % 2, "a", "b"),
            "document": document.astype(str),
            "segment": np.arange(n).astype(str),
            "domain": np.where(document % 3 == 0, "news", "social"),
            "x": x,
            "z": z,
            "y": 1 + 2 * x + np.where(np.arange(n) % 2, 1.5, 0.0) * z + rng.normal(size=n),
        }
    )


def test_the_difference_of_coefficients_is_that_of_separate_regressions():
    data = made()
    apart = regress(data, "y", ["x", "z"], by=["judge"], resampling=QUICK)
    together = by_term(compare_judges(data, "y", ["x", "z"]))
    for term in ("intercept", "x", "z"):
        expected = by_term(apart, judge="a")[term]["value"] - by_term(apart, judge="b")[term]["value"]
        assert together[term]["value"] == pytest.approx(expected)
    assert together["z"]["low"] > 0
    assert together["x"]["low"] < 0 < together["x"]["high"]


def test_a_predictor_only_one_judge_varies_is_compared_for_neither():
    data = made().with_columns(z=pl.when(pl.col("judge") == "a").then(pl.col("z")).otherwise(0.0))
    result = compare_judges(data, "y", ["x", "z"], errors="classical")
    assert set(by_term(result)) == {"intercept", "x"}


def test_text_becomes_groups_and_the_gain_has_a_test():
    result = blocks(made(), "y", ["x", "domain"], by=(), resampling=QUICK)
    assert result.rows[1]["df1"] == 1
    assert result.rows[1]["added"] == pytest.approx(result.value)
    assert result.rows[0]["r2_low"] < result.rows[0]["r2"] < result.rows[0]["r2_high"]
    assert set(by_term(regress(made(), "y", ["x", "domain"], resampling=QUICK))) == {"intercept", "x", "domain=social"}


def test_filling_missing_outcomes_is_noted():
    data = made().with_columns(y=pl.when(pl.col("segment") == "3").then(None).otherwise(pl.col("y")))
    assert regress(data, "y", ["x"], resampling=QUICK).counts["items"] == 119
    filled = regress(data, "y", ["x"], fill=10, resampling=QUICK)
    assert filled.counts["items"] == 120
    assert "taken as 10" in filled.notes[0]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (made().head(2), "too few"),
        (made().with_columns(y=pl.lit(3.0)), "same value"),
        (made().with_columns(document=pl.lit("d")), "two documents"),
    ],
)
def test_degenerate_regressions_say_why(data, reason):
    for result in (regress(data, "y", ["x"], resampling=QUICK), blocks(data, "y", ["x"], by=(), resampling=QUICK)):
        assert result.value is None
        assert reason in " ".join(result.notes)


def test_one_judge_cannot_be_compared():
    assert "two judges" in compare_judges(made().filter(pl.col("judge") == "a"), "y", ["x"]).notes[0]


def test_an_unknown_predictor_is_an_error_that_helps():
    with pytest.raises(StatisticError, match="domain"):
        regress(made(), "y", ["domian"])


def test_holm_by_hand():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([]) == []


def test_a_domain_of_one_document_is_said_and_not_tested():
    rng = np.random.default_rng(0)
    rows = [
        (f"d{d}", str(s), "j", "news" if d else "law", float(50 + 8 * level + rng.normal()))
        for d, level in enumerate(rng.normal(size=15))
        for s in range(4)
    ]
    data = pl.DataFrame(rows, schema=["document", "segment", "judge", "domain", "score"], orient="row")
    result = regress(data, "score", ["domain"])
    row = next(row for row in result.rows if "domain" in row["term"])
    assert (row["low"], row["high"], row["p"]) == (None, None, None)
    assert any("One document alone" in note for note in result.notes)


def test_a_system_whose_scores_never_vary_is_said_to_fit_without_error():
    rows = [(f"d{at // 4}", system, score) for at, (system, score) in enumerate([("ash", 1.0), ("elm", 5.0)] * 10)]
    rows[3] = (rows[3][0], "elm", 2.0)
    data = {"judge": ["a"] * 20, "document": [r[0] for r in rows], "segment": [str(n) for n in range(20)]}
    data |= {"system": [r[1] for r in rows], "score": [r[2] for r in rows]}
    result = regress(data, "score", ["system"])
    by_term = {row["term"]: row for row in result.rows}
    assert by_term["intercept"]["p"] is None and by_term["intercept"]["low"] is None
    assert by_term["system=elm"]["p"] is not None
    assert any("intercept rests on fits without any error" in note for note in result.notes)

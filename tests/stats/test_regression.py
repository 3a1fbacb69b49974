""""""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st

from data_set_frames import h_falcon
from data_sets import data_dir
from lanner.errors import StatisticError
from lanner.stats.regression import Ols, blocks, codes, compare_judges, holm, regress, terms
from lanner.stats.resample import Resampling
from property_examples import examples

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


def test_notes_of_blocks_are_those_of_every_group() -> None:
    rng = np.random.default_rng(3)
    rows = [(judge, f"d{d}", str(s)) for judge, count in (("a", 30), ("b", 6)) for d in range(count) for s in range(3)]
    judge, document, segment = zip(*rows, strict=True)
    x = rng.normal(size=len(rows))
    data = pl.DataFrame(
        {"judge": judge, "document": document, "segment": segment, "x": x, "y": x + rng.normal(size=len(x))}
    )
    notes = blocks(data, "y", ["x"], resampling=Resampling()).notes
    assert [note for note in notes if "Fewer than 20 documents (6)" in note and "b" in note.split(":")[0]], notes


def test_models_by_judge_have_the_counts_that_hold_for_each():
    for model in (regress, blocks):
        alike, unlike = (model(rows, "y", ["x"], by=["judge"], resampling=QUICK) for rows in (made(), made()[1:]))
        assert alike.counts["items"] == len(made()) / 2
        assert "items" not in unlike.counts, "one less for one of them"
        assert unlike.counts["documents"] == alike.counts["documents"]


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
        (made().with_columns(y=pl.lit(3.0)), "y has the same value"),
        (made().with_columns(x=pl.lit(3.0)), "x has the same value"),
        (made().with_columns(document=pl.lit("d")), "two documents"),
    ],
)
def test_degenerate_regressions_say_why(data, reason):
    for result in (regress(data, "y", ["x"], resampling=QUICK), blocks(data, "y", ["x"], by=(), resampling=QUICK)):
        assert result.value is None
        assert reason in " ".join(result.notes)


def test_a_block_that_never_varies_adds_nothing_that_could_be_judged():
    data = made().with_columns(place=pl.lit("here"), one=pl.lit(1.0))
    for block in ("place", "one"):
        result = blocks(data, "y", ["x", block], by=(), resampling=QUICK)
        assert result.value is None and result.interval is None
        assert [(row["added"] is None, row["added_low"] is None, row["p"] is None) for row in result.rows] == [
            (False, False, False), (True, True, True)
        ]  # fmt: skip
        assert f"Left out, because the other predictors determine it: {block}" in " ".join(result.notes)


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


def clustered(seed, n=60, groups=8, columns=3):
    rng = np.random.default_rng(seed)
    group = np.concatenate([np.arange(groups), rng.integers(0, groups, n - groups)])
    x = np.column_stack([np.ones(n), rng.normal(size=(n, columns - 2)), rng.normal(size=groups)[group]])
    return rng.normal(size=groups)[group] + rng.normal(size=n), x, group


@settings(max_examples=examples(25), deadline=None)
@given(st.integers(0, 2**31), st.integers(3, 12), st.integers(2, 5))
def test_statsmodels_gives_the_same_errors(seed, groups, columns):
    y, x, group = clustered(seed, 60, groups, columns)
    plain = sm.OLS(y, x).fit()
    sandwich = sm.OLS(y, x).fit(cov_type="cluster", cov_kwds={"groups": group})
    ours = Ols(y, x, errors="classical")
    assert ours.beta == pytest.approx(plain.params)
    assert ours.r_squared == pytest.approx(plain.rsquared)
    assert np.sqrt(np.diag(ours.covariance)) == pytest.approx(plain.bse)
    assert [e.interval(0.95) for e in ours.coefficients()] == [pytest.approx(pair) for pair in plain.conf_int()]
    assert np.sqrt(np.diag(Ols(y, x, group, "cr1").covariance)) == pytest.approx(sandwich.bse)
    test = ours.joint(range(1, columns))
    assert test is not None
    assert test.p == pytest.approx(float(plain.f_pvalue), abs=1e-9)


@settings(max_examples=examples(20), deadline=None)
@given(st.integers(0, 2**31))
def test_cr2_is_its_definition_with_full_matrices(seed):
    y, x, group = clustered(seed, 40, 6)
    ours = Ols(y, x, group)
    n = len(y)
    bread = np.linalg.inv(x.T @ x)
    hat = x @ bread @ x.T
    rest = np.eye(n) - hat
    parts = []
    for g in range(6):
        rows = np.flatnonzero(group == g)
        values, vectors = np.linalg.eigh(rest[np.ix_(rows, rows)])
        root = vectors @ np.diag(np.where(values > 1e-9, values, np.inf) ** -0.5) @ vectors.T
        part = np.zeros((n, x.shape[1]))
        part[rows] = root @ x[rows] @ bread
        parts.append(part)
    covariance = sum(np.outer(p.T @ (rest @ y), p.T @ (rest @ y)) for p in parts)
    assert ours.covariance == pytest.approx(covariance, abs=1e-10)
    for k, estimate in enumerate(ours.coefficients()):
        vectors = np.stack([rest @ p[:, k] for p in parts], axis=1)
        values = np.linalg.eigvalsh(vectors.T @ vectors)
        assert estimate.df == pytest.approx(values.sum() ** 2 / (values**2).sum())


def test_the_joint_test_of_one_coefficient_is_its_t_test():
    y, x, group = clustered(4, 80, 10)
    ours = Ols(y, x, group)
    test = ours.joint([1])
    assert test is not None
    assert test.p == pytest.approx(ours.coefficients()[1].p)
    assert test.df2 == pytest.approx(ours.coefficients()[1].df)


def test_many_clusters_take_the_same_degrees_of_freedom_by_the_short_way(monkeypatch):
    y, x, group = clustered(5, 200, 30)
    long = [e.df for e in Ols(y, x, group).coefficients()]
    monkeypatch.setattr("lanner.stats.regression._MANY", 10)
    assert [e.df for e in Ols(y, x, group).coefficients()] == pytest.approx(long)


def test_a_cluster_that_alone_determines_a_coefficient_does_no_harm_to_the_others():
    y, x, group = clustered(6, 60, 6)
    x = np.column_stack([x, (group == 0).astype(float)])
    ours = Ols(y, x, group)
    assert np.isfinite(ours.covariance).all()
    *others, alone = ours.coefficients()
    assert alone.known_p is None
    assert any(np.isfinite(e.df) for e in others)


def test_too_few_clusters_leave_the_joint_test_open():
    y, x, group = clustered(7, 60, 4, 6)
    assert Ols(y, x, group).joint([1, 2, 3, 4, 5]) is None
    assert Ols(y, x, group).joint([]) is None


def test_a_small_sample_of_clusters_keeps_its_level():
    rng = np.random.default_rng(0)
    hits = 0
    for _ in range(400):
        group = np.repeat(np.arange(8), 10)
        x = np.column_stack([np.ones(80), rng.normal(size=8)[group]])
        y = rng.normal(size=8)[group] + rng.normal(size=80)
        hits += Ols(y, x, group).coefficients()[1].p < 0.05
    assert 0.02 < hits / 400 < 0.08


def test_what_one_document_alone_determines_has_no_error_and_no_p():
    """A domain of one document: its mean fits perfectly whatever the truth is."""
    rng = np.random.default_rng(4)
    document = np.repeat(np.arange(12), 5)
    x = np.column_stack([np.ones(60), document == 11])
    y = rng.normal(size=12)[document] + 0.1 * rng.normal(size=60)
    fit = Ols(y, x.astype(float), document)
    intercept, domain = fit.coefficients()
    assert domain.known_p is None
    assert domain.ends(0.95) == (None, None)
    assert 0 < intercept.known_p <= 1
    assert fit.joint([1]) is None and fit.joint([0, 1]) is None, "nor a test of what is added"
    two = np.column_stack([np.ones(60), document >= 10]).astype(float)
    assert Ols(y, two, document).joint([1]) is not None
    assert Ols(y, two, document).coefficients()[1].known_p is not None


def test_three_rows_of_two_documents_are_no_evidence():
    """One document has a single row and lies far from the others: F had 10⁶ degrees of freedom and p was 0."""
    x = np.column_stack([np.ones(3), [0.5, 0.0, 1.04]])
    assert Ols(np.array([1.0, 0.0, 2.0]), x, np.array([0, 1, 1])).joint([1]) is None


def test_what_rounding_leaves_of_a_perfect_fit_is_no_precision():
    """Each system has one score and each judge a shift: residuals of 10⁻¹⁵ gave p = 10⁻⁷⁵ from four documents."""
    cluster = np.repeat(np.arange(4), 6)
    x = np.column_stack([np.ones(24), np.tile([0.0, 1.0], 12), np.tile([0.0, 0.1, 0.3], 8)])
    model = Ols(x @ np.array([0.1, 0.7, 1.3]), x, cluster)
    assert all(estimate.known_p is None and estimate.ends(0.95) == (None, None) for estimate in model.coefficients())
    assert all(number is None or np.isfinite(number) for e in model.coefficients() for number in e.row(0.95).values())
    assert model.joint([1, 2]) is None and model.joint([1]) is None
    [_, none, _] = Ols(x @ np.array([0.1, 0.0, 1.3]), x, cluster).coefficients()
    assert (none.value, none.error, none.known_p) == (0.0, 0.0, None), "nor is it a p of 1"
    noisy = Ols(x @ np.array([0.1, 0.7, 1.3]) + 1e-6 * np.random.default_rng(1).normal(size=24), x, cluster)
    assert all(estimate.error > 0 for estimate in noisy.coefficients()) and noisy.joint([1]) is not None


def test_a_perfect_fit_leaves_no_residual_and_one_perfect_coefficient_no_error():
    """A sum of rounding errors is neither a spread nor a difference: of all coefficients, and of one alone."""
    x = np.column_stack([np.ones(24), np.tile([0.0, 1.0], 12), np.tile([0.0, 0.1, 0.3], 8)])
    perfect = Ols(x @ np.array([0.1, 0.7, 1.3]), x, errors="classical")
    assert perfect.r_squared == 1 and not perfect.residuals.any() and not perfect.covariance.any()
    # both systems of a document share its shift: their difference fits perfectly, the mean does not
    shift = np.random.default_rng(3).normal(size=12).repeat(2)
    pairs = np.column_stack([np.ones(24), np.tile([0.0, 1.0], 12)])
    mean, difference = Ols(shift + 0.7 * pairs[:, 1], pairs, np.repeat(np.arange(12), 2)).coefficients()
    assert mean.known_p is not None and mean.error > 0.1
    assert difference.value == pytest.approx(0.7) and (difference.error, difference.known_p) == (0.0, None)

"""Judges as facets: beside lme4, balanced designs in closed form, severity taken out, designs compared."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import stats

from lanner.errors import StatisticError
from lanner.stats.facets import TOLD_APART, DecisionStudy, OrdinalFit, _Model, facets, fit_ordinal
from lanner.stats.mixed import mixed

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "facets.json").read_text(encoding="utf-8"))
CROSSED = ("document", "judge", "document:system", "judge:system")


def table(case: dict) -> pl.DataFrame:
    rows = [(f"d{d:02}", f"j{j}", f"s{s}", score, "") for d, j, s, score, _ in case["rows"]]
    return pl.DataFrame(rows, schema=["document", "judge", "system", "score", "segment"], orient="row")


def of_kind(result, kind: str) -> list[dict]:
    return [dict(row) for row in result.rows if row["kind"] == kind]


@pytest.mark.parametrize("case", GOLDEN["cases"])
def test_beside_lme4(case):
    result = facets(table(case), "", random=CROSSED)
    means = {row["system"]: row["value"] for row in of_kind(result, "system")}
    assert [means[f"s{k}"] for k in (1, 2, 3)] == pytest.approx(case["means"], abs=1e-5)
    assert [row["value"] for row in of_kind(result, "variance")] == pytest.approx(case["variances"], rel=1e-4)
    severity = {row["judge"]: row["value"] for row in of_kind(result, "judge")}
    assert [severity[f"j{k + 1}"] for k in range(len(severity))] == pytest.approx(case["severity"], abs=1e-4)
    covariance = np.array(case["covariance"]).reshape(3, 3)
    for pair in of_kind(result, "pair"):
        a, b = int(pair["system"][1]) - 1, int(pair["other"][1]) - 1
        error = np.sqrt(covariance[a, a] + covariance[b, b] - 2 * covariance[a, b])
        assert pair["high"] - pair["difference"] == pytest.approx(stats.t.ppf(0.975, pair["df"]) * error, rel=1e-4)
        assert (pair["p"] < 0.05) == (not pair["low"] <= 0 <= pair["high"])


def test_a_judge_shifted_by_ten_points_changes_no_difference():
    data = table(GOLDEN["cases"][0])
    moved = data.with_columns(score=pl.col("score") + pl.when(pl.col("judge") == "j2").then(10.0).otherwise(0.0))
    plain, shifted = (of_kind(facets(each, "", random=CROSSED), "pair") for each in (data, moved))
    for one, two in zip(plain, shifted, strict=True):
        assert two["difference"] == pytest.approx(one["difference"], abs=1e-6)
        assert two["p"] == pytest.approx(one["p"], abs=1e-3)


def test_a_severe_judge_of_one_system_does_not_make_it_last():
    rng = np.random.default_rng(4)
    rows = []
    for d in range(30):
        for j, severity in enumerate((0.0, -6.0, 1.0)):
            for system, quality in (("good", 2.0), ("bad", 0.0)):
                if rng.random() < (0.9 if (j == 1) == (system == "good") else 0.3):  # the severe judge has the good one
                    rows.append((f"d{d}", f"j{j}", system, "", 50 + quality + severity + rng.normal()))
    data = pl.DataFrame(rows, schema=["document", "judge", "system", "segment", "score"], orient="row")
    plain = dict(data.group_by("system").agg(pl.col("score").mean()).iter_rows())
    result = facets(data, "", scale="numbers")
    best = of_kind(result, "system")[0]
    assert plain["good"] < plain["bad"] and best["system"] == "good"
    assert best["value"] - of_kind(result, "system")[1]["value"] == pytest.approx(2, abs=0.8)
    assert of_kind(result, "judge")[0]["judge"] == "j1"


def test_decision_studies_of_a_balanced_design_are_brennans():
    case = GOLDEN["cases"][0]
    scores = np.zeros((15, 4, 3))
    for d, j, s, score, _ in case["rows"]:
        scores[d - 1, j - 1, s - 1] = score
    grand = scores.mean()
    squares = {
        "ds": 4 * ((scores.mean(1) - scores.mean((1, 2))[:, None] - scores.mean((0, 1)) + grand) ** 2).sum() / 28,
        "js": 15 * ((scores.mean(0) - scores.mean((0, 2))[:, None] - scores.mean((0, 1)) + grand) ** 2).sum() / 6,
    }
    result = facets(table(case), "", random=(*CROSSED, "document:judge"), judges=[2, 4], documents=[20, 40])
    found = {row["term"]: row["value"] for row in of_kind(result, "variance")}
    assert 4 * found["document:system"] + found["residual"] == pytest.approx(squares["ds"], rel=1e-4)
    assert 15 * found["judge:system"] + found["residual"] == pytest.approx(squares["js"], rel=1e-4)
    for row in of_kind(result, "decision"):
        d, j = row["documents"], row["judges"]
        relative = found["document:system"] / d + found["judge:system"] / j + found["residual"] / (d * j)
        assert row["error"] == pytest.approx(np.sqrt(2 * relative))
        assert row["judgements"] == 3 * d * j


def test_more_judges_and_documents_never_make_a_design_worse():
    parts = {"document:system": 1.0, "judge:system": 0.5, "residual": 3.0, "judge": 1.0, "document": 2.0}
    for judges in (1, 2, 5):
        for documents in (5, 10):
            design = DecisionStudy(parts, judges, documents)
            for larger in (DecisionStudy(parts, judges + 1, documents), DecisionStudy(parts, judges, documents + 1)):
                assert larger.relative < design.relative < design.absolute > larger.absolute


def test_few_steps_are_steps_and_reasons_stand_for_what_cannot_be():
    case = GOLDEN["cases"][0]
    data = table(case).with_columns(score=pl.Series([float(row[4]) for row in case["rows"]]))
    result = facets(data, "", random=CROSSED)
    assert "cumulative link" in str(result.signature) and "judges in general" in str(result.signature)
    odds = {row["system"]: row["log_odds"] for row in of_kind(result, "system")}
    assert [odds["s2"], odds["s3"]] == pytest.approx(case["beta"], abs=2e-4)
    assert all(1 < row["value"] < 5 for row in of_kind(result, "system"))
    assert facets(data.filter(pl.col("judge") == "j1"), "").value is None
    assert facets(data.with_columns(score=pl.lit(3.0)), "").value is None
    with pytest.raises(StatisticError, match="scale"):
        facets(data, "", scale="step")  # type: ignore[arg-type]


def test_two_judges_say_nothing_of_the_systems_that_others_would_favour():
    """With p of such a model 12 of 100 campaigns without a difference had one."""
    points, severity = {"oak": 4.0, "elm": 0.0}, {"ann": 3.0, "ben": 0.0, "cem": -3.0}
    told, untold = (facets(rated(points, dict(list(severity.items())[:n])), "") for n in (3, 2))
    assert told.interval is not None and of_kind(told, "pair")[0]["p_holm"] < 0.05
    assert untold.interval is None and "2 judges and" in " ".join(untold.notes)
    for row in (*of_kind(untold, "system"), *of_kind(untold, "pair")):
        assert (row["low"], row["high"], row.get("p"), row.get("p_holm")) == (None, None, None, None)
    assert all(row["low"] is not None for row in of_kind(untold, "judge"))


def rated(points: dict[str, float], severity: dict[str, float], noise: float = 1.0) -> pl.DataFrame:
    rng = np.random.default_rng(3)
    rows = [
        (f"d{document}", judge, system, value + more + rng.normal(0, noise), "")
        for document in range(8)
        for judge, more in severity.items()
        for system, value in points.items()
    ]
    return pl.DataFrame(rows, schema=["document", "judge", "system", "score", "segment"], orient="row")


def test_where_less_is_better_the_best_is_lowest_and_who_gives_more_points_is_severe():
    usual = {f"usual {n}": n / 10 for n in range(-4, 5)}
    data = rated({"good": 2.0, "bad": 9.0}, {"mild": -6.0, **usual, "hard": 6.0}, 0.5)
    for direction, best, severe in (("lower_is_better", "good", "hard"), ("higher_is_better", "bad", "mild")):
        result = facets(data, "", direction=direction)
        assert of_kind(result, "system")[0]["system"] == best
        assert of_kind(result, "pair")[0]["system"] == best
        judges = of_kind(result, "judge")
        assert judges[0]["judge"] == severe
        assert [row["judge"] for row in judges if row["leaning"] == "severe"] == [severe]
        assert [row["judge"] for row in judges if row["leaning"] == "lenient"] == [judges[-1]["judge"]]


def test_judges_who_are_not_seen_to_differ_have_no_interval_of_nothing():
    data = rated({"good": 2.0, "bad": 9.0}, {"a": 0.0, "b": 0.0, "c": 0.0})
    result = facets(data, "")
    for row in of_kind(result, "judge"):
        assert row["low"] is None or row["low"] < row["high"]


def stepped(answer) -> pl.DataFrame:
    rows = [(f"d{d}", f"j{j}", s, float(answer(d, j, s)), "") for d in range(8) for j in range(3) for s in "AB"]
    return pl.DataFrame(rows, schema=["document", "judge", "system", "score", "segment"], orient="row")


def test_steps_without_a_best_fit_are_taken_as_numbers_and_nobody_who_always_wins_gets_p_near_one():
    """All of A's answers are above all of B's: the odds have no finite estimate, and their error grows faster yet."""
    result = facets(stepped(lambda d, j, s: 4 if s == "A" else 1 + (d == 2 and j == 1)), "")
    [pair] = of_kind(result, "pair")
    assert (pair["system"], pair["p"] < 0.001) == ("A", True)
    assert all(row["low"] < row["value"] < row["high"] for row in of_kind(result, "system"))
    assert TOLD_APART in result.notes and "linear" in str(result.signature)


@pytest.mark.parametrize("seed", [0, 7, 14])
def test_documents_and_judges_that_explain_every_step_end_in_no_error(seed):
    """Nothing but documents, judges and their taste: for the variances, too, more is always better."""
    rng = np.random.default_rng(seed)
    hard, mild, taste = rng.normal(0, 3, 8), rng.normal(0, 3, 3), rng.normal(0, 3, (8, 2))
    result = facets(stepped(lambda d, j, s: np.clip(round(hard[d] + mild[j] + taste[d, "AB".index(s)]), -1, 2)), "")
    [pair] = of_kind(result, "pair")
    assert (pair["p"] < 0.05) == (not pair["low"] <= 0 <= pair["high"])
    assert abs(pair["difference"]) < 20 and pair["high"] - pair["low"] < 80


def test_means_of_steps_stay_on_the_scale():
    rng = np.random.default_rng(1)
    result = facets(stepped(lambda d, j, s: 4 if j == 0 else rng.integers(1, 5)), "")
    assert "cumulative link" in str(result.signature)
    assert all(1 <= row["low"] < row["value"] < row["high"] <= 4 for row in of_kind(result, "system"))


def test_judges_of_different_texts_are_not_compared_without_a_word():
    rng = np.random.default_rng(2)
    rows = [
        (f"{group}{document}", f"{group}{judge}", f"s{system}", shift + system + float(rng.normal()), "")
        for group, shift in (("de", 20.0), ("ko", 60.0))
        for document in range(6)
        for judge in range(2)
        for system in range(2)
    ]
    data = pl.DataFrame(rows, schema=["document", "judge", "system", "score", "segment"], orient="row")
    together = data.vstack(data.head(1).with_columns(judge=pl.lit("ko0")))
    for analysis in (partial(facets, of="", random=CROSSED), partial(mixed, outcome="score", fixed=["system"])):
        assert any("2 groups that share no items" in note for note in analysis(data).notes)
        assert not any("share no items" in note for note in analysis(together).notes)


ORDINAL_GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "facets.json").read_text(encoding="utf-8"))


def fitted(case: dict) -> OrdinalFit:
    document, judge, system, _, step = np.array(case["rows"]).T
    document, judge, system, step = (column.astype(int) - 1 for column in (document, judge, system, step))
    pairs = [np.unique(a * 3 + system, return_inverse=True)[1] for a in (document, judge)]
    return fit_ordinal(step, 5, np.eye(3)[system][:, 1:], [document, judge, *pairs])


@pytest.mark.parametrize("case", ORDINAL_GOLDEN["cases"][:1] + ORDINAL_GOLDEN["cases"][2:])
def test_beside_clmm(case):
    model = fitted(case)
    assert model.converged
    assert model.log_likelihood == pytest.approx(case["log_likelihood"], abs=1e-4)
    assert model.thresholds == pytest.approx(case["thresholds"], abs=2e-4)
    assert model.beta == pytest.approx(case["beta"], abs=2e-4)
    assert np.sqrt(model.variances) == pytest.approx(case["deviations"], abs=2e-4)
    errors = np.sqrt(np.diag(model.covariance))[len(model.thresholds) :]
    assert errors == pytest.approx(case["beta_error"], rel=1e-3)


def test_the_gradient_is_that_of_the_likelihood():
    rng = np.random.default_rng(2)
    step, group, x = rng.integers(0, 4, 60), rng.integers(0, 6, 60), rng.normal(size=(60, 1))
    groups = [group, rng.integers(0, 4, 60)]
    columns = np.stack([groups[0], 6 + groups[1]], axis=1)
    model = _Model(step, 4, x, columns, np.repeat([0, 1], [6, 4]), np.zeros(10))
    at = np.array([-1.0, 0.2, -0.1, 0.3, -0.5, 0.1])
    numeric = [(model.at(at + h).value - model.at(at - h).value) / 2e-4 for h in 1e-4 * np.eye(6)]
    assert model.at(at).gradient == pytest.approx(numeric, abs=1e-5)


def test_expected_scores_lie_on_the_scale_and_rise():
    model = OrdinalFit(np.array([-1.0, 1.0]), np.zeros(1), np.array([1.0]), np.eye(3), (), 0.0, True)
    points = np.array([1.0, 2.0, 5.0])
    values = [model.expected(points, shift) for shift in (-30.0, 0.0, 30.0)]
    assert values == pytest.approx([1.0, values[1], 5.0], abs=1e-6) and 1 < values[1] < 5


def test_too_many_levels_are_refused(monkeypatch):
    monkeypatch.setattr("lanner.stats.facets.MOST_LEVELS", 3)
    with pytest.raises(StatisticError, match="too large"):
        fit_ordinal(np.array([0, 1, 0, 1]), 2, np.zeros((4, 0)), [np.arange(4)])

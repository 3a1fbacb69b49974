""""""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from data_set_frames import h_falcon
from data_sets import data_dir
from lanner.errors import StatisticError
from lanner.stats.facets import facets
from lanner.stats.mixed import (
    MixedModelData,
    Parts,
    RandomTerms,
    _flat,
    _thin,
    curvature,
    default_random,
    effects,
    fit,
    minimise,
    mixed,
    shares,
    variance_components,
    variance_interval,
)
from property_examples import examples


def parts(y: np.ndarray, design: np.ndarray, *factors: np.ndarray) -> Parts:
    model = fit(y, design, factors)
    sizes = model.solution.problem.sizes
    return Parts(model.variances, curvature(model), sizes, model.beta, model.covariance, design)


def test_of_one_factor_the_interval_is_the_exact_one_of_the_intraclass_correlation() -> None:
    """One-way analysis of variance: F/F₀.₉₇₅ and F/F₀.₀₂₅ give the ends (Shrout & Fleiss 1979)."""
    result = mixed(DYESTUFF, "yield", random=["judge"])
    batches, each = YIELD.shape
    between = each * YIELD.mean(axis=1).var(ddof=1)
    within = YIELD.var(axis=1, ddof=1).mean()
    ratios = between / within / stats.f.ppf([0.975, 0.025], batches - 1, batches * (each - 1))
    exact = (ratios - 1) / (ratios - 1 + each)
    assert (result.low, result.high) == pytest.approx((max(0.0, exact[0]), exact[1]), abs=0.015)
    assert not any("fixed effects" in note for note in result.notes)


def test_without_variance_between_levels_the_interval_starts_at_zero() -> None:
    rng = np.random.default_rng(0)
    found = shares(parts(rng.normal(size=200), np.ones((200, 1)), np.arange(200) % 10))
    assert found.ends is not None
    assert found.ends[0] == 0
    assert found.fixed_ends == (0, 0)


def test_a_strong_predictor_has_a_narrow_interval_near_its_share() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=2000)
    y = 3 * x + rng.normal(size=2000) + rng.normal(0, 0.5, 100)[np.arange(2000) % 100]
    found = shares(parts(y, np.column_stack([np.ones(2000), x]), np.arange(2000) % 100))
    assert found.fixed_ends is not None
    low, high = found.fixed_ends
    assert low < 9 / 10.25 < high
    assert high - low < 0.04
    assert low < found.fixed < high


def test_the_same_seed_gives_the_same_ends_and_a_higher_level_wider_ones() -> None:
    data = crossed(n=200)
    once, again, wider = (
        mixed(data, "score_given", ["skill"], random=["judge", "document"], level=level) for level in (0.95, 0.95, 0.99)
    )
    assert once.interval == again.interval
    assert once.low is not None and once.high is not None and wider.low is not None and wider.high is not None
    assert wider.low < once.low < once.high < wider.high


def test_nothing_known_of_the_errors_gives_no_interval() -> None:
    made = Parts(np.array([1.0, 2.0]), None, [3], np.zeros(1), np.eye(1), np.ones((9, 1)))
    assert shares(made) == (0.0, pytest.approx(2 / 3), None, None)


# Davies & Goldsmith 1972: yield of dyestuff by batch; the figures are those printed in Bates et al.'s lme4 book.
YIELD = np.array(
    [
        [1545, 1440, 1440, 1520, 1580],
        [1540, 1555, 1490, 1560, 1495],
        [1595, 1550, 1605, 1510, 1560],
        [1445, 1440, 1595, 1465, 1545],
        [1595, 1630, 1515, 1635, 1625],
        [1520, 1455, 1450, 1480, 1445],
    ],
    dtype=float,
)
DYESTUFF = pl.DataFrame(
    {
        "judge": [f"batch {b}" for b in range(6) for _ in range(5)],
        "document": [str(i) for i in range(30)],
        "yield": YIELD.ravel(),
    }
)


def rows(result, kind):
    return {row["term"]: row for row in result.rows if row["kind"] == kind}


def crossed(seed=0, n=600, judges=8, documents=25, sd=(2.0, 1.0, 1.5)):
    rng = np.random.default_rng(seed)
    judge, document = rng.integers(0, judges, n), rng.integers(0, documents, n)
    x = rng.normal(size=n)
    score = 70 + 0.5 * x + rng.normal(0, sd[0], judges)[judge] + rng.normal(0, sd[1], documents)[document]
    return pl.DataFrame(
        {
            "judge": [f"j{j}" for j in judge],
            "document": [f"d{d}" for d in document],
            "segment": [str(i) for i in range(n)],
            "skill": x,
            "score_given": score + rng.normal(0, sd[2], n),
        }
    )


def test_the_dyestuff_data_give_the_published_estimates():
    result = mixed(DYESTUFF, "yield", random=["judge"])
    assert rows(result, "variance")["judge"]["value"] == pytest.approx(1764.05, abs=0.005)
    assert rows(result, "variance")["residual"]["value"] == pytest.approx(2451.25, abs=0.005)
    assert rows(result, "fixed")["intercept"]["error"] == pytest.approx(19.383, abs=0.0005)
    assert rows(result, "fixed")["intercept"]["df"] == pytest.approx(5, abs=0.001)
    assert "deviance 319.6543" in str(result.signature)


def test_the_dyestuff_profile_intervals_are_the_published_ones():
    result = mixed(DYESTUFF, "yield", random=["judge"], reml=False)
    batch, residual = (rows(result, "variance")[term] for term in ("judge", "residual"))
    assert np.sqrt([batch["low"], batch["value"], batch["high"]]) == pytest.approx([12.198, 37.260, 84.063], abs=0.005)
    assert np.sqrt([residual["low"], residual["high"]]) == pytest.approx([38.230, 67.658], abs=0.005)
    assert "deviance 327.3271" in str(result.signature)


def test_a_balanced_crossed_design_gives_the_anova_estimates():
    rng = np.random.default_rng(2)
    table = rng.normal(size=12)[:, None] + 0.5 * rng.normal(size=5)[None, :] + rng.normal(size=(12, 5))
    document, judge = (index.ravel() for index in np.indices(table.shape))
    found = fit(table.ravel(), np.ones((60, 1)), [judge, document])
    grand, by_document, by_judge = table.mean(), table.mean(axis=1), table.mean(axis=0)
    rest = table - by_document[:, None] - by_judge[None, :] + grand
    error = (rest**2).sum() / (11 * 4)
    documents = (5 * ((by_document - grand) ** 2).sum() / 11 - error) / 5
    judges = (12 * ((by_judge - grand) ** 2).sum() / 4 - error) / 12
    assert found.variances == pytest.approx([error, judges, documents], rel=1e-4)


def test_statsmodels_agrees():
    data = crossed()
    frame = pd.DataFrame({"y": data["score_given"], "x": data["skill"], "j": data["judge"], "d": data["document"]})
    model = sm.MixedLM.from_formula(
        "y ~ x", groups=np.ones(len(frame)), vc_formula={"d": "0 + C(d)", "j": "0 + C(j)"}, data=frame
    ).fit(reml=True, method="lbfgs")
    result = mixed(data, "score_given", ["skill"], random=("judge", "document"))
    ours = rows(result, "variance")
    components = dict(zip(model.model.exog_vc.names, model.vcomp, strict=True))
    assert ours["judge"]["value"] == pytest.approx(components["j"], rel=2e-3)
    assert ours["document"]["value"] == pytest.approx(components["d"], rel=2e-3)
    assert ours["residual"]["value"] == pytest.approx(model.scale, rel=1e-3)
    assert rows(result, "fixed")["skill"]["value"] == pytest.approx(model.params["x"], abs=1e-4)
    assert rows(result, "fixed")["skill"]["error"] == pytest.approx(model.bse["x"], rel=1e-3)


def test_intervals_of_the_variances_hold_the_truth_mostly():
    inside = 0
    for seed in range(12):
        data = crossed(seed, n=200, judges=10, documents=15)
        factors = [data[name].rank("dense").to_numpy().astype(int) - 1 for name in ("judge", "document")]
        model = fit(data["score_given"].to_numpy(), np.ones((200, 1)), factors)
        low, high = variance_interval(model, 1, 0.95)
        inside += low <= 4.0 <= high
    assert inside >= 10


def test_severe_judges_come_first():
    data = crossed(seed=4, sd=(3.0, 0.5, 0.5))
    result = effects(data, "score_given", "judge", ["skill"])
    means = data.group_by("judge").agg(pl.col("score_given").mean()).sort("score_given")
    assert result.rows[0]["judge"] == means["judge"][0]
    assert result.rows[-1]["judge"] == means["judge"][-1]
    assert sum(row["value"] for row in result.rows) == pytest.approx(0, abs=1e-6)


@pytest.mark.data
def test_holistic_scores_of_the_released_ratings_have_document_and_judge_variance():
    result = mixed(h_falcon(data_dir("h-falcon")), "holistic", ["sentence"], random=["judge", "document", "item"])
    assert result.counts["items"] == 589
    assert rows(result, "fixed")["sentence"]["low"] > 1
    assert rows(result, "variance")["item"]["share"] > 0.1


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (crossed().head(2), "too few"),
        (crossed().with_columns(score_given=pl.lit(1.0)), "same value everywhere"),
        (crossed().with_columns(judge=pl.lit("a"), document=pl.lit("b")), "levels that repeat"),
        (crossed().with_columns(document=pl.lit("b")), "only one document"),
    ],
)
def test_degenerate_models_say_why(data, reason):
    result = mixed(data, "score_given")
    assert result.value is None
    assert reason in result.notes[0]


def test_one_document_holds_no_evidence_about_others_unless_documents_are_no_sample():
    data = crossed().with_columns(document=pl.lit("b"), system=pl.Series([f"s{i % 3}" for i in range(600)]))
    assert effects(data, "score_given").notes == mixed(data, "score_given", ["system"]).notes
    assert mixed(data, "score_given", ["system"], random=["judge"]).value is not None


@pytest.mark.parametrize(("judges", "documents"), [(2, 25), (8, 2)])
def test_of_two_judges_or_two_documents_no_predictor_is_significant(judges, documents):
    data = crossed(judges=judges, documents=documents)
    result = mixed(data, "score_given", ["skill"])
    few = "judges" if judges == 2 else "documents"
    assert f"with only two {few}, " in " ".join(result.notes)
    assert all((row["p"], row["low"], row["high"]) == (None, None, None) for row in rows(result, "fixed").values())
    assert rows(mixed(data, "score_given", ["skill"], random=["judge", "document"]), "fixed")["skill"]["p"] < 0.05
    assert rows(mixed(crossed(judges=3, documents=3), "score_given", ["skill"]), "fixed")["skill"]["p"] is not None


def test_a_factor_with_one_level_or_one_per_row_is_left_out_and_named():
    result = mixed(crossed().with_columns(judge=pl.lit("a")), "score_given", random=["judge", "document", "segment"])
    notes = " ".join(result.notes)
    assert "judge is left out" in notes
    assert "segment is left out" in notes


def test_a_factor_that_repeats_another_is_left_out_and_named():
    data = crossed().with_columns(again=pl.col("judge").str.to_uppercase())
    result = mixed(data, "score_given", random=["judge", "again", "document"])
    assert "again is left out of the random effects: it divides the rows as judge does" in " ".join(result.notes)


def test_a_factor_that_the_fixed_effects_determine_is_left_out_and_named():
    data = crossed().with_columns(judge=pl.lit("x"), system=pl.Series([f"s{i % 3}" for i in range(600)]))
    result = mixed(data, "score_given", ["system"])
    assert "judge:system is left out of the random effects: it says no more than the fixed effects." in result.notes
    without = mixed(data, "score_given", ["system"], random=["document", "document:system"])
    assert result.value == without.value
    assert result.rows == without.rows


def test_a_slope_of_the_only_judge_is_that_of_all():
    data = crossed().with_columns(judge=pl.lit("x"), length=np.arange(600.0) % 7 + 1e4)
    result = mixed(data, "score_given", ["length"], random=["document", "judge:length", "document:length"])
    assert set(rows(result, "variance")) == {"document", "document:length", "residual"}


def test_a_predictor_the_others_determine_is_left_out_and_named():
    data = crossed().with_columns(twice=pl.col("skill") * 2)
    result = mixed(data, "score_given", ["skill", "twice"], random=["judge"])
    assert "twice" in " ".join(result.notes)
    assert set(rows(result, "fixed")) == {"intercept", "skill"}


def test_a_factor_that_is_almost_the_residual_breaks_nothing():
    data = crossed(n=120)
    almost = pl.Series([str(max(0, i - 1)) for i in range(120)])
    assert "almost is left out" in " ".join(
        mixed(data.with_columns(almost=almost), "score_given", random=["judge", "almost"]).notes
    )
    pairs = np.arange(120) // 2
    y = np.repeat(np.random.default_rng(0).normal(size=60), 2)  # no residual at all
    assert np.isfinite(fit(y, np.ones((120, 1)), [pairs]).variances).all()


def test_a_system_is_compared_over_documents_and_judges_unless_said_otherwise():
    data = pl.DataFrame(
        [(f"d{d}", str(s), f"j{d % 3}", name, "x" if d % 2 else "y", float(d + s + k))
         for d in range(6) for s in range(4) for k, name in enumerate("ab")],
        schema=["document", "segment", "judge", "system", "domain", "score"], orient="row",
    )  # fmt: skip
    assert default_random(data, ["system"]) == ("judge", "document", "document:system", "judge:system")
    assert default_random(data, ["domain"]) == ("judge", "document", "judge:domain")
    assert default_random(data, []) == ("judge", "document")


@pytest.mark.parametrize("fixed", [[], ["system"]])
def test_scores_that_add_up_exactly_have_a_reason(fixed):
    rows = [(f"d{i}", f"j{j}", "ab"[j], float(i + 3 * j)) for i in range(2) for j in range(2)]
    data = pl.DataFrame(rows, schema=["document", "judge", "system", "score"], orient="row")
    result = mixed(data, "score", fixed, random=["judge", "document"])
    assert result.value is None
    assert result.notes


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "score",
    [
        lambda _judge, _document, system: {"a": 1.0, "b": 2.0}[system],
        lambda judge, document, _system: float(judge + document),
        lambda _judge, document, _system: float(document),
        lambda judge, _document, _system: float(judge),
        lambda _judge, document, system: float(system == "b" and document == 0),
    ],
)
def test_judges_who_leave_nothing_to_chance_get_a_reason_and_no_number(score):
    """Small campaigns and uniform answers reach this: the report of one ended in a division by zero."""
    cells = [(judge, document, system) for judge in range(3) for document in range(4) for system in "ab"]
    rows = [(f"j{judge}", f"d{document}", system, score(judge, document, system)) for judge, document, system in cells]
    data = pl.DataFrame(rows, schema=["judge", "document", "system", "score"], orient="row")
    assert mixed(data, "score", ["system"]).value is None
    assert facets(data, "score").value is None
    full = ["judge", "document", "document:system"]
    assert isinstance(variance_components(data, "score", ["system"], full), str)


def sloped(seed: int, documents: int = 12, judges: int = 4, segments: int = 4) -> pl.DataFrame:
    """A skill that counts for more in some documents than in others, and for nothing on the whole."""
    rng = np.random.default_rng(seed)
    level, slope, strict = rng.normal(size=documents), rng.normal(0, 0.8, documents), rng.normal(size=judges)
    rows = []
    for d in range(documents):
        for s in range(segments):
            skill = rng.normal()
            for j in range(judges):
                score = level[d] + slope[d] * skill + strict[j] + rng.normal()
                rows.append((f"d{d:02}", str(s), f"j{j}", skill, score))
    return pl.DataFrame(rows, schema=["document", "segment", "judge", "skill", "y"], orient="row")


def test_slopes_of_documents_beside_statsmodels():
    data = sloped(3)
    skill = (data["skill"] - data["skill"].mean()) / data["skill"].std(ddof=0)
    frame = pd.DataFrame({"y": data["y"], "x": skill, "j": data["judge"], "d": data["document"]})
    formulas = {"d": "0 + C(d)", "j": "0 + C(j)", "s": "0 + C(d):x"}
    fitted = sm.MixedLM.from_formula("y ~ x", groups=np.ones(len(frame)), vc_formula=formulas, data=frame)
    model = fitted.fit(reml=True, method="lbfgs")
    result = mixed(data, "y", ["skill"], random=("judge", "document", "document:skill"))
    variances, fixed = rows(result, "variance"), rows(result, "fixed")
    components = dict(zip(model.model.exog_vc.names, model.vcomp, strict=True))
    for term, name in (("document", "d"), ("judge", "j"), ("document:skill", "s")):
        assert variances[term]["value"] == pytest.approx(components[name], rel=5e-3), term
    assert fixed["skill"]["error"] * data["skill"].std(ddof=0) == pytest.approx(
        model.bse["x"], rel=2e-2
    )  # theirs allows for the variances, too


def test_numbers_have_slopes_unless_there_are_many():
    data = sloped(1)
    assert default_random(data, ["skill"]) == ("judge", "document", "document:skill", "judge:skill")
    wrong = sum(rows(mixed(sloped(seed), "y", ["skill"]), "fixed")["skill"]["p"] < 0.05 for seed in range(6))
    assert wrong <= 1  # 5 % of 6 are less than one; without slopes every second study is wrong
    many = data.with_columns(pl.Series(f"s{k}", np.random.default_rng(k).normal(size=len(data))) for k in range(4))
    result = mixed(many, "y", ["s0", "s1", "s2", "s3"])
    assert any("numeric predictors" in note for note in result.notes)
    assert {row["term"] for row in result.rows if row["kind"] == "variance"} == {"judge", "document", "residual"}


def test_the_interval_of_no_variance_ends_where_another_runs_to_nothing_on_the_way():
    """While the variance of judge:system is tried upwards, that of judges falls to nothing and stays there."""
    rng = np.random.default_rng([6, 46])
    document, judge, system = (axis.ravel() for axis in np.indices((6, 8, 2)))
    severe, hard = rng.normal(size=8), rng.normal(size=6)
    score = hard[document] + severe[judge] + np.where(system == 0, 0.5, 0.0)
    score += 0.5 * rng.normal(size=(6, 2))[document, system] + 0.4 * rng.normal(size=(8, 2))[judge, system]
    score += rng.normal(size=len(score))
    names = {"document": document.astype(str), "judge": judge.astype(str), "system": system.astype(str)}
    rows = mixed(pl.DataFrame({**names, "score": score}), "score", ["system"]).rows
    none = next(row for row in rows if row["term"] == "judge:system")
    assert none["value"] == 0 == none["low"] and 0.1 < none["high"] < 0.3


def test_every_variance_has_its_ends_where_the_search_starts_elsewhere() -> None:
    """Here the deviance has two valleys: an end that was beyond the limit was not when it was computed again."""
    rng = np.random.default_rng([11, 39])
    document, judge, system = (axis.ravel() for axis in np.indices((20, 8, 2)))
    severe = rng.normal(size=8)
    score = rng.normal(size=20)[document] + severe[judge] + np.where(system == 0, 0.5, 0.0)
    score += 0.5 * rng.normal(size=(20, 2))[document, system] + 0.4 * rng.normal(size=(8, 2))[judge, system]
    score += rng.normal(size=len(score))
    names = {"document": [f"d{d:03}" for d in document], "segment": "", "judge": [f"j{j}" for j in judge]}
    table = pl.DataFrame({**names, "system": np.where(system == 0, "oak", "elm"), "score": score})
    sparse = table.filter(pl.Series(rng.random(len(table)) > 0.6))
    variances = [row for row in mixed(sparse, "score", ["system"]).rows if row["kind"] == "variance"]
    assert len(variances) > 2
    assert all(row["low"] <= row["value"] <= row["high"] for row in variances)


@pytest.mark.parametrize("spread", [0.0, 2.0])
def test_a_single_judge_has_an_interval_only_where_scores_tell_judges_apart(spread: float) -> None:
    """Where judges hardly differ, each one's effect is shrunk to nothing and its error with it: an interval of no width
    that held the truth in none of a hundred campaigns."""
    told = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        document, judge = (axis.ravel() for axis in np.indices((6, 8)))
        score = rng.normal(size=6)[document] + spread * rng.normal(size=8)[judge] + rng.normal(size=48)
        table = pl.DataFrame(
            {"document": [f"d{d}" for d in document], "segment": "", "judge": [f"j{j}" for j in judge], "score": score}
        ).filter(pl.Series(rng.random(48) > 0.4))
        result = effects(table, "score", "judge")
        widths = {row["high"] - row["low"] if row["low"] is not None else None for row in result.rows}
        assert all(width is None or width > 0.1 for width in widths)
        assert (None in widths) == any("hardly tell one judge from another" in note for note in result.notes)
        told.append(None not in widths)
        terms = RandomTerms.of(table, ("judge", "document"), np.ones((len(table), 1)))
        ones = np.ones((len(table), 1))
        rise = fit(table["score"].to_numpy(), ones, terms.factors[1:]).deviance
        rise -= fit(table["score"].to_numpy(), ones, terms.factors).deviance
        assert told[-1] == (rise > 0.5), "as another fit without the judges says"
    assert sum(told) == 11 if spread else sum(told) < 6


def test_what_did_not_settle_has_no_p_and_no_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    """It was printed with a note: a p from variances that are no estimates. No data were found that do not settle."""
    rng = np.random.default_rng(4)
    document, judge, system = (axis.ravel() for axis in np.indices((8, 4, 2)))
    score = rng.normal(size=64) + rng.normal(size=8)[document] + rng.normal(size=4)[judge] + 5 * system
    names = {"document": [f"d{d}" for d in document], "judge": [f"j{j}" for j in judge], "segment": "", "question": "s"}
    table = pl.DataFrame({**names, "system": [f"s{s}" for s in system], "score": score})
    assert any((row.get("p") or 1) < 0.01 for row in mixed(table, "s", ["system"]).rows)
    assert facets(table, "s").value is not None
    monkeypatch.setattr("lanner.stats.mixed.minimise", lambda problem, reml: (minimise(problem, reml)[0], False))
    unsettled = [mixed(table, "s", ["system"]), effects(table, "s"), facets(table, "s")]
    assert [(result.value, result.interval, result.rows) for result in unsettled] == [(None, None, ())] * 3
    assert "did not settle" in unsettled[0].notes[0] + str(
        variance_components(table, "s", ["system"], ["document", "judge"])
    )


def draw(seed, rows, sizes, columns=2):
    rng = np.random.default_rng(seed)
    factors = [np.concatenate([np.arange(q), rng.integers(0, q, rows - q)]) for q in sizes]
    x = np.column_stack([np.ones(rows), rng.normal(size=(rows, columns - 1))])
    y = x.sum(axis=1) + sum(rng.normal(size=q)[f] for f, q in zip(factors, sizes, strict=True)) + rng.normal(size=rows)
    return y, x, factors


def brute(y, x, factors, theta, reml_too):
    """−2 log likelihood from the n × n covariance matrix itself."""
    n, p = x.shape
    v = np.eye(n) + sum(t**2 * (f[:, None] == f[None, :]) for t, f in zip(theta, factors, strict=True))
    inverse = np.linalg.inv(v)
    gram = x.T @ inverse @ x
    beta = np.linalg.solve(gram, x.T @ inverse @ y)
    rest = y - x @ beta
    free = n - p * reml_too
    variance = rest @ inverse @ rest / free
    penalty = np.linalg.slogdet(gram)[1] if reml_too else 0.0
    return np.linalg.slogdet(v)[1] + penalty + free * (np.log(2 * np.pi * variance) + 1), beta


@settings(max_examples=examples(30), deadline=None)
@given(
    st.integers(0, 2**31),
    st.lists(st.integers(2, 12), min_size=1, max_size=3),
    st.booleans(),
    st.lists(st.floats(0, 3), min_size=3, max_size=3),
)
def test_the_deviance_is_that_of_the_full_covariance_matrix(seed, sizes, restricted, theta):
    y, x, factors = draw(seed, 40, sizes)
    theta = np.array(theta[: len(sizes)])
    solution = MixedModelData.of(y, x, factors).solve(theta)
    expected, beta = brute(y, x, factors, theta, restricted)
    assert solution.deviance(restricted) == pytest.approx(expected, rel=1e-9)
    assert solution.beta == pytest.approx(beta, rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("restricted", [True, False])
@pytest.mark.parametrize("variance", [None, 1.7])
def test_the_gradient_is_the_slope_of_the_deviance(restricted, variance):
    y, x, factors = draw(3, 60, [9, 4])
    problem, theta, step = MixedModelData.of(y, x, factors), np.array([0.8, 0.3]), 1e-5
    slope = problem.solve(theta).gradient(restricted, variance)
    for k in range(2):
        move = step * np.eye(2)[k]
        up, down = (problem.solve(t).deviance(restricted, variance) for t in (theta + move, theta - move))
        assert slope[k] == pytest.approx((up - down) / (2 * step), rel=1e-5)


def test_factors_inside_documents_make_blocks_and_change_nothing(monkeypatch):
    rng = np.random.default_rng(0)
    item = rng.permutation(np.repeat(np.arange(30), 4))
    document, judge = item // 5, np.tile(np.arange(4), 30)
    y = rng.normal(size=30)[item] + rng.normal(size=6)[document] + rng.normal(size=4)[judge] + rng.normal(size=120)
    x, factors, theta = np.ones((120, 1)), [judge, document, item], np.array([0.5, 1.1, 0.9])
    blocked = MixedModelData.of(y, x, factors)
    assert max(bucket.levels.shape[1] for bucket in blocked.buckets) == 8  # a document with its five items, filled up
    monkeypatch.setattr("lanner.stats.mixed._BLOCK", 1)
    flat = MixedModelData.of(y, x, factors)
    first, second = blocked.solve(theta), flat.solve(theta)
    assert first.deviance(True) == pytest.approx(second.deviance(True))
    assert first.gradient(True) == pytest.approx(second.gradient(True))
    for one, other in zip(first.effects(1.0), second.effects(1.0), strict=True):
        assert one[0] == pytest.approx(other[0])
        assert one[1] == pytest.approx(other[1])


def test_effects_are_the_predictions_and_their_errors():
    """Beside Henderson's mixed model equations, solved as one matrix."""
    y, x, factors = draw(5, 50, [7, 4])
    theta, variance = np.array([0.6, 1.2]), 2.0
    z = np.column_stack([(factors[k][:, None] == np.arange(q)).astype(float) for k, q in ((0, 7), (1, 4))])
    scale = np.repeat(theta, [7, 4])
    solution = MixedModelData.of(y, x, factors).solve(theta)
    inner = np.linalg.inv(scale[:, None] * (z.T @ z) * scale + np.eye(11))
    expected = scale * (inner @ (scale * (z.T @ (y - x @ solution.beta))))
    between = np.diag(1 / scale**2)
    equations = np.block([[x.T @ x, x.T @ z], [z.T @ x, z.T @ z + between]])
    spread = np.sqrt(variance * np.diag(np.linalg.inv(equations))[x.shape[1] :])
    found = solution.effects(variance)
    assert np.concatenate([mean for mean, _ in found]) == pytest.approx(expected)
    assert np.concatenate([error for _, error in found]) == pytest.approx(spread)


def test_the_search_finds_the_lowest_point_of_a_grid():
    y, x, factors = draw(11, 80, [10, 5])
    problem = MixedModelData.of(y, x, factors)
    theta, good = minimise(problem, True)
    lowest = problem.solve(theta).deviance(True)
    grid = np.linspace(0, 3, 31)
    assert good
    assert lowest <= min(problem.solve(np.array([a, b])).deviance(True) for a in grid for b in grid)


def test_a_factor_without_variance_ends_at_zero():
    rng = np.random.default_rng(1)
    factor = np.repeat(np.arange(10), 10)
    y = rng.normal(size=100)
    y -= np.repeat([y[factor == k].mean() for k in range(10)], 10)  # the levels' means are all equal
    theta, _ = minimise(MixedModelData.of(y, np.ones((100, 1)), [factor]), True)
    assert theta[0] == 0.0


def test_too_many_levels_that_all_meet_are_refused(monkeypatch):
    monkeypatch.setattr("lanner.stats.mixed._ACROSS", 2)
    monkeypatch.setattr("lanner.stats.mixed._BLOCK", 2)
    with pytest.raises(StatisticError, match="too many levels"):
        MixedModelData.of(*draw(0, 40, [9, 8]))


def test_many_levels_that_seldom_meet_are_kept_sparse_and_change_nothing(monkeypatch):
    y, x, factors = draw(3, 260, [120, 90, 4])
    theta = np.array([0.7, 0.4, 1.2])
    full = MixedModelData.of(y, x, factors).solve(theta)
    monkeypatch.setattr("lanner.stats.mixed._THIN", 2)
    assert any(not isinstance(_thin(_flat(bucket.across)), np.ndarray) for bucket in full.problem.buckets)
    thin = MixedModelData.of(y, x, factors).solve(theta)
    assert thin.deviance(True) == pytest.approx(full.deviance(True), rel=1e-12)
    assert thin.gradient(True) == pytest.approx(full.gradient(True), rel=1e-9)
    for mine, theirs in zip(thin.effects(1.0), full.effects(1.0), strict=True):
        assert mine[0] == pytest.approx(theirs[0])
        assert mine[1] == pytest.approx(theirs[1])


@pytest.mark.parametrize("far", [0.0, 1000.0, 1e7])
def test_scores_that_documents_explain_exactly_have_no_model_however_far_from_zero(far):
    """From 1,120 to 1,130 the search stood still where it began, and all variances came out equal, with intervals."""
    rng = np.random.default_rng(4)
    rows = [(f"d{d}", str(s), y, j) for d in range(8) for s in range(2) for y in "ab" for j in "pqr"]
    kept = [row for row in rows if rng.random() < 0.3]
    table = pl.DataFrame(kept, schema=["document", "segment", "system", "judge"], orient="row")
    table = table.with_columns(score=pl.col("document").str.slice(1).cast(pl.Float64) * 2 + far)
    result = mixed(table, "score", ["system"])
    assert result.value is None and not result.rows
    assert "explain every score exactly" in result.notes[0]


def test_a_shift_of_all_scores_moves_the_intercept_alone():
    rng = np.random.default_rng(5)
    rows = [(f"d{d}", str(s), y, j) for d in range(6) for s in range(2) for y in "ab" for j in "pqr"]
    table = pl.DataFrame(rows, schema=["document", "segment", "system", "judge"], orient="row")
    table = table.with_columns(score=pl.Series(rng.normal(size=len(rows)) + np.repeat(rng.normal(size=6), 12)))
    here, far = (mixed(table.with_columns(pl.col("score") + by), "score", ["system"]).rows for by in (0.0, 1e6))
    assert far[0]["value"] - here[0]["value"] == pytest.approx(1e6)
    for name in ("value", "low", "high"):
        assert [row[name] for row in far[1:]] == pytest.approx([row[name] for row in here[1:]], rel=1e-4, abs=1e-6)

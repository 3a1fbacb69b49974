"""Worked examples that others printed with their data: the rows of docs/published.toml that name a test."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

import published_data
from data_set_frames import falcon, parity
from data_sets import data_dir
from lanner.model import Result
from lanner.stats.agreement import grouped, overview
from lanner.stats.association import _partials, between_measures, partial
from lanner.stats.coefficients import kappa
from lanner.stats.context import agreement_intervals, issue_shares
from lanner.stats.diagnosis import bias, confusion, difference, leave_one_out, self_agreement, severity
from lanner.stats.effort import fatigue
from lanner.stats.metaeval import Scorer, comparisons
from lanner.stats.mixed import effects, mixed
from lanner.stats.preference import side_bias
from lanner.stats.ranking import head_to_head
from lanner.stats.regression import compare_judges
from lanner.stats.resample import Resampling
from lanner.stats.spans import spans
from rating_tables import GOLDEN, table
from stats.test_mixed import DYESTUFF

QUICK = Resampling(n=200)


def rows_of(result: Result, **wanted: str) -> list[dict[str, Any]]:
    return [dict(row) for row in result.rows if all(row.get(name) == value for name, value in wanted.items())]


# --- agreement and diagnosis -----------------------------------------------------------------------------------------


def offsets(*given: list[list[int]]) -> pl.DataFrame:
    """Two judges' marked characters, item by item, as spans of one character each."""
    marks = [[json.dumps([{"start": at, "end": at + 1} for at in one]) for one in judge] for judge in given]
    parts = [
        pl.DataFrame({"judge": [f"j{j}"] * len(one), "spans": one}).with_row_index("segment")
        for j, one in enumerate(marks)
    ]
    made = pl.concat(parts).with_columns(pl.col("segment").cast(pl.String))
    return made.with_columns(document=pl.col("segment"))


def test_characters_of_the_toxic_spans_scorer() -> None:
    """SemEval-2021 task 5: its scorer's example, and the score of an empty answer to its four gold items."""
    result = spans(offsets([[0, 1, 4, 5]], [[0, 1, 6]]), resampling=QUICK)
    assert result.value == pytest.approx(0.5714285714285714, abs=1e-15)
    gold = [[*range(12, 22)], [*range(55, 61)], [*range(80, 90), *range(176, 181)], []]
    assert spans(offsets(gold, [[], [], [], []]), average="items", resampling=QUICK).value == 0.25
    assert spans(offsets(gold, gold), average="items", resampling=QUICK).value == 1.0


def test_the_overview_of_gwets_judges_holds_the_printed_coefficients() -> None:
    found = {r.name: r.value for r in overview(table(GOLDEN["gwet"]["ratings"]), resampling=QUICK)}
    assert found["gwet"] == pytest.approx(0.77544, abs=6e-6)
    assert found["fleiss"] == pytest.approx(0.76117, abs=6e-6)
    assert found["alpha"] == pytest.approx(0.743, abs=5e-4)


def test_each_group_has_the_printed_kappa_of_its_table() -> None:
    """Cohen's textbook table, Feinstein & Cicchetti 1990, Sim & Wright 2005 (Table 1) as three domains."""
    tables = {"textbook": ([[20, 5], [10, 15]], 0.40), "paradox": ([[80, 10], [5, 5]], 0.32),
              "physiotherapy": ([[22, 2], [4, 11]], 0.67)}  # fmt: skip
    parts = [
        published_data.crosstab(counts, "yn").with_columns(
            domain=pl.lit(name), document=pl.lit(name) + pl.col("document")
        )
        for name, (counts, _) in tables.items()
    ]
    found = {r.labels["domain"]: r.value for r in grouped(kappa, pl.concat(parts), by="domain", resampling=QUICK)}
    assert found == pytest.approx({name: value for name, (_, value) in tables.items()}, abs=5e-3)


@pytest.mark.parametrize(
    ("counts", "printed_kappa", "tolerance"),
    [
        pytest.param([[118, 1], [1, 63]], 0.9760, 5e-5, id="sex of 183 students"),
        pytest.param([[61, 2], [6, 25]], 0.80, 5e-3, id="94 children and smoking"),
    ],
)
def test_what_is_recorded_twice_agrees_with_itself(
    counts: list[list[int]], printed_kappa: float, tolerance: float
) -> None:
    """Bland, Measurement in Health and Disease: sex recorded twice, κ = 0.9760; children and smoking, κ = 0.80."""
    twice = published_data.crosstab(counts, "yn")
    role = pl.when(pl.col("judge") == "first").then(pl.lit("main")).otherwise(pl.lit("repeat"))
    asked = twice.with_columns(role=role, judge=pl.lit("one"), question=pl.lit("q"), stage=pl.lit("s"))
    everyone = self_agreement(asked, "q", resampling=QUICK)[0]
    assert everyone.value == pytest.approx(printed_kappa, abs=tolerance)
    assert everyone.counts["items"] == np.sum(counts)


@pytest.mark.parametrize(
    ("counts", "change", "ends", "tolerance", "most"),
    [
        pytest.param([[93, 78], [42, 328]], -36 / 541, (-0.106, -0.027), 1e-3, 2e-3, id="coffee"),
        pytest.param([[794, 150], [86, 570]], -0.04, (-0.06, -0.02), 2e-3, 1e-4, id="prime minister"),
    ],
)
def test_a_share_fell_by_as_much_as_was_printed(
    counts: list[list[int]], change: float, ends: tuple[float, float], tolerance: float, most: float
) -> None:
    """Agresti: 541 people who bought coffee twice, −0.067 (−0.106 to −0.027); a prime minister, 59 % then 55 %."""
    results = bias(published_data.crosstab(counts, "ad"), resampling=Resampling(method="t"))
    found = next(r for r in results if r.labels["judge"] == "second" and r.labels["label"] == "a")
    assert found.value == pytest.approx(change, abs=1e-12)
    assert (found.low, found.high) == pytest.approx(ends, abs=tolerance)
    assert found.p is not None and found.p < most


def test_the_mini_meter_reads_two_litres_more() -> None:
    """Bland & Altman 1986: mean difference of two peak flow meters −2.1 l/min, 95 % interval −22.0 to 17.8."""
    read = table([published_data.LARGE_METER, published_data.MINI_METER], "score")
    found = next(r for r in severity(read, resampling=Resampling(method="t")) if r.labels["judge"] == "j0")
    assert found.value == pytest.approx(-2.1, abs=0.05)
    assert (found.low, found.high) == pytest.approx((-22.0, 17.8), abs=0.1)


@pytest.mark.data
def test_laeubli_2018_table_4() -> None:
    frame = parity(data_dir("parity")).filter((pl.col("condition") == "adequacy") & (pl.col("unit") == "document"))
    found = {
        (r.labels["judge"], r.labels["other"]): {row["label"]: row for row in r.rows}
        for r in confusion(frame, resampling=QUICK)
    }
    one = found["E", "F"]
    assert [[one[a][b] for b in ("mt", "tie", "human")] for a in ("mt", "tie", "human") if a in one] in (
        [[4, 9, 13], [0, 0, 0], [6, 6, 12]],
        [[4, 9, 13], [6, 6, 12]],  # rater E gave no ties
    )


@pytest.mark.data
def test_leaving_one_of_three_judges_out_leaves_the_kappa_of_the_other_two() -> None:
    """Kim 2025, Table 5, κ of each two of the three judges; and their differences."""
    frame = falcon(data_dir("h-falcon"))
    found = {r.rows[0]["without"]: r.value for r in leave_one_out(frame, "context", of=kappa, resampling=QUICK)}
    assert found == pytest.approx({"J1": 0.4995, "J2": 0.3646, "J3": 0.3883}, abs=5e-5)
    plans = [kappa.plan(frame, "context", judges=pair) for pair in (["J2", "J3"], ["J1", "J2"])]
    apart = difference(*plans, resampling=QUICK)
    assert apart.rows[0] == pytest.approx({"first": 0.4995, "second": 0.3883}, abs=5e-5)
    assert apart.value == pytest.approx(0.4995 - 0.3883, abs=1e-4)


# --- association, regression -----------------------------------------------------------------------------------------


def test_partial_correlations_of_ppcor() -> None:
    x, y, *given = (np.array(column, float) for column in published_data.PROTEINS.values())
    found = partial(x, y, np.stack(given, axis=1), methods=["pearson"], resampling=QUICK)[0]
    assert found.value == pytest.approx(-0.6720863, abs=5e-8)
    other = partial(given[0], given[1], np.stack([x, y], axis=1), methods=["pearson"], resampling=QUICK)[0]
    assert other.value == pytest.approx(0.6940953, abs=5e-8)


def test_kendalls_partial_of_printed_taus() -> None:
    """Macro KENPAR (Biostatistics, Chapel Hill), its sample output: τ .5513, .0892, .0907 give τ xy.z = .5476."""
    taus = np.array([[1, 0.5513, 0.0892], [0.5513, 1, 0.0907], [0.0892, 0.0907, 1]])
    assert float(_partials(taus)) == pytest.approx(0.5476, abs=1e-4)


def test_anscombes_four_sets_have_the_same_correlation() -> None:
    """Anscombe 1973: r = 0.816 in each of four groups, 0.817 in the last."""
    x = [10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5]
    sets = {
        "I": (x, [8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68]),
        "II": (x, [9.14, 8.14, 8.74, 8.77, 9.26, 8.10, 6.13, 3.10, 9.13, 7.26, 4.74]),
        "III": (x, [7.46, 6.77, 12.74, 7.11, 7.81, 8.84, 6.08, 5.39, 8.15, 6.42, 5.73]),
        "IV": ([8] * 7 + [19] + [8] * 3, [6.58, 5.76, 7.71, 8.84, 8.47, 7.04, 5.25, 12.50, 5.56, 7.91, 6.89]),
    }
    parts = [
        pl.DataFrame({"x": a, "y": b}).cast(pl.Float64).with_columns(domain=pl.lit(name))
        for name, (a, b) in sets.items()
    ]
    made = pl.concat(parts).with_row_index("segment").with_columns(pl.col("segment").cast(pl.String))
    made = made.with_columns(document=pl.col("segment"), judge=pl.lit("j"))
    found = between_measures(made, "x", "y", by=["domain"], methods=["pearson"], resampling=QUICK)
    assert [row["value"] for row in found.rows] == pytest.approx([0.816, 0.816, 0.816, 0.817], abs=6e-4)


def test_height_matters_more_for_the_weight_of_men() -> None:
    """UCLA: slopes and sums of squares of the two groups; the difference and its standard error follow from them."""
    groups = {"F": published_data.WOMEN, "M": published_data.MEN}
    rows = [
        (sex, f"{sex}{number}", float(height), float(weight))
        for sex, people in groups.items()
        for number, (height, weight) in enumerate(people)
    ]
    made = pl.DataFrame(rows, schema=["judge", "document", "height", "weight"], orient="row")
    [row] = rows_of(compare_judges(made, "weight", ["height"], errors="classical", resampling=QUICK), term="height")
    slopes, explained, rest = (2.095872170, 3.189727463), (1319.56112, 3882.53627), (29.3388815, 46.3637317)
    assert row["value"] == pytest.approx(slopes[0] - slopes[1], abs=1e-8)
    spread = sum(rest) / 16 * sum(b**2 / ss for b, ss in zip(slopes, explained, strict=True))  # b² / (b² Sxx) = 1 / Sxx
    assert row["error"] == pytest.approx(spread**0.5, abs=1e-7)


def test_the_batches_of_dyestuff_have_the_printed_effects() -> None:
    """lme4, ranef of the Dyestuff model: conditional modes of the six batches."""
    found = {row["judge"]: row["value"] for row in effects(DYESTUFF, "yield", random=["judge"]).rows}
    modes = [-17.6068514, 0.3912634, 28.5622256, -23.0845385, 56.7331877, -44.9952868]
    assert [found[f"batch {k}"] for k in range(6)] == pytest.approx(modes, abs=2e-4)


def test_the_penicillin_model_has_the_printed_variances() -> None:
    """lme4, its output for Penicillin: plates .8467, samples 1.9316, residual .5499, mean 22.97 ± .8086."""
    result = mixed(published_data.penicillin(), "diameter", random=["document", "judge"])
    sd = {row["term"]: row["sd"] for row in rows_of(result, kind="variance")}
    assert sd == pytest.approx({"document": 0.8467, "judge": 1.9316, "residual": 0.5499}, abs=6e-5)
    [mean] = rows_of(result, kind="fixed")
    assert (mean["value"], mean["error"]) == pytest.approx((22.9722, 0.8086), abs=6e-5)


def test_the_sleep_study_has_the_printed_effects_and_shares() -> None:
    """lme4: 251.4051 ± 9.7467 ms and 10.4673 ± 0.8042 a day, sd 37.12 and 30.99; MuMIn: R² 0.2799 and 0.7043."""
    result = mixed(published_data.sleepstudy(), "reaction", ["days"], random=["judge"])
    fixed = {row["term"]: (row["value"], row["error"]) for row in rows_of(result, kind="fixed")}
    assert fixed["intercept"] == pytest.approx((251.4051, 9.7467), abs=6e-5)
    assert fixed["days"] == pytest.approx((10.4673, 0.8042), abs=6e-5)
    sd = {row["term"]: row["sd"] for row in rows_of(result, kind="variance")}
    assert sd == pytest.approx({"judge": 37.12, "residual": 30.99}, abs=6e-3)
    assert result.value == pytest.approx(0.7042555, abs=6e-6)


# --- preference, systems, context, effort ----------------------------------------------------------------------------


def test_more_boys_than_girls_in_all_82_years() -> None:
    """Arbuthnot 1710: more boys in each of 82 years has a chance of one in 4.836 · 10²⁴; two-sided, twice that."""
    years = [str(year) for year in range(1629, 1711)]
    first = {"judge": ["London"] * 82, "document": years, "label": ["a"] * 82, "system": ["boys|girls"] * 82}
    assert side_bias(first, resampling=QUICK).rows[0]["p_items"] == pytest.approx(2 / 4.836e24, rel=2e-4)


def test_fishers_randomisation_of_darwins_maize() -> None:
    """Fisher 1935: 1,726 of 32,768 signs give as large a difference. SciPy's signed-rank example: p = 0.0413."""
    rows = [(system, f"{k:02}", float(height)) for k, gap in enumerate(published_data.MAIZE)
            for system, height in (("crossed", gap), ("selfed", 0))]  # fmt: skip
    made = pl.DataFrame(rows, schema=["system", "document", "score"], orient="row")
    made = made.with_columns(judge=pl.lit("ruler"), segment=pl.col("document"), question=pl.lit("height"))
    [row] = head_to_head(made, "height", swaps=40_000, resampling=QUICK).rows
    assert row["p"] == pytest.approx(1726 / 32768, abs=1e-12)
    assert row["difference"] == pytest.approx(314 / 15)
    [row] = head_to_head(made, "height", test="signed-rank", resampling=QUICK).rows
    assert row["p"] == pytest.approx(0.041259765625, abs=1e-12)


@pytest.mark.parametrize(
    ("low", "high", "between", "n", "t", "tolerance"),
    [
        pytest.param(0.20, 0.30, 0.93, 100, -2.832009, 1e-6, id="psych"),
        pytest.param(0.20, 0.45, 0.80, 100, -4.56, 5e-3, id="bruceR"),
        pytest.param(0.40, 0.50, 0.10, 103, -0.89, 5e-3, id="Steiger 1980"),
    ],
)
def test_williams_t_of_correlated_correlations(
    low: float, high: float, between: float, n: int, t: float, tolerance: float
) -> None:
    """psych's paired.r (Anglim 2008), bruceR's cor_diff, Steiger 1980: two correlations with the same third."""
    drawn = published_data.correlated([[1, low, high], [low, 1, between], [high, between, 1]], n)
    cells = np.full((3, n + n % 2), np.nan)
    cells[:, :n] = drawn.T
    gold, lesser, greater = (
        Scorer(name, ("oak", "elm"), c.reshape(2, -1)) for name, c in zip("glh", cells, strict=True)
    )
    found = comparisons(gold, [lesser, greater], tests=["williams"], as_wmt24=True).rows
    p = {row["metric"]: row["p_williams"] for row in found}
    assert stats.t.ppf(p["h"], n - 3) == pytest.approx(t, abs=tolerance)
    assert p["l"] == pytest.approx(1 - p["h"])


def castilho(counts: dict[str, list[int]], sentences: int) -> pl.DataFrame:
    """How many of each sentence's judges said no, by domain."""
    rows = [
        (f"j{judge}", domain, f"{domain} {k}", "no" if judge < no else "yes")
        for domain, said in counts.items()
        for k, no in enumerate(said + [0] * (sentences - len(said)))
        for judge in range(max(said))
    ]
    made = pl.DataFrame(rows, schema=["judge", "domain", "segment", "label"], orient="row")
    return made.with_columns(document=pl.col("segment"), question=pl.lit("translatable"), stage=pl.lit("s"))


def test_sentences_that_cannot_be_translated_alone() -> None:
    """Castilho et al. 2020: Table 6, one Serbian judge, 100 sentences a domain; 22 of 95 sentences are 23 %."""
    serbian = castilho({"reviews": [1] * 56, "subtitles": [1] * 60, "book": [1] * 42}, 100)
    found = agreement_intervals(serbian, resampling=QUICK)
    shown = {row["domain"]: row["share"] for row in rows_of(found, interval="over 40%")}
    assert shown == pytest.approx({"all": 158 / 300, "reviews": 0.56, "subtitles": 0.60, "book": 0.42})
    later = agreement_intervals(castilho({"all domains": [5] * 10 + [3] * 12 + [2] * 40}, 95), by=(), resampling=QUICK)
    assert later.value == pytest.approx(0.23, abs=5e-3)


def test_issues_of_reviews_in_serbian() -> None:
    """Castilho et al. 2020, Table 7: the percentages are those of 61 issues, 12, 21, 4, 3 and 21 of a kind."""
    counts = {"ambiguity": 12, "gender": 21, "source": 4, "unknown": 3, "other": 21}
    percent = {"ambiguity": 19.7, "gender": 34.4, "source": 6.6, "unknown": 4.9, "other": 34.4}
    labels = [[name] for name, n in counts.items() for _ in range(n)]
    made = pl.DataFrame({"labels": labels}).with_row_index("segment").with_columns(pl.col("segment").cast(pl.String))
    made = made.with_columns(document=pl.col("segment"), judge=pl.lit("SR"), question=pl.lit("reasons"))
    found = issue_shares(made, by=(), resampling=QUICK)
    assert {row["label"]: round(100 * row["share"], 1) for row in found.rows} == percent


def test_bacteria_die_at_the_printed_rate() -> None:
    """Chatterjee & Hadi: log n = 5.973 − 0.218 t; over a session of 15 items this is 14 such steps."""
    made = {
        "judge": ["j"] * 15,
        "document": [f"{k:02}" for k in range(15)],
        "segment": [f"{k:02}" for k in range(15)],
        "label": ["x"] * 15,
        "active": [float(n) for n in published_data.BACTERIA],
    }
    value = fatigue(made).value
    assert value is not None
    assert np.log1p(value / 100) / 14 == pytest.approx(-0.218, abs=5e-4)

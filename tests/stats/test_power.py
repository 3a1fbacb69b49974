""""""

from __future__ import annotations

from functools import partial

import numpy as np
import polars as pl
import pytest
from scipy import stats

from lanner.errors import DesignError, StatisticError
from lanner.model import Interval, Result
from lanner.stats.coefficients import kappa
from lanner.stats.power import PARTS as PARTS_OF_VARIANCE
from lanner.stats.power import (
    Components,
    CrossedTrials,
    Design,
    Trials,
    as_run,
    chances,
    defaults,
    documents_needed,
    expected_width,
    next_judgements,
    pilot,
    plan,
    preference_outlook,
    preference_pilot,
    preference_power,
    simulate,
)
from lanner.stats.ranking import duels, head_to_head
from lanner.stats.resample import Resampling, generator
from lanner.stats.scores import Items
from property_examples import rounds

PARTS = Components(system_document=4.0, system_item=6.0, system_judge=0.0, residual=10.0)


def test_the_simulated_spread_is_that_of_the_formula():
    design = Design(documents=30, sentences=8, judges=6, overlap=2)
    seen = simulate(PARTS, design, n=8000)
    expected = 2 * (4 / 30 + 6 / (30 * 8) + 10 / (30 * 8 * 2))
    assert seen.estimate.var() == pytest.approx(expected, rel=0.06)
    assert (seen.error**2).mean() == pytest.approx(expected, rel=0.06)
    assert seen.width == pytest.approx(2 * stats.t.ppf(0.975, 29) * np.sqrt(expected), rel=0.03)
    assert seen.coverage == pytest.approx(0.95, abs=0.01)


def test_power_is_that_of_the_t_test():
    seen = simulate(PARTS, Design(20, 5), n=8000)
    error = np.sqrt(2 * (4 / 20 + 6 / 100 + 10 / 100))
    for difference in (0.5, 1.5, 3.0):
        exact = 1 - stats.nct.cdf(stats.t.ppf(0.975, 19), 19, difference / error)
        power = (np.abs(seen.estimate + difference) > seen.error * seen.reach).mean()
        assert power == pytest.approx(exact, abs=0.02)


def test_judges_as_a_sample_need_wider_intervals_to_stay_honest():
    parts = Components(system_document=1.0, system_judge=4.0, residual=5.0)
    design = Design(documents=40, sentences=5, judges=6, overlap=1)
    fixed, random = (simulate(parts, design, judges_random=r, n=3000) for r in (False, True))
    assert fixed.coverage > 0.94, "of what these judges would say"
    assert (np.abs(fixed.estimate) <= fixed.error * fixed.reach).mean() < 0.8, "of what judges in general would"
    assert random.coverage > 0.92
    assert random.width > fixed.width


def test_a_plan_says_what_each_design_costs_and_shows():
    result = plan("esa", [Design(20, 10), Design(80, 10)], difference=3, minutes=0.5, hourly=30, n=500)
    first, second = result.rows
    assert (first["judgements"], first["hours"], first["cost"]) == (
        400,
        pytest.approx(400 * 0.5 / 60),
        pytest.approx(100),
    )
    assert result.value == first["width"]
    assert second["width"] == pytest.approx(first["width"] / 2, rel=0.08)
    assert second["power"] > first["power"]
    assert second["detectable"] < first["detectable"]
    assert "WMT23" in result.notes[0]


def test_documents_help_more_than_sentences_where_documents_differ():
    parts = Components(system_document=10.0, system_item=1.0, residual=1.0)
    best = next_judgements(parts, Design(20, 10, 4, 1), extra=400, n=500)
    assert best.rows[0]["way"] == "more documents"
    assert best.rows[0]["documents"] == 40
    assert best.rows[0]["narrower"] == pytest.approx(1 - 1 / np.sqrt(2), abs=0.04)
    worst = best.rows[-1]
    assert worst["narrower"] < 0.05


def test_more_judges_help_only_where_judges_are_the_trouble():
    parts = Components(system_document=0.5, system_judge=9.0, residual=1.0)
    result = next_judgements(parts, Design(20, 5, 3, 1), extra=200, judges_random=True, n=500)
    assert result.rows[0]["way"].startswith("more judges")


def test_too_small_an_extra_is_refused_with_the_price_of_a_document():
    with pytest.raises(DesignError, match="One more document takes 20"):
        next_judgements(PARTS, Design(20, 10), extra=5)


def test_a_pilot_gives_back_the_variances_it_was_made_from():
    rng = np.random.default_rng(3)
    systems, documents, sentences, judges = 4, 60, 3, 6
    rows = []
    sd = {"document": 2.0, "item": 1.0, "judge": 1.5, "sd": 2.0, "si": 1.0, "e": 3.0}
    document, judge = rng.normal(0, sd["document"], documents), rng.normal(0, sd["judge"], judges)
    by_system = rng.normal(0, sd["sd"], (documents, systems))
    for d in range(documents):
        for i in range(sentences):
            item, twist = rng.normal(0, sd["item"]), rng.normal(0, sd["si"], systems)
            for s in range(systems):
                for j in rng.choice(judges, 2, replace=False):
                    score = 70 + s + document[d] + item + judge[j] + by_system[d, s] + twist[s] + rng.normal(0, sd["e"])
                    rows.append((f"j{j}", f"d{d}", f"{d}.{i}", f"s{s}", score))
    data = pl.DataFrame(rows, schema=["judge", "document", "segment", "system", "quality"], orient="row")
    found = pilot(data, "quality")
    assert found.residual == pytest.approx(9.0, rel=0.12)
    assert found.system_document == pytest.approx(4.0, rel=0.35)
    assert found.document == pytest.approx(4.0, rel=0.6)
    assert found.system_judge < 0.5
    assert "pilot" in found.source


def test_one_system_alone_counts_everything_against_the_comparison():
    rng = np.random.default_rng(1)
    document = np.repeat(np.arange(30), 8)
    data = pl.DataFrame(
        {
            "judge": np.tile(["a", "b"], 120),
            "document": [f"d{d}" for d in document],
            "segment": [str(i // 2) for i in range(240)],
            "quality": rng.normal(0, 2, 30)[document] + rng.normal(size=240),
        }
    )
    found = pilot(data, "quality")
    assert found.document == found.item == 0
    assert found.system_document > 1


def scored(documents: int, judges: int, seed: int = 2) -> pl.DataFrame:
    """Scores of three systems by judges who differ by nothing but chance, of variance 16; documents differ by 9."""
    rng = np.random.default_rng(seed)
    rows = [
        (f"j{j}", f"d{d}", f"{d}.{i}", f"s{s}", level + rng.normal(0, 4))
        for d, level in enumerate(70 + rng.normal(0, 3, documents))
        for i in range(12)
        for s in range(3)
        for j in range(judges)
    ]
    return pl.DataFrame(rows, schema=["judge", "document", "segment", "system", "quality"], orient="row")


def test_the_variances_of_one_judge_are_no_more_than_scores_vary() -> None:
    data = scored(documents=30, judges=1)
    variances = pilot(data, "quality")
    assert variances.system_judge == variances.judge == 0
    assert variances.residual + variances.system_item == pytest.approx(16, rel=0.2)
    total = sum(getattr(variances, name) for name in PARTS_OF_VARIANCE)
    within = data.with_columns(pl.col("quality") - pl.col("quality").mean().over("system"))["quality"].var()
    assert total == pytest.approx(within, rel=0.1)
    assert "Its one judge does not show how judges differ" in variances.source
    assert "which systems a judge favours" not in variances.source, "it is part of the scores, not of what is shown"


def test_of_one_document_or_of_one_judge_nothing_is_planned_about_others() -> None:
    with pytest.raises(StatisticError, match="one document, which says nothing about how documents differ"):
        pilot(scored(documents=1, judges=3), "quality")
    with pytest.raises(StatisticError, match="one judge, who says nothing about how judges differ"):
        pilot(scored(documents=4, judges=1), "quality", judges_random=True)
    assert pilot(scored(documents=4, judges=2), "quality", judges_random=True).source


def test_a_plan_says_how_and_for_whom_it_tests_and_from_how_many_studies() -> None:
    design = Design(10, 3, 3, 2, systems=3)
    fixed, general = plan(PARTS, design, n=300), plan(PARTS, design, judges_random=True, n=300)
    assert "holds for these judges · power of permutation · correction holm · simulated 300" in str(fixed.signature)
    assert "holds for judges in general · power of crossed t · correction holm" in str(general.signature)
    assert (fixed.rows[0]["studies"], general.rows[0]["studies"]) == (150, 150)


def test_two_judges_are_not_promised_to_show_anything_of_others() -> None:
    for planned in (plan, partial(next_judgements, extra=500)):
        assert planned(PARTS, Design(10, 3, 3, 2), judges_random=True, n=20).value
        with pytest.raises(DesignError, match="nothing of judges in general"):
            planned(PARTS, Design(10, 3, 2, 2), judges_random=True, n=20)


def test_how_many_documents_a_narrower_kappa_needs():
    kappa = Result("κ", 0.4, Interval(0.3, 0.5, unit="document"), counts={"documents": 25})
    assert documents_needed(kappa, 0.1).value == 100
    assert documents_needed(Result("κ", 0.4), 0.1).value is None


def test_preference_power_is_the_binomials_where_items_are_independent():
    result = preference_power(0.65, documents=100, n=4000)
    seen = {row["test"]: row for row in result.rows}
    x = np.arange(101)
    rejected = np.array([stats.binomtest(int(k), 100).pvalue < 0.05 for k in x])
    assert seen["sign test"]["power"] == pytest.approx(stats.binom.pmf(x, 100, 0.65)[rejected].sum(), abs=0.02)


def test_alike_items_ruin_the_sign_test_and_not_the_one_by_document():
    result = preference_power(0.6, documents=30, items=10, alike=0.3, ties=0.1, n=2000)
    seen = {row["test"]: row for row in result.rows}
    assert seen["sign test"]["error_rate"] > 0.15
    assert seen["by document"]["error_rate"] == pytest.approx(0.05, abs=0.02)


def test_power_by_document_is_that_of_the_test_that_is_made():
    """Six documents that all say the same give p = 2/2⁶, five never less than 2/2⁵."""
    assert preference_power(0.9, documents=5, items=9, n=100).value == 0
    result = preference_power(0.9, documents=6, n=4000)  # one answer each: only six wins are enough
    assert result.value == pytest.approx(0.9**6, abs=0.03)


@pytest.mark.parametrize("name", ["esa", "da_sqm", "mqm", "mqm_ted", "h_falcon"])
def test_every_default_can_be_planned_with_and_says_where_it_comes_from(name):
    assert defaults(name).source
    assert plan(name, Design(10, 5, 2, 1), n=100).value > 0


def test_impossible_plans_are_refused_with_a_way_out():
    with pytest.raises(DesignError, match="at least 3 judges"):
        Design(10, 5, judges=2, overlap=3)
    with pytest.raises(DesignError, match="whole numbers"):
        Design(0, 5)
    with pytest.raises(DesignError, match="two or more"):
        plan(PARTS, Design(1, 5))
    with pytest.raises(StatisticError, match="esa"):
        defaults("eas")
    with pytest.raises(StatisticError, match="negative"):
        Components(residual=-1)
    with pytest.raises(StatisticError, match="too small"):
        pilot({"judge": ["a"], "document": ["d"], "q": [1.0]}, "q")


def judged(documents: int, seed: int = 1) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    rows = []
    for d in range(documents):
        slip = rng.uniform(0, 0.6)
        for s in range(5):
            true = int(rng.integers(3))
            for judge in "ab":
                given = int(rng.integers(3)) if rng.random() < slip else true
                rows.append((judge, f"d{d:03}", f"{d}.{s}", "xyz"[given]))
    return pl.DataFrame(rows, schema=["judge", "document", "segment", "label"], orient="row")


def test_the_expected_width_is_the_width_of_such_studies():
    pilot = judged(60)
    plan = kappa.plan(pilot)
    few, many = expected_width(plan, [15, 60], n=200).rows
    own = kappa(pilot, resampling=Resampling(method="t"))
    assert many["width"] == pytest.approx(own.high - own.low, rel=0.1)
    assert few["width"] == pytest.approx(2 * many["width"], rel=0.15)
    assert many["usual_low"] < own.value < many["usual_high"]


def test_a_pilot_of_few_documents_cannot_tell_and_plans_of_one_are_refused():
    """Drawn from two documents, an eighth of whose studies are all alike, κ was to be known to ±0.04."""
    for few, words in ((1, "1 document;"), (4, "4 documents;")):
        one = expected_width(kappa.plan(judged(few)), [10], n=5)
        assert one.value is None and not one.rows
        assert f"the pilot has {words} it takes 5" in one.notes[0]
    assert expected_width(kappa.plan(judged(5)), [10], n=5).value is not None
    with pytest.raises(DesignError, match="two or more"):
        expected_width(kappa.plan(judged(5)), [1])


def test_the_design_of_a_pilot():
    design = as_run(judged(7), "")
    assert (design.documents, design.sentences, design.judges, design.overlap) == (7, 5, 2, 2)
    with pytest.raises(DesignError, match="no answers"):
        as_run(judged(2), "nothing")


def preferences(documents, alike, seed=0):
    rng = np.random.default_rng(seed)
    chance = (
        rng.beta(0.6 * (1 - alike) / alike, 0.4 * (1 - alike) / alike, documents) if alike else np.full(documents, 0.6)
    )
    rows = [
        ("j", f"d{d:03}", f"{d}.{s}", "tie" if rng.random() < 0.2 else "x" if rng.random() < chance[d] else "y")
        for d in range(documents)
        for s in range(8)
    ]
    return pl.DataFrame(rows, schema=["judge", "document", "segment", "label"], orient="row")


def test_a_pilot_gives_back_the_preferences_it_was_made_from():
    found = preference_pilot(preferences(400, 0.3), "")
    assert found["share"] == pytest.approx(0.6, abs=0.05)
    assert found["ties"] == pytest.approx(0.2, abs=0.03)
    assert found["alike"] == pytest.approx(0.3, abs=0.06)
    assert found["items"] == 8
    assert preference_pilot(preferences(400, 0), "")["alike"] < 0.05


def test_more_documents_show_a_preference_more_often():
    rows = preference_outlook({"share": 0.6, "ties": 0.1, "items": 4, "alike": 0.1}, [10, 60], n=300).rows
    assert rows[0]["power"] < rows[1]["power"]
    nothing = preference_outlook({"share": 0.6, "ties": 0.1, "items": 4, "alike": 0.1}, [30], share=0.5, n=1000)
    assert nothing.value == pytest.approx(0.05, abs=0.03)


def studied(design, difference, seed, parts=PARTS):
    """One study with that design, its scores written out, one system better than the others."""
    rng = np.random.default_rng(seed)
    d, m, s = design.documents, design.sentences, design.systems
    document = np.repeat(np.arange(d), m)
    shared = rng.normal(0, 5, d * m)
    rows = []
    for k in range(s):
        own = rng.normal(0, parts.system_document**0.5, d)[document] + rng.normal(0, parts.system_item**0.5, d * m)
        score = shared + own + rng.normal(0, parts.residual**0.5, d * m) + (difference if k == 0 else 0)
        rows += [
            (f"s{k}", "", f"d{a:03}", str(n), float(v), 1) for n, (a, v) in enumerate(zip(document, score, strict=True))
        ]
    names = ["system", "domain", "document", "segment", "score", "judges"]
    return Items(pl.DataFrame(rows, schema=names, orient="row"), "score", 1)


@pytest.mark.parametrize(
    ("design", "difference"), [(Design(8, 5), 4.0), (Design(20, 5), 2.0), (Design(12, 4, systems=4), 4.0)]
)
def test_the_promised_power_is_that_of_the_ranking_itself(design, difference):
    promised = plan(PARTS, design, difference=difference).rows[0]["power"]
    hits = []
    for seed in range(rounds(40, 80)):
        names = [f"s{k}" for k in range(design.systems)]
        pair = duels(studied(design, difference, seed), names, swaps=2000)[0]
        hits.append(pair.p_adjusted < 0.05 and pair.direction > 0)
    assert promised == pytest.approx(np.mean(hits), abs=0.15)


def test_more_systems_take_more_to_tell_apart_and_five_documents_show_nothing():
    two, eight = (plan(PARTS, Design(12, 5, systems=s), difference=3.0, n=300).rows[0] for s in (2, 8))
    assert eight["power"] < two["power"]
    assert eight["detectable"] > two["detectable"]
    assert eight["judgements"] == 4 * two["judgements"]
    few = plan(PARTS, Design(5, 10), difference=50.0, n=100).rows[0]
    assert (few["power"], few["detectable"]) == (0, None)


def test_chances_of_several_differences_are_the_power_of_each():
    design = Design(12, 3, 4, 2, 3)
    alone = [plan(PARTS, design, difference=gap, n=300).rows[0]["power"] for gap in (1.0, 3.0, 6.0)]
    assert chances(PARTS, design, (1.0, 3.0, 6.0), n=300) == alone
    assert alone == sorted(alone) and alone[0] < 0.5 < alone[-1]


def test_judges_as_a_sample_count_by_what_each_of_them_judged():
    """Seven documents for four judges, two each: two of them judge four, two judge three."""
    parts = Components(system_document=0.0, system_item=0.0, system_judge=9.0, residual=0.0)
    outlook = simulate(parts, Design(7, 1, 4, 2, 2), judges_random=True, n=1, seed=3)
    tastes = _tastes(parts, 7, 4, 3)
    turn = (np.arange(7)[:, None] * 2 + np.arange(2)) % 4
    means = tastes[turn].mean(axis=1)
    assert outlook.estimate[0] == pytest.approx(means.mean())
    rows = [
        ("d" + str(d), "1", system, f"j{judge}", tastes[judge] * (system == "alder"))
        for d, judges in enumerate(turn)
        for judge in judges
        for system in ("alder", "birch")
    ]
    names = ["document", "segment", "system", "judge", "score"]
    [row] = head_to_head(pl.DataFrame(rows, schema=names, orient="row"), "score", other_judges=True).rows
    assert 2 * outlook.error[0] * outlook.reach[0] == pytest.approx(row["high"] - row["low"])


@pytest.mark.parametrize(("overlap", "gap"), [(1, 12.0), (2, 8.0), (3, 6.0)])
def test_the_power_for_judges_in_general_is_that_of_the_test_of_all_pairs(overlap: int, gap: float) -> None:
    trials = CrossedTrials.of(PARTS, Design(9, 1, 3, overlap, 3), correction="holm", alpha=0.05, n=100, seed=1)
    gaps = trials.gaps + np.array([gap, gap, 0.0])
    p = np.sort(2 * stats.t.sf(np.abs(gaps) / trials.errors, trials.freedom), axis=1)
    own = 2 * stats.t.sf(np.abs(gaps[:, 0]) / trials.errors[:, 0], trials.freedom[:, 0])
    place = (p < own[:, None]).sum(axis=1)
    holm = np.maximum.accumulate(p * [3, 2, 1], axis=1)[np.arange(100), place]
    expected = ((holm < 0.05) & (gaps[:, 0] > 0)).mean()
    assert 0 < trials.pair_found(gap) == expected < (own < 0.05).mean()


def _tastes(parts: Components, documents: int, judges: int, seed: int):
    """The judges' tastes, as the simulation draws them after the documents."""
    rng = generator(seed, 7)
    rng.normal(size=(1, documents))
    return rng.normal(size=(1, judges))[0] * np.sqrt(2 * parts.system_judge)


@pytest.mark.parametrize(
    ("documents", "drawn", "systems", "alpha", "told_apart"),
    [
        (40, 19, 2, 0.05, 0.0),  # p is 1/20, which is not below 5 %
        (40, 20, 2, 0.05, 1.0),  # p is 1/21
        (40, 59, 3, 0.05, 0.0),  # p is 1/60, three times that after the correction
        (40, 60, 3, 0.05, 1.0),  # p is 3/61
        (6, 0, 2, 0.04, 1.0),  # all 64 swaps: p is 2/64
        (6, 0, 2, 1 / 32, 0.0),
    ],
)
def test_a_planned_study_is_tested_with_the_p_of_a_ranking(
    documents: int, drawn: int, systems: int, alpha: float, told_apart: float
) -> None:
    """One study without noise in which the first system is far ahead in every document: no drawn swap reaches that, of
    all swaps two do."""
    means = np.zeros((1, systems, documents))
    means[:, 1:] += np.arange(systems - 1)[:, None] * 10.0
    signs = np.random.default_rng(1).choice([-1.0, 1.0], (drawn, documents))
    if not drawn:
        signs = 2.0 * ((np.arange(2**documents)[:, None] >> np.arange(documents)) & 1) - 1
    trials = Trials(means, signs, exact=not drawn, correction="holm", alpha=alpha)
    assert trials.pair_found(1000.0) == told_apart

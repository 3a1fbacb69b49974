"""Judges and documents both as samples: against closed forms, in simulated worlds, and through the public functions."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy import stats

from lanner.errors import StatisticError
from lanner.stats import ranking
from lanner.stats.crossed import CrossedSteps
from lanner.stats.resample import Resampling
from lanner.stats.scores import Items
from property_examples import rounds

TWO_WAY = Resampling(unit="two-way", n=50)


def world(
    seed: int, documents: int, judges: int, *, taste: float = 0.7, sparse: float = 0.0, nested: bool = False
) -> pl.DataFrame:
    """Two systems that do not differ, judges who are severe and have favourites, documents that are hard."""
    rng = np.random.default_rng([seed, documents, judges])
    hard, severe = rng.normal(0, 1, documents), rng.normal(0, 1, judges)
    own, favour = rng.normal(0, 0.5, (documents, 2)), rng.normal(0, taste, (judges, 2))
    rows = []
    for d in range(documents):
        for j in [d % judges] if nested else range(judges):
            for segment in range(2):
                for s in range(2):
                    if rng.random() >= sparse:
                        score = hard[d] + severe[j] + own[d, s] + favour[j, s] + rng.normal()
                        rows.append((f"d{d}", str(segment), f"j{j}", f"s{s}", score))
    return pl.DataFrame(rows, schema=["document", "segment", "judge", "system", "score"], orient="row")


def test_balanced_designs_have_the_classical_variances():
    data = world(1, 12, 5)
    [duel] = ranking.rank(data, "", resampling=TWO_WAY).duels
    sign = 1 if duel.system == "s0" else -1
    wide = data.pivot("system", index=["document", "segment", "judge"], values="score")
    gaps_table = wide.with_columns(gap=sign * (pl.col("s0") - pl.col("s1")))
    cells = gaps_table.group_by("document", "judge", maintain_order=True).agg(pl.col("gap").mean())
    gaps = cells.pivot("judge", index="document", values="gap").drop("document").to_numpy()
    by_document = gaps.mean(axis=1).var(ddof=1) / 12
    by_judge = gaps.mean(axis=0).var(ddof=1) / 5
    by_cell = gaps.var(ddof=1) / 60
    variance = by_document + by_judge - by_cell
    df = variance**2 / (by_document**2 / 11 + by_judge**2 / 4)
    reach = stats.t.ppf(0.975, df) * np.sqrt(variance)
    assert duel.difference == pytest.approx(gaps.mean())
    assert (duel.low, duel.high) == pytest.approx((gaps.mean() - reach, gaps.mean() + reach), rel=0.02)
    assert duel.p == pytest.approx(2 * stats.t.sf(abs(gaps.mean()) / np.sqrt(variance), df), rel=0.05)


@pytest.mark.parametrize(("documents", "judges", "options"), [(20, 5, {}), (24, 6, {"nested": True})])
def test_the_interval_holds_for_other_judges(documents: int, judges: int, options: dict[str, bool]):
    wrong_fixed, wrong_crossed, studies = 0, 0, rounds(30, 80)
    for seed in range(studies):
        data = world(seed, documents, judges, **options)  # type: ignore[arg-type]
        [crossed] = ranking.rank(data, "", resampling=Resampling(unit="two-way", n=10)).duels
        wrong_crossed += crossed.p < 0.05
        if not options and seed % 2:
            [fixed] = ranking.rank(data, "", swaps=200, resampling=Resampling(n=10)).duels
            wrong_fixed += fixed.p < 0.05
    assert wrong_crossed / studies < 0.14  # 5 % wanted; the luck of a few studies doubles it
    if not options:
        assert wrong_fixed / (studies // 2) > 0.2  # what is right of these judges is not right of others


def test_sparse_designs_p_and_interval_agree_and_names_do_not_matter():
    for seed in range(6):
        data = world(seed, 10, 4, taste=0.3, sparse=0.5)
        data = data.with_columns(score=pl.col("score") + pl.when(pl.col("system") == "s0").then(seed / 4).otherwise(0))
        first = ranking.rank(data, "", resampling=TWO_WAY)
        [duel] = first.duels
        assert (duel.p < 0.05) == (not duel.low <= 0 <= duel.high)
        renamed = data.with_columns(judge=pl.col("judge").replace({"j0": "zoe", "j3": "abe"})).sample(
            fraction=1, shuffle=True, seed=seed
        )
        [again] = ranking.rank(renamed, "", resampling=TWO_WAY).duels
        assert (again.system, again.p, again.low) == (duel.system, pytest.approx(duel.p), pytest.approx(duel.low))


def test_a_shifted_judge_changes_no_difference_where_all_judged_all():
    data = world(3, 8, 4)
    moved = data.with_columns(score=pl.col("score") + pl.when(pl.col("judge") == "j1").then(10.0).otherwise(0.0))
    [one], [two] = (ranking.rank(table, "", resampling=TWO_WAY).duels for table in (data, moved))
    assert (two.difference, two.p, two.low) == pytest.approx((one.difference, one.p, one.low))


def test_two_judges_are_too_few_and_rank_tests_know_no_judges():
    result = ranking.systems(world(1, 8, 2), "", other_judges=True)
    assert all(row["low"] is None for row in result.rows)
    assert any("judges in general" in note for note in result.notes)
    with pytest.raises(StatisticError, match="rank test"):
        ranking.systems(world(1, 8, 4), "", other_judges=True, test="signed-rank")
    with pytest.raises(StatisticError, match="judges"):
        ranking.systems(Items(world(1, 8, 4).with_columns(domain=pl.lit("")), "", 1), "", other_judges=True)


def test_signatures_say_whom_they_speak_of():
    data = world(2, 8, 4)
    assert "holds for these judges" in str(ranking.systems(data, "").signature)
    result = ranking.systems(data, "", other_judges=True)
    assert "holds for judges in general" in str(result.signature)
    assert result.interval is not None and result.interval.unit == "two-way"
    assert all(sum(row["ranks"]) == pytest.approx(1, abs=0.01) for row in result.rows)


def test_margins_are_tested_for_other_judges_too():
    data = world(5, 20, 6, taste=0.1)
    tight, loose = (
        ranking.head_to_head(data, "", other_judges=True, margin=margin).rows[0]["p_equivalent"]
        for margin in (0.01, 5.0)
    )
    assert tight > 0.4 and loose < 0.05


def test_steps_without_anything_left_have_no_interval():
    sums = np.array([[1.0, 1.0], [2.0, 1.0], [3.0, 1.0]])
    steps = CrossedSteps.of(
        sums, [np.zeros((3, 2))] * 3, lambda s: s[:, [0]] / np.where(s[:, [1]] > 0, s[:, [1]], np.nan)
    )
    assert steps.outcome(0, TWO_WAY).interval is None

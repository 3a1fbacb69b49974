"""Rankings and head-to-head tests against their definitions, and what they must never say."""

from itertools import product

import numpy as np
import polars as pl
import pytest
from scipy import stats

from data_sets import data_dir
from lanner.analysis.material import from_file
from lanner.errors import StatisticError
from lanner.stats import ranking
from lanner.stats.ranking import corrected, duels, holm
from lanner.stats.resample import Resampling
from lanner.stats.scores import Averaging, Items, score_table, shares_segments


def found(seed: int = 0, documents: int = 6, gap: float = 1.0) -> Items:
    rng = np.random.default_rng(seed)
    rows = []
    for d, s in product(range(documents), range(3)):
        for system, shift in (("oak", gap), ("elm", 0.0)):
            rows.append((system, ("news", "talk")[d % 2], f"d{d}", str(s), float(rng.normal() + shift), 1))
    names = ["system", "domain", "document", "segment", "score", "judges"]
    return Items(pl.DataFrame(rows, schema=names, orient="row"), "score", 1)


def wide(items: Items) -> pl.DataFrame:
    return items.table.pivot("system", index=["domain", "document", "segment"], values="score")


@pytest.mark.parametrize("average", ["micro", "document", "macro", "document-macro"])
def test_the_permutation_test_is_its_definition(average: str) -> None:
    """Swap the systems' names in every subset of documents and count how often the scores differ as much."""
    items = found()

    def difference(table: pl.DataFrame) -> float:
        oak, elm = Averaging.of(Items(table, "score", 1), ["oak", "elm"], average).values()  # type: ignore[arg-type]
        return float(oak - elm)

    observed = abs(difference(items.table))
    documents = sorted(set(items.table["document"]))
    other = pl.when(pl.col("system") == "oak").then(pl.lit("elm")).otherwise(pl.lit("oak"))
    reached = []
    for swapped in product([False, True], repeat=len(documents)):
        chosen = [d for d, swap in zip(documents, swapped, strict=True) if swap]
        now = pl.when(pl.col("document").is_in(chosen)).then(other).otherwise(pl.col("system"))
        reached.append(abs(difference(items.table.with_columns(system=now))) >= observed - 1e-9)
    [duel] = duels(items, ["oak", "elm"], average=average)  # type: ignore[arg-type]
    assert duel.p == pytest.approx(np.mean(reached))


def test_random_swaps_come_near_to_all_swaps() -> None:
    items = found(3, gap=0.3)
    [exact] = duels(items, ["oak", "elm"])
    [drawn] = duels(items, ["oak", "elm"], swaps=50)
    assert exact.p is not None
    assert drawn.p is not None
    assert abs(exact.p - drawn.p) < 0.25
    assert drawn.p >= 1 / 51


def test_p_of_drawn_swaps_counts_the_difference_itself_among_them() -> None:
    """No draw of 99 swaps all of 40 documents or none (that is one in 2⁴⁰), so nothing but the difference itself is as
    large: p is 1/100. Where the documents cancel out, every swap is as large: p is 1."""
    [far] = duels(found(documents=40, gap=50.0), ["oak", "elm"], swaps=99)
    assert far.p == pytest.approx(1 / 100, abs=1e-12)
    rows = [
        (system, "news", f"d{d}", "0", float((1 if d % 2 else -1) * (system == "oak")), 1)
        for d in range(40)
        for system in ("oak", "elm")
    ]
    names = ["system", "domain", "document", "segment", "score", "judges"]
    even = Items(pl.DataFrame(rows, schema=names, orient="row"), "score", 1)
    [same] = duels(even, ["oak", "elm"], swaps=99)
    assert same.p == 1


@pytest.mark.parametrize("rounded", [False, True])
def test_rank_tests_are_those_of_scipy(rounded: bool) -> None:
    items = found(1)
    if rounded:  # with equal scores and equal differences
        items = Items(items.table.with_columns(pl.col("score").round()), "score", 1)
    table = wide(items)
    [signed] = duels(items, ["oak", "elm"], test="signed-rank")
    assert signed.p == pytest.approx(stats.wilcoxon(table["oak"], table["elm"]).pvalue)
    [summed] = duels(items, ["oak", "elm"], test="rank-sum")
    assert summed.p == pytest.approx(stats.mannwhitneyu(table["oak"], table["elm"]).pvalue)


def test_domains_are_combined_by_stouffer() -> None:
    items = found(2, gap=0.4)
    parts = [wide(items).filter(pl.col("domain") == domain) for domain in ("news", "talk")]
    ps = [float(stats.wilcoxon(part["oak"], part["elm"]).pvalue) for part in parts]
    [duel] = duels(items, ["oak", "elm"], test="signed-rank", combine="stouffer")
    assert duel.p == pytest.approx(stats.combine_pvalues(ps, "stouffer").pvalue)


def test_domains_that_point_opposite_ways_cancel_only_with_their_sign() -> None:
    items = found(4, documents=12, gap=0)
    shift = pl.when(pl.col("domain") == "news").then(2.0).otherwise(-2.0)
    oak = pl.when(pl.col("system") == "oak").then(pl.col("score") + shift).otherwise(pl.col("score"))
    items = Items(items.table.with_columns(score=oak), "score", 1)
    [blind] = duels(items, ["oak", "elm"], test="signed-rank", combine="stouffer")
    [signed] = duels(items, ["oak", "elm"], test="signed-rank", combine="signed-stouffer")
    assert blind.p is not None
    assert signed.p is not None
    assert blind.p < 0.001 < 0.05 < signed.p


def test_holm() -> None:
    assert holm([0.01, 0.04, None, 0.03]) == [0.03, 0.06, None, 0.06]


def test_equal_systems_and_systems_that_share_nothing() -> None:
    items = found()
    same = Items(items.table.with_columns(score=pl.lit(1.0)), "score", 1)
    for test in ("permutation", "signed-rank", "rank-sum"):
        [duel] = duels(same, ["oak", "elm"], test=test)  # type: ignore[arg-type]
        assert duel.p == 1
    apart = pl.col("document") + pl.col("system")
    [duel] = duels(Items(items.table.with_columns(document=apart), "score", 1), ["oak", "elm"])
    assert (duel.p, duel.n) == (None, 0)


def test_documents_are_compared_where_segment_ids_do_not_match() -> None:
    items = found(documents=8)
    renamed = Items(items.table.with_columns(segment=pl.col("segment") + pl.col("system")), "score", 1)
    assert not shares_segments(renamed, ["oak", "elm"])
    [duel], [plain] = duels(renamed, ["oak", "elm"]), duels(items, ["oak", "elm"])
    assert duel.n == 8
    assert duel.p == pytest.approx(plain.p)


def test_thousands_of_documents_are_swapped_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    rows = [("news", f"d{d}", "1", name, float(rng.normal())) for d in range(1100) for name in ("oak", "elm")]
    names = ["domain", "document", "segment", "system", "score"]
    items = Items(pl.DataFrame(rows, schema=names, orient="row").with_columns(weight=1.0), "score", 1)
    [whole] = duels(items, ["oak", "elm"], swaps=500)
    monkeypatch.setattr("lanner.stats.ranking._HELD", 50_000)
    [parts] = duels(items, ["oak", "elm"], swaps=500)
    assert whole.p is not None and 0 < whole.p < 1
    assert parts.p == whole.p


PUBLISHED = {
    "ref": 0.91, "Facebook-AI": 1.06, "Online-W": 1.12, "VolcTrans-AT": 1.24, "metricsystem3": 1.44,
    "VolcTrans-GLAT": 1.49, "HuaweiTSC": 1.50, "metricsystem1": 1.63, "metricsystem2": 1.69, "metricsystem5": 1.72,
    "UEdin": 1.77, "metricsystem4": 1.78, "eTranslation": 1.96, "Nemo": 2.14,
}  # fmt: skip


def ratings(gaps: dict[str, float], documents: int = 24, seed: int = 0) -> pl.DataFrame:
    """Each system a constant better or worse than the texts, which differ among each other."""
    rng = np.random.default_rng(seed)
    rows = [
        (f"j{judge}", system, f"d{d}", str(s), 50 + hard + gap + float(rng.normal(0, 2)))
        for d in range(documents)
        for s, hard in enumerate(rng.normal(0, 10, 3))
        for system, gap in gaps.items()
        for judge in range(2)
    ]
    return pl.DataFrame(rows, schema=["judge", "system", "document", "segment", "score"], orient="row")


def test_clear_differences_make_clusters_and_narrow_rank_ranges() -> None:
    result = ranking.systems(ratings({"elm": 0, "oak": 8, "fir": 0, "ash": 16}), "score")
    ranks = {row["system"]: (row["rank_low"], row["rank_high"], row["cluster"]) for row in result.rows}
    assert ranks["ash"] == (1, 1, 1)
    assert ranks["oak"] == (2, 2, 2)
    assert {ranks["elm"], ranks["fir"]} == {(3, 4, 3)}
    assert [row["rank"] for row in result.rows] == [1, 2, 3, 4]
    assert result.counts == {"items": 288, "systems": 4, "documents": 24, "judges": 2}


def test_intervals_hold_the_score_and_signatures_say_how() -> None:
    result = ranking.systems(ratings({"elm": 0, "oak": 8}), "score", resampling=Resampling(n=200))
    for row in result.rows:
        assert row["low"] < row["score"] < row["high"]
    assert "by document" in str(result.signature)
    assert "test permutation" in str(result.signature)


def test_where_low_is_good_the_lowest_is_first() -> None:
    result = ranking.systems(ratings({"elm": 0, "oak": 8}), "score", direction="lower_is_better")
    assert [row["system"] for row in result.rows] == ["elm", "oak"]
    assert result.rows[0]["ranks"][0] == 1
    with pytest.raises(StatisticError, match="direction"):
        ranking.systems(ratings({"elm": 0}), "score", direction="lower")


def test_rank_probabilities_are_shares_of_resamples_and_ties_share() -> None:
    drawn = np.array([[3.0, 2.0, 1.0], [3.0, 3.0, 1.0], [1.0, 2.0, 3.0], [3.0, 2.0, np.nan]])
    assert ranking.rank_probabilities(drawn) == pytest.approx(np.array([[1.5, 0.5, 1], [0.5, 2.5, 0], [1, 0, 2]]) / 3)


def test_every_pair_once_with_wins_and_holm() -> None:
    rows = ranking.head_to_head(ratings({"elm": 0, "oak": 1, "fir": 9}), "score").rows
    assert [(row["system"], row["other"]) for row in rows] == [("fir", "oak"), ("fir", "elm"), ("oak", "elm")]
    for row in rows:
        assert row["p"] <= row["p_holm"] <= 1
        assert row["higher"] + row["lower"] <= row["n"] == 72


def test_few_documents_are_said_to_show_little() -> None:
    result = ranking.systems(ratings({"elm": 0, "oak": 8}, documents=4), "score")
    assert any("no permutation test can give p below 0.12" in note for note in result.notes)
    assert {row["cluster"] for row in result.rows} == {1}


def test_a_scorecard_passes_or_fails_per_words() -> None:
    data = ratings({"elm": 0, "oak": 40})
    words = dict.fromkeys(data.select("document", "segment").unique().rows(), 100)
    options = {"direction": "lower_is_better", "per_words": 100, "pass_at_most": 70, "words": words}
    rows = ranking.systems(data, "score", **options).rows
    assert [(row["system"], row["passed"]) for row in rows] == [("elm", True), ("oak", False)]
    assert rows[0]["score"] == pytest.approx(rows[0]["micro"])


def test_nothing_scored_is_undefined_and_not_an_error() -> None:
    data = ratings({"elm": 0}).with_columns(role=pl.lit("control"))
    assert ranking.systems(data, "score").value is None


@pytest.mark.data
def test_the_published_scores_of_ted() -> None:
    """The last digit of eTranslation is printed as 1.96; its published segment averages give 1.9688."""
    part = from_file(data_dir("mqm") / "mqm_ted_ende.tsv")[0]
    rows = ranking.systems(part.table, "penalty", direction="lower_is_better").rows
    assert [row["system"] for row in rows] == list(PUBLISHED)
    for row in rows:
        assert abs(row["score"] - PUBLISHED[row["system"]]) < (0.009 if row["system"] == "eTranslation" else 0.00501)


def test_one_system_has_a_score_and_nobody_to_beat() -> None:
    (row,) = ranking.systems(ratings({"oak": 0.0}), "score").rows
    assert (row["rank_low"], row["rank_high"], row["cluster"]) == (1, 1, 1)
    assert row["low"] < row["score"] < row["high"]
    assert ranking.head_to_head(ratings({"oak": 0.0}), "score").rows in ((), [])


def unequal(gap: float = 5.0, seed: int = 0) -> pl.DataFrame:
    """Both systems on 20 hard documents, where the second is better by `gap` on every segment; the first alone on 20
    easy documents as well."""
    rng = np.random.default_rng(seed)
    rows = []
    for d, s in product(range(20), range(5)):
        base = 40 + rng.normal(0, 3)
        rows.append((f"hard{d}", str(s), "A", "j", base))
        rows.append((f"hard{d}", str(s), "B", "j", base + gap + rng.normal(0, 0.5)))
        rows.append((f"easy{d}", str(s), "A", "j", 90 + rng.normal(0, 3)))
    return pl.DataFrame(rows, schema=["document", "segment", "system", "judge", "score"], orient="row")


def test_easier_documents_do_not_make_a_winner() -> None:
    result = ranking.systems(unequal(), "")
    best, other = result.rows
    assert (best["system"], best["cluster"], best["wins"]) == ("B", 1, 1)
    assert (other["system"], other["cluster"], other["losses"]) == ("A", 2, 1)
    assert best["micro"] < other["micro"]
    assert best["score"] - other["score"] == pytest.approx(5, abs=0.3)
    assert any("adjusted" in note for note in result.notes)
    assert "adjusted" in str(result.signature)


def test_a_ranking_by_plain_means_never_lets_the_loser_win() -> None:
    made = ranking.rank(unequal(), "", adjust="none")
    assert made.systems == ("A", "B")
    assert made.beats.tolist() == [[0, 0], [1, 0]]
    assert made.clusters == (1, 1)
    assert any("B is better on the segments that both have" in note for note in made.result.notes)


@pytest.mark.parametrize("test", ["permutation", "signed-rank", "rank-sum"])
@pytest.mark.parametrize("direction", ["higher_is_better", "lower_is_better"])
def test_who_wins_is_who_the_test_says(test: str, direction: str) -> None:
    """Against the sign of the mean difference on shared segments, on sparse tables."""
    for seed in range(6):
        data = ratings({"oak": 0, "elm": 6, "fir": 12}, seed=seed).sample(fraction=0.5, seed=seed)
        made = ranking.rank(data, "score", test=test, direction=direction, swaps=500)  # type: ignore[arg-type]
        better = 1 if direction == "higher_is_better" else -1
        table = score_table(made.items, made.systems).scores
        for a, b in product(range(3), repeat=2):
            if made.beats[a, b]:
                gap = table[:, a] - table[:, b]
                if test != "rank-sum":
                    assert better * np.nanmean(gap) > 0


@pytest.mark.parametrize("test", ["signed-rank", "rank-sum"])
@pytest.mark.parametrize("documents", [3, 8])
def test_rank_tests_know_equal_differences_whatever_their_rounding(test: str, documents: int) -> None:
    """Means of tenths over three judges differ in the last bit by the order of the judges, a shift and a scale."""
    rng = np.random.default_rng(5)
    rows = [
        (f"j{judge}", system, f"d{d}", "1", int(rng.integers(0, 5)) / 10)
        for d, system, judge in product(range(documents), ("oak", "elm"), range(3))
    ]
    data = pl.DataFrame(rows, schema=["judge", "system", "document", "segment", "score"], orient="row")
    score = pl.col("score")
    changes = (score, score + 1000 / 3, score * 10, score - 0.1)
    tables = [data.with_columns(change.alias("score")) for change in changes]
    tables += [data.sample(fraction=1, shuffle=True, seed=seed) for seed in range(3)]
    rows_of_pairs = [ranking.head_to_head(table, "score", test=test).rows[0] for table in tables]
    outcomes = {(row["system"], row["p"], row["higher"], row["lower"]) for row in rows_of_pairs}
    assert len(outcomes) == 1
    tenths = np.array([round(10 * row[4]) for row in rows]).reshape(documents, 2, 3).sum(axis=2)  # without rounding
    oak, elm = tenths.T
    expected = stats.wilcoxon(oak - elm) if test == "signed-rank" else stats.mannwhitneyu(oak, elm)
    assert rows_of_pairs[0]["p"] == pytest.approx(float(expected.pvalue))


def test_adjusted_scores_are_least_squares_with_segment_effects() -> None:
    """Against numpy's least squares on dummies: differences of the systems' coefficients."""
    data = ratings({"oak": 0, "elm": 6, "fir": 12}, documents=8).sample(fraction=0.5, seed=3)
    made = ranking.rank(data, "score", swaps=100)
    table = made.items.table.with_columns(item=pl.col("document") + "/" + pl.col("segment"))
    columns = [
        *((table["system"] == name).cast(pl.Float64).to_numpy() for name in made.systems),
        *((table["item"] == name).cast(pl.Float64).to_numpy() for name in sorted(set(table["item"]))[1:]),
    ]
    beta = np.linalg.lstsq(np.stack(columns, axis=1), table["score"].to_numpy(), rcond=None)[0]
    assert np.diff(made.scores) == pytest.approx(np.diff(beta[:3]))


def test_systems_without_a_common_document_are_not_ranked() -> None:
    data = unequal().filter(~((pl.col("system") == "A") & pl.col("document").str.starts_with("hard")))
    result = ranking.systems(data, "")
    assert any("not a ranking" in note for note in result.notes)
    assert {row["wins"] for row in result.rows} == {0}
    assert {row["cluster"] for row in result.rows} == {1}


@pytest.mark.parametrize("documents", [6, 9, 30])
@pytest.mark.parametrize("average", ["micro", "document", "macro"])
def test_the_interval_of_a_difference_ends_where_its_test_begins_to_reject(documents: int, average: str) -> None:
    """Shift one system by d: the test against 0 must reject exactly for d beyond the ends of the interval."""
    items = found(5, documents=documents, gap=0.2)
    options = {"average": average, "swaps": 1999}  # the p of a hundred swaps is just 5 %
    [duel] = duels(items, ["oak", "elm"], **options)  # type: ignore[arg-type]
    assert duel.low is not None and duel.high is not None
    assert duel.low < duel.difference < duel.high
    width = duel.high - duel.low
    for end, outward in ((duel.low, -1), (duel.high, 1)):
        for step in (-1e-6, 1e-6):  # one swap more or less would move an end further
            shift = pl.when(pl.col("system") == "oak").then(pl.col("score") - end - outward * step * width)
            moved = Items(items.table.with_columns(score=shift.otherwise(pl.col("score"))), "score", 1)
            [again] = duels(moved, ["oak", "elm"], **options)  # type: ignore[arg-type]
            assert (again.p <= 0.05) == (step > 0)


def test_five_documents_have_no_interval_of_a_difference() -> None:
    [duel] = duels(found(documents=5, gap=50), ["oak", "elm"])
    assert duel.p == pytest.approx(2 / 2**5)
    assert (duel.low, duel.high) == (None, None)


def test_equivalence_is_two_one_sided_tests_and_agrees_with_the_90_per_cent_interval() -> None:
    for seed in range(8):
        items = found(seed, documents=12, gap=0.1)
        [duel] = duels(items, ["oak", "elm"], margin=0.6)
        assert duel.p_equivalent is not None and duel.p_not_worse is not None
        assert duel.p_not_worse <= duel.p_equivalent
        t = stats.ttest_1samp  # the usual test on document means, which must come near
        gaps = (
            wide(items).group_by("document").agg((pl.col("oak") - pl.col("elm")).mean().alias("gap"))["gap"].to_numpy()
        )
        usual = max(t(gaps, -0.6, alternative="greater").pvalue, t(gaps, 0.6, alternative="less").pvalue)
        assert duel.p_equivalent == pytest.approx(usual, abs=0.06)
    with pytest.raises(StatisticError, match="margin"):
        duels(items, ["oak", "elm"], margin=-1)
    with pytest.raises(StatisticError, match="margin"):
        duels(items, ["oak", "elm"], margin=1, test="signed-rank")


def test_one_sided_tests_count_every_swap_that_reaches_the_difference() -> None:
    """Six documents with whole numbers, so that many swaps reach just the difference that was seen."""
    gaps, margin = np.array([3, 1, 1, 0, 2, -1]), 2.0
    rows = [
        (system, "news", f"d{d}", "0", float(gap if system == "oak" else 0), 1)
        for d, gap in enumerate(gaps)
        for system in ("oak", "elm")
    ]
    names = ["system", "domain", "document", "segment", "score", "judges"]
    [duel] = duels(Items(pl.DataFrame(rows, schema=names, orient="row"), "score", 1), ["oak", "elm"], margin=margin)
    signs = np.array(list(product([-1, 1], repeat=len(gaps))))
    above, below = gaps + margin, gaps - margin
    not_worse = np.mean(signs @ below <= below.sum())
    assert duel.p_not_worse == pytest.approx(not_worse) == 8 / 64
    assert duel.p_equivalent == pytest.approx(max(not_worse, np.mean(signs @ above >= above.sum())))


@pytest.mark.parametrize(("end", "p"), [("high", 0.05), ("low", 0.95)])
def test_one_sided_tests_for_other_judges_agree_with_the_90_per_cent_interval(end: str, p: float) -> None:
    """That a system lags behind by less than an end of the 90 % interval has p 5 % at its high end, 95 % at its low."""
    rng = np.random.default_rng(2)
    taste = {(judge, system): rng.normal() for judge in range(6) for system in ("elm", "oak")}
    rows = [
        (f"j{judge}", system, f"d{d}", "0", 50 + 6 * (system == "elm") + taste[judge, system] + rng.normal())
        for d, judge, system in product(range(24), range(6), ("elm", "oak"))
    ]
    data = pl.DataFrame(rows, schema=["judge", "system", "document", "segment", "score"], orient="row")
    crossed = Resampling(unit="two-way", level=0.9)
    [apart] = ranking.head_to_head(data, "score", resampling=crossed).rows
    assert (apart["system"], apart["other"]) == ("elm", "oak") and 0 < apart["low"] < apart["high"]
    [row] = ranking.head_to_head(data, "score", margin=apart[end], resampling=crossed).rows
    assert row["p_not_worse"] == pytest.approx(p, abs=1e-6)
    assert row["p_equivalent"] == row["p_not_worse"]


def test_where_low_is_good_not_worse_means_not_higher() -> None:
    rows = ranking.head_to_head(ratings({"elm": 0, "oak": 3}), "score", direction="lower_is_better", margin=6.0).rows
    assert rows[0]["system"] == "elm"
    assert rows[0]["p_not_worse"] < 0.05
    assert ranking.head_to_head(ratings({"elm": 0, "oak": 30}), "score", margin=6.0).rows[0]["p_not_worse"] > 0.5


def test_shaffers_correction_is_closed_testing_over_pairs() -> None:
    """Of three systems, if any two differ at most one hypothesis is left; never below p or above Holm."""
    assert corrected([0.01, 0.02, 0.04], "shaffer", 3) == pytest.approx([0.03, 0.03, 0.04])
    assert corrected([0.01, 0.02, 0.04], "holm", 3) == pytest.approx([0.03, 0.04, 0.04])
    rng = np.random.default_rng(0)
    for _ in range(50):
        ps = list(rng.uniform(size=10) ** 3)
        holms, shaffers = holm(ps), corrected(ps, "shaffer", 5)
        assert all(p <= s <= h for p, s, h in zip(ps, shaffers, holms, strict=True))  # type: ignore[operator]


@pytest.mark.parametrize("change", ["rows", "systems", "judges"])
def test_order_of_rows_and_names_of_systems_and_judges_change_nothing(change: str) -> None:
    data = ratings({"oak": 0, "elm": 6, "fir": 12}, documents=9).sample(fraction=0.7, seed=1)
    before = ranking.rank(data, "score")
    renamed = {"oak": "a3", "elm": "a2", "fir": "a1"}
    match change:
        case "rows":
            data = data.sample(fraction=1, shuffle=True, seed=2)
        case "systems":
            data = data.with_columns(pl.col("system").replace(renamed))
        case _:
            data = data.with_columns(judge=pl.lit("x") + pl.col("judge"))
    after = ranking.rank(data, "score")
    assert after.scores == pytest.approx(before.scores)
    assert [duel.p for duel in after.duels] == pytest.approx([duel.p for duel in before.duels])
    names = [renamed[name] if change == "systems" else name for name in before.systems]
    assert list(after.systems) == names


def test_a_system_on_few_documents_has_few_degrees_of_freedom() -> None:
    data = ratings({"oak": 0, "elm": 0}, documents=40)
    few = data.filter((pl.col("system") == "oak") | pl.col("document").is_in(["d1", "d2", "d3"]))
    rows = {row["system"]: row for row in ranking.systems(few, "score").rows}
    assert (rows["elm"]["documents"], rows["oak"]["documents"]) == (3, 40)
    assert rows["elm"]["high"] - rows["elm"]["low"] > 2 * (rows["oak"]["high"] - rows["oak"]["low"])


def test_scores_too_large_to_compute_with_are_left_out_and_said() -> None:
    data = ratings({"oak": 0, "elm": 6})
    wild = pl.Series([1e300, float("inf"), -1e200])
    odd = data.with_columns(
        score=pl.when(pl.int_range(pl.len()) < 3).then(wild.extend_constant(0.0, len(data) - 3)).otherwise("score")
    )
    result = ranking.systems(odd, "score")
    assert any("2 scores are infinite or beyond" in note for note in result.notes)
    assert any("1 score is infinite: it" in note for note in result.notes)
    assert all(abs(row["score"]) < 1e3 for row in result.rows)


@pytest.mark.parametrize("gap", [0.0, 2.0])
def test_a_difference_that_every_document_has_gets_no_interval_of_no_width(gap: float) -> None:
    data = ratings({"ash": 0.0}, documents=8)
    data = pl.concat([data, data.with_columns(system=pl.lit("elm"), score=pl.col("score") + gap)])
    result = ranking.head_to_head(data, "")
    [row] = result.rows
    assert abs(row["difference"]) == pytest.approx(gap) and (row["low"], row["high"]) == (None, None)
    assert (row["p"] == 1.0) if gap == 0 else row["p"] < 0.05
    assert any("same difference between" in note for note in result.notes)


def test_one_judge_of_unequal_documents_says_nothing_of_others_and_ends_in_no_error() -> None:
    data = unequal()
    data = data.filter(pl.col("judge") == data["judge"][0])
    for table in (ranking.systems(data, "", other_judges=True), ranking.head_to_head(data, "", other_judges=True)):
        assert any("judges" in note for note in table.notes)
        assert all(row["low"] is None for row in table.rows)


@pytest.mark.parametrize(
    ("documents", "end"),
    [
        (3, " · holds for these judges"),
        (9, " · interval values not rejected by the test 95% by document"),
        (20, " · interval values not rejected by the test 95% by document · swaps 10,000 drawn, seed 0"),
    ],
)
def test_the_signature_of_pairs_names_the_interval_of_their_test(documents: int, end: str) -> None:
    rng = np.random.default_rng(3)
    rows = [
        ("ana", system, f"d{d}", "1", better + rng.normal()) for d in range(documents) for system, better in SYSTEMS
    ]
    data = pl.DataFrame(rows, schema=["judge", "system", "document", "segment", "score"], orient="row")
    pairs = ranking.head_to_head(data, "score")
    assert str(pairs.signature).rpartition(" · lanner")[0].endswith(end)
    assert "jackknife" in str(ranking.systems(data, "score").signature)
    assert (pairs.rows[0]["low"] is None) == (documents == 3)


SYSTEMS = (("oak", 1.0), ("elm", 0.0))


@pytest.mark.parametrize(
    ("judges", "overlap"), [(("ana", "ben"), "0%"), (("ana", "ana"), ""), (("both", "ben"), "50%")]
)
def test_systems_judged_by_others_are_said(judges: tuple[str, str], overlap: str) -> None:
    panels = {"ana": ("ana",), "ben": ("ben",), "both": ("ana", "ben")}
    rows = [
        (judge, system, f"d{d}", "1", better + d % 3)
        for d in range(12)
        for (system, better), panel in zip(SYSTEMS, judges, strict=True)
        for judge in panels[panel]
    ]
    data = pl.DataFrame(rows, schema=["judge", "system", "document", "segment", "score"], orient="row")
    notes = [note for note in ranking.systems(data, "score").notes if "same judges" in note]
    assert len(notes) == bool(overlap)
    assert all(f"elm and oak overlap by {overlap}." in note for note in notes)

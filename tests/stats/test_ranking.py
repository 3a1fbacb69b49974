import numpy as np
import polars as pl
import pytest

from lanner.analysis.material import from_file
from lanner.errors import StatisticError
from lanner.stats import ranking
from lanner.stats.resample import Resampling
from released import data_dir

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

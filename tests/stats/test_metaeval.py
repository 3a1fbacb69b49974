import numpy as np
import polars as pl
import pytest

from lanner.errors import StatisticError
from lanner.stats.metaeval import TESTS, Scorer, as_peer, comparisons, metaeval, scorers_of

SYSTEMS = ("oak", "elm", "fir", "refA")


def world(seed: int = 0, segments: int = 40) -> tuple[Scorer, list[Scorer]]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 5, (4, segments)) + np.arange(4.0)[:, None]
    close, far = truth + rng.normal(0, 0.5, truth.shape), truth + rng.normal(0, 5, truth.shape)
    return Scorer("gold", SYSTEMS, truth), [Scorer("far", SYSTEMS, far), Scorer("close", SYSTEMS, close)]


def test_the_closer_scorer_comes_first_in_a_group_of_its_own() -> None:
    gold, scorers = world()
    result = metaeval(gold, scorers, without=["refA"])
    assert [(row["metric"], row["group"]) for row in result.rows] == [("close", 1), ("far", 2)]
    assert result.counts == {"items": 120, "systems": 3, "segments": 40}
    assert result.value is not None
    assert result.value < result.rows[1]["acc_eq"] + 0.05


def test_segments_and_systems_gold_has_not_scored_do_not_count() -> None:
    gold, scorers = world()
    before = metaeval(gold, scorers, without=["refA"]).rows
    padded = [Scorer(s.name, s.systems, np.concatenate([s.segments, np.full((4, 3), 7.0)], 1)) for s in scorers]
    holes = np.concatenate([gold.segments, np.full((4, 3), np.nan)], 1)
    holes[3] = np.nan
    assert metaeval(Scorer("gold", SYSTEMS, holes), padded).rows == before


def test_the_order_of_a_scorers_systems_does_not_matter() -> None:
    gold, scorers = world()
    turned = [Scorer(s.name, s.systems[::-1], s.segments[::-1]) for s in scorers]
    assert metaeval(gold, turned).rows == metaeval(gold, scorers).rows


def test_missing_cells_are_counted_and_said() -> None:
    gold, scorers = world()
    scorers[0].segments[0, :5] = np.nan
    result = metaeval(gold, scorers)
    assert {row["metric"]: row["missing"] for row in result.rows} == {"far": 5, "close": 0}
    assert any("far 5" in note for note in result.notes)


def test_comparisons_go_both_ways() -> None:
    gold, scorers = world()
    rows = {row["metric"]: row for row in comparisons(gold, scorers, k=200).rows}
    assert rows["close"]["p_acc_eq"] < 0.01 < 0.9 < rows["far"]["p_acc_eq"]
    assert set(rows["close"]) == {"metric", "other", *(f"p_{name}" for name in TESTS)}
    assert max(rows["close"][f"p_{name}"] for name in ("segment_pearson", "item_kendall", "williams")) < 0.05


def test_compatibility_takes_the_peers_column_and_zero_for_the_undefined() -> None:
    row = {
        "spa": 0.7, "spa_original": 0.8, "sys_pairwise_accuracy": 1.0, "sys_pairwise_accuracy_released": 0.5,
        "sys_pearson": 0.9, "sys_pearson_released": None, "item_pearson": float("nan"), "acc_eq": float("nan"),
    }  # fmt: skip
    made = as_peer(row)
    assert (made["spa"], made["sys_pairwise_accuracy"], made["sys_pearson"], made["item_pearson"]) == (0.8, 0.5, 0.9, 0)
    assert made["acc_eq"] != made["acc_eq"]


def test_judges_of_a_table_are_scorers() -> None:
    rows = [(j, s, "d", str(n), float(n * k + (j == "b"))) for j in "ab" for k, s in enumerate("xy") for n in range(4)]
    data = pl.DataFrame(rows[:-1], schema=["judge", "system", "document", "segment", "score"], orient="row")
    gold, [other], documents = scorers_of(data, "score", "a")
    assert (gold.name, other.name, documents) == ("a", "b", ["d"] * 4)
    assert other.segments[1].tolist()[:3] == [1, 2, 3]
    assert np.isnan(other.segments[1, 3])
    with pytest.raises(StatisticError, match="no judge"):
        scorers_of(data, "score", "c")


def test_one_system_is_too_few() -> None:
    gold, scorers = world()
    with pytest.raises(StatisticError, match="fewer than two"):
        metaeval(gold, scorers, without=SYSTEMS[1:])

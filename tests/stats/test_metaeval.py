import numpy as np
import pytest
from scipy import stats

from lanner.errors import StatisticError
from lanner.stats.metaeval import TESTS, Scorer, as_peer, comparisons, metaeval

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


def test_what_is_not_defined_is_no_number() -> None:
    gold, scorers = world()
    gold.segments[1:], scorers[0].segments[:] = np.nan, 3.0
    gold.segments[1, 39] = gold.segments[0, 39] = 2.0
    result = metaeval(gold, scorers, swaps_of_segments=5)
    assert {row["segment_pearson"] for row in result.rows if row["metric"] == "far"} == {None}
    assert all(np.isfinite(cell) for row in result.rows for cell in row.values() if isinstance(cell, float))
    gold.segments[1, 39] = np.nan
    gold.segments[1, 38], gold.segments[0, 38] = 1.0, np.nan
    nothing = metaeval(gold, scorers, swaps_of_segments=5)
    assert nothing.value is None and nothing.notes[0].startswith("Undefined: gold has scored no segment")


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


def test_one_system_is_too_few() -> None:
    gold, scorers = world()
    with pytest.raises(StatisticError, match="fewer than two"):
        metaeval(gold, scorers, without=SYSTEMS[1:])


def test_equal_scorers_are_told_apart_by_document_as_often_as_they_should() -> None:
    """Two metrics of one quality whose errors belong to documents and systems: one-sided 5 % of comparisons."""
    rng = np.random.default_rng(3)
    names, documents = tuple("abcdef"), np.repeat(np.arange(12), 5)
    hits: dict[str, list[bool]] = {"by document": [], "as WMT24": []}
    tests = ("acc_eq", "segment_pearson", "williams")
    for seed in range(60):
        quality = rng.normal(size=(6, 60)) + np.linspace(-0.5, 0.5, 6)[:, None]
        metrics = [
            Scorer(name, names, quality + rng.normal(size=(6, 60)) + rng.normal(size=(6, 12))[:, documents])
            for name in ("one", "two")
        ]
        gold = Scorer("gold", names, np.round(2 * quality))
        for how, as_wmt24 in (("by document", False), ("as WMT24", True)):
            rows = comparisons(
                gold, metrics, documents=[str(d) for d in documents], tests=tests, k=200, seed=seed, as_wmt24=as_wmt24
            ).rows
            hits[how] += [row[f"p_{name}"] < 0.05 for row in rows for name in tests]
    assert np.mean(hits["by document"]) < 0.075 < 0.09 < np.mean(hits["as WMT24"])


def test_constant_scorers_and_scorers_that_share_nothing_have_a_reason_and_no_p() -> None:
    gold, (far, close) = world()
    flat = Scorer("flat", SYSTEMS, np.ones_like(gold.segments))
    documents = [str(n // 4) for n in range(40)]
    result = comparisons(gold, [flat, close], documents=documents, k=100)
    assert any("flat gives one score everywhere" in note for note in result.notes)
    assert {row["p_segment_pearson"] for row in result.rows} == {None}
    assert all(row[f"p_{name}"] is None or row[f"p_{name}"] > 0.05 for row in result.rows[:1] for name in TESTS)
    far.segments[:, 20:] = np.nan
    close.segments[:, :20] = np.nan
    result = comparisons(gold, [far, close], documents=documents, k=100)
    assert any("share no segment" in note for note in result.notes)
    assert all(value is None for row in result.rows for name, value in row.items() if name.startswith("p_"))


@pytest.mark.parametrize("as_wmt24", [False, True])
def test_what_was_swapped_is_said(as_wmt24: bool) -> None:
    gold, scorers = world()
    documents = [str(n // 4) for n in range(40)]
    options = {"documents": documents, "as_wmt24": as_wmt24}
    for result in (metaeval(gold, scorers, **options), comparisons(gold, scorers, tests=["acc_eq"], **options)):
        assert any("cell by cell" in note for note in result.notes) == as_wmt24
    assert any("every segment counts as one" in note for note in metaeval(gold, scorers).notes)
    few = ["a"] * 20 + ["b"] * 20
    assert {row["p_acc_eq"] for row in comparisons(gold, scorers, tests=["acc_eq"], documents=few).rows} == {None}
    assert {row["group"] for row in metaeval(gold, scorers, documents=few).rows} == {1}
    two, one = (metaeval(gold, scorers, documents=own) for own in (few, ["a"] * 40))
    assert all(0 < row["acc_eq_cv"] < 1 for row in two.rows) and "2 folds of documents" in str(two.signature)
    assert {row["acc_eq_cv"] for row in one.rows} == {None}, "no other document sets a threshold"
    assert "folds" not in str(one.signature)
    assert "With fewer than 5 documents (1) no test can tell two scorers apart." in one.notes


def test_accuracies_and_correlations_have_document_intervals() -> None:
    """Against leaving out one document and computing all anew."""
    gold, [scorer, _] = world(segments=60)
    documents = [str(n // 5) for n in range(60)]
    row = metaeval(gold, [scorer], documents=documents).rows[0]
    kinds = [f"{over}_{kind}" for over in ("segment", "item", "system") for kind in ("pearson", "spearman", "kendall")]
    for name in ("acc_eq", "sys_pearson", *kinds):
        assert row[f"{name}_low"] < row[name] < row[f"{name}_high"]
    without = []
    for d in range(12):
        kept = np.array([name != str(d) for name in documents])
        parts = [Scorer(s.name, s.systems, s.segments[:, kept]) for s in (gold, scorer)]
        without.append(metaeval(parts[0], parts[1:]).rows[0])
    for name in ("sys_pearson", *kinds):
        values = np.array([other[name] for other in without])
        error = np.sqrt(11 / 12 * ((values - values.mean()) ** 2).sum()) / (1 - row[name] ** 2)
        wide = np.arctanh(row[f"{name}_high"]) - np.arctanh(row[f"{name}_low"])
        assert wide == pytest.approx(2 * 2.201 * error, rel=0.15)


def test_a_scorer_that_shares_no_segment_with_gold_has_no_interval() -> None:
    gold, scorers = world()
    scorers[0].segments[:, :] = np.nan
    rows = {row["metric"]: row for row in metaeval(gold, scorers).rows}
    ends = [value for name, value in rows["far"].items() if name.endswith(("_low", "_high"))]
    assert ends and set(ends) == {None}
    assert rows["close"]["segment_pearson_low"] is not None


def test_the_interval_of_a_correlation_is_that_of_leaving_out_one_document_after_the_other() -> None:
    rng = np.random.default_rng(5)
    document = np.repeat(np.arange(6), [9, 3, 5, 4, 8, 11])
    truth = rng.normal(size=(4, 40)) + rng.normal(size=(4, 6))[:, document]
    scores = truth + rng.normal(size=(4, 40)) + rng.normal(size=(4, 6))[:, document]
    names = [f"d{d}" for d in document]
    [row] = metaeval(Scorer("gold", SYSTEMS, truth), [Scorer("metric", SYSTEMS, scores)], documents=names).rows

    def over(kind: str, keep: np.ndarray) -> float:
        of = stats.pearsonr if kind == "pearson" else stats.kendalltau
        return of(truth[:, keep].ravel(), scores[:, keep].ravel()).statistic

    for kind in ("pearson", "kendall"):
        value = over(kind, np.full(40, True))
        left_out = np.array([over(kind, document != d) for d in range(6)])
        error = np.sqrt(5 / 6 * ((left_out - left_out.mean()) ** 2).sum()) / (1 - value**2)
        ends = np.tanh(np.arctanh(value) + np.array([-1, 1]) * stats.t.ppf(0.975, 5) * error)
        assert [row[f"segment_{kind}_low"], row[f"segment_{kind}_high"]] == pytest.approx(ends, abs=1e-9)

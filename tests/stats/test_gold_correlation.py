import numpy as np
import pytest
from scipy import stats

from lanner.stats.gold_correlation import Kind, correlation

TESTS = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}


@pytest.mark.parametrize("kind", ["pearson", "spearman", "kendall"])
def test_pooled_by_item_and_by_system_as_scipy_with_missing_cells(kind: Kind) -> None:
    rng = np.random.default_rng(0)
    gold = rng.integers(0, 4, (5, 12)).astype(float)
    scores = gold + rng.integers(-2, 3, gold.shape)
    gold[rng.random(gold.shape) < 0.1] = np.nan
    scores[rng.random(gold.shape) < 0.1] = np.nan
    gold[:, 3] = 2  # says nothing about its systems

    def one(x: np.ndarray, y: np.ndarray) -> float:
        known = ~np.isnan(x) & ~np.isnan(y)
        x, y = x[known], y[known]
        constant = len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0
        return float("nan") if constant else float(TESTS[kind](x, y).statistic)

    assert correlation(gold, scores, kind) == pytest.approx(one(gold.ravel(), scores.ravel()))
    by_item = np.nanmean([one(x, y) for x, y in zip(gold.T, scores.T, strict=True)])
    by_system = np.nanmean([one(x, y) for x, y in zip(gold, scores, strict=True)])
    assert correlation(gold, scores, kind, "item") == pytest.approx(by_item)
    assert correlation(gold, scores, kind, "system") == pytest.approx(by_system)


def test_nothing_to_correlate_is_undefined() -> None:
    assert np.isnan(correlation(np.ones((2, 3)), np.eye(2, 3)))

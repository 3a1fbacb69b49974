import numpy as np
import pytest

from lanner.stats.concordance import COEFFICIENTS, Pairs
from lanner.stats.influence import pulls
from lanner.stats.resample import jackknife_variance


def made(seed: int, levels: int, documents: int = 40) -> Pairs:
    rng = np.random.default_rng(seed)
    unit = np.sort(rng.integers(0, documents, 300))
    unit[:documents] = np.arange(documents)
    x = rng.normal(size=documents)[unit] + rng.normal(size=300)
    y = 0.6 * x + rng.normal(size=300)
    if levels:
        x, y = np.round(x * levels / 4), np.round(y * levels / 6)
    return Pairs(x, y, unit.astype(np.intp), documents)


@pytest.mark.parametrize("levels", [2, 5, 0])
def test_pulls_are_the_derivatives_by_the_weights(levels: int) -> None:
    """Weights cannot be moved by a hair where pairs are counted, so every document is taken a thousand times."""
    pairs, many = made(1, levels), 1000.0
    before, after = np.full((1, pairs.units), many), np.full((pairs.units, pairs.units), many) + np.eye(pairs.units)
    change = (pairs.coefficients(after) - pairs.coefficients(before)) * many
    assert pulls(pairs, COEFFICIENTS) == pytest.approx(change, abs=3e-4)


@pytest.mark.parametrize("levels", [2, 5, 0])
def test_the_spread_is_that_of_the_jackknife(levels: int) -> None:
    pairs = made(2, levels, documents=150)  # two parts in a hundred and fifty apart; far less with thousands
    ones = np.ones((pairs.units, pairs.units))
    left_out = pairs.coefficients(ones - np.eye(pairs.units))
    assert jackknife_variance(-pulls(pairs, COEFFICIENTS)) == pytest.approx(jackknife_variance(left_out), rel=0.08)


def test_pulls_add_up_to_nothing_and_come_in_the_order_asked() -> None:
    pairs = made(3, 5)
    found = pulls(pairs, COEFFICIENTS)
    assert found.sum(axis=0) == pytest.approx(0, abs=1e-12)
    assert np.array_equal(pulls(pairs, ["kendall_c", "pearson"]), found[:, [3, 0]])


def test_fine_values_are_binned_for_kendall(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = made(4, 0)
    exact = pulls(pairs, ["kendall_b"])
    monkeypatch.setattr("lanner.stats.influence.GRID", 100)
    monkeypatch.setattr("lanner.stats.influence.BINS", 64)
    binned = pulls(pairs, ["kendall_b"])
    assert binned.std() == pytest.approx(exact.std(), rel=0.05)

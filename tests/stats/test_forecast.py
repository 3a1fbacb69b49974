"""Forecasts against what then happens in campaigns of known truth."""

from __future__ import annotations

import numpy as np

from lanner.stats.allocation import Allocation, simulate
from lanner.stats.forecast import forecast
from lanner.stats.goals import Answers, Goal, Kind


def begun(seed: int, means: tuple[float, ...]) -> tuple[Allocation, np.ndarray]:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 5, 60).astype(float)
    totals = (np.array(means) + rng.normal(size=(60, len(means)))) * sizes[:, None]
    return simulate(Allocation(Goal(Kind.RANK), "ABC", sizes, seed=seed, tilts=False), totals, most=120), totals


def test_expected_work_is_about_what_is_then_spent() -> None:
    expected, spent, inside = [], [], 0
    for seed in range(30):
        one, totals = begun(seed, (0.0, 0.3, 1.0))
        ahead = forecast(one.goal, one.answers(), one.standing, seed=seed)
        before = one.judgements
        if ahead is None or one.standing.enough:
            continue
        simulate(one, totals)
        expected.append(ahead.expected)
        spent.append(one.judgements - before)
        inside += ahead.low - 30 <= spent[-1] <= ahead.high + 30
    assert len(spent) > 15
    assert abs(np.mean(expected) - np.mean(spent)) < 0.35 * np.mean(spent)
    assert inside >= 0.75 * len(spent)


def test_a_clear_pair_is_more_likely_settled_soon_than_a_close_one() -> None:
    clear, close = [], []
    for seed in range(20):
        one, _ = begun(seed, (0.0, 0.05, 0.8))
        ahead = forecast(one.goal, one.answers(), one.standing, seed=seed)
        if ahead is not None and not one.standing.enough:
            clear.append(ahead.chances[1])
            close.append(ahead.chances[0])
    assert np.mean(clear) > np.mean(close) + 0.2


def test_nothing_is_forecast_before_there_is_anything_to_go_by() -> None:
    sizes = np.ones(40)
    one = Allocation(Goal(Kind.RANK), "AB", sizes)
    assert forecast(one.goal, _few(one), one.standing) is None


def _few(one: Allocation) -> Answers:
    for _ in range(3):
        draw = one.next_draw()
        assert draw is not None
        one.add(draw)
        one.record(draw.document, [0.0, 1.0])
    return one.answers()


def test_when_it_is_enough_nothing_is_left() -> None:
    one, totals = begun(1, (0.0, 5.0, 10.0))
    simulate(one, totals)
    ahead = forecast(one.goal, one.answers(), one.standing)
    assert ahead is not None
    assert (ahead.expected, set(ahead.chances)) == (0.0, {1.0})

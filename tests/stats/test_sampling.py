"""Documents drawn with known probabilities: unbiased, plain where chances are equal, exact at the end."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from lanner.errors import StatisticError
from lanner.stats.sampling import Draws, Estimates, draw_weights, estimate, moderate
from property_examples import rounds


def adaptive_chances(values: np.ndarray, sequence: tuple[int, ...]) -> list[float]:
    """A rule that looks at what was answered: it prefers documents whose number is near the last answer."""
    chances = []
    left = list(range(len(values)))
    last = 0.0
    for place in sequence:
        weights = np.array([1 / (1 + abs(last - one)) for one in left])
        chances.append(float(weights[left.index(place)] / weights.sum()))
        last = float(values[place])
        left.remove(place)
    return chances


@pytest.mark.parametrize("drawn", [1, 2, 3, 4])
def test_every_adaptive_rule_is_unbiased_over_all_sequences(drawn: int) -> None:
    values = np.array([3.0, -1.0, 4.0, 1.5])
    expected = total = 0.0
    for sequence in permutations(range(4), drawn):
        chances = adaptive_chances(values, sequence)
        draws = Draws(np.ones(4), np.array(sequence), np.array(chances))
        expected += float(np.prod(chances)) * float(draw_weights(draws) @ values[list(sequence)])
        total += float(np.prod(chances))
    assert total == pytest.approx(1)
    assert expected == pytest.approx(values.mean())


def equal(documents: int, order: np.ndarray) -> Draws:
    return Draws(np.ones(documents), order, 1 / np.arange(documents, documents - len(order), -1.0))


def test_equal_chances_give_the_plain_mean_and_its_variance() -> None:
    rng = np.random.default_rng(5)
    values = rng.normal(size=(40, 2))
    order = rng.permutation(40)[:15]
    own = estimate(equal(40, order), values[order])
    assert own.value == pytest.approx(values[order].mean(0))
    assert own.plain == pytest.approx(values[order].mean(0))
    of_documents = values[order].var(0, ddof=1) / 40
    assert own.document_variance == pytest.approx(of_documents)
    assert own.draw_variance == pytest.approx(values[order].var(0, ddof=1) * (1 / 15 - 1 / 40), rel=0.6)


def test_a_complete_campaign_is_exact_whatever_the_chances() -> None:
    rng = np.random.default_rng(5)
    sizes = rng.integers(1, 9, 30).astype(float)
    totals = rng.normal(size=(30, 3)) * sizes[:, None]
    order, left, chances = rng.permutation(30), np.ones(30, dtype=bool), []
    for place in order:
        weights = np.where(left, sizes, 0)
        chances.append(weights[place] / weights.sum())
        left[place] = False
    own = estimate(Draws(sizes, order, np.array(chances)), totals[order], rng.normal(size=(30, 3)))
    assert own.value == pytest.approx(totals.sum(0) / sizes.sum())
    assert own.draw_variance == pytest.approx(0, abs=1e-20)
    without = np.array([(totals.sum(0) - totals[at]) / (sizes.sum() - sizes[at]) for at in range(30)])
    jackknife = 29 / 30 * ((without - own.value) ** 2).sum(0)
    assert own.document_variance == pytest.approx(jackknife)


def replay(seed: int, useful: float, tilt: float) -> tuple[float, float, float, float, float]:
    """One campaign of 120 documents stopped at 40: whether its interval holds, its error with and without predictions,
    λ, and how wide the interval is with predictions for one without."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 7, 120).astype(float)
    scale = np.exp(0.5 * rng.normal(size=120))
    truth = 1.0 + scale * rng.normal(size=120)
    totals = truth * sizes
    guesses = sizes * (useful * truth + rng.normal(size=120))
    left, order, chances = np.ones(120, dtype=bool), [], []
    for _ in range(40):
        chance = np.where(left, 0.6 * scale**tilt / (scale**tilt)[left].sum() + 0.4 / left.sum(), 0)
        place = int(rng.choice(120, p=chance / chance.sum()))
        order.append(place)
        chances.append(chance[place])
        left[place] = False
    draws = Draws(sizes, np.array(order), np.array(chances))
    target = totals.sum() / sizes.sum()
    with_them = estimate(draws, totals[order][:, None], guesses[:, None])
    without = estimate(draws, totals[order][:, None])
    width = float(with_them.half_width(0.05, of_complete=True)[0])
    covered = abs(float(with_them.value[0]) - target) <= width
    errors = float(with_them.value[0]) - target, float(without.value[0]) - target
    return covered, *errors, float(with_them.weight[0]), width / float(without.half_width(0.05, of_complete=True)[0])


RUNS = rounds(150, 400)


@pytest.mark.parametrize(("useful", "tilt"), [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0)])
def test_intervals_of_the_complete_campaign_cover_under_tilted_draws(useful: float, tilt: float) -> None:
    runs = np.array([replay(seed, useful, tilt) for seed in range(RUNS)], dtype=float)
    assert 0.92 <= runs[:, 0].mean() <= 0.975
    assert abs(runs[:, 1].mean()) < 3.5 * runs[:, 1].std() / np.sqrt(RUNS)


def test_useless_predictions_cost_next_to_nothing_and_useful_ones_help() -> None:
    useless = np.array([replay(seed, 0.0, 0.0) for seed in range(RUNS)], dtype=float)
    useful = np.array([replay(seed, 1.0, 0.0) for seed in range(RUNS)], dtype=float)
    assert (useless[:, 1] ** 2).mean() < 1.04 * (useless[:, 2] ** 2).mean()
    assert np.median(useless[:, 3]) == 0
    assert 0.97 < useless[:, 4].mean() < 1.03 and useful[:, 4].mean() < 0.85
    assert (useful[:, 1] ** 2).mean() < 0.65 * (useful[:, 2] ** 2).mean()


def test_draws_that_cannot_be_are_refused() -> None:
    with pytest.raises(StatisticError, match="twice"):
        Draws(np.ones(3), np.array([1, 1]), np.array([0.3, 0.5]))
    with pytest.raises(StatisticError, match="above 0"):
        Draws(np.ones(3), np.array([1, 2]), np.array([0.3, 0.0]))
    with pytest.raises(StatisticError, match="probabilities"):
        Draws(np.ones(3), np.array([1, 2]), np.array([0.3]))
    with pytest.raises(StatisticError, match="two documents"):
        estimate(equal(3, np.array([0])), np.ones((1, 1)))


@pytest.mark.parametrize("drawn", [8, 16, 40])
def test_intervals_hold_where_documents_differ_tenfold_in_length(drawn: int) -> None:
    """Half the documents are one sentence long, the others ten, as in the news and the posts of one test set."""
    rng = np.random.default_rng(7)
    sizes = np.repeat([1.0, 10.0], 40)
    held = []
    for _ in range(60):
        level = rng.normal(size=(80, 20))  # what a document's sentences share
        totals = sizes[:, None] * level + rng.normal(size=(80, 20)) * np.sqrt(sizes)[:, None]
        order = rng.permutation(80)[:drawn]
        own = estimate(Draws(sizes, order, 1 / np.arange(80, 80 - drawn, -1.0)), totals[order])
        truth = totals.sum(0) / sizes.sum()
        held.append(np.abs(own.value - truth) <= own.half_width(0.05, of_complete=True))
    assert 0.925 < np.mean(held) < 0.985


def variances(of_one: list[float], df: float, drawn: int = 20, documents: int = 80) -> Estimates:
    single = np.array(of_one)
    fields = (single * 0, single * 0, single * 0, single * (1 / drawn - 1 / documents), single / documents)
    return Estimates(*fields, np.full(len(single), df), np.zeros((drawn, len(single))))


def test_a_variance_that_looks_small_by_chance_is_drawn_towards_the_others() -> None:
    alike = moderate(variances([1.0, 1.1, 0.9, 0.5], 19.0), np.full(4, 20), 80)
    assert alike.variance()[3] > 1.3 * 0.5 / 20
    assert alike.df[3] > 19.0 and (alike.df <= 2 * 19.0).all()
    assert alike.draw_variance[3] / alike.variance()[3] == pytest.approx(0.75), "both parts grow alike"
    for given in ([1.0, 1.1, 0.9, 0.3], [1.0, 50.0, 0.02, 7.0], [2.0, 2.0, 2.0]):
        own = variances(given, 19.0)
        assert (moderate(own, np.full(len(given), 20), 80).variance() >= own.variance()).all(), "none gets smaller"
    unlike = variances([1e-4, 1.0, 1e4], 50.0)
    assert moderate(unlike, np.full(3, 20), 80).variance() == pytest.approx(unlike.variance(), rel=0.2)


def test_systems_without_any_variance_or_company_are_taken_as_they_are() -> None:
    same = moderate(variances([1.0, 1.2, 0.9, 0.0], 19.0), np.full(4, 20), 80)
    assert same.variance()[3] > 0.2 / 20, "twenty equal answers do not make a system's score certain"
    for given in ([0.0, 0.0, 0.0], [1.0, 0.1], [1.0]):
        own = variances(given, 19.0)
        assert moderate(own, np.full(len(given), 20), 80) is own
    complete = moderate(variances([1.0, 1.1, 0.9, 0.0], 79.0, 80), np.full(4, 80), 80)
    assert complete.draw_variance == pytest.approx(np.zeros(4), abs=1e-15), "what is judged completely is known"

"""The sequence of draws and looks: repeatable from its seed, whole with documents out, valid when judges are slow."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from lanner.stats.allocation import Allocation, simulate
from lanner.stats.goals import Answers, Goal, GoalKind
from lanner.stats.sampling import Draws


def world(seed: int = 0, documents: int = 50) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 6, documents).astype(float)
    scores = np.array([0.0, 0.5, 1.0]) + rng.normal(size=(documents, 3))
    return sizes, scores * sizes[:, None]


def test_the_same_seed_draws_the_same_and_another_does_not() -> None:
    sizes, totals = world()
    one, two, other = (simulate(Allocation(Goal(GoalKind.RANK), "ABC", sizes, seed=seed), totals) for seed in (1, 1, 2))
    assert one.draws == two.draws
    assert [d.document for d in one.draws] != [d.document for d in other.draws]


def test_a_log_of_draws_and_weights_is_taken_up_where_it_ended() -> None:
    sizes, totals = world(3)
    whole = Allocation(Goal(GoalKind.RANK), "ABC", sizes, seed=4)
    again = Allocation(Goal(GoalKind.RANK), "ABC", sizes, seed=4)
    for _ in range(30):
        draw = whole.next_draw()
        assert draw is not None
        assert again.next_draw() == draw
        for one in (whole, again):
            one.add(draw)
            one.record(draw.document, totals[draw.document])
        before = whole.standing.look
        if whole.look().look > before:
            again.renew(whole.standing, weights=whole.weights)


def test_documents_are_drawn_once_and_never_beyond_all() -> None:
    sizes, totals = world()
    totals = np.repeat(totals[:, :1], 3, axis=1) + 1e-6 * totals
    one = simulate(Allocation(Goal(GoalKind.PRECISION, half_width=1e-9), "ABC", sizes), totals)
    assert sorted(draw.document for draw in one.draws) == list(range(50))
    assert one.next_draw() is None
    assert one.judgements == sizes.sum() * 3


def test_a_budget_ends_the_draws() -> None:
    sizes, totals = world()
    one = simulate(Allocation(Goal(GoalKind.PRECISION, half_width=1e-9), "ABC", sizes), totals, most=60)
    assert 60 <= one.judgements < 60 + 3 * sizes.max()


def test_documents_that_are_out_do_not_bias_the_estimate() -> None:
    """Each document is out with a chance that has nothing to do with its score: the others must still stand for all."""
    errors, spans = [], []
    for seed in range(160):
        rng = np.random.default_rng(seed)
        sizes, totals = world(seed)
        one = Allocation(Goal(GoalKind.RANK), "ABC", sizes, seed=seed)
        one.renew(one.standing, weights=np.exp(totals[:, 0] / sizes / 2))  # a tilt that would bias a plain mean
        for _ in range(25):
            draw = one.next_draw()
            assert draw is not None
            one.add(draw)
            if rng.random() > 0.3:
                one.record(draw.document, totals[draw.document])
        answers = one.answers()
        kept = [place for place in range(50) if place not in {d.document for d in one.draws}] + [
            d.document for d in one.complete
        ]
        target = totals[kept, 0].sum() / sizes[kept].sum()
        errors.append(answers.means().value[0] - target)
        plain = [d.document for d in one.complete]
        spans.append(totals[plain, 0].sum() / sizes[plain].sum() - target)
    errors_, plain_ = np.array(errors), np.array(spans)
    assert abs(errors_.mean()) < 3.5 * errors_.std() / np.sqrt(160)
    assert plain_.mean() > 5 * plain_.std() / np.sqrt(160)


def test_looks_come_with_each_twentieth_and_not_twice() -> None:
    sizes, totals = world(1, 40)
    one = Allocation(Goal(GoalKind.RANK), "ABC", sizes)
    seen = []
    for _ in range(20):
        draw = one.next_draw()
        if draw is None:
            break
        one.add(draw)
        one.record(draw.document, totals[draw.document])
        if due := one.look_due():
            seen.append(due)
            one.look()
    assert seen == list(range(1, len(seen) + 1))
    assert len(seen) >= 4


@pytest.mark.parametrize("kind", [GoalKind.AGREEMENT])
def test_agreement_draws_with_equal_chances(kind: GoalKind) -> None:
    sizes, _ = world()
    one = Allocation(Goal(kind, minimum=0.5), "ABC", sizes)
    draw = one.next_draw()
    assert draw is not None
    assert draw.probability == pytest.approx(1 / 50)


GOALS = (
    Goal(GoalKind.RANK),
    Goal(GoalKind.BEST),
    Goal(GoalKind.BETTER, "A", "B"),
    Goal(GoalKind.NOT_WORSE, "A", "B", margin=0.3),
)


@pytest.mark.parametrize("goal", [*GOALS, Goal(GoalKind.PRECISION, half_width=0.5)], ids=str)
def test_names_shifts_scales_and_the_order_of_systems_change_no_decision(goal: Goal) -> None:
    sizes, totals = world(5)
    predictions = totals + np.random.default_rng(5).normal(size=totals.shape)
    one = simulate(Allocation(goal, "ABC", sizes, predictions, seed=5), totals)
    shifted = simulate(Allocation(goal, "ABC", sizes, predictions, seed=5), totals + 70 * sizes[:, None])
    assert (documents(shifted), shifted.standing) == (documents(one), one.standing)
    doubled = replace(goal, margin=2 * goal.margin, half_width=2 * goal.half_width)
    scaled = simulate(Allocation(doubled, "ABC", sizes, predictions * 8, seed=5), totals * 2)
    assert (documents(scaled), scaled.standing) == (documents(one), one.standing)
    turned = simulate(Allocation(goal, "CBA", sizes, predictions[:, ::-1], seed=5), totals[:, ::-1])
    assert documents(turned) == documents(one)
    assert won(turned) == won(one)
    names = {"A": "Ä 1", "B": "zzz", "C": ""}
    renamed = replace(goal, first=names.get(goal.first, ""), second=names.get(goal.second, ""))
    other = simulate(Allocation(renamed, tuple(names.values()), sizes, predictions, seed=5), totals)
    assert (other.draws, other.standing) == (one.draws, one.standing)


def documents(one: Allocation) -> list[int]:
    return [draw.document for draw in one.draws]


def won(one: Allocation) -> set[tuple[frozenset[str], str, str]]:
    """Pairs by name: who they are, how they stand and who has won."""
    standing = one.standing
    return {
        (frozenset(one.systems[at] for at in pair), state, one.systems[winner] if winner >= 0 else "")
        for pair, state, winner in zip(standing.pairs, standing.states, standing.winners, strict=True)
    }


def test_the_order_in_which_documents_are_listed_changes_no_estimate() -> None:
    sizes, totals = world(6)
    predictions = totals + np.random.default_rng(6).normal(size=totals.shape)
    one = simulate(Allocation(GOALS[0], "ABC", sizes, predictions, seed=6), totals, most=200).answers()
    mixed = np.random.default_rng(7).permutation(len(sizes))
    place = np.argsort(mixed)
    draws = Draws(sizes[mixed], place[one.draws.order], one.draws.probability)
    other = Answers(draws, one.systems, one.totals[mixed], predictions[mixed], one.shown)
    for before, after in ((one.means(), other.means()), *[(a.differences([(0, 1), (0, 2)]) for a in (one, other))]):
        assert after.value == pytest.approx(before.value)
        assert after.variance() == pytest.approx(before.variance())


@pytest.mark.parametrize("documents", [1, 2, 3, 9, 40])
@pytest.mark.parametrize("systems", ["AB", "ABC", "ABCDEFGH"])
@pytest.mark.parametrize("guess", ["none", "constant", "same as people"])
def test_scores_that_are_all_equal_decide_nothing_and_break_nothing(documents: int, systems: str, guess: str) -> None:
    sizes = 1.0 + np.arange(documents) % 4
    totals = np.repeat(80.0 * sizes[:, None], len(systems), axis=1)
    predictions = {"none": None, "constant": 0 * totals + 0.5, "same as people": totals}[guess]
    for goal in (*GOALS[:3], Goal(GoalKind.PRECISION, half_width=1.0)):
        one = simulate(Allocation(goal, systems, sizes, predictions), totals)
        assert set(one.standing.winners) == {-1}
        assert len(one.draws) <= documents

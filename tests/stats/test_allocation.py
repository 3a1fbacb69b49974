"""The sequence of draws and looks: repeatable from its seed, whole with documents out, valid when judges are slow."""

from __future__ import annotations

import numpy as np
import pytest

from lanner.stats.allocation import Allocation, simulate
from lanner.stats.goals import Goal, Kind


def world(seed: int = 0, documents: int = 50) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 6, documents).astype(float)
    scores = np.array([0.0, 0.5, 1.0]) + rng.normal(size=(documents, 3))
    return sizes, scores * sizes[:, None]


def test_the_same_seed_draws_the_same_and_another_does_not() -> None:
    sizes, totals = world()
    one, two, other = (simulate(Allocation(Goal(Kind.RANK), "ABC", sizes, seed=seed), totals) for seed in (1, 1, 2))
    assert one.draws == two.draws
    assert [d.document for d in one.draws] != [d.document for d in other.draws]


def test_a_log_of_draws_and_weights_is_taken_up_where_it_ended() -> None:
    sizes, totals = world(3)
    whole = Allocation(Goal(Kind.RANK), "ABC", sizes, seed=4)
    again = Allocation(Goal(Kind.RANK), "ABC", sizes, seed=4)
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
    one = simulate(Allocation(Goal(Kind.PRECISION, half_width=1e-9), "ABC", sizes), totals)
    assert sorted(draw.document for draw in one.draws) == list(range(50))
    assert one.next_draw() is None
    assert one.judgements == sizes.sum() * 3


def test_a_budget_ends_the_draws() -> None:
    sizes, totals = world()
    one = simulate(Allocation(Goal(Kind.PRECISION, half_width=1e-9), "ABC", sizes), totals, most=60)
    assert 60 <= one.judgements < 60 + 3 * sizes.max()


def test_documents_that_are_out_do_not_bias_the_estimate() -> None:
    """Each document is out with a chance that has nothing to do with its score: the others must still stand for all."""
    errors, spans = [], []
    for seed in range(300):
        rng = np.random.default_rng(seed)
        sizes, totals = world(seed)
        one = Allocation(Goal(Kind.RANK), "ABC", sizes, seed=seed)
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
    assert abs(errors_.mean()) < 3.5 * errors_.std() / np.sqrt(300)
    assert plain_.mean() > 5 * plain_.std() / np.sqrt(300)


def test_looks_come_with_each_twentieth_and_not_twice() -> None:
    sizes, totals = world(1, 40)
    one = Allocation(Goal(Kind.RANK), "ABC", sizes)
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


@pytest.mark.parametrize("kind", [Kind.AGREEMENT])
def test_agreement_draws_with_equal_chances(kind: Kind) -> None:
    sizes, _ = world()
    one = Allocation(Goal(kind, minimum=0.5), "ABC", sizes)
    draw = one.next_draw()
    assert draw is not None
    assert draw.probability == pytest.approx(1 / 50)

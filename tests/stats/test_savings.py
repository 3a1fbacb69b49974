"""Campaigns simulated before anything is judged: fixed beside adaptive, on the same answers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from lanner.errors import DesignError, InputError
from lanner.stats.goals import parse_goal
from lanner.stats.power import Components
from lanner.stats.savings import World, expected_savings, scaled_means, shrunk_means

SYSTEMS = ("a", "b", "c")
PARTS = Components(document=4.0, item=3.0, system_document=9.0, system_item=4.0, system_judge=0.0, residual=16.0)


def world(means: list[float], documents: int = 40, **more: object) -> World:
    return World(np.full(documents, 4.0), SYSTEMS, PARTS, means=np.array(means), **more)


def test_simulated_answers_have_the_means_and_variances_of_the_plan() -> None:
    drawn = [world([0.0, 2.0, 5.0], 400).draw(np.random.default_rng(seed)) for seed in range(20)]
    totals = np.concatenate([one.by_turns for one in drawn]) / 4.0
    assert totals.mean(0) == pytest.approx([0.0, 2.0, 5.0], abs=0.25)
    differences = totals[:, 0] - totals[:, 1]
    assert differences.var() == pytest.approx(2 * (9.0 + (4.0 + 16.0) / 4), rel=0.06)
    shared = np.cov(totals[:, 0], totals[:, 1])[0, 1]
    assert shared == pytest.approx(4.0 + 3.0 / 4, rel=0.15)


def test_predictions_go_with_answers_as_metrics_do() -> None:
    drawn = world([0.0, 0.0, 0.0], 4000, has_metrics=True).draw(np.random.default_rng(5))
    assert drawn.predictions is not None
    assert drawn.truth == pytest.approx(np.zeros(3))
    assert np.corrcoef(drawn.by_turns.ravel(), drawn.predictions.ravel())[0, 1] == pytest.approx(0.45, abs=0.03)


def test_large_differences_end_early_and_are_right() -> None:
    result = expected_savings(world([0.0, 20.0, 40.0]), parse_goal("rank", SYSTEMS), campaigns=8)
    assert result.share < 0.4
    assert (result.decided_fixed, result.decided_adaptive) == (1.0, 1.0)
    assert result.wrong_adaptive == 0.0
    assert result.judgements == 3 * 4 * 40
    assert result.adaptive_judgements == round(result.share * result.judgements)


def test_severity_cancels_in_differences_of_judges_who_work_at_the_same_time_but_not_in_means() -> None:
    severe = replace(PARTS, judge=900.0)
    for text, low, high in (("rank", 0.85, 1.15), ("precision:6", 2.0, 9.0)):
        widths = []
        for parts in (PARTS, severe):
            plan = replace(world([0.0, 6.0, 12.0], judges=4), parts=parts)
            course = expected_savings(plan, parse_goal(text, SYSTEMS), campaigns=6).course
            widths.append(next(point.adaptive for point in course if point.share == 0.4) or np.nan)
        assert low < widths[1] / widths[0] < high, text


def test_an_adaptive_campaign_never_takes_more_and_close_systems_save_little() -> None:
    far = expected_savings(world([0.0, 6.0, 12.0]), parse_goal("rank", SYSTEMS), campaigns=5)
    close = expected_savings(world([0.0, 2.5, 5.0]), parse_goal("rank", SYSTEMS), campaigns=5)
    assert far.share < close.share <= 1.0
    assert far.low <= far.share <= far.high <= 1.0


def test_only_the_systems_of_the_goal_count_and_judges_multiply_the_work() -> None:
    result = expected_savings(
        world([0.0, 1.0, 2.0], 20, overlap=2, judges=4), parse_goal("better:a,c", SYSTEMS), campaigns=1
    )
    assert result.judgements == 2 * 4 * 20 * 2


def test_a_course_narrows_as_intervals_of_so_many_documents_do_and_ends_as_the_campaigns_do() -> None:
    goal, plan = parse_goal("rank", SYSTEMS), world([0.0, 3.0, 9.0], 40)
    result = expected_savings(plan, goal, campaigns=15)
    assert [point.share for point in result.course] == pytest.approx([step / 10 for step in range(1, 11)])
    assert result.distance == pytest.approx((3 + 6 + 9) / 3)
    for point in result.course:  # 4 documents, 8, …: Student's t of the differences of documents' means
        documents = round(40 * point.share)
        variance = 2 * (9.0 + (4.0 + 16.0) / 4)
        expected = stats.t.ppf(0.975, documents - 1) * np.sqrt(variance / documents)
        assert point.fixed == pytest.approx(expected, rel=0.12), documents
        assert point.adaptive is not None and point.fixed is not None
        assert point.adaptive > point.fixed, "its level counts that it may stop, and systems leave it"
    settled, ended = ([getattr(point, name) for point in result.course] for name in ("settled", "ended"))
    assert settled == sorted(settled) and settled[-1] == result.decided_adaptive
    assert ended == sorted(ended) and ended[-1] == 1.0
    late = [point for point in result.course if point.share >= result.high]
    assert all(point.ended >= 0.9 for point in late)
    precise = expected_savings(plan, parse_goal("precision:1.5", SYSTEMS), campaigns=4)
    assert precise.distance == 0.0 and precise.course[-1].adaptive == pytest.approx(1.5, abs=0.1)
    few = expected_savings(world([0.0, 3.0, 9.0], 3), goal, campaigns=4)
    assert [point.share for point in few.course] == [1.0]


def test_chance_is_taken_off_the_distances_of_a_pilot() -> None:
    means = np.array([1.0, 3.0, 5.0])
    assert shrunk_means(means, 0.0) == pytest.approx(means)
    assert shrunk_means(means, 100.0) == pytest.approx([3.0, 3.0, 3.0])
    assert shrunk_means(means, 2.0).var(ddof=1) == pytest.approx(4.0 - 2.0)


def test_metrics_give_the_order_and_released_ratings_the_distance() -> None:
    means = scaled_means(np.array([[0.2, 0.9, 0.4], [0.4, 0.7, 0.6]]), 2.0)
    assert means.std(ddof=1) == pytest.approx(2.0)
    assert np.argsort(means).tolist() == [0, 2, 1]
    assert scaled_means(np.ones((2, 3)), 2.0) == pytest.approx(np.zeros(3))


def test_what_cannot_be_simulated_is_refused() -> None:
    with pytest.raises(InputError, match="not about agreement"):
        expected_savings(world([0.0, 1.0, 2.0]), parse_goal("agreement:0.5", SYSTEMS))
    with pytest.raises(DesignError, match="three documents"):
        expected_savings(world([0.0, 1.0, 2.0], 2), parse_goal("rank", SYSTEMS))

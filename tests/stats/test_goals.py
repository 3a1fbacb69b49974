"""Goals: what is decided in worlds of known truth, how often wrongly, and how a goal is written."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from lanner.errors import InputError, StatisticError
from lanner.stats.allocation import Allocation, simulate
from lanner.stats.goals import (
    LOOKS,
    Answers,
    Goal,
    GoalKind,
    GoalStanding,
    State,
    _levels,
    boundary,
    forecast,
    leave_open,
    nominal_levels,
    parse_goal,
    settle,
    start,
    stopped_intervals,
    take_look,
)
from lanner.stats.sampling import Estimates
from property_examples import rounds


def world(means: list[float], seed: int, documents: int = 60) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sizes, totals and predictions of a test set drawn anew, so that the systems' true means are `means`."""
    rng = np.random.default_rng([seed, 1])
    sizes = rng.integers(1, 6, documents).astype(float)
    scores = np.array(means) + rng.normal(size=(documents, 1)) + rng.normal(size=(documents, len(means)))
    predictions = 0.5 * scores + rng.normal(size=scores.shape)
    return sizes, scores * sizes[:, None], predictions * sizes[:, None]


def run(goal: Goal, means: list[float], seed: int, documents: int = 60) -> Allocation:
    sizes, totals, predictions = world(means, seed, documents)
    return simulate(Allocation(goal, tuple("ABCDEFG"[: len(means)]), sizes, predictions, seed=seed), totals)


def test_equal_systems_are_rarely_told_apart_at_any_look() -> None:
    runs = [run(Goal(GoalKind.RANK), [0.0, 0.0, 0.0], seed) for seed in range(rounds(30, 100))]
    wrong = np.mean([State.DECIDED in one.standing.states for one in runs])
    assert wrong <= 0.09  # 0.05 and two standard errors
    early = np.mean([len(one.draws) < 60 for one in runs])
    assert early > 0.8  # and it does not go on to the end to find nothing


def test_clear_differences_are_found_with_less_than_everything() -> None:
    runs = [run(Goal(GoalKind.RANK), [0.0, 1.0, 2.0, 2.1], seed) for seed in range(rounds(11, 40))]
    for one in runs:
        better = dict(zip(one.standing.pairs, one.standing.winners, strict=True))
        assert better[0, 2] in (2, -1)
        assert better[0, 3] in (3, -1)
    found = np.mean([one.standing.states[1] is State.DECIDED for one in runs])
    assert found > 0.9
    everything = np.mean([one.judgements / (one.sizes.sum() * 4) for one in runs])
    assert everything < 0.8


def test_the_best_is_found_and_beaten_systems_are_shown_no_more() -> None:
    runs = [run(Goal(GoalKind.BEST), [0.0, 0.2, 0.1, 1.5], seed) for seed in range(rounds(20, 40))]
    for one in runs:
        assert 3 not in {a if winner == b else b for (a, b), winner in _won(one)}
    last = [one.draws[-1].systems for one in runs if len(one.draws) > 30]
    assert all(len(systems) < 4 for systems in last)
    share = np.mean([one.judgements / (one.sizes.sum() * 4) for one in runs])
    assert share < 0.5


def test_the_best_of_two_is_decided_as_the_better_of_two() -> None:
    names = ("A", "B")
    own = estimates(1.96, 1.0)  # p = .05, and an interval that holds 0
    for goal in (Goal(GoalKind.BEST), Goal(GoalKind.BETTER, *names)):
        decided, *_ = settle(goal, own, start(goal, names), systems=2, look=LOOKS, looks=LOOKS)
        assert not decided[0]


def _won(one: Allocation) -> list[tuple[tuple[int, int], int]]:
    return [
        (pair, winner) for pair, winner in zip(one.standing.pairs, one.standing.winners, strict=True) if winner >= 0
    ]


def test_a_margin_lets_equal_systems_be_called_equal() -> None:
    runs = [run(Goal(GoalKind.RANK, margin=1.0), [0.0, 0.0], seed, 80) for seed in range(rounds(12, 40))]
    states = [one.standing.states[0] for one in runs]
    assert np.mean([state is State.WITHIN for state in states]) > 0.8
    apart = [
        run(Goal(GoalKind.RANK, margin=1.0), [0.0, 1.2], seed, 80).standing.states[0] for seed in range(rounds(20, 60))
    ]
    assert np.mean([state is State.WITHIN for state in apart]) <= 0.07


def test_not_worse_is_claimed_of_the_margin_and_not_beyond_it() -> None:
    goal = Goal(GoalKind.NOT_WORSE, "A", "B", margin=0.8)
    equal = [run(goal, [0.0, 0.0], seed).standing.states[0] for seed in range(rounds(12, 40))]
    assert np.mean([state is State.DECIDED for state in equal]) > 0.8
    at_margin = [run(goal, [-0.8, 0.0], seed).standing.states[0] for seed in range(rounds(34, 100))]
    assert np.mean([state is State.DECIDED for state in at_margin]) <= 0.06


@pytest.mark.parametrize(
    ("goal", "apart", "ended_at"),
    [
        (Goal(GoalKind.RANK), 0.0, (State.UNDECIDABLE, 10, 20)),  # equal systems are given up, early
        (Goal(GoalKind.RANK), 1.0, (State.DECIDED, 10, 20)),  # so many signs cannot be chance
        (Goal(GoalKind.RANK, margin=2.0), 0.0, (State.WITHIN, 10, 20)),
        (Goal(GoalKind.NOT_WORSE, "A", "B", margin=2.0), 0.0, (State.DECIDED, 10, 20)),
        (Goal(GoalKind.PRECISION, half_width=2.0), 0.0, (State.OPEN, 40, 40)),  # how far others differ stays unknown
    ],
)
def test_answers_that_never_vary_are_not_certain(goal: Goal, apart: float, ended_at: tuple[State, int, int]) -> None:
    """Eight documents with the same answers decided everything, with intervals of no width."""
    sizes = np.random.default_rng(3).integers(1, 4, 40).astype(float)
    totals = np.outer(sizes, [50.0 + apart, 50.0])
    one = simulate(Allocation(goal, ("A", "B"), sizes, seed=1), totals)
    state, fewest, most = ended_at
    assert one.standing.states[0] is state
    assert fewest <= len(one.draws) <= most
    assert not np.isfinite(one.answers().means().half_width(0.05)).any()
    assert not np.isfinite(stopped_intervals(goal, one.answers().differences([(0, 1)]), one.standing, share=0.5,
                                             documents=40)[0]).any()  # fmt: skip


def test_a_tie_is_given_up_beside_a_pair_that_differs() -> None:
    rng = np.random.default_rng(5)
    same, other = rng.normal(size=40), rng.normal(size=40)
    totals, goal = np.stack([same, same, other], axis=1), Goal(GoalKind.RANK)
    half = simulate(Allocation(goal, "ABC", np.ones(40), seed=1, tilts=False), totals, most=60).answers()
    own = half.differences([(0, 1), (0, 2)])
    assert own.is_constant.tolist() == [True, False]
    _, _, undecidable = settle(goal, own, start(goal, "ABC"), systems=3, look=LOOKS // 2, looks=LOOKS)
    assert undecidable[0]


def test_precision_stops_when_means_are_known_well_enough() -> None:
    one = run(Goal(GoalKind.PRECISION, half_width=0.5), [0.0, 1.0], 3, 120)
    assert one.standing.enough
    assert len(one.draws) < 120
    assert (one.answers().means().half_width(0.05) < 0.56).all()


def test_precision_waits_until_its_variance_is_known_where_lengths_differ_tenfold() -> None:
    """Twenty such documents say as much as ten of one length. However wide an interval may be, that is too few."""
    rng = np.random.default_rng(8)
    sizes = rng.permutation(np.repeat([1.0, 10.0], 50))
    totals = rng.normal(size=(100, 2)) * sizes[:, None]
    one = simulate(Allocation(Goal(GoalKind.PRECISION, half_width=50.0), "AB", sizes, tilts=False), totals)
    assert one.standing.enough and 25 < len(one.draws) < 60
    assert (one.answers().means().df >= 20).all()


def test_only_the_two_systems_compared_are_shown() -> None:
    one = run(Goal(GoalKind.BETTER, "B", "D"), [0.0, 0.0, 0.0, 2.0], 1)
    assert {draw.systems for draw in one.draws} == {(1, 3)}
    assert one.standing.winners == (3,)


@pytest.mark.parametrize(
    ("text", "goal"),
    [
        ("rank", Goal(GoalKind.RANK)),
        ("rank:2", Goal(GoalKind.RANK, margin=2)),
        ("best", Goal(GoalKind.BEST)),
        ("better:A,B", Goal(GoalKind.BETTER, "A", "B")),
        ("not-worse:A,B,1.5", Goal(GoalKind.NOT_WORSE, "A", "B", margin=1.5)),
        ("precision:3", Goal(GoalKind.PRECISION, half_width=3)),
        ("agreement:0.5", Goal(GoalKind.AGREEMENT, minimum=0.5)),
    ],
)
def test_goals_are_written_and_read(text: str, goal: Goal) -> None:
    assert parse_goal(text, ["A", "B"]) == goal
    assert str(goal) == text


@pytest.mark.parametrize("text", ["rank:0.12345678", "not-worse:a,b,1234567.5", "precision:0.00012345678"])
def test_a_goal_keeps_all_digits_of_its_number(text: str) -> None:
    assert parse_goal(str(parse_goal(text))) == parse_goal(text)
    assert str(parse_goal("precision:0.5")) == "precision:0.5"


@pytest.mark.parametrize(
    "text", ["", "win", "better", "better:A", "better:A,A", "better:A,X", "precision", "precision:no", "rank:-1",
             "not-worse:A,B", "agreement:0", "rank:nan"],
)  # fmt: skip
def test_goals_that_make_no_sense_are_refused(text: str) -> None:
    with pytest.raises(InputError):
        parse_goal(text, ["A", "B"])


def begun(seed: int, means: tuple[float, ...]) -> tuple[Allocation, np.ndarray]:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 5, 60).astype(float)
    totals = (np.array(means) + rng.normal(size=(60, len(means)))) * sizes[:, None]
    return simulate(Allocation(Goal(GoalKind.RANK), "ABC", sizes, seed=seed, tilts=False), totals, most=120), totals


def test_expected_work_is_about_what_is_then_spent() -> None:
    expected, spent, inside = [], [], 0
    for seed in range(rounds(8, 30)):
        one, totals = begun(seed, (0.0, 0.3, 1.0))
        ahead = forecast(one.goal, one.answers(), one.standing, seed=seed)
        before = one.judgements
        if ahead is None or one.standing.enough:
            continue
        simulate(one, totals)
        expected.append(ahead.expected)
        spent.append(one.judgements - before)
        inside += ahead.low - 30 <= spent[-1] <= ahead.high + 30
    assert len(spent) > 5
    assert abs(np.mean(expected) - np.mean(spent)) < 0.35 * np.mean(spent)
    assert inside >= 0.75 * len(spent)


def test_a_clear_pair_is_more_likely_settled_soon_than_a_close_one() -> None:
    clear, close = [], []
    for seed in range(rounds(5, 20)):
        one, _ = begun(seed, (0.0, 0.05, 0.8))
        ahead = forecast(one.goal, one.answers(), one.standing, seed=seed)
        if ahead is not None and not one.standing.enough:
            clear.append(ahead.chances[1])
            close.append(ahead.chances[0])
    assert np.mean(clear) > np.mean(close) + 0.2


def test_the_course_tells_pairs_that_are_decided_from_pairs_that_are_given_up() -> None:
    for means, gives_up in (((0.0, 0.01, 9.0), True), ((0.0, 9.0, 18.0), False)):
        sizes, totals, _ = world(list(means), 3)
        one = simulate(Allocation(Goal(GoalKind.RANK), "ABC", sizes, tilts=False), totals, most=8 * 3 * sizes.max())
        fresh = replace(one.standing, look=2, states=(State.OPEN,) * 3, active=(0, 1, 2), enough=False)
        ahead = forecast(one.goal, one.answers(), fresh)
        assert ahead is not None
        _, found, lost = ahead.course[-1]
        assert found + lost == pytest.approx(3)
        assert (lost > 0.3) == gives_up and found >= 1.9


def test_nothing_is_forecast_before_there_is_anything_to_go_by() -> None:
    sizes = np.ones(40)
    one = Allocation(Goal(GoalKind.RANK), "AB", sizes)
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


def test_a_pair_that_is_left_open_is_never_decided_and_helps_no_other() -> None:
    """Whatever its data say later; and the other pairs are tested at the levels they would have had with it."""
    one, _ = begun(1, (0.0, 0.0, 5.0))
    before = GoalStanding(1, one.standing.pairs, (State.OPEN,) * 3, (-1,) * 3, (0, 1, 2))
    left = leave_open(one.goal, before, 1)
    assert (left.states, left.active, left.enough) == ((State.OPEN, State.LEFT, State.OPEN), (0, 1, 2), False)
    after = take_look(one.goal, one.answers(), left, 10)
    assert after.states[1] is State.LEFT and after.winners[1] == -1, "A against C would be decided at once"
    assert after.states[2] is State.DECIDED and after.winners[2] == 2, "B against C is"
    p = np.array([0.01])
    assert _levels(one.goal, p, left, 3) == pytest.approx(0.05 / 3), "three pairs count, though one is tested no more"
    alone = leave_open(one.goal, leave_open(one.goal, left, 0), 2)
    assert (alone.active, alone.enough) == ((), True)
    for goal, place in ((one.goal, 1), (Goal(GoalKind.PRECISION, half_width=1.0), 0)):
        with pytest.raises(StatisticError):
            leave_open(goal, left, place)


def test_what_leaving_a_pair_open_spares_is_what_its_systems_are_shown_for() -> None:
    """A pair alone: everything. While each of three systems is in two open pairs, leaving one spares nothing."""
    sizes, totals, _ = world([0.0, 0.3], 3)
    lone = simulate(Allocation(Goal(GoalKind.RANK), "AB", sizes, tilts=False), totals, most=50)
    ahead = forecast(lone.goal, lone.answers(), lone.standing)
    assert ahead is not None and ahead.spared == pytest.approx((ahead.expected,))
    three, _ = begun(2, (0.0, 0.05, 2.0))
    ahead = forecast(three.goal, three.answers(), three.standing)
    assert ahead is not None
    open_pairs = [at for at, state in enumerate(three.standing.states) if state is State.OPEN]
    assert open_pairs == [0], "C is told from the others already"
    assert ahead.spared[0] == pytest.approx(ahead.expected) and ahead.spared[1:] == (0.0, 0.0)
    close, _ = begun(4, (0.0, 0.2, 0.4))
    ahead = forecast(close.goal, close.answers(), close.standing)
    assert ahead is not None and set(close.standing.states) == {State.OPEN}
    assert 0 < sum(ahead.spared) < ahead.expected


# Intervals at the stop


def estimates(value: float, share: float) -> Estimates:
    """A difference in units of the complete campaign's error, from so many documents that normal theory holds."""
    single = [np.array([number]) for number in (value, value, 0.0, 1 / share - 1, 1.0, 1e6)]
    return Estimates(*single, np.zeros((1, 1)))


def stopped(goal: Goal, complete: float, rng: np.random.Generator) -> tuple[float, GoalStanding]:
    """The estimate of a campaign that is looked at until it stops, and its standing then; judged completely, it would
    have found `complete`. Every twentieth of the documents brings as much."""
    steps = rng.normal(size=LOOKS)
    steps = (steps - steps.mean()) * np.sqrt(LOOKS) + complete
    before = GoalStanding(0, ((0, 1),), (State.OPEN,), (-1,), (0, 1))
    for look in range(1, LOOKS + 1):
        value, share = float(steps[:look].mean()), look / LOOKS
        decided, _, futile = settle(goal, estimates(value, share), before, systems=2, look=look, looks=LOOKS)
        if decided[0] or futile[0] or look == LOOKS:
            state = State.DECIDED if decided[0] else State.UNDECIDABLE
            return value, GoalStanding(look, ((0, 1),), (state,), (0 if decided[0] else -1,), (), True)
    raise AssertionError


@pytest.mark.parametrize(
    ("goal", "complete"),
    [(Goal(GoalKind.BETTER, "A", "B"), -2.4), (Goal(GoalKind.NOT_WORSE, "A", "B", margin=3), -0.6)],
)
def test_intervals_hold_the_truth_however_the_campaign_stopped(goal: Goal, complete: float) -> None:
    """For a pair that the complete campaign just decides, where intervals that take no notice of the stop miss far
    more often than they may."""
    rng = np.random.default_rng(7)
    held, held_as_if_fixed, agrees, runs = 0, 0, [], rounds(60, 100)
    for _ in range(runs):
        value, standing = stopped(goal, complete, rng)
        share = standing.look / LOOKS
        own = estimates(value, share)
        low, high = stopped_intervals(goal, own, standing, share=share, documents=10_000, of_complete=True)
        held += bool(low[0] - 1e-9 <= complete <= high[0] + 1e-9)
        held_as_if_fixed += abs(value - complete) <= float(own.half_width(0.05, of_complete=True)[0]) + 1e-9
        low, high = stopped_intervals(goal, own, standing, share=share, documents=10_000)
        assert low[0] < value < high[0]
        if standing.states[0] is State.DECIDED:
            agrees.append(low[0] > -goal.margin if value > 0 or goal.margin else high[0] < 0)
    assert held >= 0.92 * runs
    assert held_as_if_fixed <= 0.92 * runs
    assert np.mean(agrees) > 0.97, "what is decided agrees with its interval"


def test_without_an_earlier_look_the_interval_is_the_usual_one() -> None:
    goal = Goal(GoalKind.BETTER, "A", "B")
    first = GoalStanding(1, ((0, 1),), (State.DECIDED,), (0,), (), True)
    own = estimates(3.0, 0.05)
    low, high = stopped_intervals(goal, own, first, share=0.05, documents=200)
    assert (low[0], high[0]) == pytest.approx((3 - own.half_width(0.05)[0], 3 + own.half_width(0.05)[0]), rel=1e-3)
    complete = stopped_intervals(goal, estimates(3.0, 1.0), first, share=1.0, documents=200, of_complete=True)
    assert [end.tolist() for end in complete] == [[3.0], [3.0]], "the complete campaign knows its own value"


# Looking at a campaign while it runs


@pytest.mark.parametrize("of_complete", [False, True])
@pytest.mark.parametrize("level", [0.05, 0.01])
def test_all_looks_together_err_as_often_as_they_may(level: float, of_complete: bool) -> None:
    shares = np.arange(1, LOOKS + 1) / LOOKS
    times = shares[:-1] / (1 - shares[:-1]) if of_complete else shares
    rng = np.random.default_rng(7)
    steps = rng.normal(size=(200_000, len(times))) * np.sqrt(np.diff(times, prepend=0))
    p = 2 * stats.norm.sf(np.abs(np.cumsum(steps, 1)) / np.sqrt(times))
    needed = np.array([nominal_levels(level, look, of_complete=of_complete) for look in range(1, len(times) + 1)])
    spent = level * (shares[len(times) - 1] ** 2)
    assert (p <= needed).any(1).mean() == pytest.approx(spent, rel=0.06)


def test_a_single_look_needs_no_correction() -> None:
    one = np.array([1.0])
    assert boundary(np.array([0.05, 0.2]), one, one)[0] == pytest.approx([0.05, 0.2], rel=1e-6)


def test_two_looks_agree_with_a_bivariate_normal_distribution() -> None:
    shares = np.array([0.5, 1.0])
    first, second = boundary(np.array([0.05]), shares, shares)[:, 0]
    assert first == pytest.approx(0.05 / 4, rel=1e-6)
    low, high = stats.norm.isf(first / 2), stats.norm.isf(second / 2)
    both = stats.multivariate_normal([0, 0], [[1, np.sqrt(0.5)], [np.sqrt(0.5), 1]])
    inside = both.cdf([low, high], lower_limit=[-low, -high])
    assert 1 - inside == pytest.approx(0.05, rel=1e-3)


def test_levels_grow_with_looks_and_with_the_error_allowed() -> None:
    by_look = [float(nominal_levels(0.05, look)) for look in range(1, LOOKS + 1)]
    assert by_look == sorted(by_look)
    assert by_look[-1] < 0.05
    assert (np.diff(nominal_levels(np.array([0.001, 0.01, 0.05, 0.2]), 10)) > 0).all()

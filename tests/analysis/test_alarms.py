from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from scipy.stats import binomtest

from lanner.analysis.alarms import _p_value, fast_by_chance, fast_judges, panel_test, straight_lines
from lanner.model.alarms import Code
from lanner.stats.ratings import Ratings
from property_examples import rounds


def panel(
    rng: np.random.Generator, units: int, judges: int, careless: int = 0, documents: int | None = None
) -> Ratings:
    """Judges who each give the true one of four labels in 70 % of cases; the last `careless` ones answer by chance."""
    truth = rng.integers(0, 4, units)
    guess = rng.integers(0, 4, (units, judges))
    right = rng.random((units, judges)) < 0.7
    right[:, judges - careless :] = False
    table = np.where(right, truth[:, None], guess).astype(float)
    names = None if documents is None else [f"d{at % documents}" for at in range(units)]
    return Ratings.from_matrix(table, documents=names, labels=["a", "b", "c", "d"])


@pytest.mark.parametrize(("units", "documents"), [(40, 8), (100, 8), (100, 25), (500, 50)])
def test_equal_judges_raise_the_alarm_in_one_panel_of_twenty(
    units: int, documents: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The number of false alarms in these panels is within the binomial spread of 5 %, on either side; a fifth of the
    usual exchanges is as exact about 5 %."""
    monkeypatch.setattr("lanner.analysis.alarms._PERMUTATIONS", 199)
    rng = np.random.default_rng(units + documents)
    runs = rounds(80, 300)
    alarms = 0
    for run in range(runs):
        found = panel_test(panel(rng, units, 2 + 1 + run % 5, documents=documents), seed=run)
        alarms += bool(found and found.differs)
    assert binomtest(alarms, runs, 0.05).pvalue > 0.001, alarms / runs


@pytest.mark.parametrize(("documents", "judges"), [(3, 5), (4, 4), (7, 4), (9, 3)])
def test_judges_who_are_careless_in_one_document_or_another_do_not_differ(documents: int, judges: int) -> None:
    """Everybody is careless in three documents of ten. Taken item by item that called somebody in 29 to 62 of 100
    panels; a judge who is careless in all of them is found from five documents on."""
    rng = np.random.default_rng(documents)
    home = np.repeat(np.arange(documents), 8)
    alarms = [0, 0]
    runs = rounds(60, 200)
    for _ in range(runs):
        for careless in (0, 1):
            guesses = rng.random((documents, judges)) < 0.3
            guesses[:, :careless] = True
            truth, guess = rng.integers(0, 4, len(home)), rng.integers(0, 4, (len(home), judges))
            answers = np.where(guesses[home], guess, truth[:, None]).astype(float)
            found = panel_test(Ratings.from_matrix(answers, documents=[f"d{at}" for at in home]))
            alarms[careless] += found is not None and found.differs
    assert binomtest(alarms[0], runs, 0.05, alternative="greater").pvalue > 0.001, alarms
    assert documents < 5 or alarms[1] > 0.5 * runs, alarms


@pytest.mark.parametrize(("documents", "judges", "says"), [(3, 4, False), (4, 4, True), (2, 5, False), (3, 5, True)])
def test_so_few_documents_that_nobody_could_differ_say_nothing(documents: int, judges: int, says: bool) -> None:
    """Of k judges one is the furthest in all n documents with chance k/kⁿ, if all are alike."""
    assert (judges ** (1 - documents) < 0.05) == says
    found = panel_test(panel(np.random.default_rng(2), 12 * documents, judges, careless=1, documents=documents))
    assert (found is not None) == says
    assert found is None or found.judge == str(judges - 1)


def test_the_p_of_exchanged_judges_counts_the_panel_itself_and_whatever_reaches_it() -> None:
    """Three judges in one block: whoever is given the one large sum, it is as far out as the one seen, so p is 1. What
    no exchange reaches has p 1/1000, and never 0."""
    blocks = [np.array([[2.0, -1.0, -1.0]])], [np.array([[0, 1, 2]])]
    variances = np.full(3, 2.0)
    assert _p_value(2 / np.sqrt(2), blocks, variances, np.random.default_rng(0)) == 1
    assert _p_value(9.0, blocks, variances, np.random.default_rng(0)) == 1 / 1000


def test_a_careless_judge_is_found_and_named() -> None:
    rng = np.random.default_rng(3)
    found = [panel_test(panel(rng, 100, 5, careless=1, documents=8)) for _ in range(20)]
    assert sum(test is not None and test.differs and test.judge == "4" for test in found) >= 19


def test_lenient_judges_of_a_scale_and_gaps_do_not_disturb_it() -> None:
    rng = np.random.default_rng(4)
    quality = rng.normal(70, 10, 200)
    table = quality[:, None] + rng.normal(0, 5, (200, 6))
    table[:, 2] += 15
    table[rng.random(table.shape) < 0.4] = np.nan
    found = panel_test(Ratings.from_matrix(table, documents=[f"d{at // 10}" for at in range(200)]))
    assert found is not None and found.differs and found.judge == "2"


def test_large_panels_by_the_normal_distribution_agree_with_exchanging(monkeypatch: pytest.MonkeyPatch) -> None:
    rated = panel(np.random.default_rng(8), 600, 4)
    exact = panel_test(rated)
    monkeypatch.setattr("lanner.analysis.alarms._MOST_WORK", 0)
    normal = panel_test(rated)
    assert exact and normal and exact.judge == normal.judge
    assert normal.p == pytest.approx(exact.p, abs=0.06)


def test_too_little_shared_says_nothing() -> None:
    assert panel_test(panel(np.random.default_rng(1), 9, 4)) is None
    assert panel_test(panel(np.random.default_rng(1), 50, 2)) is None, "two judges differ from each other equally"


def grid(sentences: int, rows: int, judges: int = 4) -> Ratings:
    """All rows of a sentence have one answer; the first judge says "a" throughout."""
    truth = np.repeat(np.arange(sentences) % 2, rows)
    table = np.column_stack([np.zeros(len(truth)), *[truth] * (judges - 1)]).astype(float)
    documents = [f"d{place // rows}" for place in range(len(truth))]
    ratings = Ratings.from_matrix(table, documents=documents, labels=["a", "b"])
    cells = pl.Series("row", [str(place % rows) for place in range(len(truth))])
    return replace(ratings, items=ratings.items.with_columns(cells, segment=pl.lit("1")))


def test_the_rows_of_a_grid_are_one_sentence() -> None:
    """Eight sentences were 72 items: nobody differed, with a tick, and whoever left all rows as they are was called."""
    assert panel_test(grid(8, 9)) is None
    assert straight_lines(grid(8, 9)) == []
    found, (alarm,) = panel_test(grid(30, 9)), straight_lines(grid(30, 9))
    assert found is not None
    assert (found.items, alarm.n, alarm.value) == (30, 30, 1.0)


@pytest.mark.parametrize("answers", [np.ones((30, 4)), np.arange(120).reshape(30, 4) // 4 % 2])
def test_where_all_answer_alike_nobody_differs(answers: np.ndarray) -> None:
    """It was said that too few sentences were shared."""
    found = panel_test(Ratings.from_matrix(answers, labels=["a", "b"]))
    assert found is not None
    assert (found.p, found.differs, found.items, found.judges) == (1.0, False, 30, 4)


@pytest.mark.parametrize(("judges", "spread"), [(4, 0.7), (6, 0.5), (6, 0.4), (8, 0.9), (20, 0.45)])
def test_as_many_judges_are_called_too_fast_by_chance_as_is_said(judges: int, spread: float) -> None:
    """Over panels of judges who only have a pace of their own, the number said is near the number called."""
    rng = np.random.default_rng(judges)
    said = called = 0.0
    runs = rounds(300, 1000)
    for _ in range(runs):
        seconds = {
            str(judge): [float(pace)] * 10 for judge, pace in enumerate(30 * np.exp(rng.normal(0, spread, judges)))
        }
        said += fast_by_chance(seconds) or 0.0
        called += len(fast_judges(seconds))
    assert called / runs > 0.03, "something to compare"
    assert 0.7 * called < said < max(1.33 * called, called + 0.1 * runs)


def test_how_many_are_called_too_fast_by_chance_is_not_said_of_three_paces() -> None:
    assert fast_by_chance({**{name: [30.0] * 12 for name in "abc"}, "d": [30.0] * 9}) is None
    assert fast_by_chance({name: [30.0] * 12 for name in "abcd"}) == 0.0


def test_a_judge_three_times_as_fast_is_named_and_twice_as_fast_is_not() -> None:
    times = {"a": [40.0] * 12, "b": [36.0] * 12, "c": [10.0] * 12, "d": [20.0] * 12, "e": [1.0] * 9}
    (alarm,) = fast_judges(times)
    assert (alarm.code, alarm.judge, alarm.value, alarm.reference) == (Code.SPEED, "c", 10.0, 36.0)
    assert fast_judges({"a": [5.0] * 20}) == []


def test_the_same_answer_to_everything_is_named_unless_everybody_gives_it() -> None:
    rng = np.random.default_rng(2)
    table = rng.integers(0, 3, (40, 4)).astype(float)
    table[:, 1] = 2
    (alarm,) = straight_lines(Ratings.from_matrix(table, labels=["a", "b", "c"]))
    assert (alarm.judge, alarm.value, alarm.label, alarm.n) == ("1", 1.0, "c", 40)
    assert straight_lines(Ratings.from_matrix(np.full((40, 4), 2.0), labels=["a", "b", "c"])) == []

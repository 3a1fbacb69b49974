from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize
from statsmodels.stats.multitest import multipletests

from data_set_frames import parity
from data_sets import data_dir
from lanner.stats.bradley_terry import Davidson, bradley_terry
from lanner.stats.preference import sign_test
from lanner.stats.resample import Resampling
from property_examples import examples

QUICK = Resampling(n=200)


def likelihood(parameters, pairs, counts, k):
    """−log likelihood written as Davidson does, with worths."""
    worth, nu = np.exp(parameters[:k]), np.exp(parameters[k])
    total = 0.0
    for (i, j), (wins, losses, ties) in zip(pairs, counts, strict=True):
        tie = nu * np.sqrt(worth[i] * worth[j])
        below = worth[i] + worth[j] + tie
        total -= wins * np.log(worth[i] / below) + losses * np.log(worth[j] / below) + ties * np.log(tie / below)
    return total


@settings(max_examples=examples(20), deadline=None)
@given(st.lists(st.tuples(*[st.integers(1, 30)] * 3), min_size=6, max_size=6))
def test_newton_finds_the_maximum_of_davidsons_likelihood(counts):
    pairs = np.array([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)])
    found = Davidson(4, pairs, True).fit(np.array([counts], dtype=float))[0]
    assert found[:4].sum() == pytest.approx(0, abs=1e-9)
    objective = lambda p: likelihood(np.array([0, *p]), pairs, counts, 4)  # noqa: E731
    direct = optimize.minimize(objective, np.zeros(4), method="BFGS", options={"gtol": 1e-5})
    strengths = np.array([0, *direct.x[:3]])
    assert found[:4] == pytest.approx(strengths - strengths.mean(), abs=2e-4)
    assert found[4] == pytest.approx(direct.x[3], abs=2e-4)


def test_two_systems_without_ties_give_the_log_odds():
    found = Davidson(2, np.array([(0, 1)]), False).fit(np.array([[[30.0, 10.0, 0.0]]]))[0]
    assert found[0] - found[1] == pytest.approx(np.log(3))


def test_many_resamples_are_fitted_as_each_alone():
    rng = np.random.default_rng(0)
    pairs = np.array([(0, 1), (0, 2), (1, 2)])
    counts = rng.integers(1, 20, (5, 3, 3)).astype(float)
    model = Davidson(3, pairs, True)
    together = model.fit(counts)
    assert together == pytest.approx(np.concatenate([model.fit(counts[[b]]) for b in range(5)]), abs=1e-7)


@pytest.mark.data
def test_people_are_stronger_than_the_machine_on_documents():
    frame = parity(data_dir("parity"))
    result = bradley_terry(frame.filter((frame["condition"] == "fluency") & (frame["unit"] == "document")))
    assert result.rows[0]["system"] == "human"
    pair = next(row for row in result.rows if row["kind"] == "pair")
    assert pair["value"] == pytest.approx(np.log(99 / 44))
    assert pair["p"] < 0.01
    assert pair["low"] < pair["value"] < pair["high"]
    ties = next(row for row in result.rows if row["kind"] == "ties")
    assert ties["value"] == pytest.approx(57 / np.sqrt(99 * 44))


def test_order_and_intervals_of_a_simulated_contest():
    rng = np.random.default_rng(3)
    truth = {"a": 1.0, "b": 0.0, "c": -1.0}
    data = {"judge": [], "document": [], "label": [], "system": []}
    for document in range(40):
        for one, two in (("a", "b"), ("b", "c"), ("c", "a")):
            p = 1 / (1 + np.exp(truth[two] - truth[one]))
            data["judge"].append("j")
            data["document"].append(str(document))
            data["label"].append("a" if rng.random() < p else "b")
            data["system"].append(f"{one}|{two}")
    result = bradley_terry(data, resampling=QUICK)
    systems = [row for row in result.rows if row["kind"] == "system"]
    assert [row["system"] for row in systems] == ["a", "b", "c"]
    assert all(row["low"] < truth[row["system"]] < row["high"] for row in systems)


def test_pairs_are_corrected_for_their_number():
    rng = np.random.default_rng(4)
    strength = {"elm": 0.0, "fir": 0.3, "oak": 0.8}
    rows = []
    for document in range(12):
        for segment, (one, two) in enumerate([("elm", "fir"), ("elm", "oak"), ("fir", "oak")] * 2):
            wins = rng.random() < 1 / (1 + np.exp(strength[two] - strength[one]))
            rows.append(("ann", str(document), str(segment), f"{one}|{two}", "a" if wins else "b"))
    names = ("judge", "document", "segment", "system", "label")
    table = {name: [row[at] for row in rows] for at, name in enumerate(names)}
    pairs = [row for row in bradley_terry(table).rows if row["kind"] == "pair"]
    adjusted = multipletests([row["p"] for row in pairs], method="holm")[1]
    assert [row["p_holm"] for row in pairs] == pytest.approx(adjusted)
    assert any(row["p_holm"] > row["p"] for row in pairs)


def test_a_system_that_always_wins_has_no_strength():
    data = {"judge": ["j"] * 4, "document": ["1", "2", "3", "4"], "label": ["x", "x", "x", "x"], "system": ["x|y"] * 4}
    result = bradley_terry({**data, "label": ["a"] * 4})
    assert result.value is None
    assert "no bound" in result.notes[0]
    assert "two systems" in bradley_terry({**data, "label": ["tie"] * 4, "system": ["x"] * 4}).notes[0]


def contest(wins, losses, per_document=1):
    n = wins + losses
    label = ["a"] * wins + ["b"] * losses
    document = [f"d{i // per_document:04}" for i in range(n)]
    return {"judge": ["j"] * n, "document": document, "segment": [str(i) for i in range(n)], "system": ["A|B"] * n,
            "label": label}  # fmt: skip


@pytest.mark.parametrize("losses", [1, 2, 5, 20])
@pytest.mark.parametrize("wins", [28, 94, 499])
def test_a_pair_without_ties_has_the_p_and_the_interval_of_the_share_of_wins(wins, losses):
    """29 to 1 cannot be undecided in one test and clear in the other."""
    pair = next(row for row in bradley_terry(contest(wins, losses)).rows if row["kind"] == "pair")
    share = sign_test(contest(wins, losses), per_judge=False).rows[0]
    assert pair["p"] == pytest.approx(share["p_documents"], rel=1e-4)
    odds = [np.log(share[end] / (1 - share[end])) for end in ("low", "high")]
    assert [pair["low"], pair["high"]] == pytest.approx(odds, rel=1e-4)
    assert pair["low"] < pair["value"] < pair["high"]


@given(st.integers(2, 120), st.integers(1, 120), st.integers(1, 4))
@settings(max_examples=examples(60), deadline=None)
def test_the_interval_of_a_pair_excludes_zero_exactly_where_p_is_small(wins, losses, per_document):
    rows = bradley_terry(contest(wins, losses, per_document)).rows
    pair = next(row for row in rows if row["kind"] == "pair")
    if pair["p"] is not None and abs(pair["p"] - 0.05) > 1e-6:
        assert (pair["p"] < 0.05) == (pair["low"] > 0 or pair["high"] < 0)


def test_one_more_document_changes_little_also_at_a_hundred():
    logs = [
        np.log(next(row for row in bradley_terry(contest(wins, 9)).rows if row["kind"] == "pair")["p"])
        for wins in range(80, 130)
    ]
    assert np.all(np.diff(logs) < 0)
    assert np.abs(np.diff(logs, 2)).max() < 0.05


def test_who_never_lost_has_a_lower_bound_and_a_reason():
    result = bradley_terry(contest(150, 0))
    assert result.value is None
    assert "never lost" in result.notes[0]
    (row,) = result.rows
    assert (row["system"], row["value"], row["high"], row["chance"]) == ("A", None, None, 1.0)
    assert row["low"] == pytest.approx(3.65, abs=0.01)
    assert row["p"] < 1e-15


def test_leaving_out_by_one_step_comes_near_to_fitting_again():
    rng = np.random.default_rng(1)
    pairs = np.array([(0, 1), (0, 2), (1, 2)])
    model = Davidson(3, pairs, True)
    units = rng.poisson(2.0, (60, 3, 3)).astype(float)
    whole = model.fit(units.sum(axis=0)[None])[0]
    again = np.concatenate([model.fit((units.sum(axis=0) - own)[None]) for own in units])
    assert model.without_each(whole, units) == pytest.approx(again, abs=2e-3)


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(st.tuples(*[st.integers(0, 2)] * 3).filter(any), min_size=3, max_size=3))
def test_a_maximum_is_said_to_exist_exactly_where_the_likelihood_has_one(counts):
    """Bounded more and more widely, the search ends at a bound where there is no maximum and stays where there is."""
    pairs, ties = np.array([(0, 1), (0, 2), (1, 2)]), any(count[2] for count in counts)
    free = 3 if ties else 2

    def objective(p):
        return likelihood(np.array([0, p[0], p[1], p[2] if ties else -700.0]), pairs, counts, 3)

    wide = optimize.minimize(objective, np.zeros(free), method="L-BFGS-B", bounds=[(-40, 40)] * free)
    near = optimize.minimize(objective, np.zeros(free), method="L-BFGS-B", bounds=[(-8, 8)] * free)
    found = Davidson(3, pairs, ties).has_maximum(np.array(counts, dtype=float))
    assert found == (np.abs(near.x).max() < 7.9 and near.fun <= wide.fun + 1e-7)


def test_ties_alone_do_not_bound_who_never_lost():
    """Wins, ties and no defeat: strengths ran to ±13 with an interval of ±.8 and p = 10⁻²³ from five documents."""
    rows = [("d0", 12, 0), ("d1", 0, 12), ("d2", 7, 4), ("d3", 1, 11), ("d4", 1, 11)]
    table = {"judge": [], "document": [], "segment": [], "system": [], "label": []}
    for document, wins, ties in rows:
        for at, label in enumerate(["a"] * wins + ["tie"] * ties):
            for name, value in zip(table, ("j", document, f"{document}.{at}", "oak|elm", label), strict=True):
                table[name].append(value)
    found = bradley_terry(table)
    assert found.value is None and "no bound" in found.notes[0]
    [pair] = found.rows
    assert (pair["system"], pair["high"]) == ("oak", None)
    assert pair["p"] == pytest.approx(sign_test(table).p) and pair["p"] > 0.1
    tied = bradley_terry({**table, "label": ["tie"] * len(table["label"])})
    assert tied.value is None and "tie" in tied.notes[0] and not tied.rows

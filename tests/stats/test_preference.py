""""""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats
from statsmodels.stats.multitest import multipletests

from data_set_frames import parity
from data_sets import data_dir
from lanner.errors import StatisticError
from lanner.stats.preference import (
    Davidson,
    bradley_terry,
    comparisons,
    controls,
    exact_sign_test,
    majority,
    side_bias,
    sign_test,
    without_excluded,
)
from lanner.stats.resample import Resampling
from property_examples import examples

FORMS = {
    "ranks": {"ranks": [[1, 2], [2, 1], [1, 1]], "system": ["x|y", "x|y", "y|x"]},
    "sides": {"label": ["a", "b", "tie"], "system": ["x|y", "x|y", "y|x"]},
    "named": {"label": ["x", "y", "tie"]},
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_answer_gives_the_same_comparisons(form):
    table, _ = comparisons({"judge": ["j"] * 3, "document": ["d"] * 3, "segment": ["1", "2", "3"], **FORMS[form]})
    assert table.select("one", "two", "won").rows() == [("x", "y", 1), ("x", "y", -1), ("x", "y", 0)]


def test_the_order_shown_is_turned_and_kept():
    table, _ = comparisons({"judge": ["j"], "document": ["d"], "label": ["a"], "system": ["y|x"]})
    assert table.select("one", "two", "won", "shown_first").rows() == [("x", "y", -1, 1)]


def test_ranks_of_three_make_three_pairs():
    table, _ = comparisons({"judge": ["j"], "document": ["d"], "ranks": [[2, 1, 1]], "system": ["x|y|z"]})
    assert table.select("one", "two", "won").rows() == [("x", "y", -1), ("x", "z", -1), ("y", "z", 0)]


def test_names_of_sides_can_be_given():
    data = {"judge": ["j"] * 2, "document": ["d", "e"], "label": ["oben", "gleich"], "system": ["x|y"] * 2}
    table, _ = comparisons(data, sides=("oben", "unten"), tie="gleich")
    assert table["won"].to_list() == [1, 0]


def test_comparisons_without_an_answer_are_left_out_and_counted():
    data = {"judge": ["j"] * 3, "document": ["d", "d", "e"], "label": ["x", None, "y"]}
    table, notes = comparisons(data)
    assert len(table) == 2
    assert "1 comparison has no answer" in " ".join(notes)


@pytest.mark.parametrize("turned", [False, True])
def test_a_comparison_given_again_counts_once(turned):
    """Also where the two outputs were shown the other way round the second time."""
    labels = ["a", "a", "b", "a", "a", "tie"]
    segments = [str(at) for at in range(6)]
    once = pl.DataFrame(
        {"judge": "j", "document": ["d", "d", "e", "e", "f", "f"], "segment": segments, "label": labels}
    )
    once = once.with_columns(system=pl.lit("x|y"))
    other = pl.col("label").replace({"a": "b", "b": "a"})
    again = once.with_columns(system=pl.lit("y|x"), label=other) if turned else once
    twice = pl.concat([once, again])
    for statistic in (sign_test, majority, bradley_terry, side_bias):
        if statistic is side_bias and turned:
            continue  # then it is another habit
        expected, result = statistic(once), statistic(twice)
        assert (result.value, result.interval, result.p, result.counts, result.rows) == (
            expected.value,
            expected.interval,
            expected.p,
            expected.counts,
            expected.rows,
        )
        assert any("6 answers were given again" in note for note in result.notes)


def test_an_even_vote_is_won_by_nobody():
    """Of ten documents the judges agree on two only; the interval is that of two in ten."""
    label = [name for d in range(10) for name in ("x", "x" if d < 2 else "y")]
    data = {"judge": ["j", "k"] * 10, "document": [f"d{d}" for d in range(10) for _ in "jk"], "label": label}
    result = majority({**data, "system": ["x|y"] * 20})
    [row] = result.rows
    assert (row["won_by_one"], row["ties"], row["won_by_two"], row["percent_tie"]) == (2, 8, 0, 80)
    assert result.value == 0.2
    assert result.interval.low < 0.2 < result.interval.high < 0.6
    assert result.p == row["p_documents"] == row["p"] == 0.5, "two documents of two, each of one item"
    in_two_texts = {**data, "segment": data["document"], "document": ["d"] * 10 + ["e"] * 10}
    assert majority({**in_two_texts, "system": ["x|y"] * 20}).p is None, "only one text has an item that is won"


@pytest.mark.parametrize("statistic", [sign_test, majority])
def test_notes_on_every_question_are_kept(statistic):
    """With several questions, what was left out of each is said; those of the last question alone were."""
    label = ["a", None, "b", "a", None, None, "a", "b"]
    data = {"judge": ["j"] * 8, "document": ["d", "e", "f", "g"] * 2, "label": label, "system": ["x|y"] * 8}
    data["question"] = ["q"] * 4 + ["r"] * 4
    assert statistic(data, ["q", "r"], resampling=QUICK).notes[:2] == (
        "q: 1 comparison has no answer and is left out.",
        "r: 2 comparisons have no answer and are left out.",
    )
    assert statistic(data, "q", resampling=QUICK).notes[0] == "1 comparison has no answer and is left out."
    data["label"] = ["a", None, "b", "a"] * 2
    assert statistic(data, ["q", "r"], resampling=QUICK).notes[0] == "1 comparison has no answer and is left out."


def test_control_items_are_left_out_unless_asked_for():
    data = {"judge": ["j"] * 2, "document": ["d"] * 2, "label": ["x", "y"], "role": ["main", "control"]}
    assert len(comparisons(data)[0]) == 1
    assert len(comparisons(data, roles=("control",))[0]) == 1


@pytest.mark.parametrize("test", [sign_test, majority, bradley_terry])
def test_a_preference_for_one_name_needs_the_other(test):
    data = {"judge": ["j"] * 3, "document": ["d", "e", "f"], "label": ["GPT", "GPT", "tie"]}
    with pytest.raises(StatisticError, match="All answers prefer 'GPT', and nothing says what it was compared with"):
        test(data)
    table, _ = comparisons({**data, "label": ["second", "second", "tie"]})
    assert set(table.select("one", "two", "won").rows()) == {("first", "second", -1), ("first", "second", 0)}
    test({**data, "label": ["tie"] * 3})


def test_an_unknown_question_gets_a_suggestion():
    data = {"judge": ["j"], "document": ["d"], "label": ["x"], "question": ["better"]}
    with pytest.raises(StatisticError, match="better"):
        comparisons(data, "beter")


def test_answers_may_name_the_better_of_the_two_shown():
    systems, labels = ["x|y", "y|x", "x|y"], ["y", "y", "tie"]
    table, _ = comparisons({"judge": ["j"] * 3, "document": ["1", "2", "3"], "system": systems, "label": labels})
    assert table["won"].to_list() == [-1, -1, 0]
    assert table["shown_first"].to_list() == [-1, 1, 0]
    with pytest.raises(StatisticError, match="which side"):
        comparisons({"judge": ["j"] * 3, "document": ["1", "2", "3"], "system": systems, "label": ["y", "z", "tie"]})


QUICK = Resampling(n=200)
CONDITIONS = ("condition", "unit")


def counted(frame):
    """Sentence items of set U overlap with the documents and are left out of totals."""
    return frame.filter((pl.col("unit") == "document") | pl.col("segment").str.starts_with("O"))


def rows_of(result, judge="all"):
    return {(row["condition"], row["unit"]): row for row in result.rows if row.get("judge", judge) == judge}


@pytest.mark.data
class TestLaeubli2018:
    def test_table_1_totals_and_sign_tests(self):
        result = sign_test(counted(parity(data_dir("parity"))), favour="human", by=CONDITIONS, resampling=QUICK)
        rows = rows_of(result)
        printed = {  # mt, tie, human, x, n, p
            ("adequacy", "document"): (74, 22, 104, 104, 178, 0.0294),
            ("adequacy", "sentence"): (103, 19, 86, 86, 189, 0.2444),
            ("fluency", "document"): (44, 57, 99, 99, 143, 4.9e-6),
            ("fluency", "sentence"): (66, 36, 106, 106, 172, 0.0028),
        }
        for condition, (mt, ties, human, x, n, p) in printed.items():
            row = rows[condition]
            assert (row["losses"], row["ties"], row["wins"], row["x"], row["n"]) == (mt, ties, human, x, n)
            assert row["p_drop"] == pytest.approx(p, rel=0.02)

    def test_ties_split_as_emerson_and_simon_do(self):
        frame = counted(parity(data_dir("parity")))
        result = sign_test(frame, favour="human", ties="split", by=CONDITIONS, resampling=QUICK)
        row = rows_of(result)["adequacy", "document"]
        assert (row["x"], row["n"]) == (115, 200)
        assert row["p_split"] == pytest.approx(0.0400, abs=5e-5)

    def test_table_1_each_rater(self):
        result = sign_test(parity(data_dir("parity")), favour="human", by=CONDITIONS, resampling=QUICK)
        printed = {  # judge: document mt, tie, human; sentence mt, tie, human
            "A": (13, 8, 29, 30, 32, 42),
            "C": (12, 14, 24, 40, 14, 50),
            "D": (11, 17, 22, 32, 30, 42),
            "E": (26, 0, 24, 59, 3, 42),
            "F": (10, 15, 25, 44, 16, 44),
            "G": (18, 4, 28, 38, 23, 43),
            "H": (20, 3, 27, 38, 11, 55),
        }
        for judge, expected in printed.items():
            rows = rows_of(result, judge)
            both = [row for unit in ("document", "sentence") for (_, u), row in rows.items() if u == unit]
            assert tuple(v for row in both for v in (row["losses"], row["ties"], row["wins"])) == expected
        assert rows_of(result, "B2")["fluency", "document"]["wins"] == 24
        assert rows_of(result, "B1")["fluency", "sentence"]["wins"] == 64

    def test_table_2_averages_and_majority(self):
        frame = counted(parity(data_dir("parity")))
        rows = {
            (r["condition"], r["unit"]): r
            for unit, item in (("document", "document"), ("sentence", "segment"))
            for r in majority(frame.filter(pl.col("unit") == unit), by=CONDITIONS, items=[item], resampling=QUICK).rows
        }
        printed = {  # mt, tie, human: average, majority
            ("fluency", "document"): ((22, 29, 50), (24, 10, 66)),
            ("fluency", "sentence"): ((32, 17, 51), (26, 23, 51)),
            ("adequacy", "document"): ((37, 11, 52), (32, 18, 50)),
            ("adequacy", "sentence"): ((50, 9, 41), (38, 32, 31)),
        }
        for condition, (average, voted) in printed.items():
            row = rows[condition]
            sides = ("two", "tie", "one")  # human comes before mt
            assert [row[f"average_{s}"] for s in sides] == pytest.approx(average, abs=0.51)
            assert [row[f"percent_{s}"] for s in sides] == pytest.approx(voted, abs=0.51)

    def test_control_items(self):
        frame = parity(data_dir("parity"), controls=True)
        for unit, missed, items in (("document", 1, 40), ("sentence", 5, 128)):
            result = controls(frame.filter(pl.col("unit") == unit))
            assert (result.counts["misses"], result.counts["items"]) == (missed, items)
            assert sum(row["spoiled_chosen"] for row in result.rows) == 0
        result = controls(frame, max_misses=1)
        assert {row["judge"] for row in result.rows if row["misses"] == 0} == {"A", "B1", "B2", "D", "F"}
        assert all(row["excluded"] == (row["misses"] > 1) for row in result.rows)
        kept = without_excluded(frame, result)
        assert set(kept["judge"]) == {row["judge"] for row in result.rows if not row["excluded"]}


@given(st.integers(0, 60), st.integers(0, 60), st.integers(0, 30))
def test_the_exact_test_is_scipys_binomial(wins, losses, ties):
    dropped, split = (exact_sign_test(wins, losses, ties, rule) for rule in ("drop", "split"))
    if wins + losses:
        assert dropped.p == pytest.approx(stats.binomtest(wins, wins + losses).pvalue)
    else:
        assert dropped.p is None
    n = wins + losses + ties
    if n:
        exact = wins + ties / 2
        assert split.n == n
        assert abs(split.x - n / 2) <= abs(exact - n / 2) + 0.5 * (n % 2)
        assert abs(split.x - exact) <= 0.5
        assert split.p == pytest.approx(stats.binomtest(split.x, n).pvalue)


@given(st.integers(0, 40), st.integers(0, 40), st.integers(0, 20))
def test_the_test_does_not_care_which_side_is_named_first(a, b, ties):
    for rule in ("drop", "split"):
        assert exact_sign_test(a, b, ties, rule).p == exact_sign_test(b, a, ties, rule).p


def test_halves_are_rounded_towards_the_middle():
    assert exact_sign_test(2, 7, 1, "split").x == 3
    assert exact_sign_test(7, 2, 1, "split").x == 7


def test_a_judge_who_always_takes_the_first_is_found():
    rng = np.random.default_rng(0)
    systems = np.where(rng.random(60) < 0.5, "x|y", "y|x")
    data = {
        "judge": ["habit"] * 30 + ["fair"] * 30,
        "document": [str(i) for i in range(60)],
        "label": ["a"] * 30 + ["a", "b"] * 15,
        "system": systems.tolist(),
    }
    rows = {row["judge"]: row for row in side_bias(data, resampling=QUICK).rows}
    assert rows["habit"]["p"] < 1e-4 and rows["habit"]["p_items"] < 1e-6
    assert rows["fair"]["p"] == 1.0


def test_documents_that_vote_as_one_make_a_weaker_case():
    votes = ["x"] * 10 + ["y"] * 2
    data = {
        "judge": ["j"] * 120,
        "document": [str(d) for d in range(12) for _ in range(10)],
        "segment": [str(i) for i in range(120)],
        "label": [vote for vote in votes for _ in range(10)],
    }
    row = sign_test(data, resampling=Resampling(n=500)).rows[0]
    assert row["p_drop"] < 1e-10
    assert row["p_documents"] > 1e-4


def test_only_ties_have_no_sign_test():
    data = {"judge": ["j"] * 3, "document": ["1", "2", "3"], "label": ["tie"] * 3, "system": ["x|y"] * 3}
    result = sign_test(data, resampling=QUICK)
    assert result.value is None
    assert "nothing but ties" in result.notes[0]
    assert result.rows[0]["p_split"] == 1.0


def test_no_comparisons_at_all_are_no_error():
    empty = pl.DataFrame(schema={"judge": pl.String, "document": pl.String, "label": pl.String})
    for result in (sign_test(empty), majority(empty), side_bias(empty)):
        assert result.value is None
        assert result.notes


def test_answers_that_cannot_be_read_say_what_to_do():
    with pytest.raises(StatisticError, match="sides="):
        sign_test({"judge": ["j"], "document": ["d"], "label": ["links"], "system": ["x|y"]})
    with pytest.raises(StatisticError, match="more than two systems"):
        sign_test({"judge": ["j"] * 3, "document": ["d", "e", "f"], "label": ["x", "y", "z"]})
    with pytest.raises(StatisticError, match="There is no system"):
        sign_test({"judge": ["j"] * 2, "document": ["d", "e"], "label": ["x", "y"]}, favour="q")


def test_one_of_three_systems_is_favoured_wherever_it_is_compared() -> None:
    """A pair without it was refused, as if there were no such system."""
    shown = [
        ("elm|oak", "a"),
        ("pine|oak", "a"),
        ("elm|pine", "b"),
        ("elm|oak", "b"),
        ("pine|oak", "a"),
        ("pine|elm", "b"),
    ]
    table = {
        "judge": ["j"] * 6,
        "document": [f"d{at}" for at in range(6)],
        "system": [systems for systems, _ in shown],
        "label": [label for _, label in shown],
    }
    rows = sign_test(table, favour="pine", per_judge=False).rows
    assert [(row["for"], row["against"], row["wins"], row["losses"]) for row in rows] == [
        ("elm", "oak", 1, 1),
        ("pine", "elm", 1, 1),
        ("pine", "oak", 2, 0),
    ]
    with pytest.raises(StatisticError, match="no system 'q'"):
        sign_test(table, favour="q")


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
    tests = sign_test(table).rows
    pooled = [row for row in tests if row["judge"] == "all"]
    adjusted = multipletests([row["p_documents"] for row in pooled], method="holm")[1]
    assert [row["p_holm"] for row in pooled] == pytest.approx(adjusted)
    assert {row["p_holm"] for row in tests if row["judge"] == "ann"} == {None}


def test_each_pair_counts_its_own_items_and_answers():
    table = {
        "judge": ["ann", "ben", "ann", "ben", "ann"],
        "document": ["d", "d", "e", "e", "e"],
        "segment": ["1", "1", "1", "1", "2"],
        "system": ["x|y", "y|x", "x|y", "x|y", "x|z"],
        "label": ["a", "a", "a", "b", "a"],
    }
    table["judge"] = ["ann" if judge == "ann" else "all" for judge in table["judge"]]  # a judge may be called so
    pooled = {row["against"]: row for row in sign_test(table).rows if row["pooled"]}
    sizes = ("items", "answers", "judges", "documents")
    assert [[pooled[other][name] for name in sizes] for other in ("y", "z")] == [[2, 4, 2, 2], [1, 1, 1, 1]]


def test_each_question_and_group_is_corrected_by_itself():
    rng = np.random.default_rng(1)
    rows = [
        ("j", question, domain, f"{domain}{document}", system, "ab"[rng.random() < 0.3])
        for question in ("q", "r")
        for domain in ("news", "talk")
        for document in range(12)
        for system in ("elm|fir", "elm|oak")
    ]
    table = pl.DataFrame(rows, schema=["judge", "question", "domain", "document", "system", "label"], orient="row")
    pooled = [row for row in sign_test(table, ["q", "r"], by=["domain"]).rows if row["judge"] == "all"]
    assert len(pooled) == 8
    for first, second in zip(pooled[::2], pooled[1::2], strict=True):
        assert (first["question"], first["domain"]) == (second["question"], second["domain"])
        expected = multipletests([first["p_documents"], second["p_documents"]], method="holm")[1]
        assert [first["p_holm"], second["p_holm"]] == pytest.approx(expected)


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


@pytest.mark.parametrize(
    "by_document",
    [
        [(3, 1), (4, 2), (5, 1), (2, 2), (6, 2), (3, 0), (4, 1), (1, 0)],  # less spread than chance: as many as answers
        [(3, 1), (6, 2), (5, 0), (1, 2), (3, 1), (2, 1), (5, 1), (2, 1)],  # some documents say just what all say
    ],
)
def test_a_pair_has_the_p_of_the_share_of_wins_whatever_its_documents_say(by_document):
    labels = [(f"d{d}", label) for d, (wins, losses) in enumerate(by_document) for label in "a" * wins + "b" * losses]
    data = pl.DataFrame(labels, schema=["document", "label"], orient="row").with_row_index("segment")
    data = data.with_columns(judge=pl.lit("j"), system=pl.lit("A|B"))
    pair = next(row for row in bradley_terry(data).rows if row["kind"] == "pair")
    share = sign_test(data, per_judge=False).rows[0]
    assert pair["p"] == pytest.approx(share["p_documents"])
    assert pair["low"] == pytest.approx(np.log(share["low"] / (1 - share["low"])))


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
        for wins in range(95, 115)
    ]
    assert np.all(np.diff(logs) < 0)
    assert np.abs(np.diff(logs, 2)).max() < 0.05


def test_who_never_lost_has_a_lower_bound_and_a_reason():
    result = bradley_terry(contest(150, 0))
    assert result.value is None
    assert "never lost" in result.notes[0]
    (row,) = result.rows
    assert (row["system"], row["value"], row["high"], row["chance"]) == ("A", None, None, 1.0)
    assert row["low"] == pytest.approx(np.log(0.025 ** (1 / 150) / (1 - 0.025 ** (1 / 150))))
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


def test_a_note_about_one_pair_of_systems_names_it():
    rows = [(f"d{at}", "A|B" if at < 9 else "A|C", "a" if at % 4 else "b") for at in range(13)]
    table = [
        {"judge": "j", "document": d, "segment": "1", "system": s, "question": "q", "label": w} for d, s, w in rows
    ]
    notes = sign_test(pl.DataFrame(table), "q", per_judge=False, resampling=Resampling(n=2)).notes
    assert [note for note in notes if "said the same" in note] == [
        "q, A – C: Even if all 4 documents said the same, p would not be below 0.125."
    ]

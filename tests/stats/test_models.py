"""Models beside people: agreement with them, calibration, replacement, prediction-powered means."""

from __future__ import annotations

import json
from itertools import product

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.special import stdtrit
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.multitest import multipletests

from data_set_frames import falcon
from data_sets import data_dir
from lanner.errors import StatisticError
from lanner.stats.models import (
    _document_p,
    _item_p,
    against_people,
    alternative_annotator,
    benjamini_yekutieli,
    calibration,
    corrected_shares,
    panel,
    powered_mean,
    prediction_powered,
    replacement,
    signed_rank_p,
    variance,
)
from lanner.stats.resample import Resampling
from property_examples import examples, rounds

LABELS = {
    "judge": ["p", "p", "q", "q", "m", "m"],
    "judge_kind": ["person"] * 4 + ["model"] * 2,
    "document": ["d"] * 6,
    "segment": ["1", "2"] * 3,
}


def test_people_and_models_are_told_apart_by_kind_or_by_name():
    found = panel({**LABELS, "label": list("abaaab")})
    assert (found.people, found.models, found.alike) == (("p", "q"), ("m",), "same")
    named = panel({**LABELS, "label": list("abaaab")}, models=["q"], people=["p"])
    assert (named.people, named.models) == (("p",), ("q",))


@pytest.mark.parametrize(
    ("column", "answers", "alike", "expected"),
    [
        ("label", list("abaaab"), "same", [1.0, 1.0]),
        ("score", [1.0, 2.0, 1.0, 5.0, 3.0, 2.0], "distance", [-4.0, 0.0]),
        ("labels", [["a"], [], ["b"], [], ["a", "b"], []], "jaccard", [0.5, 1.0]),
    ],
)
def test_closeness_of_the_model_to_the_first_person(column, answers, alike, expected):
    found = panel({**LABELS, column: answers})
    assert found.alike == alike
    assert found.closeness(found.of("p"), found.of("m")).tolist() == pytest.approx(expected)


def test_numbers_are_missing_where_nobody_answered():
    found = panel({**LABELS, "score": [1.0, 2.0, 3.0, None, 5.0, 6.0]})
    assert found.numbers("q").tolist() == pytest.approx([3.0, np.nan], nan_ok=True)


def test_an_unknown_judge_gets_a_suggestion():
    with pytest.raises(StatisticError, match="There is no judge 'z'"):
        panel({**LABELS, "label": list("abaaab")}, models=["z"])


QUICK = Resampling(n=200)


def long(answers, documents=20, column="label", kinds=None):
    """judge → list of answers (None for missing) as a tidy table; items are dealt to documents in order."""
    parts = []
    for judge, given_answers in answers.items():
        n = len(given_answers)
        parts.append(
            pl.DataFrame(
                {
                    "judge": [judge] * n,
                    "judge_kind": ["model" if judge.startswith("m") else "person"] * n,
                    "document": [f"d{i * documents // n:03d}" for i in range(n)],
                    "segment": [str(i) for i in range(n)],
                    column: list(given_answers),
                },
                strict=False,
            )
        )
    return pl.concat(parts, how="vertical_relaxed")


def published(people, model, score, epsilon):
    """The alternative annotator test as its authors describe it, one item at a time."""
    p_values, advantages = [], []
    for person, own in people.items():
        model_wins, person_wins = [], []
        for i, answer in enumerate(own):
            others = [given[i] for name, given in people.items() if name != person and given[i] is not None]
            if answer is None or model[i] is None or not others:
                continue
            by_model, by_person = score(model[i], others), score(answer, others)
            model_wins.append(by_model >= by_person)
            person_wins.append(by_person >= by_model)
        difference = np.array(person_wins, dtype=int) - np.array(model_wins, dtype=int)
        p_values.append(stats.ttest_1samp(difference, epsilon, alternative="less").pvalue)
        advantages.append(np.mean(model_wins))
    return p_values, advantages


@settings(max_examples=examples(15), deadline=None)
@given(st.integers(0, 2**31), st.sampled_from(["label", "score"]), st.floats(0, 0.3))
def test_the_item_test_is_the_published_procedure(seed, column, epsilon):
    rng = np.random.default_rng(seed)
    truth = rng.integers(1, 5, 80)
    noisy = lambda share: np.where(rng.random(80) < share, rng.integers(1, 5, 80), truth)  # noqa: E731
    people = {f"p{k}": noisy(0.3).tolist() for k in range(3)}
    people["p0"][:5] = [None] * 5
    model = noisy(0.4).tolist()
    if column == "label":
        people = {name: [None if v is None else str(v) for v in own] for name, own in people.items()}
        model = [str(v) for v in model]
        score = lambda answer, others: np.mean([answer == other for other in others])  # noqa: E731
    else:
        score = lambda answer, others: -np.sqrt(np.mean([(answer - other) ** 2 for other in others]))  # noqa: E731
    p_values, advantages = published(people, model, score, epsilon)
    result = alternative_annotator(long({**people, "m": model}, column=column), epsilon=epsilon, unit="item")
    assert [row["p_item"] for row in result.rows] == pytest.approx(p_values, abs=1e-9)
    assert [row["advantage"] for row in result.rows] == pytest.approx(advantages)
    rejected = multipletests(p_values, alpha=0.05, method="fdr_by")[0]
    assert result.value == pytest.approx(rejected.mean())


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_the_false_discovery_correction_is_statsmodels(p_values):
    assert benjamini_yekutieli(p_values) == pytest.approx(multipletests(p_values, method="fdr_by")[1], abs=1e-12)


def test_alike_sentences_of_a_document_weaken_the_verdict():
    rng = np.random.default_rng(0)
    right = np.repeat(np.arange(20) % 5 > 0, 10)  # the model is wrong on whole documents
    truth = np.array(["a"] * 200)
    people = {f"p{k}": np.where(rng.random(200) < 0.15, "b", truth).tolist() for k in range(3)}
    result = alternative_annotator(long({**people, "m": np.where(right, truth, "c").tolist()}), epsilon=0.2)
    assert all(row["difference"] < 0.2 and row["p_document"] > row["p_item"] for row in result.rows)


def test_a_model_that_copies_the_crowd_wins_and_one_that_guesses_loses():
    rng = np.random.default_rng(1)
    truth = rng.choice(list("abc"), 120)
    people = {f"p{k}": np.where(rng.random(120) < 0.25, rng.choice(list("abc"), 120), truth).tolist() for k in range(4)}
    good = alternative_annotator(long({**people, "m": truth.tolist()}))
    bad = alternative_annotator(long({**people, "m": rng.choice(list("abc"), 120).tolist()}))
    assert good.value == 1.0
    assert "may replace" in good.notes[-1]
    assert bad.value == 0.0
    assert "not shown to be close enough to replace" in bad.notes[-1]


def test_a_model_that_beats_half_of_the_people_may_replace_one():
    """Two people who always say what the crowd says, two who guess, and a model between them: ω is just ½."""
    rng = np.random.default_rng(3)
    truth = rng.choice(list("abc"), 300)
    guesses = {name: rng.choice(list("abc"), 300).tolist() for name in ("p2", "p3")}
    people = {"p0": truth.tolist(), "p1": truth.tolist(), **guesses}
    model = np.where(rng.random(300) < 0.3, rng.choice(list("abc"), 300), truth).tolist()
    result = alternative_annotator(long({**people, "m": model}), epsilon=0.0)
    assert result.value == 0.5
    assert "may replace" in result.notes[-1]


def test_few_items_take_wilcoxons_test():
    people = {"p0": list("aabbaabbaabb"), "p1": list("aabbaabbabab"), "p2": list("aabbaabbaabb")}
    result = alternative_annotator(long({**people, "m": list("aabbaabbaaaa")}, documents=6), unit="item")
    lost = np.array([0] * 11 + [1])  # on the last item p0 sides with the others and the model does not
    assert result.rows[0]["items"] == 12
    assert result.rows[0]["p_item"] == signed_rank_p(lost - 0.2)


@given(st.lists(st.integers(-9, 9), min_size=1, max_size=9))
def test_the_signed_rank_test_counts_every_assignment_of_signs(values):
    values = np.array(values, dtype=float)
    kept = values[values != 0]
    ranks = stats.rankdata(np.abs(kept))
    sums = [sum(r for r, up in zip(ranks, signs, strict=True) if up) for signs in product((0, 1), repeat=len(kept))]
    expected = np.mean(np.array(sums) <= ranks[kept > 0].sum() + 1e-9)
    assert signed_rank_p(values) == pytest.approx(expected)


def test_label_sets_are_compared_by_jaccard():
    sets = {
        "p0": [["a"], ["b"], []],
        "p1": [["a"], ["b", "c"], []],
        "p2": [["a"], ["c"], []],
        "m": [["a"], ["b", "c"], []],
    }
    result = alternative_annotator(long({k: v * 5 for k, v in sets.items()}, documents=5, column="labels"), unit="item")
    assert "closeness jaccard" in str(result.signature)
    assert result.rows[0]["advantage"] == 1.0


@pytest.mark.data
class TestReleasedModels:
    """Kim 2025: three judges and three models on the context level of 809 sentences."""

    def frame(self, name):
        folder = data_dir("h-falcon")
        people = falcon(folder).with_columns(judge_kind=pl.lit("person"))
        where = people.filter(pl.col("judge") == "J1").select("document", "segment", "domain")
        lines = [json.loads(line) for line in (folder / "model" / f"{name}.jsonl").read_text().splitlines()]
        table = pl.DataFrame({"segment": [str(x["idx"]) for x in lines], "label": [x["context"] for x in lines]})
        model = table.join(where, on="segment").with_columns(
            judge=pl.lit(name), judge_kind=pl.lit("model"), question=pl.lit("context"), stage=pl.lit("context")
        )
        both = pl.concat([people.drop("active"), model], how="diagonal")
        first = pl.col("label").str.to_lowercase().str.extract(r"^(sent|local|extended|global|universal)")
        return both.with_columns(label=first)

    def test_pairwise_kappas_are_those_of_table_5(self):
        result = against_people(self.frame("o4mini"), "context", resampling=QUICK)
        row = result.rows[0]
        printed = [0.1788, 0.1891, 0.2535]
        assert [row[f"with J{k}"] for k in (1, 2, 3)] == pytest.approx(printed, abs=5e-5)
        assert row["among_people"] == pytest.approx(np.mean([0.3883, 0.4995, 0.3646]), abs=5e-5)
        assert row["difference"] == result.value
        assert result.high < 0

    def test_no_model_may_replace_a_judge(self):
        result = alternative_annotator(self.frame("41mini"), "context")
        assert result.value == 0.0
        assert (result.low, result.high) == pytest.approx((0.0, 0.5615), abs=5e-5)  # Wilson, none of three


def test_agreement_is_the_mean_over_pairs():
    rng = np.random.default_rng(5)
    answers = {name: rng.choice(list("abc"), 60).tolist() for name in ("p0", "p1", "p2", "m")}
    row = against_people(long(answers), measure="kappa", resampling=QUICK).rows[0]
    kappa = {(a, b): cohen_kappa_score(answers[a], answers[b]) for a in answers for b in answers}
    assert row["with_people"] == pytest.approx(np.mean([kappa["m", p] for p in ("p0", "p1", "p2")]))
    assert row["among_people"] == pytest.approx(np.mean([kappa["p0", "p1"], kappa["p0", "p2"], kappa["p1", "p2"]]))
    percent = against_people(long(answers), measure="percent", resampling=QUICK).rows[0]
    assert percent["with p0"] == pytest.approx(np.mean(np.array(answers["m"]) == np.array(answers["p0"])))


def test_numbers_are_compared_by_correlation():
    rng = np.random.default_rng(6)
    truth = rng.normal(size=100)
    answers = {name: (truth + rng.normal(size=100)).tolist() for name in ("p0", "p1", "m")}
    row = against_people(long(answers, column="score"), resampling=QUICK).rows[0]
    assert row["measure"] == "pearson"
    assert row["with p1"] == pytest.approx(stats.pearsonr(answers["m"], answers["p1"])[0])
    assert row["low"] < 0 < row["high"]


def test_calibration_finds_a_shifted_and_flattened_model():
    rng = np.random.default_rng(7)
    truth = rng.normal(50, 10, 400)
    answers = {"p0": truth.tolist(), "m": (0.5 * truth + 40).tolist()}
    result = calibration(long(answers, documents=40, column="score"), resampling=QUICK)
    rows = {row.get("term", row["kind"]): row for row in result.rows}
    assert rows["slope"]["value"] == pytest.approx(2.0)
    assert rows["intercept"]["value"] == pytest.approx(-80.0)
    assert rows["bias"]["value"] == pytest.approx(np.mean(0.5 * truth + 40 - truth))
    assert sum(row["n"] for row in result.rows if row["kind"] == "bin") == 400
    assert result.low < result.value < result.high


def test_the_line_of_one_document_has_no_interval_and_no_p():
    rng = np.random.default_rng(9)
    truth = rng.normal(50, 10, 30)
    result = calibration(long({"p0": (truth + 3).tolist(), "m": truth.tolist()}, documents=1, column="score"))
    line = [row for row in result.rows if row["kind"] == "line"]
    assert [row["value"] for row in line] == pytest.approx([3.0, 1.0])
    assert {(row["low"], row["high"], row["p"]) for row in line} == {(None, None, None)}


def test_a_calibrated_model_has_a_small_error_and_a_slope_of_one():
    rng = np.random.default_rng(8)
    score = rng.normal(50, 10, 400)
    answers = {"p0": (score + rng.normal(0, 5, 400)).tolist(), "m": score.tolist()}
    result = calibration(long(answers, documents=40, column="score"), resampling=QUICK)
    slope = next(row for row in result.rows if row.get("term") == "slope")
    assert slope["low"] < 1 < slope["high"]
    assert result.value < 1.5


def test_degenerate_panels_say_why():
    alone = long({"p0": list("abab"), "m": list("abab")})
    assert "two people" in against_people(alone).notes[0]
    assert "two people" in alternative_annotator(alone).notes[0]
    assert "not numbers" in calibration(alone).notes[0]
    few = long({"p0": list("ab"), "p1": list("ab"), "p2": list("ab"), "m": list("ab")})
    assert "too few" in " ".join(alternative_annotator(few).notes) or alternative_annotator(few).value is None
    flat = long({"p0": [1.0, 2, 3], "m": [1.0, 1, 1]}, column="score")
    assert calibration(flat).value is None
    with pytest.raises(StatisticError, match="There is no judge"):
        alternative_annotator(alone, model="zz")


@pytest.mark.parametrize("documents", [3, 8, 20])
def test_people_who_are_never_better_leave_a_chance_that_depends_on_the_documents(documents):
    """Every document the same: a p by how many documents there are, not 0."""
    lost = np.full(5 * documents, -1.0)
    unit = np.repeat(np.arange(documents), 5)
    assert _document_p(lost, unit, 0.2) == pytest.approx((0.8 / 2) ** documents)
    assert _document_p(-lost, unit, 0.2) == 1
    assert _item_p(lost, 0.2) == pytest.approx((0.8 / 2) ** (5 * documents))


@pytest.mark.parametrize("epsilon", [0.1, 0.2])
@pytest.mark.parametrize(("usual", "failed"), [(0.0, 1.0), (0.0, 0.5), (-0.25, 1.0)])
def test_a_model_that_fails_in_as_many_documents_as_allowed_may_replace_in_one_of_twenty(epsilon, usual, failed):
    """Of n documents X fail, X binomial, and E(d) is just ε: how often p is below .05 is a sum. t alone reaches .22."""
    share = (epsilon - usual) / (failed - usual)
    for documents in (4, 8, 14, 20, 30, 60, 98, 106):
        level = 0.0
        for failures in range(documents + 1):
            losses = np.where(np.arange(documents) < failures, failed, usual)
            if _document_p(losses, np.arange(documents), epsilon) < 0.05:
                level += stats.binom.pmf(failures, documents, share)
        assert level < 0.06, documents


def test_one_item_that_differs_does_not_make_nine_documents_sure():
    """Were one document in five lost, nine without any would come up in 13 of 100 drawings."""
    lost, unit = np.zeros(54), np.repeat(np.arange(9), 6)
    same = _document_p(lost, unit, 0.2)
    assert same == pytest.approx(0.8**9)
    lost[7] = -1
    assert 0.8**9 * 0.8 < _document_p(lost, unit, 0.2) < same
    lost[7] = 1
    assert _document_p(lost, unit, 0.2) > same


def test_a_document_counts_once_however_long_it_is():
    lost, unit = np.array([1.0] * 30 + [0, 0, -1, 0]), np.array([0] * 30 + [1, 1, 2, 3])
    once = _document_p(np.array([1.0, 0, -1, 0]), np.arange(4), 0.2)
    assert _document_p(lost, unit, 0.2) == pytest.approx(once)


@pytest.mark.parametrize(("people", "epsilon", "needed"), [(3, 0.2, 17), (2, 0.2, 16), (3, 0.1, 35), (3, 0.0, 6)])
def test_with_too_few_documents_it_is_said_how_many_it_takes(people, epsilon, needed):
    """As close as each person in every document: (1 − ε)ⁿ, times Σ 1/i over people, is at most .05 (2⁻ⁿ for ε = 0)."""
    harmonic = sum(1 / k for k in range(1, people + 1))
    by_hand = next(n for n in range(1, 99) if ((1 - epsilon) if epsilon else 0.5) ** n * harmonic <= 0.05)
    assert by_hand == needed
    for documents in (needed - 1, needed):
        rng = np.random.default_rng(documents)
        truth = rng.choice(list("abc"), 4 * documents)
        answers = {f"p{k}": np.where(rng.random(len(truth)) < 0.1, "d", truth).tolist() for k in range(people)}
        answers["m"] = np.where(rng.random(len(truth)) < 0.5, "e", truth).tolist()
        data = long(answers, documents=documents)
        result = alternative_annotator(data, epsilon=epsilon)
        assert result.value == 0
        assert {row["documents"] for row in result.rows} == {documents}
        few = documents < needed
        assert (f"too few documents with people to say whether it may replace one: it takes {needed}"
                in result.notes[-1]) == few  # fmt: skip
        row = replacement(data, model="m", epsilon=epsilon).rows[0]
        assert row["documents_needed"] == (needed if few else None)
        assert few == (row["verdict"] == "unknown") or row["verdict"] == "assist"


def test_a_useless_model_is_rarely_said_to_help():
    """λ is fitted to the answers, so that a model that says nothing of people seems to save some of their work."""
    helps = 0
    for seed in range(runs := rounds(30, 100)):
        rng = np.random.default_rng(seed)
        rows = []
        for d, s in product(range(12), range(4)):
            people = ("ann", "ben", "cem") if d < 6 else ()
            for name in ("model", *people):
                kind = "model" if name == "model" else "person"
                rows.append((f"d{d:02}", str(s), name, kind, "oak", rng.normal()))
        helps += verdict(pl.DataFrame(rows, schema=COLUMNS, orient="row"))["verdict"] == "assist"
    assert helps <= 0.04 * runs


def test_a_calibrated_model_has_no_calibration_error_within_its_interval():
    rng = np.random.default_rng(0)
    above = []
    for _ in range(rounds(30, 60)):
        score = rng.uniform(40, 100, 150)
        people = score + rng.normal(0, 12, 150)
        place = [(f"d{n // 5}", str(n)) for n in range(150)]
        rows = [(*at, "m", "model", s) for at, s in zip(place, score, strict=True)]
        rows += [(*at, "p", "person", s) for at, s in zip(place, people, strict=True)]
        data = pl.DataFrame(rows, schema=["document", "segment", "judge", "judge_kind", "score"], orient="row")
        result = calibration(data)
        above.append(result.low > 0)
        assert result.low <= result.value <= result.high
    assert np.mean(above) < 0.12
    shifted = data.with_columns(pl.when(pl.col("judge") == "m").then(pl.col("score") + 9).otherwise(pl.col("score")))
    assert calibration(shifted).value == pytest.approx(9, abs=3)
    assert calibration(shifted).low > 0


COLUMNS = ["document", "segment", "judge", "judge_kind", "system", "score"]


def scored(seed: int, noise: float, *, people_on: int = 20, documents: int = 20) -> pl.DataFrame:
    """Three people and a model; people judge the first documents only."""
    rng = np.random.default_rng(seed)
    rows = []
    for d in range(documents):
        hard = rng.normal()
        for s in range(4):
            quality = hard + rng.normal()
            judges = [("model", "model", noise)]
            judges += [(name, "person", 0.7) for name in ("ann", "ben", "cem")] if d < people_on else []
            for name, kind, error in judges:
                rows.append((f"d{d:02}", str(s), name, kind, "oak", 70 + 8 * (quality + error * rng.normal())))
    return pl.DataFrame(rows, schema=COLUMNS, orient="row")


def labelled(
    seed: int, *, hits: float = 0.8, alarms: float = 0.2, documents: int = 60, judged: int = 25
) -> pl.DataFrame:
    """A label with a share of .3; a model with known errors judges all, a person some documents."""
    rng = np.random.default_rng(seed)
    rows = []
    for d in range(documents):
        share = rng.beta(3, 7)
        for s in range(8):
            bad = rng.random() < share
            says = rng.random() < (hits if bad else alarms)
            rows.append((f"d{d:02}", str(s), "model", "model", "oak", "bad" if says else "good"))
            if d < judged:
                rows.append((f"d{d:02}", str(s), "ann", "person", "oak", "bad" if bad else "good"))
    return pl.DataFrame(rows, schema=[*COLUMNS[:-1], "label"], orient="row")


def verdict(data: pl.DataFrame) -> dict:
    row = replacement(data, model="model").rows[0]
    assert row["kind"] == "verdict"
    return dict(row)


def test_a_model_that_wins_against_half_of_the_people_replaces():
    """Two careful and two careless people: half is enough, as in the published rule."""
    rng = np.random.default_rng(0)
    errors = {"ann": 0.1, "ben": 0.1, "cem": 6.0, "dan": 6.0, "model": 2.0}
    rows = []
    for at in range(80):
        quality = rng.normal(0, 3)
        for name, error in errors.items():
            kind = "model" if name == "model" else "person"
            rows.append((f"d{at // 4:02}", str(at), name, kind, "oak", quality + error * rng.normal()))
    row = verdict(pl.DataFrame(rows, schema=COLUMNS, orient="row"))
    assert (row["winning_rate"], row["verdict"]) == (0.5, "replace")


def test_a_good_model_replaces_and_a_useless_one_does_not():
    assert verdict(scored(1, 0.5))["verdict"] == "replace"
    useless = verdict(scored(1, 12.0))
    assert useless["verdict"] == "neither" and useless["winning_rate"] == 0
    middling = verdict(scored(2, 1.6, documents=40, people_on=40))
    assert middling["verdict"] == "assist" and not middling["saves_measured"]
    assert 0.1 < middling["saves_low"] < middling["saves"] < 1


def test_one_answer_holds_the_numbers_of_the_three_tests():
    data = scored(3, 0.8, people_on=10, documents=30)
    result = replacement(data, model="model")
    assert result.value == alternative_annotator(data, model="model").value
    [own] = [row for row in result.rows if row["kind"] == "system"]
    [powered] = [row for row in prediction_powered(data, model="model").rows if row["kind"] == "system"]
    assert own == powered
    assert result.rows[0]["saves"] == pytest.approx(1 - 1 / powered["gain"]) and result.rows[0]["saves_measured"]
    measured, possible = (
        result.rows[0],
        verdict(data.filter(pl.col("judge").ne("model") | pl.col("document").lt("d10"))),
    )
    assert not possible["saves_measured"] and measured["saves"] < possible["saves"]
    share = measured["saves"] / possible["saves"]
    assert measured["saves_low"] == pytest.approx(possible["saves_low"] * share)
    assert {"line", "bias", "bin", "person"} <= {row["kind"] for row in result.rows}


def test_too_few_people_leave_it_unknown():
    data = scored(1, 0.5).filter(pl.col("judge").is_in(["model", "ann"]))
    assert verdict(data)["verdict"] == "unknown"


def test_rogan_and_gladen_by_hand():
    """Of 10 items both judged 4 are bad, of which the model finds 3; it blames 1 of the 6 good, and 5 of 10 others."""
    truth = ["bad"] * 4 + ["good"] * 6
    says = ["bad"] * 3 + ["good"] + ["bad"] + ["good"] * 5
    rows = [(f"d{n}", "", "ann", "person", "oak", label) for n, label in enumerate(truth)]
    rows += [(f"d{n}", "", "model", "model", "oak", label) for n, label in enumerate([*says, *["bad", "good"] * 5])]
    data = pl.DataFrame(rows, schema=[*COLUMNS[:-1], "label"], orient="row")
    bad = next(row for row in corrected_shares(data, model="model").rows if row["label"] == "bad")
    rest = (0.5 - 1 / 6) / (3 / 4 - 1 / 6)
    assert (bad["hits"], bad["false_alarms"]) == pytest.approx((3 / 4, 1 / 6))
    assert bad["value"] == pytest.approx((4 + 10 * rest) / 20)


def test_corrected_shares_hold_the_truth_where_the_models_do_not():
    held, naive, studies = 0, 0, rounds(30, 60)
    for seed in range(studies):
        bad = next(
            row for row in corrected_shares(labelled(seed, alarms=0.35), model="model").rows if row["label"] == "bad"
        )
        held += bad["low"] <= 0.3 <= bad["high"]
        naive += abs(bad["model"] - 0.3) < (bad["high"] - bad["low"]) / 2
    assert held / studies >= 0.87  # 95 % wanted
    assert naive / studies < 0.5


def test_a_model_that_guesses_has_no_corrected_share():
    rows = corrected_shares(labelled(1, hits=0.4, alarms=0.4), model="model").rows
    assert all(row["value"] is None or row["high"] - row["low"] > 0.3 for row in rows)
    assert corrected_shares(labelled(1, judged=60), model="model").value is None
    assert verdict(labelled(1))["verdict"] == "unknown"


def draw(rng, documents=60, judged=15, size=8, quality=0.9, shift=3.0):
    document = np.repeat(np.arange(documents), size)
    truth = rng.normal(size=documents)[document] + rng.normal(size=documents * size)
    y = truth + 0.5 * rng.normal(size=len(truth))
    f = quality * truth + np.sqrt(1 - quality**2) * rng.normal(size=len(truth)) + shift
    return np.where(document < judged, y, np.nan), f, document, documents


def covers(found, pull, fitted):
    spread, df = variance(pull, found.judged, fitted)
    return stdtrit(df, 0.975) * np.sqrt(spread)


@pytest.mark.parametrize("quality", [0.95, 0.5, 0.0])
def test_intervals_hold_the_truth_however_good_the_model_and_are_not_wider(quality):
    rng = np.random.default_rng(int(quality * 100))
    inside, widths, plain = 0, [], []
    for _ in range(300):
        found = powered_mean(*draw(rng, quality=quality))
        reach = covers(found, found.pull, found.tuned)
        inside += abs(found.value) <= reach
        widths.append(reach)
        plain.append(covers(found, found.plain, 0))
    assert 0.915 <= inside / 300 <= 0.985
    assert np.mean(widths) < np.mean(plain) * (0.7 if quality > 0.9 else 1.05)


def test_a_useless_model_leaves_peoples_mean_alone():
    rng = np.random.default_rng(1)
    found = powered_mean(*draw(rng, quality=0.0))
    assert found.weight < 0.5
    assert powered_mean(*draw(rng), weight=0.0).value == pytest.approx(
        powered_mean(*draw(rng), weight=0.0).people_only, abs=2
    )


def test_the_estimate_is_its_formula():
    y = np.array([1.0, 2.0, 3.0, np.nan, np.nan])
    f = np.array([1.5, 2.0, 2.5, 4.0, 6.0])
    found = powered_mean(y, f, np.arange(5), 5, weight=1.0)
    assert found.value == pytest.approx(2.0 - (2.0 - 5.0))
    assert found.people_only == 2.0
    spread, _ = variance(found.pull, found.judged)
    residual, rest = y[:3] - f[:3], f[3:]
    assert spread == pytest.approx(residual.var(ddof=1) / 3 + rest.var(ddof=1) / 2)


def table(systems=("a", "b"), judged=15, seed=2):
    rng = np.random.default_rng(seed)
    parts = []
    for place, system in enumerate(systems):
        y, f, document, _ = draw(rng, judged=judged)
        y = y + place
        f = f + place
        for judge, kind, score in (("p", "person", y), ("m", "model", f)):
            known = np.isfinite(score)
            parts.append(
                pl.DataFrame(
                    {
                        "judge": judge,
                        "judge_kind": kind,
                        "document": [f"d{d:02d}" for d in document[known]],
                        "segment": [str(i) for i in np.flatnonzero(known)],
                        "system": system,
                        "score": score[known],
                    }
                )
            )
    return pl.concat(parts)


def test_systems_are_ranked_with_narrower_intervals_than_peoples():
    result = prediction_powered(table())
    systems = [row for row in result.rows if row["kind"] == "system"]
    assert [row["system"] for row in systems] == ["b", "a"]
    for row in systems:
        assert row["high"] - row["low"] < row["people_high"] - row["people_low"]
        assert row["gain"] > 1
    pair = next(row for row in result.rows if row["kind"] == "pair")
    assert pair["low"] < 1 < pair["high"]
    assert result.interval.method == "PPI-t"
    assert result.counts["judged_documents"] == 15


def test_nothing_to_gain_is_said():
    everything = table(judged=60)
    assert "judged by the model alone" in prediction_powered(everything).notes[-1]
    people_only = everything.filter(pl.col("judge_kind") == "person")
    assert prediction_powered(people_only).value is None


def test_several_models_must_be_told_apart():
    two = pl.concat([table(), table(seed=3).filter(pl.col("judge") == "m").with_columns(judge=pl.lit("n"))])
    assert "name one" in prediction_powered(two).notes[0]
    assert prediction_powered(two, model="m").value is not None

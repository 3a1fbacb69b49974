""""""

from __future__ import annotations

import csv
import math
from functools import partial

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data_sets import data_dir
from lanner.errors import StatisticError
from lanner.stats import coefficients
from lanner.stats.coefficients import (
    agreement_weights,
    alpha,
    brennan_prediger,
    check_order,
    conger,
    describe,
    fleiss,
    gwet,
    kappa,
    pair_plan,
    pairwise,
    percent,
    scott,
    wmt,
)
from lanner.stats.estimate import estimate
from lanner.stats.ratings import Ratings, ratings
from lanner.stats.resample import Resampling
from property_examples import examples
from rating_tables import (
    GOLDEN,
    chance_corrected,
    golden,
    items,
    mean,
    observed,
    plain_alpha,
    plain_cohen,
    plain_pairs,
    same,
    shares,
    table,
)
from rating_tables import ratings as any_ratings

SCALE = ratings(table([[1, 2, 5]], "score"))


def test_weights_on_the_points_of_the_scale():
    assert np.allclose(agreement_weights(SCALE, "linear"), [[1, 0.75, 0], [0.75, 1, 0.25], [0, 0.25, 1]])
    assert np.allclose(agreement_weights(SCALE, "quadratic")[0], [1, 1 - 1 / 16, 0])
    assert np.array_equal(agreement_weights(SCALE, None), np.eye(3))
    one = ratings(table([[4, 4]], "score"))
    assert agreement_weights(one, "linear").tolist() == [[1]]


@pytest.mark.parametrize(
    ("weights", "what"),
    [
        ([[1, 0], [0, 1]], "2 × 2, but there are 3 labels"),
        ([[1, 0.5, 0], [0, 1, 0], [0, 0, 1]], "symmetric"),
        ([[1, 0, 0], [0, 0.9, 0], [0, 0, 1]], "1 on the diagonal"),
        ("lineal", "Did you mean 'linear'"),
    ],
)
def test_weights_that_make_no_sense(weights, what):
    with pytest.raises(StatisticError, match=what):
        agreement_weights(SCALE, weights)


def test_order_is_asked_for_by_name():
    with pytest.raises(StatisticError, match="in the data are: a, b"):
        check_order(ratings(table([["a", "b"]])), "linear")
    assert check_order(SCALE, "linear") is None
    assert [describe(w) for w in (None, "linear", [[1]])] == ["", "linear", "given"]


JUDGES = [["a", "b", "a", None], ["a", "a", None, "b"], [None, "b", None, "b"]]


def share(sums):
    with np.errstate(invalid="ignore"):
        return sums[:, :, 1] / sums[:, :, 0]


def planned(each):
    rated = ratings(table(JUDGES))
    same = (rated.pairs.first == rated.pairs.second).astype(float)
    return pair_plan("same", rated, 2, [(0, 1.0), (1, same)], share, each=each, reason=lambda _a, _b: "why not")


def test_each_pair_has_its_value_its_counts_and_its_reason():
    plan = planned(each=True)
    assert plan.value().tolist() == [0.5, 1.0, 0.5]
    assert [dict(o) for o in plan.outcomes] == [
        {"judge": "j0", "other": "j1"}, {"judge": "j0", "other": "j2"}, {"judge": "j1", "other": "j2"},
    ]  # fmt: skip
    assert [c["items"] for c in plan.counts] == [2, 1, 2]
    assert plan.reasons == ("why not",) * 3


def test_the_mean_counts_every_pair_alike():
    plan = planned(each=False)
    assert plan.value().tolist() == [2 / 3]
    assert plan.settings["mean_over"] == "3 pairs"
    (result,) = estimate(plan, Resampling(method="none"))
    assert result.counts["items"] == 3


def test_judges_who_share_nothing_make_no_pairs():
    rated = ratings(table([["a", None], [None, "b"]]))
    plan = pair_plan("same", rated, 2, [(0, 1.0), (1, np.zeros(0))], share)
    assert np.isnan(plan.value()).all()
    assert pair_plan("same", rated, 2, [(0, 1.0)], share, each=True).outcomes == ()


def test_a_crowd_gets_a_value_and_a_word_of_warning_but_no_interval(monkeypatch):
    monkeypatch.setattr(coefficients, "_MOST", 5)
    (result,) = estimate(planned(each=False), Resampling())
    assert result.value == 2 / 3
    assert result.interval is None
    assert "3 pairs of judges are too many" in result.notes[-1]
    assert "share 2 items or fewer" in result.notes[0]
    assert all(r.interval is None for r in estimate(planned(each=True), Resampling()))


PLAIN = Resampling(method="none")
LABELS = (1, 2, 3, 4)
WIKIPEDIA = [  # 10 items × counts of 5 labels by 14 judges
    (0, 0, 0, 0, 14), (0, 2, 6, 4, 2), (0, 0, 3, 5, 6), (0, 3, 9, 2, 0), (2, 2, 8, 1, 1),
    (7, 7, 0, 0, 0), (3, 2, 6, 3, 0), (2, 5, 3, 2, 2), (6, 5, 2, 1, 0), (0, 2, 2, 3, 7),
]  # fmt: skip
FLEISS_1971 = [  # 30 patients, the diagnoses of six psychiatrists each
    444444, 222555, 233335, 555555, 222444, 113333, 333355, 113334, 114444, 555555,
    144444, 124444, 222333, 144444, 224445, 333335, 111455, 111112, 224444, 133555,
    555555, 244444, 224555, 114444, 144445, 222224, 111155, 224444, 133333, 555555,
]  # fmt: skip
COHEN = [["y"] * 25 + ["n"] * 25, ["y"] * 20 + ["n"] * 5 + ["y"] * 10 + ["n"] * 15]
COEFFICIENTS = {"fleiss": fleiss, "gwet": gwet, "brennan_prediger": brennan_prediger, "conger": conger}


def spread(counts):
    columns = [[label for label, n in enumerate(row) for _ in range(n)] for row in counts]
    return list(zip(*columns, strict=True))


def weight(kind, labels=LABELS):
    span = labels[-1] - labels[0]
    power = {"linear": 1, "quadratic": 2}.get(kind)
    return lambda a, b: float(a == b) if power is None else 1 - (abs(a - b) / span) ** power


def test_fleiss_reproduces_the_published_tables():
    patients = list(zip(*map(str, FLEISS_1971), strict=True))
    assert fleiss(table(patients), resampling=PLAIN).value == pytest.approx(0.4302, abs=5e-5)
    assert fleiss(table(spread(WIKIPEDIA)), resampling=PLAIN).value == pytest.approx(0.20993, abs=5e-6)


@pytest.mark.parametrize(("name", "judges", "values"), golden("irrCAC"))
def test_any_number_of_judges_against_irrcac(name, judges, values):
    answers = [v for row in judges for v in row if v is not None]
    scale = range(min(answers), max(answers) + 1)
    data = table(judges, "score")
    for key, expected in values.items():
        coefficient, weights = key.split()
        found = COEFFICIENTS[coefficient](data, labels=scale, weights=weights, resampling=PLAIN)
        assert found.value == pytest.approx(expected, abs=6e-6), key


@pytest.mark.parametrize(("name", "judges", "values"), golden("statsmodels"))
def test_fleiss_against_statsmodels(name, judges, values):
    assert fleiss(table(judges), resampling=PLAIN).value == pytest.approx(values["fleiss"], abs=1e-12)


def test_wmt_pooled_kappa_of_the_study():
    assert wmt(table(COHEN), resampling=PLAIN).value == pytest.approx(0.3939, abs=5e-5)
    assert wmt(table(spread(WIKIPEDIA)), resampling=PLAIN).value == pytest.approx(0.20993, abs=5e-6)
    gwets = table(GOLDEN["gwet"]["ratings"])
    assert wmt(gwets, resampling=PLAIN).value == pytest.approx(0.7126, abs=5e-5)
    assert wmt(gwets, singles=False, resampling=PLAIN).value == pytest.approx(0.7129, abs=5e-5)


def test_wmt_directions_are_made_symmetric():
    judges = [["a", "a", "b", "tie"], ["a", "b", "b", "a"]]
    p_tie = 1 / 8
    expected = p_tie**2 + 2 * ((1 - p_tie) / 2) ** 2
    found = wmt(table(judges), directions=("a", "b"), resampling=PLAIN).value
    assert found == pytest.approx((0.5 - expected) / (1 - expected))


@settings(max_examples=examples(60), deadline=None)
@given(any_ratings())
def test_against_the_definitions(judges):
    data = table(judges, "score")
    options = {"labels": LABELS, "resampling": PLAIN}
    for kind in ("identity", "linear", "quadratic"):
        w = weight(kind)
        seen = observed(judges, w)
        p = shares(judges, LABELS)
        total = sum(w(k, m) for k in LABELS for m in LABELS)
        chances = {
            fleiss: sum(w(k, m) * p[k] * p[m] for k in LABELS for m in LABELS),
            brennan_prediger: total / 16,
            gwet: total / 12 * sum(p[k] * (1 - p[k]) for k in LABELS),
        }
        for coefficient, chance in chances.items():
            found = coefficient(data, weights=kind, **options).value
            assert same(found, chance_corrected(seen, chance)), (coefficient, kind)
        own = [[column.count(k) / n for k in LABELS] for column in judges if (n := sum(v is not None for v in column))]
        crossed = [
            sum(w(k, m) * a[x] * b[y] for x, k in enumerate(LABELS) for y, m in enumerate(LABELS))
            for i, a in enumerate(own) for j, b in enumerate(own) if i != j
        ]  # fmt: skip
        found = conger(data, weights=kind, **options).value
        assert same(found, chance_corrected(seen, mean(crossed))), kind


@settings(max_examples=examples(60), deadline=None)
@given(any_ratings())
def test_percent_and_pooled_against_the_definitions(judges):
    data = table(judges)
    several = [item for item in items(judges) if len(item) > 1]
    pairs = [a == b for item in several for i, a in enumerate(item) for b in item[:i]]
    assert same(percent(data, resampling=PLAIN).value, observed(judges, lambda a, b: a == b))
    assert same(percent(data, over="pairs", resampling=PLAIN).value, mean(pairs))
    assert same(percent(data, over="unanimous", resampling=PLAIN).value, mean([len(set(i)) == 1 for i in several]))
    answers = [v for item in items(judges) for v in item]
    chance = sum((answers.count(k) / len(answers)) ** 2 for k in set(answers)) if answers else 1.0
    assert same(wmt(data, resampling=PLAIN).value, chance_corrected(mean(pairs), chance))


@settings(max_examples=examples(30), deadline=None)
@given(any_ratings(judges=(2, 2), complete=True))
def test_two_complete_judges_bring_old_acquaintances_together(judges):
    data = table(judges)

    def cohen(a, b):
        both = list(zip(a, b, strict=True))
        chance = sum(a.count(k) * b.count(k) for k in LABELS) / len(both) ** 2
        return chance_corrected(mean([x == y for x, y in both]), chance)

    assert same(conger(data, resampling=PLAIN).value, plain_pairs(judges, cohen))
    chance = fleiss(data, resampling=PLAIN).value
    assert same(wmt(data, resampling=PLAIN).value, float("nan") if chance is None else chance)


def test_chance_is_among_the_systems_shown():
    """Two judges who toss a coin between the two systems of each item, whichever they are, agree by chance alone."""
    pairs = {"oak|elm": 4, "elm|fir": 8, "fir|oak": 12}
    shown = [pair for pair, items in pairs.items() for _ in range(items)]
    judges = [[pair.split("|")[at >> j & 1] for at, pair in enumerate(shown)] for j in range(2)]
    data = table(judges).with_columns(system=pl.Series(shown * 2))
    for coefficient in (kappa, scott, fleiss, gwet, brennan_prediger):
        assert coefficient(data, resampling=PLAIN).value == pytest.approx(0)
    found = coefficients.alpha(data, resampling=PLAIN)
    assert found.value == pytest.approx(1 - 12 * 2 / sum(2 * n * n / (2 * n - 1) for n in pairs.values()))
    assert "among the systems shown" in str(found.signature)
    only_two = data.filter(pl.col("system") == "oak|elm")
    assert "among" not in str(kappa(only_two, resampling=PLAIN).signature)
    with pytest.raises(StatisticError, match="different ones"):
        wmt(data, resampling=PLAIN)


def test_one_label_has_no_chance_correction_but_a_reason():
    data = table([["y"] * 5, ["y"] * 5])
    assert percent(data).value == 1
    for coefficient in (fleiss, conger, wmt):
        result = coefficient(data)
        assert result.value is None
        assert "every answer is 'y'" in result.notes[0]
    for coefficient in (gwet, brennan_prediger):
        assert coefficient(data).value is None
        assert "whole scale" in coefficient(data).notes[0]
        assert coefficient(data, labels=["y", "n"]).value == 1


def test_too_little_data_has_a_reason():
    alone = table([["a", "b", "a"]])
    assert "only one judge" in fleiss(alone).notes[0]
    apart = table([["a", None], [None, "b"]])
    assert "no item was answered by two judges" in fleiss(apart).notes[0]
    empty = table([[None, None], [None, None]])
    assert fleiss(empty).value is None
    assert "no answers" in fleiss(empty).notes[0]
    one = fleiss(table([["a", "a"], ["a", "b"]], documents=["d", "d"]))
    assert one.value is not None
    assert one.interval is None
    assert any("only one document" in note for note in one.notes)


def test_a_way_of_averaging_that_does_not_exist():
    with pytest.raises(StatisticError, match="over items, pairs or unanimous"):
        percent(table(COHEN), over="people")


def weight_of_four(kind):
    power = {"linear": 1, "quadratic": 2}.get(kind)
    return lambda a, b: float(a == b) if power is None else 1 - (abs(a - b) / 3) ** power


def test_the_textbook_table():
    result = kappa(table(COHEN))
    assert result.value == pytest.approx(0.4)
    analytic = (0.4 - 1.96 * 0.1270, 0.4 + 1.96 * 0.1270)
    assert result.low == pytest.approx(analytic[0], abs=0.06)
    assert result.high == pytest.approx(analytic[1], abs=0.06)
    assert result.counts == {"items": 50, "judges": 2, "documents": 50, "answers": 100}
    assert scott(table(COHEN), resampling=PLAIN).value == pytest.approx(0.3939, abs=5e-5)


def test_weights_of_the_scikit_learn_example():
    data = table([[0] * 46 + [1] * 44 + [2] * 10, [0] * 50 + [1] * 40 + [2] * 10], "score")
    values = [kappa(data, weights=w, resampling=PLAIN).value for w in (None, "linear", "quadratic")]
    assert values == pytest.approx([0.9315, 0.9412, 0.9541], abs=5e-5)


def test_weights_go_by_the_points_of_the_scale_and_not_by_their_number():
    judges = [[1, 2, 5, 2, 1, 5], [2, 2, 5, 1, 1, 2]]
    by_value = kappa(table(judges, "score"), weights="quadratic", resampling=PLAIN).value
    by_place = kappa(table(judges), labels=[1, 2, 5], weights="quadratic", resampling=PLAIN).value
    assert by_value != pytest.approx(by_place)
    stated = kappa(table(judges, "score"), labels=[1, 2, 3, 4, 5], weights="quadratic", resampling=PLAIN).value
    assert stated == pytest.approx(by_value)
    given_table = [[1, 0.9375, 0], [0.9375, 1, 0.4375], [0, 0.4375, 1]]
    assert kappa(table(judges), labels=[1, 2, 5], weights=given_table, resampling=PLAIN).value == pytest.approx(
        by_value
    )


def test_weights_without_an_order_are_refused():
    with pytest.raises(StatisticError, match="need the order"):
        kappa(table(COHEN), weights="linear")


@pytest.mark.parametrize(("name", "judges", "values"), golden("sklearn"))
def test_every_pair_against_scikit_learn(name, judges, values):
    data = table(judges, "score")
    for weights in (None, "linear", "quadratic"):
        for result in pairwise(data, weights=weights, resampling=PLAIN):
            key = f"kappa {weights or 'none'} {result.labels['judge'][1:]} {result.labels['other'][1:]}"
            if key in values:
                assert same(result.value, values[key]), key


@settings(max_examples=examples(60), deadline=None)
@given(any_ratings())
def test_against_the_definition(judges):
    data = table(judges, "score")
    for kind in (None, "linear", "quadratic"):
        expected = plain_pairs(judges, partial(plain_cohen, labels=LABELS, weight=weight_of_four(kind)))
        found = kappa(data, labels=LABELS, weights=kind, resampling=PLAIN).value
        assert same(found, expected), kind


def test_more_judges_give_the_mean_over_pairs():
    judges = [[1, 2, 3, 1], [1, 2, 2, 1], [1, 3, 3, 2]]
    each = pairwise(table(judges), resampling=PLAIN)
    assert [(r.labels["judge"], r.labels["other"]) for r in each] == [("j0", "j1"), ("j0", "j2"), ("j1", "j2")]
    together = kappa(table(judges), resampling=PLAIN)
    assert together.value == pytest.approx(sum(r.value for r in each) / 3)
    assert "mean over 3 pairs" in str(together.signature)


def test_pairs_without_a_value_are_left_out_of_the_mean_and_counted():
    judges = [["a", "a", "b"], ["a", "a", None], ["a", "b", "b"]]
    result = kappa(table(judges), resampling=PLAIN)
    each = {(r.labels["judge"], r.labels["other"]): r for r in pairwise(table(judges), resampling=PLAIN)}
    assert each["j0", "j1"].value is None
    assert "answered 'a' throughout" in each["j0", "j1"].notes[0]
    assert result.value == pytest.approx((each["j0", "j2"].value + each["j1", "j2"].value) / 2)
    assert any("1 of 3 pairs" in note for note in result.notes)


def test_one_constant_judge_agrees_as_chance_would():
    assert kappa(table([["a", "a", "a"], ["a", "b", "a"]]), resampling=PLAIN).value == 0


def test_any_statistic_pair_by_pair_with_its_own_counts():
    judges = [[1, 2, 2, None], [1, 2, 1, 1], [None, None, None, 2]]
    found = pairwise(table(judges), of=gwet, resampling=PLAIN)
    assert [(r.labels["judge"], r.labels["other"], r.counts["items"]) for r in found] == [
        ("j0", "j1", 3),
        ("j1", "j2", 1),
    ]


@pytest.mark.data
def test_laeubli_2018_table_3():
    """Same-label shares and the κ of WMT with symmetric directions; documents E-n and I-n are one article."""
    with (data_dir("parity") / "ratings.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if not row["exp_item_number"].startswith("U")]
    published = {
        ("fluency", "document"): (55, 0.32), ("fluency", "sentence"): (45, 0.13),
        ("adequacy", "document"): (49, 0.13), ("adequacy", "sentence"): (50, 0.14),
    }  # fmt: skip
    for (condition, unit), (share, value) in published.items():
        kept = [row for row in rows if row["condition"] == condition and row["type"] == unit]
        data = {
            "judge": [row["participant_id"] for row in kept],
            "item": [row["exp_item_number"].split("-")[1] for row in kept],
            "label": [row["rating"] for row in kept],
        }
        assert round(100 * percent(data, over="pairs", resampling=PLAIN).value) == share
        assert round(wmt(data, directions=("human", "mt"), resampling=PLAIN).value, 2) == value


def test_pairs_read_the_column_that_is_asked_for_whatever_the_statistic():
    rows = [
        {"question": "q", "document": f"d{at}", "judge": judge, "labels": labels, "score": float(len(labels))}
        for at, both in enumerate([(["x"], ["y"]), (["x"], ["x"]), (["x", "y"], ["y", "z"])])
        for judge, labels in zip("ab", both, strict=True)
    ]
    data = pl.DataFrame(rows)
    for of in (alpha, percent):
        [number] = pairwise(data, "q", of=of, value=["score"], resampling=PLAIN)
        [labels] = pairwise(data, "q", of=of, resampling=PLAIN)
        assert (number.value, labels.value) == (1, of(data, "q", resampling=PLAIN).value)
    [distance] = pairwise(data, "q", of=alpha, level="interval", resampling=PLAIN)
    assert distance.value == 1


ALPHA_PLAIN = Resampling(method="none")


def distance(level):
    def ordinal(a, b, count):
        low, high = sorted((a, b))
        return (sum(n for g, n in count.items() if low <= g <= high) - (count[a] + count[b]) / 2) ** 2 if a != b else 0

    return {
        "nominal": lambda a, b, _: float(a != b),
        "ordinal": ordinal,
        "interval": lambda a, b, _: (a - b) ** 2,
        "ratio": lambda a, b, _: ((a - b) / (a + b)) ** 2,
    }[level]


def test_krippendorff_examples():
    binary = ["0100000010", "1110010000"]
    assert alpha(table(binary), resampling=ALPHA_PLAIN).value == pytest.approx(0.095, abs=5e-4)
    letters = ["aabbdcccedda", "babbbccceddd"]
    assert alpha(table(letters), resampling=ALPHA_PLAIN).value == pytest.approx(0.69196, abs=5e-6)


@pytest.mark.parametrize(("name", "judges", "values"), golden("krippendorff"))
def test_against_krippendorff(name, judges, values):
    for key, expected in values.items():
        found = alpha(table(judges, "score"), level=key.split()[1], resampling=ALPHA_PLAIN)
        assert found.value == pytest.approx(expected, abs=1e-10), key


@settings(max_examples=examples(60), deadline=None)
@given(any_ratings())
def test_alpha_against_the_definition(judges):
    for level in ("nominal", "ordinal", "interval", "ratio"):
        found = alpha(table(judges, "score"), level=level, resampling=ALPHA_PLAIN).value
        assert same(found, plain_alpha(judges, distance(level))), level


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"])
def test_more_judges_than_labels(level):
    """Label by label instead of answer by answer, and the same by the definition."""
    dice = np.random.default_rng(4)
    judges = [[int(dice.integers(1, 4)) if dice.random() < 0.7 else None for _ in range(9)] for _ in range(11)]
    found = alpha(table(judges, "score"), level=level, resampling=ALPHA_PLAIN).value
    assert same(found, plain_alpha(judges, distance(level)))


@settings(max_examples=examples(40), deadline=None)
@given(st.lists(st.tuples(*[st.frozensets(st.sampled_from("abc"))] * 3), min_size=2, max_size=6))
def test_sets_against_the_definition(rows):
    def jaccard(a, b, _count=None):
        return 0.0 if a == b else 1 - len(a & b) / len(a | b)

    def masi(a, b, _count):
        m = 1 if a == b else 2 / 3 if a <= b or b <= a else 1 / 3 if a & b else 0
        return 0.0 if a == b else 1 - m * len(a & b) / len(a | b)

    judges = list(zip(*rows, strict=True))
    data = table(judges, "labels")
    assert same(alpha(data, resampling=ALPHA_PLAIN).value, plain_alpha(judges, jaccard))
    assert same(alpha(data, level="masi", resampling=ALPHA_PLAIN).value, plain_alpha(judges, masi))
    assert same(alpha(data, level="nominal", resampling=ALPHA_PLAIN).value, plain_alpha(judges, distance("nominal")))


def test_sets_of_the_study():
    data = table([["ab", "b", "c"], ["a", "b", "ac"]], "labels")
    assert alpha(data, level="masi", resampling=ALPHA_PLAIN).value == pytest.approx(0.454545, abs=5e-7)
    assert alpha(data, level="jaccard", resampling=ALPHA_PLAIN).value == pytest.approx(0.552239, abs=5e-7)


def test_two_empty_sets_agree_fully():
    assert alpha(table([["", "", "a"], ["", "", "a"]], "labels"), resampling=ALPHA_PLAIN).value == 1


def test_default_level_follows_the_answers():
    assert "level nominal" in str(alpha(table(["ab", "ab"]), resampling=ALPHA_PLAIN).signature)
    assert "level interval" in str(alpha(table([[1, 2], [1, 2]], "score"), resampling=ALPHA_PLAIN).signature)
    assert "level jaccard" in str(alpha(table(["ab", "ab"], "labels"), resampling=ALPHA_PLAIN).signature)


def test_continuous_scores_need_no_table_of_distances():
    rng = np.random.default_rng(0)
    true = rng.normal(size=1000)
    judges = [list(true + rng.normal(size=1000)) for _ in range(5)]
    result = alpha(table(judges, "score"), resampling=Resampling(n=50))
    values = np.array(judges)
    within = values.var(axis=0, ddof=1).mean()
    assert result.value == pytest.approx(1 - within / values.var(ddof=1), abs=1e-10)
    assert result.low < result.value < result.high


def test_ratio_of_too_many_values_says_so():
    judges = [[i + 0.5 for i in range(2100)], [i + 0.25 for i in range(2100)]]
    result = alpha(table(judges, "score"), level="ratio")
    assert result.value is None
    assert "too many" in result.notes[0]


def test_constant_answers_have_a_reason_at_every_level():
    for level in ("nominal", "ordinal", "interval", "ratio"):
        result = alpha(table([[0.1] * 4, [0.1] * 4], "score"), level=level)
        assert result.value is None
        assert "every answer is '0.1'" in result.notes[0]
    assert alpha(table([["ab"] * 3] * 2, "labels")).value is None


def test_levels_that_do_not_fit_are_refused():
    with pytest.raises(StatisticError, match="need the order"):
        alpha(table(["ab", "ab"]), level="ordinal")
    with pytest.raises(StatisticError, match="sets of labels"):
        alpha(table(["ab", "ab"], "labels"), level="interval")
    with pytest.raises(StatisticError, match="Did you mean 'nominal'"):
        alpha(table(["ab", "ab"]), level="nominl")
    with pytest.raises(StatisticError, match="zero or more"):
        alpha(table([[-1, 2], [1, 2]], "score"), level="ratio")


def test_labels_with_an_order_have_distances():
    judges = [["low", "high", "mid"], ["low", "mid", "mid"]]
    numbers = [[1, 3, 2], [1, 2, 2]]
    stated = alpha(table(judges), level="interval", labels=["low", "mid", "high"], resampling=ALPHA_PLAIN).value
    assert stated == pytest.approx(plain_alpha(numbers, distance("interval")))
    assert not math.isnan(stated)


@pytest.mark.parametrize("resampling", [Resampling(n=60, method="percentile"), Resampling(n=60, unit="item")])
def test_ordinal_by_coincidences_and_by_patterns_are_the_same(monkeypatch, resampling):
    rng = np.random.default_rng(2)
    true = rng.integers(0, 6, 300)
    given = np.clip(true[:, None] + rng.integers(-1, 2, (300, 4)), 0, 5).astype(float)
    given[rng.random(given.shape) < 0.3] = np.nan
    rated = Ratings.from_matrix(given, documents=[f"d{i // 10:02}" for i in range(300)])
    found = []
    for tables in (10**9, 0):
        monkeypatch.setattr("lanner.stats.coefficients._TABLES", tables)
        found.append(alpha(rated, level="ordinal", resampling=resampling))
    assert found[0].value == pytest.approx(found[1].value, abs=1e-12)
    assert (found[0].low, found[0].high) == pytest.approx((found[1].low, found[1].high), abs=1e-9)
    assert found[0].counts == found[1].counts


def test_many_documents_are_resampled_in_groups_with_the_same_spread(monkeypatch):
    rng = np.random.default_rng(3)
    true = rng.integers(0, 6, 3000)
    given = np.clip(true[:, None] + rng.integers(-2, 3, (3000, 2)), 0, 5).astype(float)
    rated = Ratings.from_matrix(given, documents=[f"d{i:04}" for i in range(3000)])
    plain = alpha(rated, level="ordinal", resampling=Resampling(n=400))
    monkeypatch.setattr("lanner.stats.estimate._WIDE", 2)
    grouped = alpha(rated, level="ordinal", resampling=Resampling(n=400))
    assert grouped.value == pytest.approx(plain.value, abs=1e-12)
    assert grouped.high - grouped.low == pytest.approx(plain.high - plain.low, rel=0.2)
    assert any("1000 groups" in note for note in grouped.notes)

from __future__ import annotations

import pytest
from hypothesis import given, settings

from lanner.errors import StatisticError
from lanner.stats.counting import brennan_prediger, conger, fleiss, gwet, percent, wmt
from lanner.stats.resample import Resampling
from rated import (
    GOLDEN,
    chance_corrected,
    golden,
    items,
    mean,
    observed,
    plain_pairs,
    ratings,
    same,
    shares,
    table,
)

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


@settings(max_examples=60, deadline=None)
@given(ratings())
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


@settings(max_examples=60, deadline=None)
@given(ratings())
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


@settings(max_examples=30, deadline=None)
@given(ratings(judges=(2, 2), complete=True))
def test_two_complete_judges_bring_old_acquaintances_together(judges):
    data = table(judges)

    def cohen(a, b):
        both = list(zip(a, b, strict=True))
        chance = sum(a.count(k) * b.count(k) for k in LABELS) / len(both) ** 2
        return chance_corrected(mean([x == y for x, y in both]), chance)

    assert same(conger(data, resampling=PLAIN).value, plain_pairs(judges, cohen))
    chance = fleiss(data, resampling=PLAIN).value
    assert same(wmt(data, resampling=PLAIN).value, float("nan") if chance is None else chance)


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

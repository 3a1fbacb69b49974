from __future__ import annotations

import pytest

from lanner.errors import StatisticError
from lanner.model import Interval, Result
from lanner.stats.agreement import COEFFICIENTS
from lanner.stats.coefficients import fleiss
from lanner.stats.reading import band, meaning, reading, scale_of
from rating_tables import table


@pytest.mark.parametrize(
    ("value", "word"),
    [
        (-0.1, "poor"),
        (0.0, "slight"),
        (0.2, "slight"),
        (0.21, "fair"),
        (0.4995, "moderate"),
        (0.61, "substantial"),
        (1, "almost"),
    ],
)
def test_bands_of_landis_and_koch(value, word):
    assert band(value, "landis_koch").startswith(word)


def test_bands_of_krippendorff_and_an_unknown_scale():
    assert band(0.66, "krippendorff").startswith("too low")
    assert band(0.67, "krippendorff").startswith("enough for tentative")
    assert band(0.8, "krippendorff") == "reliable"
    with pytest.raises(StatisticError, match="Did you mean 'koo_li'"):
        band(0.5, "koo-li")


def test_a_reading_says_what_it_is_where_it_lies_and_what_would_change_it():
    result = Result("kappa", 0.5, Interval(0.35, 0.64), counts={"documents": 8})
    text = reading(result)
    assert text.startswith("κ 0.50: how far judges agree beyond chance")
    assert "Landis & Koch 1977" in text
    assert "moderate. With 95% confidence between 0.35 and 0.64: from fair to substantial" in text
    assert "rises when labels that judges confuse are merged" in text
    assert "8 documents; more documents" in text
    same = reading(Result("kappa", 0.5, Interval(0.45, 0.55), counts={"documents": 80}))
    assert "all of it moderate" in same
    assert "more documents" not in same


def test_shares_are_percentages_and_absent_values_have_a_reason():
    assert "Agreement 70%" in reading(Result("percent", 0.7, Interval(0.6, 0.8)))
    assert "between 60% and 80%" in reading(Result("percent", 0.7, Interval(0.6, 0.8)))
    assert "no value. Undefined: every answer" in reading(fleiss(table(["aa", "aa"])))
    assert reading(Result("something", 1.25)) == "something 1.25."


def test_every_coefficient_can_be_read():
    for name in COEFFICIENTS:
        text = reading(Result(name, 0.5, Interval(0.4, 0.6)))
        assert ":" in text, name
        assert scale_of(name) is None or "On the scale of" in text


def test_correlations_of_either_sign_and_those_that_may_be_nothing():
    assert "strong" in reading(Result("Pearson r", -0.8, Interval(-0.85, -0.72)))
    assert "no relation at all is possible" in reading(Result("Spearman ρ", 0.1, Interval(-0.2, 0.4)))


def test_the_meaning_without_the_number():
    assert meaning(Result("kappa", 0.5)).startswith("κ is how far judges agree beyond chance")
    assert meaning(Result("something", 1.0)) == ""

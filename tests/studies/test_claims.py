import pytest

from lanner.studies import claims
from lanner.studies.data import Data
from lanner.studies.sentences import rates
from reports.world import material

DATA = Data({"h": material("h_falcon"), "f": material("falcon")})


def test_slowest_and_fastest_domain() -> None:
    found = {name: rate for name, rate in rates(DATA, "h", "j0", "holistic").items() if name != "all"}
    slow = claims.extreme_domain(DATA, part="h", judge="j0", of="holistic", which="slowest")
    fast = claims.extreme_domain(DATA, part="h", judge="j0", of="holistic", which="fastest")
    assert slow.value == min(found, key=lambda name: found[name])
    assert fast.value == max(found, key=lambda name: found[name])
    assert f"{found[str(slow.value)]:.2f}" in slow.detail


def test_speed_against_another_protocol() -> None:
    how = {"part": "h", "of": "holistic"}
    assert claims.slowdown(DATA, judge="j0", before=how, after=how).value == pytest.approx(1.0)


def test_interval_and_zero_says_which_side() -> None:
    options = {"part": "h", "judge": "j0", "outcome": "holistic", "predictors": ["sentence"]}
    found = claims.interval_and_zero(DATA, term="sentence", **options)  # type: ignore[arg-type]
    assert found.low is not None
    assert found.high is not None
    side = "above 0" if found.low > 0 else "below 0" if found.high < 0 else "includes 0"
    assert found.value == side
    assert claims.interval_and_zero(DATA, term="none such", **options).value is None  # type: ignore[arg-type]


def test_commonest_labels_come_with_their_shares() -> None:
    most = claims.commonest_number(DATA, part="h", question="skills_chosen", judge="j0")
    assert isinstance(most.value, float)
    assert most.detail.endswith("% of sentences")
    agreed = claims.commonest_agreed(DATA, part="f", question="skills", judges=["j0", "j1"])
    assert str(agreed.value).count(",") == 2
    top = claims.commonest_in_domain(DATA, part="f", question="skills", judges=["j0", "j1"], domain="news")
    assert " and " in str(top.value)


def test_closest_pair_is_one_of_those_asked() -> None:
    found = claims.closest_pair(DATA, part="f", question="context", statistic="kappa", ones=["j0"], others=["j1", "j2"])
    assert found.value in ("j0–j1", "j0–j2")

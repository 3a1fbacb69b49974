import inspect

import pytest

from lanner.errors import StatisticError
from lanner.stats import presets, ranking, scores


@pytest.mark.parametrize("name", presets.names())
def test_every_option_of_a_preset_exists(name: str) -> None:
    made = presets.preset(name)
    known = set(inspect.signature(ranking.rank).parameters) | set(inspect.signature(scores.items).parameters)
    assert made.of
    assert set(made.options) <= known
    assert made.summary
    assert made.citation


def test_what_is_checked_of_one_year_is_not_claimed_of_another() -> None:
    assert presets.preset("wmt24-esa").checked
    assert presets.preset("wmt23-mqm").options == presets.preset("wmt24-mqm").options
    assert presets.preset("wmt21-mqm").checked
    assert not presets.preset("wmt20-mqm").checked


def test_an_unknown_preset_names_the_nearest() -> None:
    with pytest.raises(StatisticError) as caught:
        presets.preset("wmt24-esaa")
    assert "wmt24-esa" in caught.value.next_step

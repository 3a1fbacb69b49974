from __future__ import annotations

from datetime import UTC, datetime

import pytest

from lanner.campaign.practice import Round, has_reached, required_agreement
from lanner.campaign.settings import check_settings
from lanner.errors import InputError

AT = datetime(2026, 11, 16, tzinfo=UTC)


def test_one_round_at_the_stated_share_is_enough() -> None:
    rounds = [Round("p", 3, 5, AT), Round("p", 4, 5, AT), Round("p", 0, 5, AT)]
    assert [entry.share for entry in rounds] == [0.6, 0.8, 0.0]
    assert has_reached(rounds, 0.8)
    assert not has_reached(rounds, 0.81)
    assert not has_reached([], 0.1)


def test_a_round_without_references_reaches_nothing() -> None:
    assert not has_reached([Round("p", 0, 0, AT)], 0.5)


@pytest.mark.parametrize(("value", "wanted"), [(None, None), (0.8, 0.8), (1, 1.0), (True, None), (0, None)])
def test_the_setting(value: float | None, wanted: float | None) -> None:
    assert required_agreement({"practice_agreement": value}) == wanted


@pytest.mark.parametrize("value", [0, 1.2, -1])
def test_a_share_that_nobody_could_reach_or_miss_is_refused(value: float) -> None:
    with pytest.raises(InputError, match="between 0 and 1"):
        check_settings({"practice_agreement": value})

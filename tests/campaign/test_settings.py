from __future__ import annotations

import pytest

from lanner.campaign.settings import check_settings
from lanner.errors import InputError


@pytest.mark.parametrize(
    ("settings", "code"),
    [
        ({"hourly_rate": "much"}, "not_a_number"),
        ({"budget": True}, "not_a_number"),
        ({"minimum_agreement": 1}, "bad_minimum"),
        ({"deadline": "soon"}, "bad_deadline"),
        ({"return_link": "javascript:alert(1)"}, "bad_return_link"),
    ],
)
def test_settings_that_make_no_sense_are_refused_by_code(settings: dict[str, object], code: str) -> None:
    with pytest.raises(InputError) as caught:
        check_settings(settings)
    assert caught.value.code == code


def test_settings_that_make_sense_pass() -> None:
    check_settings(
        {"deadline": "2026-11-18", "minimum_agreement": 0.4, "return_link": "https://a.example", "budget": None}
    )

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
        ({"margin": 0}, "bad_margin"),
        ({"deadline": "soon"}, "bad_deadline"),
        ({"return_link": "javascript:alert(1)"}, "bad_return_link"),
        ({"calibration": {"documents": 2}}, "bad_setting"),
        ({"calibration": 2}, "bad_setting"),
        ({"calibration": "d1"}, "bad_setting"),
        ({"before": "consent"}, "bad_setting"),
        ({"controls": 5}, "bad_setting"),
        ({"controls": {"shuffled": "many"}}, "bad_setting"),
        ({"controls": {"shuffled": -1}}, "bad_setting"),
        ({"controls": {"repeats": {"sentence": "few"}}}, "bad_setting"),
        ({"controls": {"gold": [{"documnet": "d1"}]}}, "bad_setting"),
        ({"tutorial": []}, "bad_setting"),
        ({"tutorial": {"items": ["d1"]}}, "bad_setting"),
        ({"tutorial": {"item": []}}, "bad_setting"),
        ({"contexts": "none,whole"}, "bad_setting"),
        ({"wording": 3}, "bad_setting"),
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
    known = {"document": "d0", "segment": 1, "systems": ["A"], "expected": {"score": {"at_least": 8}}}
    check_settings(
        {
            "before": ("consent",),
            "controls": {"shuffled": {"sentence": 16, "document": 5}, "repeats": 0.05, "spacing": 10, "gold": [known]},
            "tutorial": {"items": [known]},
            "calibration": ["d1", "d2"],
            "contexts": None,
        }
    )


def test_a_setting_of_the_wrong_shape_is_named_with_an_example() -> None:
    with pytest.raises(InputError) as caught:
        check_settings({"controls": {"repeats": {"sentence": "few"}}})
    assert "controls.repeats" in caught.value.what and "'few'" in caught.value.what
    assert "repeats = 0.05" in caught.value.next_step

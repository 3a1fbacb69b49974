from __future__ import annotations

from datetime import datetime

import pytest

from campaign_parts import JUDGES, corpus, opened
from lanner import campaign
from lanner.campaign.settings import check_settings, due_date, time_zones
from lanner.errors import InputError
from lanner.store import Store


@pytest.mark.parametrize(
    ("settings", "code"),
    [
        ({"hourly_rate": "much"}, "not_a_number"),
        ({"budget": True}, "not_a_number"),
        ({"minimum_agreement": 1}, "bad_minimum"),
        ({"margin": 0}, "bad_margin"),
        ({"minimum_agreement": -0.4}, "bad_minimum"),
        ({"hourly_rate": -3}, "negative_setting"),
        ({"control_limit": -0.25}, "negative_setting"),
        ({"control_limit": float("nan")}, "not_a_number"),
        ({"budget": float("inf")}, "not_a_number"),
        ({"deadline": "soon"}, "bad_deadline"),
        ({"time_zone": "Berlin"}, "bad_time_zone"),
        ({"time_zone": "../../etc/passwd"}, "bad_time_zone"),
        ({"time_zone": "Europe"}, "bad_time_zone"),
        ({"control_limit": 25}, "bad_control_limit"),
        ({"practice": "no"}, "bad_practice_switch"),
        ({"completion_code": 1234}, "not_a_text"),
        ({"guidelines": ["a"]}, "not_a_text"),
        ({"return_link": "javascript:alert(1)"}, "bad_return_link"),
        ({"return_link": "https://"}, "bad_return_link"),
        ({"return_link": "https://[a"}, "bad_return_link"),
        ({"return_link": "https://a.example/ b"}, "bad_return_link"),
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


@pytest.mark.parametrize(
    "settings",
    [
        {"minimum_agreement": 7},
        {"nonsense": 1},
        {"archived": "no"},
        {"main_question": "nonsense"},
        {"main_question": "comment"},  # a remark
        {"main_question": "experience"},  # of a questionnaire
    ],
)
def test_every_road_checks_settings(store: Store, settings: dict[str, object]) -> None:
    with pytest.raises(InputError):
        campaign.create(store, "other", corpus(), "da", JUDGES, settings={"before": ["background"], **settings})
    opened(store, "da", settings={"before": ["background"]})
    with pytest.raises(InputError):
        campaign.configure(store, "first", settings=settings)
    assert campaign.configure(store, "first", settings={"main_question": "score"}).settings["main_question"] == "score"


@pytest.mark.parametrize(
    ("zone", "at", "left"),
    [
        # in Berlin the 29th of March is the day that has no hour between two and three
        ("Europe/Berlin", "2026-03-29T21:59:59+00:00", 0),
        ("Europe/Berlin", "2026-03-29T22:00:00+00:00", -1),
        ("Europe/Berlin", "2026-03-28T22:59:00+00:00", 1),
        ("Asia/Seoul", "2026-03-29T14:59:00+00:00", 0),
        ("Asia/Seoul", "2026-03-29T15:00:00+00:00", -1),
        (None, "2026-03-29T23:59:00+00:00", 0),
        ("no such zone, from an old copy", "2026-03-30T00:00:00+00:00", -1),
    ],
)
def test_days_are_left_by_the_clocks_of_the_organisers(zone: str | None, at: str, left: int) -> None:
    due = due_date({"deadline": "2026-03-29", "time_zone": zone})
    assert due is not None and (due.end.hour, due.end.minute) == (23, 59)
    assert due.days_left(datetime.fromisoformat(at)) == left


def test_what_is_no_date_is_no_due_date() -> None:
    assert [due_date({"deadline": value}) for value in (None, "", "soon", "9999-12-31")] == [None] * 4
    assert {"UTC", "Europe/Berlin", "Asia/Seoul"} <= set(time_zones())


def test_settings_that_make_sense_pass() -> None:
    check_settings(
        {"deadline": "2026-11-18", "minimum_agreement": 0.4, "return_link": "https://a.example", "budget": None}
    )
    check_settings({"time_zone": "Asia/Seoul", "note": "Names are invented."})
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

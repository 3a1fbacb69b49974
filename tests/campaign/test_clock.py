from __future__ import annotations

from datetime import UTC, timedelta

from lanner.campaign.clock import now


def test_the_clock_is_utc_and_goes_forward() -> None:
    first, second = now(), now()
    assert first.tzinfo is UTC and timedelta(0) <= second - first < timedelta(minutes=1)

from __future__ import annotations

import pytest
from starlette.datastructures import FormData

from lanner.errors import LannerError
from lanner.web.draft.choices import read_settings


def test_numbers_are_numbers_and_empty_takes_away() -> None:
    found = read_settings(FormData([("hourly_rate", "40,5"), ("deadline", "2026-12-24"), ("budget", "")]))
    assert (found["hourly_rate"], found["deadline"], found["budget"]) == (40.5, "2026-12-24", None)


@pytest.mark.parametrize(
    ("field", "value"),
    [("hourly_rate", "much"), ("deadline", "soon"), ("minimum_agreement", "7"), ("return_link", "javascript:alert(1)")],
)
def test_nonsense_is_refused_in_words(field: str, value: str) -> None:
    with pytest.raises(LannerError):
        read_settings(FormData([(field, value)]))

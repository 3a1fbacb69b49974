from __future__ import annotations

from lanner.errors import CampaignError, InputError, LannerError, Where
from lanner.web.page.refusing import parts, told
from lanner.web.page.speech import speaking


def test_in_english_the_librarys_own_words() -> None:
    error = InputError("A column is missing.", where=Where("a.csv", 3), next_step="Add it.")
    assert parts(error) == ("A column is missing.", "a.csv:3", "Add it.")
    assert told(error) == "a.csv:3: A column is missing.\nAdd it."


def test_common_refusals_are_translated_by_their_code() -> None:
    error = CampaignError(
        "There is already a campaign called 'x'.", code="name_taken", next_step="Choose another name."
    )
    with speaking("de"):
        assert parts(error)[0] == "Es gibt schon eine Kampagne dieses Namens."
        assert "called" not in told(error)


def test_of_the_rest_the_kind_is_told_in_the_readers_language() -> None:
    with speaking("ko"):
        assert parts(InputError("Line is odd.", where=Where("a.csv", 3)))[:2] == (
            "파일을 들이지 않았습니다: Line is odd.",
            "a.csv:3",
        )
        assert told(LannerError("Plain.")) == "Plain."

from __future__ import annotations

from lanner.campaign.submission import ReusedError, Saved, digest


def test_saved_is_done_when_nothing_is_open() -> None:
    assert Saved({"q": 1}).done and not Saved({"q": 1}, open=("r",)).done


def test_the_error_for_a_reused_id_says_what_to_do() -> None:
    error = ReusedError("s1")
    assert "s1" in error.what and error.code == "reused" and "UUID" in error.next_step

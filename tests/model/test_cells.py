"""Cells that a spreadsheet would run: guarded on the way out, exactly themselves on the way in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanner.model.cells import bare, guarded

RISKY = st.text(st.sampled_from("'=+-@\t\r\n＝＠a1.e "), max_size=6)


@given(st.one_of(st.text(), RISKY))
def test_what_is_guarded_comes_back_to_the_letter(text: str) -> None:
    kept = guarded(text)
    assert bare(kept) == text
    assert kept in (text, f"'{text}")


@given(RISKY)
def test_nothing_that_runs_is_left(text: str) -> None:
    kept = guarded(text)
    assert kept[:1] not in set("=+@\t\r\n＝＠") and (kept[:1] != "-" or float(kept) <= 0)


@pytest.mark.parametrize("text", ["=1+1", "+49 30", "-5+cmd", "@SUM(A1)", "\t=1", "＝1", "'=1", "''-x", "-"])
def test_formulas_are_guarded(text: str) -> None:
    assert guarded(text) == f"'{text}"


@pytest.mark.parametrize("text", ["-5", "-5.25", "-1e-3", "5", "don't", "'tis", "a=b", ""])
def test_other_texts_are_not(text: str) -> None:
    assert guarded(text) == text == bare(text)

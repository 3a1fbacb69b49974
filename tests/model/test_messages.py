from __future__ import annotations

import pickle
from datetime import date

import pytest

from lanner.model.messages import Message, amount, coefficient, message, spell


def test_a_message_is_english_until_it_is_translated() -> None:
    late = message("{name} is {late}.", name="Ana", late=amount(2, "{n} day late", "{n} days late"))
    assert str(late) == "Ana is 2 days late."
    assert str(message("Not begun: {names}.", names=("Ana", "Ben", "Cem"))) == "Not begun: Ana, Ben and Cem."
    assert str(amount(1, "{n} day late", "{n} days late")) == "1 day late"
    assert pickle.loads(pickle.dumps(late)) == late
    assert not Message("")


def test_days_lists_and_braces_in_names() -> None:
    assert spell(date(2026, 11, 18)) == "Wed 18 Nov"
    assert str(message("{name} left", name="{x}")) == "{x} left"
    assert spell(("one",)) == "one"


@pytest.mark.parametrize(
    ("value", "words"), [(0.456, ".46"), (-0.031, "−.03"), (1.0, "1.00"), (None, "—"), (-0.001, ".00"), (0.0, ".00")]
)
def test_coefficients_lose_their_zero(value: float | None, words: str) -> None:
    assert coefficient(value) == words

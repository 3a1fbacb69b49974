from __future__ import annotations

import pickle
from datetime import date

import pytest

from lanner.model import messages
from lanner.model.messages import Message, amount, leading, message, name_or_count, spell


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
    ("value", "digits", "bounded", "text"),
    [
        (0.49951, 3, True, ".500"), (-0.0475, 2, True, "−.05"), (-0.0001, 3, True, ".000"), (1.0, 2, True, "1.00"),
        (0.5, 2, False, "0.50"), (-12.345, 1, False, "−12.3"), (None, 3, True, "—"), (0.456, 2, True, ".46"),
        (-0.001, 2, True, ".00"), (float("nan"), 3, True, "—"),
    ],
)  # fmt: skip
def test_number(value: float | None, digits: int, bounded: bool, text: str) -> None:
    assert messages.number(value, digits, bounded=bounded) == text


def test_durations_in_the_unit_that_says_something() -> None:
    said = [messages.duration(hours) for hours in (13.48, 1.5, 1.25, 0.2, 0.02, 0.0)]
    assert said == ["13.5 hours", "1.5 hours", "75 minutes", "12 minutes", "72 seconds", "0 seconds"]


def test_labels_inside_sentences() -> None:
    assert [messages.lower_first(label) for label in ("No, I did", "MT output", "a", "", "Which is better?")] == [
        "no, I did", "MT output", "a", "", "“Which is better?”",
    ]  # fmt: skip


def test_estimate_interval_p_percent_words() -> None:
    assert messages.estimate(0.49951, 0.4472, 0.5531) == ".500 [.447, .553]"
    assert messages.estimate(0.5) == ".500"
    assert messages.p_value(0.0294) == "p = .029"
    assert messages.p_value(0.0004) == "p < .001"
    assert messages.percent(0.70087) == "70.1 %"
    assert messages.words(["a", "b", "c"]) == "a, b and c"
    assert messages.words(["a"]) == "a"
    assert messages.plural(1, "judge") == "1 judge"
    assert messages.plural(2000, "judge") == "2,000 judges"


def test_a_text_that_is_cut_ends_after_a_word() -> None:
    assert messages.shorten("The ferry left early.", 30) == "The ferry left early."
    assert messages.shorten("The ferry left early.", 12) == "The ferry…"
    assert messages.shorten("The ferry left early.", 10) == "The ferry…"
    assert messages.shorten("The ferry, which left", 14) == "The ferry…"
    assert messages.shorten("배가조수가바뀌기전에떠났다", 6) == "배가조수가…", "no spaces, no words to keep whole"
    assert all(len(messages.shorten("The ferry left early.", n)) <= n for n in range(4, 22))


def test_nouns_keep_their_capitals_where_the_language_has_them() -> None:
    assert messages.lower_first("Gesamturteil", "de") == "Gesamturteil"
    assert messages.lower_first("Juicio global", "es") == "juicio global"
    assert messages.lower_first("Style Register") == "Style Register", "a published label keeps its capitals"


def test_of_several_equal_ones_none_is_the_best() -> None:
    shares = {"a": 0.1 + 0.2, "b": 0.3, "c": -1.0}
    assert leading(shares, shares.__getitem__) == ["a", "b"], "equal but for how computers add"
    assert leading(shares, lambda name: -shares[name]) == ["c"]
    assert leading([], len) == []
    assert name_or_count(["a", "b"], "judge") == "a and b"
    assert name_or_count(list("abcde"), "judge") == "5 judges"

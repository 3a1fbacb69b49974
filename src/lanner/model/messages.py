"""Sentences and numbers for people.

A `Message` is a sentence apart from its language: an English text with places, translated where it is shown. Numbers
stand as they do in print: `.46` where a value cannot exceed one, a true minus, intervals, p, lists of words.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TypeVar


@dataclass(frozen=True, slots=True)
class Message:
    """An English text and what fills its {places}: words, numbers, days, other messages, or a list of these."""

    text: str
    places: tuple[tuple[str, object], ...] = ()

    def __str__(self) -> str:
        return self.text.format(**{name: spell(value) for name, value in self.places}) if self.places else self.text

    def __bool__(self) -> bool:
        return bool(self.text)


Words = Message | str | date
"""A message, or what needs no translation: a name, a number, a day."""


def message(text: str, **places: object) -> Message:
    """A message with its places filled."""
    return Message(text, tuple(places.items()))


def amount(count: int, one: str, many: str) -> Message:
    """So many of something. Languages with other plurals than English word the second so that it fits any number."""
    return message(one if count == 1 else many, n=f"{count:,}")


def in_number(count: int, one: str, many: str, /, **places: object) -> str:
    """So many of something, as an English sentence with its other {places} filled: for notes, errors and the command
    line."""
    return str(message(one if count == 1 else many, n=f"{count:,}", **places))


def spell(value: object) -> str:
    """The value of a place, in English."""
    if isinstance(value, tuple):
        return words([spell(part) for part in value])
    return f"{value:%a} {value.day} {value:%b}" if isinstance(value, date) else str(value)


# Numbers and lists as they stand in print.

DASH = "—"


def number(value: float | None, digits: int = 3, *, bounded: bool = True) -> str:
    """A number to so many digits. `bounded` values lie within ±1 and lose the leading zero; a dash if undefined."""
    if value is None or math.isnan(value):
        return DASH
    text = f"{abs(value):.{digits}f}"
    if bounded and text.startswith("0."):
        text = text[1:]
    is_zero = not text.strip("0.")
    return f"−{text}" if value < 0 and not is_zero else text


def interval(low: float | None, high: float | None, digits: int = 2, *, bounded: bool = True) -> str:
    """An interval in brackets, empty if there is none."""
    if low is None or high is None:
        return ""
    return f"[{number(low, digits, bounded=bounded)}, {number(high, digits, bounded=bounded)}]"


def estimate(
    value: float | None, low: float | None = None, high: float | None = None, digits: int = 3, *, bounded: bool = True
) -> str:
    """An estimate with its interval: ".500 [.447, .553]"."""
    return f"{number(value, digits, bounded=bounded)} {interval(low, high, digits, bounded=bounded)}".strip()


def p_value(p: float | None) -> str:
    """A p-value in APA style: "p = .029", "p < .001"."""
    if p is None:
        return ""
    return f"p {p_number(p)}" if p < 0.001 else f"p = {p_number(p)}"


def p_number(p: float | None) -> str:
    """A p-value without "p =", for a column headed p: ".029", "< .001"; never ".000"."""
    if p is None:
        return ""
    return "< .001" if p < 0.001 else number(p, 3)


def percent(share: float | None, digits: int = 1) -> str:
    """A share as a percentage with a space before the sign."""
    return DASH if share is None else f"{100 * share:.{digits}f} %"


def level_text(level: float) -> str:
    """A confidence level as it stands in headings and captions: "95 %", "99.9 %"."""
    return f"{100 * level:.12g} %"


def count(value: int | None) -> str:
    """A count with thousands set apart."""
    return DASH if value is None else f"{value:,}"


def from_to(low: int, high: int) -> str:
    """A range of whole numbers, or the one number it holds: "1–3", "2"."""
    return f"{low:,}" if low == high else f"{low:,}–{high:,}"


def words(entries: Sequence[str], last: str = "and") -> str:
    """ "a", "a and b", "a, b and c"."""
    if len(entries) < 2:
        return "".join(entries)
    return f"{', '.join(entries[:-1])} {last} {entries[-1]}"


Entry = TypeVar("Entry")


def leading(entries: Iterable[Entry], value: Callable[[Entry], float]) -> list[Entry]:
    """The entries with the largest value. Several may share it: naming the first of them would be wrong."""
    values = [(entry, value(entry)) for entry in entries]
    top = max((own for _, own in values), default=0.0)
    return [entry for entry, own in values if math.isclose(own, top, rel_tol=1e-9, abs_tol=1e-12)]


_MOST_NAMED = 4


def name_or_count(names: Sequence[str], what: str) -> str:
    """The names as a list; where they are many, their number and `what` they are."""
    return words(names) if len(names) <= _MOST_NAMED else plural(len(names), what)


_CAPITAL_NOUNS = ("de", "lb")
_ENDS = ("?", "!", ".", "…", "？", "！", "。", "؟")


def lower_first(label: str, language: str = "en") -> str:
    """Write a label as it stands inside a sentence: its first letter small, unless it begins with an abbreviation, is
    written with capitals ("Style Register"), or its language capitalises nouns. A whole sentence is quoted."""
    if label.endswith(_ENDS):
        return f"“{label}”"
    long_words = [word for word in label.split()[1:] if len(word) > 3]
    written_with_capitals = bool(long_words) and all(word[0].isupper() for word in long_words)
    if label[1:2].isupper() or written_with_capitals or language.partition("-")[0] in _CAPITAL_NOUNS:
        return label
    return label[:1].lower() + label[1:]


_LONGEST_WORD = 30


def shorten(text: str, letters: int) -> str:
    """Cut a text to so many letters, with "…" after the last whole word, or after a letter where there are no
    spaces."""
    if len(text) <= letters:
        return text
    start = text[: letters - 1]
    whole, space, cut = start.rpartition(" ")
    if text[letters - 1].isspace() or not space or len(cut) >= _LONGEST_WORD:
        whole = start
    return f"{whole.rstrip(' ,;:.–—-')}…"


def duration(hours: float) -> str:
    """Working time in the unit that says something: "3.5 hours", "12 minutes", "40 seconds"."""
    seconds = hours * 3600
    if seconds >= 5400:
        return f"{hours:,.1f} hours"
    if seconds >= 90:
        return plural(round(seconds / 60), "minute")
    return plural(round(seconds), "second")


def plural(number_of: int, one: str, many: str = "") -> str:
    """ "1 judge", "3 judges"."""
    return f"{count(number_of)} {one if number_of == 1 else many or one + 's'}"

"""Sentences for people apart from their language: an English text with places, translated where it is shown."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date


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
    """The same in English alone, with its other {places} filled: for notes, errors and the command line."""
    return str(message(one if count == 1 else many, n=f"{count:,}", **places))


def spell(value: object) -> str:
    """What fills a place, in English."""
    if isinstance(value, tuple):
        parts = [spell(part) for part in value]
        return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
    return f"{value:%a} {value.day} {value:%b}" if isinstance(value, date) else str(value)


def coefficient(value: float | None, digits: int = 2) -> str:
    """A number that cannot exceed 1 in size, as it stands in print: .46, −.03; a dash where there is none."""
    if value is None or math.isnan(value):
        return "—"
    text = f"{abs(value):.{digits}f}"
    text = text[1:] if text.startswith("0.") else text
    return f"−{text}" if value < 0 and text.strip("0.") else text

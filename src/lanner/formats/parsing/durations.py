"""How long something took: which columns hold it, in what unit their headings say it is, and what a cell means."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from lanner.formats.parsing.values import as_text, clock, number, plain_number, without_accents

_UNITS = {"milliseconds": 0.001, "seconds": 1.0, "minutes": 60.0, "hours": 3600.0}
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\dA-Z_]+|[^\W\d_]+")
_PART = re.compile(r"(\d{1,12}(?:[.,]\d{1,6})?)\s*([^\W\d_]+)\.?\s*")
_PLAIN = re.compile(r"\d{1,12}(?:[.,]\d{1,15})?")
_LATEST = 1e8
"""Seconds in three years: larger numbers are moments since 1970."""


@cache
def _words() -> dict[str, frozenset[str]]:
    lists = tomllib.loads((Path(__file__).parent / "durations.toml").read_text(encoding="utf-8"))
    return {name: frozenset(map(without_accents, entries)) for name, entries in lists.items()}


@dataclass(frozen=True, slots=True)
class Heading:
    """What a heading says about times: the unit (empty where it names none), and whether pauses are left out."""

    unit: str = ""
    active: bool = False

    @property
    def seconds(self) -> float:
        """Seconds in one of the unit; without one they are seconds."""
        return _UNITS[self.unit or "seconds"]


@cache
def heading(name: str) -> Heading | None:
    """What the heading of a column says about times; None if it names no duration."""
    words = [without_accents(word) for word in _WORD.findall(name)]
    known = _words()
    if not words or not known["other"].isdisjoint(words):
        return None
    units = [unit for unit in _UNITS for word in words if word in known[unit] or word in known[f"{unit}_short"]]
    has_time = not known["time"].isdisjoint(words) or without_accents("".join(words)) in known["time"]
    alone = all(word in known["beside"] or any(word in known[unit] for unit in _UNITS) for word in words)
    if not has_time and not (units and alone):
        return None
    if len(set(units)) > 1:
        return None
    return Heading(units[0] if units else "", not known["active"].isdisjoint(words))


def are_durations(values: Sequence[Any]) -> bool:
    """Whether cells can be times that something took: most are numbers or times, and none is a date."""
    seconds = [duration(as_text(value)) for value in values]
    known = [value for value in seconds if value is not None]
    return bool(known) and len(known) * 2 > len(values) and min(known) >= 0 and max(known) < _LATEST


def duration(text: str, unit: float = 1.0) -> float | None:
    """Seconds: `12.5` in the unit, `1:23`, `2 min 5 s`, `850 ms`; None for anything else."""
    plain = plain_number(text.strip())
    if _PLAIN.fullmatch(plain):
        value = number(plain.replace(",", "."))
        return None if value is None else float(value) * unit
    if (seconds := clock(text)) is not None:
        return seconds
    total, end = 0.0, 0
    for part in _PART.finditer(text.strip()):
        word = without_accents(part[2])
        own = next((name for name in _UNITS if word in _words()[name] or word in _words()[f"{name}_short"]), None)
        if own is None or part.start() != end:
            return None
        total, end = total + float(part[1].replace(",", ".")) * _UNITS[own], part.end()
    return total if end and end == len(text.strip()) else None

"""One question of the lab answered: lines of the table, a figure, a sentence; or why it cannot be answered here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from lanner.model import Json, Result
from lanner.reports.lab.sides import Side
from lanner.reports.parts import Figure, Quotes
from lanner.stats.resample import Resampling


@dataclass(frozen=True, slots=True)
class Value:
    """A number of one side with its interval; `text` stands in its place where it is no plain number."""

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class Gap:
    """How far a side lies from the first one: first less other."""

    value: float
    low: float | None = None
    high: float | None = None
    p: float | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the table: a measure, its value on each side (in their order), and the gaps to the first side."""

    label: str
    values: Sequence[Value]
    gaps: Sequence[Gap | None] = ()
    bounded: bool = True
    digits: int = 2


@dataclass(frozen=True, slots=True)
class Answer:
    """`missing` says why there is nothing, and then all else is empty."""

    title: str
    lines: Sequence[Line] = ()
    figure: Figure | None = None
    said: str = ""
    missing: str = ""
    examples: Quotes | None = None
    data: Sequence[Mapping[str, Json]] = field(default_factory=tuple)


@dataclass(frozen=True)
class Lab:
    """The sides on shared items, as they were given, and how intervals are made."""

    sides: Sequence[Side]
    whole: Sequence[Side]
    shared: int
    resampling: Resampling
    hourly: float | None = None
    currency: str = ""

    @property
    def names(self) -> list[str]:
        return [side.name for side in self.sides]


Question = Callable[[Lab], Answer]


def of_result(result: Result) -> Value:
    """An estimate as a value of the table."""
    return Value(result.value, result.low, result.high, result.counts.get("items"))


def gap_of(result: Result) -> Gap | None:
    """A difference as a gap of the table; None where it is undefined."""
    return None if result.value is None else Gap(result.value, result.low, result.high, result.p)


def gathered(lab: Lab, found: Sequence[tuple[str, str, Value]]) -> list[Line]:
    """Lines from (label, side, value): what has the same label stands in one line."""
    lines: dict[str, list[Value]] = {}
    for label, side, value in found:
        lines.setdefault(label, [Value(None, text="—") for _ in lab.sides])[lab.names.index(side)] = value
    return [Line(label, values) for label, values in lines.items()]

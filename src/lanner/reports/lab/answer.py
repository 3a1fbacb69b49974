"""One question of the lab answered: lines of the table, a figure, a sentence; or why it cannot be answered here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from lanner.model import Json, Result
from lanner.reports.lab.sides import Side
from lanner.reports.parts import Figure, Quotes
from lanner.reports.typeset import estimate, p_value
from lanner.stats.resample import Resampling

NO_INTERVAL = "no interval: there are too few documents, or they do not differ"
_WHO = {"people", "models"}


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
    """How far a side lies from the first one: first less other; `why` there is no interval, where there is none."""

    value: float
    low: float | None = None
    high: float | None = None
    p: float | None = None
    why: str = ""

    def in_words(self, name: str, digits: int = 2) -> str:
        """With its interval and p under its name; without them it says why."""
        said = f"{name} {estimate(self.value, self.low, self.high, digits)}"
        if self.low is None:
            said += f"; {self.why or NO_INTERVAL}"
        return said if self.p is None else f"{said}, {p_value(self.p)}"


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
    if result.value is None:
        return None
    return Gap(result.value, result.low, result.high, result.p, why_no_interval(result.notes))


def why_no_interval(notes: Sequence[str]) -> str:
    """Of a statistic's notes the one that says so, fit for the middle of a sentence."""
    found = next((note for note in notes if note.startswith("No interval")), "")
    return found[:1].lower() + found[1:].rstrip(".")


def are_judges(*names: str) -> bool:
    """Whether sides are named after who judged, not after what was asked: nobody judges under people."""
    return set(names) <= _WHO


def gathered(lab: Lab, found: Sequence[tuple[str, str, Value]]) -> list[Line]:
    """Lines from (label, side, value): what has the same label stands in one line."""
    lines: dict[str, list[Value]] = {}
    for label, side, value in found:
        lines.setdefault(label, [Value(None, text="—") for _ in lab.sides])[lab.names.index(side)] = value
    return [Line(label, values) for label, values in lines.items()]

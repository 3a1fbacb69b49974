"""Judges to look at, as plain objects: pages and reports show them, `lanner.analysis.alarms` finds them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

LEVEL = 0.05
"""How often a panel of equally careful judges raises the alarm of differing."""

SWAP_LEVEL = 0.01
"""How often two labels of one judge look swapped, at most, where they are crossed and matched equally often."""

FEWEST_ITEMS = 10
"""Shared items below which nothing is said about agreement: with fewer, any number is chance."""

VERDICT_DOCUMENTS = 5
"""From so many documents that several people have judged there is a verdict on agreement. Intervals of fewer hold as
often as they say, but one in forty lies above the truth and may be narrow, and two documents stand for few others."""


class Code(StrEnum):
    """What an alarm is about."""

    DIFFERS = "differs"
    SPEED = "speed"
    STRAIGHT_LINE = "straight_line"
    CONTROLS = "controls"


@dataclass(frozen=True, slots=True)
class Alarm:
    """One judge, what was observed (`value`), what it is held against (`reference`), over how many items. `clear` says
    whether it is beyond doubt; `low` and `high` bound a share; `label` is the answer of a straight line."""

    code: Code
    judge: str
    value: float
    reference: float
    n: int
    clear: bool = True
    low: float | None = None
    high: float | None = None
    label: str = ""


@dataclass(frozen=True, slots=True)
class PanelTest:
    """Whether any judge of a panel differs from the others more than chance explains.

    `p` is the probability that, among judges who are all alike, somebody stands as far apart as `judge` does here.
    """

    judge: str
    z: float
    p: float
    items: int
    judges: int

    @property
    def differs(self) -> bool:
        return self.p <= LEVEL

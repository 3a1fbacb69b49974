"""One question as the page shows it: its words, keys and limits, ready for a template and for the script."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lanner.model import Json

_SHORT = 22  # letters of a label that fit in half the rail


@dataclass(frozen=True, slots=True)
class Pick:
    """Something that can be chosen: an option, a line of a grid, a point of a scale, an output to rank."""

    id: str
    label: str
    short: str = ""
    help: str = ""
    definition: str = ""
    key: str = ""
    group: str = ""
    parent: str = ""
    level: int = 0
    low: str = ""
    high: str = ""
    quiet: bool = False  # preselected: choosing it says nothing


@dataclass(frozen=True, slots=True)
class Group:
    """Picks under one heading; `tone` is the number of its colour, 0 for none."""

    id: str
    label: str
    help: str
    tone: int
    picks: tuple[Pick, ...]


@dataclass(frozen=True, slots=True)
class Ask:
    """One question on the page. `display` is how its kind is drawn; `need` how many answers it wants."""

    id: str
    kind: str
    display: str
    label: str
    short: str
    help: str
    definition: str
    low: str
    high: str
    letter: str
    hint: str
    required: bool
    stage: str
    need: int = 1
    most: int | None = None
    when: str = ""
    each: str = ""
    next: str = ""
    exclusive: str = ""
    preset: str = ""
    options: tuple[Pick, ...] = ()
    rows: tuple[Pick, ...] = ()
    groups: tuple[Group, ...] = ()
    severities: tuple[Pick, ...] = ()
    sides: tuple[str, ...] = ()
    missing: bool = False
    link: bool = False
    numbers: Mapping[str, float] = field(default_factory=dict)  # min, max, step, lines, length
    value: Json = None
    shown: bool = True
    shown_rows: frozenset[str] = frozenset()

    @property
    def short_marks(self) -> bool:
        """Whether labelled points fit two to a line."""
        return len(self.options) % 2 == 0 and all(len(pick.label) <= _SHORT for pick in self.options)

    @property
    def direct(self) -> bool:
        """Whether digits pick a line of this grid without anything armed before."""
        return bool(self.rows) and any(row.key for row in self.rows)

"""What preparation did, counted by rule, for the manifest; single changes go to whoever wants to write them down."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Change:
    """One rule applied to one text (or, with an empty column, to a whole segment)."""

    rule: str
    document: str
    segment: str
    column: str = ""


@dataclass(slots=True)
class Ledger:
    """Counts per rule. Only counts are kept, so that a million segments cost nothing; `on_change` sees each change."""

    counts: Counter[str] = field(default_factory=Counter)
    on_change: Callable[[Change], None] | None = None

    def note(self, rule: str, document: str, segment: str, column: str = "") -> None:
        self.counts[rule] += 1
        if self.on_change:
            self.on_change(Change(rule, document, segment, column))

"""How well texts were cut, against rows that people made: precision, recall and F1 of borders.

In two texts at once a border is right only if both its places are.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

from lanner.corpus.split import borders


@dataclass(frozen=True, slots=True)
class BorderCounts:
    """Borders found and right, found and wrong, and missed."""

    right: int = 0
    wrong: int = 0
    missed: int = 0

    def __add__(self, other: BorderCounts) -> BorderCounts:
        return BorderCounts(self.right + other.right, self.wrong + other.wrong, self.missed + other.missed)

    @property
    def precision(self) -> float:
        return self.right / max(self.right + self.wrong, 1)

    @property
    def recall(self) -> float:
        return self.right / max(self.right + self.missed, 1)

    @property
    def f1(self) -> float:
        return 2 * self.right / max(2 * self.right + self.wrong + self.missed, 1)


def compare(guesses: Iterable[Hashable], true: Iterable[Hashable]) -> BorderCounts:
    """The scores of one set of borders against another."""
    ours, theirs = set(guesses), set(true)
    return BorderCounts(len(ours & theirs), len(ours - theirs), len(theirs - ours))


def joint_borders(rows: Sequence[tuple[str, str]]) -> list[tuple[int, int]]:
    """Where two texts are cut at once."""
    return list(zip(borders([one for one, _ in rows]), borders([other for _, other in rows]), strict=True))

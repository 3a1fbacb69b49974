"""How well texts were cut, against rows that people made: precision, recall and F1 of borders.

A border is counted by the characters before it, white space aside, so that it does not matter how rows were joined. In
two texts at once a border is right only if both its places are.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scores:
    """Borders found and right, found and wrong, and missed."""

    right: int = 0
    wrong: int = 0
    missed: int = 0

    def __add__(self, other: Scores) -> Scores:
        return Scores(self.right + other.right, self.wrong + other.wrong, self.missed + other.missed)

    @property
    def precision(self) -> float:
        return self.right / max(self.right + self.wrong, 1)

    @property
    def recall(self) -> float:
        return self.right / max(self.right + self.missed, 1)

    @property
    def f1(self) -> float:
        return 2 * self.right / max(2 * self.right + self.wrong + self.missed, 1)


def compare(guesses: Iterable[Hashable], true: Iterable[Hashable]) -> Scores:
    """The scores of one set of borders against another."""
    ours, theirs = set(guesses), set(true)
    return Scores(len(ours & theirs), len(ours - theirs), len(theirs - ours))


def borders(pieces: Sequence[str]) -> list[int]:
    """Where a text is cut, in characters that are not white space; its two ends are not among them."""
    total, offsets = 0, []
    for piece in pieces[:-1]:
        total += sum(not letter.isspace() for letter in piece)
        offsets.append(total)
    return offsets


def joint_borders(rows: Sequence[tuple[str, str]]) -> list[tuple[int, int]]:
    """Where two texts are cut at once."""
    return list(zip(borders([one for one, _ in rows]), borders([other for _, other in rows]), strict=True))

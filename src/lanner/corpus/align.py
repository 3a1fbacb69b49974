"""Align two texts that say the same: choose the cuts of both at once.

The model is a chain of beads. Each border between beads is a pair of candidate cuts, one per text, and scores the
log-odds of both (`boundaries`), how well their marks agree (a question with a question), and how many anchors
(numbers, names, links, emoji found on both sides) it would tear apart. Each bead scores how well its two lengths
agree, after Gale and Church (1993): a normal density of the difference, its variance proportional to the length, with
the texts' own length ratio, which is known because the two are each other's translation.

Summing over all chains (forward-backward) gives each border its posterior probability; that is the confidence.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanner.corpus.anchors import anchors
from lanner.corpus.boundaries import ENDS, Candidates, Floats


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each kind of evidence counts."""

    border: float = 2.7
    length: float = 1.0
    variance: float = 6.8
    slack: float = 4.0
    marks: float = 1.0
    anchor: float = 1.0
    empty: float = -6.0
    short: float = -1.5


DEFAULT = Weights()
SHORT = 10  # characters: fewer hardly ever make a row of their own
LONGEST = 1200  # characters: no row is longer, unless its text has no place to cut at all
REACH, MARGIN = 5.0, 60.0  # how far from the diagonal to look: standard deviations, and characters on top


def _marks_table() -> Floats:
    """How much two ends speak for each other: the same mark on both sides is likely in a translation."""
    table = np.zeros((len(ENDS), len(ENDS)))
    index = ENDS.index
    for mark, other in (("word", -0.7), ("exclamation", -0.7), ("emoji", -0.7), ("question", -1.5)):
        table[index(mark), :] = table[:, index(mark)] = other
    np.fill_diagonal(table, 1.5)
    for mark in ("word", "stop"):
        table[index(mark), index(mark)] = 0.6
    return table


MARKS = _marks_table()


@dataclass(frozen=True, slots=True)
class Alignment:
    """The posterior probability of a border at every pair of candidate cuts."""

    source: Candidates
    target: Candidates
    posterior: Floats

    @property
    def source_borders(self) -> Floats:
        """The probability of the best border at each candidate of the source. A border whose place in the target is
        unknown is of no use, so this is the largest single probability and not their sum."""
        best: Floats = self.posterior.max(axis=1)
        return best

    def borders(self) -> list[tuple[int, int, float]]:
        """Offsets and confidence of the borders that are more likely than not. Two such borders never contradict each
        other: events that are each more likely than not must happen together sometimes."""
        pairs = np.argwhere(self.posterior > 0.5)[1:-1]
        return [
            (int(self.source.offsets[i]), int(self.target.offsets[j]), float(self.posterior[i, j])) for i, j in pairs
        ]


def align(source: Candidates, target: Candidates, weights: Weights = DEFAULT) -> Alignment:
    """Posterior probabilities of all borders between two texts."""
    border = _border_scores(source, target, weights)
    bead = _BeadScores(source, target, weights)
    forward = np.full(border.shape, -np.inf)
    backward = forward.copy()
    forward[0, 0] = backward[-1, -1] = 0.0
    for i in range(1, len(source)):
        here = bead.window(i)
        ways = [_log_sum(forward[h, bead.window(h), None] + bead(h, i)) for h in bead.starts(i)]
        forward[i, here] = border[i, here] + np.logaddexp.reduce(ways)
    for i in range(len(source) - 1, 0, -1):
        ahead = (backward + border)[i, bead.window(i)]
        for h in bead.starts(i):
            there = bead.window(h)
            backward[h, there] = np.logaddexp(backward[h, there], _log_sum((ahead + bead(h, i)).T))
    return Alignment(source, target, np.exp(forward + backward - forward[-1, -1]))


def project(source: Candidates, target: Candidates, weights: Weights = DEFAULT) -> list[int]:
    """The offset of the target's best cut for every cut of the source.

    All source candidates are taken as borders. A piece may come out empty where the target has nothing to give.
    """
    border = _border_scores(source, target, weights, edges=True)
    bead = _BeadScores(source, target, weights, empty=True)
    best = np.full(border.shape, -np.inf)
    best[0, 0] = 0.0
    came = np.zeros(border.shape, dtype=np.int64)
    for i in range(1, len(source)):
        before, here = bead.window(i - 1), bead.window(i)
        ways = best[i - 1, before, None] + bead(i - 1, i)
        came[i, here] = before.start + ways.argmax(axis=0)
        best[i, here] = border[i, here] + ways.max(axis=0)
    path = [len(target) - 1]
    for i in range(len(source) - 1, 0, -1):
        path.append(int(came[i, path[-1]]))
    return [int(target.offsets[j]) for j in path[-2:0:-1]]


def _border_scores(source: Candidates, target: Candidates, weights: Weights, *, edges: bool = False) -> Floats:
    table: Floats = (
        source.strengths[:, None]
        + target.strengths[None, :]
        + weights.border
        + weights.marks * MARKS[source.ends[:, None], target.ends[None, :]]
    )
    for at, there, sure in anchors(source.text, target.text):
        torn = (source.offsets > at)[:, None] != (target.offsets > there)[None, :]
        table -= weights.anchor * sure * torn
    table[0, :] = table[-1, :] = -np.inf
    if edges:
        table[1:-1, [0, -1]] = weights.empty
    else:
        table[:, 0] = table[:, -1] = -np.inf
    table[0, 0] = table[-1, -1] = 0.0
    return table


class _BeadScores:
    """Length agreement of the bead between two source candidates, for all pairs of target candidates in reach.

    The target's place for a source candidate is looked for near the diagonal only: the difference of two texts'
    lengths is a random walk that must come home, with variance x (1 - x / n) after x of n characters.
    """

    def __init__(self, source: Candidates, target: Candidates, weights: Weights, *, empty: bool = False) -> None:
        self.x, self.y = source.lengths, target.lengths
        self.weights = weights
        self.nothing = weights.empty if empty else -np.inf
        total, goal = max(self.x[-1], 1.0), max(self.y[-1], 1.0)
        self.ratio = goal / total
        mean = self.x * self.ratio
        reach = REACH * np.sqrt(weights.variance * mean * (1 - self.x / total)) + MARGIN
        nearest = np.searchsorted(self.y, mean)
        self.low = np.minimum(np.searchsorted(self.y, mean - reach), np.maximum(nearest - 1, 0))
        self.high = np.maximum(
            np.searchsorted(self.y, mean + reach, side="right"), np.minimum(nearest + 1, len(self.y))
        )
        self.low[0], self.high[0], self.low[-1], self.high[-1] = 0, 1, len(self.y) - 1, len(self.y)

    def window(self, i: int) -> slice:
        """The target candidates in reach of a source candidate."""
        return slice(int(self.low[i]), int(self.high[i]))

    def starts(self, end: int) -> list[int]:
        """Where a bead that ends at this source candidate may begin; the whole text is always one possible bead."""
        first = min(int(np.searchsorted(self.x, self.x[end] - LONGEST)), end - 1)
        whole = [0] if first > 0 and end == len(self.x) - 1 else []
        return [*whole, *range(first, end)]

    def __call__(self, start: int, end: int) -> Floats:
        length = float(self.x[end] - self.x[start])
        mean = length * self.ratio
        dy = self.y[None, self.window(end)] - self.y[self.window(start), None]
        variance = self.weights.variance * (mean + np.abs(dy)) / 2 + self.weights.slack
        density = -0.5 * ((dy - mean) ** 2 / variance + np.log(variance))
        order = np.where(dy > 0, 0.0, np.where(dy == 0, self.nothing, -np.inf))
        score: Floats = self.weights.length * density + order + (self.weights.short if length < SHORT else 0.0)
        return score


def _log_sum(terms: Floats) -> Floats:
    """Logarithm of the sum of exponentials over the first axis."""
    top = terms.max(axis=0)
    safe = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(divide="ignore"):
        total: Floats = safe + np.log(np.exp(terms - safe).sum(axis=0))
    return total

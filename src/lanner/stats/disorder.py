"""How much disorder is left when the spans of several judges are matched as well as they can be.

Units are spans with a category. A unitary alignment takes at most one unit of each judge; its disorder is the mean
dissimilarity over all pairs of judges, where a pair with a gap counts Δ∅ = 1. The best alignment puts every unit into
exactly one unitary alignment and has the least disorder (Mathet, Widlöcher & Métivier 2015, Computational Linguistics
41(3), sections 4.1–4.4). A unit alone has disorder 1, so matching m units at disorder c gains m − c over leaving
them alone, and the best alignment is the packing with the greatest gain: an assignment for two judges, an integer
programme (HiGHS) for more. Both are exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, linear_sum_assignment, milp

from lanner.stats.resample import Array, Indices

MOST_TOGETHER = 4
"""With more judges than this the unitary alignments are too many to list; judges are then taken two by two."""


@dataclass(frozen=True, slots=True)
class Units:
    """The spans of one judge: start, end and category, one entry each."""

    start: Array
    end: Array
    category: Indices

    @classmethod
    def of(cls, spans: Sequence[tuple[float, float, int]]) -> Units:
        start, end, category = (np.array(column) for column in zip(*spans, strict=True)) if spans else ([], [], [])
        return cls(np.asarray(start, float), np.asarray(end, float), np.asarray(category, np.intp))

    def __len__(self) -> int:
        return len(self.start)

    def turned(self, shift: float, length: float) -> Units:
        """All spans moved on by `shift` on a text of this length; what starts behind its end starts over."""
        start = self.start + shift
        back = np.where(start >= length, length, 0.0)
        return Units(start - back, self.end + shift - back, self.category)


@dataclass(frozen=True, slots=True)
class Weighing:
    """What place (`position`) and label (`category`) weigh in a dissimilarity."""

    position: float = 1.0
    category: float = 1.0

    def apart(self, one: Units, other: Units) -> Array:
        """Dissimilarities, units × units: squared share of the ends' distance in the lengths, and 1 for another label.

        position · ((|s₁ − s₂| + |e₁ − e₂|) / (l₁ + l₂))² + category · [c₁ ≠ c₂]
        """
        ends = np.abs(one.start[:, None] - other.start) + np.abs(one.end[:, None] - other.end)
        lengths = (one.end - one.start)[:, None] + (other.end - other.start)
        place = (ends / np.maximum(lengths, 1e-9)) ** 2
        return np.asarray(self.position * place + self.category * (one.category[:, None] != other.category))


def disorder(judges: Sequence[Units], weighing: Weighing) -> float:
    """The disorder of the best alignment, summed over its unitary alignments (not yet divided by units per judge)."""
    units = sum(len(one) for one in judges)
    if len(judges) == 2:
        gain = np.maximum(2 - weighing.apart(*judges), 0)
        return units - float(gain[linear_sum_assignment(gain, maximize=True)].sum())
    if len(judges) > MOST_TOGETHER:
        pairs = list(combinations(judges, 2))
        # Every unit is in n − 1 of the pairs: divided by that, a unit alone counts 1 again.
        return sum(disorder(pair, weighing) for pair in pairs) / (len(judges) - 1)
    members, gain = _matches(judges, weighing)
    return units - _packed(members, gain, units)


def _matches(judges: Sequence[Units], weighing: Weighing) -> tuple[npt.NDArray[np.int64], Array]:
    """All unitary alignments of two units or more that may be in a best one (members as unit numbers, −1 for a gap),
    and what each gains. Grown judge by judge; what no further unit can make worthwhile is dropped on the way."""
    n = len(judges)
    pairs = n * (n - 1) / 2
    first = np.cumsum([0, *(len(one) for one in judges)])
    apart = {(a, b): weighing.apart(judges[a], judges[b]) for a, b in combinations(range(n), 2)}
    members = np.full((1, n), -1, np.int64)  # places among the judge's own units
    total = np.zeros(1)
    for at in range(n):
        k = len(judges[at])
        grown, spent = np.repeat(members, k, axis=0), np.repeat(total, k)
        grown[:, at] = np.tile(np.arange(k), len(members))
        for before in range(at):
            with_it = grown[:, before] >= 0
            spent[with_it] += apart[before, at][grown[with_it, before], grown[with_it, at]]
        # m units gain m − (spent + pairs − m(m−1)/2)/pairs, which for no m up to n is positive beyond this:
        kept = spent < n * pairs
        members, total = np.concatenate([members, grown[kept]]), np.concatenate([total, spent[kept]])
    m = (members >= 0).sum(axis=1)
    gain = m - (total + pairs - m * (m - 1) / 2) / pairs
    useful = (m >= 2) & (gain > 1e-12)
    numbers = np.where(members >= 0, members + first[:-1], -1)
    return numbers[useful], gain[useful]


def _packed(members: npt.NDArray[np.int64], gain: Array, units: int) -> float:
    """The greatest gain of matches that share no unit."""
    if not len(gain):
        return 0.0
    match, slot = np.nonzero(members >= 0)
    shape = (units, len(gain))
    uses = sparse.coo_array((np.ones(len(match)), (members[match, slot], match)), shape=shape).tocsr()
    found = milp(
        -gain,
        integrality=np.ones(len(gain)),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(uses, -np.inf, 1),
        options={"mip_rel_gap": 0.0},
    )
    return float(gain @ np.round(found.x))

"""Is one scorer better than another against the same gold?

- acc_eq: swapping two scorers' verdicts on a pair of outputs flips the sign of their difference, so the permutation
  test with fixed thresholds is a sign test: with b pairs only the first gets right and c only the second,
  p = P(Binomial(b + c, ½) ≥ b). Where segments have different numbers of pairs, pairs weigh differently and the
  distribution is drawn, group by group of equal weight.
- Correlations, system and soft pairwise accuracy: PERM-BOTH, see `swap_tests`.
- Williams (1959): t for two correlations that share one variable, on n − 3 degrees of freedom; cells are taken as
  independent, which they are not.

All are one-sided: small p says the first is better.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import stdtr

from lanner.stats.resample import Array, generator
from lanner.stats.tie_accuracy import Calibrated

_STREAM, _DRAWS = 13, 20_000


def accuracy_test(first: Calibrated, second: Calibrated, *, seed: int = 0) -> float:
    """p that `first` is no better than `second` by acc_eq, on the pairs both have scored."""
    both = first.known & second.known
    gap = first.correct[both].astype(int) - second.correct[both].astype(int)
    size = both.sum(axis=0)
    weight = np.broadcast_to(1.0 / np.maximum(size, 1), both.shape)[both]
    differ = gap != 0
    gap, weight = gap[differ], weight[differ]
    if not len(gap):
        return 1.0
    kinds, group = np.unique(weight.round(12), return_inverse=True)
    if len(kinds) == 1:
        from scipy.stats import binom  # takes a second to load

        return float(binom.sf((gap > 0).sum() - 1, len(gap), 0.5))
    sizes = np.bincount(group)
    ups = generator(seed, _STREAM).binomial(sizes, 0.5, (_DRAWS, len(sizes)))
    drawn = (2 * ups - sizes) @ kinds
    seen = float((gap * weight).sum())
    return float((1 + (drawn >= seen - 1e-9).sum()) / (1 + _DRAWS))


def accuracy_tests(made: Sequence[Calibrated], *, seed: int = 0) -> Array:
    """scorers × scorers: p that the row is no better than the column. Complete tables take one matrix product."""
    n = len(made)
    whole = all(np.array_equal(one.known, made[0].known) for one in made)
    sizes = np.unique(made[0].known.sum(axis=0)) if n else np.empty(0)
    if n and whole and len(sizes[sizes > 0]) == 1:
        right = np.stack([one.correct[one.known] for one in made]).astype(np.float32)
        only = right @ (1 - right).T
        from scipy.stats import binom  # takes a second to load

        ps = binom.sf(only - 1, only + only.T, 0.5)
        return np.where(only + only.T == 0, 1.0, ps)
    ps = np.ones((n, n))
    for a in range(n):
        for b in range(n):
            if a != b:
                ps[a, b] = accuracy_test(made[a], made[b], seed=seed)
    return ps


def williams(r_first: float, r_second: float, r_between: float, n: int) -> float:
    """p that the first scorer's correlation with gold is no larger than the second's, given theirs with each other."""
    determinant = 1 - r_first**2 - r_second**2 - r_between**2 + 2 * r_first * r_second * r_between
    mean = (r_first + r_second) / 2
    below = 2 * (n - 1) / (n - 3) * determinant + mean**2 * (1 - r_between) ** 3
    if n <= 3 or below <= 0:
        return float("nan")
    t = (r_first - r_second) * np.sqrt((n - 1) * (1 + r_between) / below)
    return float(stdtr(n - 3, -t))


def rank_groups(values: Sequence[float], ps: Array, alpha: float = 0.05) -> list[int]:
    """Groups of scorers, best first: going down, a new group starts with the first scorer that any member of the
    current group beats (Freitag et al. 2023, WMT). `ps` is in the order of `values`."""
    order = sorted(range(len(values)), key=lambda at: -values[at])
    made, group, members = [0] * len(values), 1, list[int]()
    for at in order:
        if any(ps[member, at] < alpha for member in members):
            group, members = group + 1, []
        members.append(at)
        made[at] = group
    return made

"""Is one scorer better than another? PERM-BOTH (Deutsch, Dror and Roth 2021, TACL): under the hypothesis that they are
equally good, any cell of the one may be swapped with the other's, once both are standardised.

For scorers a and b and a random mask m of the cells, a′ = m·a + (1 − m)·b and b′ = m·b + (1 − m)·a; p is the share of
masks whose statistic of a′ minus that of b′ reaches the one seen, (1 + b) / (1 + k). What makes all pairs cheap:

- pooled Pearson: sums over swapped cells are linear in the mask, so all pairs of scorers share one matrix product;
- τ_b within segments: which of two outputs is better depends on which scorer each score came from, so concordance is
  bilinear in the mask, and for each segment all pairs of scorers and all masks are one matrix product;
- soft accuracy: sums under random signs are linear in the mask, so they are made once for each scorer, and for each
  pair of scorers only the comparison of sums is left.

b′ of the pair (a, b) is a′ of the pair (b, a), so one array over ordered pairs holds both. All are one-sided: small p
says that the row's scorer is better than the column's.

Is one scorer better than another against the same gold?

- acc_eq: swapping two scorers' verdicts on a pair of outputs flips the sign of their difference, so the permutation
  test with fixed thresholds is a sign test: with b pairs only the first gets right and c only the second,
  p = P(Binomial(b + c, ½) ≥ b). Where segments have different numbers of pairs, pairs weigh differently and the
  distribution is drawn, group by group of equal weight.
- Correlations, system and soft pairwise accuracy: PERM-BOTH, as above.
- Williams (1959): t for two correlations that share one variable, on n − 3 degrees of freedom; cells are taken as
  independent, which they are not.

All are one-sided: small p says the first is better.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
from scipy.special import stdtr

from lanner.stats.metric_accuracy import Calibrated, PairGrid, confidences, correlation, swaps
from lanner.stats.resample import Array, generator

_STREAM = 13
_EQUAL = 1e-12
_SINGLE_EQUAL = 1e-5  # sums of single precision within this share of their size are ties

Single = npt.NDArray[np.float32]
Test = Callable[[Array, Sequence[Array]], Array]


def where_whole(gold: Array, scorers: Sequence[Array], test: Test) -> Array:
    """`test` on all scorers that have every cell gold has, at once; one that lacks cells is tested against each other
    scorer on the cells both have, so that its gaps cost the rest nothing."""
    known = ~np.isnan(gold)
    whole = [at for at, scores in enumerate(scorers) if not np.isnan(scores[known]).any()]
    ps = np.ones((len(scorers), len(scorers)))
    if len(whole) > 1:
        ps[np.ix_(whole, whole)] = test(gold, [scorers[at] for at in whole])
    for a in range(len(scorers)):
        for b in range(a + 1, len(scorers)):
            if a not in whole or b not in whole:
                shared = ~np.isnan(scorers[a]) & ~np.isnan(scorers[b])
                pair = test(np.where(shared, gold, np.nan), [scorers[a], scorers[b]])
                ps[a, b], ps[b, a] = pair[0, 1], pair[1, 0]
    return ps


def pearson_tests(gold: Array, scorers: Sequence[Array], *, k: int = 1000, seed: int = 0) -> Array:
    """PERM-BOTH for pooled Pearson: scorers × scorers, p that the row is no better than the column, on cells that gold
    and all scorers have. p = (1 + b) / (1 + k)."""
    known = ~np.isnan(gold) & ~np.isnan(np.stack(scorers)).any(axis=0)
    truth = _standard(gold[known])
    x = np.stack([_standard(scores[known]) for scores in scorers])
    features = np.concatenate([x * truth, x, x**2]).T
    swap = generator(seed, _STREAM).integers(0, 2, (k, len(truth))).astype(float)
    kept = swap @ features
    total = features.sum(axis=0)
    n, cells = len(x), len(truth)
    product, first, square = (kept[:, at * n : (at + 1) * n] for at in range(3))
    all_product, all_first, all_square = (total[at * n : (at + 1) * n] for at in range(3))
    value = all_product / cells
    ps = np.ones((n, n))
    for a in range(n):
        mixed = _correlations(
            product[:, [a]] + all_product - product,
            first[:, [a]] + all_first - first,
            square[:, [a]] + all_square - square,
            cells,
        )
        other = _correlations(
            all_product[a] - product[:, [a]] + product,
            all_first[a] - first[:, [a]] + first,
            all_square[a] - square[:, [a]] + square,
            cells,
        )
        reached = (mixed - other >= value[a] - value - _EQUAL).sum(axis=0)
        ps[a] = (1 + reached) / (1 + k)
    np.fill_diagonal(ps, 1.0)
    return ps


def system_accuracy_tests(gold: Array, scorers: Sequence[Array], *, k: int = 1000, seed: int = 0) -> Array:
    """PERM-BOTH for system pairwise accuracy: scorers × scorers, p that the row is no better than the column. Gold and
    each scorer give one number per system; systems that any of them lacks are left out."""
    table = np.stack(scorers)
    known = ~np.isnan(gold) & ~np.isnan(table).any(axis=0)
    x = np.stack([_standard(scores) for scores in table[:, known]])
    grid = PairGrid.of(int(known.sum()))
    order = np.sign(gold[known][grid.first] - gold[known][grid.second])
    swap = generator(seed, _STREAM).integers(0, 2, (k, x.shape[1])).astype(bool)

    def accuracy(scores: Array) -> Array:
        return np.asarray((np.sign(scores[..., grid.first] - scores[..., grid.second]) == order).mean(axis=-1))

    value, ps = accuracy(x), np.ones((len(x), len(x)))
    for a in range(len(x)):
        for b in range(a + 1, len(x)):
            drawn = accuracy(np.where(swap, x[a], x[b])) - accuracy(np.where(swap, x[b], x[a]))
            seen = value[a] - value[b]
            ps[a, b] = (1 + (drawn >= seen - _EQUAL).sum()) / (1 + k)
            ps[b, a] = (1 + (-drawn >= -seen - _EQUAL).sum()) / (1 + k)
    return ps


def _standard(values: Array) -> Array:
    spread = np.nanstd(values)
    return np.asarray((values - np.nanmean(values)) / (spread if spread > 0 else 1.0))


def _correlations(product: Array, first: Array, square: Array, cells: int) -> Array:
    """Pearson with a standardised gold, from sums of x·g, x and x²."""
    spread = np.sqrt(np.maximum(square / cells - (first / cells) ** 2, 1e-300))
    return np.asarray(product / cells / spread)


def kendall_tests(gold: Array, scorers: Sequence[Array], *, k: int = 1000, seed: int = 0) -> Array:
    """PERM-BOTH for τ_b averaged over segments, on cells that gold and all scorers have. Segments where τ_b is not
    defined are left out of the average, for each mask by itself."""
    known = ~np.isnan(gold) & ~np.isnan(np.stack(scorers)).any(axis=0)
    x = np.stack([_standard(np.where(known, scores, np.nan)) for scores in scorers])
    grid, n = PairGrid.of(len(gold)), len(scorers)
    order = np.where(known[grid.first] & known[grid.second], np.sign(np.nan_to_num(grid.differences(gold))), 0.0)
    rng = generator(seed, _STREAM)
    total, defined = np.zeros((k, n * n)), np.zeros((k, n * n))
    for segment in np.flatnonzero(order.any(axis=0)):
        mask = rng.integers(0, 2, (k, len(gold))).astype(np.float32)
        one, two = mask[:, grid.first], mask[:, grid.second]
        chosen = np.concatenate([one * two, one * (1 - two), (1 - one) * two, (1 - one) * (1 - two)], axis=1)
        agree, apart = _orders(x[:, :, segment], grid, order[:, segment])
        spread = (chosen @ apart) * np.float32((order[:, segment] ** 2).sum())
        usable = spread > 0.5
        total += np.where(usable, chosen @ agree / np.sqrt(np.maximum(spread, 1)), 0)
        defined += usable
    drawn = (total / np.maximum(defined, 1)).reshape(k, n, n)
    gold = np.where(known, gold, np.nan)
    return _shares(drawn, np.array([correlation(gold, scores, "kendall", "item") for scores in x]), 1e-6)


def _orders(x: Array, grid: PairGrid, order: Array) -> tuple[Single, Single]:
    """(4 · pairs) × (scorers · scorers): what each pair of outputs adds to concordance, and whether it is no tie, if
    their scores come from (a, a), (a, b), (b, a), (b, b). Pairs that gold ties count as ties of the scorer only."""
    first, second = x[:, grid.first], x[:, grid.second]
    n = len(x)
    across = np.nan_to_num(np.sign(first[:, None] - second[None, :]))  # a × b × pairs
    alone = np.nan_to_num(np.sign(first - second))
    made = np.stack(
        [
            np.broadcast_to(alone[:, None], across.shape),
            across,
            across.transpose(1, 0, 2),
            np.broadcast_to(alone[None, :], across.shape),
        ]
    )
    flat = made.transpose(0, 3, 1, 2).reshape(-1, n * n)
    agree = flat * np.tile(order, 4)[:, None]
    return agree.astype(np.float32), np.abs(flat).astype(np.float32)


def soft_accuracy_tests(
    gold: Array, scorers: Sequence[Array], *, k: int = 1000, signs: int = 1000, seed: int = 0
) -> Array:
    """PERM-BOTH for soft pairwise accuracy (mid-p), on segments that gold and all scorers have for every system."""
    table = np.stack([gold, *scorers])
    whole = ~np.isnan(table).any(axis=(0, 1))
    if not whole.any():
        return np.full((len(scorers), len(scorers)), np.nan)
    flips = swaps(int(whole.sum()), signs, seed)
    truth = confidences(gold[:, whole], flips).mid
    x = np.stack([_standard(scores[:, whole]) for scores in scorers])
    seen = np.array([1 - np.abs(truth - confidences(scores, flips).mid).mean() for scores in x])
    n, systems, segments = x.shape
    single, turned = x.astype(np.float32), flips.T.astype(np.float32)
    # A sum under signs is compared with the sum as it is; their difference, −2 Σ over flipped cells, is linear too.
    turned -= 1
    all_sums = single @ turned
    slack = np.float32(_SINGLE_EQUAL * np.abs(single).sum(axis=2).max())
    target = _square(truth, systems)
    rng = generator(seed, _STREAM)
    drawn = np.empty((k, n, n))
    for at in range(k):
        mask = rng.integers(0, 2, (systems, segments)).astype(np.float32)
        kept = ((single * mask).reshape(-1, segments) @ turned).reshape(n, systems, signs)
        left = all_sums - kept
        for a in range(n):
            drawn[at, a] = 1 - _soft_distance(kept[a] + left, target, slack)
    return _shares(drawn, seen)


def _square(truth: Array, systems: int) -> Array:
    grid, square = PairGrid.of(systems), np.zeros((systems, systems))
    square[grid.first, grid.second] = truth
    return square


def _soft_distance(sums: Single, target: Array, slack: np.float32) -> Array:
    """Mean |p − p of gold| over pairs of systems, for each scorer; `sums` is scorers × systems × signs."""
    n, systems, signs = sums.shape
    total = np.zeros(n)
    above = sums + slack
    for one in range(systems - 1):
        this, rest = sums[:, None, one], slice(one + 1, None)
        more = _count(this > above[:, rest]) + _count(above[:, None, one] >= sums[:, rest])
        total += np.abs(more / (2 * signs) - target[one, rest]).sum(axis=1)
    return np.asarray(total / (systems * (systems - 1) / 2))


def _count(flags: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """How many are true along the last axis, eight at a time."""
    return np.asarray(np.bitwise_count(np.packbits(flags, axis=-1)).sum(axis=-1, dtype=np.int64))


def _shares(drawn: Array, seen: Array, slack: float = 1e-9) -> Array:
    """p of every ordered pair: `drawn` is masks × scorers × scorers, the statistic of the first one's mixture."""
    gaps = drawn - drawn.transpose(0, 2, 1)
    reached = (gaps >= seen[:, None] - seen[None, :] - slack).sum(axis=0)
    ps = np.asarray((1 + reached) / (1 + len(drawn)))
    np.fill_diagonal(ps, 1.0)
    return ps


_DRAWS = 20_000


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

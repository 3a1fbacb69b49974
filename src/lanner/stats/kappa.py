"""κ between two judges (Cohen, weighted, Scott's π), the mean over pairs, and every pair at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from lanner.model import Result
from lanner.stats.counting import corrected, ratio
from lanner.stats.estimate import Plan, Statistic, estimate, statistic
from lanner.stats.pairs import Entry, pair_plan
from lanner.stats.ratings import Codes, Ratings
from lanner.stats.resample import Array, Resampling
from lanner.stats.weighting import Weights, agreement_weights, check_order, describe


@statistic("label", "labels", "score")
def kappa(rated: Ratings, *, weights: Weights = None, each: bool = False) -> Plan:
    """Cohen's κ between two judges; with more judges the mean over all pairs that share items (Light 1971).

    κ = (Pₒ − Pₑ)/(1 − Pₑ), Pₒ = Σ wₖₗ pₖₗ, Pₑ = Σ wₖₗ pₖ₊ p₊ₗ over the items that both judged. `weights` are "linear",
    "quadratic" or a table, on the points of a stated scale (`labels`), never on alphabetical order. κ is undefined
    when both judges use one and the same label throughout. Cohen 1960, Educational and Psychological Measurement 20;
    Cohen 1968, Psychological Bulletin 70; Light 1971, Psychological Bulletin 76.
    """
    if weights == "quadratic":
        check_order(rated, weights)
        return _quadratic(rated, each)
    table = agreement_weights(rated, weights)

    def expected(first: Array, second: Array) -> Array:
        return np.asarray(((first @ table) * second).sum(axis=2))

    return _two_judges("kappa", rated, table, expected, each=each, settings={"weights": describe(weights)})


@statistic("label", "labels", "score")
def scott(rated: Ratings, *, weights: Weights = None, each: bool = False) -> Plan:
    """Scott's π between two judges: as Cohen's κ, but both judges share one set of label shares.

    Pₑ = Σ wₖₗ πₖ πₗ with πₖ = (pₖ₊ + p₊ₖ)/2. With more judges the mean over pairs. Scott 1955, Public Opinion
    Quarterly 19.
    """
    table = agreement_weights(rated, weights)

    def expected(first: Array, second: Array) -> Array:
        pooled = (first + second) / 2
        return np.asarray(((pooled @ table) * pooled).sum(axis=2))

    return _two_judges("scott", rated, table, expected, each=each, settings={"weights": describe(weights)})


def _two_judges(
    name: str,
    rated: Ratings,
    table: Array,
    expected: Callable[[Array, Array], Array],
    *,
    each: bool,
    settings: dict[str, str],
) -> Plan:
    pairs, q = rated.pairs, len(rated.labels)
    first, second = pairs.first.astype(np.int64), pairs.second.astype(np.int64)
    entries: list[Entry] = [(0, table[first, second] if q else 0.0), (1 + first, 1.0), (1 + q + second, 1.0)]

    def finish(sums: Array) -> Array:
        left, right = sums[:, :, 1 : 1 + q], sums[:, :, 1 + q :]
        n = left.sum(axis=2)
        return corrected(ratio(sums[:, :, 0], n), ratio(expected(left, right), n**2))

    return pair_plan(name, rated, 1 + 2 * q, entries, finish, each=each, settings=settings, reason=_reason(rated))


def _quadratic(rated: Ratings, each: bool) -> Plan:
    """Quadratic weights need only moments: κ = 1 − mean (x − y)² / (mean x² + mean y² − 2 x̄ ȳ), for any fine scale."""
    pairs = rated.pairs
    centre = rated.points[len(rated.points) // 2] if len(rated.points) else 0.0
    points = rated.points - centre  # a point of the scale, so that a constant stays exactly zero
    x, y = points[pairs.first], points[pairs.second]
    size = float(np.ptp(rated.points)) ** 2 if len(rated.points) else 0.0
    entries: list[Entry] = [(0, 1.0), (1, x), (2, y), (3, x * x), (4, y * y), (5, (x - y) ** 2)]

    def finish(sums: Array) -> Array:
        n, sx, sy, sxx, syy, apart = np.moveaxis(sums, 2, 0)
        expected = ratio(sxx + syy, n) - 2 * ratio(sx, n) * ratio(sy, n)
        share = np.divide(ratio(apart, n), expected, out=np.full(n.shape, np.nan), where=expected > 1e-12 * size)
        return np.asarray(1 - share)

    return pair_plan(
        "kappa", rated, 6, entries, finish, each=each, settings={"weights": "quadratic"}, reason=_reason(rated)
    )


def _reason(rated: Ratings) -> Callable[[Codes, Codes], str]:
    def reason(first: Codes, second: Codes) -> str:
        if len(first) and first.min() == first.max() == second.min() == second.max():
            return f"both judges answered {rated.labels[first[0]]!r} throughout; κ needs variation."
        return ""

    return reason


def pairwise(
    data: Any, question: str = "", *, of: Statistic = kappa, resampling: Resampling | None = None, **options: Any
) -> list[Result]:
    """One Result for each pair of judges that share items, with the number of items they share.

    `of` is any statistic; κ, π and the label-set measures take all pairs in one go.
    """
    if of.by_pair:
        return of.each(data, question, resampling=resampling, each=True, **options)
    rated, options = of.read(data, question, options)
    found = []
    for a, b in combinations(rated.judges, 2):
        two = rated.only([a, b])
        if two.per_item.max(initial=0) < 2:
            continue
        plan = replace(of.plan(two, **options), outcomes=({"judge": a, "other": b},))
        found += estimate(plan, resampling or Resampling())
    return found

"""How sure is R² of a mixed model? Intervals of the shares of variance that fixed effects, and all effects, explain.

By generalised pivots (Weerahandi 1993, J. Am. Stat. Assoc. 88): many sets of true variances that would give what was
seen. A mean square of d degrees of freedom is its expectation times χ²/d, so a factor's variance v with L levels is
drawn as (v + c)·(L − 1)/χ² − c, not below 0; c is what else is in its mean square, told from the error of v. What fixed
effects explain is a·χ′²(λ), so λ is drawn by turning the noncentral distribution round. Nothing is fitted again, so the
cost does not grow with the data. By simulation (`benchmarks/bench_explained.py`) nominal 95 % intervals hold the truth
in 93 to 97 % of studies with 2 to 10 judges and 8 to 40 documents.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import chndtr, chndtrinc, ndtri

from lanner.stats.resample import Array, generator

_DRAWS = 4000
_STREAM = 21
_FAR = 400.0  # beyond this noncentrality the square root is normal to three digits


class Shares(NamedTuple):
    """The fixed effects' share of the variance, that of all effects, and the ends of their intervals."""

    fixed: float
    everything: float
    fixed_ends: tuple[float, float] | None = None
    ends: tuple[float, float] | None = None


class Parts(NamedTuple):
    """A fitted model: variances (residual first), covariance of the logs of those above zero, levels of each factor."""

    variances: Array
    spread: Array | None
    sizes: Sequence[int]
    beta: Array
    covariance: Array
    design: Array


def shares(model: Parts, level: float = 0.95, *, seed: int = 0) -> Shares:
    """R² after Nakagawa & Schielzeth (2013): of the fixed effects alone, and of fixed and random effects together."""
    between = np.atleast_2d(np.cov(model.design, rowvar=False, ddof=1))
    systematic = float(model.beta @ between @ model.beta)
    total = systematic + float(model.variances.sum())
    found = Shares(systematic / total, 1 - float(model.variances[0]) / total)
    if model.spread is None or not model.variances[0] > 0:
        return found
    rng = generator(seed, _STREAM)
    drawn = _variances(model, rng)
    explained = _explained(systematic, between @ model.covariance, rng)
    totals = explained + drawn.sum(axis=1)
    tail = [(1 - level) / 2, (1 + level) / 2]
    fixed, everything = (np.quantile(own, tail) for own in (explained / totals, 1 - drawn[:, 0] / totals))
    return found._replace(
        fixed_ends=(float(fixed[0]), float(fixed[1])), ends=(float(everything[0]), float(everything[1]))
    )


def _variances(model: Parts, rng: np.random.Generator) -> Array:
    """Draws × variances that the truth may be, given the estimates."""
    assert model.spread is not None
    n, own = len(model.design), model.variances
    errors = dict(zip(np.flatnonzero(own > 0).tolist(), np.diag(model.spread).tolist(), strict=True))
    free = max(1.0, 2 / errors[0])
    drawn = np.zeros((_DRAWS, len(own)))
    drawn[:, 0] = own[0] * free / rng.chisquare(free, _DRAWS)
    for k, levels in enumerate(model.sizes, start=1):
        free = levels - 1.0
        beside = float(own[0]) * levels / n  # at least the residual of a level's mean
        if k in errors:
            beside = max(beside, float(own[k]) * (np.sqrt(errors[k] * free / 2) - 1))
        seen = (own[k] + beside) * free / rng.chisquare(free, _DRAWS)
        drawn[:, k] = np.maximum(0.0, seen - beside * drawn[:, 0] / own[0])
    return drawn


def _explained(systematic: float, errors: Array, rng: np.random.Generator) -> Array:
    """Draws of the variance that fixed effects explain; `errors` is the covariance of predictors times that of β."""
    size = float(np.trace(errors))
    if size <= 0:  # an intercept alone explains nothing
        return np.zeros(_DRAWS)
    unit = float(np.trace(errors @ errors)) / size
    df = size / unit
    seen, chance = systematic / unit, rng.random(_DRAWS)
    if seen > _FAR:
        return np.asarray(unit * (np.sqrt(max(seen - df, 0.0)) + ndtri(chance)) ** 2)
    grid = np.linspace(0.0005, 0.9995, 400)
    none = float(chndtr(seen, df, 0.0))  # so often nothing at all to explain would give less than was seen
    turned = [float(chndtrinc(seen, df, share)) if share < none else 0.0 for share in grid.tolist()]
    return np.asarray(unit * np.interp(chance, grid, turned))

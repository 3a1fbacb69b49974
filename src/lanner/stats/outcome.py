"""From resamples to an interval, a p against the null value, and notes that say how or why not.

Also the scales on which an interval may be symmetric without leaving the range that its statistic can have, and what
the corrected bootstrap needs from its sorted resamples (Efron 1987, J. Am. Stat. Assoc. 82).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from lanner.model import Interval
from lanner.stats.resample import FEW, Method, Replicates, Resampling, jackknife_variance

Scale = Literal["plain", "fisher", "logit", "log", "difference"]
"""As it is; arctanh for coefficients up to 1; for shares; for rates; for the distance between two coefficients."""


def _bounded(x: float) -> float:
    return min(max(x, -1 + 1e-12), 1 - 1e-12)


SCALES: dict[Scale, tuple[Callable[[float], float], Callable[[float], float], Callable[[float], float]]] = {
    "plain": (lambda x: x, lambda x: x, lambda _: 1.0),
    "fisher": (lambda x: math.atanh(_bounded(x)), math.tanh, lambda x: 1 / (1 - _bounded(x) ** 2)),
    "logit": (
        lambda x: math.atanh(_bounded(2 * x - 1)),
        lambda z: (math.tanh(z) + 1) / 2,
        lambda x: 2 / (1 - _bounded(2 * x - 1) ** 2),
    ),
    "log": (lambda x: math.log(max(x, 1e-300)), math.exp, lambda x: 1 / max(x, 1e-300)),
    "difference": (
        lambda x: math.atanh(_bounded(x / 2)),
        lambda z: 2 * math.tanh(z),
        lambda x: 0.5 / (1 - _bounded(x / 2) ** 2),
    ),
}
"""Each scale's way there and back, and its slope, by which a standard error is carried over (delta method)."""


Array = npt.NDArray[np.float64]


def quantile(ordered: Array, share: float) -> float:
    """As numpy's, of values that are sorted already, which is a hundred times faster."""
    place = share * (len(ordered) - 1)
    at = min(int(place), len(ordered) - 2)
    return float(ordered[at] + (place - at) * (ordered[at + 1] - ordered[at]))


def acceleration(left_out: Array, multiplicity: Array | None) -> float:
    """Efron's a: how skewed the pull of single units is, Σ pull³ / (6 (Σ pull²)^1.5), from the jackknife values."""
    counts = np.ones(len(left_out)) if multiplicity is None else multiplicity
    known = np.isfinite(left_out)
    if not known.any():
        return 0.0
    counts, left_out = counts[known], left_out[known]
    pull = (counts @ left_out) / counts.sum() - left_out
    spread = float(counts @ pull**2)
    return float(counts @ pull**3 / (6 * spread**1.5)) if spread > 1e-300 else 0.0


def inverted(drawn: Array, null: float, bias: float, acceleration: float, stretch: float) -> float:
    """The p at which the interval would just touch `null`: the interval's own distribution, turned round."""
    n = len(drawn)
    below = (np.searchsorted(drawn, null, "left") + np.searchsorted(drawn, null, "right")) / 2
    z = float(ndtri((below + 0.5) / (n + 1))) - bias
    z = z / (1 + acceleration * z) - bias
    return float(min(1.0, 2 * ndtr(-abs(z) / stretch)))


@dataclass(frozen=True, slots=True)
class Outcome:
    """An interval (or None), a two-sided p against the null value, and notes that say how or why not."""

    interval: Interval | None
    p: float | None
    notes: tuple[str, ...] = ()


def outcome(
    replicates: Replicates,
    resampling: Resampling,
    *,
    column: int = 0,
    scale: Scale = "plain",
    null: float | None = None,
) -> Outcome:
    """The interval of one statistic, and its p against `null` where one is given.

    `scale` is where the t interval is symmetric: "fisher" (arctanh) for coefficients with a ceiling at 1, "logit" for
    shares, "log" for rates, "difference" (arctanh of the half) for the distance between two coefficients. p comes from
    the same distribution as the interval, so that the two never disagree.
    """
    value, unit, units = float(replicates.value[column]), resampling.unit, replicates.units
    if np.isnan(value) or resampling.method == "none":
        return Outcome(None, None)
    if units < 2:
        what = f"only one {unit}" if units == 1 else f"no {unit}"
        return Outcome(None, None, (f"No interval: there is {what}, so its spread cannot be estimated.",))
    method = resampling.method_for(units)
    if method != "t" and not _one_sided(replicates, column):
        return _bootstrap_outcome(replicates, resampling, column, method, null)
    variance = float(jackknife_variance(replicates.jackknife[:, [column]], replicates.multiplicity)[0])
    few = (
        f"Fewer than {FEW} {unit}s ({units}): intervals come from leaving out one {unit} at a time (jackknife, t "
        "quantiles), because those from resampling so few would be too narrow."
    )
    notes = (few,) if resampling.method == "auto" and units < FEW else () if method == "t" else (ONE_SIDED,)
    return t_outcome(value, variance, units - 1, resampling, scale=scale, null=null, notes=notes)


ONE_SIDED = (
    "The resamples lie almost all to one side of the value, so the bootstrap cannot be trusted here: jackknife "
    "standard error with t quantiles instead. Such a statistic is biased by small numbers; prefer another."
)


def _one_sided(replicates: Replicates, column: int) -> bool:
    drawn = replicates.draws[:, column]
    known = drawn[~np.isnan(drawn)]
    below = ((known < replicates.value[column]).sum() + (known <= replicates.value[column]).sum()) / 2
    return len(known) >= 200 and not 0.005 * len(known) <= below <= 0.995 * len(known)


def t_outcome(
    value: float,
    variance: float,
    df: float,
    resampling: Resampling,
    *,
    scale: Scale = "plain",
    null: float | None = None,
    notes: tuple[str, ...] = (),
) -> Outcome:
    """value ± t·se, symmetric on `scale` (the standard error carried over by the delta method)."""
    if not np.isfinite(variance):
        return Outcome(None, None, (f"No interval: without one {resampling.unit} the statistic is undefined.",))
    if variance <= 1e-24 * max(1.0, value**2):
        return Outcome(None, None, (SAME.format(unit=resampling.unit),))
    forward, back, slope = SCALES[scale]
    error = float(np.sqrt(variance)) * slope(value)
    if not np.isfinite(error):
        return Outcome(None, None, (SAME.format(unit=resampling.unit),))
    centre, reach = forward(value), float(stdtrit(df, 0.5 + resampling.level / 2)) * error
    if scale == "log" and reach > HUNDREDFOLD:
        return Outcome(None, None, (UNKNOWN.format(unit=resampling.unit),))
    interval = Interval(back(centre - reach), back(centre + reach), resampling.level, "jackknife-t", resampling.unit)
    p = None if null is None else float(2 * stdtr(df, -abs(centre - forward(null)) / error))
    return Outcome(interval, p, notes)


HUNDREDFOLD = float(np.log(100))
UNKNOWN = (
    "No interval: so few {unit}s, and so unlike each other, leave open whether the rate is a hundred times higher or "
    "lower. More {unit}s would tell."
)
SAME = "No interval: every {unit} says the same, so the data hold nothing about how far the truth may lie from it."


def crossed_outcome(
    value: float,
    variances: tuple[float, float],
    counts: tuple[int, int],
    resampling: Resampling,
    *,
    scale: Scale = "plain",
    null: float | None = None,
) -> Outcome:
    """The interval when documents and judges are both samples: their jackknife variances add up.

    Degrees of freedom after Satterthwaite (1946): (Σ vᵢ)² / Σ (vᵢ² / (nᵢ − 1)). The part that judges and documents
    share is counted twice, which errs towards width. Resampling judges with replacement is not offered: a judge drawn
    twice would agree with himself.
    """
    if min(counts) < 2:
        return Outcome(None, None, ("No interval: documents and judges must both number at least two.",))
    total = sum(variances)
    if not np.isfinite(total) or total <= 0:
        return t_outcome(value, total, 1, resampling, scale=scale)
    df = total**2 / sum(v**2 / (n - 1) for v, n in zip(variances, counts, strict=True))
    return t_outcome(value, total, df, resampling, scale=scale, null=null)


def _bootstrap_outcome(
    r: Replicates, resampling: Resampling, column: int, method: Method, null: float | None
) -> Outcome:
    raw = r.draws[:, column]
    drawn = np.sort(raw[~np.isnan(raw)])
    notes: tuple[str, ...] = ()
    undefined = 1 - len(drawn) / max(1, len(raw))
    if undefined > 0.5:
        return Outcome(None, None, ("No interval: the statistic is undefined in most resamples.",))
    if undefined > 0:
        notes = (f"The statistic was undefined in {undefined:.1%} of resamples; they are left out.",)
    value = float(r.value[column])
    if drawn[0] == drawn[-1]:
        return Outcome(None, None, (SAME.format(unit=resampling.unit),))
    bias, skew = 0.0, 0.0
    if method in ("bca", "bca-t"):
        below = (np.searchsorted(drawn, value, "left") + np.searchsorted(drawn, value, "right")) / 2
        bias = float(ndtri(np.clip(below / len(drawn), 1 / (len(drawn) + 1), len(drawn) / (len(drawn) + 1))))
        skew = acceleration(r.jackknife[:, column], r.multiplicity)

    def level_of(z: float) -> float:
        shifted = bias + z
        return float(ndtr(bias + shifted / max(1e-6, 1 - skew * shifted)))

    reach = float(ndtri(0.5 + resampling.level / 2))
    stretch = 1.0
    if method == "bca-t":
        stretch = float(np.sqrt(r.units / (r.units - 1)) * stdtrit(r.units - 1, 0.5 + resampling.level / 2)) / reach
        reach *= stretch
    low, high = (quantile(drawn, level_of(z)) for z in (-reach, reach))
    interval = Interval(low, high, resampling.level, method, resampling.unit)
    p = None if null is None else inverted(drawn, null, bias, skew, stretch)
    return Outcome(interval, p, notes)

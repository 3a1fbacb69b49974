"""From a value and its spread over documents to an interval and a p, which never contradict each other.

One rule for every number of documents: the jackknife standard error over documents with t quantiles, on a scale that
keeps the interval inside the range of the statistic. p against a null value is the level at which that same interval
ends there, so p and interval are two readings of one distribution and move smoothly as documents are added.

Shares have a construction of their own, because at 0 and 1 every document says the same and the standard error is 0:
Wilson's score interval (1927) on as many independent answers as the documents' spread amounts to; where nothing
varies, on as many as there are documents. Bootstrap intervals (percentile, BCa) are made where they are asked for by
name; their p is found by widening the interval until it touches the null value.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from lanner.model import Interval
from lanner.stats.resample import FEW, Method, Replicates, Resampling

Array = npt.NDArray[np.float64]
Scale = Literal["plain", "fisher", "share", "logit", "log", "difference"]
"""As it is; arctanh for coefficients up to 1; shares of answers; other values between 0 and 1 (R²); rates; the distance
between two coefficients."""


def _clip_correlation(x: float) -> float:
    return min(max(x, -1 + 1e-12), 1 - 1e-12)


SCALES: dict[Scale, tuple[Callable[[float], float], Callable[[float], float], Callable[[float], float]]] = {
    "plain": (lambda x: x, lambda x: x, lambda _: 1.0),
    "fisher": (lambda x: math.atanh(_clip_correlation(x)), math.tanh, lambda x: 1 / (1 - _clip_correlation(x) ** 2)),
    "logit": (
        lambda x: math.atanh(_clip_correlation(2 * x - 1)),
        lambda z: (math.tanh(z) + 1) / 2,
        lambda x: 2 / (1 - _clip_correlation(2 * x - 1) ** 2),
    ),
    "log": (lambda x: math.log(max(x, 1e-300)), math.exp, lambda x: 1 / max(x, 1e-300)),
    "difference": (
        lambda x: math.atanh(_clip_correlation(x / 2)),
        lambda z: 2 * math.tanh(z),
        lambda x: 0.5 / (1 - _clip_correlation(x / 2) ** 2),
    ),
}
"""Each scale's way there and back, and its slope, by which a standard error is carried over (delta method)."""

THESE_JUDGES = "these judges"
OTHER_JUDGES = "judges in general"
"""Whom an interval holds for: a part of signatures and findings."""
BELOW = "No interval: a coefficient is below −1, as it can be where few items have more than one answer."
HUNDREDFOLD = float(np.log(100))
UNKNOWN = (
    "No interval: so few {unit}s, and so unlike each other, leave open whether the rate is a hundred times higher or "
    "lower. More {unit}s would tell."
)
SAME = "No interval: every {unit} says the same, so the data hold nothing about how far the truth may lie from it."
WITHOUT_ONE = "No interval: without one {unit} the statistic is undefined."


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
    units: int | None = None,
    answers: int | None = None,
) -> Outcome:
    """The interval of one statistic, and its p against `null` where one is given.

    `units` is how many documents have anything to say to this column, where that is fewer than were resampled: a system
    judged on 3 of 40 documents has 2 degrees of freedom. `answers` is how many answers a share is made of.
    """
    value, unit = float(replicates.value[column]), resampling.unit
    units = replicates.units if units is None else units
    if np.isnan(value) or resampling.method == "none":
        return Outcome(None, None)
    if units < 2:
        what = f"only one {unit}" if units == 1 else f"no {unit}"
        return Outcome(None, None, (f"No interval: there is {what}, so its spread cannot be estimated.",))
    method = resampling.chosen_method
    if method != "t" and not _one_sided(replicates, column):
        return _bootstrap_outcome(replicates, resampling, column, method, null)
    variance = replicates.variance_of(column, units)
    few = (
        f"Fewer than {FEW} {unit}s ({units}): the interval is wide, and only as good as these few {unit}s stand for "
        "others."
    )
    notes = (few,) if resampling.method == "auto" and units < FEW else () if method == "t" else (ONE_SIDED,)
    if scale == "share":
        return share_outcome(value, variance, units, resampling, null=null, answers=answers, notes=notes)
    return t_outcome(value, variance, units - 1, resampling, scale=scale, null=null, notes=notes)


ONE_SIDED = (
    "The resamples lie almost all to one side of the value, so the bootstrap cannot be trusted here: jackknife "
    "standard error with t quantiles instead. Such a statistic is biased by small numbers; prefer another."
)


def _one_sided(replicates: Replicates, column: int) -> bool:
    draws = replicates.draws[:, column]
    finite = draws[~np.isnan(draws)]
    below = ((finite < replicates.value[column]).sum() + (finite <= replicates.value[column]).sum()) / 2
    return len(finite) >= 200 and not 0.005 * len(finite) <= below <= 0.995 * len(finite)


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
    if scale == "share":
        return share_outcome(value, variance, df + 1, resampling, null=null, notes=notes)
    if not np.isfinite(variance):
        return Outcome(None, None, (WITHOUT_ONE.format(unit=resampling.unit),))
    if variance <= 1e-24 * max(1.0, value**2):
        return Outcome(None, None, (SAME.format(unit=resampling.unit),))
    if (scale == "fisher" and value < -1) or (scale == "difference" and abs(value) > 2):
        return Outcome(None, None, (BELOW,))
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


def share_outcome(
    value: float,
    variance: float,
    units: float,
    resampling: Resampling,
    *,
    null: float | None = None,
    answers: int | None = None,
    notes: tuple[str, ...] = (),
) -> Outcome:
    """Wilson's interval of a share over documents: all s with |value − s| ≤ t·√(s(1 − s)/n).

    n = value(1 − value)/variance is how many independent answers would vary as much as these documents do (Korn &
    Graubard 1998, Survey Methodology 24), not more than there are `answers`; where no document differs, n is the number
    of documents. p is the score test against `null`, the same inequality solved for t.
    """
    if not np.isfinite(variance):
        return Outcome(None, None, (WITHOUT_ONE.format(unit=resampling.unit),))
    size = effective_size(value, variance, units, answers)
    df = units - 1
    low, high = wilson(value, size, float(stdtrit(df, 0.5 + resampling.level / 2)))
    interval = Interval(low, high, resampling.level, "Wilson", resampling.unit)
    p = None
    if null is not None:
        p = float(2 * stdtr(df, -abs(value - null) / math.sqrt(null * (1 - null) / size)))
    return Outcome(interval, p, notes)


def effective_size(value: float, variance: float, units: float, answers: int | None = None) -> float:
    """How many independent answers vary as much as the documents do."""
    most = float("inf") if answers is None else float(max(answers, 1))
    spread = value * (1 - value)
    if spread <= 1e-15 or variance <= 1e-15 * spread:
        return min(float(units), most)
    return min(spread / variance, most)


def wilson(value: float, size: float, reach: float) -> tuple[float, float]:
    """Wilson's score interval of a share of `size` answers, at `reach` standard errors."""
    square = reach**2 / size
    centre = (value + square / 2) / (1 + square)
    half = math.sqrt(max(0.0, square * (value * (1 - value) + square / 4))) / (1 + square)
    return max(0.0, centre - half) if value > 0 else 0.0, min(1.0, centre + half) if value < 1 else 1.0


def crossed_outcome(
    value: float,
    variances: tuple[float, float, float],
    counts: tuple[int, int],
    resampling: Resampling,
    *,
    scale: Scale = "plain",
    null: float | None = None,
) -> Outcome:
    """The interval when documents and judges are both samples. `variances` are the jackknife's over documents, judges,
    and cells (a judge's answers to a document), `counts` the documents and judges.

    The variance is documents + judges − cells, but not below that of documents or judges alone; degrees of freedom
    after Satterthwaite (1946): (Σ vᵢ)² / Σ (vᵢ² / (nᵢ − 1)). Resampling judges with replacement is not offered: a judge
    drawn twice would agree with himself.
    """
    documents, judges = counts
    if documents < 2 or judges < FEWEST_JUDGES:
        return Outcome(None, None, (FEW_JUDGES.format(judges=judges, documents=documents, fewest=FEWEST_JUDGES),))
    by_document, by_judge, by_cell = variances
    total = max(by_document + by_judge - by_cell, by_document, by_judge)
    if not np.isfinite(total) or total <= 0:
        return t_outcome(value, total, 1, resampling, scale=scale)
    freedom = by_document**2 / (documents - 1) + by_judge**2 / (judges - 1)
    return t_outcome(value, total, total**2 / freedom, resampling, scale=scale, null=null)


FEWEST_JUDGES = 3
FEW_JUDGES = (
    "No interval for judges in general: {judges} judges and {documents} documents are too few; it takes {fewest} "
    "judges and two documents or more."
)


def quantile(ascending: Array, share: float) -> float:
    """As numpy's, of values that are sorted already, which is a hundred times faster."""
    place = share * (len(ascending) - 1)
    at = min(int(place), len(ascending) - 2)
    return float(ascending[at] + (place - at) * (ascending[at + 1] - ascending[at]))


def acceleration(left_out: Array, multiplicity: Array | None) -> float:
    """Efron's a: how skewed the pull of single units is, Σ pull³ / (6 (Σ pull²)^1.5), from the jackknife values."""
    counts = np.ones(len(left_out)) if multiplicity is None else multiplicity
    finite = np.isfinite(left_out)
    if not finite.any():
        return 0.0
    counts, left_out = counts[finite], left_out[finite]
    pull = (counts @ left_out) / counts.sum() - left_out
    spread = float(counts @ pull**2)
    return float(counts @ pull**3 / (6 * spread**1.5)) if spread > 1e-300 else 0.0


def _bootstrap_outcome(
    replicates: Replicates, resampling: Resampling, column: int, method: Method, null: float | None
) -> Outcome:
    raw = replicates.draws[:, column]
    draws = np.sort(raw[~np.isnan(raw)])
    notes: tuple[str, ...] = ()
    share_undefined = 1 - len(draws) / max(1, len(raw))
    if share_undefined > 0.5:
        return Outcome(None, None, ("No interval: the statistic is undefined in most resamples.",))
    if share_undefined > 0:
        notes = (f"The statistic was undefined in {share_undefined:.1%} of resamples; they are left out.",)
    value, units = float(replicates.value[column]), replicates.units
    if draws[-1] - draws[0] <= 1e-12 * max(1.0, abs(value)):  # nothing but rounding
        return Outcome(None, None, (SAME.format(unit=resampling.unit),))
    bias, skew = 0.0, 0.0
    if method in ("bca", "bca-t"):
        below = (np.searchsorted(draws, value, "left") + np.searchsorted(draws, value, "right")) / 2
        bias = float(ndtri(np.clip(below / len(draws), 1 / (len(draws) + 1), len(draws) / (len(draws) + 1))))
        skew = acceleration(replicates.jackknife[:, column], replicates.multiplicity)

    def ends(tail: float) -> tuple[float, float]:
        """The interval that leaves out this probability in each tail."""
        reach = -float(ndtri(tail))
        if method == "bca-t":
            reach = float(np.sqrt(units / (units - 1)) * stdtrit(units - 1, 1 - tail))
        levels = []
        for z in (-reach, reach):
            quantile_shift = bias + z
            levels.append(float(ndtr(bias + quantile_shift / max(1e-6, 1 - skew * quantile_shift))))
        return quantile(draws, levels[0]), quantile(draws, levels[1])

    low, high = ends((1 - resampling.level) / 2)
    interval = Interval(low, high, resampling.level, method, resampling.unit)
    return Outcome(interval, None if null is None else _p_by_widening(ends, null, len(draws)), notes)


def _p_by_widening(ends: Callable[[float], tuple[float, float]], null: float, draws: int) -> float:
    """The p at which the interval just touches `null`; not below what so many draws can show."""
    least, most = 1 / (draws + 1), 0.5
    low, high = ends(least)
    if not low <= null <= high:
        return 2 * least
    for _ in range(50):
        middle = (least + most) / 2
        low, high = ends(middle)
        least, most = (middle, most) if low <= null <= high else (least, middle)
    return min(1.0, 2 * least)


def holm(ps: Sequence[float | None]) -> list[float | None]:
    """Adjusted p-values, p₍ᵢ₎ · (m − i + 1) made monotone (Holm 1979, Scand. J. Stat. 6). Undefined ones stay so."""
    return step_down(ps, range(len(ps) + 1))


def step_down(ps: Sequence[float | None], possible: Sequence[int]) -> list[float | None]:
    """Each p times the largest possible number of hypotheses that are still true when its turn comes."""
    pairs = sorted((p, at) for at, p in enumerate(ps) if p is not None)
    adjusted_p: list[float | None] = [None] * len(ps)
    worst = 0.0
    for step, (p, at) in enumerate(pairs):
        left = len(pairs) - step
        factor = max((count for count in possible if count <= left), default=left)
        worst = max(worst, min(1.0, p * max(factor, 1)))
        adjusted_p[at] = worst
    return adjusted_p

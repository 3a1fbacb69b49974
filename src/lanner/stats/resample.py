"""Intervals by resampling: one engine for every statistic of this room.

A statistic is written as a function of the *weights* of its units (documents, unless asked otherwise): weight 1 on
each unit is the data as they are, a multinomial draw is a bootstrap resample, and a zero on one unit is a jackknife
step. Most statistics are functions of sums over units, so all resamples together are one matrix product.

Seeds are explicit and the generator is PCG64; the same seed gives the same resamples on any machine, and two statistics
over the same units are resampled alike, which is what makes differences between them paired.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from lanner import __version__
from lanner.errors import StatisticError, did_you_mean
from lanner.model import Interval, Signature

Array = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]
Unit = Literal["document", "item", "judge", "two-way"]
Method = Literal["auto", "percentile", "bca", "t", "none"]
Scale = Literal["plain", "fisher"]
Statistic = Callable[[Array], Array]
"""From weights (resamples × units) to values (resamples × statistics)."""

FEW = 20
"""Below this many units the bootstrap distribution is too narrow, and `auto` takes the jackknife with t quantiles."""
_CHUNK = 2_000_000  # weights held at once: 16 MB


@dataclass(frozen=True, slots=True)
class Resampling:
    """How intervals are made: the unit that is resampled, how often, from which seed, at which level.

    `method` is "percentile", "bca" (Efron 1987), "t" (jackknife standard error with t quantiles), "none", or "auto":
    "t" with fewer than 20 units, "bca" otherwise.
    """

    unit: Unit = "document"
    n: int = 2000
    seed: int = 0
    level: float = 0.95
    method: Method = "auto"

    def __post_init__(self) -> None:
        for name, value, known in (("unit", self.unit, get_args(Unit)), ("method", self.method, get_args(Method))):
            if value not in known:
                raise StatisticError(f"There is no resampling {name} {value!r}.", next_step=did_you_mean(value, known))
        if not 0 < self.level < 1:
            raise StatisticError(f"A confidence level lies between 0 and 1, not at {self.level}.")
        if self.n < 1:
            raise StatisticError(f"At least one resample is needed, not {self.n}.")

    def method_for(self, units: int) -> Method:
        """The method that "auto" stands for with this many units."""
        if self.method != "auto":
            return self.method
        return "t" if units < FEW else "bca"


@dataclass(frozen=True, slots=True)
class Replicates:
    """What resampling gave: `value` (m), `draws` (resamples × m, empty where the method needs none), `jackknife`
    (units × m), and how many `units` there were. `multiplicity` counts the units each jackknife row stands for."""

    value: Array
    draws: Array
    jackknife: Array
    units: int
    multiplicity: Array | None = None

    def variance(self) -> Array:
        """Jackknife variance of each statistic (Tukey 1958)."""
        return jackknife_variance(self.jackknife, self.multiplicity)


@dataclass(frozen=True, slots=True)
class Outcome:
    """An interval (or None), a two-sided p against the null value, and notes that say how or why not."""

    interval: Interval | None
    p: float | None
    notes: tuple[str, ...] = ()


def generator(seed: int, stream: int = 0) -> np.random.Generator:
    """The one source of randomness: PCG64 from an explicit seed; `stream` keeps independent uses of it apart."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence([abs(seed), stream])))


def draws(units: int, resampling: Resampling, *, stream: int = 0, multiplicity: Array | None = None) -> Iterator[Array]:
    """Multinomial weights (some resamples × units), in blocks that together are `resampling.n` rows.

    With `multiplicity`, column p stands for that many equal units, and its weight is how many of them were drawn.
    """
    rng = generator(resampling.seed, stream)
    step = max(1, _CHUNK // max(1, units))
    for start in range(0, resampling.n, step):
        rows = min(step, resampling.n - start)
        if multiplicity is not None:
            total = int(multiplicity.sum())
            yield rng.multinomial(total, multiplicity / total, size=rows).astype(float)
            continue
        picks = rng.integers(0, units, size=(rows, units), dtype=np.int32).astype(np.int64)
        picks += np.arange(rows, dtype=np.int64)[:, None] * units
        yield np.bincount(picks.ravel(), minlength=rows * units).reshape(rows, units).astype(float)


def replicate(statistic: Statistic, units: int, resampling: Resampling, *, stream: int = 0) -> Replicates:
    """Value, resamples and jackknife of any statistic of unit weights. NaN marks an undefined value."""
    value = statistic(np.ones((1, units)))[0]
    step = max(1, _CHUNK // max(1, units))
    left_out = [
        statistic(1.0 - np.eye(min(step, units - start), units, start))
        for start in range(0, units if units > 1 else 0, step)
    ]
    blocks = [statistic(weights) for weights in _blocks(units, resampling, stream, None)]
    empty = np.empty((0, len(value)))
    return Replicates(value, np.concatenate([empty, *blocks]), np.concatenate([empty, *left_out]), units)


def replicate_sums(
    sums: Array,
    finish: Statistic,
    resampling: Resampling,
    *,
    multiplicity: Array | None = None,
    stream: int = 0,
) -> Replicates:
    """The same for a statistic `finish` of sums over units: `sums` is units × k, `finish` takes (resamples × k).

    With `multiplicity`, each row of `sums` stands for that many equal units (distinct patterns of items).
    """
    counts = np.ones(len(sums)) if multiplicity is None else multiplicity
    units = int(counts.sum())
    total = counts @ sums
    blocks = [finish(weights @ sums) for weights in _blocks(len(sums), resampling, stream, multiplicity, units)]
    value = finish(total[None, :])[0]
    empty = np.empty((0, len(value)))
    left_out = finish(total[None, :] - sums) if units > 1 else empty
    return Replicates(value, np.concatenate([empty, *blocks]), left_out, units, multiplicity)


def _blocks(
    rows: int, resampling: Resampling, stream: int, multiplicity: Array | None, units: int | None = None
) -> Iterator[Array]:
    count = rows if units is None else units
    if count < 2 or resampling.method_for(count) in ("t", "none"):
        return iter(())
    return draws(rows, resampling, stream=stream, multiplicity=multiplicity)


def group_sums(parts: Array, groups: Indices, n_groups: int) -> Array:
    """Sums of the rows of `parts` (items × k) within groups (documents): n_groups × k."""
    columns = [np.bincount(groups, weights=parts[:, k], minlength=n_groups) for k in range(parts.shape[1])]
    return np.stack(columns, axis=1) if columns else np.empty((n_groups, 0))


def jackknife_variance(left_out: Array, multiplicity: Array | None = None) -> Array:
    """(n − 1)/n · Σ (θ₍ᵢ₎ − mean)² for each column; NaN where a left-out value is undefined."""
    counts = np.ones(len(left_out)) if multiplicity is None else multiplicity
    n = counts.sum()
    if n < 2:
        return np.full(left_out.shape[1], np.nan)
    spread = left_out - (counts @ left_out) / n
    return np.asarray((n - 1) / n * (counts @ spread**2))


def outcome(
    replicates: Replicates,
    resampling: Resampling,
    *,
    column: int = 0,
    scale: Scale = "plain",
    null: float | None = None,
) -> Outcome:
    """The interval of one statistic, and its p against `null` where one is given.

    `scale` "fisher" works on arctanh, for statistics with a ceiling at 1: it keeps the interval inside and its
    ends honest near the ceiling. p comes from the same distribution as the interval, so that the two never disagree.
    """
    value, unit, units = float(replicates.value[column]), resampling.unit, replicates.units
    if np.isnan(value) or resampling.method == "none":
        return Outcome(None, None)
    if units < 2:
        what = f"only one {unit}" if units == 1 else f"no {unit}"
        return Outcome(None, None, (f"No interval: there is {what}, so its spread cannot be estimated.",))
    method = resampling.method_for(units)
    if method == "t":
        return _t_outcome(replicates, resampling, column, scale, null)
    return _bootstrap_outcome(replicates, resampling, column, method, null)


def _t_outcome(r: Replicates, resampling: Resampling, column: int, scale: Scale, null: float | None) -> Outcome:
    left_out = r.jackknife[:, [column]]
    if not np.isfinite(left_out).all():
        return Outcome(None, None, (f"No interval: without one {resampling.unit} the statistic is undefined.",))
    notes = (
        f"Fewer than {FEW} {resampling.unit}s ({r.units}): jackknife standard error with t quantiles, because "
        "percentile intervals would be too narrow.",
    )
    counts = r.multiplicity
    low, high, p = t_interval(
        float(r.value[column]),
        lambda forward: float(jackknife_variance(forward(left_out), counts)[0]),
        df=r.units - 1,
        level=resampling.level,
        scale=scale,
        null=null,
    )
    kept = notes if resampling.method == "auto" else ()
    return Outcome(Interval(low, high, resampling.level, "jackknife-t", resampling.unit), p, kept)


def t_interval(
    value: float,
    variance: Callable[[Callable[[Array], Array]], float],
    *,
    df: float,
    level: float,
    scale: Scale = "plain",
    null: float | None = None,
) -> tuple[float, float, float | None]:
    """value ± t · se on the scale asked for. `variance` is given the transformation and returns the variance on it."""
    forward, back = _SCALES[scale]
    centre = float(forward(np.array([value]))[0])
    error = float(np.sqrt(variance(forward)))
    reach = float(stdtrit(df, 0.5 + level / 2)) * error
    low, high = (float(x) for x in back(np.array([centre - reach, centre + reach])))
    p = None
    if null is not None:
        distance = abs(centre - float(forward(np.array([null]))[0]))
        p = 1.0 if distance == 0 else 0.0 if error == 0 else float(2 * stdtr(df, -distance / error))
    return low, high, p


def _fisher(x: Array) -> Array:
    return np.arctanh(np.clip(x, -1 + 1e-9, 1 - 1e-9))


_SCALES: dict[Scale, tuple[Callable[[Array], Array], Callable[[Array], Array]]] = {
    "plain": (lambda x: x, lambda x: x),
    "fisher": (_fisher, np.tanh),
}


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
    bias, acceleration = 0.0, 0.0
    if method == "bca":
        below = (np.searchsorted(drawn, value, "left") + np.searchsorted(drawn, value, "right")) / 2
        bias = float(ndtri(np.clip(below / len(drawn), 1 / (len(drawn) + 1), len(drawn) / (len(drawn) + 1))))
        acceleration = _acceleration(r.jackknife[:, column], r.multiplicity)

    def level_of(z: float) -> float:
        shifted = bias + z
        return float(ndtr(bias + shifted / (1 - acceleration * shifted)))

    reach = float(ndtri(0.5 + resampling.level / 2))
    low, high = np.quantile(drawn, [level_of(-reach), level_of(reach)])
    interval = Interval(float(low), float(high), resampling.level, method, resampling.unit)
    p = None if null is None else _inverted(drawn, null, bias, acceleration)
    return Outcome(interval, p, notes)


def _acceleration(left_out: Array, multiplicity: Array | None) -> float:
    counts = np.ones(len(left_out)) if multiplicity is None else multiplicity
    known = np.isfinite(left_out)
    if not known.any():
        return 0.0
    counts, left_out = counts[known], left_out[known]
    pull = (counts @ left_out) / counts.sum() - left_out
    spread = float(counts @ pull**2)
    return float(counts @ pull**3 / (6 * spread**1.5)) if spread > 1e-300 else 0.0


def _inverted(drawn: Array, null: float, bias: float, acceleration: float) -> float:
    """The p at which the interval would just touch `null`: the interval's own distribution, turned round."""
    n = len(drawn)
    below = (np.searchsorted(drawn, null, "left") + np.searchsorted(drawn, null, "right")) / 2
    z = float(ndtri((below + 0.5) / (n + 1))) - bias
    z = z / (1 + acceleration * z) - bias
    return float(min(1.0, 2 * ndtr(-abs(z))))


def sign(
    statistic: str, resampling: Resampling, interval: Interval | None, *, protocol: str = "", **parts: str
) -> Signature:
    """The printable line that says how a number was made."""
    fields = [(name.replace("_", " "), value) for name, value in parts.items() if value]
    if interval is not None:
        fields.append(("interval", f"{interval.method} {interval.level:.0%} by {interval.unit}"))
        if interval.method in ("percentile", "bca"):
            fields += [("resamples", str(resampling.n)), ("seed", str(resampling.seed))]
    return Signature(statistic, protocol, tuple(fields), __version__)

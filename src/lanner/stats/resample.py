"""Intervals by resampling: one engine for every statistic.

A statistic is written as a function of the *weights* of its units (documents, unless asked otherwise): weight 1 on
each unit is the data as they are, a multinomial draw is a bootstrap resample, and a zero on one unit is a jackknife
step. Most statistics are functions of sums over units, so all resamples together are one matrix product.

Seeds are explicit and the generator is PCG64; the same seed gives the same resamples on any machine, and two statistics
over the same units are resampled alike, which is what makes differences between them paired. What the resamples say
of a value, its interval and p, is in `outcome`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
from scipy import sparse

from lanner import __version__
from lanner.errors import StatisticError, did_you_mean
from lanner.model import Interval, Signature

Array = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]
Unit = Literal["document", "item", "judge", "two-way"]
Method = Literal["auto", "percentile", "bca", "bca-t", "t", "none"]
Statistic = Callable[[Array], Array]
"""From weights (resamples × units) to values (resamples × statistics)."""

FEW = 20
"""Below this many units a reader should be told: percentile intervals would be far too narrow."""
PLENTY = 2000
"""Beyond this many units a jackknife step is taken as the derivative by the unit's weight, where that is cheaper."""
_CHUNK = 2_000_000  # weights held at once: 16 MB
_KEPT = 20_000_000  # weights worth keeping for the next statistic: one byte each, as a rule


@dataclass(frozen=True, slots=True)
class Resampling:
    """How intervals are made: the unit that is resampled, how often, from which seed, at which level.

    `method` is one of

    - "percentile": quantiles of the resamples;
    - "bca": quantiles corrected for bias and skew (Efron 1987, J. Am. Stat. Assoc. 82);
    - "bca-t": the same with the levels widened from the normal to the t distribution, z → √(n/(n−1))·t, because the
      bootstrap spread of n units is too small by that factor (Hesterberg 2015, Am. Stat. 69);
    - "t": jackknife standard error over units, t quantiles on n − 1 degrees of freedom, on a scale without ceiling;
    - "none";
    - "auto": "t", whatever the number of units, so that intervals and p change smoothly as documents are added.
      Chosen by simulation, see `benchmarks/bench_coverage.py`: with few units every bootstrap tried, the studentised
      one included, holds the truth too rarely, and with many they agree.
    """

    unit: Unit = "document"
    n: int = 2000
    seed: int = 0
    level: float = 0.95
    method: Method = "auto"

    def __post_init__(self) -> None:
        for name, value, choices in (("unit", self.unit, get_args(Unit)), ("method", self.method, get_args(Method))):
            if value not in choices:
                raise StatisticError(
                    f"There is no resampling {name} {value!r}.", next_step=did_you_mean(value, choices)
                )
        if not 0 < self.level < 1:
            raise StatisticError(f"A confidence level lies between 0 and 1, not at {self.level}.")
        if self.n < 1:
            raise StatisticError(f"At least one resample is needed, not {self.n}.")

    @property
    def chosen_method(self) -> Method:
        """The method that is used: what "auto" stands for is the same for any number of units."""
        return "t" if self.method == "auto" else self.method


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

    def variance_of(self, column: int, units: int) -> float:
        """Jackknife variance of one statistic that `units` of the units have anything to say to.

        Leaving out one of the others changes nothing, so their steps add nothing to the sums below.
        """
        if not len(self.jackknife) or units < 2:
            return float("nan")
        counts = np.ones(len(self.jackknife)) if self.multiplicity is None else self.multiplicity
        steps = self.jackknife[:, column] - self.value[column]
        squares = float(counts @ steps**2)
        spread = squares - float(counts @ steps) ** 2 / units
        # equal steps leave only rounding, which would look like a very precise number; NaN where a step is undefined
        return 0.0 if spread < 1e-12 * squares else (units - 1) / units * spread


def generator(seed: int, stream: int = 0) -> np.random.Generator:
    """The one source of randomness: PCG64 from an explicit seed; `stream` keeps independent uses of it apart."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence([abs(seed), stream])))


def draws(
    units: int,
    resampling: Resampling,
    *,
    stream: int = 0,
    multiplicity: Array | None = None,
    cells: int = _CHUNK,
) -> Iterator[Array]:
    """Multinomial weights (some resamples × units), in blocks of about `cells`, together `resampling.n` rows.

    With `multiplicity`, column p stands for that many equal units, and its weight is how many of them were drawn.
    """
    key = None if multiplicity is None else multiplicity.tobytes()
    step = max(1, cells // max(1, units))
    if resampling.n * units <= _KEPT:
        weights = _kept_draws(units, resampling.n, resampling.seed, stream, key)
        yield from (weights[at : at + step].astype(float) for at in range(0, resampling.n, step))
        return
    rng = generator(resampling.seed, stream)
    for start in range(0, resampling.n, step):
        yield _draw(rng, min(step, resampling.n - start), units, key).astype(float)


def _draw(rng: np.random.Generator, rows: int, units: int, multiplicity: bytes | None) -> npt.NDArray[np.int64]:
    if multiplicity is not None:
        counts = np.frombuffer(multiplicity)
        return rng.multinomial(int(counts.sum()), counts / counts.sum(), size=rows)
    picks = rng.integers(0, units, size=(rows, units), dtype=np.int32).astype(np.int64)
    picks += np.arange(rows, dtype=np.int64)[:, None] * units
    return np.bincount(picks.ravel(), minlength=rows * units).reshape(rows, units)


@lru_cache(maxsize=4)
def _kept_draws(units: int, n: int, seed: int, stream: int, multiplicity: bytes | None) -> npt.NDArray[np.integer[Any]]:
    """All weights at once, in as few bytes as they need: the statistics of one report share them."""
    rng = generator(seed, stream)
    step = max(1, _CHUNK // max(1, units))
    blocks = []
    for start in range(0, n, step):
        block = _draw(rng, min(step, n - start), units, multiplicity)
        blocks.append(block.astype(np.min_scalar_type(int(block.max(initial=0)))))
    weights = np.concatenate(blocks)
    weights.flags.writeable = False
    return weights


def replicate(
    statistic: Statistic, units: int, resampling: Resampling, *, multiplicity: Array | None = None, stream: int = 0
) -> Replicates:
    """Value, resamples and jackknife of any statistic of unit weights. NaN marks an undefined value."""
    counts = np.ones(units) if multiplicity is None else multiplicity
    total = int(counts.sum())
    value = statistic(counts[None, :])[0]
    empty = np.empty((0, len(value)))
    blocks = [statistic(weights) for weights in _draws_needed(units, resampling, multiplicity, stream=stream)]
    step = max(1, _CHUNK // max(1, units))
    starts = range(0, units, step) if total > 1 else ()
    left_out = [statistic(counts - np.eye(min(step, units - start), units, start)) for start in starts]
    draws, jackknife = np.concatenate([empty, *blocks]), np.concatenate([empty, *left_out])
    return Replicates(value, draws, jackknife, total, multiplicity)


def replicate_sums(
    sums: Array | sparse.csr_array,
    finish: Statistic,
    resampling: Resampling,
    *,
    multiplicity: Array | None = None,
    stream: int = 0,
) -> Replicates:
    """The same for a statistic `finish` of sums over units: `sums` is units × k, `finish` takes (resamples × k).

    With `multiplicity`, each row of `sums` stands for that many equal units (distinct patterns of items). Sparse sums
    are multiplied in blocks of units, so that nothing of size units × k is ever held.
    """
    rows = sums.shape[0]
    counts = np.ones(rows) if multiplicity is None else multiplicity
    units = int(counts.sum())
    total = counts @ sums
    value = finish(total[None, :])[0]
    empty = np.empty((0, len(value)))
    if isinstance(sums, np.ndarray):
        draws = [finish(weights @ sums) for weights in _draws_needed(rows, resampling, multiplicity, stream=stream)]
        left_out = [finish(total[None, :] - sums)] if units > 1 else []
    else:
        cells = 8 * _CHUNK * rows // max(1, rows, sums.shape[1])
        weights_blocks = _draws_needed(rows, resampling, multiplicity, stream=stream, cells=cells)
        draws = [finish(_blocked_product(weights, sums)) for weights in weights_blocks]
        left_out = [finish(total[None, :] - block) for _, block in _dense_blocks(sums)] if units > 1 else []
    return Replicates(value, np.concatenate([empty, *draws]), np.concatenate([empty, *left_out]), units, multiplicity)


def _draws_needed(
    rows: int, resampling: Resampling, multiplicity: Array | None, *, stream: int, cells: int = _CHUNK
) -> Iterator[Array]:
    units = rows if multiplicity is None else int(multiplicity.sum())
    if units < 2 or resampling.chosen_method in ("t", "none"):
        return iter(())
    return draws(rows, resampling, stream=stream, multiplicity=multiplicity, cells=cells)


def _dense_blocks(sums: sparse.csr_array) -> Iterator[tuple[slice, Array]]:
    step = max(1, _CHUNK // max(1, sums.shape[1]))
    for start in range(0, sums.shape[0], step):
        part = slice(start, start + step)
        yield part, sums[part].toarray()


def _blocked_product(weights: Array, sums: sparse.csr_array) -> Array:
    # Counts below 2²⁴ are exact in single precision, which is twice as fast.
    whole = sums.data.size == 0 or (sums.data.min() >= 0 and bool(np.all(sums.data == np.floor(sums.data))))
    exact = whole and float((weights @ np.asarray(sums.sum(axis=1)).ravel()).max(initial=0)) < 2**24
    kind = np.float32 if exact else np.float64
    total = np.zeros((len(weights), sums.shape[1]), kind)
    weights, sums = weights.astype(kind), sums.astype(kind)
    for part, block in _dense_blocks(sums):
        total += weights[:, part] @ block
    return total.astype(float)


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


def sign(
    statistic: str, resampling: Resampling, interval: Interval | None, *, protocol: str = "", **parts: str
) -> Signature:
    """The printable line that says how a number was made."""
    fields = [(name.replace("_", " "), value) for name, value in parts.items() if value]
    if interval is not None:
        unit = "document and judge" if interval.unit == "two-way" else interval.unit
        fields.append(("interval", f"{interval.method} {interval.level:.0%} by {unit}"))
        if interval.method in get_args(Method):  # drawn
            fields += [("resamples", str(resampling.n)), ("seed", str(resampling.seed))]
    return Signature(statistic, protocol, tuple(fields), __version__)

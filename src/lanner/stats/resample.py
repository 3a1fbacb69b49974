"""Intervals by resampling: one engine for every statistic.

A statistic is written as a function of the *weights* of its units (documents, unless asked otherwise): weight 1 on each
unit is the data as they are, a multinomial draw is a bootstrap resample, and a zero on one unit is a jackknife step.
Most statistics are functions of sums over units, so all resamples together are one matrix product.

Seeds are explicit and the generator is PCG64; the same seed gives the same resamples on any machine, and two statistics
over the same units are resampled alike, which is what makes differences between them paired.

Interval and p of a value come from its spread over documents and never contradict each other. One rule for every number
of documents: the jackknife standard error over documents with t quantiles, on a scale that keeps the interval inside
the range of the statistic. p against a null value is the level at which that same interval ends there, so p and
interval are two readings of one distribution and move smoothly as documents are added.

Shares have a construction of their own, because at 0 and 1 every document says the same and the standard error is 0:
Wilson's score interval (1927) on as many independent answers as the documents' spread amounts to. Documents that all
say the same count as one answer each, in Clopper and Pearson's exact interval (1934); where a share is tested, no
documents show more than as many that all say the same, however small their spread happens to be; and of a share that
few documents have any of, those few give t its degrees of freedom.

Bootstrap intervals (percentile, BCa) are made where they are asked for by name; their p is found by widening the
interval until it touches the null value.

Scores and differences are also widened to judges in general (`CrossedSteps`). An interval over documents holds for
other documents judged by these judges. To speak of judges in general, the number is computed again without each
document, without each judge, and without each judge's answers to each document. The variances of the three add up as
documents + judges − cells, because what varies from cell to cell is in both of the others (Cameron, Gelbach & Miller
2011, J. Bus. Econ. Stat. 29). Degrees of freedom are Satterthwaite's, so that three judges who differ give a wide
interval, whatever the number of documents.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.special import betaincinv, ndtr, ndtri, stdtr, stdtrit

from lanner import __version__
from lanner.errors import StatisticError, check_known
from lanner.model import Interval, Json, Result, Signature
from lanner.model.messages import name_or_count, plural

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
            check_known(value, choices, f"There is no resampling {name} {value!r}.", StatisticError)
        if not 0 < self.level < 1:
            raise StatisticError(f"A confidence level lies between 0 and 1, not at {self.level}.")
        if self.n < 1:
            raise StatisticError(f"At least one resample is needed, not {self.n}.")

    @property
    def chosen_method(self) -> Method:
        """The method that is used: what "auto" stands for is the same for any number of units."""
        return "t" if self.method == "auto" else self.method


def clustered(resampling: Resampling | None) -> Resampling:
    """The resampling to use where only one unit at a time makes sense: two-way falls back to documents."""
    resampling = resampling or Resampling()
    return replace(resampling, unit="document") if resampling.unit == "two-way" else resampling


@dataclass(frozen=True, slots=True)
class Replicates:
    """What resampling gave: `value` (m), `draws` (resamples × m, empty where the method needs none), `jackknife`
    (units × m), and how many `units` there were. `multiplicity` counts the units each jackknife row stands for, `alone`
    gives the value of each by itself, where that is known."""

    value: Array
    draws: Array
    jackknife: Array
    units: int
    multiplicity: Array | None = None
    alone: Callable[[], Array] | None = None

    def variance(self) -> Array:
        """Jackknife variance of each statistic (Tukey 1958)."""
        return jackknife_variance(self.jackknife, self.multiplicity)

    def mixed_units(self, column: int) -> int | None:
        """How many units show how much a share differs between them: those that have any of it, or those that have
        anything else, whichever are fewer. None where that is not known."""
        if self.alone is None:
            return None
        counts = np.ones(len(self.jackknife)) if self.multiplicity is None else self.multiplicity
        with np.errstate(invalid="ignore", divide="ignore"):
            alone = self.alone()[:, column]
        return int(min(counts @ (alone > 0), counts @ (alone < 1)))

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


def signs(units: int, k: int, rng: np.random.Generator) -> tuple[Array, bool]:
    """Choices of a sign, 0 or 1, for each unit (choices × units): all of them where they are at most `k`, which is then
    exact, otherwise k at random."""
    if units <= np.log2(k):
        return ((np.arange(2**units)[:, None] >> np.arange(units)) & 1).astype(float), True
    return rng.integers(0, 2, (k, units)).astype(float), False


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
    alone = None
    if isinstance(sums, np.ndarray):
        draws = [finish(weights @ sums) for weights in _draws_needed(rows, resampling, multiplicity, stream=stream)]
        left_out = [finish(total[None, :] - sums)] if units > 1 else []
        alone = partial(finish, sums)
    else:
        cells = 8 * _CHUNK * rows // max(1, rows, sums.shape[1])
        weights_blocks = _draws_needed(rows, resampling, multiplicity, stream=stream, cells=cells)
        draws = [finish(_blocked_product(weights, sums)) for weights in weights_blocks]
        left_out = [finish(total[None, :] - block) for _, block in _dense_blocks(sums)] if units > 1 else []
    drawn, jackknife = np.concatenate([empty, *draws]), np.concatenate([empty, *left_out])
    return Replicates(value, drawn, jackknife, units, multiplicity, alone)


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


def number_or_none(value: float) -> float | None:
    """A number for a row, None where it is not defined."""
    return float(value) if np.isfinite(value) else None


def group_sums(parts: Array, groups: Indices, n_groups: int) -> Array:
    """Sums of the rows of `parts` (items × k) within groups (documents): n_groups × k."""
    columns = [np.bincount(groups, weights=parts[:, k], minlength=n_groups) for k in range(parts.shape[1])]
    return np.stack(columns, axis=1) if columns else np.empty((n_groups, 0))


def replicate_ratios(top: Array, bottom: Array, groups: Indices, n_groups: int, resampling: Resampling) -> Replicates:
    """Σ of each column of `top` (rows × columns) over Σ `bottom`, the rows belonging to these units."""

    def finish(total: Array) -> Array:
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(total[:, :-1] / total[:, -1:])

    return replicate_sums(group_sums(np.column_stack([top, bottom]), groups, n_groups), finish, resampling)


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


def labelled(result: Result, labels: Mapping[str, str]) -> Result:
    """The same result, saying what it is about."""
    return replace(result, labels={**result.labels, **labels})


def combine_results(name: str, results: Sequence[Result], notes: tuple[str, ...] = ()) -> Result:
    """Several Results as one: the first one's value and interval, the counts that hold for each, and all as rows."""
    rows = [result.row() for result in results]
    counts = common_counts([result.counts for result in results])
    return replace(results[0], name=name, counts=counts, rows=rows, labels={}, notes=(*notes, *notes_together(results)))


def notes_together(results: Sequence[Result]) -> tuple[str, ...]:
    """The notes of several Results; one that not all of them have says which have it."""
    about: dict[str, list[str]] = {}
    for result in results:
        for note in result.notes:
            about.setdefault(note, []).append(", ".join(result.labels.values()))
    return tuple(
        note if len(who) == len(results) else f"{name_or_count(list(dict.fromkeys(who)), 'row')}: {note}"
        for note, who in about.items()
    )


def common_counts(counts: Sequence[Mapping[str, int]]) -> dict[str, int]:
    """What was counted alike in each of several groups."""
    return {kind: n for kind, n in counts[0].items() if all(own.get(kind) == n for own in counts)}


def undefined(
    name: str,
    reason: str,
    *,
    counts: Mapping[str, int] | None = None,
    missing: float = 0.0,
    signature: Signature | None = None,
) -> Result:
    """A Result without a value, and why."""
    signed = signature or sign(name, Resampling(), None)
    return Result(name, None, counts=counts or {}, missing=missing, notes=(f"Undefined: {reason}",), signature=signed)


# Intervals and p


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
"""The reach on the logarithm beyond which an interval says nothing: with two documents it is mostly beyond, with three
hardly ever."""
UNKNOWN = (
    "No interval: so few {unit}s, and so unlike each other, leave open whether the {what} is a hundred times higher or "
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

    def ends(self, prefix: str = "") -> dict[str, Json]:
        """The ends of the interval as columns of a row, empty where there is none."""
        low, high = (self.interval.low, self.interval.high) if self.interval else (None, None)
        return {f"{prefix}low": low, f"{prefix}high": high}


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
        mixed = replicates.mixed_units(column) if null is None else None
        return share_outcome(value, variance, units, resampling, null=null, answers=answers, mixed=mixed, notes=notes)
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
        return Outcome(None, None, (UNKNOWN.format(unit=resampling.unit, what="rate"),))
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
    mixed: int | None = None,
    notes: tuple[str, ...] = (),
) -> Outcome:
    """Wilson's interval of a share over documents: all s with |value − s| ≤ t·√(s(1 − s)/n).

    n = value(1 − value)/variance is how many independent answers would vary as much as these documents do (Korn &
    Graubard 1998, Survey Methodology 24), not more than there are `answers`. p is the score test against `null`, the
    same inequality solved for t.

    Documents that all say the same show no spread, and few answers to the contrary hardly any; it may be large all the
    same. The exact test of u such documents, two-sided 2·nullᵘ, needs none: p is not below it, and the interval ends
    where it does, at the (1 − level)/2 that Clopper & Pearson (1934, Biometrika 26) leave out on either side. So no
    answers are ever surer than if all had been the same. Where nothing is tested this holds for documents that all say
    the same alone: otherwise it would hide that a rare label is rare. But of a rare label only the documents that have
    it (`mixed`) show how much documents differ, and t has their degrees of freedom, within the exact interval of
    documents each of which is a single answer: the most that documents can differ.
    """
    if not np.isfinite(variance):
        return Outcome(None, None, (WITHOUT_ONE.format(unit=resampling.unit),))
    unanimous = not 1e-15 < value < 1 - 1e-15
    size = float("inf") if unanimous else effective_size(value, variance, units, answers)
    df = units - 1
    tail = (1 - resampling.level) / 2
    seen_df = df if mixed is None else max(1.0, min(df, mixed - 1.0))
    low, high = wilson(value, size, float(stdtrit(seen_df, 1 - tail)))
    if unanimous or null is not None:
        bound = float(tail ** (1 / units))
        low, high = min(low, bound), max(high, 1 - bound)
    elif seen_df < df:
        ends = _exact_ends(value, min(units, size + 1), tail)
        low, high = max(low, ends[0]), min(high, ends[1])
    interval = Interval(low, high, resampling.level, "Wilson", resampling.unit)
    if null is None:
        return Outcome(interval, None, notes)
    p = float(2 * stdtr(df, -abs(value - null) * math.sqrt(size / (null * (1 - null)))))
    least = min(1.0, 2 * (null if value > null else 1 - null) ** units)
    if least > 1 - resampling.level:
        notes += (f"Even if all {units:.3g} {resampling.unit}s said the same, p would not be below {least:.3g}.",)
    return Outcome(interval, max(p, least), notes)


def _exact_ends(value: float, size: float, tail: float) -> tuple[float, float]:
    """Clopper and Pearson's interval of a share of `size` answers, which need be no whole number."""
    yes = value * size
    return float(betaincinv(yes, size - yes + 1, tail)), float(betaincinv(yes + 1, size - yes, 1 - tail))


def effective_size(value: float, variance: float, units: float, answers: int | None = None) -> float:
    """How many independent answers vary as much as the documents do; as many as there are answers, or documents where
    that is not known, if these do not vary at all."""
    spread = value * (1 - value)
    if variance <= 1e-15 * spread:
        return float(units if answers is None else max(answers, 1))
    return min(spread / variance, float("inf") if answers is None else float(max(answers, 1)))


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
        return Outcome(None, None, (too_few_for_others(judges, documents),))
    by_document, by_judge, by_cell = variances
    total = max(by_document + by_judge - by_cell, by_document, by_judge)
    if not np.isfinite(total) or total <= 0:
        return t_outcome(value, total, 1, resampling, scale=scale)
    freedom = by_document**2 / (documents - 1) + by_judge**2 / (judges - 1)
    return t_outcome(value, total, total**2 / freedom, resampling, scale=scale, null=null)


FEWEST_JUDGES = 3
"""Of two, who differ by one number, chance alone may say that they favour the same systems: tests for judges in general
then found a difference in 12 of 100 simulated campaigns where there was none."""


def too_few_for_others(judges: int, documents: int) -> str:
    """Why nothing is said of judges in general."""
    return (
        f"No interval for judges in general: {plural(judges, 'judge')} and {plural(documents, 'document')} are too "
        f"few; it takes {FEWEST_JUDGES} judges and two documents or more."
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
    least = 1 / (draws + 1)

    def misses(tail: Array | float) -> bool:
        low, high = ends(float(tail))
        return not low <= null <= high

    if misses(least):
        return 2 * least
    return min(1.0, 2 * float(bisect(misses, least, 0.5, 50)[0]))


def bisect(
    beyond: Callable[[Array], npt.NDArray[np.bool_] | bool], low: Array | float, high: Array | float, steps: int
) -> tuple[Array, Array]:
    """Halve each range so many times, `beyond` being false at its low end and true at its high end."""
    for _ in range(steps):
        middle = np.asarray((low + high) / 2)
        is_beyond = beyond(middle)
        low, high = np.where(is_beyond, low, middle), np.where(is_beyond, middle, high)
    return np.asarray(low), np.asarray(high)


def signed_ranks(values: Array) -> npt.NDArray[np.int64]:
    """Twice the rank of each value's size, with its sign; zeros are left out. Ties share the mean of their ranks, which
    may be a half: twice is whole."""
    nonzero = values[values != 0]
    _, level, count = np.unique(np.abs(nonzero), return_inverse=True, return_counts=True)
    twice = 2 * np.cumsum(count) - count + 1
    return np.asarray(np.sign(nonzero).astype(np.int64) * twice[level])


def signed_rank_tails(ranks: npt.NDArray[np.int64]) -> tuple[float, float]:
    """How likely a sum of positive ranks as small, and as large, is where all signs are equally likely (Wilcoxon 1945):
    exact also with ties, by adding one rank after the other."""
    ways = np.zeros(int(np.abs(ranks).sum()) + 1)
    ways[0] = 1.0
    for rank in np.abs(ranks):
        ways[rank:] = (ways[rank:] + ways[: len(ways) - rank]) / 2
        ways[:rank] /= 2
    at = int(ranks[ranks > 0].sum())
    return float(ways[: at + 1].sum()), float(ways[at:].sum())


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


# Judges and documents crossed


_ROUNDING = 1e-12  # a step this small, relative to the largest number, is rounding: nothing was left out
_STREAM = 31  # apart from the resamples of documents
_ROWS = 20_000  # statistics computed at once


@dataclass(frozen=True, slots=True)
class CrossedSteps:
    """How far each statistic (columns) moves without each document, each judge, each judge's answers to a document.
    `has_document` and `has_judge` (rows × columns) say which of them it rests on: one that happens to lie at the mean
    moves nothing, and counts all the same."""

    value: Array
    documents: Array
    judges: Array
    cells: Array
    has_document: npt.NDArray[np.bool_]
    has_judge: npt.NDArray[np.bool_]

    @classmethod
    def of(
        cls,
        sums: Array,
        without_judges: Iterable[Array],
        finish: Statistic,
        has_document: npt.NDArray[np.bool_],
        has_judge: npt.NDArray[np.bool_],
    ) -> CrossedSteps:
        """From sums by document (documents × k): those of all answers, and those without each judge in turn."""
        total = sums.sum(axis=0)
        value = finish(total[None, :])[0]
        judges, cells = [np.empty((0, len(value)))], [np.empty((0, len(value)))]
        for without in without_judges:
            change = without - sums
            judges.append(finish(without.sum(axis=0)[None, :]) - value)
            own = np.flatnonzero(np.abs(change).max(axis=1, initial=0.0) > 0)
            for start in range(0, len(own), _ROWS):
                cells.append(finish(total + change[own[start : start + _ROWS]]) - value)
        documents = [finish(total - sums[start : start + _ROWS]) - value for start in range(0, len(sums), _ROWS)]
        steps = (np.concatenate(documents), np.concatenate(judges), np.concatenate(cells))
        return cls(value, *steps, has_document, has_judge)

    def outcome(
        self, column: int, resampling: Resampling, *, scale: Scale = "plain", null: float | None = None
    ) -> Outcome:
        """Interval and p of one statistic for documents and judges in general."""
        by_document, documents = self._variance(self.documents, column, self.has_document[:, column])
        by_judge, judges = self._variance(self.judges, column, self.has_judge[:, column])
        by_cell, _ = self._variance(self.cells, column)
        return crossed_outcome(
            float(self.value[column]),
            (by_document, by_judge, by_cell),
            (documents, judges),
            resampling,
            scale=scale,
            null=null,
        )

    def _variance(
        self, steps: Array, column: int, has: npt.NDArray[np.bool_] | np.bool_ = np.False_
    ) -> tuple[float, int]:
        """Jackknife variance from the steps that leave something out, and how many those are."""
        own = steps[:, column]
        present = has | np.isnan(own) | (np.abs(own) > _ROUNDING * max(1.0, abs(float(self.value[column]))))
        own, n = own[present], int(present.sum())
        return (float((n - 1) / n * ((own - own.mean()) ** 2).sum()) if n > 1 else 0.0), n

    def draws(self, n: int, seed: int) -> Array:
        """Values that other documents and judges might have given (draws × statistics), by normal multipliers."""
        rng = generator(seed, _STREAM)
        draws = np.tile(self.value, (n, 1))
        for steps in (self.documents, self.judges):
            count = len(steps)
            if count > 1:
                deviations = (steps - steps.mean(axis=0)) * np.sqrt((count - 1) / count)
                draws += rng.normal(size=(n, count)) @ deviations
        return draws

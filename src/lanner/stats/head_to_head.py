"""Every system against every other: is one better, and how sure is that?

Three tests, all two-sided:

- `permutation`: under the null the two systems' names can be swapped in any document. The difference of their scores
  over shared segments is compared with its values under random swaps of whole documents, so that segments of one text
  are not taken for independent. All swaps are enumerated where that is less work; otherwise p = (1 + b) / (1 + k).
- `signed-rank`: Wilcoxon's test over the differences on shared segments (Wilcoxon 1945), as WMT from 2024.
- `rank-sum`: Mann and Whitney's test over all segments of both, as WMT up to 2023.

The last two may be made in each domain and combined: `stouffer` combines two-sided p-values (as WMT24), which does not
see whether domains point the same way; `signed-stouffer` combines z with its sign. Many pairs are tested, so p-values
are also given after Holm (1979), which keeps the chance of any false win below the level.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal, get_args

import numpy as np
import polars as pl
from scipy.special import ndtr, ndtri
from scipy.stats import mannwhitneyu, rankdata, wilcoxon

from lanner.errors import StatisticError, did_you_mean
from lanner.stats.averaging import Average, check
from lanner.stats.resample import Array, Indices, generator
from lanner.stats.scores import Items

Test = Literal["permutation", "signed-rank", "rank-sum"]
Combine = Literal["pooled", "stouffer", "signed-stouffer"]
Correction = Literal["holm", "none"]
_HELD = 2_000_000  # signs held at once
_STREAM = 7  # apart from the resamples of intervals


@dataclass(frozen=True, slots=True)
class Duel:
    """Two systems: the mean difference on shared segments (system − other), p before and after Holm, n shared."""

    system: str
    other: str
    difference: float | None
    p: float | None
    p_holm: float | None
    n: int
    won: int = 0
    lost: int = 0


@dataclass(frozen=True, slots=True)
class _Wide:
    """Scores as segments × systems, NaN where missing, with each segment's domain, document and weight."""

    scores: Array
    domain: Indices
    document: Indices
    weight: Array


def duels(
    found: Items,
    systems: Sequence[str],
    *,
    test: Test = "permutation",
    combine: Combine = "pooled",
    average: Average = "micro",
    swaps: int = 10_000,
    seed: int = 0,
) -> list[Duel]:
    """All pairs of `systems`, in that order. `average` is how the permutation test weighs segments."""
    for name, value, known in (("test", test, get_args(Test)), ("combination", combine, get_args(Combine))):
        if value not in known:
            raise StatisticError(f"There is no {name} {value!r}.", next_step=did_you_mean(value, known))
    check(average)
    wide = _wide(found, systems)
    pairs = list(combinations(range(len(systems)), 2))
    if test == "permutation":
        ps = _permutation(wide, pairs, average, swaps, seed)
    else:
        ps = [_ranks(wide, a, b, test, combine) for a, b in pairs]
    made = []
    for (a, b), p in zip(pairs, ps, strict=True):
        gap = wide.scores[:, a] - wide.scores[:, b]
        gap = gap[~np.isnan(gap)]
        mean = float(gap.mean()) if len(gap) else None
        won, lost = int((gap > 0).sum()), int((gap < 0).sum())
        made.append(Duel(systems[a], systems[b], mean, p, None, len(gap), won, lost))
    return [replace(duel, p_holm=p) for duel, p in zip(made, holm(ps), strict=True)]


def holm(ps: Sequence[float | None]) -> list[float | None]:
    """Adjusted p-values, p₍ᵢ₎ · (m − i + 1) made monotone (Holm 1979, Scand. J. Stat. 6). Undefined ones stay so."""
    known = sorted((p, at) for at, p in enumerate(ps) if p is not None)
    made: list[float | None] = [None] * len(ps)
    worst = 0.0
    for rank, (p, at) in enumerate(known):
        worst = max(worst, min(1.0, p * (len(known) - rank)))
        made[at] = worst
    return made


def shares_segments(found: Items, systems: Sequence[str]) -> bool:
    """Whether systems can be compared segment by segment. Some files number the items of a batch, so that the same
    segment of two systems has different ids; then the means of their shared documents are compared."""
    table = found.table.filter(pl.col("system").is_in(list(systems)))
    per_segment = len(table) / max(1, table.select("domain", "document", "segment").n_unique())
    documents = table.select("domain", "document", "system").unique()
    per_document = len(documents) / max(1, documents.select("domain", "document").n_unique())
    return per_segment - 1 >= (per_document - 1) / 2


def _wide(found: Items, systems: Sequence[str]) -> _Wide:
    table = found.table.filter(pl.col("system").is_in(list(systems)))
    index = ["domain", "document", "segment"]
    if not shares_segments(found, systems):
        index = ["domain", "document"]
        table = table.group_by(*index, "system").agg(pl.col("score").mean(), pl.len().alias("size"))
    else:
        table = table.with_columns(size=pl.lit(1))
    wide = table.pivot("system", index=index, values="score", aggregate_function="mean")
    sizes = table.group_by(index).agg(pl.col("size").mean())
    wide = wide.join(sizes, on=index, how="left", suffix="_of_all").sort(index)
    scores = np.full((len(wide), len(systems)), np.nan)
    for at, name in enumerate(systems):
        scores[:, at] = wide[name].cast(pl.Float64).fill_null(float("nan")).to_numpy()
    domain = wide["domain"].rank("dense").to_numpy().astype(np.intp) - 1
    document = (wide["domain"] + "\t" + wide["document"]).rank("dense").to_numpy().astype(np.intp) - 1
    return _Wide(scores, domain, document, wide[wide.columns[-1]].to_numpy().astype(float))


def _ranks(wide: _Wide, a: int, b: int, test: Test, combine: Combine) -> float | None:
    if combine == "pooled":
        return _one(wide.scores, a, b, test)[0]
    parts = [_one(wide.scores[wide.domain == d], a, b, test) for d in np.unique(wide.domain)]
    told = [(p, sign) for p, sign in parts if p is not None]
    if not told:
        return None
    p, signs = np.array([p for p, _ in told]), np.array([sign for _, sign in told])
    if combine == "stouffer":
        return float(ndtr(-np.sum(-ndtri(p)) / np.sqrt(len(p))))
    z = np.sum(signs * -ndtri(p / 2)) / np.sqrt(len(p))
    return float(2 * ndtr(-abs(z)))


def _one(scores: Array, a: int, b: int, test: Test) -> tuple[float | None, float]:
    """p and the direction of one test. Where nothing differs, p is 1; where nothing is shared it is undefined."""
    x, y = scores[:, a], scores[:, b]
    if test == "rank-sum":
        x, y = x[~np.isnan(x)], y[~np.isnan(y)]
        if not len(x) or not len(y):
            return None, 0.0
        if np.ptp(np.concatenate([x, y])) == 0:
            return 1.0, 0.0
        tested = mannwhitneyu(x, y, alternative="two-sided")
        return float(tested.pvalue), float(np.sign(tested.statistic - len(x) * len(y) / 2))
    gap = (x - y)[~np.isnan(x - y)]
    if not len(gap):
        return None, 0.0
    if not gap.any():
        return 1.0, 0.0
    tested = wilcoxon(gap)  # zeros are left out of the ranks, and scipy chooses the normal approximation where it must
    gap = gap[gap != 0]
    ranks = rankdata(np.abs(gap))
    return float(tested.pvalue), float(np.sign((np.sign(gap) * ranks).sum()))


def _permutation(
    wide: _Wide, pairs: Sequence[tuple[int, int]], average: Average, swaps: int, seed: int
) -> list[float | None]:
    if not pairs:  # one system has nobody to be compared with
        return []
    documents = int(wide.document.max(initial=-1)) + 1
    parts = np.stack([_by_document(wide, a, b, average, documents) for a, b in pairs], axis=1)
    kept = [column[column != 0] for column in parts.T]
    shared = [bool((~np.isnan(wide.scores[:, a] - wide.scores[:, b])).any()) for a, b in pairs]
    drawn = [k for k, own in enumerate(kept) if shared[k] and len(own) > np.log2(swaps)]  # the others are few enough
    reached = dict(zip(drawn, _swapped(parts[:, drawn], swaps, seed), strict=True)) if drawn else {}
    return [
        None if not shared[k] else (1 + reached[k]) / (1 + swaps) if k in reached else _enumerated(own)
        for k, own in enumerate(kept)
    ]


def _swapped(parts: Array, swaps: int, seed: int) -> list[int]:
    """How many random swaps of the systems within documents give a difference as large as the one seen, by column."""
    rng, documents = generator(seed, _STREAM), len(parts)
    step = max(1, _HELD // documents)
    reached, total = np.zeros(parts.shape[1], np.int64), parts.sum(axis=0)
    for start in range(0, swaps, step):
        kept = rng.integers(0, 2, (min(step, swaps - start), documents)).astype(float)
        reached += (np.abs(2 * (kept @ parts) - total) >= np.abs(total) * (1 - 1e-9)).sum(axis=0)
    return [int(n) for n in reached]


def _enumerated(parts: Array) -> float:
    totals = np.zeros(1)
    for part in parts:
        totals = np.concatenate([totals + part, totals - part])
    return float((np.abs(totals) >= abs(parts.sum()) * (1 - 1e-9) - 1e-12 * np.abs(parts).sum()).mean())


def _by_document(wide: _Wide, a: int, b: int, average: Average, documents: int) -> Array:
    """What each document adds to the difference of the two systems' averages over shared segments."""
    gap = wide.scores[:, a] - wide.scores[:, b]
    shared = ~np.isnan(gap)
    gap, document, weight = gap[shared], wide.document[shared], wide.weight[shared]
    stratum = wide.domain[shared] if average.endswith("macro") else np.zeros(len(gap), np.intp)
    if not len(gap):
        return np.zeros(documents)
    if average.startswith("document"):
        weight = weight / np.bincount(document, weights=weight)[document]
    share = np.bincount(stratum, weights=weight)[stratum] * len(np.unique(stratum))
    return np.asarray(np.bincount(document, weights=gap * weight / share, minlength=documents), float)

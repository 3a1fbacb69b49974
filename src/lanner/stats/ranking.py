"""Which systems are better: scores with document intervals, rank ranges, clusters, probabilities of each rank.

Every system against every other: is one better, and how sure is that?

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

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Literal, get_args

import numpy as np
import polars as pl
from scipy.special import ndtr, ndtri
from scipy.stats import mannwhitneyu, rankdata, wilcoxon

from lanner.errors import StatisticError, did_you_mean
from lanner.model import Json, Result
from lanner.stats.outcome import Outcome, outcome
from lanner.stats.resample import Array, Indices, Replicates, Resampling, generator, sign
from lanner.stats.scores import Average, Averaging, Direction, Items, Words, check, items
from lanner.stats.wide import undefined

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


_FEW_SWAPS = 10  # documents below which whole-document swaps are too few to show much
DIRECTIONS = ("higher_is_better", "lower_is_better")


@dataclass(frozen=True, slots=True)
class Ranking:
    """Systems from best to worst with everything known about their order."""

    found: Items
    systems: tuple[str, ...]
    scores: Array
    replicates: Replicates
    duels: tuple[Duel, ...]
    beats: Array
    clusters: tuple[int, ...]
    result: Result


def systems(data: Any, of: str, **options: Any) -> Result:
    """The score of each system, best first, and how sure the order is.

    A system's score is an average of its segments' scores, see `lanner.stats.scores` for `average` and
    `lanner.stats.scores.items` for how judges become one score. Options: those of `items`, and of `rank`.

    Rows: system, score with low and high (documents resampled), n, rank, rank_low and rank_high, cluster, wins, losses,
    `ranks` (the share of resamples in which the system has rank 1, 2, …), and micro. A system beats another if their
    test (`lanner.stats.ranking`) gives p < alpha and its score is better. With n systems the rank range is from
    losses + 1 to n − wins; a cluster ends where every system above beats every system below (Koehn 2012).
    """
    return rank(data, of, **options).result


def head_to_head(data: Any, of: str, **options: Any) -> Result:
    """Every pair of systems: rows system, other, difference (system − other, mean on shared segments), p, p_holm, n,
    and on how many segments each was better. Options as for `systems`."""
    made = rank(data, of, **options)
    rows: list[dict[str, Json]] = [
        {
            "system": duel.system,
            "other": duel.other,
            "difference": duel.difference,
            "p": duel.p,
            "p_holm": duel.p_holm,
            "n": duel.n,
            "higher": duel.won,
            "lower": duel.lost,
        }
        for duel in made.duels
    ]
    return replace(made.result, name=f"{of} head to head", rows=rows, value=None, interval=None)


def rank(
    data: Any,
    of: str,
    *,
    average: Average = "micro",
    direction: Direction = "higher_is_better",
    test: Test = "permutation",
    combine: Combine = "pooled",
    correction: Correction = "holm",
    alpha: float = 0.05,
    only: Sequence[str] = (),
    per_words: float = 0,
    pass_at_most: float | None = None,
    words: Words | None = None,
    swaps: int = 10_000,
    resampling: Resampling | None = None,
    **selection: Any,
) -> Ranking:
    """The ranking itself; `systems` and `head_to_head` are its tables. `per_words` makes the score a rate over the
    `words` of each (document, segment), with `pass_at_most` as the threshold of a scorecard."""
    if direction not in DIRECTIONS:
        raise StatisticError(f"There is no direction {direction!r}.", next_step=did_you_mean(direction, DIRECTIONS))
    resampling = resampling or Resampling()
    found = data if isinstance(data, Items) else items(data, of, **selection)
    found = found.only(only) if only else found
    odd = ~found.table["score"].is_finite()
    if odd.any():
        note = f"{int(odd.sum())} segments whose score is not a finite number are left out."
        found = replace(found, table=found.table.filter(~odd), notes=(*found.notes, note))
    if not len(found.table):
        empty = undefined(f"mean {of}", "no system has a score.")
        return Ranking(found, (), np.empty(0), Replicates(*(np.empty((0, 0)),) * 3, 0), (), np.empty((0, 0)), (), empty)
    names = found.systems
    values = Averaging.of(found, names, average, words=words, per_words=per_words).values()
    better = -1.0 if direction == "lower_is_better" else 1.0
    order = sorted(range(len(names)), key=lambda at: (-better * values[at], names[at]))
    names = [names[at] for at in order]
    laid_out = Averaging.of(found, names, average, words=words, per_words=per_words)
    drawn = laid_out.replicate(replace(resampling, method=_drawing(resampling)))
    plain = Averaging.of(found, names, "micro").values()
    fought = duels(found, names, test=test, combine=combine, average=average, swaps=swaps, seed=resampling.seed)
    beats = _beats(fought, names, laid_out.values(), correction, alpha)
    clusters = _clusters(beats)
    outcomes = [outcome(drawn, resampling, column=at) for at in range(len(names))]
    rows = _rows(found, names, drawn, outcomes=outcomes, beats=beats, clusters=clusters, better=better)
    for row, micro in zip(rows, plain, strict=True):
        row["micro"] = float(micro)
        if pass_at_most is not None:
            row["passed"] = bool(row["score"] <= pass_at_most if better < 0 else row["score"] >= pass_at_most)
    result = _result(found, rows, outcomes, resampling, {
        "average": average,
        "judges": found.standardised or "mean",
        "better": direction.split("_", maxsplit=1)[0],
        "test": test + (f" {combine} by domain" if combine != "pooled" else ""),
        "correction": correction,
        "per_words": f"{per_words:g}" if per_words else "",
    })  # fmt: skip
    return Ranking(found, tuple(names), laid_out.values(), drawn, tuple(fought), beats, clusters, result)


def _drawing(resampling: Resampling) -> Any:
    """Probabilities of ranks need draws, also where intervals do without."""
    return "percentile" if resampling.method in ("auto", "t") else resampling.method


def _beats(fought: Sequence[Duel], names: Sequence[str], values: Array, correction: Correction, alpha: float) -> Array:
    """beats[a, b] is 1 if a is ahead of b and the difference is significant."""
    place = {name: at for at, name in enumerate(names)}
    made = np.zeros((len(names), len(names)))
    for duel in fought:
        p = duel.p if correction == "none" else duel.p_holm
        a, b = place[duel.system], place[duel.other]
        if p is not None and p < alpha and values[a] != values[b]:
            made[a, b] = 1
    return made


def _clusters(beats: Array) -> tuple[int, ...]:
    made, cluster = [], 1
    for at in range(len(beats)):
        if at and beats[:at, at:].all():
            cluster += 1
        made.append(cluster)
    return tuple(made)


def rank_probabilities(drawn: Array, better: float = 1.0) -> Array:
    """systems × ranks: the share of resamples in which each system takes each rank; ties share the places they span
    evenly. `drawn` is resamples × systems, `better` −1 where low scores are good."""
    drawn = drawn[~np.isnan(drawn).any(axis=1)] * -better
    n = drawn.shape[1]
    made = np.zeros((n, n))
    if not len(drawn):
        return np.full((n, n), np.nan)
    for at in range(n):
        ahead = (drawn < drawn[:, [at]]).sum(axis=1)
        level = (drawn == drawn[:, [at]]).sum(axis=1)
        for shift in range(n):
            open_ = shift < level
            np.add.at(made[at], ahead[open_] + shift, 1 / level[open_])
    return made / len(drawn)


def _rows(
    found: Items,
    names: Sequence[str],
    drawn: Replicates,
    *,
    outcomes: Sequence[Outcome],
    beats: Array,
    clusters: Sequence[int],
    better: float,
) -> list[dict[str, Any]]:
    chances = rank_probabilities(drawn.draws, better) if len(drawn.draws) else None
    sizes: Mapping[str, int] = dict(found.table.group_by("system").len().iter_rows())
    rows: list[dict[str, Any]] = []
    for at, name in enumerate(names):
        interval = outcomes[at].interval
        wins, losses = int(beats[at].sum()), int(beats[:, at].sum())
        rows.append(
            {
                "system": name,
                "score": float(drawn.value[at]),
                "low": interval.low if interval else None,
                "high": interval.high if interval else None,
                "n": sizes[name],
                "rank": at + 1,
                "rank_low": losses + 1,
                "rank_high": len(names) - wins,
                "cluster": clusters[at],
                "wins": wins,
                "losses": losses,
                "ranks": None if chances is None else [round(float(share), 4) for share in chances[at]],
            }
        )
    return rows


def _result(
    found: Items, rows: list[dict[str, Any]], outcomes: Sequence[Outcome], resampling: Resampling, how: dict[str, str]
) -> Result:
    documents = found.table.select("domain", "document").n_unique()
    counts = {"items": len(found.table), "systems": len(rows), "documents": documents, "judges": found.judges}
    sizes = {row["n"] for row in rows}
    notes = list(found.notes)
    if len(sizes) > 1:
        notes.append(f"Systems were scored on {min(sizes):,} to {max(sizes):,} segments; only shared ones are tested.")
    if not shares_segments(found, [row["system"] for row in rows]):
        notes.append("Systems share documents but hardly any segment ids: they are compared by their document means.")
    notes += outcomes[0].notes
    if how["test"] == "permutation" and documents < _FEW_SWAPS:
        notes.append(f"With {documents} documents no permutation test can give p below {2.0 ** (1 - documents):.2g}.")
    signature = sign(f"mean {found.of}", resampling, outcomes[0].interval, **how)
    name, interval = f"mean {found.of}", outcomes[0].interval
    return Result(name, rows[0]["score"], interval, counts=counts, rows=rows, notes=tuple(notes), signature=signature)

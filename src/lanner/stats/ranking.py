"""Which systems are better: scores with document intervals, rank ranges, clusters, probabilities of each rank."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lanner.errors import StatisticError, did_you_mean
from lanner.model import Json, Result
from lanner.stats.averaging import Average, Averaging, Words
from lanner.stats.head_to_head import Combine, Correction, Duel, Test, duels, shares_segments
from lanner.stats.outcome import Outcome, outcome
from lanner.stats.resample import Array, Replicates, Resampling, sign
from lanner.stats.scores import Direction, Items, items
from lanner.stats.tables import undefined

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

    A system's score is an average of its segments' scores, see `lanner.stats.averaging` for `average` and
    `lanner.stats.scores.items` for how judges become one score. Options: those of `items`, and of `rank`.

    Rows: system, score with low and high (documents resampled), n, rank, rank_low and rank_high, cluster, wins, losses,
    `ranks` (the share of resamples in which the system has rank 1, 2, …), and micro. A system beats another if their
    test (`lanner.stats.head_to_head`) gives p < alpha and its score is better. With n systems the rank range is from
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

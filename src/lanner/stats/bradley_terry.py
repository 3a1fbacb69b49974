"""Strengths of systems from paired comparisons with ties (Bradley & Terry 1952; Davidson 1970, J. Am. Stat. Assoc. 65).

System i has worth πᵢ; with i against j, P(i wins) ∝ πᵢ, P(j wins) ∝ πⱼ, P(tie) ∝ ν√(πᵢπⱼ). The strengths λᵢ = log πᵢ
are centred at zero and fitted by maximum likelihood; without any tie ν is 0 and the model is Bradley and Terry's. All
document resamples are fitted at once by Newton's method on counts per pair.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from lanner.model import Json, Result
from lanner.stats.outcome import outcome
from lanner.stats.preference import comparisons
from lanner.stats.resample import Array, Indices, Replicates, Resampling, group_sums, replicate_sums, sign
from lanner.stats.wide import clustered, undefined, units

_FAR = 15.0  # a strength beyond this means that the likelihood has no maximum


@dataclass(frozen=True)
class Davidson:
    """The model for some pairs of systems; counts are wins of the first, wins of the second, ties, per pair."""

    systems: int
    pairs: Indices
    ties: bool

    @property
    def _features(self) -> Array:
        """Pairs × outcomes (first, second, tie) × parameters (strengths, then log ν)."""
        k, m = self.systems, len(self.pairs)
        features = np.zeros((m, 3, k + 1))
        rows = np.arange(m)
        features[rows, 0, self.pairs[:, 0]] = 1
        features[rows, 1, self.pairs[:, 1]] = 1
        features[rows, 2, self.pairs[:, 0]] += 0.5
        features[rows, 2, self.pairs[:, 1]] += 0.5
        features[rows, 2, k] = 1
        return features

    def fit(self, counts: Array) -> Array:
        """Strengths and log ν for each row of counts (resamples × pairs × 3); NaN where there is no maximum."""
        features = self._features if self.ties else self._features[:, :2, : self.systems]
        counts = counts if self.ties else counts[:, :, :2]
        size = features.shape[2]
        at = np.zeros((len(counts), size))
        total = counts.sum(axis=2)
        ridge = np.zeros((size, size))
        ridge[: self.systems, : self.systems] = 1.0 / self.systems  # strengths are only defined up to a constant
        for _ in range(60):
            logit = np.einsum("mop,bp->bmo", features, at)
            chance = np.exp(logit - logit.max(axis=2, keepdims=True))
            chance /= chance.sum(axis=2, keepdims=True)
            slope = np.einsum("bmo,mop->bp", counts - total[..., None] * chance, features)
            mean = np.einsum("bmo,mop->bmp", chance, features)
            spread = np.einsum("bm,bmo,mop,moq->bpq", total, chance, features, features, optimize=True)
            spread -= np.einsum("bm,bmp,bmq->bpq", total, mean, mean, optimize=True)
            scale = np.maximum(total.sum(axis=1), 1.0)[:, None, None]
            step = np.linalg.solve(spread + scale * (ridge + 1e-10 * np.eye(size)), slope[..., None])[..., 0]
            step *= np.minimum(1.0, 2.0 / np.maximum(np.abs(step).max(axis=1), 1e-300))[:, None]
            at = np.clip(at + step, -2 * _FAR, 2 * _FAR)
            if float(np.abs(step).max(initial=0.0)) < 1e-9:
                break
        strengths = at[:, : self.systems] - at[:, : self.systems].mean(axis=1, keepdims=True)
        log_tie = at[:, self.systems :] if self.ties else np.full((len(at), 1), -np.inf)
        far = np.abs(strengths).max(axis=1, initial=0.0) > _FAR
        return np.where(far[:, None], np.nan, np.hstack([strengths, log_tie]))


def connected(systems: int, pairs: Indices, counts: Array) -> bool:
    """Can every system be reached from every other by wins or ties? Without that no maximum exists (Ford 1957)."""
    wins, losses, ties = counts.T
    weights = np.concatenate([wins + ties, losses + ties])
    rows, columns = np.concatenate([pairs[:, 0], pairs[:, 1]]), np.concatenate([pairs[:, 1], pairs[:, 0]])
    graph = csr_array((weights, (rows, columns)), shape=(systems, systems))
    graph.eliminate_zeros()
    return int(connected_components(graph, directed=True, connection="strong")[0]) == 1


def bradley_terry(
    data: Any,
    question: str = "",
    *,
    judges: Sequence[str] = (),
    sides: tuple[str, str] | None = None,
    resampling: Resampling | None = None,
) -> Result:
    """Strengths of all systems, best first, and the difference of every two, with document bootstrap intervals.

    Rows: "system" with strength (log worth, mean 0) and the chance to win against an average system when there is no
    tie; "pair" with the difference, its p, and the chance that the first is preferred; "ties" with ν. The Result's
    value is the strength of the best. Undefined where some systems never lost to, or tied with, the others.
    """
    resampling = clustered(resampling)
    table, notes = comparisons(data, question, sides=sides)
    if judges:
        table = table.filter(pl.col("judge").is_in(list(judges)))
    name = "Bradley–Terry strengths"
    names = sorted(set(table["one"].to_list()) | set(table["two"].to_list()))
    if len(names) < 2:
        return undefined(name, "at least two systems must be compared.")
    index = {system: k for k, system in enumerate(names)}
    pairs = np.array(
        [(index[a], index[b]) for a, b in table.select("one", "two").unique().sort("one", "two").iter_rows()]
    )
    place = {(a, b): m for m, (a, b) in enumerate(map(tuple, pairs.tolist()))}
    at = np.array([place[index[a], index[b]] for a, b in table.select("one", "two").iter_rows()])
    won = table["won"].to_numpy()
    column = at * 3 + np.select([won == 1, won == -1], [0, 1], 2)
    unit, count = units(table, resampling.unit)
    sums = group_sums(np.eye(3 * len(pairs))[column], unit, count)
    whole = sums.sum(axis=0).reshape(-1, 3)
    counts = {"items": len(won), "judges": table["judge"].n_unique(), "documents": count, "systems": len(names)}
    if not connected(len(names), pairs, whole):
        why = "some systems never lost to, or tied with, the others, so their strength has no bound."
        return undefined(name, why, counts=counts)
    model = Davidson(len(names), pairs, bool(whole[:, 2].any()))
    twos = list(combinations(range(len(names)), 2))

    def finish(total: Array) -> Array:
        found = model.fit(total.reshape(len(total), -1, 3))
        return np.hstack([found, np.stack([found[:, i] - found[:, j] for i, j in twos], axis=1)])

    replicates = replicate_sums(sums, finish, resampling)
    order = np.argsort(-replicates.value[: len(names)], kind="stable")
    rows = [*_system_rows(replicates, names, order, resampling), *_pair_rows(replicates, names, twos, resampling)]
    rows.append({"kind": "ties", "value": float(np.exp(replicates.value[len(names)]))})
    top = outcome(replicates, resampling, column=int(order[0]))
    signature = sign("Bradley–Terry", resampling, top.interval, ties="Davidson" if model.ties else "none seen")
    value = float(replicates.value[order[0]])
    return Result(name, value, top.interval, None, counts, rows=rows, notes=(*notes, *top.notes), signature=signature)


def _chance(difference: float) -> float:
    return float(1 / (1 + np.exp(-difference)))


def _system_rows(
    replicates: Replicates, names: Sequence[str], order: Indices, resampling: Resampling
) -> list[dict[str, Json]]:
    rows: list[dict[str, Json]] = []
    for rank, k in enumerate(order, 1):
        interval, value = outcome(replicates, resampling, column=int(k)).interval, float(replicates.value[k])
        ends = {"low": interval.low if interval else None, "high": interval.high if interval else None}
        rows.append(
            {"kind": "system", "system": names[k], "rank": rank, "value": value, **ends, "chance": _chance(value)}
        )
    return rows


def _pair_rows(
    replicates: Replicates, names: Sequence[str], pairs: Sequence[tuple[int, int]], resampling: Resampling
) -> list[dict[str, Json]]:
    """The stronger of two comes first."""
    rows: list[dict[str, Json]] = []
    for column, (i, j) in enumerate(pairs, len(names) + 1):
        found, value = outcome(replicates, resampling, column=column, null=0.0), float(replicates.value[column])
        first, second = (names[i], names[j]) if value >= 0 else (names[j], names[i])
        ends = (
            sorted(np.sign(value or 1.0) * end for end in (found.interval.low, found.interval.high))
            if found.interval
            else (None, None)
        )
        rows.append(
            {
                "kind": "pair",
                "system": first,
                "other": second,
                "value": abs(value),
                "low": ends[0],
                "high": ends[1],
                "p": found.p,
                "chance": _chance(abs(value)),
            }
        )
    return rows

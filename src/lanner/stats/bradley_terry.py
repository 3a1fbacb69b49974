"""Strengths of systems from paired comparisons with ties (Bradley & Terry 1952; Davidson 1970, J. Am. Stat. Assoc. 65).

System i has worth πᵢ; with i against j, P(i wins) ∝ πᵢ, P(j wins) ∝ πⱼ, P(tie) ∝ ν√(πᵢπⱼ). The strengths λᵢ = log πᵢ
are centred at zero and fitted by maximum likelihood; without any tie ν is 0 and the model is Bradley and Terry's.

Intervals are those of the chance to win, Wilson's over documents (see `outcome`), carried to the scale of strengths;
for two systems without ties they are those of the share of wins. What a document pulls on the strengths is one step of
Newton's method without it, which is finite also where leaving out the only defeat would leave no maximum. All resamples
of a bootstrap asked for by name are fitted at once on counts per pair.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
from scipy.optimize import linprog

from lanner.model import Json, Result
from lanner.stats.numbering import shared_ranks
from lanner.stats.outcome import Outcome, holm, outcome, share_outcome
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
        features, counts = self._select_features(counts)
        size = features.shape[2]
        at = np.zeros((len(counts), size))
        total = counts.sum(axis=2)
        for _ in range(60):
            slope, spread = self._derivatives(features, counts, at)
            scale = np.maximum(total.sum(axis=1), 1.0)[:, None, None]
            step = np.linalg.solve(spread + scale * self._ridge(size), slope[..., None])[..., 0]
            step *= np.minimum(1.0, 2.0 / np.maximum(np.abs(step).max(axis=1), 1e-300))[:, None]
            at = np.clip(at + step, -2 * _FAR, 2 * _FAR)
            if float(np.abs(step).max(initial=0.0)) < 1e-9:
                break
        strengths = at[:, : self.systems] - at[:, : self.systems].mean(axis=1, keepdims=True)
        log_tie = at[:, self.systems :] if self.ties else np.full((len(at), 1), -np.inf)
        far = np.abs(strengths).max(axis=1, initial=0.0) > _FAR
        return np.where(far[:, None], np.nan, np.hstack([strengths, log_tie]))

    def has_maximum(self, counts: Array) -> bool:
        """Whether the counts (pairs × 3) have a most likely fit: no direction in which the parameters could run for
        ever without any answer becoming less likely. Ties alone do not hold two systems together: where one never
        loses, wins and ties both become likelier the farther apart the systems are and the commoner ties."""
        features, used_counts = self._select_features(counts[None])
        shape = (len(self.pairs), *[features.shape[1]] * 2)
        gains = (features[:, :, None] - features[:, None])[np.broadcast_to(used_counts[0][:, :, None] > 0, shape)]
        gains = gains[:, 1:]  # strengths are known up to a constant: the first stands still
        if np.linalg.matrix_rank(gains) < gains.shape[1]:
            return False
        free = linprog(-gains.sum(axis=0), A_ub=-gains, b_ub=np.zeros(len(gains)), bounds=(-1, 1))
        return bool(-free.fun < 1e-9)

    def without_each(self, at: Array, counts: Array) -> Array:
        """Parameters without each unit (units × pairs × 3), by one Newton step from the fit `at` of all of them."""
        features, counts = self._select_features(counts)
        size = features.shape[2]
        slope, spread = self._derivatives(features, counts, np.broadcast_to(at[:size], (len(counts), size)))
        whole = spread.sum(axis=0) + max(1.0, float(counts.sum())) * self._ridge(size)
        steps = np.stack([_solve_or_nan(whole - own, -pull) for own, pull in zip(spread, slope, strict=True)])
        steps[:, : self.systems] -= steps[:, : self.systems].mean(axis=1, keepdims=True)
        left_out = np.broadcast_to(at, (len(counts), len(at))).copy()
        left_out[:, :size] += steps
        return left_out

    def _select_features(self, counts: Array) -> tuple[Array, Array]:
        if self.ties:
            return self._features, counts
        return self._features[:, :2, : self.systems], counts[:, :, :2]

    def _ridge(self, size: int) -> Array:
        """Strengths are only defined up to a constant; this settles it and touches nothing else."""
        ridge = 1e-10 * np.eye(size)
        ridge[: self.systems, : self.systems] += 1.0 / self.systems
        return ridge

    @staticmethod
    def _derivatives(features: Array, counts: Array, at: Array) -> tuple[Array, Array]:
        """Slope and curvature of the log likelihood, for each row of counts at its own parameters."""
        total = counts.sum(axis=2)
        logit = np.einsum("mop,bp->bmo", features, at)
        chance = np.exp(logit - logit.max(axis=2, keepdims=True))
        chance /= chance.sum(axis=2, keepdims=True)
        slope = np.einsum("bmo,mop->bp", counts - total[..., None] * chance, features)
        mean = np.einsum("bmo,mop->bmp", chance, features)
        spread = np.einsum("bm,bmo,mop,moq->bpq", total, chance, features, features, optimize=True)
        spread -= np.einsum("bm,bmp,bmq->bpq", total, mean, mean, optimize=True)
        return slope, spread


def _solve_or_nan(matrix: Array, right: Array) -> Array:
    if np.linalg.cond(matrix) > 1e12:
        return np.full(len(right), np.nan)
    return np.asarray(np.linalg.solve(matrix, right))


def bradley_terry(
    data: Any,
    question: str = "",
    *,
    judges: Sequence[str] = (),
    sides: tuple[str, str] | None = None,
    resampling: Resampling | None = None,
) -> Result:
    """Strengths of all systems, best first, and the difference of every two, with intervals over documents.

    Rows: "system" with strength (log worth, mean 0) and the chance to win against an average system when there is no
    tie; "pair" with the difference, its p, p_holm (corrected for the number of pairs) and the chance that the first is
    preferred; "ties" with ν. The Result's value is the strength of the best. Undefined where some systems never lost
    to the others (`Davidson.has_maximum`).
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
    outcomes = table["won"].to_numpy()
    column = at * 3 + np.select([outcomes == 1, outcomes == -1], [0, 1], 2)
    unit, count = units(table, resampling.unit)
    sums = group_sums(np.eye(3 * len(pairs))[column], unit, count)
    whole = sums.sum(axis=0).reshape(-1, 3)
    counts = {"items": len(outcomes), "judges": table["judge"].n_unique(), "documents": count, "systems": len(names)}
    model = Davidson(len(names), pairs, bool(whole[:, 2].any()))
    if not model.has_maximum(whole):
        why = "some systems never lost to the others, so how much stronger they are has no bound."
        if not whole[:, :2].any():
            why = "every comparison was a tie."
        rows = _odds_bounds(names, sums, resampling) if len(names) == 2 else []
        return replace(undefined(name, why, counts=counts), rows=rows)
    twos = list(combinations(range(len(names)), 2))

    def finish(total: Array) -> Array:
        return _with_differences(model.fit(total.reshape(len(total), -1, 3)), twos)

    if resampling.chosen_method == "t":
        value = model.fit(whole[None])[0]
        left_out = _with_differences(model.without_each(value, sums.reshape(count, -1, 3)), twos)
        replicates = Replicates(
            _with_differences(value[None], twos)[0], np.empty((0, left_out.shape[1])), left_out, count
        )
    else:
        replicates = replicate_sums(sums, finish, resampling)
    order = np.argsort(-replicates.value[: len(names)], kind="stable")
    pair_rows = _pair_rows(replicates, names, twos, resampling)
    for row, p_holm in zip(pair_rows, holm([row["p"] for row in pair_rows]), strict=True):
        row["p_holm"] = p_holm
    rows = [*_system_rows(replicates, names, order, resampling), *pair_rows]
    rows.append({"kind": "ties", "value": float(np.exp(replicates.value[len(names)]))})
    top = _spread(replicates, int(order[0]), resampling)
    signature = sign("Bradley–Terry", resampling, top.interval, ties="Davidson" if model.ties else "none seen")
    value_of_best = float(replicates.value[order[0]])
    return Result(
        name, value_of_best, top.interval, None, counts, rows=rows, notes=(*notes, *top.notes), signature=signature
    )


def _with_differences(parameters: Array, pairs: Sequence[tuple[int, int]]) -> Array:
    return np.hstack([parameters, np.stack([parameters[:, i] - parameters[:, j] for i, j in pairs], axis=1)])


def _odds_bounds(names: Sequence[str], sums: Array, resampling: Resampling) -> list[dict[str, Json]]:
    """Of two systems one never lost: how low the odds may be, by Wilson's bound on the share of wins. Documents with
    ties alone say nothing to it."""
    wins = float(sums[:, 0].sum())
    outcomes, other = (names[0], names[1]) if wins else (names[1], names[0])
    documents = int(sums[:, :2].any(axis=1).sum())
    if documents < 2:
        return []
    spread = share_outcome(1.0, 0.0, documents, resampling, null=0.5)
    low = _log_odds(spread.interval.low) if spread.interval else None
    row = {"kind": "pair", "system": outcomes, "other": other, "value": None, "low": low, "high": None}
    return [{**row, "p": spread.p, "chance": 1.0}]


def _spread(replicates: Replicates, column: int, resampling: Resampling, null: float | None = None) -> Outcome:
    """Interval and p of a strength or a difference of strengths."""
    if resampling.chosen_method != "t":
        return outcome(replicates, resampling, column=column, null=null)
    steps = replicates.jackknife[:, column] - replicates.value[column]
    units = len(steps) if np.isnan(steps).any() else int((np.abs(steps) > 1e-12 * np.abs(steps).max(initial=0)).sum())
    if replicates.units < 2 or resampling.method == "none":
        return outcome(replicates, resampling, column=column)
    units = max(units, 2)
    chance = _chance(float(replicates.value[column]))
    variance = (chance * (1 - chance)) ** 2 * replicates.variance_of(column, units)
    estimate = share_outcome(chance, variance, units, resampling, null=None if null is None else _chance(null))
    if estimate.interval is None:
        return estimate
    ends = (_log_odds(estimate.interval.low), _log_odds(estimate.interval.high))
    return replace(estimate, interval=replace(estimate.interval, low=ends[0], high=ends[1]))


def _log_odds(chance: float) -> float:
    return float(np.log(chance) - np.log1p(-chance)) if 0 < chance < 1 else float(np.copysign(np.inf, chance - 0.5))


def _chance(difference: float) -> float:
    return float(1 / (1 + np.exp(-difference)))


def _system_rows(
    replicates: Replicates, names: Sequence[str], order: Indices, resampling: Resampling
) -> list[dict[str, Json]]:
    rows: list[dict[str, Json]] = []
    ranks = shared_ranks([float(replicates.value[k]) for k in order])
    for rank, k in zip(ranks, order, strict=True):
        interval, value = _spread(replicates, int(k), resampling).interval, float(replicates.value[k])
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
        estimate, value = _spread(replicates, column, resampling, null=0.0), float(replicates.value[column])
        first, second = (names[i], names[j]) if value >= 0 else (names[j], names[i])
        ends = (
            sorted(float(np.sign(value or 1.0)) * end for end in (estimate.interval.low, estimate.interval.high))
            if estimate.interval
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
                "p": estimate.p,
                "chance": _chance(abs(value)),
            }
        )
    return rows

"""Meta-evaluation: how well scorers (metrics, models, people) agree with gold about systems and segments.

Everything is computed from aligned arrays, systems × segments; a missing cell is missing for that cell only and never
moves another. See `tie_accuracy`, `pairwise_accuracy`, `gold_correlation` and `scorer_comparison` for definitions.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from lanner.errors import StatisticError, did_you_mean
from lanner.model import Json, Result
from lanner.stats.metric_accuracy import (
    Calibrated,
    Kind,
    Over,
    SoftAccuracy,
    calibrated,
    chance,
    correlation,
    cross_validated,
    pairwise_accuracy,
    swaps,
)
from lanner.stats.metric_tests import (
    accuracy_tests,
    kendall_tests,
    pearson_tests,
    rank_groups,
    soft_accuracy_tests,
    system_accuracy_tests,
    where_whole,
    williams,
)
from lanner.stats.resample import Array, Resampling, sign
from lanner.stats.scores import items

_KINDS: tuple[Kind, ...] = ("pearson", "spearman", "kendall")
_OVER: tuple[tuple[str, Over], ...] = (("segment", "pooled"), ("item", "item"), ("system", "system"))


@dataclass(frozen=True, slots=True)
class Scorer:
    """One scorer's numbers: `segments` is systems × segments; `system` its own system scores, where it has any."""

    name: str
    systems: tuple[str, ...]
    segments: Array
    system: Array | None = None

    def of(self, systems: Sequence[str]) -> Array:
        """The rows of these systems; a system it has not scored is all missing."""
        place = {name: at for at, name in enumerate(self.systems)}
        blank = np.full(self.segments.shape[1], np.nan)
        return np.stack([self.segments[place[name]] if name in place else blank for name in systems])

    def released(self, systems: Sequence[str]) -> Array | None:
        if self.system is None:
            return None
        told = dict(zip(self.systems, self.system, strict=True))
        return np.array([told.get(name, np.nan) for name in systems])


def metaeval(
    gold: Scorer,
    scorers: Sequence[Scorer],
    *,
    without: Collection[str] = (),
    documents: Sequence[str] = (),
    swaps_of_segments: int = 1000,
    folds: int = 5,
    seed: int = 0,
    compat: bool = False,
) -> Result:
    """Every scorer against gold, on the systems that gold has scored, `without` some (references, as a rule), and the
    segments that gold has scored.

    Rows, best acc_eq first: metric, acc_eq with its threshold, acc_eq_cv (threshold from other documents),
    sys_pairwise_accuracy (means over the segments gold scored), sys_pairwise_accuracy_released (the scorer's own system
    scores), spa (mid-p) and spa_original (as mt-metrics-eval), Pearson, Spearman and Kendall pooled (segment_…),
    averaged over segments (item_…) and over systems (system_…), missing (cells that gold has and the scorer lacks),
    sys_pearson (over systems' means), and group (acc_eq, see `rank_groups`). The Result's value is the chance level of
    acc_eq. `compat` puts mt-metrics-eval's own numbers into the same columns, see `as_peer`.
    """
    kept = _systems(gold, without)
    truth = gold.of(kept)
    scored = ~np.isnan(truth).all(axis=0)
    truth = truth[:, scored]
    parts = _folds([documents[int(at)] for at in np.flatnonzero(scored)] if documents else int(scored.sum()), folds)
    soft = SoftAccuracy(truth, swaps(truth.shape[1], swaps_of_segments, seed))
    rows: list[dict[str, Any]] = []
    made: list[Calibrated] = []
    for scorer in scorers:
        scores = scorer.of(kept)[:, scored]
        made.append(calibrated(truth, scores))
        row = _row(scorer, gold, kept, truth=truth, scores=scores, accuracy=made[-1], parts=parts, soft=soft)
        rows.append(as_peer(row) if compat else row)
    for row, group in zip(rows, rank_groups([_low(r["acc_eq"]) for r in rows], accuracy_tests(made)), strict=True):
        row["group"] = group
    rows.sort(key=lambda row: (-_low(row["acc_eq"]), row["metric"]))
    result = _result(gold, rows, truth, kept, swaps_of_segments, folds, seed)
    return replace(result, notes=(*result.notes, _PEER)) if compat else result


def _systems(gold: Scorer, without: Collection[str]) -> list[str]:
    """The systems gold has scored, by name, `without` some."""
    kept = sorted(
        name
        for name, row in zip(gold.systems, gold.segments, strict=True)
        if name not in without and not np.isnan(row).all()
    )
    if len(kept) < 2:
        raise StatisticError("Gold has scored fewer than two systems.", next_step="Name other gold scores.")
    return kept


def _row(
    scorer: Scorer,
    gold: Scorer,
    systems: Sequence[str],
    *,
    truth: Array,
    scores: Array,
    accuracy: Calibrated,
    parts: Any,
    soft: SoftAccuracy,
) -> dict[str, Any]:
    both = np.isnan(truth) | np.isnan(scores)
    mid, original = soft.of(scores)
    own, known = scorer.released(systems), gold.released(systems)
    mean, guess = _means(truth, both), _means(scores, both)
    told = None if own is None or known is None else (known, own)
    return {
        "metric": scorer.name,
        "acc_eq": accuracy.accuracy,
        "threshold": accuracy.threshold,
        "acc_eq_cv": cross_validated(truth, scores, parts),
        "sys_pairwise_accuracy": pairwise_accuracy(mean, guess),
        "sys_pairwise_accuracy_released": told and pairwise_accuracy(*told),
        "sys_pearson": correlation(mean[None], guess[None]),
        "sys_pearson_released": told and correlation(told[0][None], told[1][None]),
        "spa": mid,
        "spa_original": original,
        **{f"{name}_{kind}": correlation(truth, scores, kind, over) for name, over in _OVER for kind in _KINDS},
        "missing": int((np.isnan(scores) & ~np.isnan(truth)).sum()),
        "n": int((~both).sum()),
    }


_PEER = (
    "As mt-metrics-eval: system scores are the released ones, soft accuracy depends on the order of systems and counts "
    "equal permutations for the first, and a correlation that is not defined counts 0."
)


def as_peer(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row with mt-metrics-eval's numbers where ours differ: soft accuracy by its draws and its rule for ties, system
    scores as they were released rather than means over the segments gold scored, 0 for an undefined correlation."""
    made = dict(row, spa=row["spa_original"])
    for name in ("sys_pairwise_accuracy", "sys_pearson"):
        if row[f"{name}_released"] is not None:
            made[name] = row[f"{name}_released"]
    undefined = [name for name, value in made.items() if isinstance(value, float) and np.isnan(value)]
    return made | {name: 0.0 for name in undefined if name.endswith(_KINDS)}


def _means(scores: Array, missing: Any) -> Array:
    count = (~missing).sum(axis=1)
    return np.where(count > 0, np.where(missing, 0.0, scores).sum(axis=1) / np.maximum(count, 1), np.nan)


def _low(value: float) -> float:
    return -1.0 if np.isnan(value) else value


def _folds(documents: Sequence[str] | int, folds: int) -> Any:
    """Whole documents are kept together, in turn; without documents, segments in turn."""
    if isinstance(documents, int):
        return np.arange(documents) % folds
    order = {name: at for at, name in enumerate(dict.fromkeys(documents))}
    return np.array([order[name] % folds for name in documents], np.intp)


def _result(  # noqa: PLR0917
    gold: Scorer, rows: list[dict[str, Any]], truth: Array, systems: list[str], k: int, folds: int, seed: int
) -> Result:
    level = chance(truth)
    notes = [f"A scorer that knows nothing reaches acc_eq {level:.5f}."]
    gaps = [row for row in rows if row["missing"]]
    if gaps:
        told = ", ".join(f"{row['metric']} {row['missing']:,}" for row in gaps[:6])
        notes.append(f"{len(gaps)} scorers lack scores that gold has; their pairs are left out: {told}.")
    if holes := int(np.isnan(truth).sum()):
        notes.append(f"Gold lacks {holes:,} of {truth.size:,} cells.")
    signature = sign(
        "meta-evaluation",
        Resampling(),
        None,
        gold=gold.name,
        systems=str(len(systems)),
        segments=str(truth.shape[1]),
        acc_eq="exact threshold, mean over segments",
        spa=f"mid-p, {k} swaps, seed {seed}",
        cross_validated=f"{folds} folds of documents",
    )
    counts = {"items": int((~np.isnan(truth)).sum()), "systems": len(systems), "segments": truth.shape[1]}
    done: list[Mapping[str, Json]] = list(rows)
    return Result("meta-evaluation", level, counts=counts, rows=done, notes=tuple(notes), signature=signature)


TESTS = ("acc_eq", "spa", "sys_pairwise_accuracy", "sys_pearson", "segment_pearson", "item_kendall", "williams")
QUICK = tuple(name for name in TESTS if name not in ("spa", "item_kendall"))


def comparisons(
    gold: Scorer,
    scorers: Sequence[Scorer],
    *,
    without: Collection[str] = (),
    tests: Sequence[str] = TESTS,
    k: int = 1000,
    seed: int = 0,
) -> Result:
    """Every ordered pair of scorers: rows metric, other and p_… of each test, one-sided: small says that `metric` is
    better. acc_eq is exact; spa, sys_pairwise_accuracy and sys_pearson (over systems' means), segment_pearson (pooled)
    and item_kendall (τ_b within segments) are PERM-BOTH with k swaps; williams is on segment_pearson."""
    for name in tests:
        if name not in TESTS:
            raise StatisticError(f"There is no test {name!r}.", next_step=did_you_mean(name, TESTS))
    kept = _systems(gold, without)
    truth = gold.of(kept)
    scored = ~np.isnan(truth).all(axis=0)
    truth = truth[:, scored]
    tables = [scorer.of(kept)[:, scored] for scorer in scorers]
    missing = np.isnan(truth)
    means = [_means(table, missing | np.isnan(table)) for table in tables]
    mean = _means(truth, missing)
    made: dict[str, Callable[[], Array]] = {
        "acc_eq": lambda: accuracy_tests([calibrated(truth, table) for table in tables], seed=seed),
        "spa": lambda: where_whole(truth, tables, partial(soft_accuracy_tests, k=k, seed=seed)),
        "sys_pairwise_accuracy": lambda: where_whole(mean, means, partial(system_accuracy_tests, k=k, seed=seed)),
        "sys_pearson": lambda: where_whole(mean, means, partial(pearson_tests, k=k, seed=seed)),
        "segment_pearson": lambda: where_whole(truth, tables, partial(pearson_tests, k=k, seed=seed)),
        "item_kendall": lambda: where_whole(truth, tables, partial(kendall_tests, k=k, seed=seed)),
        "williams": lambda: _williams(truth, tables),
    }
    found = {name: made[name]() for name in tests}
    rows = [
        {"metric": one.name, "other": two.name, **{f"p_{name}": float(ps[a, b]) for name, ps in found.items()}}
        for a, one in enumerate(scorers)
        for b, two in enumerate(scorers)
        if a != b
    ]
    signature = sign("scorer comparisons", Resampling(), None, gold=gold.name, swaps=str(k), seed=str(seed))
    return Result("scorer comparisons", None, rows=rows, signature=signature)


def _williams(truth: Array, tables: Sequence[Array]) -> Array:
    """Williams' test of every ordered pair on the cells that gold and both scorers have."""
    ps = np.ones((len(tables), len(tables)))
    for a, one in enumerate(tables):
        for b, two in enumerate(tables):
            if a < b:
                known = ~np.isnan(truth) & ~np.isnan(one) & ~np.isnan(two)
                first, second, between = (
                    correlation(x[known][None], y[known][None]) for x, y in ((truth, one), (truth, two), (one, two))
                )
                ps[a, b] = williams(first, second, between, int(known.sum()))
                ps[b, a] = 1 - ps[a, b]
    return ps


def scorers_of(data: Any, of: str, gold: str) -> tuple[Scorer, list[Scorer], list[str]]:
    """Gold and the other judges of a tidy table as scorers, with each segment's document. Judges of any kind."""
    names = pl.DataFrame(data)["judge"].unique().sort().to_list() if isinstance(data, pl.DataFrame) else []
    if gold not in names:
        raise StatisticError(f"There is no judge {gold!r}.", next_step=did_you_mean(gold, names))
    tables = {name: items(data, of, judges=[name]).table for name in names}
    places = pl.concat(list(tables.values())).select("document", "segment").unique().sort("document", "segment")
    systems = tuple(pl.concat(list(tables.values()))["system"].unique().sort())
    made = []
    for name, table in tables.items():
        wide = places.join(
            table.pivot("system", index=["document", "segment"], values="score", aggregate_function="mean"),
            on=["document", "segment"],
            how="left",
            maintain_order="left",
        )
        blank = np.full(len(places), np.nan)
        cells = [wide[s].fill_null(float("nan")).to_numpy() if s in wide.columns else blank for s in systems]
        made.append(Scorer(name, systems, np.stack(cells)))
    first = next(scorer for scorer in made if scorer.name == gold)
    return first, [scorer for scorer in made if scorer is not first], places["document"].to_list()

"""Meta-evaluation: how well scorers (metrics, models, people) agree with gold about systems and segments.

Everything is computed from aligned arrays, systems × segments; a missing cell is missing for that cell only and never
moves another. Documents are the unit of every interval and test: see `metric_accuracy`, also for the statistics. With
`as_wmt24` cells are swapped one by one, as the shared tasks did.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from lanner.errors import StatisticError, check_known
from lanner.model import Json, Result
from lanner.model.messages import in_number
from lanner.stats.association import Coefficient, ValuePairs, without_each
from lanner.stats.metric_accuracy import (
    FEWEST,
    CalibratedAccuracy,
    Kind,
    Over,
    SoftAccuracy,
    accuracy_tests,
    accuracy_tests_by_document,
    by_segment,
    calibrated,
    chance,
    correlation,
    correlation_of_segments,
    cross_validated,
    document_tests,
    kendall_tests,
    pairwise_accuracy,
    pearson_tests,
    rank_groups,
    soft_accuracy_tests,
    swaps,
    system_accuracy_tests,
    where_whole,
    williams,
)
from lanner.stats.resample import Array, Indices, Replicates, Resampling, Scale, number_or_none, outcome, sign

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
        by_system = dict(zip(self.systems, self.system, strict=True))
        return np.array([by_system.get(name, np.nan) for name in systems])


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
    as_wmt24: bool = False,
) -> Result:
    """Every scorer against gold, on the systems that gold has scored, `without` some (references, as a rule), and the
    segments that gold has scored.

    Rows, best acc_eq first: metric, acc_eq with its threshold, acc_eq_cv (threshold from other documents),
    sys_pairwise_accuracy (means over the segments gold scored), sys_pairwise_accuracy_released (the scorer's own system
    scores), spa (mid-p) and spa_original (as mt-metrics-eval), Pearson, Spearman and Kendall pooled (segment_…),
    averaged over segments (item_…) and over systems (system_…), missing (cells that gold has and the scorer lacks),
    sys_pearson (over systems' means), and group (acc_eq, see `rank_groups`). acc_eq and the correlations have intervals
    over `documents` (…_low, …_high). The Result's value is the chance level of acc_eq. `compat` puts mt-metrics-eval's
    own numbers into the same columns, see `as_peer`; `as_wmt24` groups scorers by swapping cells one by one.
    """
    system_rows = _systems(gold, without)
    truth = gold.of(system_rows)
    has_gold = ~np.isnan(truth).all(axis=0)
    truth = truth[:, has_gold]
    document, notes = _documents(documents, has_gold)
    parts = document % folds
    soft = SoftAccuracy(truth, swaps(truth.shape[1], swaps_of_segments, seed))
    rows: list[dict[str, Any]] = []
    accuracies: list[CalibratedAccuracy] = []
    for scorer in scorers:
        scores = scorer.of(system_rows)[:, has_gold]
        accuracies.append(calibrated(truth, scores))
        row = _row(
            scorer, gold, system_rows, truth=truth, scores=scores, accuracy=accuracies[-1], parts=parts, soft=soft
        )
        row |= _intervals(row, truth, scores, accuracies[-1], document)
        rows.append(as_peer(row) if compat else row)
    if as_wmt24:
        ps = accuracy_tests(accuracies)
        notes += (AS_WMT24,)
    else:
        ps = accuracy_tests_by_document(accuracies, document, seed=seed)
        if len(np.unique(document)) < FEWEST:
            notes += (FEW_DOCUMENTS.format(n=len(np.unique(document))),)
    for row, group in zip(rows, rank_groups([_low(r["acc_eq"]) for r in rows], ps), strict=True):
        row["group"] = group
    rows.sort(key=lambda row: (-_low(row["acc_eq"]), row["metric"]))
    result = _result(gold, rows, truth, system_rows, swaps_of_segments, len(np.unique(parts)), seed)
    return replace(result, notes=(*result.notes, *notes, *((_PEER,) if compat else ())))


AS_WMT24 = (
    "As the WMT24 metrics task: scores are swapped cell by cell, as if segments of one document were independent. In "
    "simulated tasks of 20 documents with equally good metrics such tests are below 5 % in 11 to 17 % of comparisons."
)
FEW_DOCUMENTS = "With fewer than 5 documents ({n}) no test can tell two scorers apart."
NO_DOCUMENTS = "It is not known which segments make a document: every segment counts as one, which finds too much."


def _documents(documents: Sequence[str], has_gold: Any) -> tuple[Indices, tuple[str, ...]]:
    """The document of each segment that gold has scored, numbered in order; segments themselves where none is known."""
    if not len(documents):
        return np.arange(int(has_gold.sum()), dtype=np.intp), (NO_DOCUMENTS,)
    order: dict[str, int] = {}
    names = [documents[int(at)] for at in np.flatnonzero(has_gold)]
    return np.array([order.setdefault(name, len(order)) for name in names], np.intp), ()


def _intervals(
    row: Mapping[str, Any], truth: Array, scores: Array, accuracy: CalibratedAccuracy, document: Indices
) -> dict[str, float | None]:
    """`…_low` and `…_high` of acc_eq (at its threshold) and of every correlation, over documents."""
    ends: dict[str, float | None] = {}

    def add(name: str, left_out: Array, scale: Scale) -> None:
        replicates = Replicates(np.array([row[name]]), np.empty((0, 1)), left_out[:, None], len(left_out))
        interval = outcome(replicates, Resampling(), scale=scale).interval
        ends[f"{name}_low"], ends[f"{name}_high"] = (interval.low, interval.high) if interval else (None, None)

    add("acc_eq", _means_without_each(by_segment(accuracy.correct.astype(float), accuracy.known), document), "share")
    for name, left_out in correlations_without_each(truth, scores, document).items():
        add(name, left_out, "fisher")
    return ends


def _means_without_each(values: Array, document: Indices) -> Array:
    """The mean over segments without each document that has a value; segments without one are left out."""
    valid = ~np.isnan(values)
    home = document[valid]
    total, count = np.bincount(home, weights=values[valid]), np.bincount(home)
    used = count > 0
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((total.sum() - total[used]) / (count.sum() - count[used]))


def correlations_without_each(truth: Array, scores: Array, document: Indices) -> dict[str, Array]:
    """Every correlation of `metaeval` without each document: over all segments, within systems, within segments, and
    of the systems' means."""
    valid = ~np.isnan(truth) & ~np.isnan(scores)
    systems, segments = np.nonzero(valid)
    values_by_name: dict[str, Array] = {}
    units = np.unique(document[segments])
    place = np.searchsorted(units, document)
    names: tuple[Coefficient, ...] = ("pearson", "spearman", "kendall_b")
    whole = ValuePairs(truth[valid], scores[valid], place[segments], len(units))
    values = np.array([correlation(truth, scores, kind, "pooled") for kind in _KINDS])
    no_values = np.full((len(units), 3), np.nan)
    over_segments = without_each(whole, values, names) if min(whole.levels) > 1 else no_values
    means = []
    for system in np.unique(systems):
        own = systems == system
        cells = (system, segments[own])
        pairs = ValuePairs(truth[cells], scores[cells], place[segments[own]], len(units))
        if min(pairs.levels) > 1:
            own_values = np.array([correlation(truth[cells][None], scores[cells][None], kind) for kind in _KINDS])
            means.append(without_each(pairs, own_values, names))
    by_system = np.mean(means, axis=0) if means else no_values
    for column, kind in enumerate(_KINDS):
        values_by_name[f"segment_{kind}"] = over_segments[:, column]
        values_by_name[f"system_{kind}"] = by_system[:, column]
        values_by_name[f"item_{kind}"] = _means_without_each(correlation_of_segments(truth, scores, kind), document)
    values_by_name["sys_pearson"] = _system_pearson_without_each(truth, scores, document, units)
    return values_by_name


def _system_pearson_without_each(truth: Array, scores: Array, document: Indices, units: Indices) -> Array:
    valid = ~np.isnan(truth) & ~np.isnan(scores)
    x, y = np.where(valid, truth, 0.0), np.where(valid, scores, 0.0)
    values = []
    for one in units:
        others = document != one
        count = valid[:, others].sum(axis=1)
        gold, own = (
            np.where(count > 0, side[:, others].sum(axis=1) / np.maximum(count, 1), np.nan)[None] for side in (x, y)
        )
        values.append(correlation(gold, own))
    return np.array(values)


def _systems(gold: Scorer, without: Collection[str]) -> list[str]:
    """The systems gold has scored, by name, `without` some."""
    order = sorted(
        name
        for name, row in zip(gold.systems, gold.segments, strict=True)
        if name not in without and not np.isnan(row).all()
    )
    if len(order) < 2:
        raise StatisticError("Gold has scored fewer than two systems.", next_step="Name other gold scores.")
    return order


def _row(
    scorer: Scorer,
    gold: Scorer,
    systems: Sequence[str],
    *,
    truth: Array,
    scores: Array,
    accuracy: CalibratedAccuracy,
    parts: Any,
    soft: SoftAccuracy,
) -> dict[str, Any]:
    both = np.isnan(truth) | np.isnan(scores)
    mid, original = soft.of(scores)
    own, gold_scores = scorer.released(systems), gold.released(systems)
    mean, guess = _means(truth, both), _means(scores, both)
    released_scores = None if own is None or gold_scores is None else (gold_scores, own)
    return {
        "metric": scorer.name,
        "acc_eq": accuracy.accuracy,
        "threshold": accuracy.threshold,
        "acc_eq_cv": cross_validated(truth, scores, parts),
        "sys_pairwise_accuracy": pairwise_accuracy(mean, guess),
        "sys_pairwise_accuracy_released": released_scores and pairwise_accuracy(*released_scores),
        "sys_pearson": correlation(mean[None], guess[None]),
        "sys_pearson_released": released_scores and correlation(released_scores[0][None], released_scores[1][None]),
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
    renamed_row = dict(row, spa=row["spa_original"])
    for name in ("sys_pairwise_accuracy", "sys_pearson"):
        if row[f"{name}_released"] is not None:
            renamed_row[name] = row[f"{name}_released"]
    undefined_names = [name for name, value in renamed_row.items() if isinstance(value, float) and np.isnan(value)]
    return renamed_row | {name: 0.0 for name in undefined_names if name.endswith(_KINDS)}


def _means(scores: Array, missing: Any) -> Array:
    count = (~missing).sum(axis=1)
    return np.where(count > 0, np.where(missing, 0.0, scores).sum(axis=1) / np.maximum(count, 1), np.nan)


def _low(value: float) -> float:
    return -1.0 if np.isnan(value) else value


def _result(  # noqa: PLR0917
    gold: Scorer, rows: list[dict[str, Any]], truth: Array, systems: list[str], k: int, folds: int, seed: int
) -> Result:
    level = number_or_none(chance(truth))
    notes = ["Undefined: gold has scored no segment of two systems."]
    if level is not None:
        notes = [f"A scorer that knows nothing reaches acc_eq {level:.5f}."]
    gaps = [row for row in rows if row["missing"]]
    if gaps:
        listing = ", ".join(f"{row['metric']} {row['missing']:,}" for row in gaps[:6])
        one, many = "{n} scorer lacks scores that gold has; its", "{n} scorers lack scores that gold has; their"
        notes.append(f"{in_number(len(gaps), one, many)} pairs are left out: {listing}.")
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
        cross_validated=f"{folds} folds of documents" if folds > 1 else "",
    )
    counts = {"items": int((~np.isnan(truth)).sum()), "systems": len(systems), "segments": truth.shape[1]}
    known: list[Mapping[str, Json]] = [
        {name: number_or_none(value) if isinstance(value, float) else value for name, value in row.items()}
        for row in rows
    ]
    return Result("meta-evaluation", level, counts=counts, rows=known, notes=tuple(notes), signature=signature)


TESTS = ("acc_eq", "spa", "sys_pairwise_accuracy", "sys_pearson", "segment_pearson", "item_kendall", "williams")
QUICK = tuple(name for name in TESTS if name not in ("spa", "item_kendall"))


def comparisons(
    gold: Scorer,
    scorers: Sequence[Scorer],
    *,
    without: Collection[str] = (),
    documents: Sequence[str] = (),
    tests: Sequence[str] = TESTS,
    k: int = 1000,
    seed: int = 0,
    as_wmt24: bool = False,
) -> Result:
    """Every ordered pair of scorers: rows metric, other and p_… of each test, one-sided: small says that `metric` is
    better; None where a test has no answer, and a note why.

    acc_eq, spa, sys_pairwise_accuracy and sys_pearson (over systems' means), segment_pearson (pooled) and item_kendall
    (τ_b within segments) are PERM-BOTH: k swaps of whole `documents`. williams compares two correlations that share
    gold, by their difference over its standard error across documents. With `as_wmt24` cells are swapped one by one,
    acc_eq is the exact sign test over pairs and williams is Williams' t: as published, and too often significant.
    """
    for name in tests:
        check_known(name, TESTS, f"There is no test {name!r}.", StatisticError)
    system_rows = _systems(gold, without)
    truth = gold.of(system_rows)
    has_gold = ~np.isnan(truth).all(axis=0)
    truth = truth[:, has_gold]
    tables = [scorer.of(system_rows)[:, has_gold] for scorer in scorers]
    document, notes = _documents(documents, has_gold)
    if as_wmt24:
        cells = _by_cell(truth, tables, tests, k, seed)
        notes = (AS_WMT24,)
    else:
        cells = {name: document_tests(name, truth, tables, document, k=k, seed=seed) for name in tests}
        if len(np.unique(document)) < FEWEST:
            notes += (FEW_DOCUMENTS.format(n=len(np.unique(document))),)
    rows: list[dict[str, Json]] = [
        {
            "metric": one.name,
            "other": two.name,
            **{f"p_{name}": number_or_none(ps[a, b]) for name, ps in cells.items()},
        }
        for a, one in enumerate(scorers)
        for b, two in enumerate(scorers)
        if a != b
    ]
    notes += _without_p(scorers, truth, tables)
    how = "cell by cell, as WMT24" if as_wmt24 else "by document"
    signature = sign("scorer comparisons", Resampling(), None, gold=gold.name, swaps=f"{k} {how}", seed=str(seed))
    return Result("scorer comparisons", None, rows=rows, notes=notes, signature=signature)


def _without_p(scorers: Sequence[Scorer], truth: Array, tables: Sequence[Array]) -> tuple[str, ...]:
    """Why some tests have no answer."""
    notes = []
    for scorer, table in zip(scorers, tables, strict=True):
        cells = table[~np.isnan(truth) & ~np.isnan(table)]
        if not len(cells) or cells.min() == cells.max():
            what = "gives one score everywhere" if len(cells) else "has no score where gold has one"
            notes.append(f"{scorer.name} {what}: correlations and orders of systems are not defined, and have no p.")
    valid = [~np.isnan(truth) & ~np.isnan(table) for table in tables]
    for a, one in enumerate(scorers):
        for b, two in enumerate(scorers[:a]):
            if valid[a].any() and valid[b].any() and not (valid[a] & valid[b]).any():
                notes.append(f"{two.name} and {one.name} share no segment and cannot be compared.")
    return tuple(notes)


def _by_cell(truth: Array, tables: Sequence[Array], tests: Sequence[str], k: int, seed: int) -> dict[str, Array]:
    """The tests of the shared tasks."""
    missing = np.isnan(truth)
    means = [_means(table, missing | np.isnan(table)) for table in tables]
    mean = _means(truth, missing)
    run: dict[str, Callable[[], Array]] = {
        "acc_eq": lambda: accuracy_tests([calibrated(truth, table) for table in tables], seed=seed),
        "spa": lambda: where_whole(truth, tables, partial(soft_accuracy_tests, k=k, seed=seed)),
        "sys_pairwise_accuracy": lambda: where_whole(mean, means, partial(system_accuracy_tests, k=k, seed=seed)),
        "sys_pearson": lambda: where_whole(mean, means, partial(pearson_tests, k=k, seed=seed)),
        "segment_pearson": lambda: where_whole(truth, tables, partial(pearson_tests, k=k, seed=seed)),
        "item_kendall": lambda: where_whole(truth, tables, partial(kendall_tests, k=k, seed=seed)),
        "williams": lambda: _williams(truth, tables),
    }
    return {name: run[name]() for name in tests}


def _williams(truth: Array, tables: Sequence[Array]) -> Array:
    """Williams' test of every ordered pair on the cells that gold and both scorers have."""
    ps = np.ones((len(tables), len(tables)))
    for a, one in enumerate(tables):
        for b, two in enumerate(tables):
            if a < b:
                valid = ~np.isnan(truth) & ~np.isnan(one) & ~np.isnan(two)
                first, second, between = (
                    correlation(x[valid][None], y[valid][None]) for x, y in ((truth, one), (truth, two), (one, two))
                )
                ps[a, b] = williams(first, second, between, int(valid.sum()))
                ps[b, a] = 1 - ps[a, b]
    return ps
